"""Groups of rows on which a tree has to keep bounds."""

from __future__ import annotations

import reprlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core, _inputs
from ._features import further_features

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

# For each field that bounds a response, or a share of all classes, what the core calls it …
OF_RESPONSE = {
    "max_mse": "group_error",
    "max_mse_gap": "group_error_gap",
    "max_mean_gap": "group_mean_gap",
}
OF_ALL_CLASSES = {"min_accuracy": "group_accuracy", "max_accuracy_gap": "group_accuracy_gap"}
# … and the same for those with a bound for every class named.
OF_EACH_CLASS = {
    "min_recall": "group_recall",
    "max_recall_gap": "group_recall_gap",
    "min_selection_rate": "group_least_selection",
    "max_selection_rate": "group_most_selection",
    "max_selection_gap": "group_selection_gap",
}
# These need no labels of rows of their own.
WITHOUT_LABELS = {"min_selection_rate", "max_selection_rate", "max_selection_gap"}

Bounds = list[tuple[str, "int | None", float]]
Fields = tuple[str, "list[int] | None", Any, "str | None", Bounds]


@dataclass(frozen=True, kw_only=True, eq=False)
class RowGroup:
    """Rows with bounds on what a tree predicts for them.

    `fit_orct` and `fit_orct_cv` keep those on classes, `fit_orrt` those on a response.

    Attributes
    ----------
    rows : array_like, optional
        Which training rows: a mask with a bool for each, or positions. Groups may overlap.
    where : object, optional
        Instead of `rows`: the training rows that have this value in the fit's
        `sensitive_features`.
    X, y, sample_weight : array_like, optional
        Instead of `rows`: rows of their own, with labels or responses and, if wanted, weights.
        They count for the bounds alone. Bounds on selection rates need no labels.
    name : str, optional
        What the report calls the group; by default `where`, or "group 0", "group 1", ….
    compared_with : str, optional
        Name of the group that gaps are measured from, instead of all training rows. A group that
        others are compared with need have no bound itself.
    min_recall : mapping, optional
        For some labels, the share of the group's rows with this label that must be predicted as
        such, at least.
    max_recall_gap : mapping, optional
        For some labels, how far this share may be from that of all training rows.
    min_selection_rate, max_selection_rate : mapping, optional
        For some labels, the share of the group that must, or may, be predicted as this label.
    max_selection_gap : mapping, optional
        For some labels, how far this share may be from that of all training rows.
    min_accuracy : float, optional
        The share of the group whose label must be predicted, at least.
    max_accuracy_gap : float, optional
        How far this share may be from that of all training rows.
    max_mse : float, optional
        The mean squared error of the group is to be at most this, in squared units of y.
    max_mse_gap : float, optional
        It is to differ from that of all training rows by at most this.
    max_mean_gap : float, optional
        The mean prediction of the group is to differ from that of all training rows by at most
        this, in units of y.

    Examples
    --------
    >>> import numpy as np, softwood
    >>> rng = np.random.default_rng(0)
    >>> sex = rng.choice(["f", "m"], 600)
    >>> X = np.column_stack([rng.normal(size=600), rng.normal(size=600) + (sex == "m")])
    >>> y = X.sum(axis=1) + rng.normal(size=600) > 1
    >>> group = softwood.RowGroup(where="f", compared_with="m", max_selection_gap={True: 0.05})
    >>> model = softwood.fit_orct(
    ...     X, y, depth=1, n_starts=4, gamma=512, scaling="minmax", local_penalty=0,
    ...     row_groups=[group, softwood.RowGroup(where="m")], sensitive_features=sex,
    ... )
    >>> selected = model.predict(X)
    >>> bool(abs(selected[sex == "f"].mean() - selected[sex == "m"].mean()) < 0.051)
    True
    """

    rows: ArrayLike | None = None
    where: Any = None
    X: Any = None
    y: Any = None
    sample_weight: ArrayLike | None = None
    name: str | None = None
    compared_with: str | None = None
    min_recall: Mapping[Any, float] | None = None
    max_recall_gap: Mapping[Any, float] | None = None
    min_selection_rate: Mapping[Any, float] | None = None
    max_selection_rate: Mapping[Any, float] | None = None
    max_selection_gap: Mapping[Any, float] | None = None
    min_accuracy: float | None = None
    max_accuracy_gap: float | None = None
    max_mse: float | None = None
    max_mse_gap: float | None = None
    max_mean_gap: float | None = None


@dataclass(frozen=True)
class _Training:
    """What groups are read with: the number of rows, the values they may name rows by, labels."""

    count: int
    sensitive_features: NDArray[Any] | None
    classes: list[Any] | None
    settings: dict[str, Any]


def take_groups(
    settings: dict[str, Any], rows: Any, classes: list[Any] | None = None
) -> list[Fields]:
    """Take groups out of a call's arguments, as the core wants them; without classes a response."""
    groups, features = settings.pop("row_groups"), settings.pop("sensitive_features")
    if features is not None:
        features = np.asarray(features)
        if features.shape != (len(rows),):
            raise ValueError(
                f"sensitive_features must have shape ({len(rows)},), a value for each row, "
                f"got {features.shape}"
            )
    if groups is None:
        return []
    if isinstance(groups, RowGroup):
        groups = [groups]
    if not isinstance(groups, Iterable):
        raise TypeError(f"row_groups must be a sequence of RowGroup, got {type(groups).__name__}")
    training = _Training(len(rows), features, classes, settings)
    return [_fields(place, group, training) for place, group in enumerate(groups)]


def _fields(place: int, group: Any, training: _Training) -> Fields:
    if not isinstance(group, RowGroup):
        raise TypeError(f"row_groups[{place}] must be a RowGroup, got {type(group).__name__}")
    name = group.name
    if name is None:
        name = f"group {place}" if group.where is None else str(group.where)
    if not isinstance(name, str):
        raise TypeError(f"name of a RowGroup must be a string, got {reprlib.repr(name)}")
    if not isinstance(group.compared_with, str | None):
        raise TypeError(
            f"compared_with of row group {name!r} must be the name of a group or None, "
            f"got {reprlib.repr(group.compared_with)}"
        )
    ways = (group.rows, group.where, group.X)
    if sum(way is not None for way in ways) != 1:
        raise ValueError(f"row group {name!r} must have one of rows, where, or X and y")
    bounds = _bounds(name, group, training.classes)
    if group.X is not None:
        return name, None, _own_rows(name, group, training), group.compared_with, bounds
    rows = group.rows if group.where is None else _members(name, group.where, training)
    return name, _positions(name, rows, training.count), None, group.compared_with, bounds


def _bounds(name: str, group: RowGroup, classes: list[Any] | None) -> Bounds:
    """Return what is bounded, of which class, and how; the core knows which bounds are allowed."""
    foreign = [*OF_RESPONSE] if classes is not None else [*OF_ALL_CLASSES, *OF_EACH_CLASS]
    for what in foreign:
        if getattr(group, what) is not None:
            kept = "fit_orrt" if classes is not None else "fit_orct and fit_orct_cv"
            raise ValueError(f"{what} of row group {name!r} is a bound for {kept} alone")
    bounds: Bounds = []
    for what, kind in (OF_RESPONSE | OF_ALL_CLASSES).items():
        bound = getattr(group, what)
        if bound is not None:
            number = _core.number(f"{what} of row group {name!r}", bound, " or None")
            bounds.append((kind, None, number))
    place = {label: k for k, label in enumerate(classes or [])}
    for what, kind in OF_EACH_CLASS.items():
        asked = getattr(group, what)
        if asked is None:
            continue
        if not isinstance(asked, Mapping):
            raise TypeError(
                f"{what} of row group {name!r} must be a mapping from labels to bounds or None, "
                f"got {type(asked).__name__}"
            )
        for label, bound in asked.items():
            if label not in place:
                raise ValueError(
                    f"{what} of row group {name!r} names the class {label!r}, which is not a "
                    f"label in y; labels are {', '.join(map(repr, place))}"
                )
            number = _core.number(f"{what}[{label!r}] of row group {name!r}", bound)
            bounds.append((kind, place[label], number))
    return bounds


def _own_rows(name: str, group: RowGroup, training: _Training) -> Any:
    rows = further_features(group.X, training.settings)
    weights = _inputs.as_weights(group.sample_weight)
    if training.classes is None:
        return rows, _inputs.as_response(group.y, len(rows)), weights
    if group.y is None:
        for what in (*OF_ALL_CLASSES, *OF_EACH_CLASS):
            if getattr(group, what) is not None and what not in WITHOUT_LABELS:
                raise ValueError(f"row group {name!r} must have y for its {what}")
        return rows, np.zeros(len(rows), np.uint32), weights
    labels, codes = _inputs.as_labels(group.y, len(rows))
    place = {label: k for k, label in enumerate(training.classes)}
    for label in labels:
        if label not in place:
            raise ValueError(f"row group {name!r} has the label {label!r}, which is not one in y")
    return rows, np.array([place[label] for label in labels], np.uint32)[codes], weights


def _members(name: str, where: Any, training: _Training) -> NDArray[np.bool_]:
    if training.sensitive_features is None:
        raise ValueError(
            f"row group {name!r} names its rows by the value {where!r}, "
            "but no sensitive_features were given"
        )
    return np.asarray(training.sensitive_features == where)


def _positions(name: str, rows: Any, count: int) -> list[int]:
    which: NDArray[Any] = np.asarray(rows)
    if which.ndim != 1:
        raise ValueError(
            f"rows of row group {name!r} must have one dimension, got shape {which.shape}"
        )
    if which.dtype.kind == "b":
        if len(which) != count:
            raise ValueError(
                f"rows of row group {name!r} is a mask of {len(which)} values for {count} rows"
            )
        which = np.flatnonzero(which)
    if which.dtype.kind not in "iu" and which.size:
        raise TypeError(
            f"rows of row group {name!r} must be a mask or positions, got dtype {which.dtype}"
        )
    if which.size and which.min() < 0:
        raise ValueError(f"row group {name!r} names row {which.min()}; positions start at 0")
    positions: list[int] = which.tolist()
    return positions
