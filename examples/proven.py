"""Fits a tree that no tree of its depth can beat on these rows, and shows the proof."""

import numpy as np

import softwood

rng = np.random.default_rng(3)
X = rng.integers(0, 6, (60, 3)).astype(float)
y = np.where((X[:, 0] > 2) ^ (X[:, 1] + X[:, 2] > 5), "keep", "drop")
y[:3] = np.where(y[:3] == "keep", "drop", "keep")  # three rows that do not fit

names = ["age", "visits", "gifts"]
model = softwood.fit_svm1_odt(X, y, depth=2, feature_names=names, max_nodes=2_000_000)
print(model)
proof = model.report.proof
print(f"{model.report.status}: {model.report.objective:g} rows wrong or within the margin")
print(f"no tree of depth 2 and margin {proof.margin} has fewer than {proof.bound:g}")
for moment in proof.course:
    print(f"  between {moment.bound:g} and {moment.objective:g}")
