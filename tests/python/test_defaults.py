"""What a fit does if nothing is said, and the plain tree of the papers one line away."""

import numpy as np
import pytest

import softwood
from plain import fit_plain

pytestmark = pytest.mark.filterwarnings("ignore::softwood.warnings.LimitWarning")


@pytest.fixture(scope="module")
def noisy():
    """400 rows, 12 features of which two count, a tenth of the labels wrong."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(400, 12))
    y = (X[:, 0] > 0) ^ (X[:, 1] > 0) ^ (rng.random(400) < 0.1)
    return X, y


def test_penalties_are_chosen_among_one_and_four_over_32_features(noisy):
    model = softwood.fit_orct(*noisy, n_starts=4)
    table = model.report.cross_validation
    units = {round(32 * 12 * c.local_penalty * 512 / c.gamma, 9) for c in table.candidates}
    assert units == {1, 4}
    assert {c.gamma for c in table.candidates} == {128, 512, 2048}
    assert model.report.objective > model.report.loss


def test_penalties_follow_costs(noisy):
    costs = 8 * (1 - np.eye(2))
    model = softwood.fit_orct(*noisy, n_starts=4, costs=costs, gamma=512)
    table = model.report.cross_validation
    assert {c.local_penalty for c in table.candidates} == {8 / (16 * 12), 4 * 8 / (16 * 12)}
    assert not any(c.balanced for c in table.candidates)


def test_another_penalty_takes_its_place(noisy):
    fit = {"n_starts": 2, "gamma": 512, "scaling": "minmax", "balance": False}
    usual = softwood.fit_orct(*noisy, **fit, global_penalty=1e-3)
    said = fit_plain(*noisy, n_starts=2, global_penalty=1e-3)
    assert (usual.coefficients == said.coefficients).all()


def test_scaling_is_chosen_by_folds():
    rng = np.random.default_rng(0)
    X = np.exp(3 * rng.normal(size=(400, 2)))
    y = np.abs(np.log(X[:, 0])) < 1  # far too steep for a linear map
    assert softwood.fit_orct(X, y, n_starts=4).scaling == "quantile"


def test_a_plain_tree_has_nothing_but_its_loss(noisy):
    model = fit_plain(*noisy, n_starts=4)
    assert model.scaling == "minmax"
    assert model.report.objective == model.report.loss
