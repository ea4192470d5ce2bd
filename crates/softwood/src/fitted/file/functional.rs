//! The file of a tree on curves: its intervals beside the fields of the tree on their means.

use super::checks::{NOT_NEGATIVE, WITHIN_ZERO_AND_ONE, check, parse};
use super::lines::to_lines;
use crate::InputError;
use crate::fitted::{FittedModel, FunctionalModel, SoftTree};
use crate::functional::{IntervalMeans, SmoothedPredictor};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// Highest derivative whose means are features.
const MAX_ORDER: usize = 2;

/// Its fields, those of the tree first.
#[derive(Serialize, Deserialize)]
struct FunctionalFile<F> {
    #[serde(flatten)]
    tree: F,
    predictors: Vec<SmoothedPredictor>,
    derivatives: Vec<usize>,
    ends: Vec<f64>,
}

pub(in crate::fitted) fn write(intervals: &IntervalMeans, tree: impl Serialize) -> String {
    to_lines(&FunctionalFile {
        tree,
        predictors: intervals.predictors.clone(),
        derivatives: intervals.orders.clone(),
        ends: intervals.ends.clone(),
    })
}

pub(in crate::fitted) fn read<F: DeserializeOwned, M: FittedModel<Tree = SoftTree>>(
    text: &str,
    model: impl Fn(F) -> Result<M, InputError>,
) -> Result<FunctionalModel<M>, InputError> {
    let file: FunctionalFile<F> = parse(text)?;
    let intervals = IntervalMeans {
        predictors: file.predictors,
        orders: file.derivatives,
        ends: file.ends,
    };
    check_intervals(&intervals)?;
    let on_means = model(file.tree)?;
    let (features, wanted) = (on_means.tree().features(), intervals.features().len());
    check(features == wanted, || {
        format!("the intervals make {wanted} features, but the tree has {features}")
    })?;
    Ok(FunctionalModel {
        intervals,
        on_means,
    })
}

fn check_intervals(intervals: &IntervalMeans) -> Result<(), InputError> {
    let IntervalMeans {
        predictors,
        orders,
        ends,
    } = intervals;
    let grids = intervals.layout().validate();
    grids.map_err(|error| InputError::ModelFile(error.to_string()))?;
    let smoothing: Vec<f64> = predictors.iter().map(|p| p.smoothing).collect();
    NOT_NEGATIVE.check("smoothing", &smoothing)?;
    let increasing = orders.is_sorted_by(|a, b| a < b) && !orders.is_empty();
    check(increasing && orders.iter().all(|o| *o <= MAX_ORDER), || {
        format!("derivatives are {orders:?}, they must increase within 0…{MAX_ORDER}")
    })?;
    WITHIN_ZERO_AND_ONE.check("ends", ends)?;
    let pairs = !ends.is_empty() && ends.len() % 2 == 0;
    check(pairs && ends.is_sorted(), || {
        "ends must be pairs, none before the one in front of it".into()
    })
}
