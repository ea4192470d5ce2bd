"""The estimators of softwood.sklearn for skl2onnx, so that pipelines with them can be converted."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from .formula import Classes, formula_of
from .onnx_graph import DOUBLE, ML_DOMAIN, Graph, is_matrix, whole_graph


def register_skl2onnx() -> None:
    """Make `skl2onnx.to_onnx` know the estimators of softwood, alone and at the end of pipelines.

    They are to be fitted to numbers; rows are a matrix of doubles (``DoubleTensorType``), or of
    single precision, which is widened first.

    Raises
    ------
    ImportError
        If skl2onnx is missing.
    """
    try:
        from skl2onnx import update_registered_converter
    except ImportError:
        raise ImportError("register_skl2onnx needs skl2onnx: pip install skl2onnx") from None
    from .. import sklearn as estimators

    for name in estimators.__all__:
        estimator = getattr(estimators, name)
        if not hasattr(estimator, "fit"):
            continue
        options = (
            {"zipmap": [True, False, "columns"]} if hasattr(estimator, "predict_proba") else {}
        )
        update_registered_converter(
            estimator, f"Softwood{name}", _shapes, _convert, options=options
        )


def _shapes(operator: Any) -> None:
    from skl2onnx.common.data_types import DoubleTensorType, Int64TensorType, StringTensorType

    formula = formula_of(operator.raw_operator)
    rows = operator.inputs[0].get_first_dimension()
    if not isinstance(formula.at_leaves, Classes):
        operator.outputs[0].type = DoubleTensorType([rows, 1])
        return
    labels = formula.at_leaves.labels
    is_text = isinstance(labels[0], str)
    operator.outputs[0].type = (StringTensorType if is_text else Int64TensorType)([rows])
    operator.outputs[1].type = DoubleTensorType([rows, len(labels)])


def _convert(scope: Any, operator: Any, container: Any) -> None:
    from onnx.helper import np_dtype_to_tensor_dtype

    formula = formula_of(operator.raw_operator)
    if not is_matrix(formula):
        raise ValueError(
            "skl2onnx converts estimators that were fitted to numbers; softwood.export.to_onnx "
            "writes the model of a table with other columns, encoding included"
        )

    def emit(kind: str, inputs: list[str], outputs: list[str], settings: dict[str, Any]) -> None:
        domain = ML_DOMAIN if kind == "LabelEncoder" else ""
        name = scope.get_unique_operator_name(kind)
        container.add_node(kind, inputs, outputs, op_domain=domain, name=name, **settings)

    def keep(name: str, values: NDArray[Any]) -> None:
        is_text = values.dtype == object
        kind = 8 if is_text else np_dtype_to_tensor_dtype(values.dtype)
        content = [text.encode() for text in values] if is_text else values.ravel().tolist()
        container.add_initializer(name, kind, list(values.shape), content)

    graph = Graph(emit, keep, scope.get_unique_variable_name("softwood") + "/")
    matrix = graph.add("Cast", operator.inputs[0].full_name, to=DOUBLE)
    whole_graph(formula, graph, matrix, [output.full_name for output in operator.outputs])
