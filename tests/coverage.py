"""Measures which lines of softwood its tests run.

    python tests/coverage.py                  # needs pytest-cov and rustup's component llvm-tools
    python tests/coverage.py --skip cargo     # what the Python tests run of both languages

Run it by a Python that has the extras `test` and `frames`. Instrumented bindings are built into
`target/coverage`; what is installed is left alone.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "target" / "coverage"
BUILD = OUT / "build"
PACKAGE = OUT / "package"
RAW = OUT / "raw"

ENV = os.environ | {
    "RUSTFLAGS": "-C instrument-coverage",
    "CARGO_TARGET_DIR": str(BUILD),
    "CARGO_PROFILE_RELEASE_LTO": "off",
    "LLVM_PROFILE_FILE": str(RAW / "%8m.profraw"),  # one file for all processes of a binary
    "PYO3_PYTHON": sys.executable,
    "PYO3_BUILD_EXTENSION_MODULE": "1",
    "PYTHONPATH": str(PACKAGE),
    "COVERAGE_FILE": str(OUT / "python.coverage"),
}


def main() -> None:
    """Build, run the tests, print both tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--skip", nargs="+", choices=["python", "cargo"], default=[])
    parser.add_argument(
        "--llvm", type=Path, help="folder of llvm-profdata and llvm-cov, if not the toolchain's"
    )
    asked = parser.parse_args()
    llvm = asked.llvm or toolchain_tools()
    shutil.rmtree(RAW, ignore_errors=True)
    binaries = []
    if "python" not in asked.skip:
        binaries.append(build_package())
        run_python_tests()
    if "cargo" not in asked.skip:
        binaries += run_rust_tests()
    report_rust(llvm, binaries)


def toolchain_tools() -> Path:
    """Find the tools that rustup's component llvm-tools brings."""
    sysroot = Path(run("rustc", "--print", "sysroot", capture=True).strip())
    found = sorted(sysroot.glob("lib/rustlib/*/bin/llvm-cov"))
    if not found:
        sys.exit("tests/coverage.py needs llvm-tools: rustup component add llvm-tools")
    return found[0].parent


def build_package() -> Path:
    """Put the package together with instrumented bindings, and return these."""
    run("cargo", "build", "--release", "-p", "softwood-py", "--features", "abi3")
    shutil.rmtree(PACKAGE, ignore_errors=True)
    shutil.copytree(ROOT / "python" / "softwood", PACKAGE / "softwood")
    bindings = PACKAGE / "softwood" / "_core.abi3.so"
    shutil.copy(BUILD / "release" / "lib_core.so", bindings)
    return bindings


def run_python_tests() -> None:
    """Run them whether or not one fails: the lines that they run are told all the same."""
    pytest = (sys.executable, "-m", "pytest", "-c", ROOT / "pyproject.toml", "--rootdir", ROOT)
    measured = ("-q", "--timeout=1200", "--cov=softwood", "--cov-report=term:skip-covered")
    run(*pytest, *measured, ROOT / "tests" / "python", check=False)


def run_rust_tests() -> list[Path]:
    """Run them, and return their binaries."""
    run("cargo", "test", "-p", "softwood", check=False)
    found = (BUILD / "debug" / "deps").iterdir()
    return [path for path in found if not path.suffix and os.access(path, os.X_OK)]


def report_rust(llvm: Path, binaries: list[Path]) -> None:
    """Print the shares of lines that all binaries together have run."""
    merged = OUT / "rust.profdata"
    run(llvm / "llvm-profdata", "merge", "-sparse", *sorted(RAW.glob("*.profraw")), "-o", merged)
    objects = [part for path in binaries for part in ("-object", path)]
    elsewhere = r"(registry|rustc|target)/|tests/"
    run(
        llvm / "llvm-cov",
        "report",
        f"-instr-profile={merged}",
        f"-ignore-filename-regex={elsewhere}",
        "-show-region-summary=false",
        "-show-branch-summary=false",
        *objects[1:],
    )


def run(*command: object, check: bool = True, capture: bool = False) -> str:
    """Run a program, and return what it says if it is captured."""
    parts = [str(part) for part in command]
    done = subprocess.run(parts, cwd=ROOT, env=ENV, check=check, text=True, capture_output=capture)
    return done.stdout or ""


if __name__ == "__main__":
    main()
