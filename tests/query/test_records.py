import csv
import hashlib
import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.models import SilentRange, Span
from query.cite import cite
from query.export.csv_table import COLUMNS, cell
from query.export.job import ExportJob
from query.export.recording import records_of
from query.export.table import export
from query.record import AROUND, record_id
from query.surroundings import paragraph_of


def records(reader, quote, tmp_path):
    return records_of(ExportJob(reader=reader, quotes=cite(reader, quote).places, sources={}, out=tmp_path, overwrite=False))


def test_a_record_holds_the_slice_and_what_stands_beside_it(library, tmp_path):
    reader = library()
    for record in records(reader, "bleed screw", tmp_path):
        text = next(t.text for t in reader.rows.texts() if record.quote in t.text and "hopper" in t.text)
        end = record.offset + record.length
        assert text[record.offset : end] == record.quote == "bleed screw"
        assert text[: record.offset].endswith(record.prefix)
        assert text[end:].startswith(record.suffix)
        assert len(record.prefix) == len(record.suffix) == AROUND or end + AROUND > len(text)
        assert (record.section_path, record.source_document, record.page_from) == (("Pumps",), "handbook.md", None)
        assert record.line_from is not None


def test_an_id_tells_place_and_file_apart_and_nothing_else(library, tmp_path):
    ids = [record.id for record in records(library(), "bleed screw", tmp_path)]
    assert len(set(ids)) == 2
    assert ids == [record.id for record in records(library(), "bleed screw", tmp_path)]
    assert len({record_id("a", 1, 2), record_id("b", 1, 2), record_id("a", 2, 2), record_id("a", 1, 3)}) == 4


def test_a_line_of_jsonl_is_a_record(library, tmp_path, doc):
    source = tmp_path / "notes.md"
    source.write_text("x")
    sentences = ["The fee is nine.", "The fee is ten."]
    reader = library(doc(path="notes.md", sha256=hashlib.sha256(b"x").hexdigest(), sections=[((), sentences)]))
    [path] = export(reader, cite(reader, "the fee is").places, to="jsonl", out=tmp_path / "out", resolve=lambda *_: source)
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert [line["offset"] for line in lines] == [0, 17]
    assert {line["schema_version"] for line in lines} == {1}
    [path] = export(reader, cite(reader, "the fee is").places, to="csv", out=tmp_path / "out", resolve=lambda *_: source)
    rows = list(csv.DictReader(io.StringIO(path.read_bytes().decode("utf-8-sig"), newline="")))
    assert tuple(rows[0]) == COLUMNS
    assert [row["quote"] for row in rows] == ["The fee is", "The fee is"]
    assert [row["id"] for row in rows] == [line["id"] for line in lines]


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@x", "\t=1", "\r=1", "  =1", "\n=1", "＝1"])
def test_no_cell_begins_a_formula(text):
    assert cell(text) == f"'{text}"


@given(st.text())
def test_a_cell_keeps_its_words(text):
    shown = cell(text)
    assert shown[:1] not in {"=", "+", "-", "@", "\t", "\r"}
    assert len(shown.removeprefix("'")) == len(text.removeprefix("'"))


def test_the_paragraph_around_a_quote_is_read_without_marks():
    text = "One.\n\nThe **fee** is nine.\r\nSo be it.\n\nLast."
    silent = (SilentRange(start=10, end=12), SilentRange(start=15, end=17))
    start = text.index("is nine")
    assert paragraph_of(text, silent, Span(start, start + 7)) == ("The fee ", "is nine", ". So be it.")


@given(st.text(alphabet="ab \n.", max_size=60), st.data())
def test_a_paragraph_holds_the_whole_quote(text, data):
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    before, quote, after = paragraph_of(text, (), Span(start, end))
    assert "".join(quote.split()) == "".join(text[start:end].split())
    assert "".join((before + quote + after).split()) in "".join(text.split())
