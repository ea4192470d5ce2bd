"""The public names are those promised, documented, and what the documentation shows is true."""

import ast
import doctest
import inspect
import re
import subprocess
import sys
from importlib.metadata import version

import numpy as np
import pytest

import softwood

# Fits here are short on purpose.
pytestmark = pytest.mark.filterwarnings("ignore::softwood.warnings.LimitWarning")


def test_fit_orct_has_the_promised_signature():
    assert str(inspect.signature(softwood.fit_orct)).split(" -> ")[0] == (
        "(X: 'Any', y: 'Any', depth: 'int' = 2, *, gamma: 'float | str' = 'auto', "
        "costs: 'ArrayLike | None' = None, sample_weight: 'ArrayLike | None' = None, "
        "class_weight: 'str | Mapping[Any, float] | None' = None, "
        "scaling: 'str' = 'auto', balance: 'bool | str' = 'auto', "
        "local_penalty: 'float | str' = 'auto', "
        "global_penalty: 'float' = 0.0, "
        "penalty_shape: 'str' = 'norm', "
        "penalty_parameters: 'Mapping[str, float] | None' = None, "
        "groups: 'ArrayLike | None' = None, penalty: 'float | None' = None, "
        "split_penalty: 'float | str' = 'auto', "
        "max_features: 'int | None' = None, max_leaves: 'int | None' = None, "
        "min_class_rate: 'float | Mapping[Any, float] | ArrayLike | None' = None, "
        "min_class_rate_on: 'str' = 'training', "
        "row_groups: 'Sequence[RowGroup] | RowGroup | None' = None, "
        "sensitive_features: 'ArrayLike | None' = None, "
        "cover_classes: 'bool' = True, solver: 'str' = 'full', "
        "full_iterations: 'int' = 40, proximal_weight: 'float' = 0.0, "
        "rows: 'str | RowSelection' = 'all', n_starts: 'int' = 20, "
        "random_state: 'int | None' = 0, n_threads: 'int | None' = None, max_iter: 'int' = 5000, "
        "tol: 'float' = 0.001, time_limit: 'float | None' = None, "
        "missing: 'str' = 'error', ordered: 'Mapping[str, Sequence[Any]] | None' = None, "
        "feature_names: 'Sequence[str] | None' = None, "
        "progress: 'bool | Callable[[Progress], object] | None' = None, verbose: 'bool' = False)"
    )


def test_orct_objective_has_the_promised_parameters():
    parameters = inspect.signature(softwood.OrctObjective).parameters
    assert list(parameters) == [
        *("X", "y", "leaf_classes", "depth"),
        *("gamma", "costs", "sample_weight", "scaling", "n_threads"),
    ]


def test_a_model_has_the_promised_members(model):
    methods = (
        "predict predict_proba label_probabilities leaf_probabilities apply explain importance "
        "rule describe save effects decision_path explain_path encode"
    )
    attributes = (
        "coefficients intercepts leaf_classes classes gamma depth feature_names scaling "
        "local_sparsity global_sparsity report splits leaves leaf_frequencies leaf_weights "
        "hard_frequencies decision typical_values encoded_names"
    )
    public = {name for name in dir(model) if not name.startswith("_")}
    assert public == {*methods.split(), *attributes.split(), "to_json", "from_json"}
    report = (
        "status objective loss loss_unit seconds iterations evaluations optimality "
        "start_objectives best_start constraints cross_validation scaling rows selection notices "
        "converged hard_disagreement proof"
    )
    assert {name for name in dir(model.report) if not name.startswith("_")} == set(report.split())


def test_every_public_name_has_a_docstring():
    for name in softwood.__all__:
        if name != "__version__":
            assert inspect.getdoc(getattr(softwood, name)), name


@pytest.mark.parametrize(
    "name", [name for name in softwood.__all__ if name.startswith(("fit_", "sparsity", "lambda"))]
)
def test_every_parameter_is_documented_once(name):
    function = getattr(softwood, name)
    text = inspect.getdoc(function).split("Returns\n---")[0]
    heads = [line for line in text.splitlines() if " : " in line and not line.startswith(" ")]
    named = [part for head in heads for part in head.split(" : ")[0].split(", ")]
    assert sorted(named) == sorted(inspect.signature(function).parameters)
    assert "{" not in text.replace('{"', "")


def test_the_version_is_that_of_the_distribution():
    assert softwood.__version__ == version("softwood")


def test_import_needs_nothing_but_numpy():
    code = (
        "import sys, numpy; before = set(sys.modules); import softwood;"
        "new = {m.split('.')[0] for m in set(sys.modules) - before};"
        "print(sorted(new - set(sys.stdlib_module_names)))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert set(ast.literal_eval(out.stdout)) <= {"numpy", "softwood"}


@pytest.mark.parametrize(
    "name",
    [
        *("predict", "predict_proba", "leaf_probabilities", "explain", "importance", "rule"),
        *("effects", "decision_path", "explain_path", None),
    ],
)
def test_examples_of_the_compiled_class_are_true(name):
    target = softwood.OrctModel if name is None else getattr(softwood.OrctModel, name)
    (test,) = doctest.DocTestFinder(recurse=False).find(target, name or "OrctModel")
    assert test.examples
    assert doctest.DocTestRunner().run(test).failed == 0


def test_python_m_softwood_shows_a_tree_and_its_accuracy():
    command = [sys.executable, "-W", "error", "-m", "softwood", "--starts", "2"]
    run = subprocess.run(command, capture_output=True, encoding="utf-8", check=True)
    assert run.stderr == ""
    assert any(name in run.stdout for name in softwood.load_example()[2])
    for part in ("malignant", "Held-out rows", "seconds", "softwood.fit_orct("):
        assert part in run.stdout
    accuracy = float(run.stdout.split("right (")[1].split("%")[0])
    assert accuracy > 93


def test_the_text_of_a_model_shows_its_leaves_and_its_repr_is_one_line(model):
    shown = str(model)
    leaves = re.findall(r"(?:yes|no): +(\d): ([\d.]+) rows, ([\d.]+) % errors", shown)
    of_class = model.hard_frequencies.argmax(axis=1)
    rows = model.leaf_weights.sum(axis=1)
    assert shown.count(": no rows\n") == sum(rows == 0)
    model_of = zip(of_class[rows > 0], rows[rows > 0], model.leaf_weights[rows > 0], strict=True)
    expected = [(k, n, 100 * (1 - weights[k] / n)) for k, n, weights in model_of]
    told = [tuple(map(float, leaf)) for leaf in leaves]
    assert np.array(told) == pytest.approx(np.array(expected), abs=0.5)
    assert repr(model).startswith("OrctModel(depth=2, features=4, classes=3, gamma=32")
    assert "\n" not in repr(model)
    assert "status" in str(model.report)
    assert "objective=" in repr(model.report)
