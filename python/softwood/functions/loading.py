"""`load`: a model from its file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import _core
from ..models import TreeModel, of_handle

if TYPE_CHECKING:
    import os


def load(path: str | os.PathLike[str]) -> TreeModel:
    """Load a model from a file made by its method `save`.

    Parameters
    ----------
    path : str or path-like
        The file.

    Returns
    -------
    TreeModel
        The model, of the kind that was saved, the same to the bit.

    Raises
    ------
    OSError
        If the file cannot be read.
    ValueError
        If it holds no valid model.

    Examples
    --------
    >>> import pathlib, softwood, tempfile
    >>> X, y, names = softwood.load_example()
    >>> model = softwood.fit_orct(X, y, depth=1, n_starts=1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "model.json"
    ...     model.save(path)
    ...     same = softwood.load(path)
    >>> bool((same.predict_proba(X) == model.predict_proba(X)).all())
    True
    """
    model: TreeModel = of_handle(_core.load(path))
    return model
