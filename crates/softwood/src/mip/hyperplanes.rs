//! The hyperplanes of the splits as variables of a program.

use super::labelled::LabelledPoints;
use super::program::{BINARY, Block, FREE, POSITIVE, Program};
use crate::exact::{Hyperplane, ObliqueTree};

/// Where the hyperplanes are: h = h⁺ − h⁻, and s_bj = 1 where h_bj ≠ 0 if those are counted.
pub(crate) struct HyperplaneColumns {
    g: Block,
    h_plus: Block,
    h_minus: Block,
    counted: Option<Block>,
    features: usize,
    pub splits: usize,
}

impl HyperplaneColumns {
    /// Adds them with their costs: α₂‖h‖₁, or α₂ for each that is not 0 if those are counted.
    pub fn add(
        program: &mut Program,
        rows: &LabelledPoints<'_>,
        alpha2: f64,
        are_counted: bool,
    ) -> Self {
        let (splits, features) = (rows.paths.splits(), rows.points.features());
        let size = (splits, features);
        let columns = Self {
            g: program.block("g", (splits, 1), FREE),
            h_plus: program.block("h_plus", size, POSITIVE),
            h_minus: program.block("h_minus", size, POSITIVE),
            counted: are_counted.then(|| program.block("s_counted", size, BINARY)),
            features,
            splits,
        };
        for b in 0..splits {
            for j in 0..features {
                let (plus, minus) = (columns.h_plus.at(b, j), columns.h_minus.at(b, j));
                match columns.counted.map(|counted| counted.at(b, j)) {
                    Some(counted) => {
                        program.cost[counted] = alpha2;
                        program.at_most([(plus, 1.0), (minus, 1.0), (counted, -1.0)], 0.0);
                    }
                    None => {
                        program.cost[plus] = alpha2;
                        program.cost[minus] = alpha2;
                    }
                }
            }
        }
        columns
    }

    /// sign · h_bj
    pub fn coefficient(&self, b: usize, j: usize, sign: f64) -> [(usize, f64); 2] {
        [(self.h_plus.at(b, j), sign), (self.h_minus.at(b, j), -sign)]
    }

    /// sign · (g_b − h_b·x)
    pub fn value(&self, b: usize, x: &[f64], sign: f64) -> Vec<(usize, f64)> {
        let terms = x.iter().enumerate().filter(|(_, x)| **x != 0.0);
        let terms = terms.flat_map(|(j, x)| self.coefficient(b, j, -sign * x));
        terms.chain([(self.g.at(b, 0), sign)]).collect()
    }

    /// Leaves a feature no coefficient.
    pub fn leave_out(&self, program: &mut Program, feature: usize) {
        for b in 0..self.splits {
            program.upper[self.h_plus.at(b, feature)] = 0.0;
            program.upper[self.h_minus.at(b, feature)] = 0.0;
        }
    }

    /// Puts the hyperplanes of a tree into a solution.
    pub fn write(&self, tree: &ObliqueTree, out: &mut [f64]) {
        for (b, split) in tree.splits.iter().enumerate() {
            out[self.g.at(b, 0)] = split.g;
            for (j, h) in split.h.iter().enumerate() {
                out[self.h_plus.at(b, j)] = h.max(0.0);
                out[self.h_minus.at(b, j)] = (-h).max(0.0);
                if let Some(counted) = self.counted {
                    out[counted.at(b, j)] = f64::from(*h != 0.0);
                }
            }
        }
    }

    /// Hyperplane `b` of a solution.
    pub fn read(&self, b: usize, values: &[f64]) -> Hyperplane {
        let h = |j: usize| values[self.h_plus.at(b, j)] - values[self.h_minus.at(b, j)];
        Hyperplane {
            h: (0..self.features).map(h).collect(),
            g: values[self.g.at(b, 0)],
        }
    }
}
