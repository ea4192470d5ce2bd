"""Runs every check of softwood: `python3 tests/run.py` (needs Python >= 3.10 and Rust)."""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / "target" / "venv"
EMPTY = ROOT / "target" / "venv-empty"
WHEELS = ROOT / "target" / "wheels"
PROGRAMS = "Scripts" if os.name == "nt" else "bin"
PYTHON = VENV / PROGRAMS / "python"
FREE_THREADED = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))
# The oldest scikit-learn that softwood supports, or that this Python has.
OLDEST_SKLEARN = "1.6.*" if sys.version_info < (3, 14) else "1.7.*"

ENV = {k: v for k, v in os.environ.items() if k not in ("PYTHONHOME", "PYTHONPATH")} | {
    "PYO3_PYTHON": str(PYTHON),  # the bindings are checked for the environment's Python
    "PYTHONUTF8": "1",  # sources and messages hold mathematical symbols
    "MATURIN_PEP517_ARGS": "--locked",  # as the workflow builds the wheels
    "SCIPY_ARRAY_API": "1",  # or scikit-learn leaves out a check of estimators
    "RUSTDOCFLAGS": "-D warnings",
    "NO_MKDOCS_2_WARNING": "1",
}


def main() -> None:
    """Run the steps in order, stop at the first that fails, print a line for each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--skip", nargs="+", choices=["rust", "lint", "docs"], default=[])
    skip = parser.parse_args().skip
    if not shutil.which("cargo"):
        sys.exit("tests/run.py needs a Rust toolchain: cargo is not on the PATH")

    lines = []
    # Where the installed package is tested: no folder above holds its source.
    with tempfile.TemporaryDirectory(prefix="softwood-") as outside:
        for group, name, step in steps(Path(outside), extras(skip)):
            if group in skip or (group == "docs" and not builds_site(skip)):
                continue
            print(f"\n=== {name}", flush=True)
            start = time.monotonic()
            try:
                step()
                verdict = "ok"
            except subprocess.CalledProcessError as error:
                verdict = f"FAILED (exit code {error.returncode})"
            lines.append(f"{name:16}{time.monotonic() - start:8.1f} s  {verdict}")
            if verdict != "ok":
                break
    print("\n" + "\n".join(lines))
    sys.exit(verdict != "ok")


def extras(skip: list[str]) -> str:
    """Name what is installed beside the wheel."""
    wanted = {"test": True, "lint": "lint" not in skip}
    # Not all that these need has wheels for free-threaded Python.
    wanted |= {"frames": not FREE_THREADED, "docs": builds_site(skip)}
    return ",".join(name for name, is_wanted in wanted.items() if is_wanted)


def builds_site(skip: list[str]) -> bool:
    """Tell whether the documentation is built."""
    return "docs" not in skip and not FREE_THREADED


def steps(outside: Path, extras: str) -> list:
    """List (group, name, function) in order."""
    pytest = ("pytest", "-c", ROOT / "pyproject.toml", "--rootdir", ROOT)
    return [
        ("python", "environment", make_environment),
        ("rust", "rustfmt", lambda: run("cargo", "fmt", "--all", "--check")),
        ("rust", "clippy", lambda: cargo("clippy", "--all-targets", "--", "-D", "warnings")),
        ("rust", "predict only", lint_without_training),
        ("rust", "rustdoc", lambda: cargo("doc", "--no-deps")),
        ("rust", "cargo test", lambda: cargo("test")),
        ("rust", "Rust examples", run_examples),
        ("python", "wheel", build_wheel),
        ("python", "install", lambda: install_wheel(extras)),
        ("lint", "ruff check", lambda: python("ruff", "check")),
        ("lint", "ruff format", lambda: python("ruff", "format", "--check")),
        ("lint", "mypy", lambda: python("mypy")),
        ("lint", "stubtest", lambda: python("mypy.stubtest", "softwood._core", cwd=outside)),
        ("python", "pytest", lambda: python(*pytest, ROOT / "tests" / "python", cwd=outside)),
        (
            "python",
            "doctests",
            lambda: python(*pytest, "--doctest-modules", "--pyargs", "softwood", cwd=outside),
        ),
        ("python", "examples", lambda: run_python_examples(outside)),
        ("docs", "documentation", lambda: python("mkdocs", "build", "--strict", "--quiet")),
        ("python", "NumPy alone", lambda: try_with_numpy_alone(outside)),
        ("python", "oldest sklearn", lambda: test_with_oldest_sklearn(pytest, outside)),
    ]


def make_environment() -> None:
    """Make the virtual environment, unless there is one of this very Python."""
    stamp = VENV / "made_by.txt"
    made_by = f"{sys.executable} {sys.version}"
    if stamp.exists() and stamp.read_text(encoding="utf-8") == made_by:
        return
    run(sys.executable, "-m", "venv", "--clear", VENV)
    python("pip", "install", "--quiet", "--upgrade", "pip")
    stamp.write_text(made_by, encoding="utf-8")


def lint_without_training() -> None:
    """Build the crate as a service that only predicts does."""
    serve = ("--no-default-features", "--lib", "--example", "serve", "--example", "named_values")
    run("cargo", "clippy", "-p", "softwood", *serve, "--", "-D", "warnings")


def run_examples() -> None:
    """Run the Rust examples, as `cargo test` has built them."""
    for path in sorted((ROOT / "crates" / "softwood" / "examples").glob("*.rs")):
        run("cargo", "run", "--profile", "test", "-p", "softwood", "--example", path.stem)


def run_python_examples(outside: Path) -> None:
    """Run the Python examples with the package that was installed."""
    for path in sorted((ROOT / "examples").glob("*.py")):
        run(PYTHON, path, cwd=outside)


def build_wheel() -> None:
    """Build the wheel as pip does for a user: optimized, with a maturin of its own."""
    shutil.rmtree(WHEELS, ignore_errors=True)
    python("pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", WHEELS, ROOT)
    kind = "*" if FREE_THREADED else "cp310-abi3-*"
    if not list(WHEELS.glob(f"softwood-*-{kind}.whl")):
        sys.exit(f"no wheel for every Python from 3.10 on: {os.listdir(WHEELS)}")


def install_wheel(extras: str) -> None:
    """Install the wheel just built in place of an earlier one, with the tools of `extras`."""
    python("pip", "uninstall", "--quiet", "--yes", "softwood")
    python("pip", "install", "--quiet", f"{the_wheel()}[{extras}]")


def the_wheel() -> Path:
    """Find the wheel that was built."""
    (wheel,) = WHEELS.glob("softwood-*.whl")
    return wheel


def try_with_numpy_alone(outside: Path) -> None:
    """Install the wheel into an empty environment, where it must do its main job."""
    run(sys.executable, "-m", "venv", "--clear", EMPTY)
    empty = EMPTY / PROGRAMS / "python"
    run(empty, "-m", "pip", "install", "--quiet", the_wheel())
    run(EMPTY / PROGRAMS / "softwood", "demo", "--starts", "2", cwd=outside)


def test_with_oldest_sklearn(pytest: tuple, outside: Path) -> None:
    """Test the estimators in the same environment, beside the oldest scikit-learn."""
    empty = EMPTY / PROGRAMS / "python"
    tools = (f"scikit-learn=={OLDEST_SKLEARN}", "pandas", "pytest", "pytest-timeout")
    run(empty, "-m", "pip", "install", "--quiet", f"{the_wheel()}[sklearn]", *tools)
    tests = sorted((ROOT / "tests" / "python").glob("test_sklearn*.py"))
    run(empty, "-m", *pytest, *tests, cwd=outside)


def cargo(command: str, *arguments: str) -> None:
    """Run a command of cargo over the workspace."""
    run("cargo", command, "--workspace", *arguments)


def python(module: str, *arguments: object, cwd: Path = ROOT) -> None:
    """Run a module by the Python of the virtual environment."""
    run(PYTHON, "-m", module, *arguments, cwd=cwd)


def run(*command: object, cwd: Path = ROOT) -> None:
    """Run a program to its end; raise CalledProcessError if it fails."""
    subprocess.run([str(part) for part in command], cwd=cwd, env=ENV, check=True)


if __name__ == "__main__":
    main()
