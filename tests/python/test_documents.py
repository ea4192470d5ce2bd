"""The code in the documentation runs, page by page from the first block to the last."""

import re
import sys
from pathlib import Path

import pytest

import page_code
import softwood

ROOT = Path(__file__).parents[2]
PAGES = sorted((ROOT / "README.md", *(ROOT / "docs").rglob("*.md")))


def has_code(page):
    return any(page_code.blocks(page.read_text(encoding="utf-8")))


@pytest.mark.filterwarnings("ignore::softwood.SoftwoodWarning")
@pytest.mark.parametrize("page", [p for p in PAGES if has_code(p)], ids=lambda page: page.name)
def test_code_blocks_run(page, tmp_path, monkeypatch):
    text = page.read_text(encoding="utf-8")
    if "sklearn" in text:
        pytest.importorskip("sklearn")
    if "softwood.plotting" in text:
        pytest.importorskip("matplotlib").use("agg")
    monkeypatch.chdir(tmp_path)
    # Few rows, so that it takes moments: blocks show calls, not figures.
    X, y, names = softwood.load_example()
    monkeypatch.setattr(softwood, "load_example", lambda: (X[::4].copy(), y[::4].copy(), names))
    module = {}
    for block in page_code.blocks(text):
        exec(compile(block, page.name, "exec"), module)
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


def test_links_between_pages_lead_somewhere():
    for page in PAGES:
        text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
        for target in re.findall(r"\]\(([^)#:]+)\)", text):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_every_promise_is_held_by_files_that_are_there():
    page = (ROOT / "docs" / "promises.md").read_text(encoding="utf-8")
    rows = [row for row in page.splitlines() if row.startswith("| **")]
    assert len(rows) > 10
    for row in rows:
        held_by = re.findall(r"`(tests/[^`]*|deny\.toml)`", row.rpartition(" | ")[2])
        assert held_by, row
        for name in held_by:
            assert (ROOT / name).exists(), name
