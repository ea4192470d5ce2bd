//! What every fitted model does, whatever its kind; the kinds there are; and any of them.

use super::{
    FitReport, FittedTree, FunctionalOrctModel, FunctionalOrrtModel, Importance, ModelFileError,
    OrctModel, OrrtModel, Rule, SpdtModel, SrtModel, Svm1OdtModel, file,
};
use crate::InputError;
use std::fmt;
use std::path::Path;

/// A fitted model: its splits, its report, and the file it is kept in.
pub trait FittedModel: fmt::Display + Clone + PartialEq + Sized + Send + Sync {
    /// Its name in files.
    const KIND: &'static str;

    /// What [`Self::importance_of`] can be measured of.
    const PARTS: &'static [&'static str];

    /// What its splits are.
    type Tree: FittedTree;

    /// The splits.
    fn tree(&self) -> &Self::Tree;

    /// How the fit went.
    fn report(&self) -> &FitReport;

    /// Intercepts of the splits, with the sign of the kind's paper; thresholds of hard splits.
    fn split_intercepts(&self) -> Vec<f64>;

    /// Importance of each of the user's columns to a part of the model, one of [`Self::PARTS`]; None for
    /// any other, or if it takes weights of rows that an old file does not tell.
    fn importance_of(&self, part: &str, kind: Importance) -> Option<Vec<f64>>;

    /// The tree as text, also what it displays as; with `terms`, up to so many of each split's terms on
    /// lines of their own, with their effects.
    fn describe(&self, terms: Option<usize>) -> String;

    /// The model as JSON, described in [`file_format`](super::file_format): every number keeps its
    /// bits. A field a line; a line for each feature, split and leaf.
    fn to_json(&self) -> String;

    /// Reads the kind's fields; nothing in the text is trusted.
    #[doc(hidden)]
    fn read_fields(text: &str) -> Result<Self, InputError>;

    /// The split at node `node`, in the user's units; None if the tree does not split there.
    fn rule(&self, node: usize) -> Option<Rule> {
        self.tree().rule(node)
    }

    /// Reads what [`Self::to_json`] wrote, or anybody else: nothing in the text is trusted.
    fn from_json(text: &str) -> Result<Self, InputError> {
        match file::read_kind(text)? {
            kind if kind == Self::KIND => Self::read_fields(text),
            kind => Err(InputError::ModelFile(format!(
                "kind is {kind:?}, not {:?}",
                Self::KIND
            ))),
        }
    }

    /// Writes the model to a file. An older file at `path` is replaced as a whole or not at all.
    fn save(&self, path: impl AsRef<Path>) -> Result<(), ModelFileError> {
        file::write(path.as_ref(), &self.to_json())
    }

    /// Reads a model from a file that [`Self::save`] wrote.
    fn load(path: impl AsRef<Path>) -> Result<Self, ModelFileError> {
        file::read(path.as_ref(), Self::from_json)
    }
}

/// Declares [`Model`], a model of any kind.
macro_rules! kinds {
    ($($(#[$doc:meta])* $variant:ident($model:ty)),* $(,)?) => {
        /// A fitted model of any kind, as a file may hold it.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Model {
            $($(#[$doc])* $variant($model)),*
        }

        impl Model {
            /// Reads what `to_json` of a model wrote, or anybody else: nothing in the text is trusted.
            pub fn from_json(text: &str) -> Result<Self, InputError> {
                match file::read_kind(text)?.as_str() {
                    $(<$model>::KIND => <$model>::read_fields(text).map(Self::$variant),)*
                    kind => {
                        let known = [$(format!("{:?}", <$model>::KIND)),*].join(" or ");
                        Err(InputError::ModelFile(format!("kind is {kind:?}, not {known}")))
                    }
                }
            }
        }
    };
}

kinds! {
    /// A classification tree on curves.
    FunctionalOrct(FunctionalOrctModel),
    /// A regression tree on curves.
    FunctionalOrrt(FunctionalOrrtModel),
    /// An optimal randomized classification tree.
    Orct(OrctModel),
    /// An optimal randomized regression tree.
    Orrt(OrrtModel),
    /// A sparse perceptron decision tree.
    Spdt(SpdtModel),
    /// A soft regression tree.
    Srt(SrtModel),
    /// A hard oblique tree with a proven bound.
    Svm1Odt(Svm1OdtModel),
}

impl Model {
    /// Reads a model from a file that `save` of a model wrote.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, ModelFileError> {
        file::read(path.as_ref(), Self::from_json)
    }
}
