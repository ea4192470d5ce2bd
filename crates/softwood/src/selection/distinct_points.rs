//! The distinct rows in an order of their own: by value, coordinate after coordinate, in the unit box.
//!
//! What follows works on these points alone, so nothing depends on the order of the user's rows.

use super::point_set::PointSet;
use crate::data::{FeatureMap, Rows, Scaling, ScalingKind};
use crate::stop::{Stop, Stopped};
use rayon::prelude::*;

/// Distinct rows, scaled to [0, 1] by each column's smallest and largest value, columns of one value
/// left out; in increasing lexicographic order.
pub(crate) struct DistinctPoints {
    pub points: PointSet,
    /// For each point the first of the rows that have its value.
    pub first_row: Vec<usize>,
    /// For each row its point.
    pub point_of_row: Vec<u32>,
    /// Largest minus smallest value of each column kept.
    pub ranges: Vec<f64>,
}

impl DistinctPoints {
    /// None if all rows are alike.
    pub fn new(rows: &Rows<'_>, stop: &Stop) -> Result<Option<Self>, Stopped> {
        assert!(u32::try_from(rows.len()).is_ok(), "fewer than 2^32 rows");
        let scaling =
            Scaling::learn_unless_stopped(ScalingKind::MinMax, rows.reborrow(), None, stop)?;
        let mut columns = Vec::new();
        let mut ranges = Vec::new();
        for (j, map) in scaling.features.iter().enumerate() {
            if let FeatureMap::Linear { min, max } = map {
                stop.check()?;
                let mut column = rows.column(j);
                map.apply_to(&mut column);
                column.iter_mut().for_each(|x| *x += 0.0); // −0 and 0 are one value
                columns.push(column);
                ranges.push(max - min);
            }
        }
        if columns.is_empty() {
            return Ok(None);
        }
        let compare = |a: &u32, b: &u32| {
            let mut orders = columns
                .iter()
                .map(|column| column[*a as usize].total_cmp(&column[*b as usize]));
            orders.find(|order| order.is_ne())
        };
        let mut order: Vec<u32> = (0..rows.len() as u32).collect();
        order.par_sort_unstable_by(|a, b| compare(a, b).unwrap_or_else(|| a.cmp(b)));
        stop.check()?;
        let mut points = PointSet::new(columns.len());
        let mut first_row = Vec::new();
        let mut point_of_row = vec![0; rows.len()];
        let mut point = vec![0.0; columns.len()];
        let mut last = None;
        for i in order {
            if last.is_none_or(|last| compare(&last, &i).is_some()) {
                for (x, column) in point.iter_mut().zip(&columns) {
                    *x = column[i as usize];
                }
                points.push(&point);
                first_row.push(i as usize);
            }
            point_of_row[i as usize] = (points.len() - 1) as u32;
            last = Some(i);
        }
        Ok(Some(Self {
            points,
            first_row,
            point_of_row,
            ranges,
        }))
    }
}
