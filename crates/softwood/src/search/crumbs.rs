//! Small coefficients that are not worth their penalty: set to 0, where a solver stops short of it.

use crate::objective::Penalty;
use crate::solver::{Majorized, Objective};
use crate::stop::Interrupted;

/// x without the smallest of its penalized coefficients, as many as leave f + h no higher by bisection; None if
/// there are none.
pub(crate) fn without_crumbs(
    objective: &impl Objective,
    penalty: &Penalty,
    x: &[f64],
) -> Result<Option<Vec<f64>>, Interrupted> {
    let mut places = penalty.coordinates().to_vec();
    places.retain(|i| x[*i] != 0.0);
    places.sort_by(|i, j| x[*i].abs().total_cmp(&x[*j].abs()));
    let mut ignored = vec![0.0; x.len()];
    let mut value = |x: &[f64]| -> Result<f64, Interrupted> {
        Ok(objective.value_and_gradient(x, &mut ignored)? + penalty.value(x))
    };
    let without = |count: usize| {
        let mut x = x.to_vec();
        places[..count].iter().for_each(|i| x[*i] = 0.0);
        x
    };
    let as_it_is = value(x)?;
    let (mut good, mut bad) = (0, places.len() + 1);
    while bad - good > 1 {
        let count = (good + bad) / 2;
        match value(&without(count))? <= as_it_is {
            true => good = count,
            false => bad = count,
        }
    }
    Ok((good > 0).then(|| without(good)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::objective::PenaltySettings;
    use crate::tree::Topology;

    /// Half the squared distance from a point.
    struct Distance([f64; 4]);

    impl Objective for Distance {
        fn dim(&self) -> usize {
            4
        }

        fn value_and_gradient(&self, x: &[f64], gradient: &mut [f64]) -> Result<f64, Interrupted> {
            let mut sum = 0.0;
            for ((g, x), center) in gradient.iter_mut().zip(x).zip(self.0) {
                *g = x - center;
                sum += 0.5 * *g * *g;
            }
            Ok(sum)
        }
    }

    #[test]
    fn what_is_not_worth_its_penalty_goes_and_nothing_else() {
        let settings = PenaltySettings {
            local: Some(0.1),
            ..PenaltySettings::none()
        };
        // Three coefficients and an intercept, which is not penalized.
        let penalty = Penalty::on_splits(&settings, &Topology::complete(1), 3);
        let objective = Distance([0.05, 0.09, 0.9, 0.01]);
        let found = without_crumbs(&objective, &penalty, &[1e-6, 1e-3, 0.8, 1e-9]);
        let found = found.unwrap().unwrap();
        assert_eq!(found, [0.0, 0.0, 0.8, 1e-9]);
        assert_eq!(without_crumbs(&objective, &penalty, &found).unwrap(), None);
    }
}
