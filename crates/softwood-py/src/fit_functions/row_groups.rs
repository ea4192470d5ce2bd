//! Groups of rows with bounds, as the functions that keep them take them from Python.

use crate::arrays::Matrix;
use numpy::PyReadonlyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use softwood::data::Rows;
use softwood::{GroupRows, GroupTarget, RowBound, RowGroup};

/// Codes of classes, or a response.
#[derive(FromPyObject)]
enum Target<'py> {
    Classes(PyReadonlyArray1<'py, u32>),
    Response(PyReadonlyArray1<'py, f64>),
}

/// Rows of their own, with what is to be predicted of them and their weights.
#[derive(FromPyObject)]
struct OwnRows<'py>(Matrix<'py>, Target<'py>, Option<PyReadonlyArray1<'py, f64>>);

/// A group: its name, positions of training rows or rows of its own, the group it is compared with, and its
/// bounds: what, of which class, how much.
#[derive(FromPyObject)]
pub struct Group<'py>(
    String,
    Option<Vec<usize>>,
    Option<OwnRows<'py>>,
    Option<String>,
    Vec<(String, Option<usize>, f64)>,
);

/// What rows of their own hold, out of Python's hands.
enum Values {
    Classes(Vec<u32>),
    Response(Vec<f64>),
}

/// A group as the core takes it but for the lifetimes.
pub struct OpenGroup<'a> {
    name: String,
    positions: Vec<usize>,
    own: Option<(Rows<'a>, Values, Option<Vec<f64>>)>,
    compared_with: Option<String>,
    bounds: Vec<RowBound>,
}

/// The rows and bounds of all groups.
pub fn open_groups<'a>(py: Python<'_>, groups: &'a [Group<'_>]) -> PyResult<Vec<OpenGroup<'a>>> {
    groups.iter().map(|group| group.open(py)).collect()
}

impl Group<'_> {
    fn open(&self, py: Python<'_>) -> PyResult<OpenGroup<'_>> {
        let Self(name, positions, own, compared_with, bounds) = self;
        let own = own.as_ref().map(|OwnRows(x, target, weights)| {
            let target = match target {
                Target::Classes(codes) => Values::Classes(codes.as_array().to_vec()),
                Target::Response(y) => Values::Response(y.as_array().to_vec()),
            };
            let weights = weights.as_ref().map(|weights| weights.as_array().to_vec());
            Ok::<_, PyErr>((x.rows(py)?, target, weights))
        });
        Ok(OpenGroup {
            name: name.clone(),
            positions: positions.clone().unwrap_or_default(),
            own: own.transpose()?,
            compared_with: compared_with.clone(),
            bounds: bounds.iter().map(row_bound).collect::<PyResult<_>>()?,
        })
    }
}

fn row_bound((kind, class, bound): &(String, Option<usize>, f64)) -> PyResult<RowBound> {
    let kind = serde_json::from_value(kind.as_str().into());
    Ok(RowBound {
        kind: kind.map_err(|error| PyValueError::new_err(error.to_string()))?,
        class: *class,
        bound: *bound,
    })
}

/// The groups as the core takes them.
pub fn row_groups<'a>(groups: &'a [OpenGroup<'_>]) -> Vec<RowGroup<'a>> {
    let group = |open: &'a OpenGroup<'_>| RowGroup {
        name: open.name.clone(),
        rows: match &open.own {
            Some((rows, target, weights)) => GroupRows::Given {
                x: rows.reborrow(),
                y: match target {
                    Values::Classes(codes) => GroupTarget::Classes(codes),
                    Values::Response(y) => GroupTarget::Response(y),
                },
                weights: weights.as_deref(),
            },
            None => GroupRows::Training(open.positions.clone()),
        },
        bounds: open.bounds.clone(),
        compared_with: open.compared_with.clone(),
    };
    groups.iter().map(group).collect()
}
