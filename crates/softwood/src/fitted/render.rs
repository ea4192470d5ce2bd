//! The model as text: a header, then the tree with a split or a leaf on every line.

use super::rule::{short, shorten};
use super::{CurvePoints, FitReport, OrctModel, SoftTree, SrtModel};
use crate::data::ScalingKind;
use crate::tree::label_regions::LabelRegions;
use std::fmt;

/// Columns a line should not exceed.
const WIDTH: usize = 100;

/// Terms shown at a split.
const MOST_TERMS: usize = 5;

/// Characters of a feature's name shown at a split.
const NAME_WIDTH: usize = 24;

/// A few lines about the fit, then the tree. At a split, "yes" is the left child; rows take that
/// branch with a probability above one half where the inequality holds. The terms of largest effect
/// come first; q(…) is a quantile level. A subtree whose leaves have one class is shown as that class.
impl fmt::Display for OrctModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (tree, report) = (&self.tree, &self.report);
        writeln!(
            f,
            "ORCT of depth {}, gamma {}, {} scaling",
            tree.shape.depth(),
            short(tree.gamma),
            scaling_name(tree),
        )?;
        writeln!(
            f,
            "fitted to {}, {}, {} classes",
            count(report.rows, "row"),
            count(tree.features(), "feature"),
            self.classes.len()
        )?;
        write_outcome(f, report)?;
        let ends = LabelRegions::of(&tree.shape, &self.leaf_classes).ends;
        let end = |node: usize, _| {
            let end = ends.iter().find(|(end, _)| *end == node);
            end.map(|(_, label)| self.classes.text(*label as usize))
        };
        write_node(f, tree, 0, "", "", &end)
    }
}

/// As for [`OrctModel`]; at a leaf stands its linear model, which predicts the rows that end there
/// together with the curves named below the tree.
impl fmt::Display for SrtModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (tree, report) = (&self.tree, &self.report);
        writeln!(
            f,
            "SRT of depth {}, {} scaling",
            tree.shape.depth(),
            scaling_name(tree),
        )?;
        writeln!(
            f,
            "fitted to {}, {}",
            count(report.rows, "row"),
            count(tree.features(), "feature"),
        )?;
        write_outcome(f, report)?;
        let end = |node: usize, room| {
            let leaf = tree.shape.leaves().iter().position(|leaf| *leaf == node)?;
            let model = self.leaf_model(leaf);
            Some(model.sum(MOST_TERMS, NAME_WIDTH, room))
        };
        write_node(f, tree, 0, "", "", &end)?;
        write_curves(f, &self.curve_points())
    }
}

fn scaling_name(tree: &SoftTree) -> &'static str {
    match tree.scaling.kind {
        ScalingKind::MinMax => "minmax",
        ScalingKind::Quantile => "quantile",
    }
}

fn write_outcome(f: &mut fmt::Formatter<'_>, report: &FitReport) -> fmt::Result {
    writeln!(
        f,
        "objective {}, {}, best of {}",
        short(report.objective),
        report.status.name().replace('_', " "),
        count(report.start_objectives.len(), "start"),
    )?;
    writeln!(f)
}

/// Node `node` behind `lead`, its children behind `indent`; `end` gives the text of a node where the
/// tree ends, which should not be wider than a number of columns.
fn write_node(
    f: &mut fmt::Formatter<'_>,
    tree: &SoftTree,
    node: usize,
    lead: &str,
    indent: &str,
    end: &impl Fn(usize, usize) -> Option<String>,
) -> fmt::Result {
    if let Some(text) = end(node, WIDTH.saturating_sub(lead.chars().count())) {
        return writeln!(f, "{lead}{text}");
    }
    let rule = tree.rule(node).expect("what is no end splits");
    if rule.terms.is_empty() {
        writeln!(f, "{lead}[{node}] {rule}")?;
    } else {
        let lead = format!("{lead}[{node}] ");
        let room = WIDTH.saturating_sub(lead.chars().count() + 1);
        writeln!(
            f,
            "{lead}{}?",
            rule.inequality(MOST_TERMS, NAME_WIDTH, room)
        )?;
    }
    let (yes, no) = (format!("{indent}├─ yes: "), format!("{indent}└─ no:  "));
    let (left, right) = (2 * node + 1, 2 * node + 2);
    write_node(f, tree, left, &yes, &format!("{indent}│  "), end)?;
    write_node(f, tree, right, &no, &format!("{indent}   "), end)
}

/// The names of the curves that all leaves share, as many as fit a line.
fn write_curves(f: &mut fmt::Formatter<'_>, curves: &[CurvePoints]) -> fmt::Result {
    if curves.is_empty() {
        return Ok(());
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
    writeln!(f, "\n{}", fitting.unwrap_or_else(|| line(1)))
}

/// "1 row", "2 rows".
fn count(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fitted::FittedModel;

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

[0] 0.002222·glucose + 0.1667·q(bmi) > 0.3611?
├─ yes: [1] -0.3333·q(bmi) + 0.0005556·glucose > -0.09722?
│  ├─ yes: high
│  └─ no:  middle
└─ no:  [2] 0.25·q(bmi) - 0.001111·glucose > 0.006944?
   ├─ yes: low
   └─ no:  middle
";
        assert_eq!(documented_model().to_string(), expected);
    }

    #[test]
    fn a_subtree_of_one_class_is_shown_as_that_class() {
        let mut model = documented_model();
        model.leaf_classes = vec![1, 1, 0, 1];
        let text = model.to_string();
        let class = |k: u32| model.classes.text(k as usize);
        assert!(text.contains(&format!("├─ yes: {}\n└─ no:  [2] ", class(1))));
        model.leaf_classes = vec![2; 4];
        assert!(model.to_string().ends_with(&format!("\n\n{}\n", class(2))));
    }

    #[test]
    fn a_split_on_nothing_says_where_rows_go() {
        let mut model = documented_model();
        model.tree.coefficients[3..6].fill(0.0);
        assert!(
            model
                .to_string()
                .contains("├─ yes: [1] left for every row\n│  ├─ yes: high\n")
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
        assert!(text.contains("·a measuremen…, number 33 + "), "{text}");
        assert!(text.contains(" more > "), "{text}");
    }
}
