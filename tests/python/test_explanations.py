"""Do paths, contributions and effects tell what predictions do?"""

import numpy as np
import pytest

import softwood
from plain import fit_plain

# Quick fits of few rows are all that is needed.
pytestmark = [
    pytest.mark.filterwarnings("ignore::softwood.warnings.EmptyLeavesWarning"),
    pytest.mark.filterwarnings("ignore::softwood.warnings.LimitWarning"),
]


@pytest.fixture(scope="module")
def regression(three):
    X, _ = three
    return softwood.fit_srt(X, X[:, 0] * X[:, 1] + X[:, 3], depth=3, n_starts=3, curves=True)


def log_odds(P):
    return np.log(P / (1 - P))


def set_back(model, X, j):
    X = X.copy()
    X[:, j] = model.typical_values[j]
    return X


def test_typical_values_are_medians_of_the_data(model, three):
    X = three[0]
    medians = np.quantile(X, 0.5, axis=0, method="inverted_cdf")
    np.testing.assert_array_equal(model.typical_values, medians)
    odd = softwood.fit_srt(X[:201], X[:201, 0], depth=1, n_starts=1)
    np.testing.assert_array_equal(odd.typical_values, np.median(X[:201], axis=0))


def test_weights_count_as_repetitions_in_typical_values(three):
    X, y = three
    weight = np.arange(300) % 4
    few = {"depth": 1, "n_starts": 1, "max_iter": 1}
    weighted = fit_plain(X, y, cover_classes=False, sample_weight=weight, **few)
    again = np.repeat(np.arange(300), weight)
    repeated = fit_plain(X[again], y[again], cover_classes=False, **few)
    np.testing.assert_array_equal(weighted.typical_values, repeated.typical_values)


def test_typical_values_are_kept_in_files(model, regression):
    for kept in (model, regression):
        again = type(kept).from_json(kept.to_json())
        np.testing.assert_array_equal(again.typical_values, kept.typical_values)


def test_effects_are_differences_of_log_odds(model, three):
    X = three[0]
    effects = model.effects(X)
    assert effects.shape == (300, 3, 4)
    before = log_odds(model.predict_proba(X))
    for j in range(4):
        change = before - log_odds(model.predict_proba(set_back(model, X, j)))
        sure = abs(before) < 12  # 1 − P has digits
        np.testing.assert_allclose(effects[:, :, j][sure], change[sure], rtol=1e-5, atol=1e-5)
    assert not effects[:, :, 2].any()  # constant


def test_effects_are_differences_of_predictions(regression, three):
    X = three[0]
    effects = regression.effects(X)
    for j in range(4):
        change = regression.predict(X) - regression.predict(set_back(regression, X, j))
        np.testing.assert_allclose(effects[:, j], change, atol=1e-9)


def test_contributions_do_not_vanish_where_derivatives_do(example):
    X, y = example
    model = fit_plain(X, y, depth=1, n_starts=2)
    width = np.ptp(X, axis=0)
    # Derivatives of most rows are nothing even per range of the feature; contributions are not.
    small = abs(model.explain(X) * width).max(axis=(1, 2)) < 1e-3
    assert small.mean() > 0.5
    for x in X[small]:
        (split,) = model.explain_path(x)
        assert abs(split.contributions[0]) > 0.5


def test_the_number_of_threads_changes_no_effect(model, regression, three):
    X = np.tile(three[0], (70, 1))
    for some in (model, regression):
        np.testing.assert_array_equal(
            some.effects(X, n_threads=1)[:300], some.effects(X, n_threads=2)[-300:]
        )


def test_paths_lead_from_the_root_to_the_leaf(model, regression, three):
    X = three[0]
    for some in (model, regression):
        paths = some.decision_path(X)
        assert paths.shape == (300, some.depth + 1)
        assert (paths[:, 0] == 0).all()
        assert (paths[:, 1:] - 2 * paths[:, :-1]).min() == 1
        assert (paths[:, 1:] - 2 * paths[:, :-1]).max() == 2
        assert set(paths[:, -1]) <= set(some.leaves)
    leaf = np.array(regression.leaves)[regression.apply(X)]
    np.testing.assert_array_equal(regression.decision_path(X)[:, -1], leaf)


def test_contributions_add_up_to_margins(model, regression, three):
    X = three[0]
    for some in (model, regression):
        for x, path in zip(X[:40], some.decision_path(X[:40]), strict=True):
            splits = some.explain_path(x)
            assert [split.node for split in splits] == list(path[:-1])
            for split, following in zip(splits, path[1:], strict=True):
                total = split.base + sum(split.contributions)
                assert total == pytest.approx(split.margin, rel=1e-9, abs=1e-9)
                assert split.probability == pytest.approx(1 / (1 + np.exp(-split.margin)))
                assert following == 2 * split.node + (1 if split.goes_left else 2)
                assert split.values == tuple(x[list(split.features)])
                assert split.typical == tuple(some.typical_values[list(split.features)])
                assert 2 not in split.features
                assert list(map(abs, split.contributions)) == sorted(
                    map(abs, split.contributions), reverse=True
                )


def test_a_path_is_told_in_the_users_names_and_units():
    pandas = pytest.importorskip("pandas")
    X, y, names = softwood.load_example()
    frame = pandas.DataFrame(X, columns=list(names))
    model = fit_plain(frame, y, depth=1, n_starts=2)
    (split,) = model.explain_path(frame.iloc[:1])
    assert split == model.explain_path(X[0])[0] == model.explain_path(frame.iloc[0])[0]
    head, first, *_ = str(split).splitlines()
    assert head.startswith(f"[0] goes {'left' if split.goes_left else 'right'}: log odds of left ")
    assert first.strip().startswith(f"{split.names[0]} = ")
    assert "(typical " in first
    assert str(split).endswith(" more: " + str(split).rsplit(": ")[-1])


@pytest.mark.parametrize(
    ("x", "message"),
    [
        (np.zeros((2, 4)), "x must be one row, got 2"),
        (np.zeros((0, 4)), "x must be one row, got 0"),
        (np.zeros(3), "3"),
        ([1.0, 2.0, np.nan, 4.0], "NaN|nan"),
        (np.zeros((1, 1, 4)), "two dimensions"),
    ],
)
def test_what_is_not_one_row_is_refused(model, x, message):
    with pytest.raises(ValueError, match=message):
        model.explain_path(x)


def test_extreme_rows_and_few_rows_are_explained():
    wide = np.random.default_rng(1).normal(size=(6, 40))
    labels = np.array([0, 1, 0, 1, 0, 1])
    for model in (
        fit_plain(wide, labels, depth=1, n_starts=2),
        softwood.fit_srt(wide, labels.astype(float), depth=1, n_starts=2),
    ):
        for far in (1e300, -1e300):
            row = np.full((1, 40), far)
            assert np.isfinite(model.effects(row)).all()
            (split,) = model.explain_path(row)
            total = split.base + sum(split.contributions)
            size = sum(map(abs, split.contributions))
            assert abs(total - split.margin) <= 1e-12 * size
        assert model.effects(np.empty((0, 40))).shape[0] == 0
        assert model.decision_path(np.empty((0, 40))).shape == (0, 2)


def test_explanations_of_many_rows_are_those_of_each():
    X = np.random.default_rng(0).normal(size=(70_000, 20))
    model = softwood.fit_srt(X[:500], X[:500, 0] * X[:500, 1], depth=2, n_starts=1)
    for method in (model.explain, model.effects):
        assert (method(X)[60_000:] == method(X[60_000:])).all()
        X[69_999, 3] = np.nan
        with pytest.raises(ValueError, match=r"69999.* 3"):
            method(X)
        X[69_999, 3] = 0.0
