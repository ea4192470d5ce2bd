"""Renders every picture of softwood.plotting, light and dark: python docs/gallery.py FOLDER."""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib as mpl
import numpy as np

import softwood
from softwood import plotting

mpl.use("agg")
from matplotlib import pyplot as plt

LONG = "a rather long name of a measurement that goes on and on, in units of {}"
LONG_NAMES = [LONG.format(j) for j in range(2000)]


def made_rows(columns: int, rows: int = 400, seed: int = 0):
    """Return rows, three classes and a response that depend on the first few columns."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, columns))
    score = X[:, 0] * X[:, 1] + (X[:, 2] if columns > 2 else 0)
    return X, np.array(["low", "middle", "high $5"])[np.digitize(score, [-0.6, 0.6])], score


def pictures() -> dict:
    """Return functions that draw, by name; models are fitted once."""
    X, y, names = softwood.load_example()
    X, held, y, y_held = X[::2], X[1::2], y[::2], y[1::2]
    known = {"feature_names": names, "n_starts": 3}
    example = softwood.fit_orct(X, y, depth=2, penalty=0.02, **known)
    A, three, _ = made_rows(2)
    B, many, response = made_rows(60)
    long = LONG_NAMES[:60]
    drawn = {}
    for depth in (1, 2, 3, 4):
        tree = softwood.fit_orct(
            *made_rows(8)[:2],
            depth=depth,
            n_starts=2,
            scaling="minmax",
            gamma=16,
            cover_classes=False,
        )
        drawn[f"tree_depth_{depth}"] = lambda tree=tree: plotting.plot_tree(tree)
    wide = softwood.fit_orct(B, many, depth=3, n_starts=2, feature_names=long, max_leaves=5)
    drawn["tree_incomplete_60_long_names"] = lambda: plotting.plot_tree(wide, X=B)
    bent = response + np.exp(B[:, 3])
    curved = softwood.fit_srt(B[:, :6], bent, depth=2, curves=True, feature_names=long[:6])
    drawn["tree_srt"] = lambda: plotting.plot_tree(curved)
    mixed = softwood.fit_orrt(B[:, :6], response, depth=2, n_starts=2)
    drawn["tree_orrt_in_axes"] = lambda: plotting.plot_tree(
        mixed, plt.subplots(figsize=(7, 4))[1], X=B[:, :6]
    )
    rare = np.random.default_rng(1).normal(size=(400, 2000))
    hard = softwood.fit_spdt(
        rare, rare[:, 7] + np.abs(rare[:, 1999]) > 1, depth=3, feature_names=LONG_NAMES
    )
    drawn["tree_spdt_2000_features"] = lambda: plotting.plot_tree(hard)
    drawn["explanation_spdt"] = lambda: plotting.plot_explanation(hard, rare[0])
    drawn["map_spdt"] = lambda: plotting.plot_decision_map(
        hard, rare, rare[:, 7] + np.abs(rare[:, 1999]) > 1, features=(7, 1999)
    )
    flat = softwood.fit_orct(A, three, depth=3, n_starts=3, gamma=24, scaling="minmax")
    drawn["map_classes"] = lambda: plotting.plot_decision_map(flat, A, three)
    drawn["map_response"] = lambda: plotting.plot_decision_map(
        curved, B[:, :6], bent, features=(1, 3)
    )
    drawn["importance"] = lambda: plotting.plot_importance(example)
    drawn["importance_permuted"] = lambda: plotting.plot_importance(example, held, y_held, top=12)
    drawn["importance_long"] = lambda: plotting.plot_importance(wide, B, many, top=8, repeats=2)
    path = softwood.sparsity_path(
        X[:, :10], y, 2, 12, 6, X_validation=held[:, :10], y_validation=y_held, n_starts=2
    )
    drawn["path"] = lambda: plotting.plot_path(path)
    drawn["path_map"] = lambda: plotting.plot_path_map(path)
    asked = [0.6, 0.7, 0.8, 0.9, 0.97]
    bound = [
        softwood.fit_orct(X[:, :4], y, 1, min_class_rate={"malignant": rate}, n_starts=2)
        for rate in asked
    ]
    drawn["rates"] = lambda: plotting.plot_rates(bound, held[:, :4], y_held)
    drawn["explanation"] = lambda: plotting.plot_explanation(example, held[0])
    drawn["explanation_long"] = lambda: plotting.plot_explanation(wide, B[0], top=5)
    drawn["effects"] = lambda: plotting.plot_effects(example, held[:60])
    drawn["effects_regression"] = lambda: plotting.plot_effects(curved, B[:40, :6])
    drawn["curve"] = lambda: plotting.plot_curve(curved, X=B[:, :6])
    walks = np.cumsum(np.random.default_rng(2).normal(size=(150, 60)), axis=1) / 8
    kink = np.abs(walks[:, 18:31].mean(axis=1)) + walks[:, 45:50].mean(axis=1)
    places = np.linspace(850, 1050, 60)
    spectra = softwood.fit_functional_orrt(walks, kink, grids=places, n_starts=6)
    drawn["intervals"] = lambda: plotting.plot_intervals(spectra, walks, kink)
    chosen = softwood.fit_functional_orrt_cv(
        walks, kink, n_intervals=(1, 2, 3), derivatives=([0], [1]), folds=3, n_starts=4
    )
    drawn["error_by_intervals"] = lambda: plotting.plot_error_by_intervals(chosen)
    shorter = [
        softwood.fit_functional_orrt(walks, kink, n_starts=4, length_penalty=penalty)
        for penalty in (0, 0.01, 0.1, 1)
    ]
    drawn["length_tradeoff"] = lambda: plotting.plot_length_tradeoff(shorter, walks, kink)
    drawn["starts"] = lambda: plotting.plot_starts(curved)
    drawn["reliability"] = lambda: plotting.plot_reliability(example, held, y_held)
    return drawn


def main(folder: Path) -> None:
    """Write a PNG for each picture and style."""
    folder.mkdir(parents=True, exist_ok=True)
    drawn = pictures()
    for style, name in (("default", "light"), ("dark_background", "dark")):
        with plt.style.context(style):
            for picture, draw in drawn.items():
                figure = draw().figure
                figure.savefig(folder / f"{picture}_{name}.png", dpi=90)
                plt.close(figure)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]))
