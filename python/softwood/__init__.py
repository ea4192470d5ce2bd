"""Globally optimized oblique decision trees with soft splits."""
import numpy as np
from . import _core
def fit_orct(X, y, depth=2, *, gamma=512.0, costs=None, sample_weight=None, scaling="minmax", cover_classes=True, n_starts=20, random_state=0, n_threads=None, max_iter=200, tol=1e-6, time_limit=None, progress=None):
    classes, codes = np.unique(y, return_inverse=True)
    return _core.fit_orct(X, codes.astype(np.uint32), classes, depth=depth, gamma=gamma, costs=costs, sample_weight=sample_weight, scaling=scaling, cover_classes=cover_classes, n_starts=n_starts, random_state=random_state, n_threads=n_threads, max_iter=max_iter, tol=tol, time_limit=time_limit, feature_names=None, progress=progress)
