//! What every fit can be told, whatever its tree: seed, threads, time and names.

use super::validate::check_setting;
use crate::control::Control;
use crate::data::Encoding;
use crate::error::InputError;
use crate::stop::Stop;
use std::time::{Duration, Instant};

/// Settings that all fits share. Numbers of starts and tolerances stand beside them, in the settings
/// of each tree, since their defaults differ from tree to tree.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunSettings {
    /// Seed of everything that is drawn.
    pub random_state: u64,
    /// Threads; all cores if None. The result does not depend on it.
    pub n_threads: Option<usize>,
    /// Time after which no new work begins; the best tree so far is returned.
    pub time_limit: Option<Duration>,
    /// Names of the columns; x0, x1, … if None.
    pub feature_names: Option<Vec<String>>,
    /// How the columns of the user's table have become the features that are fitted; None if they are the
    /// user's own. Kept in the model.
    pub encoding: Option<Encoding>,
}

impl RunSettings {
    /// Checks every setting that can be judged without the data.
    pub fn validate(&self) -> Result<(), InputError> {
        check_setting(self.n_threads != Some(0), "n_threads", "at least 1", 0)
    }

    /// What a model is told of its columns.
    pub(super) fn columns(&self) -> (Option<&[String]>, Option<&Encoding>) {
        (self.feature_names.as_deref(), self.encoding.as_ref())
    }

    /// What passes over the rows poll: the caller's flag and the time limit, from now.
    pub(super) fn stop(&self, control: &Control) -> Stop {
        Stop::new(&control.stop, self.time_limit)
    }

    /// The same with what is left of the time limit, for the next part of a fit that `began` then.
    pub(super) fn left_since(&self, began: Instant) -> Self {
        let limit = self.time_limit;
        Self {
            time_limit: limit.map(|limit| limit.saturating_sub(began.elapsed())),
            ..self.clone()
        }
    }
}
