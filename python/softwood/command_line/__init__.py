"""The program `softwood`, also `python -m softwood`: fit, predict and show trees of CSV files."""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from collections.abc import Sequence

from .. import __version__
from ..warnings import SoftwoodWarning
from . import demo, fit, predict, show

COMMANDS = (fit, predict, show, demo)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; return the program's exit code."""
    given = _parser().parse_args(arguments)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("always", SoftwoodWarning)
            warnings.showwarning = _note
            given.run(given)
        sys.stdout.flush()
    except BrokenPipeError:
        # Whoever reads has seen enough; Python must not complain when it closes the stream.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        return _complain("interrupted", 130)
    except OSError as error:
        return _complain(f"{error.filename}: {error.strerror}" if error.filename else error, 2)
    except (TypeError, ValueError) as error:
        return _complain(error, 2)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="softwood",
        description="Globally optimized oblique decision trees. Without a command: demo.",
    )
    parser.add_argument("--version", action="version", version=f"softwood {__version__}")
    demo.add_arguments(parser)
    commands = parser.add_subparsers(title="commands", metavar="")
    for command in COMMANDS:
        text = (command.__doc__ or "").splitlines()[0]
        name = command.__name__.rpartition(".")[2]
        command.add_arguments(commands.add_parser(name, help=text, description=text))
    return parser


def _note(message: Warning | str, *_: object, **__: object) -> None:
    """Print a warning without the line of code that it came from."""
    print(f"Note: {message}", file=sys.stderr)


def _complain(text: object, code: int) -> int:
    print(f"softwood: {text}", file=sys.stderr)
    return code
