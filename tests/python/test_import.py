"""What `import softwood` brings along."""

import subprocess
import sys

import pytest

LOADED = "import sys; before = set(sys.modules); import softwood; print(*set(sys.modules) - before)"


@pytest.fixture(scope="module")
def loaded():
    """Names of the modules that the import adds."""
    command = [sys.executable, "-c", LOADED]
    return set(subprocess.run(command, capture_output=True, text=True, check=True).stdout.split())


def test_numpy_alone_is_loaded(loaded):
    packages = {name.partition(".")[0] for name in loaded}
    assert packages - sys.stdlib_module_names == {"numpy", "softwood"}


def test_the_program_and_the_estimators_are_not_loaded(loaded):
    assert not {"softwood.command_line", "softwood.sklearn"} & loaded
