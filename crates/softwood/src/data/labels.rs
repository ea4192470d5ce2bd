//! Class labels of any kind, and the codes 0…K−1 that stand for them in training.

use serde::{Deserialize, Serialize};

/// The K distinct labels of a classification, in increasing order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", tag = "kind", content = "values")]
pub enum ClassLabels {
    /// Integers.
    Int(Vec<i64>),
    /// Floating-point numbers.
    Float(Vec<f64>),
    /// Truth values.
    Bool(Vec<bool>),
    /// Text.
    Text(Vec<String>),
}

impl ClassLabels {
    /// K.
    pub fn len(&self) -> usize {
        match self {
            Self::Int(v) => v.len(),
            Self::Float(v) => v.len(),
            Self::Bool(v) => v.len(),
            Self::Text(v) => v.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Label `k` as text.
    pub fn text(&self, k: usize) -> String {
        match self {
            Self::Int(v) => v[k].to_string(),
            Self::Float(v) => v[k].to_string(),
            Self::Bool(v) => v[k].to_string(),
            Self::Text(v) => v[k].clone(),
        }
    }

    /// Distinct and in increasing order, as training makes them?
    pub(crate) fn is_increasing(&self) -> bool {
        match self {
            Self::Int(v) => v.is_sorted_by(|a, b| a < b),
            Self::Float(v) => v.iter().all(|x| x.is_finite()) && v.is_sorted_by(|a, b| a < b),
            Self::Bool(v) => v.is_sorted_by(|a, b| a < b),
            Self::Text(v) => v.is_sorted_by(|a, b| a < b),
        }
    }
}

/// The label of every row: distinct labels and a code into them for each row.
#[derive(Clone, Debug, PartialEq)]
pub struct Labels {
    /// The distinct labels.
    pub classes: ClassLabels,
    /// For each row the position of its label in `classes`.
    pub codes: Vec<u32>,
}

/// Sorts out the distinct values and codes each row.
fn encode<T: Clone + Ord>(values: &[T]) -> (Vec<T>, Vec<u32>) {
    let mut distinct = values.to_vec();
    distinct.sort_unstable();
    distinct.dedup();
    let code = |v: &T| {
        distinct
            .binary_search(v)
            .expect("every value is among the distinct ones") as u32
    };
    let codes = values.iter().map(code).collect();
    (distinct, codes)
}

impl From<&[i64]> for Labels {
    fn from(values: &[i64]) -> Self {
        let (classes, codes) = encode(values);
        Self {
            classes: ClassLabels::Int(classes),
            codes,
        }
    }
}

impl From<&[bool]> for Labels {
    fn from(values: &[bool]) -> Self {
        let (classes, codes) = encode(values);
        Self {
            classes: ClassLabels::Bool(classes),
            codes,
        }
    }
}

impl From<&[String]> for Labels {
    fn from(values: &[String]) -> Self {
        let (classes, codes) = encode(values);
        Self {
            classes: ClassLabels::Text(classes),
            codes,
        }
    }
}

impl From<&[&str]> for Labels {
    fn from(values: &[&str]) -> Self {
        let (classes, codes) = encode(values);
        let classes = classes.into_iter().map(str::to_owned).collect();
        Self {
            classes: ClassLabels::Text(classes),
            codes,
        }
    }
}
