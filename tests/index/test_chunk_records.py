"""A chunk's record comes back as it was written, from this format and from those before."""

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from index.chunk_records import chunk_of, chunk_of_columns, record_json
from index.models import ChunkRecord, PageStart
from ingest.models import SilentRange, Span, Unit

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
PLACE = st.integers(0, 10**6)
SPANS = st.builds(lambda start, length: Span(start, start + length), PLACE, PLACE)
TIMES = st.datetimes(timezones=st.just(UTC))
CHUNKS = st.builds(
    ChunkRecord,
    chunk_id=TEXT,
    document_id=st.just("d1"),
    ordinal=PLACE,
    section_path=st.lists(TEXT, max_size=3).map(tuple),
    source_offset=PLACE,
    content=TEXT,
    role=st.sampled_from(["body", "heading", "hidden", "table", "code"]),
    units=st.lists(
        st.builds(Unit, span=SPANS, role=st.sampled_from(["body", "list", "caption"]), partial=st.booleans()), max_size=3
    ).map(tuple),
    context=st.lists(SPANS, max_size=2).map(tuple),
    silent=st.lists(
        st.builds(lambda at, text: SilentRange(start=at, end=at + 1, replacement=text), PLACE, TEXT), max_size=2
    ).map(tuple),
    page_starts=st.lists(st.builds(PageStart, PLACE, PLACE), max_size=2).map(tuple),
    line_from=st.none() | PLACE,
    cautions=st.lists(TEXT, max_size=2).map(tuple),
    kind=st.sampled_from(["section", "note", "property"]),
    origin=st.sampled_from(["derived", "authored"]),
    authored_by=st.none() | TEXT,
    remembered_at=st.none() | TIMES,
    units_remembered_at=st.lists(TIMES, max_size=2).map(tuple),
    root=st.just("papers"),
    source_document=st.just("a/b.pdf"),
)  # fmt: skip


@given(CHUNKS)
def test_a_record_comes_back_as_it_was_written(chunk: ChunkRecord) -> None:
    assert chunk_of(chunk.content, record_json(chunk), {"d1": ("papers", "a/b.pdf")}) == chunk


def test_what_is_empty_takes_no_room() -> None:
    chunk = ChunkRecord(
        chunk_id="c", document_id="d1", ordinal=0, section_path=(), source_offset=0, content="", role="body", units=()
    )
    assert set(json.loads(record_json(chunk))) == {"chunk_id", "document_id", "ordinal", "source_offset", "role", "kind", "origin"}


@pytest.mark.parametrize(
    "units", [[{"start": 3, "end": 9, "role": "body", "partial": True}], [3, 9, 1]], ids=["structs", "flat numbers"]
)
def test_a_chunk_of_an_older_format_is_read_from_its_columns(units: list[object]) -> None:
    row = {
        "chunk_id": "c", "document_id": "d1", "ordinal": 2, "section_path": ["A", "B"], "source_offset": 3, "content": "Fees.",
        "role": "body", "units": units, "context": [{"start": 0, "end": 2}],
        "silent": [{"start": 1, "end": 2, "replacement": "x"}], "page_starts": [{"offset": 0, "page": 7}], "line_from": None,
        "cautions": ["ocr"], "kind": "section", "origin": "derived", "authored_by": None, "remembered_at": datetime(2024, 5, 1),
    }  # fmt: skip
    assert chunk_of_columns(row, {"d1": ("papers", "a.pdf")}) == ChunkRecord(
        chunk_id="c",
        document_id="d1",
        ordinal=2,
        section_path=("A", "B"),
        source_offset=3,
        content="Fees.",
        role="body",
        units=(Unit(span=Span(3, 9), role="body", partial=True),),
        context=(Span(0, 2),),
        silent=(SilentRange(start=1, end=2, replacement="x"),),
        page_starts=(PageStart(0, 7),),
        cautions=("ocr",),
        remembered_at=datetime(2024, 5, 1, tzinfo=UTC),
        root="papers",
        source_document="a.pdf",
    )
