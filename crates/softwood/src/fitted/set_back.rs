//! Rows with some features set back to their typical values, and what a model then makes of them.

use super::SoftTree;
use crate::InputError;
use crate::data::Rows;
use crate::tree::splits::by_feature;

/// A sum that a change leaves smaller than this share of the change is added up anew: values far
/// outside of the training rows would leave it no digits.
const CANCELLED: f64 = 1e-4;

/// What a model makes of a row, as a function of linear functions of the scaled features, and of what
/// each feature adds by itself. With these three answers a model of any kind has effects.
pub(super) trait Outcome: Sync {
    /// The linear functions.
    fn functions(&self) -> LinearFunctions;

    /// Fills in the outcomes from the values of the functions; `scratch` is the model's to use.
    fn outcomes(&self, values: &[f64], scratch: &mut Vec<f64>, out: &mut [f64]);

    /// What scaled feature j adds to every outcome, whatever the functions are.
    fn added(&self, _feature: usize, _u: f64) -> f64 {
        0.0
    }
}

/// Σ_j c_nj u_j − o_n.
pub(super) struct LinearFunctions {
    /// c, p values a function.
    pub coefficients: Vec<f64>,
    /// o.
    pub offsets: Vec<f64>,
}

/// For each row, N × `width` × sets of columns: by how much each outcome is higher than if the columns
/// of the set had their typical values and all others stayed what they are.
///
/// A set of columns changes the functions by Σ_j c_nj (u_typical,j − u_j), which is added to their
/// values at the row: O(B + L) for each of its columns, and no sum over all features.
pub(super) fn effects(
    tree: &SoftTree,
    model: &impl Outcome,
    rows: &Rows<'_>,
    width: usize,
    sets: &[Vec<usize>],
) -> Result<Vec<f64>, InputError> {
    let functions = model.functions();
    let effects = Effects {
        tree,
        model,
        sets,
        typical: tree.scaling.typical_row(),
        by_feature: by_feature(&functions.coefficients, tree.features()),
        functions,
    };
    let scratch = || Scratch::new(&effects, width);
    tree.fill_rows(rows, width * sets.len(), scratch, |scratch, _, x, out| {
        effects.of_row(x, scratch, out);
    })
}

struct Effects<'a, M> {
    tree: &'a SoftTree,
    model: &'a M,
    sets: &'a [Vec<usize>],
    functions: LinearFunctions,
    /// One feature's coefficients side by side.
    by_feature: Vec<f64>,
    /// Scaled typical values.
    typical: Vec<f64>,
}

/// Working memory for one row.
struct Scratch {
    /// The row scaled.
    u: Vec<f64>,
    /// The functions at the row, and where some columns are set back.
    values: Vec<f64>,
    moved: Vec<f64>,
    /// Outcomes there.
    before: Vec<f64>,
    after: Vec<f64>,
    of_model: Vec<f64>,
}

impl Scratch {
    fn new<M>(effects: &Effects<'_, M>, width: usize) -> Self {
        let functions = effects.functions.offsets.len();
        Self {
            u: vec![0.0; effects.typical.len()],
            values: vec![0.0; functions],
            moved: vec![0.0; functions],
            before: vec![0.0; width],
            after: vec![0.0; width],
            of_model: Vec::new(),
        }
    }
}

impl<M: Outcome> Effects<'_, M> {
    /// Fills zeros, outcomes × sets.
    fn of_row(&self, x: &[f64], scratch: &mut Scratch, out: &mut [f64]) {
        let maps = &self.tree.scaling.features;
        for ((u, map), x) in scratch.u.iter_mut().zip(maps).zip(x) {
            *u = map.apply(*x);
        }
        for n in 0..scratch.values.len() {
            scratch.values[n] = self.function(n, &scratch.u);
        }
        let (model, count) = (self.model, self.sets.len());
        model.outcomes(&scratch.values, &mut scratch.of_model, &mut scratch.before);
        for (s, set) in self.sets.iter().enumerate() {
            let added = |u: &[f64]| set.iter().map(|j| model.added(*j, u[*j])).sum::<f64>();
            let added_by_set = added(&scratch.u) - added(&self.typical);
            if self.set_back(set, scratch) {
                model.outcomes(&scratch.moved, &mut scratch.of_model, &mut scratch.after);
            } else {
                scratch.after.copy_from_slice(&scratch.before);
            }
            for (k, (before, after)) in scratch.before.iter().zip(&scratch.after).enumerate() {
                out[k * count + s] = before - after + added_by_set;
            }
        }
    }

    /// The functions where the columns of a set are set back; whether any of them changes.
    fn set_back(&self, set: &[usize], scratch: &mut Scratch) -> bool {
        let Scratch {
            u, values, moved, ..
        } = scratch;
        moved.fill(0.0);
        for j in set.iter().filter(|j| u[**j] != self.typical[**j]) {
            let (step, count) = (self.typical[*j] - u[*j], moved.len());
            for (moved, c) in moved.iter_mut().zip(&self.by_feature[j * count..][..count]) {
                *moved += c * step;
            }
        }
        if moved.iter().all(|change| *change == 0.0) {
            return false;
        }
        let mut set_back: Option<Vec<f64>> = None;
        for (n, (moved, value)) in moved.iter_mut().zip(values).enumerate() {
            let change = *moved;
            *moved += *value;
            if moved.abs() < CANCELLED * change.abs() {
                let u = set_back.get_or_insert_with(|| {
                    let mut u = u.clone();
                    set.iter().for_each(|j| u[*j] = self.typical[*j]);
                    u
                });
                *moved = self.function(n, u);
            }
        }
        true
    }

    fn function(&self, n: usize, u: &[f64]) -> f64 {
        let coefficients = self.functions.coefficients[n * u.len()..][..u.len()].iter();
        let sum: f64 = coefficients.zip(u).map(|(c, u)| c * u).sum();
        sum - self.functions.offsets[n]
    }
}
