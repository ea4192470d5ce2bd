"""Fit a first tree to data that ship with the package."""

from __future__ import annotations

import argparse
import sys

import numpy as np

from .. import __version__
from ..examples import load_example
from ..functions import fit_orct

NEXT = """\
What to try next:

  softwood fit data.csv --target y --out tree.json     # a table of your own
  softwood predict tree.json new.csv

  import softwood
  X, y, names = softwood.load_example()         # or rows and labels of your own
  model = softwood.fit_orct(X, y, depth=2)      # depth=3, rows="selected": try them
  model.predict_proba(X)                        # probabilities of the classes
  model.explain(X)                              # how they change with each feature
  print(model.rule(0))                          # a split in your own units
  model.save("tree.json")                       # and softwood.load("tree.json")
  help(softwood.fit_orct)"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say what the command takes."""
    parser.add_argument("--depth", type=int, default=2, help="depth of the tree (default: 2)")
    parser.add_argument("--starts", type=int, default=20, help="random starts (default: 20)")
    parser.set_defaults(run=run)


def run(given: argparse.Namespace) -> None:
    """Fit on three rows out of four, predict the fourth, say what came out."""
    X, y, names = load_example()
    held_out = np.arange(len(y)) % 4 == 3
    print(
        f"softwood {__version__}: an optimal randomized classification tree\n"
        f"for {len(y)} tissue samples with {len(names)} measurements, benign or malignant\n"
        f"(Breast Cancer Wisconsin, Diagnostic; an example, not for medical use)\n"
    )
    model = fit_orct(
        X[~held_out],
        y[~held_out],
        depth=given.depth,
        n_starts=given.starts,
        feature_names=names,
        progress=sys.stderr.isatty(),
    )
    right = model.predict(X[held_out]) == y[held_out]
    print(
        f"{model}\n"
        f"Held-out rows: {right.sum()} of {right.size} right ({right.mean():.1%})\n\n"
        f"Report of the fit:\n{model.report}\n\n"
        f"{NEXT}"
    )
