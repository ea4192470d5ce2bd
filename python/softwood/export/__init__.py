"""Models for use elsewhere: rules in words, DOT, SQL, ONNX, and source in Python and C."""

from .c_source import to_c
from .onnx_graph import to_onnx
from .python_source import to_python
from .rules import to_dot, to_text
from .sklearn_onnx import register_skl2onnx
from .sql import to_sql

__all__ = ["register_skl2onnx", "to_c", "to_dot", "to_onnx", "to_python", "to_sql", "to_text"]
