"""The pages of the API reference: one for each part of the package, with all its public names."""

from __future__ import annotations

import importlib
from collections.abc import Iterator

import softwood

# Title of each page, and where what it lists is defined.
PAGES = {
    "functions": ("Functions", "softwood.functions", "softwood.path", "softwood.examples"),
    "models": ("Models", "softwood.models"),
    "results": (
        "Reports, rules, explanations",
        *("softwood.results", "softwood.notices", "softwood.progress", "softwood.row_groups"),
    ),
    "selection": ("Selection of rows", "softwood.selection"),
    "theory": ("Objectives", "softwood.objective"),
    "errors": ("Errors", "softwood"),
}
# Modules of their own, with a page for each.
MODULES = {
    "plotting": ("Pictures", "softwood.plotting"),
    "export": ("Exports", "softwood.export"),
    "sklearn": ("Estimators", "softwood.sklearn"),
    "warnings": ("Warnings", "softwood.warnings"),
}


def pages() -> Iterator[tuple[str, str]]:
    """Return the name and the Markdown of every page."""
    left = {name for name in softwood.__all__ if not name.startswith("__")}
    for page, (title, *homes) in PAGES.items():
        names = [name for name in sorted(left) if _is_from(getattr(softwood, name), homes)]
        left -= set(names)
        yield page, _page(title, "softwood", names)
    for page, (title, module) in MODULES.items():
        here = importlib.import_module(module)
        names = getattr(here, "__all__", None) or _own(here)
        left -= {name for name in names if getattr(softwood, name, None) is getattr(here, name)}
        yield page, _page(title, module, names)
    if left:
        raise ValueError(f"docs/site/reference.py has no page for {sorted(left)}")


def _is_from(found: object, homes: list[str]) -> bool:
    """Tell whether something is defined in one of the modules, or below one within the package."""
    module = getattr(found, "__module__", None) or ""
    return any(module == home or (module.startswith(home + ".") and "." in home) for home in homes)


def _own(module: object) -> list[str]:
    """Return the public names that a module defines itself."""
    named = vars(module).items()
    own = (name for name, found in named if _is_from(found, [module.__name__]))  # type: ignore[attr-defined]
    return sorted(name for name in own if not name.startswith("_"))


def _page(title: str, module: str, names: list[str]) -> str:
    parts = [f"::: {module}.{name}" for name in names]
    return "\n\n".join([f"# {title}", *parts]) + "\n"
