"""A first look: `python -m softwood` fits a tree to data that ships with the package."""

from __future__ import annotations

import argparse
import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

import softwood

NEXT = """\
What to try next:

  import softwood
  X, y, names = softwood.load_example()         # or rows and labels of your own
  model = softwood.fit_orct(X, y, depth=2)      # scaling="auto", gamma=128: try them
  model.predict_proba(X)                        # probabilities of the classes
  model.explain(X)                              # how they change with each feature
  print(model.rule(0))                          # a split in your own units
  model.save("tree.json")                       # and softwood.load("tree.json")
  help(softwood.fit_orct)"""


class Table:
    """Rows with named columns: as much of a data frame as softwood looks at."""

    def __init__(self, values: NDArray[np.float64], columns: list[str]) -> None:
        self.values, self.columns = values, columns

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self.values, dtype=dtype) if copy else np.asarray(self.values, dtype=dtype)


def main() -> None:
    """Fit on three rows out of four, predict the fourth, say what came out."""
    parser = argparse.ArgumentParser(prog="python -m softwood", description=__doc__)
    parser.add_argument("--depth", type=int, default=2, help="depth of the tree (default: 2)")
    parser.add_argument("--starts", type=int, default=20, help="random starts (default: 20)")
    arguments = parser.parse_args()

    X, y, names = softwood.load_example()
    held_out = np.arange(len(y)) % 4 == 3
    print(
        f"softwood {softwood.__version__}: an optimal randomized classification tree\n"
        f"for {len(y)} tissue samples with {len(names)} measurements, benign or malignant\n"
        f"(Breast Cancer Wisconsin, Diagnostic; an example, not for medical use)\n"
    )
    model = softwood.fit_orct(
        Table(X[~held_out], names),
        y[~held_out],
        depth=arguments.depth,
        n_starts=arguments.starts,
        progress=sys.stderr.isatty(),
    )
    right = model.predict(Table(X[held_out], names)) == y[held_out]
    print(
        f"{model}\n"
        f"Held-out rows: {right.sum()} of {right.size} right ({right.mean():.1%})\n\n"
        f"Report of the fit:\n{model.report}\n\n"
        f"{NEXT}"
    )


if __name__ == "__main__":
    main()
