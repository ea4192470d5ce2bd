//! What the loader makes of a text: a model that is sound in all it does, or a refusal.

use ndarray::Array2;
use softwood::{FittedModel, FittedTree, InputError, Model};

/// What the loader says of a text, without numbers, and what it reads in the shape of the tree.
pub fn answer(text: &str) -> Result<String, InputError> {
    let model = Model::from_json(text)?;
    Ok(match &model {
        // Rows of curves have other columns than the tree, whose features are means.
        Model::FunctionalOrct(model) => sound(&model.on_means, |x| model.on_means.predict_proba(x)),
        Model::FunctionalOrrt(model) => sound(&model.on_means, |x| model.on_means.predict(x)),
        Model::Orct(model) => sound(model, |x| model.predict_proba(x)),
        Model::Orrt(model) => sound(model, |x| model.predict(x)),
        Model::Spdt(model) => sound(model, |x| model.predict_proba(x)),
        Model::Srt(model) => sound(model, |x| model.predict(x)),
        Model::Svm1Odt(model) => sound(model, |x| {
            Ok(model.predict(x)?.into_iter().map(f64::from).collect())
        }),
    })
}

/// A model that was read is written as it was, and what it predicts and shows is finite.
fn sound<M: FittedModel + PartialEq + std::fmt::Debug>(
    model: &M,
    predict: impl Fn(ndarray::ArrayView2<'_, f64>) -> Result<Vec<f64>, InputError>,
) -> String {
    assert_eq!(M::from_json(&model.to_json()).as_ref(), Ok(model));
    let features = model.tree().features();
    if features <= 1000 {
        for value in [0.0, -1e300, 0.3] {
            let x = Array2::from_elem((2, features), value);
            let predicted = predict(x.view()).unwrap();
            assert!(predicted.iter().all(|p| p.is_finite()), "{predicted:?}");
        }
        assert!(!model.describe(Some(3)).is_empty());
    }
    let shape = model.tree().shape();
    format!(
        "{} {} {}",
        M::KIND,
        shape.splits().len(),
        model.report().notices.len()
    )
}
