"""scikit-learn's callbacks: told of every start, and able to end the fit."""

import numpy as np
import pytest

pytest.importorskip("sklearn.callback", reason="scikit-learn 1.9 and later have callbacks")
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV

from plain import PLAIN
from softwood.sklearn import ORCTClassifier, SRTRegressor

QUICK = PLAIN | {"depth": 1, "n_starts": 6}


class Notes:
    """Writes down what it is told; asks for the end after `most` starts."""

    def __init__(self, most=None):
        self.most, self.told, self.rows, self.score = most, [], None, None

    def setup(self, estimator, context):
        self.told.append("setup")

    def teardown(self, estimator, context):
        self.told.append("teardown")

    def on_fit_task_begin(self, estimator, context):
        self.told.append(f"{context.task_name} begins")

    def on_fit_task_end(self, estimator, context, *, X, y, metadata, fitted_estimator):
        self.told.append(f"{context.task_name} ends")
        if fitted_estimator is not None:
            self.rows, self.score = X.shape, fitted_estimator.score(X, y)
        return self.most is not None and self.told.count("start ends") >= self.most


def test_every_start_is_a_task(example):
    notes = Notes()
    tree = ORCTClassifier(**QUICK).set_callbacks(notes).fit(*example)
    starts = ["start begins", "start ends"] * 6
    ends = ["search ends", "fit ends", "teardown"]
    assert notes.told == ["setup", "fit begins", "search begins", *starts, *ends]
    assert notes.rows == (569, 30)
    assert notes.score == tree.score(*example)


def test_callbacks_do_not_change_the_tree(example):
    X = example[0]
    told = SRTRegressor(depth=1, n_starts=4).set_callbacks(Notes()).fit(X[:, 1:], X[:, 0])
    alone = SRTRegressor(depth=1, n_starts=4).fit(X[:, 1:], X[:, 0])
    assert (told.model_.coefficients == alone.model_.coefficients).all()


@pytest.mark.parametrize("settings", [PLAIN, {"gamma": 512}], ids=["at once", "after a choice"])
def test_a_callback_ends_the_fit_with_the_best_tree_so_far(example, settings):
    notes = Notes(most=1)
    X, y = np.tile(example[0], (4, 1)), np.tile(example[1], 4)
    tree = ORCTClassifier(depth=3, n_starts=400, **settings).set_callbacks(notes).fit(X, y)
    assert tree.model_.report.status == "cancelled"
    assert notes.told[-3:-1] == ["search ends", "fit ends"]
    assert notes.told[-1] == "teardown"
    assert tree.score(X, y) > 0.85


def test_progress_is_shown_beside_callbacks(example):
    states = []
    tree = ORCTClassifier(progress=states.append, **QUICK).set_callbacks(Notes())
    tree.fit(*example)
    assert states[-1].starts_done == states[-1].starts == 6


def test_callbacks_of_a_search_reach_the_trees(example):
    from sklearn.callback import ProgressBar

    pytest.importorskip("rich")
    search = GridSearchCV(ORCTClassifier(**QUICK), {"depth": [1, 2]}, cv=2)
    assert search.set_callbacks(ProgressBar()).fit(*example).best_score_ > 0.9


def test_an_error_leaves_nothing_fitted(example):
    notes = Notes()
    tree = ORCTClassifier(gamma=-1).set_callbacks(notes)
    with pytest.raises(ValueError, match="gamma"):
        tree.fit(*example)
    assert notes.told[-1] == "teardown"
    with pytest.raises(NotFittedError):
        tree.predict(example[0])
