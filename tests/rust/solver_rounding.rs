//! Do penalties keep their zeros, ties and signs where sums round and numbers are extreme?

use argmin::core::IterState;
use argmin::core::observers::Observe;
use ndarray::Array2;
use rand::RngExt;
use rand_pcg::Pcg64;
use softwood::data::Labels;
use softwood::objective::PenaltySettings;
use softwood::solver::{
    Bounds, Group, LbfgsSettings, Objective, SimpleTerm, SparsityTerm, minimize,
};
use softwood::stop::Interrupted;
use softwood::{Control, OrctSettings, fit_orct};

/// Groups of coordinates in order, within [−1, 1], without an ℓ1 part.
fn grouped(groups: &[(f64, usize)]) -> SparsityTerm {
    let mut next = 0;
    let mut term = SparsityTerm {
        bounds: Bounds::all(-1.0, 1.0),
        local: Vec::new(),
        groups: Vec::new(),
    };
    for (weight, size) in groups {
        term.groups.push(Group {
            weight: *weight,
            members: (next..next + size).collect(),
            floor: 0.0,
        });
        next += size;
    }
    term.local = vec![0.0; next];
    term
}

#[test]
fn a_group_that_rounding_holds_at_zero_leaves_the_next_its_tie() {
    // 0.1 + 0.2 + 0.3 exceeds 0.6 when added in this order and equals it in the other: nothing is left
    // to the group, which must count as held, whoever asks.
    let sum = |values: [f64; 3]| values.iter().sum::<f64>();
    assert!(sum([0.1, 0.2, 0.3]) > 0.6);
    assert_eq!(sum([0.3, 0.2, 0.1]), 0.6);
    let term = grouped(&[(0.6, 3), (0.1, 2)]);
    let x = [0.0, 0.0, 0.0, 0.5, -0.5];
    let gradient = [-0.1, -0.2, -0.3, -1.0, 1.0];
    let face = term.face(&x, &gradient);
    assert_eq!(face.free, [false, false, false, true, true]);
    let tied: Vec<usize> = face.ties.iter().map(|tie| tie.members.len()).collect();
    assert_eq!(tied, [0, 2], "{face:?}");
    let mut moved: Vec<f64> = x
        .iter()
        .zip(&face.slope)
        .map(|(x, s)| x - 0.1 * s)
        .collect();
    term.retract(&x, &face, &mut moved);
    assert_eq!(moved[..3], [0.0; 3]);
    assert!(moved[3] > 0.5 && moved[3] == -moved[4], "{moved:?}");
}

#[test]
fn a_weight_below_rounding_leaves_the_top_of_its_group_tied() {
    // (0.1 + 0.1 + 0.1 − 2.7e-17)/3 rounds to more than 0.1: above all that the members ask for.
    let weight = 2.7e-17;
    assert!((0.1 + 0.1 + 0.1 - weight) / 3.0 > 0.1);
    let term = grouped(&[(weight, 3)]);
    for x in [[0.0; 3], [0.5; 3]] {
        let face = term.face(&x, &[-0.1; 3]);
        assert_eq!(face.ties[0].members, [(0, 1.0), (1, 1.0), (2, 1.0)]);
        let mut moved = x.map(|x| x + 0.01);
        term.retract(&x, &face, &mut moved);
        assert_eq!(moved, x.map(|x| x + 0.01));
    }
}

#[test]
fn a_cut_that_rounds_below_zero_is_zero() {
    let mut rng = Pcg64::new(1, 0);
    let mut below = 0;
    for _ in 0..20_000 {
        let v: [f64; 7] = std::array::from_fn(|_| rng.random_range(0.01..1.0));
        let mut sorted = v;
        sorted.sort_by(|a, b| b.total_cmp(a));
        // The weight that takes all of v, added in one order, is more than all of it in the other.
        let weight = v.iter().sum::<f64>().next_down();
        below += usize::from(sorted.iter().sum::<f64>() < weight);
        let mut z = v;
        grouped(&[(weight, 7)]).prox(&mut z, 1.0);
        assert!(z.iter().all(|z| (0.0..1e-14).contains(z)), "{v:?} {z:?}");
    }
    assert!(below > 50, "{below} cuts below 0 are not enough");
}

#[test]
fn soft_splits_under_group_penalties_are_fitted_for_every_seed() {
    for seed in 0..40 {
        let mut rng = Pcg64::new(seed, 12);
        let x = Array2::from_shape_simple_fn((60, 4), || rng.random_range(0.0..1.0));
        let class = |r: ndarray::ArrayView1<'_, f64>| i64::from(r[0] + 0.5 * r[1] > 0.7);
        let y: Vec<i64> = x.rows().into_iter().map(class).collect();
        let labels = Labels::from(y.as_slice());
        for global in [0.003, 0.01, 0.03] {
            let settings = OrctSettings {
                depth: 2,
                gamma: Some(8.0),
                penalty: PenaltySettings {
                    global,
                    ..PenaltySettings::none()
                },
                n_starts: 2,
                ..OrctSettings::plain()
            };
            let model = fit_orct(x.view(), &labels, None, &settings, &Control::default()).unwrap();
            assert!(model.report.objective.is_finite());
        }
    }
}

/// gᵀx with |g| up to `size`.
struct Tilted(Vec<f64>);

impl Objective for Tilted {
    fn dim(&self) -> usize {
        self.0.len()
    }

    fn value_and_gradient(&self, x: &[f64], gradient: &mut [f64]) -> Result<f64, Interrupted> {
        gradient.copy_from_slice(&self.0);
        Ok(x.iter().zip(&self.0).map(|(x, g)| x * g).sum())
    }
}

struct Silent;

impl Observe<IterState<Vec<f64>, Vec<f64>, (), (), (), f64>> for Silent {}

#[test]
fn extreme_penalties_and_gradients_give_numbers() {
    let sizes = [0.0, 1e-320, 1e-300, 1e-100, 1.0, 1e100, 1e200, 1e300];
    let mut rng = Pcg64::new(2, 0);
    for (local, global) in [(1e100, 0.0), (0.0, 1e100), (1e100, 1e100), (1e-300, 1e100)] {
        for size in sizes {
            let mut term = grouped(&[(global, 3), (global, 2)]);
            term.groups.retain(|group| group.weight > 0.0);
            term.local = vec![local; 5];
            let gradient: Vec<f64> = (0..5).map(|_| size * rng.random_range(-1.0..1.0)).collect();
            let x: Vec<f64> = vec![0.0, 1.0, -1.0, 0.25, -0.25];
            let face = term.face(&x, &gradient);
            assert!(face.slope.iter().all(|s| s.is_finite()), "{face:?}");
            for length in [0.0, 1e-200, 1.0, 1e200] {
                let along = |d: &[f64]| -> Vec<f64> {
                    x.iter().zip(d).map(|(x, d)| x - length * d).collect()
                };
                let mut retracted = along(&face.slope);
                term.retract(&x, &face, &mut retracted);
                let mut stepped = along(&gradient);
                term.prox(&mut stepped, length);
                for z in retracted.iter().chain(&stepped) {
                    assert!(z.abs() <= 1.0, "{z} at {size:e}, {local:e}, {global:e}");
                }
            }
            let limits = LbfgsSettings::default();
            let tilted = Tilted(gradient.clone());
            // From ±1 a first step of length 1 would reach 0 up to rounding only.
            let start = x.iter().map(|x| 0.75 * x).collect();
            let outcome = minimize(tilted, term, start, &limits, None::<Silent>).unwrap();
            assert!(outcome.x.iter().all(|x| x.abs() <= 1.0), "{outcome:?}");
            assert!(outcome.value.is_finite(), "{outcome:?}");
            if size <= 1.0 {
                assert_eq!(outcome.x, [0.0; 5], "a penalty of 1e100 leaves nothing");
            }
        }
    }
}
