"""Recall of the diabetics of Pima imposed on the training rows, beside the published table, on ten splits."""

import argparse

import pandas as pd

import softwood
from datasets import load, published_recall, split
from plain_orct import PLAIN_SETTINGS
from record import target, write_results


def run(X_train, X_test, y_train, y_test, rate, depth, number, arguments):
    model = softwood.fit_orct(
        X_train,
        y_train,
        depth,
        min_class_rate={1: rate / 100} if rate else None,
        **PLAIN_SETTINGS | {"local_penalty": arguments.penalty / X_train.shape[1]},
        random_state=number,
        n_threads=arguments.threads,
    )
    expected = model.label_probabilities(X_train)[:, 1]
    predicted = {"train": model.predict(X_train), "test": model.predict(X_test)}
    truth = {"train": y_train, "test": y_test}
    row = {
        "imposed_tpr": rate,
        "split": number,
        "expected_tpr_train": 100 * expected[y_train == 1].mean(),
        "seconds": model.report.seconds,
        "status": model.report.status,
    }
    for part, classes in predicted.items():
        right = classes == truth[part]
        row[f"tpr_{part}"] = 100 * right[truth[part] == 1].mean()
        row[f"tnr_{part}"] = 100 * right[truth[part] == 0].mean()
        row[f"ccr_{part}"] = 100 * right.mean()
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data_folder")
    parser.add_argument("--depth", type=int, default=1)
    parser.add_argument(
        "--penalty", type=float, default=1 / 16, help="λ_L times the number of features"
    )
    parser.add_argument("--splits", type=int, default=10)
    parser.add_argument("--threads", type=int, default=2)
    arguments = parser.parse_args()

    published = published_recall()
    X, y = load(arguments.data_folder, "pima_diabetes")
    runs = pd.DataFrame(
        run(*split(X, y, number), rate, arguments.depth, number, arguments)
        for rate in published["imposed_tpr"]
        for number in range(arguments.splits)
    )
    runs["shortfall"] = runs["imposed_tpr"] - runs["expected_tpr_train"]
    table = runs.groupby("imposed_tpr").agg(
        expected_tpr_train=("expected_tpr_train", "mean"),
        worst_shortfall=("shortfall", "max"),
        **{
            f"{rate}_{part}": (f"{rate}_{part}", "mean")
            for rate in ("tpr", "tnr", "ccr")
            for part in ("train", "test")
        },
        seconds=("seconds", "mean"),
    )
    table = table.reset_index().merge(
        published[["imposed_tpr", "tpr_test", "ccr_test"]].rename(
            columns={"tpr_test": "published_tpr_test", "ccr_test": "published_ccr_test"}
        ),
        on="imposed_tpr",
    )
    worst = (table["ccr_test"] - table["published_ccr_test"]).min()
    sections = {
        "Targets": [
            target(
                "worst shortfall of the expected training recall, in points, over all rates and splits",
                table["worst_shortfall"].max(),
                "<=",
                0.1,
            ),
            target("worst mean test accuracy minus the published, over all rates", worst, ">=", -1),
        ],
        "Per imposed rate": table,
        "How to read it": (
            f"In percent, means over {arguments.splits} splits (75/25). Depth {arguments.depth}, 20 starts, "
            f"λ_L = {arguments.penalty:g}/p. expected_tpr_train is what the bound is on; tpr, tnr and ccr "
            "are those of the predicted classes."
        ),
    }
    write_results("orct_recall", "Imposed recall on Pima", table, sections)


if __name__ == "__main__":
    main()
