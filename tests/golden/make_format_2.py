"""Made the golden files of format 2; README.md tells how."""

import json
import warnings
from pathlib import Path

import numpy as np

import softwood

FOLDER = Path(__file__).parent


def rows(seed, count):
    """Numbers and levels."""
    rng = np.random.default_rng(seed)
    return {
        "weight": rng.normal(70, 12, count).round(1),
        "smoker": rng.random(count) < 0.4,
        "colour": rng.choice(["red", "green", "blue"], count),
        "size": rng.choice(["S", "M", "L"], count),
    }


def said(model, X):
    """What a model says of rows."""
    answers = {"predict": model.predict(X).tolist(), "apply": model.apply(X).tolist()}
    for name in ("predict_proba", "explain"):
        if hasattr(model, name):
            answers[name] = getattr(model, name)(X).tolist()
    return answers


def main():
    """Fit a model of every kind and keep what it says of some rows."""
    warnings.simplefilter("ignore", softwood.SoftwoodWarning)
    table, few = rows(0, 150), rows(1, 6)
    red = np.array(table["colour"]) == "red"
    y = np.where(red | (table["weight"] > 80), "yes", "no")
    response = table["weight"] + 10.0 * red
    X = np.random.default_rng(2).normal(size=(150, 5))
    label, line = (X[:, 0] > X[:, 1]).astype(int), np.abs(X[:, 0]) + X[:, 1]
    grid = np.linspace(0, 1, 20)
    curves = X[:, :1] * np.sin(6 * grid) + X[:, 1:2] * grid
    quick = {"depth": 1, "n_starts": 2}
    ordered = {"ordered": {"size": ["S", "M", "L"]}}
    first = softwood.RowGroup(rows=np.arange(150) < 40, name="first", max_mse=0.5)
    models = {
        "orct_table": (softwood.fit_orct(table, y, **quick, **ordered), few),
        "srt_table": (softwood.fit_srt(table, response, **quick, **ordered), few),
        "orrt": (softwood.fit_orrt(X, line, row_groups=[first], **quick), X[:6]),
        "orrt_cv": (softwood.fit_orrt_cv(X, line, (1,), n_starts=1, folds=3), X[:6]),
        "spdt": (softwood.fit_spdt(X, label, budget=2, depth=2), X[:6]),
        "spdt_table": (softwood.fit_spdt(table, y), few),
        "svm1_odt": (softwood.fit_svm1_odt(X, label, depth=2, max_nodes=2000), X[:6]),
        "functional_orrt": (softwood.fit_functional_orrt(curves, line, **quick), curves[:6]),
        "functional_orct": (softwood.fit_functional_orct(curves, label, **quick), curves[:6]),
    }
    answers = {}
    for name, (model, X) in models.items():
        model.save(FOLDER / f"{name}_format_2.json")
        columns = {key: np.asarray(values).tolist() for key, values in X.items()} if X is few else X
        answers[name] = {"rows": columns if X is few else X.tolist(), "said": said(model, X)}
    text = json.dumps(answers, indent=1)
    (FOLDER / "predictions_format_2.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
