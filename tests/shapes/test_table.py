"""What holds for every shape; and docs/SHAPES.md names every field of each."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from ingest.errors import UsageError
from query.shapes import SHAPES

PAGE = (Path(__file__).parents[2] / "docs" / "SHAPES.md").read_text(encoding="utf-8")


def rows(shape: str) -> set[str]:
    """The names in the first column of the shape's table."""
    table = PAGE.split(f"## `{shape}`")[1].split("\n## ")[0]
    first = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    return {name for cell in first for name in re.findall(r"`(\w+)`", cell)}


@pytest.mark.parametrize("shape", SHAPES)
def test_the_page_has_a_row_for_every_field_and_no_other(hit, shape):
    assert rows(shape) == set(hit(via="cites", graph_depth=1).as_shape(shape))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("mode", ["hybrid", "semantic", "keyword", "strict"])
def test_a_response_is_a_list_of_its_hits_in_json(ask, shape, mode):
    shaped = ask("berth", mode=mode, min_similarity=0.0).as_shape(shape)
    assert shaped
    assert json.loads(json.dumps(shaped, allow_nan=False)) == shaped
    assert ask("", mode=mode).as_shape(shape) == []


def test_an_unknown_shape_is_refused_with_the_names_of_the_known(hit):
    with pytest.raises(UsageError, match="retrieval"):
        hit().as_shape("circle")
