//! Curves: smooth functions through their points, means over intervals, features that move with the ends.

mod combination;
mod interval_means;
mod layout;
mod spline;

#[cfg(feature = "fit")]
mod cross_validation;
#[cfg(feature = "fit")]
mod moving_rows;
#[cfg(feature = "fit")]
mod packed;

#[cfg(feature = "fit")]
pub(crate) use interval_means::features_of;
pub use interval_means::{IntervalFeature, IntervalMeans, SmoothedPredictor};
pub use layout::{CurveLayout, Predictor};
#[cfg(feature = "fit")]
pub(crate) use moving_rows::{DEVIATION, MovingData, MovingRows};
#[cfg(feature = "fit")]
pub(crate) use packed::PackedCurves;
