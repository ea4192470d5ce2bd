"""The code in the documentation runs, page by page from the first block to the last."""

import re
from pathlib import Path

import pytest

import softwood

ROOT = Path(__file__).parents[2]
PAGES = sorted(path for path in (ROOT / "README.md", *(ROOT / "docs").glob("*.md")))
NEEDED = {"estimators.md": "sklearn", "pictures.md": "matplotlib"}


def blocks(page):
    """Return the Python of a page, with lines where they are on it."""
    text = page.read_text(encoding="utf-8")
    for found in re.finditer(r"^```python\n(.*?)^```", text, flags=re.MULTILINE | re.DOTALL):
        yield "\n" * text[: found.start(1)].count("\n") + found[1]


@pytest.mark.filterwarnings("ignore::softwood.SoftwoodWarning")
@pytest.mark.parametrize("page", [p for p in PAGES if any(blocks(p))], ids=lambda page: page.name)
def test_code_blocks_run(page, tmp_path, monkeypatch):
    if page.name in NEEDED:
        needed = pytest.importorskip(NEEDED[page.name])
        if needed.__name__ == "matplotlib":
            needed.use("agg")
    monkeypatch.chdir(tmp_path)
    # Few rows, so that it takes moments: blocks show calls, not figures.
    X, y, names = softwood.load_example()
    monkeypatch.setattr(softwood, "load_example", lambda: (X[::4].copy(), y[::4].copy(), names))
    module = {}
    for block in blocks(page):
        exec(compile(block, page.name, "exec"), module)


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
