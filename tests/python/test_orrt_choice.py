"""Randomized regression trees chosen on folds and along paths of penalties."""

import numpy as np
import pytest

import softwood


def rows(count=200, features=4, seed=0):
    X = np.random.default_rng(seed).uniform(-1, 1, (count, features))
    return X, np.where(X[:, 0] > X[:, 1], 3 * X[:, 0], 1 - X[:, 1])


def test_the_table_of_a_choice_tells_what_was_tried():
    X, y = rows()
    model = softwood.fit_orrt_cv(
        X,
        y,
        (1,),
        gammas=(16, 512),
        ridges=(None, 10.0),
        global_grid=(0, 0.05),
        n_starts=2,
        folds=3,
    )
    table = model.report.cross_validation
    assert len(table.candidates) == 8
    best = table.candidates[table.chosen]
    assert best.ridge_leaves is None
    assert model.gamma == best.gamma
    assert best.score > 0.9
    assert str(table).splitlines()[0].split()[:3] == ["depth", "scaling", "gamma"]
    groups = softwood.RowGroup(rows=X[:, 0] > 0.5, name="high", max_mean_gap=0.2)
    bounded = softwood.fit_orrt_cv(X, y, (1,), gammas=(16,), n_starts=2, row_groups=groups)
    (bound,) = bounded.report.constraints
    assert bound.feasible
    assert bounded.report.cross_validation is not None


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"depth": 2}, TypeError, "depth: chosen by cross-validation; give depths"),
        ({"gamma": 2.0}, TypeError, "gamma: chosen by cross-validation; give gammas"),
        ({"gammas": ()}, ValueError, "gammas"),
        ({"gammas": (0.0,)}, ValueError, "gamma"),
        ({"ridges": (-1.0,)}, ValueError, "ridges"),
        ({"scoring": "auc"}, ValueError, "scoring"),
        ({"local_grid": (1.0, 0.0)}, ValueError, "local_grid"),
        ({"folds": 1}, ValueError, "folds"),
    ],
)
def test_choices_that_cannot_be_made_are_refused(arguments, error, message):
    with pytest.raises(error, match=message):
        softwood.fit_orrt_cv(*rows(20), **arguments)


def test_a_path_tells_sparsity_and_score_of_every_point():
    X, y = rows()
    path = softwood.orrt_sparsity_path(
        X, y, 1, 3, [0, 0.05], X_validation=X, y_validation=y, n_starts=2, gamma=512
    )
    assert path.local_grid[0] == 0
    top = softwood.orrt_lambda_max(X, y)
    assert path.local_grid[-1] == pytest.approx(top.local_penalty)
    for i, j in np.ndindex(path.score.shape):
        model = path.models[i][j]
        errors = (model.predict(X) - y) ** 2
        assert path.score[i, j] == pytest.approx(1 - errors.sum() / ((y - y.mean()) ** 2).sum())
        assert path.global_sparsity[i, j] == model.global_sparsity
    assert path.global_sparsity[1, 0] >= 50
    assert len(path.rows()) == 8
    full = softwood.orrt_sparsity_path(X, y, 1, [0], None, n_starts=1, gamma=16)
    assert len(full.global_grid) == 19
    assert full.global_sparsity[-1, 0] == 100
    for given in ({"X_validation": X}, {"y_validation": y}):
        with pytest.raises(ValueError, match="go together"):
            softwood.orrt_sparsity_path(X, y, 1, [0], [0], **given)
    with pytest.raises(TypeError, match="give local_grid"):
        softwood.orrt_sparsity_path(X, y, 1, local_penalty=1.0)


def test_lambda_max_is_twice_the_largest_covariance():
    X, y = rows()
    U = (X - X.min(axis=0)) / np.ptp(X, axis=0)
    covariances = abs(((U - U.mean(axis=0)) * (y - y.mean())[:, None]).mean(axis=0)) / y.std()
    top = softwood.orrt_lambda_max(X, y)
    assert top.local_penalty == pytest.approx(2 * covariances.max())
    assert top.global_penalty == pytest.approx(2 * covariances.max())
    grouped = softwood.orrt_lambda_max(X, y, groups=[0, 0, 1, 1])
    assert grouped.global_penalty == pytest.approx(2 * covariances[:2].sum())
