"""The same question gives the same answer, byte for byte."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from pincite import Library
from query.serialise import json_text

pytestmark = pytest.mark.real
QUESTION = "who pays interest on a late payment, and from when"


def answer(library: Library, mode: str) -> str:
    return json_text({**library.search(QUESTION, mode=mode, top_k=20).to_dict(), "elapsed_ms": None})


@pytest.mark.parametrize("mode", ["hybrid", "semantic", "keyword", "strict"])
def test_a_hundred_times_after_opening_again_and_from_a_copy_the_answer_is_the_same(
    sample_library: Path, tmp_path: Path, mode: str
) -> None:
    with Library.open(sample_library) as library:
        [first] = {answer(library, mode) for _ in range(100)}
    shutil.copytree(sample_library, tmp_path / "copy")
    for folder in (sample_library, tmp_path / "copy"):
        with Library.open(folder) as library:
            assert answer(library, mode) == first
    assert json.loads(first)["hits"] or mode == "strict"
