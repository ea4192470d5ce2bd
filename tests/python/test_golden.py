"""Models of format 2, as they were written when their kinds were new, still say what they said."""

import json
from pathlib import Path

import numpy as np
import pytest

import softwood
from softwood.models.base import TreeModel

FOLDER = Path(__file__).parents[1] / "golden"
KEPT = json.loads((FOLDER / "predictions_format_2.json").read_text(encoding="utf-8"))


def test_there_is_one_of_every_kind():
    public = [getattr(softwood, name) for name in dir(softwood)]
    kinds = {kind for kind in public if isinstance(kind, type) and issubclass(kind, TreeModel)}
    assert {type(softwood.load(FOLDER / f"{name}_format_2.json")) for name in KEPT} == kinds


@pytest.mark.parametrize("name", KEPT)
def test_golden_models_say_what_they_said(name):
    model = softwood.load(FOLDER / f"{name}_format_2.json")
    rows = KEPT[name]["rows"]
    rows = rows if isinstance(rows, dict) else np.array(rows)
    for what, said in KEPT[name]["said"].items():
        found = getattr(model, what)(rows)
        if found.dtype.kind == "f":
            np.testing.assert_allclose(found, np.array(said, float), rtol=1e-12, atol=1e-200)
        else:
            assert found.tolist() == said
