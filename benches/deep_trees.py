"""Trees of depth 4, 6 and 8 beside CART of any depth, TAO, a random forest and boosting, on the same splits."""

import argparse
import time
import warnings
from functools import partial

import numpy as np
from imodels import TaoTreeClassifier
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.tree import DecisionTreeClassifier

import softwood
from datasets import load, split
from record import target, write_results
from runs import Runs

SETS = ("magic_gamma", "pendigits", "statlog_satellite", "avila", "shuttle", "spambase")
DEPTHS = (4, 6, 8)
PACKAGES = ("scikit-learn", "imodels")
KEY = ["dataset", "method", "split"]
NUMBERS = ["accuracy", "training_accuracy", "leaves", "seconds", "cpu_seconds"]
RUNS = Runs("deep_trees_runs", KEY, [*KEY, *NUMBERS, "chosen"], NUMBERS, PACKAGES)

CART, TAO, FOREST, BOOSTING = "CART, pruned", "TAO depth 8", "random forest", "hist boosting"
# Cost-complexity penalties that CART chooses from.
ALPHAS = (0.0, *np.geomspace(1e-5, 1e-2, 10))
# The default 0.1 diverges on avila, whose rare classes have few rows.
LEARNING_RATES = (0.1, 0.03)


def ours(depth):
    return f"fit_orct depth {depth}"


# In the order in which they run.
METHODS = (ours(8), BOOSTING, ours(4), CART, FOREST, ours(6), TAO)


def in_three_folds(model, grid, threads, number):
    """The model with settings chosen on three folds of the training rows."""
    folds = StratifiedKFold(3, shuffle=True, random_state=number)
    return GridSearchCV(model, grid, cv=folds, n_jobs=threads)


def peers(number, threads):
    """Other classifiers; what is chosen for them is chosen on folds of the training rows."""
    return {
        CART: in_three_folds(
            DecisionTreeClassifier(random_state=number), {"ccp_alpha": ALPHAS}, threads, number
        ),
        TAO: TaoTreeClassifier(n_iters=5, model_args={"max_depth": 8, "random_state": number}),
        FOREST: RandomForestClassifier(500, n_jobs=threads, random_state=number),
        BOOSTING: in_three_folds(
            HistGradientBoostingClassifier(random_state=number),
            {"learning_rate": LEARNING_RATES},
            1,
            number,
        ),
    }


def measured(fit, parts):
    """Accuracies and time of a fitted model, and the model."""
    X_train, X_test, y_train, y_test = parts
    wall, processor = time.perf_counter(), time.process_time()
    with warnings.catch_warnings():
        # Classes of one row in a fold, and limits of iterations reached.
        warnings.simplefilter("ignore")
        model = fit(X_train, y_train)
    wall, processor = time.perf_counter() - wall, time.process_time() - processor
    return model, {
        "accuracy": 100 * np.mean(model.predict(X_test) == y_test),
        "training_accuracy": 100 * np.mean(model.predict(X_train) == y_train),
        "seconds": wall,
        "cpu_seconds": processor,
    }


def run_ours(parts, number, arguments, depth):
    fit = partial(
        softwood.fit_orct,
        depth=depth,
        n_starts=arguments.starts,
        random_state=number,
        n_threads=arguments.threads,
    )
    model, row = measured(fit, parts)
    table = model.report.cross_validation
    at = table.candidates[table.chosen]
    chosen = f"{at.scaling} gamma {at.gamma:g} local {at.local_penalty:.3g}"
    return row | {"leaves": len(model.leaf_classes), "chosen": chosen}


def run_peer(parts, number, arguments, method):
    model, row = measured(peers(number, arguments.threads)[method].fit, parts)
    chosen = getattr(model, "best_params_", {})
    tree = model.best_estimator_ if method == CART else getattr(model, "model", None)
    leaves = "" if tree is None else tree.get_n_leaves()
    return row | {"leaves": leaves, "chosen": " ".join(f"{k} {v:.3g}" for k, v in chosen.items())}


def planned_runs(arguments):
    """Every (key, work) of this call, method by method: a call that is cut short has whole columns."""
    work = {ours(depth): partial(run_ours, depth=depth) for depth in DEPTHS}
    work |= {method: partial(run_peer, method=method) for method in peers(0, 1)}
    for number in range(arguments.splits):
        for method in METHODS:
            for name in arguments.sets:
                parts = split(*load(arguments.data_folder, name), number)
                yield (name, method, number), partial(work[method], parts, number, arguments)


def pivot(runs, values):
    """A row per set, a column per method."""
    table = runs.pivot_table(index="dataset", columns="method", values=values, sort=False)
    return table[[m for m in runs["method"].unique() if m in table]]


def targets(accuracy, seconds):
    """What was aimed at, and what was measured."""
    mean, sets = accuracy.loc["mean"], accuracy.drop(index="mean")
    deep = [target("mean, depth 8 minus CART", mean[ours(8)] - mean[CART], ">=", 0)]
    for depth in DEPTHS[1:]:
        gain = sets[ours(depth)] - sets[ours(4)]
        deep += [
            target(f"mean, depth {depth} minus depth 4", gain.mean(), ">=", 2),
            target(f"least, depth {depth} minus depth 4", gain.min(), ">=", 0),
        ]
        longest = seconds[ours(depth)].max()
        deep.append(target(f"longest fit at depth {depth}, seconds", longest, "<=", 600))
    return deep


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data_folder")
    parser.add_argument("--sets", nargs="+", default=SETS)
    parser.add_argument("--splits", type=int, default=2)
    parser.add_argument("--starts", type=int, default=8)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument(
        "--resume", action="store_true", help="keep the runs already in the file and do the others"
    )
    parser.add_argument(
        "--summarize", action="store_true", help="report on the runs in the file, run nothing"
    )
    arguments = parser.parse_args()

    if arguments.summarize:
        runs = RUNS.read()
        methods = runs.groupby(["dataset", "split"])["method"].transform("nunique")
        runs = runs[methods == runs["method"].nunique()]
    else:
        runs = RUNS.carry_out(
            planned_runs(arguments),
            arguments.resume,
            lambda row: f"{row['accuracy']:.2f} % {row['seconds']:.1f} s {row['chosen']}",
        )
    accuracy = pivot(runs, "accuracy")
    accuracy["depth 8 to boosting"] = accuracy[BOOSTING] - accuracy[ours(8)]
    accuracy.loc["mean"] = accuracy.mean()
    splits = runs.groupby("dataset")["split"].nunique()
    accuracy.insert(0, "splits", splits.reindex(accuracy.index).astype("Int64"))
    seconds = pivot(runs, "seconds")
    sections = {
        "Targets": targets(accuracy, seconds),
        "Test accuracy": accuracy.reset_index(),
        "Training accuracy": pivot(runs, "training_accuracy").reset_index(),
        "Leaves": pivot(runs, "leaves").reset_index(),
        "Seconds": seconds.reset_index(),
        "Processor seconds": pivot(runs, "cpu_seconds").reset_index(),
        "How to read it": (
            "Accuracy in %, mean over 75/25 splits. fit_orct at its defaults but for the number of starts: "
            "γ, scaling and penalty chosen on folds of the training rows. CART is grown without a limit of "
            f"depth and pruned by one of {len(ALPHAS)} cost-complexity penalties, boosting takes one of "
            f"{len(LEARNING_RATES)} learning rates, both on three folds. TAO is that of imodels, which moves "
            "splits on single features of a CART of depth 8, five sweeps; the forest has 500 trees."
        ),
    }
    write_results("deep_trees", "Deep trees", accuracy.reset_index(), sections, PACKAGES)


if __name__ == "__main__":
    main()
