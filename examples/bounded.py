"""Fits a tree that must recognize nine tenths of a rare class, and tells the price."""

import numpy as np

import softwood

rng = np.random.default_rng(11)
y = np.where(np.arange(600) % 8 == 0, "ill", "well")
X = rng.uniform(size=(600, 2)) + 0.5 * (y == "ill")[:, None]

plain = {"depth": 1, "n_starts": 4, "gamma": 512, "scaling": "minmax", "local_penalty": 0}
for name, bound in (("without", None), ("with", {"ill": 0.9})):
    model = softwood.fit_orct(X, y, min_class_rate=bound, **plain)
    right = model.predict(X) == y
    ill, well = right[y == "ill"].mean(), right[y == "well"].mean()
    print(f"{name} a bound: {ill:.1%} of the ill and {well:.1%} of the well told right")
    for constraint in model.report.constraints:
        print(" ", constraint)
