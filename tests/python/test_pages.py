"""Pages of models and reports: well-formed, self-contained, nothing of the data can break them."""

import re
from html.parser import HTMLParser

import numpy as np
import pytest

import softwood
from softwood.command_line import main

VOID = {"br", "meta", "img", "source", "rect/"}
NASTY = "<script>alert('x')</script> & \"quotes\""


class Strict(HTMLParser):
    """Fails on tags that do not match; gathers tags, titles and what is referred to."""

    def __init__(self, page):
        super().__init__()
        self.open, self.tags, self.titles, self.references = [], [], [], []
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.references += [v for k, v in attributes if k in ("src", "href", "srcset")]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] == "title":
            self.titles.append(data)


def check(page):
    """Parse a page; refuse scripts and anything from elsewhere."""
    parsed = Strict(page)
    assert "script" not in parsed.tags
    assert all(one.startswith("data:") for one in parsed.references)
    assert not re.search(r"@import|url\(|https?://(?!www\.w3\.org)", page)
    return parsed


@pytest.fixture(scope="module")
def models():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    names = [NASTY, "plain", "x" * 200]
    given = {"feature_names": names, "n_starts": 2, "scaling": "minmax"}
    labels = np.where(X[:, 0] * X[:, 1] > 0, NASTY, "b")
    y = np.where(X[:, 0] > X[:, 1], 3 * X[:, 0], X[:, 1]) + np.exp(X[:, 2])
    return {
        "orct": softwood.fit_orct(X, labels, depth=2, gamma=32, **given),
        "srt": softwood.fit_srt(X, y, depth=2, curves=True, **given),
        "orrt": softwood.fit_orrt(X, y, depth=1, **given),
        "spdt": softwood.fit_spdt(X, labels, C=1.0, min_rows=5, feature_names=names),
    }


@pytest.mark.parametrize("kind", ["orct", "srt", "orrt", "spdt"])
def test_a_model_shows_itself_as_a_page_part(models, kind):
    model = models[kind]
    parsed = check(model._repr_html_())
    leaf_strips = 0 if kind in ("orct", "spdt") else len(model.leaves)
    assert parsed.tags.count("svg") == len(model.splits) + len(model.leaves)
    # A collapsible part for each split, one for its terms and one for those of each leaf's model.
    assert parsed.tags.count("details") == 2 * len(model.splits) + leaf_strips
    assert any(title.startswith(NASTY + ": ") for title in parsed.titles)


def test_titles_tell_all_coefficients(models):
    model = models["orct"]
    titles = check(model._repr_html_()).titles
    told = [title for title in titles if title.startswith("plain: ")]
    assert len(told) == len(model.splits)
    figures = sorted(float(title.removeprefix("plain: ").replace("−", "-")) for title in told)
    assert np.allclose(figures, sorted(model.coefficients[:, 1]), rtol=1e-3)


def test_a_page_part_follows_dark_and_light_themes(models):
    page = models["orct"]._repr_html_()
    assert "prefers-color-scheme:dark" in page
    assert '[data-jp-theme-light="false"]' in page


@pytest.mark.filterwarnings("ignore::softwood.SoftwoodWarning")
def test_pages_of_deep_and_wide_trees_stay_small():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 2000))
    plain = {"gamma": 32, "scaling": "minmax", "local_penalty": 0}
    model = softwood.fit_orct(X, X[:, 0] > 0, depth=2, n_starts=1, **plain)
    parsed = check(model._repr_html_())
    assert parsed.tags.count("rect") <= 201 * len(model.splits) + 3 * len(model.leaves)


@pytest.fixture
def table(tmp_path):
    rng = np.random.default_rng(0)
    age, colour = rng.normal(40, 10, 150), rng.choice(["red", "green <b>", "blue"], 150)
    ill = np.where((age > 42) ^ (colour == "red"), "ill", "well")
    lines = [
        f"{'' if i % 17 == 0 else round(a, 2)},{c},{k},{a * 2 + (c == 'red') * 30:.3f}"
        for i, (a, c, k) in enumerate(zip(age, colour, ill, strict=True))
    ]
    path = tmp_path / "patients.csv"
    path.write_text("\n".join(["age,colour <i>,outcome,cost", *lines]), encoding="utf-8")
    return path


@pytest.mark.parametrize(("target", "drop"), [("outcome", "cost"), ("cost", "outcome")])
def test_the_command_line_writes_a_report(table, tmp_path, capsys, target, drop):
    out = tmp_path / "report.html"
    command = ["fit", str(table), "--target", target, "--drop", drop, "--quiet"]
    assert main([*command, "--starts", "2", "--report", str(out)]) == 0
    assert f"Report in {out}" in capsys.readouterr().out
    page = out.read_text(encoding="utf-8")
    parsed = check(page)
    assert f"<title>{target} of patients.csv</title>" in page
    assert "9 (6 %)" in page  # missing ages
    assert "green &lt;b&gt; (" in page
    score = "balanced accuracy" if target == "outcome" else "root mean squared error"
    assert score in page
    pictures = pytest.importorskip("matplotlib") and parsed.tags.count("picture")
    assert pictures >= 3


def test_folds_hold_every_row_out_once():
    from softwood.command_line.report import FOLDS, cross_validated

    X, y = {"x": np.arange(50.0)}, np.arange(50.0)
    seen = []

    def fit(X, y, rows):
        seen.append(rows)
        return softwood.fit_srt(X, y, depth=1, n_starts=1)

    fold, told = cross_validated(X, y, fit)
    assert sorted(np.bincount(fold)) == [10] * FOLDS
    for k, rows in enumerate(seen):
        assert set(rows) == set(np.flatnonzero(fold != k))
    assert np.abs(told - y).max() < 1.0
    assert cross_validated(X, np.array(["a"] * 48 + ["b"] * 2), fit) is None
