//! The hard oblique tree with a proven bound: settings → points → starts → search → hyperplanes → model.

use super::check_orct_data::{check_labels, classes_present};
use super::leaf_weights::in_users_unit;
use super::svm1_odt_candidates::closing;
use super::svm1_odt_choice::choose;
use super::svm1_odt_model::{Searched, to_model};
use super::svm1_odt_rows::{SearchRows, points};
use super::svm1_odt_selected::select_and_search;
use super::svm1_odt_settings::{Svm1OdtSettings, Svm1OdtStart};
use super::svm1_odt_starts::{kept_tree, start_trees};
use super::svm1_odt_task::{Method, Task};
use super::validate::{check_weights, check_x_and_names};
use crate::control::Control;
use crate::data::finite::check_finite;
use crate::data::{CanonicalRows, Labels, Rows};
use crate::error::{FitError, InputError};
use crate::exact::{Paths, Problem, SolveSettings};
use crate::fitted::Svm1OdtModel;
use crate::stop::Stop;
use crate::threads::in_pool;
use std::time::{Duration, Instant};

/// Random trees besides other starts, and where there are no others.
const RANDOM_BESIDES: usize = 2;
/// Values that are copied as scaled numbers at most: 1 GiB of them.
const MOST_VALUES: usize = 1 << 27;

/// Fits a tree of hard oblique splits that gets least weight of the training rows wrong (SVM1-ODT), and
/// proves how far from the least it can be.
///
/// A row counts as right if its leaf has its class and |g_b − h_b·x| ≥ ε at every split on its way,
/// features scaled to \[0, 1\] and hyperplanes such that the largest |g_b − h_b·x| of all rows is 1
/// (paper 3, model (1) with M = 1 and no slack). The search begins with the starts, improves one split at
/// a time, and raises a lower bound by depth-first search over the leaves of nested sets of rows and of
/// disjoint groups, until bound and tree meet or a limit ends it. Then, the routing of what is right being
/// held, hyperplanes take a soft margin as those of support vector machines. The tree is never worse than its starts. Same
/// seed, same bits, on any number of threads, unless the time limit ends it.
pub fn fit_svm1_odt<'a>(
    rows: impl Into<Rows<'a>>,
    labels: &Labels,
    weights: Option<&[f64]>,
    settings: &Svm1OdtSettings,
    control: &Control,
) -> Result<Svm1OdtModel, FitError> {
    let method = Method {
        search: &|task| Ok(task.search()),
        program: None,
    };
    search_with(rows.into(), labels, weights, (settings, control), method)
}

/// Fits by any method.
pub(super) fn search_with(
    rows: Rows<'_>,
    labels: &Labels,
    weights: Option<&[f64]>,
    (settings, control): (&Svm1OdtSettings, &Control),
    method: Method<'_>,
) -> Result<Svm1OdtModel, FitError> {
    let began = Instant::now();
    settings.validate()?;
    check_data(&rows, labels, weights, settings)?;
    let stop = settings.run.stop(control);
    in_pool(settings.run.n_threads, || {
        check_finite(&rows)?;
        let canonical = CanonicalRows::of(rows.reborrow(), &labels.codes, weights);
        let labels = Labels {
            classes: labels.classes.clone(),
            codes: canonical.target.to_vec(),
        };
        let n = labels.codes.len();
        let ones = vec![1.0; n];
        let weights = canonical.weights().unwrap_or(&ones);
        let mut model = fit_rows(
            &SearchRows {
                rows: canonical.rows(),
                labels: &labels,
                weights,
            },
            settings,
            (&stop, control),
            method,
        )?;
        in_users_unit(&mut model.leaf_weights, canonical.weight_unit);
        model.report.rows = rows.len();
        model.report.seconds = began.elapsed().as_secs_f64();
        Ok(model)
    })?
}

/// Checks all but the values of the rows.
fn check_data(
    rows: &Rows<'_>,
    labels: &Labels,
    weights: Option<&[f64]>,
    settings: &Svm1OdtSettings,
) -> Result<(), InputError> {
    check_x_and_names(rows, settings.run.columns())?;
    check_labels(rows.len(), labels)?;
    check_weights(rows.len(), weights)?;
    settings.check_for(rows.features())?;
    let present = classes_present(labels, weights);
    let got = present.iter().filter(|p| **p).count();
    if got < 2 {
        return Err(InputError::TooFewClasses { got });
    }
    let values = rows.len().saturating_mul(rows.features() + 1);
    if values > MOST_VALUES {
        return Err(InputError::Setting {
            name: "X",
            expected: "of at most 2^27 values, which are held as dense numbers",
            got: format!("shape ({}, {})", rows.len(), rows.features()),
        });
    }
    Ok(())
}

/// How far the search goes; a start that is kept is not improved.
fn solve_settings(
    settings: &Svm1OdtSettings,
    is_kept: bool,
    random_starts: usize,
) -> SolveSettings {
    SolveSettings {
        seed: settings.run.random_state,
        restarts: settings.restarts,
        random_starts,
        max_nodes: settings.max_nodes,
        improve_limit: match is_kept {
            true => Some(Duration::ZERO),
            false => settings.improve_limit(),
        },
    }
}

fn fit_rows(
    data: &SearchRows<'_>,
    settings: &Svm1OdtSettings,
    (stop, control): (&Stop, &Control),
    method: Method<'_>,
) -> Result<Svm1OdtModel, FitError> {
    let random_starts = match settings.start {
        Svm1OdtStart::Random => settings.n_starts,
        _ => RANDOM_BESIDES,
    };
    control.progress.announce(random_starts + 2);
    control.progress.begin_phase(random_starts + 2);
    let (scaling, points) = points(data, stop)?;
    let scaled = (&points, &scaling);
    let choice = choose(data, scaled, settings, (stop, control), method)?;
    let chosen = choice.candidate;
    let paths = Paths::new(settings.depth);
    let problem = Problem {
        points: &points,
        paths: &paths,
        margin: chosen.epsilon,
    };
    let of_orct = (settings, choice.orct.as_ref());
    let kept = kept_tree(chosen.tree, data, scaled, of_orct, control)?;
    let mut starts = match &kept {
        Some(tree) => vec![tree.clone()],
        None => start_trees(data, scaled, settings, control)?,
    };
    let mut selected = None;
    if let (Some(selection), None) = (&settings.selection, &kept) {
        let (tree, report) = select_and_search(&problem, starts, (settings, selection), stop);
        (starts, selected) = (vec![tree], Some(report));
    }
    let task = Task {
        problem: &problem,
        starts,
        candidate: &chosen,
        settings: solve_settings(settings, kept.is_some(), random_starts),
        stop,
        control,
    };
    let mut searched = Searched {
        problem: &problem,
        scaling: &scaling,
        closing: Some(closing(&chosen)),
        found: (method.search)(task)?,
        split_penalty: chosen.split_penalty,
    };
    if let Some(tree) = kept {
        searched.closing = None;
        searched.found = searched.found.keeping(tree, &problem);
    }
    let mut model = to_model(searched, data, settings.run.columns(), stop);
    model.report.cross_validation = choice.table;
    model.report.selection = selected;
    control.progress.complete();
    Ok(model)
}
