//! Checks of classes and of the leaves' labels, which all classification trees have.

use super::checks::{Count, check};
use crate::InputError;
use crate::data::ClassLabels;

/// At least two classes in order, and for each of `leaves` one of them.
pub(super) fn check_classes(
    classes: &ClassLabels,
    leaf_classes: &[u32],
    leaves: Count,
) -> Result<(), InputError> {
    let k = classes.len();
    check(k >= 2, || {
        format!("classes has {k} values, there must be at least 2")
    })?;
    check(classes.is_increasing(), || {
        "the values of classes must be distinct and in increasing order".into()
    })?;
    leaves.check("leaf_classes", leaf_classes.len())?;
    match leaf_classes.iter().position(|class| *class as usize >= k) {
        Some(t) => Err(InputError::ModelFile(format!(
            "leaf_classes[{t}] is {}, but there are {k} classes",
            leaf_classes[t]
        ))),
        None => Ok(()),
    }
}
