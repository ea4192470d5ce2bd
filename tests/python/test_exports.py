"""Exports predict what `predict` predicts, on ten thousand rows, for every kind of tree."""

import ctypes
import importlib.util
import itertools
import json
import math
import shutil
import sqlite3
import subprocess
import warnings
from contextlib import nullcontext

import numpy as np
import pytest

import softwood
from softwood.export import to_c, to_dot, to_python, to_sql, to_text

ROWS = 10_000
LEVELS = {"colour col": ["r'ed", 'blü"e', "?*/"], "size": ["S", "M", "L"]}
QUICK = {"n_starts": 2, "random_state": 3}


def numbers(rows, seed=0):
    """Rows of five columns, one constant, some far from 0."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(rows, 5)) * [1, 10, 0, 1e3, 0.01] + [0, -50, 7, 1e6, 3]


def table(rows, seed=0, unseen=False):
    """Columns of every coding: numbers and text with missing values, truth, order, levels."""
    rng = np.random.default_rng(seed)
    X = numbers(rows, seed)
    columns = {"age": X[:, 0].copy(), "w": X[:, 3], "smoker": rng.random(rows) > 0.5}
    columns["age"][:: rows // 50] = np.nan
    for name, levels in LEVELS.items():
        levels = [*levels, "never seen"] if unseen else levels
        columns[name] = [str(level) for level in rng.choice(levels, rows)]
    columns["colour col"][::7] = [None] * len(columns["colour col"][::7])
    return columns


def responses(X):
    side = X[:, 0] > (X[:, 1] + 50) / 10
    return np.where(side, 3 * X[:, 0], (X[:, 1] + 50) / 10) + np.exp(X[:, 0] / 2)


def table_response(columns):
    age = np.nan_to_num(columns["age"])
    bonus = np.array([colour == 'blü"e' for colour in columns["colour col"]])
    return np.where(columns["smoker"], np.abs(age) + bonus, (columns["w"] - 1e6) / 1e3)


def classes(X):
    return np.digitize(X[:, 0] * (X[:, 1] + 50) / 10, [-0.5, 0.5])


def _fits():
    X, T = numbers(500), table(500)
    y, k = responses(X), classes(X)
    z = table_response(T)
    encoded = {"missing": "indicator", "ordered": {"size": LEVELS["size"]}}
    costs = [[0, 1, 5], [1, 0, 3], [1, 1, 0]]
    text = np.array(["a", 'b"', "c"])[k]
    bound = {"min_class_rate": {"a": 0.8}, "scaling": "minmax", "gamma": 32}
    for scaling in ("minmax", "quantile"):
        given = {"scaling": scaling, **QUICK}
        yield f"orct {scaling}", softwood.fit_orct(X, k, depth=2, gamma=32, **given)
        yield f"srt {scaling}", softwood.fit_srt(X, y, depth=2, curves=True, **given)
        yield f"orrt {scaling}", softwood.fit_orrt(X, y, depth=2, **given)
    yield (
        "costs",
        softwood.fit_orct(X, k, depth=3, costs=costs, gamma=32, scaling="minmax", **QUICK),
    )
    yield "rates", softwood.fit_orct(X, text, depth=2, **bound, **QUICK)
    yield (
        "orct table",
        softwood.fit_orct(T, z > np.median(z), depth=2, gamma=64, **encoded, **QUICK),
    )
    sums = X[:, 0] + (X[:, 1] + 50) / 10 + np.sin(X[:, 4] * 1e3)
    thirds = np.array(["a", 'b"', "c"])[np.digitize(sums, [-0.7, 0.7])]
    yield "spdt", softwood.fit_spdt(X, thirds, depth=3, split_features=3, random_state=3)
    yield "svm1 odt", softwood.fit_svm1_odt(X[:120], thirds[:120], 2, max_nodes=0)
    yield "spdt two", softwood.fit_spdt(X, (sums > 0) ^ (X[:, 0] > 1), depth=2, random_state=3)
    yield "spdt table", softwood.fit_spdt(T, z > np.median(z), **encoded, random_state=3)
    yield "srt table", softwood.fit_srt(T, z, depth=2, curves=True, **encoded, **QUICK)
    yield "orrt table", softwood.fit_orrt(T, z, depth=2, **encoded, **QUICK)


@pytest.fixture(scope="module")
def models():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", softwood.SoftwoodWarning)  # trees need not be good ones
        return dict(_fits())


KINDS = (
    *itertools.chain.from_iterable(
        ((f"orct {s}", "soft"), (f"orct {s}", "hard"), (f"srt {s}", None), (f"orrt {s}", None))
        for s in ("minmax", "quantile")
    ),
    *((name, "hard") for name in ("spdt", "spdt two", "spdt table", "svm1 odt")),
    *(("costs", "soft"), ("costs", "hard"), ("rates", "soft"), ("rates", "hard")),
    *(("orct table", "soft"), ("orct table", "hard"), ("srt table", None), ("orrt table", None)),
)


class Case:
    """A model, a routing, new rows, and what the model itself says of them."""

    def __init__(self, models, name, routing):
        self.model, self.is_table = models[name], name.endswith("table")
        self.routed = {} if routing is None else {"routing": routing}
        # Kinds with one way to route do not take it as an argument.
        asked = self.routed if isinstance(self.model, softwood.OrctModel) else {}
        if self.is_table:
            self.X = table(ROWS, seed=9, unseen=True)
            self.names = self.model.feature_names
            self.rows = list(zip(*(list(self.X[n]) for n in self.names), strict=True))
        else:
            # Some rows far outside of what training has seen.
            self.X = numbers(ROWS, seed=9) * np.where(np.arange(ROWS) % 100, 1, 30)[:, None]
            self.rows, self.names = self.X.tolist(), self.model.feature_names
        with pytest.warns() if self.is_table else nullcontext():
            self.predicted = self.model.predict(self.X, **asked)
            self.shares = self.model.predict_proba(self.X, **asked) if routing else None

    def check(self, predicted, shares=None):
        """Compare labels exactly, numbers to 1e-9."""
        if self.shares is None:
            scale = np.abs(self.predicted).max()
            assert np.abs(np.asarray(predicted, float) - self.predicted).max() < 1e-9 * scale
            return
        assert (np.asarray(predicted) == self.predicted).all()
        assert np.abs(np.asarray(shares, float) - self.shares).max() < 1e-9


@pytest.fixture(scope="module", params=KINDS, ids=lambda kind: " ".join(filter(None, kind)))
def case(models, request):
    return Case(models, *request.param)


def test_python_source_predicts_the_same(case):
    module = {}
    exec(compile(to_python(case.model, **case.routed), "tree.py", "exec"), module)
    assert module["COLUMNS"] == case.model.feature_names
    if case.shares is None:
        case.check([module["predict"](row) for row in case.rows])
        return
    labels, shares = zip(*(module["evaluate"](row) for row in case.rows), strict=True)
    case.check(labels, shares)
    assert module["predict"](case.rows[0]) == labels[0]
    assert module["predict_proba"](case.rows[0]) == shares[0]


def database(case):
    link = sqlite3.connect(":memory:")
    columns = ", ".join(f'"{name}"' for name in case.names)
    link.execute(f"CREATE TABLE measured (id INTEGER, {columns})")
    marks = ", ".join("?" * (len(case.names) + 1))
    plain = ([v.item() if hasattr(v, "item") else v for v in row] for row in case.rows)
    link.executemany(
        f"INSERT INTO measured VALUES ({marks})", ((i, *row) for i, row in enumerate(plain))
    )
    return link


def has_exp():
    try:
        sqlite3.connect(":memory:").execute("SELECT EXP(1.0)")
    except sqlite3.OperationalError:
        return False
    return True


def test_sql_predicts_the_same(case):
    soft = case.routed.get("routing", "soft") == "soft" and not hasattr(case.model, "curves")
    if soft and not has_exp():
        pytest.skip("this SQLite knows no EXP")
    given = {"keep": ["id"], "probabilities": case.shares is not None, **case.routed}
    once = sqlite3.sqlite_version_info >= (3, 35)
    query = to_sql(case.model, "measured", materialized=once, **given)
    told = sorted(database(case).execute(query).fetchall())
    assert [row[0] for row in told] == list(range(ROWS))
    case.check([row[1] for row in told], [row[2:] for row in told])


def test_a_case_expression_predicts_the_same(case):
    if case.routed.get("routing") != "hard" and not hasattr(case.model, "curves"):
        with pytest.raises(ValueError, match="give table"):
            to_sql(case.model, **({"routing": "soft"} | case.routed))
        return
    query = f"SELECT {to_sql(case.model)} FROM measured ORDER BY id"
    case.check([row[0] for row in database(case).execute(query)], case.shares)


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
def test_c_source_predicts_the_same(case, tmp_path):
    (tmp_path / "tree.c").write_text(to_c(case.model, **case.routed), encoding="utf-8")
    strict = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-O0"]
    built = tmp_path / "tree.so"
    command = ["cc", *strict, "-shared", "-fPIC", "-o", built, tmp_path / "tree.c", "-lm"]
    subprocess.run(command, check=True)
    predict = ctypes.CDLL(str(built)).tree_predict
    predict.restype = ctypes.c_double if case.shares is None else ctypes.c_int
    rows = c_rows(case)
    if case.shares is None:
        case.check([predict(row) for row in rows])
        return
    shares = np.empty((ROWS, len(case.model.classes)))
    codes = [predict(row, ctypes.c_void_p(shares[i].ctypes.data)) for i, row in enumerate(rows)]
    assert predict(rows[0], None) == codes[0]
    case.check(case.model.classes[codes], shares)


def c_rows(case):
    if not case.is_table:
        step = case.X.strides[0]
        assert case.X.flags.c_contiguous
        return [ctypes.c_void_p(case.X.ctypes.data + i * step) for i in range(ROWS)]
    kinds = [ctypes.c_char_p if name in LEVELS else ctypes.c_double for name in case.names]
    fields = [(f"f{j}", kind) for j, kind in enumerate(kinds)]
    row_type = type("Row", (ctypes.Structure,), {"_fields_": fields})

    def value(v):
        return v.encode() if isinstance(v, str) else v if v is None else float(v)

    return [ctypes.byref(row_type(*map(value, row))) for row in case.rows]


def onnx_feed(case, session):
    if not case.is_table:
        return {"X": case.X}
    feed = {}
    for name in (one.name for one in session.get_inputs()):
        values = case.X[name]
        if name in LEVELS:
            feed[name] = np.array([["" if v is None else v] for v in values], dtype=object)
        else:
            feed[name] = np.asarray(values, np.float64)[:, None]
    return feed


def test_onnx_predicts_the_same(case):
    pytest.importorskip("onnx")
    runtime = pytest.importorskip("onnxruntime")
    graph = softwood.export.to_onnx(case.model, **case.routed)
    session = runtime.InferenceSession(graph.SerializeToString())
    told = session.run(None, onnx_feed(case, session))
    assert told[-1].dtype == np.float64
    case.check(*told)


def test_missing_values_that_training_refused_are_never_predicted(models):
    model = models["orct minmax"]
    row = numbers(1)[0]
    row[1] = np.nan
    module = {}
    exec(to_python(model, routing="hard"), module)
    with pytest.raises(ValueError, match="column 'x1' is missing"):
        module["predict"](row)
    link = sqlite3.connect(":memory:")
    link.execute("CREATE TABLE t (x0, x1, x2, x3, x4)")
    link.execute("INSERT INTO t VALUES (?, ?, ?, ?, ?)", [None if v != v else v for v in row])
    assert link.execute(f"SELECT {to_sql(model)} FROM t").fetchall() == [(None,)]
    assert "isnan(row[1])" in to_c(model)


def test_onnx_tells_missing_values_by_nan(models):
    pytest.importorskip("onnx")
    runtime = pytest.importorskip("onnxruntime")
    rows = numbers(2)
    rows[0, 1] = np.nan
    for name in ("orct minmax", "srt quantile", "orrt quantile"):
        graph = softwood.export.to_onnx(models[name]).SerializeToString()
        told = runtime.InferenceSession(graph).run(None, {"X": rows})[-1]
        assert np.isnan(told[0]).all()
        assert np.isfinite(told[1]).all()


def test_trees_without_splits_or_features_are_exported_too(models):
    X, rng = numbers(200), np.random.default_rng(0)
    with pytest.warns(softwood.SoftwoodWarning):
        flat = softwood.fit_orct(X, rng.integers(0, 2, 200), depth=1, penalty=1.0, **QUICK)
    for model in (flat, only_root(models["orct minmax"]), only_root(models["orrt minmax"])):
        module = {}
        exec(to_python(model), module)
        assert module["predict"](X[0]) == pytest.approx(model.predict(X[:1])[0])
        link = sqlite3.connect(":memory:")
        link.execute("CREATE TABLE t (x0, x1, x2, x3, x4)")
        link.execute("INSERT INTO t VALUES (?, ?, ?, ?, ?)", X[0].tolist())
        (told,) = link.execute(to_sql(model, "t")).fetchone()
        assert told == pytest.approx(model.predict(X[:1])[0])
        if is_there("onnx", "onnxruntime"):
            import onnxruntime

            graph = softwood.export.to_onnx(model).SerializeToString()
            told = onnxruntime.InferenceSession(graph).run(None, {"X": X})
            assert np.allclose(told[0], model.predict(X))
    assert "(void)row" in to_c(flat)


def is_there(*packages):
    return all(importlib.util.find_spec(name) for name in packages)


def only_root(model):
    """Return the tree that has the second leaf of another alone."""
    file = json.loads(model.to_json())
    file |= {"depth": 0, "splits": [], "coefficients": [], "intercepts": []}
    for name in file:
        if name.startswith("leaf_"):
            file[name] = file[name][1:2]
    return type(model).from_json(json.dumps(file))


def test_routing_that_predict_does_not_have_is_refused(models):
    with pytest.raises(ValueError, match="OrrtModel mixes its leaves"):
        to_python(models["orrt minmax"], routing="hard")
    with pytest.raises(ValueError, match="SrtModel goes to one leaf"):
        to_c(models["srt minmax"], routing="soft")
    with pytest.raises(ValueError, match="'soft' or 'hard', got 'both'"):
        to_c(models["orct minmax"], routing="both")
    with pytest.raises(TypeError, match="exports know OrctModel"):
        to_python(3)
    with pytest.raises(ValueError, match="identifier of C"):
        to_c(models["orct minmax"], name="my tree")


def test_names_of_all_kinds_stay_harmless():
    X = numbers(200)
    names = ['a"b', "*/ x", "it's", "line\nbreak", "back\\slash"]
    model = softwood.fit_orct(X, X[:, 0] > 0, depth=1, feature_names=names, **QUICK)
    module = {}
    exec(to_python(model), module)
    assert module["predict"](X[0]) == model.predict(X[:1])[0]
    assert 'a""b' in to_sql(model, "t")
    for line in to_dot(model).splitlines():
        assert line.replace('\\"', "").count('"') % 2 == 0


def test_rules_in_words_lead_to_the_leaf_of_each_row(models):
    text = to_text(models["orct minmax"])
    leaves = models["orct minmax"].leaves
    rules = text.strip().split("\n\n")
    assert len(rules) == len(leaves)
    for rule, leaf in zip(rules, leaves, strict=True):
        depth = math.floor(math.log2(leaf + 1))
        lines = rule.splitlines()
        assert len(lines) == depth + 2
        assert [line.split()[0] for line in lines[1:-1]] == ["if", *["and"] * (depth - 1)]
        went_left = []
        while leaf:
            went_left.append(leaf % 2 == 1)
            leaf = (leaf - 1) // 2
        assert [" > " in line for line in lines[1:-1]] == went_left[::-1]
    assert "curves of" in to_text(models["srt minmax"])


def test_sums_say_what_weights_are_multiplied_with(models):
    line = next(line for line in to_text(models["orct quantile"]).splitlines() if " > " in line)
    rule = models["orct quantile"].rule(0)
    assert f"·q({rule.names[0]})" in line
    assert "·(smoker is true)" in to_text(models["spdt table"])
    assert f"q({rule.names[0]})" in to_dot(models["orct quantile"])


def test_dot_has_every_node_and_branch(models):
    model = models["orct minmax"]
    text = to_dot(model)
    for node in (*model.splits, *model.leaves):
        assert f"  n{node} [" in text
    assert text.count(" -> ") == len(model.splits) * 2


def test_estimators_in_pipelines_are_converted():
    skl2onnx = pytest.importorskip("skl2onnx")
    runtime = pytest.importorskip("onnxruntime")
    pipeline = pytest.importorskip("sklearn.pipeline")
    preprocessing = pytest.importorskip("sklearn.preprocessing")
    from skl2onnx.common.data_types import DoubleTensorType

    from softwood.sklearn import ORCTClassifier, SRTRegressor

    softwood.export.register_skl2onnx()
    X = numbers(300)
    new = numbers(500, seed=4)
    inputs = [("X", DoubleTensorType([None, 5]))]
    options = {"zipmap": False}
    for estimator, y in (
        (ORCTClassifier(**QUICK), classes(X)),
        (SRTRegressor(**QUICK), responses(X)),
    ):
        fitted = pipeline.make_pipeline(preprocessing.StandardScaler(), estimator).fit(X, y)
        is_class = hasattr(estimator, "predict_proba")
        graph = skl2onnx.convert_sklearn(
            fitted, initial_types=inputs, options={id(estimator): options} if is_class else None
        )
        told = runtime.InferenceSession(graph.SerializeToString()).run(None, {"X": new})
        if is_class:
            assert (told[0] == fitted.predict(new)).all()
            assert np.abs(told[1] - fitted.predict_proba(new)).max() < 1e-6
        else:
            assert np.abs(told[0].ravel() - fitted.predict(new)).max() < 1e-6


@pytest.mark.parametrize(("keep", "said"), [("id", "str"), (-0.0, "float"), ([1], "int")])
def test_columns_to_keep_are_named(example, keep, said):
    X, y = example
    model = softwood.fit_orct(X[:, :2], y, 1, gamma=16, n_starts=1)
    with pytest.raises(TypeError, match=f"keep must .*, got {said}"):
        to_sql(model, "measured", keep=keep)
