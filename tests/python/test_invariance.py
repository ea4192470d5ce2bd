"""Units and origins of columns that lose no digits change nothing."""

import numpy as np
import pytest

import softwood

# Fits here are short on purpose.
pytestmark = pytest.mark.filterwarnings("ignore::softwood.warnings.SoftwoodWarning")

FITS = {
    "fit_orct": {"n_starts": 3},
    "fit_orrt": {"n_starts": 2},
    "fit_srt": {"n_starts": 3},
}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("fit", FITS)
def test_units_and_origins_that_lose_no_digits_change_nothing(fit, seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(-50, 50, size=(80, 3)).astype(float)
    y = X[:, 0] + X[:, 1] * X[:, 2] / 25 + rng.normal(size=80)
    if fit == "fit_orct":
        y = np.digitize(y, [-20, 20])
    expected = getattr(softwood, fit)(X, y, random_state=seed, **FITS[fit])
    for change in (
        lambda X: X * 2.0 ** np.array([-30, 0, 17]),
        lambda X: X + np.array([1000, -7, 0]),
    ):
        found = getattr(softwood, fit)(change(X), y, random_state=seed, **FITS[fit])
        assert found.coefficients.tobytes() == expected.coefficients.tobytes()
        assert (found.predict(change(X)) == expected.predict(X)).all()
