"""Source code on its way: a folder with programs in it, searched and cited by lines."""

from __future__ import annotations

import pytest

from index.memory import HashingEmbedder
from index.pipeline import IngestOptions, ingest
from query.cite import cite
from query.requests import SearchRequest
from query.search import search

GATES = """\
def open_gate(name):
    return name


def closeHarbourGate(vessel_count):
    if vessel_count > 40:
        raise ValueError("too many vessels")
"""


@pytest.fixture
def reader(tmp_path, writer, counter):
    (tmp_path / "gates.py").write_text(GATES, encoding="utf-8")
    (tmp_path / "film.ts").write_bytes(b"G\x40\x00\x10\x00\x00\xb0\x0d" * 30)
    report = ingest(writer.reader, writer, HashingEmbedder(), counter, [tmp_path], IngestOptions(jobs=1))
    assert {f.path: f.status for f in report.files} == {"film.ts": "ignored", "gates.py": "ok"}
    return writer.reader


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ("open_gate", "def open_gate(name):"),
        ("vessel count > 40", "if vessel_count > 40:"),
        ("harbour gate", "def closeHarbourGate(vessel_count):"),
        ("closeHarbourGate", "def closeHarbourGate(vessel_count):"),
        ("too many vessels", 'raise ValueError("too many vessels")'),
    ],
)
@pytest.mark.parametrize("mode", ["keyword", "hybrid"])
def test_names_are_found_whole_and_by_their_parts(reader, question, line, mode):
    hit = search(reader, HashingEmbedder(), SearchRequest(query=question, mode=mode))[0]
    assert (hit.quote, hit.role) == (line, "code")
    assert (hit.locator.kind, hit.locator.start) == ("line", GATES[: GATES.index(line)].count("\n") + 1)


def test_a_line_of_code_is_cited_by_its_number(reader):
    [place] = cite(reader, "if vessel_count > 40").places
    assert (place.citation(), place.role) == ("gates.py, line 6", "code")
