//! The stages from soft, class-balanced splits to the problem that was asked.

/// A continuation stage.
#[derive(Clone, Debug)]
pub(crate) struct Stage {
    /// Steepness.
    pub gamma: f64,
    /// K × K costs.
    pub costs: Vec<f64>,
    /// A stage on the way: sibling leaves keep different labels, and few iterations do.
    pub soft: bool,
}

/// γ by factors of 4 from 2p (the 1/p in z makes steepness relative to p) and less than the wanted γ; that
/// itself if it is no more.
pub(crate) fn softer(gamma: f64, features: usize) -> Vec<f64> {
    let mut gammas = vec![(2.0 * features as f64).min(gamma)];
    while gammas[gammas.len() - 1] * 4.0 < gamma {
        gammas.push(gammas[gammas.len() - 1] * 4.0);
    }
    gammas
}

/// Those with balanced costs, then the wanted γ with the true costs or, if `balanced`, with these.
///
/// Balanced costs weigh rows of class k by W/(K·W_k); without them the first, blurred stages see
/// nothing but the majority class.
pub(crate) fn stages(
    gamma: f64,
    costs: &[f64],
    class_weights: &[f64],
    features: usize,
    balanced: bool,
) -> Vec<Stage> {
    let (k, total) = (class_weights.len(), class_weights.iter().sum::<f64>());
    let even: Vec<f64> = costs
        .chunks_exact(k)
        .zip(class_weights)
        .flat_map(|(row, weight)| {
            let factor = if *weight > 0.0 {
                total / (k as f64 * weight)
            } else {
                0.0
            };
            row.iter().map(move |c| c * factor)
        })
        .collect();
    let soft = softer(gamma, features).into_iter().map(|gamma| Stage {
        gamma,
        costs: even.clone(),
        soft: true,
    });
    soft.chain([Stage {
        gamma,
        costs: if balanced {
            even.clone()
        } else {
            costs.to_vec()
        },
        soft: false,
    }])
    .collect()
}
