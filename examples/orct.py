"""Fits a classification tree, judges it on held-out rows, explains one of them, keeps the tree."""

import tempfile
from pathlib import Path

import softwood

X, y, names = softwood.load_example()
X_train, y_train, X_test, y_test = X[::2], y[::2], X[1::2], y[1::2]

model = softwood.fit_orct(X_train, y_train, n_starts=8, feature_names=names)
print(model)
print(f"accuracy on held-out rows: {(model.predict(X_test) == y_test).mean():.1%}")

unsure = model.predict_proba(X_test).max(axis=1).argmin()
print("the least certain of them:", model.predict_proba(X_test)[unsure].round(2))
for split in model.explain_path(X_test[unsure]):
    print(split)

with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "tree.json"
    model.save(path)
    assert softwood.load(path) == model
print("saved, loaded: the same tree to the bit")
