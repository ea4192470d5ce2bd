//! Groups of rows of a classification: the cells they make of the rows, and their bounds on them.

use super::row_groups::{GroupRows, GroupTarget, RowBound, RowGroup, Training, check_groups};
use crate::data::{Classes, ClassificationRows, Labels, Rows, Scaling, scaled};
use crate::error::InputError;
use crate::fitted::{ConstraintKind, ConstraintReport};
use crate::objective::{CellRows, Limit, RateBound, Share, Wanted};

/// What the rows of a cell have in common.
#[derive(Clone, Debug)]
pub(super) struct Cell {
    class: usize,
    /// Positions of the groups they belong to, of those made of training rows.
    groups: Vec<usize>,
}

/// Rows of their own that groups bring along, behind a trait as views of arrays are of one lifetime for good.
pub(super) trait GivenRows: Sync {
    fn given(&self) -> Vec<GivenGroup<'_>>;
}

/// A group's position, and its rows with their classes and weights.
pub(super) type GivenGroup<'a> = (usize, Rows<'a>, &'a [u32], Option<&'a [f64]>);

impl GivenRows for &[RowGroup<'_>] {
    fn given(&self) -> Vec<GivenGroup<'_>> {
        let mut given = Vec::new();
        for (place, group) in self.iter().enumerate() {
            if let GroupRows::Given { x, y, weights } = &group.rows {
                given.push((place, x.reborrow(), classes_of(y), *weights));
            }
        }
        given
    }
}

/// A bound with the position of its group and of the one it is compared with, if not with all training rows.
#[derive(Clone, Copy, Debug)]
struct PlacedBound {
    group: usize,
    other: Option<usize>,
    bound: RowBound,
}

/// The cells of training rows as they were given, classes parted by groups, and the bounds on them.
pub(super) struct RowCells<'a> {
    bounds: Vec<PlacedBound>,
    asked: Vec<ConstraintReport>,
    given: &'a (dyn GivenRows + 'a),
    /// K.
    classes: usize,
    cells: Vec<Cell>,
    /// The cell of each row.
    pub codes: Vec<u32>,
}

/// Cells of rows, all or some of those given, and the bounds on them.
#[derive(Clone, Copy)]
pub(super) struct Grouping<'a> {
    bounds: &'a [PlacedBound],
    asked: &'a [ConstraintReport],
    given: &'a (dyn GivenRows + 'a),
    /// K.
    classes: usize,
    cells: &'a [Cell],
    /// The cell of each row.
    pub codes: &'a [u32],
}

impl<'a> RowCells<'a> {
    /// Checks the groups against training rows that are in order; None if there are none.
    pub fn checked(
        rows: &Rows<'_>,
        labels: &Labels,
        weights: Option<&[f64]>,
        groups: &'a &[RowGroup<'_>],
    ) -> Result<Option<Self>, InputError> {
        let classes = labels.classes.len();
        let training = Training {
            rows: rows.len(),
            features: rows.features(),
            weights,
            classes: Some(classes),
        };
        let compared_with = check_groups(groups, &training)?;
        if groups.is_empty() {
            return Ok(None);
        }
        check_classes(groups, &compared_with, labels, weights)?;
        let placed = groups.iter().zip(compared_with).enumerate();
        let placed = placed.flat_map(|(group, (asked, other))| {
            let bounds = asked.bounds.iter();
            bounds.map(move |bound| PlacedBound {
                group,
                other,
                bound: *bound,
            })
        });
        let of_class = |class: usize| Cell {
            class,
            groups: Vec::new(),
        };
        let mut cells = Self {
            bounds: placed.collect(),
            asked: groups.iter().flat_map(RowGroup::asked).collect(),
            given: groups,
            classes,
            cells: (0..classes).map(of_class).collect(),
            codes: labels.codes.clone(),
        };
        for (place, group) in groups.iter().enumerate() {
            if let GroupRows::Training(members) = &group.rows {
                cells.part(place, members);
            }
        }
        Ok(Some(cells))
    }

    /// Parts every cell in those of its rows that are members of a group and those that are not.
    fn part(&mut self, group: usize, members: &[usize]) {
        let mut inside = vec![0; self.codes.len()];
        members.iter().for_each(|row| inside[*row] = 1);
        let parted = |row: usize| 2 * self.codes[row] as usize + inside[row];
        let mut place = vec![None; 2 * self.cells.len()];
        (0..inside.len()).for_each(|row| place[parted(row)] = Some(0));
        let mut cells = Vec::new();
        for (part, place) in place.iter_mut().enumerate() {
            if let Some(place) = place {
                *place = cells.len() as u32;
                let mut cell = self.cells[part / 2].clone();
                cell.groups.extend((part % 2 == 1).then_some(group));
                cells.push(cell);
            }
        }
        let code = |row: usize| place[parted(row)].expect("a part with this row");
        self.codes = (0..inside.len()).map(code).collect();
        self.cells = cells;
    }

    /// Class of a cell of training rows.
    pub fn class(&self, cell: u32) -> u32 {
        self.cells[cell as usize].class as u32
    }

    /// The cells of the rows as they were given.
    pub fn grouping(&self) -> Grouping<'_> {
        Grouping {
            bounds: &self.bounds,
            asked: &self.asked,
            given: self.given,
            classes: self.classes,
            cells: &self.cells,
            codes: &self.codes,
        }
    }
}

/// Whether there are rows of every class whose recall is bounded.
fn check_classes(
    groups: &[RowGroup<'_>],
    compared_with: &[Option<usize>],
    labels: &Labels,
    weights: Option<&[f64]>,
) -> Result<(), InputError> {
    let weighs = |row: usize, weights: Option<&[f64]>| weights.is_none_or(|w| w[row] > 0.0);
    let has = |group: &RowGroup<'_>, class: u32| match &group.rows {
        GroupRows::Training(rows) => {
            let mut own = rows.iter().filter(|row| labels.codes[**row] == class);
            own.any(|row| weighs(*row, weights))
        }
        GroupRows::Given { y, weights, .. } => {
            let mut own = classes_of(y).iter().enumerate();
            own.any(|(row, code)| *code == class && weighs(row, *weights))
        }
    };
    for (group, other) in groups.iter().zip(compared_with) {
        for bound in group.bounds.iter().filter(|b| b.kind.counts_class()) {
            let class = bound.class.expect("checked before");
            let other = other.filter(|_| bound.kind.is_gap());
            let both = [Some(group), other.map(|other| &groups[other])];
            let mut both = both.into_iter().flatten();
            if let Some(empty) = both.find(|group| !has(group, class as u32)) {
                let class = labels.classes.text(class);
                return Err(empty.refuse(format!(
                    "has no row of class {class} of positive weight, whose recall is bounded"
                )));
            }
        }
    }
    Ok(())
}

/// Classes of rows of their own.
fn classes_of<'a>(y: &GroupTarget<'a>) -> &'a [u32] {
    match y {
        GroupTarget::Classes(codes) => codes,
        GroupTarget::Response(_) => unreachable!("checked before the fit"),
    }
}

impl<'a> Grouping<'a> {
    /// The same for other rows, whose cells these are.
    pub fn with_codes<'b>(self, codes: &'b [u32]) -> Grouping<'b>
    where
        'a: 'b,
    {
        Grouping { codes, ..self }
    }

    /// The bounds as a report begins.
    pub fn asked(&self) -> &'a [ConstraintReport] {
        self.asked
    }

    /// The training rows and the groups' own rows in cells, and the bounds on them; without those on rows that
    /// this part of the training rows has none of.
    pub fn bounds<'d>(
        &self,
        data: &ClassificationRows<'d>,
        scaling: &'d Scaling,
    ) -> (CellRows<'d>, Vec<RateBound>)
    where
        'a: 'd,
    {
        let (classes, mut cells) = (self.classes, self.cells.to_vec());
        let mut sets = vec![ClassificationRows {
            rows: data.rows.clone(),
            target: Classes::new(self.codes, cells.len()),
        }];
        let given: &'d dyn GivenRows = self.given;
        for (group, x, codes, weights) in given.given() {
            cells.extend((0..classes).map(|class| Cell {
                class,
                groups: vec![group],
            }));
            sets.push(ClassificationRows::new(
                scaled(x, scaling),
                Classes::new(codes, classes),
                weights,
                data.rows.parallelism,
                data.rows.stop.clone(),
            ));
        }
        let of_cells = cells.iter().map(|cell| cell.class).collect();
        let rows = CellRows::new(sets, of_cells, classes);
        let bounds = self.bounds.iter();
        let bounds = bounds.filter_map(|bound| rate_bound(bound, &cells, &rows));
        let bounds = bounds.collect();
        (rows, bounds)
    }
}

/// A bound on cells; None if they have no weight.
fn rate_bound(
    PlacedBound {
        group,
        other,
        bound,
    }: &PlacedBound,
    cells: &[Cell],
    rows: &CellRows<'_>,
) -> Option<RateBound> {
    use ConstraintKind::{GroupAccuracy, GroupAccuracyGap};
    let wanted = match bound.kind {
        GroupAccuracy | GroupAccuracyGap => Wanted::Own,
        _ => Wanted::Class(bound.class.expect("checked before the fit")),
    };
    let counts =
        |cell: &usize| !bound.kind.counts_class() || wanted == Wanted::Class(cells[*cell].class);
    let share = |group: Option<usize>| {
        let inside = |cell: &usize| match group {
            Some(group) => cells[*cell].groups.contains(&group),
            None => rows.training().contains(cell),
        };
        let own = (0..cells.len()).filter(inside).filter(counts);
        Share::new(own.collect(), wanted, rows)
    };
    Some(RateBound {
        share: share(Some(*group))?,
        compared_with: match bound.kind.is_gap() {
            true => Some(share(*other)?),
            false => None,
        },
        limit: match (bound.kind.is_gap(), bound.kind.is_from_below()) {
            (true, _) => Limit::Within(bound.bound),
            (_, true) => Limit::AtLeast(bound.bound),
            _ => Limit::AtMost(bound.bound),
        },
        of_decisions: true,
        shift: 0.0,
        slack: 0.0,
    })
}
