"""scikit-learn's checks of estimators, passed and run: softwood's estimators beside other packages' trees."""

import argparse
import importlib
import multiprocessing
import os
import time
import warnings
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor

os.environ["SCIPY_ARRAY_API"] = "1"  # or one of the checks is left out
os.environ["OMP_NUM_THREADS"] = "1"  # more do not help with so few rows

import pandas as pd
from sklearn.utils.estimator_checks import check_estimator

from record import write_results

# Package, module, class and settings: the defaults, unless a check would take minutes with them.
FEW = {"depths": (1, 2), "gammas": (512.0,), "local_grid": (0.0,), "n_starts": 2, "folds": 3}
ESTIMATORS = [
    ("softwood", "softwood.sklearn", "ORCTClassifier", {}),
    ("softwood", "softwood.sklearn", "ORCTClassifierCV", FEW),
    ("softwood", "softwood.sklearn", "SRTRegressor", {}),
    ("softwood", "softwood.sklearn", "SRTRegressorCV", {}),
    ("scikit-learn", "sklearn.tree", "DecisionTreeClassifier", {}),
    ("scikit-learn", "sklearn.tree", "DecisionTreeRegressor", {}),
    ("neural-trees", "neural_trees", "SoftDecisionTree", {}),
    ("neural-trees", "neural_trees", "SoftDecisionTreeRegressor", {}),
    ("obliquetree", "obliquetree", "Classifier", {}),
    ("obliquetree", "obliquetree", "Regressor", {}),
    ("STree", "stree", "Stree", {}),
    ("pystreed", "pystreed", "STreeDClassifier", {}),
    ("pystreed", "pystreed", "STreeDRegressor", {}),
]


def checked(package, module, name, settings):
    """One row of the table; a class that cannot be had or checked says why."""
    row = {
        "package": package,
        "estimator": name,
        "settings": str(settings) if settings else "defaults",
    }
    warnings.simplefilter("ignore")
    start = time.monotonic()
    try:
        estimator = getattr(importlib.import_module(module), name)(**settings)
        results = check_estimator(estimator, on_skip=None, on_fail=None)
    except Exception as error:
        return row | {"failures": f"{type(error).__name__}: {error}".split(". ")[0]}
    failed = [r["check_name"] for r in results if r["status"] in ("failed", "xfail")]
    run = [r for r in results if r["status"] != "skipped"]
    return row | {
        "passed": len(run) - len(failed),
        "run": len(run),
        "skipped": len(results) - len(run),
        "seconds": time.monotonic() - start,
        "failures": ", ".join(failed),
    }


def checked_apart(arguments):
    """The same in a process of its own, which may crash."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as child:
        try:
            return child.submit(checked, *arguments).result()
        except BrokenExecutor as error:
            return {"package": arguments[0], "estimator": arguments[2], "failures": repr(error)}


def main():
    argparse.ArgumentParser(description=__doc__).parse_args()
    rows = [checked_apart(arguments) for arguments in ESTIMATORS]
    table = pd.DataFrame(rows)
    shown = ["package", "estimator", "settings", "passed", "run", "skipped"]
    failures = {f"{r['estimator']} ({r['package']})": r["failures"] for r in rows if r["failures"]}
    write_results(
        "estimator_checks",
        "Estimator checks",
        table,
        {
            "Passed and run": table[shown],
            "Checks that failed": "\n".join(f"- {name}: {text}" for name, text in failures.items()),
        },
        packages=sorted({package for package, *_ in ESTIMATORS} - {"softwood"}),
    )


if __name__ == "__main__":
    main()
