"""Print the tree of a model file, and how its fit went."""

from __future__ import annotations

import argparse

from ..functions import load


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say what the command takes."""
    parser.add_argument("model", help="model file")
    parser.add_argument("--terms", type=int, help="terms of each split, each on a line of its own")
    parser.add_argument("--report", action="store_true", help="also how the fit went")
    parser.set_defaults(run=run)


def run(given: argparse.Namespace) -> None:
    """Print the tree."""
    model = load(given.model)
    print(model.describe(given.terms))
    if given.report:
        print(f"Report of the fit:\n{model.report}")
