"""The warning of a limit reached, as scikit-learn knows it."""

from __future__ import annotations

from sklearn.exceptions import ConvergenceWarning

from ..notices import WARNINGS
from ..warnings import LimitWarning


class LimitConvergenceWarning(LimitWarning, ConvergenceWarning):
    """A limit of time or iterations ended the fit before it was done."""


# From now on the functions that fit warn by it, too: it is still a LimitWarning.
WARNINGS["limit_reached"] = LimitConvergenceWarning
