"""Tables as they come: columns of any kind, by any library, in training and after."""

import datetime
import decimal
import pickle
import warnings

import numpy as np
import pandas as pd
import pytest

import softwood
from softwood.warnings import UnseenLevelsWarning

# Fits here are short on purpose.
pytestmark = [
    pytest.mark.filterwarnings("ignore::softwood.warnings.LimitWarning"),
    pytest.mark.filterwarnings("ignore::softwood.warnings.OneClassWarning"),
]

QUICK = {"depth": 2, "n_starts": 2, "scaling": "minmax", "max_iter": 60}


def pyarrow_table(columns):
    return pytest.importorskip("pyarrow").table(columns)


def polars_frame(columns):
    return pytest.importorskip("polars").DataFrame(columns)


LIBRARIES = {
    "mapping": dict,
    "pandas": pd.DataFrame,
    "polars": polars_frame,
    "pyarrow": pyarrow_table,
}


@pytest.fixture(scope="module")
def columns():
    """Columns of every kind."""
    rng = np.random.default_rng(5)
    return {
        "age": rng.normal(40, 10, 200).round(1),
        "colour": rng.choice(["red", "green", "blue"], 200).tolist(),
        "smoker": rng.random(200) < 0.4,
        "size": rng.choice(["S", "M", "L"], 200).tolist(),
        "count": rng.integers(0, 9, 200),
    }


@pytest.fixture(scope="module")
def y(columns):
    red = np.array(columns["colour"]) == "red"
    return np.where(red & (columns["age"] > 38) | columns["smoker"], "yes", "no")


@pytest.fixture(scope="module")
def dummies(columns):
    """The same by hand: all levels, bools as they are."""
    frame = pd.DataFrame(columns)
    sizes = frame["size"].map({"S": 0, "M": 1, "L": 2})
    colours = pd.get_dummies(frame["colour"])
    parts = [frame[["age"]], colours, frame[["smoker"]], sizes, frame[["count"]]]
    return pd.concat(parts, axis=1).to_numpy(float)


SIZES = {"size": ["S", "M", "L"]}


@pytest.fixture(scope="module")
def model(columns, y):
    return softwood.fit_orct(columns, y, ordered=SIZES, **QUICK)


@pytest.fixture(scope="module")
def regression(columns, y):
    response = columns["age"] / 10 + 2.0 * (y == "yes")
    return softwood.fit_srt(columns, response, depth=1, n_starts=2, ordered=SIZES)


@pytest.mark.parametrize("library", LIBRARIES)
def test_every_library_gives_the_model_of_hand_made_dummies(columns, y, dummies, library, model):
    table = LIBRARIES[library](columns)
    fitted = softwood.fit_orct(table, y, ordered=SIZES, **QUICK)
    by_hand = softwood.fit_orct(dummies, y, **QUICK)
    assert fitted.coefficients.tobytes() == by_hand.coefficients.tobytes()
    assert fitted.intercepts.tobytes() == by_hand.intercepts.tobytes()
    assert fitted.encode(table).tobytes() == dummies.tobytes()
    assert (fitted.predict_proba(table) == by_hand.predict_proba(dummies)).all()
    assert fitted.feature_names == ["age", "colour", "smoker", "size", "count"]
    assert fitted.encoded_names == [
        *("age", "colour is blue", "colour is green", "colour is red"),
        *("smoker is true", "size", "count"),
    ]
    assert (fitted.predict(columns) == model.predict(table)).all()


@pytest.mark.parametrize("library", LIBRARIES)
def test_missing_values_are_filled_and_marked_in_every_library(columns, y, library):
    holes = {name: list(column) for name, column in columns.items()}
    for name, row in (("age", 3), ("colour", 5), ("smoker", 7), ("count", 0)):
        holes[name][row] = None
    table = LIBRARIES[library](holes)
    with pytest.raises(ValueError, match=r'missing in column "age" \(row 3\), column "colour" \('):
        softwood.fit_orct(table, y, **QUICK)
    model = softwood.fit_orct(table, y, missing="indicator", **QUICK)
    features = dict(zip(model.encoded_names, model.encode(table).T, strict=True))
    typical = dict(zip(model.feature_names, model.typical_values, strict=True))
    assert features["age"][3] == typical["age"] == np.median(np.delete(columns["age"], 3)).round(1)
    for name, row in (("age", 3), ("colour", 5), ("smoker", 7), ("count", 0)):
        marked = features[f"{name} is missing"]
        assert marked.sum() == marked[row] == 1
    assert "size is missing" not in features
    assert features[f"colour is {typical['colour']}"][5] == 1
    # A column without holes in training is filled, too.
    holes["size"][1] = None
    again = model.encode(LIBRARIES[library](holes))
    assert again.shape == model.encode(table).shape
    (split, *_) = model.explain_path({name: column[3] for name, column in holes.items()})
    assert dict(zip(split.names, split.values, strict=True)).get("age") is None


def typed_tables(holes):
    """The same columns with holes, in the types that libraries have for them."""
    pandas = pd.DataFrame(holes)
    nullable = {"count": "Int64", "age": "Float64", "smoker": "boolean", "colour": "string"}
    yield "pandas, nullable", pandas.astype(nullable)
    yield "pandas, categories", pandas.astype({"colour": "category", "smoker": "category"})
    yield "pandas, objects", pandas.astype(object)
    pl, pa = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    polars = pl.DataFrame(holes)
    levels = pl.Enum(["blue", "green", "red"])
    yield "polars, categories", polars.with_columns(pl.col("colour").cast(pl.Categorical))
    yield "polars, enum", polars.with_columns(pl.col("colour").cast(levels))
    yield "polars, decimals", polars.with_columns(pl.col("age").cast(pl.Decimal(9, 1)))
    arrow = pa.table(holes)
    colours = arrow["colour"].dictionary_encode()
    yield "pyarrow, dictionary", arrow.set_column(1, "colour", colours)
    yield "pyarrow, batch", arrow.to_batches()[0]


def test_types_of_all_libraries_read_alike(columns, y):
    holes = {name: list(np.asarray(column).tolist()) for name, column in columns.items()}
    for name, row in (("age", 3), ("colour", 5), ("smoker", 7), ("count", 0)):
        holes[name][row] = None
    model = softwood.fit_orct(holes, y, missing="indicator", **QUICK)
    expected = model.encode(holes)
    for kind, table in typed_tables(holes):
        assert (model.encode(table) == expected).all(), kind
        fitted = softwood.fit_orct(table, y, missing="indicator", depth=1, n_starts=1)
        assert fitted.encoded_names == model.encoded_names, kind


def test_arrays_with_missing_values_are_filled(columns, y):
    X = np.column_stack([columns["age"], columns["count"]]).astype(float)
    X[4, 1] = np.nan
    with pytest.raises(ValueError, match=r"X\[4, 1\] is NaN"):
        softwood.fit_orct(X, y, **QUICK)
    model = softwood.fit_orct(X, y, missing="indicator", **QUICK)
    assert model.encoded_names == ["x0", "x1", "x1 is missing"]
    expected = model.predict_proba(X)
    assert (model.predict_proba(pd.DataFrame(X, columns=["a", "b"])) == expected).all()
    named = softwood.fit_orct(X, y, missing="indicator", feature_names=["a", "b"], **QUICK)
    assert (named.predict_proba(pd.DataFrame(X, columns=["a", "b"])[["b", "a"]]) == expected).all()
    assert (named.predict_proba(X) == expected).all()


def test_categories_of_pandas_keep_what_they_say(columns, y):
    frame = pd.DataFrame(columns)
    frame["size"] = pd.Categorical(frame["size"], ["S", "M", "L"], ordered=True)
    frame["colour"] = frame["colour"].astype("category").cat.add_categories(["never"])
    frame["count"] = frame["count"].astype("category")
    model = softwood.fit_orct(frame, y, **QUICK)
    assert "size" in model.encoded_names
    assert "colour is never" not in model.encoded_names
    assert "count is 3" in model.encoded_names
    plain = {name: list(column) for name, column in columns.items()}
    assert (model.predict_proba(plain) == model.predict_proba(frame)).all()


def test_columns_are_found_by_their_names(model, columns):
    expected = model.predict_proba(columns)
    swapped = dict(reversed(columns.items()))
    assert (model.predict_proba(swapped) == expected).all()
    assert (model.predict_proba(pd.DataFrame(swapped)) == expected).all()
    array = pd.DataFrame(columns).to_numpy(object)
    assert (model.predict_proba(array) == expected).all()  # without names, by their order
    assert (model.predict_proba(array.tolist()) == expected).all()
    lacking = {name: column for name, column in columns.items() if name != "size"}
    with pytest.raises(ValueError, match=r'it lacks "size"$'):
        model.predict(lacking)
    with pytest.raises(ValueError, match='it lacks "size" and has "sizes" besides'):
        model.predict(lacking | {"sizes": columns["size"]})
    with pytest.raises(ValueError, match='it has "hat" besides'):
        model.predict(columns | {"hat": columns["size"]})
    with pytest.raises(ValueError, match="X has 4 columns but the model was fitted on 5"):
        model.predict(array[:, :4])


def test_levels_never_seen_are_warned_of_and_none_of_those_seen(model, columns):
    row = {name: list(column[:2]) for name, column in columns.items()}
    row["colour"] = ["mauve", "red"]
    with pytest.warns(UnseenLevelsWarning, match=r"'colour' .* in 1 of 2 rows: 'mauve'; they"):
        features = model.encode(row)
    assert features[0, 1:4].tolist() == [0, 0, 0]
    assert features[1, 1:4].tolist() == [0, 0, 1]
    with pytest.warns(UnseenLevelsWarning) as caught:
        model.predict(row)
    assert caught[0].filename == __file__


def test_models_of_tables_are_kept_whole(model, regression, columns, tmp_path):
    for tree in (model, regression):
        tree.save(tmp_path / "tree.json")
        loaded = softwood.load(tmp_path / "tree.json")
        for same in (
            loaded,
            pickle.loads(pickle.dumps(tree)),
            type(tree).from_json(tree.to_json()),
        ):
            assert same == tree
            assert same.encoded_names == tree.encoded_names
            assert (same.predict(columns) == tree.predict(columns)).all()


def test_explanations_speak_of_the_columns(model, regression, columns):
    few = {name: column[:10] for name, column in columns.items()}
    assert model.effects(few).shape == model.explain(few).shape == (10, 2, 5)
    assert regression.effects(few).shape == regression.explain(few).shape == (10, 5)
    assert model.importance().shape == regression.importance(of="leaves").shape == (5,)
    assert np.isnan(model.explain(few)[:, :, 1:3]).all()
    assert np.isfinite(model.explain(few)[:, :, [0, 3, 4]]).all()
    typical = dict(zip(model.feature_names, model.typical_values, strict=True))
    assert typical["colour"] in ("red", "green", "blue")
    assert typical["size"] == "M"
    back = few | {"colour": [typical["colour"]] * 10}
    change = regression.predict(few) - regression.predict(back)
    np.testing.assert_allclose(regression.effects(few)[:, 1], change, atol=1e-9)
    p, q = (np.log(model.predict_proba(t)) @ [-1, 1] for t in (few, back))
    np.testing.assert_allclose(model.effects(few)[:, 1, 1], p - q, atol=1e-6)


def test_a_row_is_explained_by_its_own_values(model, columns):
    row = {name: column[0] for name, column in columns.items()}
    forms = (
        row,
        {name: [value] for name, value in row.items()},
        list(row.values()),
        pd.DataFrame(columns).iloc[0],
        pd.DataFrame(columns).iloc[:1],
    )
    explained = [model.explain_path(form) for form in forms]
    assert all(splits == explained[0] for splits in explained)
    for split in explained[0]:
        assert split.base + sum(split.contributions) == pytest.approx(split.margin)
        told = dict(zip(split.names, split.values, strict=True))
        for name, value in told.items():
            assert value == row[name]
            assert isinstance(value, (bool, float, str))
            assert f"{name} = " in str(split)
    assert any("colour" in split.names for split in explained[0])
    with pytest.raises(ValueError, match="x must be one row, got 200"):
        model.explain_path(columns)


def test_rules_are_of_the_encoded_features(model, columns):
    rule = model.rule(0)
    assert [model.encoded_names[j] for j in rule.features] == list(rule.names)
    score = model.encode(columns)[:, rule.features] @ rule.weights
    goes_left = model.decision_path(columns)[:, 1] == 1
    assert ((score > rule.threshold) == goes_left).all()
    indicators = {n for n, m in zip(rule.names, rule.measures, strict=True) if m == "indicator"}
    assert indicators <= {*model.encoded_names[1:4], "smoker is true"}
    assert "5 columns as 7 features" in str(model)


def test_a_column_leaves_as_a_whole(columns, y):
    settings = QUICK | {"depth": 1, "gamma": 64}
    top = softwood.lambda_max(columns, y, depth=1, gamma=64, ordered=SIZES).global_penalty
    model = softwood.fit_orct(columns, y, global_penalty=0.1 * top, ordered=SIZES, **settings)
    assert 0 < model.global_sparsity < 100
    assert model.global_sparsity == 100 - 20 * (model.importance() > 0).sum()
    hand_made = softwood.fit_orct(
        model.encode(columns), y, global_penalty=0.1 * top, groups=[0, 1, 1, 1, 2, 3, 4], **settings
    )
    assert (model.coefficients == hand_made.coefficients).all()
    together = softwood.fit_orct(
        columns, y, global_penalty=0.1 * top, ordered=SIZES, groups=[0, 1, 1, 2, 2], **settings
    )
    by_hand = softwood.fit_orct(
        model.encode(columns), y, global_penalty=0.1 * top, groups=[0, 1, 1, 1, 1, 2, 2], **settings
    )
    assert (together.coefficients == by_hand.coefficients).all()
    with pytest.raises(ValueError, match="groups must be one id for each column of X, got 2 ids"):
        softwood.fit_orct(columns, y, groups=[0, 1], **settings)


def test_few_features_are_few_columns(columns, y):
    model = softwood.fit_orct(columns, y, max_features=2, ordered=SIZES, **QUICK)
    assert 0 < (model.importance() > 0).sum() <= 2
    assert model.global_sparsity >= 60


def test_paths_and_choices_take_tables(columns, y):
    half = {name: column[:100] for name, column in columns.items()}
    other = {name: column[100:] for name, column in columns.items()}
    path = softwood.sparsity_path(
        half, y[:100], 1, [0, 1e-3], [0], X_validation=other, y_validation=y[100:], n_starts=1
    )
    tree = path.models[0][0]
    assert path.score[0, 0] == (tree.predict(other) == y[100:]).mean()
    chosen = softwood.fit_orct_cv(
        pd.DataFrame(columns), y, depths=(1,), gammas=(64,), local_grid=(0,), n_starts=1
    )
    assert chosen.feature_names == list(columns)
    selected = softwood.fit_orct(columns, y, rows="selected", **QUICK)
    assert selected.feature_names == list(columns)


def test_a_weight_is_a_repetition_of_the_row(columns, y):
    weights = np.arange(200) % 3
    weights[np.array(columns["colour"]) == "blue"] = 0
    again = {name: np.repeat(np.asarray(column), weights) for name, column in columns.items()}
    weighed = softwood.fit_orct(columns, y, sample_weight=weights, **QUICK)
    repeated = softwood.fit_orct(again, np.repeat(y, weights), **QUICK)
    assert weighed.encoded_names == repeated.encoded_names
    assert "colour is blue" not in weighed.encoded_names
    assert weighed.typical_values.tolist() == repeated.typical_values.tolist()


BAD = {
    "numbers and text": (
        {"a": [1, 2, "?", 4]},
        TypeError,
        r"'a' .* row 0 .* 1 \(int\), row 2 .*'\?'",
    ),
    "bools and text": ({"a": [True, "no", None, "x"]}, TypeError, r"one kind, row 0 holds True"),
    "text of numbers": (
        {"age": [str(i) for i in range(30)] + ["?"] * 10},
        ValueError,
        r'"age" holds text, but 30 of its 31 levels are numbers \(row 30: "\?"\)',
    ),
    "names of rows": (
        {"id": [f"id{i}" for i in range(100_000)]},
        ValueError,
        r'"id" has 100000 levels, at most 1000 are allowed; put rare',
    ),
    "all missing": ({"a": [None] * 4, "b": [1, 2, 3, 4]}, ValueError, r'missing in column "a"'),
    "names that are no strings": ({1: [1, 2], "b": [3, 4]}, TypeError, r"strings, got 1"),
    "dates": (
        {"d": [datetime.datetime(2020, 1, 1)] * 4},
        TypeError,
        r"'d' .* row 0 holds datetime",
    ),
    "dates of NumPy": ({"d": np.zeros(4, "M8[D]")}, TypeError, r"'d' .* dates or times"),
    "complex": ({"c": np.zeros(4, complex)}, TypeError, r"'c' .* got dtype complex128"),
    "bytes": ({"b": [b"x"] * 4}, TypeError, r"'b' .* row 0 holds b'x' \(bytes\)"),
    "lists": ({"l": [["x"], "y"]}, (TypeError, ValueError), r"'l' of X must"),
    "two dimensions": ({"m": np.zeros((4, 2))}, ValueError, r"'m' .* one dimension, got 2"),
    "other lengths": ({"a": [1, 2], "b": [1]}, ValueError, r"column 'b' of X has 1 rows"),
    "infinite": ({"a": [1.0, np.inf], "b": ["x", "y"]}, ValueError, r'"a" .* row 1 holds inf'),
    "no columns": ({}, ValueError, r"at least one row and one column"),
    "no rows": ({"a": [], "b": []}, ValueError, r"at least one row and one column"),
    "a masked column": ({"a": np.ma.masked_all(4)}, TypeError, r"'a' .* masked"),
    "a huge number": ({"a": [10**400, "x"][:1] * 4}, ValueError, r"'a' .* too large"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_tables_are_refused_by_column_and_row(case):
    table, error, message = BAD[case]
    rows = len(next(iter(table.values()), []))
    with pytest.raises(error, match=message):
        softwood.fit_orct(table, np.arange(rows) % 2, depth=1, n_starts=1)
    if case == "all missing":
        with pytest.raises(ValueError, match='column "a" holds no values; leave it out'):
            softwood.fit_orct(table, [0, 1, 0, 1], depth=1, missing="indicator")


def test_bad_settings_of_tables_are_refused(columns, y):
    for settings, error, message in (
        ({"missing": "drop"}, ValueError, "missing must be 'error' or 'indicator', got 'drop'"),
        ({"missing": None}, TypeError, "missing must be"),
        ({"ordered": ["size"]}, TypeError, "ordered must be a mapping"),
        ({"ordered": {"size": "SML"}}, TypeError, "ordered must be a mapping"),
        ({"ordered": {"size": ["S", 1]}}, TypeError, "levels that are text, numbers or bools"),
        ({"ordered": {"size": ["S", "M"]}}, ValueError, '"size" must hold none but .* holds "L"'),
        ({"ordered": {"age": ["S", "M"]}}, ValueError, '"age", whose numbers are in order'),
        ({"ordered": {"hat": ["S", "M"]}}, ValueError, '"hat", which X does not have'),
        ({"sample_weight": np.zeros(200)}, ValueError, "sample_weight is zero for all 200"),
        ({"sample_weight": -np.ones(200)}, ValueError, r"sample_weight\[0\] is -1"),
        ({"sample_weight": np.ones(3)}, ValueError, "200 rows but sample_weight has 3"),
    ):
        with pytest.raises(error, match=message):
            softwood.fit_orct(columns, y, **QUICK, **settings)


def test_sparse_rows_are_no_tables(model, columns, y):
    sparse = pytest.importorskip("scipy.sparse")
    matrix = sparse.csr_array(np.eye(200)[:, :5])
    for refused in (
        lambda: model.predict(matrix),
        lambda: softwood.fit_orct(matrix, y, missing="indicator"),
    ):
        with pytest.raises(TypeError, match="X must be dense, got a sparse csr_array"):
            refused()


def test_targets_with_missing_values_are_refused(columns, y):
    frame = pd.DataFrame(columns)
    labels = pd.Series(y, dtype=object)
    labels[4] = None
    with pytest.raises(ValueError, match=r"y\[4\] is None; every row needs a label"):
        softwood.fit_orct(frame, labels, **QUICK)
    response = columns["age"].copy()
    response[4] = np.nan
    with pytest.raises(ValueError, match=r"y\[4\] is NaN"):
        softwood.fit_srt(frame, response)


def test_frames_with_bad_names_are_refused(columns, y):
    frame = pd.DataFrame(columns)
    with pytest.raises(ValueError, match="two columns of X are called 'age'; names must be"):
        softwood.fit_orct(frame.set_axis(["age", "b", "c", "age", "e"], axis=1), y)
    with pytest.raises(TypeError, match="called by strings, got 4"):
        softwood.fit_orct(frame.set_axis(["a", "b", "c", "d", 4], axis=1), y)
    numbered = softwood.fit_orct(frame.set_axis(range(5), axis=1), y, **QUICK)
    assert numbered.feature_names == ["x0", "x1", "x2", "x3", "x4"]
    assert (numbered.predict(frame) == numbered.predict(frame.to_numpy(object))).all()
    with pytest.raises(TypeError, match="column 'colour' must hold numbers, got"):
        softwood.select_extreme_points(frame)


def test_kinds_that_change_after_training_are_refused(model, columns):
    for name, values, message in (
        ("age", ["old", "new"], r'"age" must hold numbers, row 0 holds "old"'),
        ("colour", [3.0, 4.0], r'"colour" must hold text, row 0 holds 3'),
        ("smoker", ["yes", "no"], r'"smoker" must hold truth values, row 0 holds "yes"'),
        ("smoker", [1, 2], r'"smoker" must hold truth values, row 1 holds 2'),
        ("count", [1.0, np.nan], r'missing in column "count" \(row 1\)'),
    ):
        table = {n: c[:2] for n, c in columns.items()} | {name: values}
        with pytest.raises(ValueError, match=message):
            model.predict(table)
    table = {n: c[:2] for n, c in columns.items()}
    same = table | {"smoker": columns["smoker"][:2].astype(int)}
    assert (model.predict_proba(same) == model.predict_proba(table)).all()


def test_the_smallest_tables_are_fitted():
    model = softwood.fit_orct({"c": ["a", "b"]}, [0, 1], depth=1, n_starts=2, scaling="minmax")
    assert model.predict({"c": ["a", "b"]}).tolist() == [0, 1]
    constant = softwood.fit_orct(
        {"c": ["a"] * 6, "d": [1, None, 2, 3, 4, 5]},
        [0, 1] * 3,
        depth=1,
        missing="indicator",
        sample_weight=np.full(6, 1e-307),
        n_starts=1,
        scaling="minmax",
    )
    assert np.isfinite(constant.predict_proba({"c": ["a"], "d": [None]})).all()
    wide = {f"c{j}": [f"{i * j % 5}" for i in range(6)] for j in range(9)}
    for settings in ({"global_penalty": 1e100}, {"depth": 10, "time_limit": 0.2}):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", softwood.SoftwoodWarning)
            tree = softwood.fit_orct(wide, [0, 1] * 3, n_starts=1, **settings)
        assert np.isfinite(tree.predict_proba(wide)).all()
    decimals = {"d": [decimal.Decimal(i) for i in range(4)], "t": list("abab")}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", softwood.SoftwoodWarning)
        line = softwood.fit_srt(decimals, [0.0, 1, 2, 3], depth=1, n_starts=1)
    np.testing.assert_allclose(line.predict(decimals), [0, 1, 2, 3], atol=0.1)


def test_files_with_levels_of_any_text_come_back(tmp_path):
    texts = ['"quoted"', "with, comma", "π ≤ 3", " ", "missing", "true", "1"]
    table = {"a text": texts * 3}
    y = ([0, 1] * 11)[:21]
    model = softwood.fit_orct(table, y, depth=1, n_starts=1)
    model.save(tmp_path / "m.json")
    same = softwood.load(tmp_path / "m.json")
    assert (same.predict_proba(table) == model.predict_proba(table)).all()
    assert 'a text is "quoted"' in same.encoded_names


@pytest.mark.parametrize("fit", [softwood.fit_spdt, softwood.fit_svm1_odt])
def test_hard_trees_have_typical_values_of_all_columns(fit):
    rng = np.random.default_rng(2)
    months = ["may", "june", "july", "august"]
    share = [0.2, 0.2, 0.2, 0.4]
    table = {"x": rng.normal(3, 1, 60), "month": rng.choice(months, 60, p=share).tolist()}
    for y in (table["x"] > 3, np.array(table["month"]) == "may"):
        x, month = fit(table, y, depth=1).typical_values
        assert x == pytest.approx(np.sort(table["x"])[29])
        assert month == "august"
