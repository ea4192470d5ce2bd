"""Hard oblique trees with a proven bound: accuracy beside the published one, bounds, proofs against time."""

import argparse
import time
import warnings

import pandas as pd
from sklearn.tree import DecisionTreeClassifier

import softwood
from datasets import PUBLISHED, load, published_sets, split
from record import RESULTS, target, write_results
from runs import Runs

PROOFS = ["hayes_roth_132", "iris", "breast_cancer_wisconsin"]
COURSES = ["iris", "hayes_roth_132", "haberman"]
SOLVERS = {
    "native": {},
    "native, random start": {"start": "random", "n_starts": 1},
    "mip (F3)": {"solver": "mip"},
    "paper (F1)": {"solver": "paper"},
    "paper (F1), no cuts": {"solver": "paper", "cuts": False},
}
NUMBERS = [
    "start_errors", "errors", "objective", "bound", "seconds", "nodes", "train", "test",
    "auto_margin", "auto_alpha2", "auto_slack_cost", "auto_split_penalty", "auto_splits",
    "auto_seconds", "auto_train", "auto_test",
    "start_train", "start_test", "orct_test", "cart_train", "cart_test",
]  # fmt: skip
# β₁, β₂, ε′ and ε of table 6.
SELECTED = {
    "statlog_satellite": (0.3, 0.07, 0.0, 0.1),
    "spambase": (0.3, 0.1, 0.0, 0.02),
    "ann_thyroid": (0.1, 0.12, 0.0, 0.01),
    "wall_following_2": (0.4, 1.0, 0.0, 0.0008),
    "seismic_bumps": (0.4, 0.1, 0.0, 0.01),
}
PACKAGES = ("scikit-learn", "highspy")
TESTS = {"auto_test": "with all by folds", "test": "at its defaults"}
# What folds may choose.
OPEN = dict.fromkeys(("epsilon", "alpha2", "slack_cost", "split_penalty", "improve"), "auto")


def published():
    """One row per (depth, dataset): accuracy in %, as printed."""
    return pd.read_csv(PUBLISHED / "s1o_accuracy.csv", comment="#")


def table_name(depth):
    """Where results of a depth are: most are of depth 2."""
    return "svm1_odt" if depth == 2 else f"svm1_odt_depth{depth}"


def percent(model, X, y, **how):
    """Accuracy in percent."""
    return round(100 * float((model.predict(X, **how) == y).mean()), 3)


def run(given, name, number):
    """One split: the tree at its defaults, with all by folds, its start, ORCT and CART."""
    A, B, a, b = split(*load(given.folder, name), number)
    depth = given.depth
    limit = {"depth": depth, "n_threads": 1, "time_limit": given.seconds}
    model = softwood.fit_svm1_odt(A, a, max_nodes=given.nodes, **limit)
    # No proof: what is left of the time goes into the tree.
    auto = softwood.fit_svm1_odt(A, a, max_nodes=0, **limit, **OPEN)
    start = softwood.fit_orct(
        A, a, gamma=512, scaling="minmax", balance=False, local_penalty=0, cover_classes=False,
        **limit,
    )  # fmt: skip
    orct = softwood.fit_orct(A, a, cover_classes=False, **limit)
    cart = DecisionTreeClassifier(max_depth=depth, random_state=0).fit(A, a)
    report = model.report
    table = auto.report.cross_validation
    chosen = table.candidates[table.chosen] if table else None
    return {
        "status": report.status,
        "start_errors": min(report.start_objectives),
        "errors": round(report.loss * len(a)),
        "objective": report.objective,
        "bound": report.proof.bound,
        "seconds": round(report.seconds, 2),
        "nodes": report.proof.nodes,
        "train": percent(model, A, a),
        "test": percent(model, B, b),
        "auto_margin": auto.report.proof.margin,
        "auto_alpha2": chosen.alpha2 if chosen else "",
        "auto_slack_cost": chosen.slack_cost if chosen else "",
        "auto_split_penalty": chosen.split_penalty if chosen else "",
        "auto_tree": chosen.tree if chosen else "undecided",
        "auto_splits": len(auto.splits),
        "auto_seconds": round(auto.report.seconds, 2),
        "auto_train": percent(auto, A, a),
        "auto_test": percent(auto, B, b),
        "start_train": percent(start, A, a, routing="hard"),
        "start_test": percent(start, B, b, routing="hard"),
        "orct_test": percent(orct, B, b),
        "cart_train": percent(cart, A, a),
        "cart_test": percent(cart, B, b),
    }


def accuracy(given):
    """Runs of all sets, and their means beside the published ones."""
    key = ["depth", "dataset", "split"]
    words = ["status", "auto_tree"]
    runs = Runs(f"{table_name(given.depth)}_runs", key, [*key, *words, *NUMBERS], NUMBERS, PACKAGES)
    of_depth = published().query(f"depth == {given.depth}")
    sets = published_sets(given.folder, given.sets, lambda: of_depth)
    jobs = [
        (
            (given.depth, name, number),
            lambda name=name, number=number: run(given, name, number),
        )
        for number in range(given.splits)
        for name in sets
    ]
    done = runs.carry_out(
        jobs,
        given.resume,
        lambda row: (
            f"{row['errors']} errors, bound {row['bound']}, {row['test']:.1f}, "
            f"by folds {row['auto_test']:.1f}"
        ),
    )
    done["proven"] = (done["status"] == "optimal").astype(float)
    done["kept"] = done["auto_tree"].isin(["orct", "cart"]).astype(float)
    means = done.groupby(["depth", "dataset"], sort=False)[[*NUMBERS, "proven", "kept"]]
    told = of_depth[["depth", "dataset", "test", "train"]]
    means = means.mean().reset_index()
    return done, means.merge(told, on=["depth", "dataset"], suffixes=("", "_published"))


def proofs(folder, seconds):
    """The optimum at margin 0.01 of the sets that can be proven; seconds of the processor."""
    rows = []
    for name in PROOFS:
        A, _, a, _ = split(*load(folder, name), 0)
        began = time.process_time()
        report = softwood.fit_svm1_odt(A, a, time_limit=seconds, n_threads=1).report
        spent, proof = time.process_time() - began, report.proof
        rows.append(
            (name, len(a), report.status, report.objective, proof.bound, proof.nodes, spent)
        )
    names = ["dataset", "rows", "status", "errors", "bound", "nodes", "seconds"]
    return pd.DataFrame(rows, columns=names)


def courses(folder, seconds):
    """Incumbent and bound over time of every solver, from the same split."""
    rows = []
    for name in COURSES:
        A, _, a, _ = split(*load(folder, name), 0)
        for solver, settings in SOLVERS.items():
            report = softwood.fit_svm1_odt(A, a, time_limit=seconds, n_threads=1, **settings).report
            for moment in report.proof.course:
                rows.append((name, solver, moment.seconds, moment.objective, moment.bound))
            rows.append((name, solver, report.seconds, report.objective, report.proof.bound))
            print(name, solver, report.status, report.objective, report.proof.bound, flush=True)
    return pd.DataFrame(rows, columns=["dataset", "solver", "seconds", "objective", "bound"])


def selection(folder, name, number, seconds):
    """One split: the rounds of algorithms 1 and 3 with the published parameters, and the fit to all rows."""
    beta1, beta2, tolerance, epsilon = SELECTED[name]
    A, B, a, b = split(*load(folder, name), number)
    fits, spent = {}, {}
    for how in (softwood.RowSelection(beta1=beta1, beta2=beta2, tolerance=tolerance), "all"):
        began = time.process_time()
        model = softwood.fit_svm1_odt(
            A, a, epsilon=epsilon, start="cart", max_nodes=0, restarts=1, n_threads=1,
            time_limit=seconds, rows=how,
        )  # fmt: skip
        key = "all" if how == "all" else "selected"
        fits[key], spent[key] = model, time.process_time() - began
    first, *others = fits["selected"].report.selection.rounds
    return {
        "rows": len(a),
        "percent": 100 * first.rows / len(a),
        "accuracy": 100 * first.accuracy,
        "later_rounds": len(others),
        "later_percent": max((100 * one.rows / len(a) for one in others), default=float("nan")),
        "later_accuracy": 100 * fits["selected"].report.selection.accuracy,
        "train": percent(fits["selected"], A, a),
        "test": percent(fits["selected"], B, b),
        "seconds": spent["selected"],
        "train_all": percent(fits["all"], A, a),
        "test_all": percent(fits["all"], B, b),
        "seconds_all": spent["all"],
    }


def selections(given):
    """Shares of rows that algorithms 1 and 3 train on, and what that does to time and accuracy."""
    told = pd.read_csv(PUBLISHED / "s1o_data_selection.csv", comment="#").query("depth == 2")
    told = told.rename(
        columns={"percent_selected": "published_percent", "S1O_DS": "published_test"}
    )
    rows = []
    for name in SELECTED:
        for number in range(given.splits):
            row = selection(given.folder, name, number, given.seconds)
            rows.append({"dataset": name, "split": number} | row)
            print(rows[-1], flush=True)
    rows = pd.DataFrame(rows)
    means = rows.drop(columns="split").groupby("dataset", sort=False).mean().reset_index()
    told = told[["dataset", "published_percent", "published_test"]]
    return rows, means.merge(told, on="dataset")


def picture(told):
    """Bound below, incumbent above, a panel for each set."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    names = list(told["dataset"].unique())
    figure, panels = plt.subplots(1, len(names), figsize=(4.5 * len(names), 3.4), squeeze=False)
    for panel, name in zip(panels[0], names, strict=True):
        for place, (solver, course) in enumerate(told[told["dataset"] == name].groupby("solver")):
            for what, style in (("objective", "-"), ("bound", "--")):
                seconds = course["seconds"].clip(lower=1e-2)
                label = solver if what == "objective" else None
                panel.step(
                    seconds, course[what], style, color=f"C{place}", where="post", label=label
                )
        panel.set(title=name, xscale="log", xlabel="seconds", ylabel="wrong rows (--: bound)")
    panels[0][0].legend(fontsize=7)
    figure.tight_layout()
    figure.savefig(RESULTS / "svm1_odt_courses.png", dpi=110)


def targets(done, means):
    """What was to be shown."""
    near = {name: float((means[name] >= means["test_published"] - 1).mean()) for name in TESTS}
    worse = float((done["objective"] > done["start_errors"]).mean())
    behind = float((done["train"] < done["start_train"]).mean())
    return [
        *(
            target(
                f"share of sets within 1 point of the published S1O, {told}",
                near[name],
                ">=",
                2 / 3,
            )
            for name, told in TESTS.items()
        ),
        target("share of runs with more errors at the margin than the start", worse, "<=", 0),
        target("share of runs below the hardened ORCT on training rows", behind, "<=", 0),
    ]


def gains(means):
    """What fewer training errors did to test accuracy, on the mean over the sets."""
    lines = []
    for name, told in TESTS.items():
        train = (means[name.replace("test", "train")] - means["start_train"]).mean()
        gained = means[name] - means["start_test"]
        lines.append(
            f"Against the randomized tree it starts from, hardened, the tree {told}: training accuracy "
            f"{train:+.2f} points, test accuracy {gained.mean():+.2f}, higher on {int((gained > 0).sum())} "
            f"and lower on {int((gained < 0).sum())} of {len(means)} sets."
        )
    return " ".join(lines)


def main():
    """Measure what is asked for and write it down."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", help="folder of the data sets")
    parser.add_argument("--what", choices=["accuracy", "proofs", "courses", "selections"])
    parser.add_argument("--seconds", type=float, default=60.0, help="limit of a fit")
    parser.add_argument("--nodes", type=int, help="nodes of a search for a bound at most")
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--depth", type=int, default=2)
    parser.add_argument("--sets", nargs="*", help="all that the folder holds by default")
    parser.add_argument("--resume", action="store_true", help="keep the runs there are")
    given = parser.parse_args()
    warnings.simplefilter("ignore", softwood.SoftwoodWarning)
    if given.what == "proofs":
        told = proofs(given.folder, given.seconds)
        write_results("svm1_odt_proofs", "Proofs", told, {"Proofs": told}, PACKAGES)
    elif given.what == "courses":
        told = courses(given.folder, given.seconds)
        last = told.groupby(["dataset", "solver"], sort=False).last().reset_index()
        write_results(
            "svm1_odt_courses", "Tree and bound over time", told, {"At the end": last}, PACKAGES
        )
        picture(told)
    elif given.what == "selections":
        rows, means = selections(given)
        sections = {"Means over the splits": means}
        write_results("svm1_odt_selections", "Selected rows", rows, sections, PACKAGES)
    else:
        done, means = accuracy(given)
        sections = {
            "Targets": targets(done, means),
            "What fewer training errors did": gains(means),
            "Means over the splits": means.round(3),
        }
        title = "Hard trees with a proven bound"
        write_results(table_name(given.depth), title, means, sections, PACKAGES)


if __name__ == "__main__":
    main()
