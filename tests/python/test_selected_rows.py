"""Does fit_orct on selected rows say what it did, and keep the accuracy on all rows?"""

import pickle

import numpy as np
import pytest

import softwood
from plain import fit_plain


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(4000, 3))
    y = np.where(X @ [1.0, 0.5, 0.0] > 0.8, "far", "near")
    return X, y


def test_few_rows_stand_for_all(data):
    X, y = data
    model = fit_plain(X, y, depth=1, n_starts=3, rows="selected")
    report = model.report.selection
    accuracy = (model.predict(X) == y).mean()
    assert report.accuracy == pytest.approx(accuracy)
    assert accuracy > 0.98
    assert report.share == report.rows / len(X)
    assert report.share < 0.3
    assert [step.step for step in report.rounds[:2]] == ["sample", "clusters"]
    assert all(step.step == "mistakes" for step in report.rounds[2:])
    assert "accuracy on all of them" in str(model.report)
    assert pickle.loads(pickle.dumps(model)).report == model.report


def test_without_selection_there_is_no_report_of_it(data):
    X, y = data
    model = fit_plain(X[:300], y[:300], depth=1, n_starts=1)
    assert model.report.selection is None
    assert "selection" not in str(model.report)


def test_settings_of_the_selection_are_used(data):
    X, y = data
    selection = softwood.RowSelection(sample=100, rounds=0)
    model = fit_plain(X, y, depth=1, n_starts=2, rows=selection)
    (only,) = model.report.selection.rounds
    assert only.step == "sample"
    assert 100 <= only.rows <= 102


@pytest.mark.parametrize(
    ("rows", "error", "text"),
    [
        ("some", ValueError, '"all", "selected"'),
        (3, TypeError, '"all", "selected"'),
        (softwood.RowSelection(beta1=0.0), ValueError, "beta1 must be"),
        (softwood.RowSelection(sample=0), ValueError, "sample must be"),
        (softwood.RowSelection(rounds=1.5), TypeError, "rounds must be an integer"),
    ],
)
def test_bad_selections_are_refused(data, rows, error, text):
    with pytest.raises(error, match=text):
        fit_plain(*data, rows=rows)
