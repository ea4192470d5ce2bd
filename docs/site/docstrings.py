"""Docstrings as they are when softwood runs: texts and defaults filled in, roles as links."""

from __future__ import annotations

import importlib
import inspect
import re
from typing import Any

import griffe

import softwood

ROLE = re.compile(r":(?:func|class|meth|mod|attr):`~?([\w.]+)`")


class RunningDocstrings(griffe.Extension):
    """Takes docstrings from the imported package, where parameters are documented."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Replace one docstring, and the defaults of a function that stand in a table."""
        if obj.docstring is None or not (obj.is_function or obj.is_class):
            return
        running = _running(obj.path)
        obj.docstring.value = ROLE.sub(_linked, inspect.getdoc(running) or obj.docstring.value)
        if isinstance(obj, griffe.Function) and inspect.isfunction(running):
            for name, parameter in inspect.signature(running).parameters.items():
                if parameter.default is not inspect.Parameter.empty:
                    obj.parameters[name].default = repr(parameter.default)


def _running(path: str) -> Any:
    """Return what a path leads to."""
    parts = path.split(".")
    for length in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:length]))
        except ModuleNotFoundError:
            continue
        for name in parts[length:]:
            found = (
                inspect.getattr_static(found, name)
                if inspect.isclass(found)
                else getattr(found, name)
            )
        return found
    raise ModuleNotFoundError(path)


def _linked(role: re.Match[str]) -> str:
    name = role[1].removeprefix("softwood.")
    return f"[`{name}`][softwood.{name}]" if name in softwood.__all__ else f"`{role[1]}`"
