"""Write what a benchmark measured, together with what it was measured on."""

import operator
import os
import platform
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pandas as pd

RESULTS = Path(__file__).parent / "results"


def provenance(packages):
    """Command, versions and machine, without paths or dates: what a reader needs to repeat the run."""
    arguments = [_without_path(argument) for argument in sys.argv[1:]]
    return {
        "command": " ".join(["python", f"benches/{Path(sys.argv[0]).name}", *arguments]),
        "versions": ", ".join(
            [
                f"python {platform.python_version()}",
                *(f"{p} {_version(p)}" for p in ("softwood", "numpy", *packages)),
            ]
        ),
        "machine": f"{_cpu_model()}, {os.cpu_count()} cores",
    }


def target(what, measured, relation, limit):
    """One row of a table of targets; relation is "<=" or ">="."""
    met = {"<=": operator.le, ">=": operator.ge}[relation](measured, limit)
    return {
        "target": what,
        "wanted": f"{relation} {limit:g}",
        "measured": measured,
        "met": "yes" if met else "no",
    }


def provenance_comment(packages):
    """Provenance as the leading comment lines of a CSV (read back with comment="#")."""
    return "".join(f"# {key}: {value}\n" for key, value in provenance(packages).items())


def write_results(name, title, measurements, sections, packages=()):
    """results/NAME.csv holds the measurements; results/NAME.md the sections {heading: table or text}, also printed."""
    RESULTS.mkdir(exist_ok=True)
    csv = pd.DataFrame(measurements).to_csv(index=False)
    (RESULTS / f"{name}.csv").write_text(provenance_comment(packages) + csv, encoding="utf-8")
    parts = [
        f"# {title}",
        "\n".join(f"- {key}: `{value}`" for key, value in provenance(packages).items()),
    ]
    for heading, body in sections.items():
        parts += [f"## {heading}", body if isinstance(body, str) else _markdown(pd.DataFrame(body))]
    text = "\n\n".join(parts) + "\n"
    (RESULTS / f"{name}.md").write_text(text, encoding="utf-8")
    print(text)


def _markdown(table):
    lines = [table.columns, ["---"] * len(table.columns), *table.itertuples(index=False)]
    return "\n".join("| " + " | ".join(map(_cell, line)) + " |" for line in lines)


def _cell(value):
    if isinstance(value, float):
        return "–" if value != value else f"{value:.4g}"
    return str(value)


def _without_path(argument):
    if Path(argument).is_dir():
        return "DATA_FOLDER"
    return "PYTHON" if Path(argument).is_file() else argument


def _version(package):
    try:
        return version(package)
    except PackageNotFoundError:
        return "unknown"


def _cpu_model():
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(
            line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")
        )
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()
