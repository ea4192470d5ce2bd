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
//! The probability of class k at x is Σ_t C_kt P_xt. Penalties on a may be added for sparse trees (see
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
//! # From rows to model
//!
//! | folder | what happens there |
//! |---|---|
//! | `fit` | the plot: one file per fit function, [`fit_orct`] and [`fit_srt`] |
//! | [`data`] | rows in, blocks of scaled rows out; class labels; feature maps |
//! | `start` | random splits through the data, clusters of rows |
//! | [`objective`] | the costs above and their gradients |
//! | [`tree`] | numbering of nodes, layout of parameters, the fused pass over blocks of rows |
//! | [`solver`] | projected L-BFGS with bounds and penalties that have kinks; knows nothing of trees |
//! | `leaves` | the exact steps: labels, ridge regressions |
//! | [`selection`] | extreme points of the rows and the choice of rows to train on |
//! | [`fitted`] | prediction, explanation, rules, the model file |
//!
//! Results have the same bits on any number of threads. A fit can be stopped from outside at any
//! moment and watched while it runs: see [`Control`].
//!
//! # Example
//!
//! ```
//! use ndarray::array;
//! use softwood::{Control, OrctModel, OrctSettings, data::Labels, fit_orct};
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
#![deny(unsafe_code)]

mod control;
pub mod data;
mod error;
mod fit;
pub mod fitted;
mod leaves;
pub mod objective;
mod passes;
mod progress;
mod search;
pub mod selection;
pub mod solver;
mod start;
pub mod status;
pub mod stop;
mod threads;
pub mod tree;
mod vectors;

pub use control::Control;
pub use error::{FitError, InputError};
pub use fit::lambda_max::{LambdaMax, lambda_max};
pub use fit::orct::{OrctSettings, check_orct_input, fit_orct};
pub use fit::orct_cv::{CvRule, CvSettings, fit_orct_cv};
pub use fit::selected_rows::{RowSelection, fit_orct_selected};
pub use fit::sparsity_path::{PathPoint, PenaltyGrid, SparsityPath, ValidationRows, sparsity_path};
pub use fit::srt::{RegressionStart, SrtSettings, fit_srt};
pub use fitted::{Model, ModelFileError, OrctModel, SrtModel};
pub use progress::{Progress, ProgressSnapshot};
pub use stop::StopFlag;
