"""The warnings of fits and models, each of its own class; all are :class:`SoftwoodWarning`."""

from __future__ import annotations


class SoftwoodWarning(UserWarning):
    """A fit has come to something that is likely to be unwanted; the report's `notices` say it too.

    Examples
    --------
    >>> import warnings, softwood
    >>> X, y, names = softwood.load_example()
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore", softwood.SoftwoodWarning)
    ...     model = softwood.fit_orct(X, y, depth=1, local_penalty=1e3, n_starts=1)
    >>> [notice.code for notice in model.report.notices]
    ['no_features']
    """


class OneClassWarning(SoftwoodWarning):
    """The tree predicts one class for all training rows."""


class NoFeaturesWarning(SoftwoodWarning):
    """Penalties have emptied the tree: all its coefficients are 0."""


class EmptyLeavesWarning(SoftwoodWarning):
    """No training row reaches some of the leaves."""


class RateMissedWarning(SoftwoodWarning):
    """A class is recognized less often than `min_class_rate` asks for."""


class BoundMissedWarning(SoftwoodWarning):
    """A bound on a group of rows is not kept."""


class AllRowsSelectedWarning(SoftwoodWarning):
    """A selection of rows has kept them all."""


class LimitWarning(SoftwoodWarning):
    """A limit of time or iterations ended the fit before it was done."""


class UnseenLevelsWarning(SoftwoodWarning):
    """A table holds levels that training has not seen; they are taken as none of those it has."""


class FewerFoldsWarning(SoftwoodWarning):
    """Rows of a class were too few for as many folds as asked for."""
