"""What the doctor says of a document's pages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from making_pdfs import Drawing

from index.doctor import page_problems
from index.models import ChunkRecord, DocumentRecord, DocumentText, PageStart
from index.records import chunk_records, document_record, document_text
from index.workers import Reading, read_one
from ingest.models import PageRun, Role, SourceFile

WHEN = datetime(2031, 8, 1, tzinfo=UTC)
Placed = tuple[Role, int]


@pytest.fixture
def paged(new_document):
    """A document of one chunk a role and page."""

    def make(placed: Sequence[Placed]) -> tuple[DocumentText, list[ChunkRecord], DocumentRecord]:
        made = new_document("d", *(((), f"Paragraph {n}.", role) for n, (role, _) in enumerate(placed)))
        chunks = [replace(e.chunk, page_starts=(PageStart(0, page),)) for e, (_, page) in zip(made.chunks, placed, strict=True)]
        starts = [*(c.source_offset for c in chunks), len(made.text.text)]
        runs = [PageRun(a, b, page) for a, b, (_, page) in zip(starts, starts[1:], placed, strict=False)]
        return replace(made.text, page_map=tuple(runs)), chunks, replace(made.record, page_count=3)

    return make


@pytest.mark.parametrize(
    "placed",
    [
        [("body", 1), ("body", 2), ("footnote", 1), ("body", 3)],
        [("body", 2), ("table", 1), ("caption", 1), ("footnote", 2), ("body", 2), ("hidden", 1)],
        [("heading", 1), ("hidden", 1), ("table", 2), ("list", 2), ("hidden", 2)],
    ],
)
def test_what_stands_apart_may_be_of_an_earlier_page_than_the_body(paged, placed):
    assert not list(page_problems(*paged(placed)))


@pytest.mark.parametrize("role", ["body", "table", "footnote", "aside", "caption", "hidden"])
def test_pages_that_fall_within_the_order_of_a_role_are_named(paged, role):
    problems = list(page_problems(*paged([("heading", 1), (role, 3), (role, 2)])))
    assert problems == ["page 2 after page 3 @28"]


def test_notes_and_captions_are_in_one_order(paged):
    assert list(page_problems(*paged([("footnote", 3), ("body", 1), ("caption", 2)]))) == ["page 2 after page 3 @28"]


@pytest.mark.parametrize(
    ("runs", "problem"),
    [
        ([(0, 12, 1), (14, 26, 2)], "no page, or two, between offsets 12 and 14"),
        ([(0, 14, 1), (14, 20, 2)], "no page from offset 20 on"),
        ([(0, 14, 1), (14, 26, 4)], "page 4 of 3"),
        ([(0, 14, 2), (14, 26, 2)], "other pages @0 than the text has there"),
    ],
)
def test_a_map_that_does_not_fit_the_text_or_its_chunks_is_named(paged, runs, problem):
    text, chunks, record = paged([("body", 1), ("body", 2)])
    broken = replace(text, page_map=tuple(PageRun(*run) for run in runs))
    assert problem in list(page_problems(broken, chunks, record))


def test_a_table_in_a_paragraph_that_runs_on_over_the_page_is_sound(tmp_path: Path, counter):
    drawing = Drawing().lines([f"The lock keeper writes of day {n} and of the barges that" for n in range(9)]).space()
    for row, cells in enumerate([("Lamp", "Oil", "Hours"), ("North", "4.5", "9"), ("South", "3.0", "6")]):
        for column, cell in enumerate(cells):
            drawing.at(50 + 90 * column, drawing.y + 16 * row, cell)
    drawing.page().lines(["came up the river without a pilot, and of those that", "waited for the tide. Then he rests."])
    file = drawing.save(tmp_path / "log.pdf")
    stat = file.stat()
    source = SourceFile(root="docs", path="log.pdf", file=file, size=stat.st_size, mtime_ns=stat.st_mtime_ns)
    reading = read_one(source, counter, ())
    assert isinstance(reading, Reading)
    record = document_record(reading, previous=None, now=WHEN)
    chunks = list(chunk_records(record, reading.document, reading.chunks, known={}, now=WHEN))
    assert [(c.role, c.page_from, c.page_to) for c in chunks] == [("body", 1, 2), ("table", 1, 1)]
    assert not list(page_problems(document_text(record.document_id, reading.document), chunks, record))
