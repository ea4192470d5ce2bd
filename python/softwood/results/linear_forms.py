"""Splits, leaf models, curves and explanations in the user's units."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class LinearForm:
    """A weighted sum of features in the user's units.

    Σ ``weights[i]`` · x[``features[i]``]; where ``measures[i]`` is ``"quantile"`` the feature's
    quantile level among the training rows takes the place of its value. Of a model fitted to a
    table, x is a row of ``model.encode(X)``.

    Attributes
    ----------
    features : tuple of int
        Columns of the features that matter, largest effect first.
    names : tuple of str
        Their names.
    weights : tuple of float
        Their weights.
    measures : tuple of {"value", "quantile", "indicator"}
        What the weights are multiplied with; an indicator is 1 where its name holds, else 0.
    effects : tuple of float
        Change of the sum from the feature's smallest to its largest training value: unlike
        weights, comparable between features of different units.
    text : str
        All of it in words, also ``str`` of this.
    """

    features: tuple[int, ...]
    names: tuple[str, ...]
    weights: tuple[float, ...]
    measures: tuple[str, ...]
    effects: tuple[float, ...]
    text: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, kw_only=True)
class Rule(LinearForm):
    """One split: a :class:`LinearForm` and its threshold.

    A row is more likely to go left than right where the weighted sum exceeds ``threshold``; the
    log-odds of going left are ``steepness`` · (sum − ``threshold``).

    Attributes
    ----------
    node : int
        The split; the children of node t are 2t + 1 (left) and 2t + 2 (right).
    threshold : float
        The threshold.
    steepness : float
        γ.
    """

    node: int
    threshold: float
    steepness: float


@dataclass(frozen=True, kw_only=True)
class LeafModel(LinearForm):
    """The linear model of one leaf: a :class:`LinearForm` and its intercept.

    A row that ends in the leaf is predicted by ``intercept`` plus the weighted sum, plus what the
    model's curves add if it has any. The weight of a feature with a curve is what the leaf adds to
    the mean slope of all leaves, which is part of the curve.

    Attributes
    ----------
    leaf : int
        The leaf, counted from left to right.
    intercept : float
        The prediction where all terms are 0.
    """

    leaf: int
    intercept: float


@dataclass(frozen=True, kw_only=True)
class SplitExplanation:
    """Why a row goes the way it goes at one split.

    ``margin`` = ``base`` + the sum of ``contributions``, up to rounding. ``str`` of it shows the
    five largest contributions in the units of the training rows.

    Attributes
    ----------
    node : int
        The split; the children of node t are 2t + 1 (left) and 2t + 2 (right).
    goes_left : bool
        Whether the likelier branch is the left one.
    margin : float
        Log odds of going left, negative where the row goes right; of a hard split, by how much the
        weighted sum exceeds the threshold.
    probability : float
        Probability of going left.
    base : float
        The margin of a row that has the typical value of every feature.
    features : tuple of int
        Columns that matter to the split, largest contribution first.
    names : tuple of str
        Their names.
    values, typical : tuple
        Their values in the row, and their typical values: floats, or bools and text if the model
        was fitted to a table. None where a value is missing, or a level never seen in training.
    contributions : tuple of float
        By how much each raises (or, if negative, lowers) the log odds of going left compared with
        its typical value.
    text : str
        All of it in words.
    """

    node: int
    goes_left: bool
    margin: float
    probability: float
    base: float
    features: tuple[int, ...]
    names: tuple[str, ...]
    values: tuple[float | str | bool | None, ...]
    typical: tuple[float | str | bool | None, ...]
    contributions: tuple[float, ...]
    text: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, kw_only=True)
class Curve:
    """The effect of a feature that all leaves share: its linear trend and all that bends.

    It is the total of what the feature adds to every leaf, compared with its typical value, where
    the effect is 0: an effect above 0 raises predictions. What single leaves add to it stands in
    their :class:`LeafModel`. It is straight between its points, in the units of the training rows.
    Below the smallest and above the largest value of training it goes on straight with ``"minmax"``
    scaling and stays what it is with ``"quantile"``. ``str(curve)`` lists the points.

    Attributes
    ----------
    feature : int
        Position of the feature.
    name : str
        Its name.
    values : tuple of float
        Increasing values of the feature, from the smallest to the largest of training.
    effects : tuple of float
        What is added to the prediction at each of them, in units of y; 0 at the typical value.
    text : str
        The points in words.
    """

    feature: int
    name: str
    values: tuple[float, ...]
    effects: tuple[float, ...]
    text: str

    def __str__(self) -> str:
        return self.text
