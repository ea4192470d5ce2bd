"""Finds the two of 2,000 features that matter, in sparse rows, by a sparse perceptron tree."""

import numpy as np

import softwood

try:
    from scipy.sparse import csr_array
except ImportError:  # SciPy makes the sparse rows; softwood itself does without it
    csr_array = np.asarray

rng = np.random.default_rng(5)
X = rng.poisson(0.02, (400, 2000)).astype(float)
X[:, [7, 1900]] = rng.integers(0, 4, (400, 2))
y = X[:, 7] > X[:, 1900]

model = softwood.fit_spdt(csr_array(X), y, C=10.0, budget=2)
print(model)
print("features:", model.features_.tolist())
print(f"{(model.predict(csr_array(X)) == y).mean():.1%} of the rows told right")
