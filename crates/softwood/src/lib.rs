//! Globally optimized oblique decision trees with soft splits.
//!
//! # The problem
//!
//! N rows x_i with classes y_i ∈ {0…K−1} and weights w_i; p features, each mapped to [0, 1] by a
//! monotone map learned on the rows. A complete binary tree of depth D has B = 2^D − 1 splits and
//! L = 2^D leaves. Split t sends row i to the left with probability
//!
//! ```text
//! p_it = 1 / (1 + exp(−γ z_it)),   z_it = (1/p) Σ_j a_tj x_ij − μ_t,
//! ```
//!
//! so it reaches leaf t with probability
//!
//! ```text
//! P_it = Π p_is over left turns · Π (1 − p_is) over right turns on the way to t.
//! ```
//!
//! An optimal randomized classification tree (ORCT) chooses all splits and leaf labels at once, to
//! make the expected misclassification cost least:
//!
//! ```text
//! min  (1/Σ_i w_i) Σ_i w_i Σ_t P_it Σ_k cost(y_i, k) C_kt
//! s.t. Σ_k C_kt = 1         every leaf has one label,
//!      Σ_t C_kt ≥ 1         every class owns a leaf (can be switched off),
//!      C ≥ 0,  −1 ≤ a, μ ≤ 1.
//! ```
//!
//! The probability of class k at x is Σ_t P_xt f_tk, f_tk being the frequency of class k in leaf t.
//! Penalties on a may be added for sparse trees (see
//! [`PenaltySettings`](objective::PenaltySettings)), and bounds on the recall of classes.
//!
//! A soft regression tree (SRT) has the same splits with γ = 1 and free coefficients ω, and a linear
//! model ŷ_it = β_0t + Σ_j β_tj x_ij in each leaf:
//!
//! ```text
//! min  (1/Σ_i w_i) Σ_i w_i Σ_t P_it (ŷ_it − y_i)² + (λ_ω/2)‖ω‖² + (λ_β/2) Σ_t ‖β_t − β̄‖²,
//! ```
//!
//! β̄ being the linear regression of all rows. A row is predicted by the one leaf at the end of its
//! likelier branches. Curves Σ_j s_j(x_j) common to all leaves may be added: they are estimated first,
//! together with β̄.
//!
//! An optimal randomized regression tree (ORRT) has the splits of an ORCT and linear leaf models of a
//! standardized response, mixed by the probabilities of the leaves, ū being the mean row and β̄ the mean of the leaves' models:
//!
//! ```text
//! min  (1/Σ_i w_i) Σ_i w_i (φ_i − y_i)² + ½ Σ_j (λ_j Σ_t (β_tj − β̄_j)² + κ_j β̄_j²),
//! φ_i = Σ_t P_it (β_0t + βₜᵀ(u_i − ū)),  −1 ≤ a, μ ≤ 1.
//! ```
//!
//! For given splits all leaf models follow from one regression, so that starts descend over the splits
//! alone. Penalties on a and β together may be added, and bounds on the errors and mean predictions of
//! groups of rows ([`RowGroup`]).
//!
//! # From rows to model
//!
//! Folders import one another in one direction only, from the first line of this table down to the
//! last; a test holds them to it.
//!
//! | folder | what is there |
//! |---|---|
//! | `fit` | the plot: one file per fit function, [`fit_orct`], [`fit_orrt`], [`fit_srt`], [`fit_functional_orrt`], … |
//! | `search` | starts, continuation, pruning, regrowing, node decomposition, folds and racing |
//! | [`mip`] | hard trees as a mixed-integer program: plain data for any solver |
//! | `exact` | hard trees with a proven bound: separation by a margin, search over routings, improvement of splits |
//! | [`selection`] | extreme points of the rows and the choice of rows to train on |
//! | `perceptron` | sparse linear classifiers on few of very many features, and the tree grown of them |
//! | `start` | random splits through the data, greedy ones, clusters of rows |
//! | [`objective`] | the costs above with their gradients, penalties, constraints |
//! | [`solver`] | projected L-BFGS, augmented Lagrangian; knows nothing of trees |
//! | `leaves` | the exact steps: labels, ridge regressions |
//! | `passes` | every pass over the rows, a small value each, with sums that can be merged |
//! | [`fitted`] | prediction, explanation, rules, the model file |
//! | [`tree`] | numbering of nodes, layout of parameters, the fused kernel over a block of rows |
//! | [`functional`] | curves: splines, means over intervals, features that move with the ends of intervals |
//! | [`data`] | rows in, dense ([`ndarray`]) or sparse ([`CsrRows`](data::CsrRows)), blocks of scaled rows out; weights, classes, responses; feature maps |
//! | `vectors` | vector arithmetic below all of it |
//!
//! Without the feature `fit` everything above `fitted` is left out: the crate then loads models and
//! predicts, with no optimizer and no random numbers among its dependencies.
//!
//! Results have the same bits on any number of threads. A fit can be stopped from outside at any
//! moment, with the best tree so far, and watched while it runs: see [`Control`]. What is likely to be
//! unwanted of it stands in its report, as [`Notice`](fitted::Notice)s.
//!
//! # Example
//!
//! ```
//! use ndarray::array;
//! use softwood::{Control, FittedModel, OrctModel, OrctSettings, data::Labels, fit_orct};
//!
//! // Exclusive or: no single split tells the classes apart, three do.
//! let x = array![[0.1, 0.2], [0.9, 0.8], [0.2, 0.9], [0.8, 0.1]];
//! let y = Labels::from(["same", "same", "differ", "differ"].as_slice());
//! let settings = OrctSettings { depth: 2, ..OrctSettings::default() };
//! let model = fit_orct(x.view(), &y, None, &settings, &Control::default())?;
//! assert_eq!(model.predict(x.view())?, y.codes);
//! println!("{model}");
//!
//! let path = std::env::temp_dir().join(format!("softwood-doc-{}.json", std::process::id()));
//! model.save(&path)?;
//! assert_eq!(OrctModel::load(&path)?, model);
//! # std::fs::remove_file(&path)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![warn(missing_docs)]
// Tests may slice by ndarray's macro, which allows it to itself.
// HiGHS calls back through C: `mip/highs.rs` alone allows it to itself.
#![cfg_attr(any(test, feature = "highs"), deny(unsafe_code))]
#![cfg_attr(not(any(test, feature = "highs")), forbid(unsafe_code))]
// What training alone uses of the shared folders is idle without it.
#![cfg_attr(not(feature = "fit"), allow(dead_code, unused_imports))]

#[cfg(feature = "fit")]
mod control;
pub mod data;
mod error;
#[cfg(feature = "fit")]
mod exact;
#[cfg(feature = "fit")]
mod fit;
pub mod fitted;
pub mod functional;
#[cfg(feature = "fit")]
mod leaves;
#[cfg(feature = "fit")]
pub mod mip;
#[cfg(feature = "fit")]
pub mod objective;
#[cfg(feature = "fit")]
mod passes;
#[cfg(feature = "fit")]
mod perceptron;
#[cfg(feature = "fit")]
mod progress;
#[cfg(feature = "fit")]
mod search;
#[cfg(feature = "fit")]
pub mod selection;
#[cfg(feature = "fit")]
pub mod solver;
#[cfg(feature = "fit")]
mod start;
pub mod status;
pub mod stop;
mod table_error;
mod threads;
pub mod tree;
mod vectors;

#[cfg(feature = "fit")]
pub use control::Control;
pub use error::{FitError, InputError};
#[cfg(feature = "fit")]
pub use fit::curve_grid::CurveGrid;
#[cfg(feature = "fit")]
pub use fit::functional_orct::fit_functional_orct;
#[cfg(feature = "fit")]
pub use fit::functional_orct_cv::fit_functional_orct_cv;
#[cfg(feature = "fit")]
pub use fit::functional_orct_cv_settings::FunctionalOrctCvSettings;
#[cfg(feature = "fit")]
pub use fit::functional_orct_settings::FunctionalOrctSettings;
#[cfg(feature = "fit")]
pub use fit::functional_orrt::fit_functional_orrt;
#[cfg(feature = "fit")]
pub use fit::functional_orrt_cv::fit_functional_orrt_cv;
#[cfg(feature = "fit")]
pub use fit::functional_orrt_cv_settings::FunctionalOrrtCvSettings;
#[cfg(feature = "fit")]
pub use fit::functional_orrt_settings::FunctionalOrrtSettings;
#[cfg(feature = "fit")]
pub use fit::interval_settings::IntervalSettings;
#[cfg(feature = "fit")]
pub use fit::lambda_max::lambda_max;
#[cfg(feature = "fit")]
pub use fit::orct::{check_orct_input, fit_orct, fit_orct_with_groups};
#[cfg(feature = "fit")]
pub use fit::orct_cv::{fit_orct_cv, fit_orct_cv_with_groups};
#[cfg(feature = "fit")]
pub use fit::orct_cv_settings::OrctCvSettings;
#[cfg(feature = "fit")]
pub use fit::orct_settings::{OrctSettings, RatesOn};
#[cfg(feature = "fit")]
pub use fit::orct_solver::OrctSolver;
#[cfg(feature = "fit")]
pub use fit::orrt::fit_orrt;
#[cfg(feature = "fit")]
pub use fit::orrt_cv::fit_orrt_cv;
#[cfg(feature = "fit")]
pub use fit::orrt_cv_settings::OrrtCvSettings;
#[cfg(feature = "fit")]
pub use fit::orrt_path::{HeldRows, orrt_lambda_max, orrt_sparsity_path};
#[cfg(feature = "fit")]
pub use fit::orrt_settings::OrrtSettings;
#[cfg(feature = "fit")]
pub use fit::row_groups::{GroupRows, GroupTarget, RowBound, RowGroup};
#[cfg(feature = "fit")]
pub use fit::row_selection::RowSelection;
#[cfg(feature = "fit")]
pub use fit::run_settings::RunSettings;
#[cfg(feature = "fit")]
pub use fit::selected_rows::fit_orct_selected;
#[cfg(feature = "fit")]
pub use fit::sparsity_path::{PathPoint, PenaltyGrid, SparsityPath, ValidationRows, sparsity_path};
#[cfg(feature = "fit")]
pub use fit::spdt::fit_spdt;
#[cfg(feature = "fit")]
pub use fit::spdt_settings::{SpdtScaling, SpdtSettings};
#[cfg(feature = "fit")]
pub use fit::srt::fit_srt;
#[cfg(feature = "fit")]
pub use fit::srt_cv::fit_srt_cv;
#[cfg(feature = "fit")]
pub use fit::srt_cv_settings::SrtCvSettings;
#[cfg(feature = "fit")]
pub use fit::srt_settings::{RegressionStart, SrtSettings};
#[cfg(feature = "fit")]
pub use fit::svm1_odt::fit_svm1_odt;
#[cfg(feature = "fit")]
pub use fit::svm1_odt_mip::fit_svm1_odt_by_mip;
#[cfg(feature = "fit")]
pub use fit::svm1_odt_settings::{StartSplit, Svm1OdtSettings, Svm1OdtStart};
pub use fitted::{
    FittedModel, FittedTree, FunctionalModel, FunctionalOrctModel, FunctionalOrrtModel, Model,
    ModelFileError, OrctModel, OrrtModel, SpdtModel, SrtModel, Svm1OdtModel,
};
#[cfg(feature = "fit")]
pub use objective::LambdaMax;
#[cfg(feature = "fit")]
pub use progress::{Progress, ProgressSnapshot};
#[cfg(feature = "fit")]
pub use search::race::CvRule;
pub use stop::StopFlag;
pub use table_error::TableError;
