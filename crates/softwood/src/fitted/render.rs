//! The model as text: a header, then the tree with a split or a leaf on every line.

use super::leaf_texts::LeafTexts;
use super::row_texts::{RowTexts, percent};
use super::rule::{short, shorten};
use super::{
    CurvePoints, FitReport, FittedModel, FittedTree, LeafModel, OrctModel, OrrtModel, Rule,
    SoftTree, SpdtModel, SrtModel, Svm1OdtModel,
};
use crate::data::ScalingKind;
use crate::tree::{Child, Shape};
use std::fmt;

/// Columns a line should not exceed.
const WIDTH: usize = 100;

/// Terms shown at a split.
const MOST_TERMS: usize = 5;

/// Characters of a feature's name shown at a split.
const NAME_WIDTH: usize = 24;

/// A few lines about the fit, then the tree. At a split, "yes" is the left child; rows take that
/// branch with a probability above one half where the inequality holds, and it is said how many of the
/// training rows do. The terms of largest effect come first; q(…) is a quantile level. A leaf tells
/// its class, the training rows that reach it, and how many of them are of other classes.
impl fmt::Display for OrctModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.describe(None))
    }
}

/// As for [`OrctModel`]; at a leaf stands its linear model, which predicts the rows that end there
/// together with the curves named below the tree.
impl fmt::Display for SrtModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.describe(None))
    }
}

/// As for [`SrtModel`]; rows are predicted by the mean of all leaves' models, weighted by the
/// probabilities of reaching them.
impl fmt::Display for OrrtModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.describe(None))
    }
}

/// The text of [`OrctModel::describe`](super::FittedModel::describe).
pub(super) fn orct_text(model: &OrctModel, terms: Option<usize>) -> String {
    let (tree, report) = (&model.tree, &model.report);
    let mut text = format!(
        "ORCT of depth {}, gamma {}, {} scaling\nfitted to {}, {}, {} classes\n",
        tree.shape.depth(),
        short(tree.gamma),
        scaling_name(tree),
        count(report.rows, "row"),
        features(tree),
        model.classes.len()
    );
    text += &outcome(report);
    if let Some(share) = report.hard_disagreement {
        text += &match share > 0.0 {
            true => format!(
                "hard routing: another class for {} of the rows\n",
                percent(share)
            ),
            false => "hard routing: the same class for all rows\n".into(),
        };
    }
    let leaves = LeafTexts {
        classes: &model.classes,
        decisions: model.leaf_decisions(),
        weights: &model.leaf_weights,
        rows: RowTexts::of(model.reached(), report),
    };
    let end = |leaf: usize, _| leaves.text(leaf);
    let passing = |split: usize| leaves.rows.passing(split);
    text + &tree_text(tree, terms, &end, &passing)
}

/// As for [`OrctModel`]; rows take the branch "yes" where the inequality holds, for certain.
impl fmt::Display for SpdtModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.describe(None))
    }
}

/// As for [`SpdtModel`]; below the fit stands what is proven of it.
impl fmt::Display for Svm1OdtModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.describe(None))
    }
}

/// The text of [`SpdtModel::describe`](super::FittedModel::describe).
pub(super) fn spdt_text(model: &SpdtModel, terms: Option<usize>) -> String {
    let (tree, report) = (&model.tree, &model.report);
    let mut text = format!(
        "SPDT of depth {}, {} used\nfitted to {}, {}, {} classes\n",
        tree.shape.depth(),
        count(tree.used().len(), "feature"),
        count(report.rows, "row"),
        features(tree),
        model.classes.len()
    );
    let status = report.status.name().replace('_', " ");
    text += &format!("{} held-out errors, {status}\n", percent(report.loss));
    let leaves = LeafTexts {
        classes: &model.classes,
        decisions: model.leaf_classes.clone(),
        weights: &model.leaf_weights,
        rows: RowTexts::of(model.reached(), report),
    };
    let end = |leaf: usize, _| leaves.text(leaf);
    text + &tree_text(tree, terms, &end, &|split| leaves.rows.passing(split))
}

/// The text of [`Svm1OdtModel::describe`](super::FittedModel::describe).
pub(super) fn svm1_odt_text(model: &Svm1OdtModel, terms: Option<usize>) -> String {
    let (tree, report) = (&model.tree, &model.report);
    let mut text = format!(
        "SVM1-ODT of depth {}, {} used\nfitted to {}, {}, {} classes\n",
        tree.shape.depth(),
        count(tree.used().len(), "feature"),
        count(report.rows, "row"),
        features(tree),
        model.classes.len()
    );
    let status = report.status.name().replace('_', " ");
    text += &format!("{} errors, {status}\n", percent(report.loss));
    if let Some(proof) = &report.proof {
        text += &format!(
            "{} wrong or within margin {}, at least {} in any such tree\n",
            short(report.objective),
            short(proof.margin),
            short(proof.bound)
        );
    }
    let leaves = LeafTexts {
        classes: &model.classes,
        decisions: model.leaf_classes.clone(),
        weights: &model.leaf_weights,
        rows: RowTexts::of(model.reached(), report),
    };
    let end = |leaf: usize, _| leaves.text(leaf);
    text + &tree_text(tree, terms, &end, &|split| leaves.rows.passing(split))
}

/// The text of [`SrtModel::describe`](super::FittedModel::describe).
pub(super) fn srt_text(model: &SrtModel, terms: Option<usize>) -> String {
    let (tree, report) = (&model.tree, &model.report);
    let mut text = format!(
        "SRT of depth {}, {} scaling\nfitted to {}, {}\n",
        tree.shape.depth(),
        scaling_name(tree),
        count(report.rows, "row"),
        features(tree),
    );
    text += &outcome(report);
    let rows = RowTexts::of(model.reached(), report);
    text += &tree_of_models(tree, terms, &rows, &|leaf| model.leaf_model(leaf));
    text + &curves_text(&model.curve_points())
}

/// The text of [`OrrtModel::describe`](super::FittedModel::describe).
pub(super) fn orrt_text(model: &OrrtModel, terms: Option<usize>) -> String {
    let (tree, report) = (&model.tree, &model.report);
    let mut text = format!(
        "ORRT of depth {}, gamma {}, {} scaling\nfitted to {}, {}\n",
        tree.shape.depth(),
        short(tree.gamma),
        scaling_name(tree),
        count(report.rows, "row"),
        count(tree.features(), "feature"),
    );
    text += &outcome(report);
    let rows = RowTexts::of(model.reached(), report);
    text + &tree_of_models(tree, terms, &rows, &|leaf| model.leaf_model(leaf))
}

/// The tree with a linear model at every leaf, and the rows that end there.
fn tree_of_models(
    tree: &SoftTree,
    terms: Option<usize>,
    rows: &RowTexts<'_>,
    leaf_model: &dyn Fn(usize) -> LeafModel,
) -> String {
    let end = |leaf: usize, room: usize| {
        let ending = rows.ending(leaf);
        let room = room.saturating_sub(ending.chars().count());
        leaf_model(leaf).sum(MOST_TERMS, NAME_WIDTH, room) + &ending
    };
    tree_text(tree, terms, &end, &|split| rows.passing(split))
}

fn scaling_name(tree: &SoftTree) -> &'static str {
    match tree.scaling.kind {
        ScalingKind::MinMax => "minmax",
        ScalingKind::Quantile => "quantile",
    }
}

fn outcome(report: &FitReport) -> String {
    format!(
        "objective {}, {}, best of {}\n",
        short(report.objective),
        report.status.name().replace('_', " "),
        count(report.start_objectives.len(), "start"),
    )
}

/// The tree; `end` gives the text of a leaf, which should not be wider than a number of columns, and
/// `passing` what is said behind a split.
fn tree_text(
    tree: &impl FittedTree,
    terms: Option<usize>,
    end: &dyn Fn(usize, usize) -> String,
    passing: &dyn Fn(usize) -> String,
) -> String {
    let root = match tree.shape().splits() {
        [] => Child::Leaf(0),
        _ => Child::Split(0),
    };
    let lines = Lines {
        shape: tree.shape(),
        rule: &|node| tree.rule(node).expect("a split"),
        terms,
        end,
        passing,
    };
    format!("\n{}", lines.of(root, "", ""))
}

/// How the nodes of a tree are written.
struct Lines<'a> {
    shape: &'a Shape,
    rule: &'a dyn Fn(usize) -> Rule,
    /// Terms of each split on lines of their own, so many at most; none if None.
    terms: Option<usize>,
    end: &'a dyn Fn(usize, usize) -> String,
    passing: &'a dyn Fn(usize) -> String,
}

impl Lines<'_> {
    /// A node behind `lead`, its children behind `indent`.
    fn of(&self, node: Child, lead: &str, indent: &str) -> String {
        let room = WIDTH.saturating_sub(lead.chars().count());
        let split = match node {
            Child::Leaf(leaf) => return format!("{lead}{}\n", (self.end)(leaf, room)),
            Child::Split(split) => split,
        };
        let node = self.shape.splits()[split];
        let rule = (self.rule)(node);
        let (number, passing) = (format!("[{node}] "), (self.passing)(split));
        let room = room.saturating_sub((number.clone() + &passing).chars().count() + 1);
        let mut text = match rule.terms.is_empty() {
            true => format!("{lead}{number}{rule}{passing}\n"),
            false => {
                let shown = rule.inequality(MOST_TERMS, NAME_WIDTH, room);
                format!("{lead}{number}{shown}?{passing}\n")
            }
        };
        for line in self.terms.map_or(Vec::new(), |most| rule.table(most)) {
            text += &format!("{indent}│      {line}\n");
        }
        let (yes, no) = (format!("{indent}├─ yes: "), format!("{indent}└─ no:  "));
        let [left, right] = self.shape.children()[split];
        text += &self.of(left, &yes, &format!("{indent}│  "));
        text + &self.of(right, &no, &format!("{indent}   "))
    }
}

/// The names of the curves that all leaves share, as many as fit a line.
fn curves_text(curves: &[CurvePoints]) -> String {
    if curves.is_empty() {
        return String::new();
    }
    let line = |shown: usize| {
        let names = curves[..shown].iter();
        let mut names: Vec<String> = names.map(|c| shorten(&c.name, NAME_WIDTH)).collect();
        if shown < curves.len() {
            names.push(format!("{} more", curves.len() - shown));
        }
        format!("plus, in every leaf, curves of {}", names.join(", "))
    };
    let mut lines = (1..=curves.len()).rev().map(line);
    let fitting = lines.find(|line| line.chars().count() <= WIDTH);
    format!("\n{}\n", fitting.unwrap_or_else(|| line(1)))
}

/// "3 features", or "2 columns as 7 features".
fn features(tree: &impl FittedTree) -> String {
    let features = count(tree.features(), "feature");
    match tree.encoding() {
        Some(table) => format!("{} as {features}", count(table.columns.len(), "column")),
        None => features,
    }
}

/// "1 row", "2 rows".
fn count(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fitted::Decision;

    /// The first JSON block of the format's description.
    fn documented_model() -> OrctModel {
        let page = include_str!("../../MODEL_FORMAT.md");
        let block = page
            .split("```json")
            .nth(1)
            .and_then(|rest| rest.split("```").next());
        OrctModel::from_json(block.expect("the page holds an example")).expect("it is valid")
    }

    #[test]
    fn a_small_tree_reads_well() {
        let expected = "\
ORCT of depth 2, gamma 8, quantile scaling
fitted to 300 rows, 3 features, 3 classes
objective 0.2, converged, best of 2 starts

[0] 0.002222·glucose + 0.1667·q(bmi) > 0.3611?  (55 % of 300 rows)
├─ yes: [1] -0.3333·q(bmi) + 0.0005556·glucose > -0.09722?  (45 % of 166 rows)
│  ├─ yes: high: 75 rows, 20 % errors (11 % middle, 9.3 % low)
│  └─ no:  middle: 91 rows, 25 % errors (15 % low, 9.9 % high)
└─ no:  [2] 0.25·q(bmi) - 0.001111·glucose > 0.006944?  (55 % of 134 rows)
   ├─ yes: low: 74 rows, 14 % errors (9.5 % middle, 4.1 % high)
   └─ no:  middle: 60 rows, 30 % errors (20 % low, 10 % high)
";
        assert_eq!(documented_model().to_string(), expected);
    }

    #[test]
    fn a_tree_of_version_1_has_labels_alone() {
        let mut model = documented_model();
        (model.leaf_weights, model.frequencies) = (Vec::new(), Vec::new());
        model.decision = Decision::LeafLabels;
        let text = model.to_string();
        assert!(text.contains("> 0.3611?\n├─ yes: [1]"), "{text}");
        assert!(
            text.ends_with("   ├─ yes: low\n   └─ no:  middle\n"),
            "{text}"
        );
    }

    #[test]
    fn leaves_tell_their_rows_and_splits_how_many_go_left() {
        let mut model = documented_model();
        model.decision = Decision::MostProbable;
        let rows = [
            [148.4, 1.2, 0.4],
            [0.0; 3],
            [0.0, 25.0, 25.5],
            [0.0, 0.0, 99.5],
        ];
        model.leaf_weights = rows.concat();
        let lines = model.to_string();
        let expected = "
[0] 0.002222·glucose + 0.1667·q(bmi) > 0.3611?  (50 % of 300 rows)
├─ yes: [1] -0.3333·q(bmi) + 0.0005556·glucose > -0.09722?  (100 % of 150 rows)
│  ├─ yes: high: 150 rows, 1.1 % errors (0.8 % low, 0.3 % middle)
│  └─ no:  high: no rows
└─ no:  [2] 0.25·q(bmi) - 0.001111·glucose > 0.006944?  (34 % of 150 rows)
   ├─ yes: middle: 51 rows, 50 % errors (50 % low)
   └─ no:  middle: 100 rows, 0 % errors
";
        assert!(lines.ends_with(expected), "{lines}");
        model.report.rows = 10; // then they are weights
        assert!(model.to_string().contains("high: no weight"));
    }

    #[test]
    fn a_tree_without_splits_is_one_leaf() {
        let mut model = documented_model();
        model.tree.shape = Shape::of_splits(Vec::new()).unwrap();
        model.tree.coefficients.clear();
        model.tree.intercepts.clear();
        (model.leaf_classes, model.leaf_weights) = (vec![1], vec![100.0, 150.0, 50.0]);
        let text = model.to_string();
        assert!(
            text.ends_with("\n\nlow: 300 rows, 50 % errors (33 % high, 17 % middle)\n"),
            "{text}"
        );
        assert!(text.starts_with("ORCT of depth 0"));
    }

    #[test]
    fn terms_have_lines_of_their_own_on_request() {
        let text = documented_model().describe(Some(1));
        assert!(text.contains("> 0.3611?  (55 % of 300 rows)\n│      + 0.002222·glucose  log odds +2.667 over its range\n│      … 1 more\n├─ yes: [1]"), "{text}");
    }

    #[test]
    fn a_split_on_nothing_says_where_rows_go() {
        let mut model = documented_model();
        model.tree.coefficients[3..6].fill(0.0);
        assert!(
            model
                .to_string()
                .contains("├─ yes: [1] left for every row  (45 % of 166 rows)\n│  ├─ yes: high: ")
        );
    }

    #[test]
    fn lines_keep_to_a_hundred_columns() {
        let mut model = documented_model();
        let (tree, p) = (&mut model.tree, 40);
        tree.scaling.features = vec![tree.scaling.features[0].clone(); p];
        tree.feature_names = (0..p)
            .map(|j| format!("a measurement with a rather long name, number {j}"))
            .collect();
        tree.coefficients = (0..3 * p).map(|i| (i as f64).sin()).collect();
        let text = model.to_string();
        assert!(
            text.lines().all(|line| line.chars().count() <= WIDTH),
            "{text}"
        );
        assert!(text.contains("·a measuremen…, number 11 + "), "{text}");
        assert!(text.contains(" more > "), "{text}");
    }
}
