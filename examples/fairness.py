"""Fits a tree that selects women and men at nearly the same rate, and one that need not."""

import numpy as np

import softwood

rng = np.random.default_rng(0)
sex = rng.choice(["f", "m"], 1000)
X = np.column_stack([rng.normal(size=1000), rng.normal(size=1000) + (sex == "m")])
y = X.sum(axis=1) + rng.normal(size=1000) > 1

women = softwood.RowGroup(where="f", compared_with="m", max_selection_gap={True: 0.05})
groups = {"row_groups": [women, softwood.RowGroup(where="m")], "sensitive_features": sex}
for name, bounds in (("without", {}), ("with", groups)):
    model = softwood.fit_orct(X, y, 1, n_starts=4, gamma=128, scaling="minmax", **bounds)
    told = model.predict(X)
    print(
        f"{name} a bound: selected {told[sex == 'f'].mean():.1%} of the women,",
        f"{told[sex == 'm'].mean():.1%} of the men; {(told == y).mean():.1%} told right",
    )
