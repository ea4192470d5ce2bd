"""Fits a regression tree with a linear model in each leaf, after choosing its depth on folds."""

import numpy as np

import softwood

rng = np.random.default_rng(3)
outside, sun = rng.uniform(-15, 25, 500), rng.uniform(0, 800, 500)
# Power of a heating: none above 15 degrees, twice as steep in frost, less in the sun.
power = np.select(
    [outside > 15, outside < 0],
    [0.0, 3 - 0.4 * outside - 0.001 * sun],
    3 - 0.2 * outside - 0.001 * sun,
)
X = {"outside": outside, "sun": sun}
train, test = slice(0, 300), slice(300, 500)


def rows(part):
    return {name: column[part] for name, column in X.items()}


model = softwood.fit_srt_cv(rows(train), power[train], depths=(1, 2), curves=(False,))
print(model)
for leaf in range(len(model.leaves)):
    print(model.leaf_model(leaf))
error = model.predict(rows(test)) - power[test]
print(f"root mean squared error on held-out rows: {np.sqrt((error**2).mean()):.3f}")
