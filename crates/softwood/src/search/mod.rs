//! Search over trees: folds, races of candidates, starts and moves, generic over what they move.

pub(crate) mod folds;
pub(crate) mod race;
