//! What is said of the training rows that pass a split or end in a leaf.

use super::FitReport;
use super::reached::Reached;
use super::rule::short;

/// Texts of how many rows go where.
pub(super) struct RowTexts<'a> {
    pub reached: Reached<'a>,
    /// What the weights count.
    pub unit: &'static str,
}

impl<'a> RowTexts<'a> {
    /// Weights that sum to the number of rows count rows.
    pub fn of(reached: Reached<'a>, report: &FitReport) -> Self {
        let rows = report.rows as f64;
        let unit = match (reached.total() - rows).abs() <= 1e-6 * rows {
            true => "rows",
            false => "weight",
        };
        Self { reached, unit }
    }

    /// "  (62 % of 569 rows)" behind a split: the share that goes left.
    pub fn passing(&self, split: usize) -> String {
        if !self.reached.is_known() {
            return String::new();
        }
        let [left, right] = self.reached.branches(split);
        let (all, unit) = (left + right, self.unit);
        if all <= 0.0 {
            return format!("  (no {unit})");
        }
        format!("  ({} of {} {unit})", percent(left / all), rounded(all))
    }

    /// "  (353 rows)" behind a leaf.
    pub fn ending(&self, leaf: usize) -> String {
        if !self.reached.is_known() {
            return String::new();
        }
        match self.reached.leaf(leaf) {
            weight if weight <= 0.0 => format!("  (no {})", self.unit),
            weight => format!("  ({} {})", rounded(weight), self.unit),
        }
    }
}

/// "12 %", "0.6 %", "0.03 %".
pub(super) fn percent(share: f64) -> String {
    let share = 100.0 * share;
    let digits = match share {
        _ if share == 0.0 || share >= 9.95 => 0,
        _ if share >= 0.095 => 1,
        _ => 2,
    };
    format!("{share:.digits$} %")
}

/// A number of rows, which soft routing makes fractions of.
pub(super) fn rounded(weight: f64) -> String {
    match weight {
        _ if weight >= 9.95 => short(weight.round()),
        _ => short((10.0 * weight).round() / 10.0),
    }
}
