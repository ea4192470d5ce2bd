//! What is told of the features that a tree uses: typical, smallest and largest value.

use super::node_rows::TreeRows;
use crate::data::Rows;
use crate::fitted::UsedFeature;

/// Figures of some columns, which increase.
pub(crate) fn figures(data: &TreeRows<'_>, columns: &[u32]) -> Vec<UsedFeature> {
    let mut values: Vec<Vec<(f64, f64)>> = vec![Vec::new(); columns.len()];
    match &data.rows {
        Rows::Sparse(csr) => {
            for (row, weight) in data.weights.iter().enumerate() {
                csr.visit_row(row, |j, x| {
                    if let Ok(place) = columns.binary_search(&(j as u32)) {
                        values[place].push((x, *weight));
                    }
                });
            }
        }
        dense => {
            for (column, values) in columns.iter().zip(&mut values) {
                dense.visit_column(*column as usize, 1, |row, x| {
                    values.push((x, data.weights[row]))
                });
            }
        }
    }
    let total: f64 = data.weights.iter().sum();
    let of_column = |(column, mut values): (&u32, Vec<(f64, f64)>)| {
        if values.len() < data.weights.len() {
            let stored: f64 = values.iter().map(|(_, weight)| weight).sum();
            values.push((0.0, (total - stored).max(0.0)));
        }
        values.sort_by(|a, b| a.0.total_cmp(&b.0));
        let weighing = || {
            values
                .iter()
                .filter(|(_, weight)| *weight > 0.0)
                .map(|(x, _)| *x)
        };
        let mut below = 0.0;
        let median = values.iter().find(|(_, weight)| {
            below += weight;
            below >= 0.5 * total * (1.0 - 1e-12)
        });
        UsedFeature {
            column: *column,
            typical: median.map_or(0.0, |(x, _)| *x),
            low: weighing().next().unwrap_or(0.0),
            high: weighing().next_back().unwrap_or(0.0),
        }
    };
    columns.iter().zip(values).map(of_column).collect()
}
