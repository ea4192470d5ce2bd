"""How `fit_orct` selects the rows it trains on."""

from __future__ import annotations

import reprlib
from dataclasses import asdict, dataclass
from typing import Any

from .._settings import ROW_SELECTION


@dataclass(frozen=True, kw_only=True)
class RowSelection:
    """How `fit_orct` selects the rows it trains on.

    A first tree is fitted to a random sample of each class. Each round then selects rows by the
    present tree and fits another one to them, which is kept if it predicts no fewer of *all* rows.
    The first round chooses from each class in each leaf, as :func:`select_rows` does (algorithm 1
    of the reference there); later rounds take the rows the tree gets wrong and, of those it gets
    right, the extreme points in each leaf (algorithm 3). Chosen rows weigh as much as all rows of
    their cluster, so classes keep their balance.

    Attributes
    ----------
    beta1, beta2 : float
        As in :func:`select_rows`.
    tolerance : float
        As in :func:`select_rows`, for features scaled to [0, 1].
    sample : int
        Rows of the first sample, about; a quarter of all rows at most.
    rounds : int
        Rounds at most.

    Examples
    --------
    >>> import softwood
    >>> X, y, names = softwood.load_example()
    >>> model = softwood.fit_orct(X, y, depth=1, n_starts=2, rows=softwood.RowSelection(rounds=1))
    >>> [round.step for round in model.report.selection.rounds]
    ['sample', 'clusters']
    """

    beta1: float = ROW_SELECTION["beta1"]
    beta2: float = ROW_SELECTION["beta2"]
    tolerance: float = ROW_SELECTION["tolerance"]
    sample: int = ROW_SELECTION["sample"]
    rounds: int = ROW_SELECTION["rounds"]


def as_selection(rows: Any) -> dict[str, Any] | None:
    """Return the settings of a selection as the compiled core takes them, None for all rows."""
    if isinstance(rows, str):
        if rows == "all":
            return None
        if rows == "selected":
            rows = RowSelection()
    if not isinstance(rows, RowSelection):
        kind = ValueError if isinstance(rows, str) else TypeError
        raise kind(f'rows must be "all", "selected" or a RowSelection, got {reprlib.repr(rows)}')
    return asdict(rows)
