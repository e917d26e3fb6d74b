"""One contract for every RowReader and RowWriter."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import numpy as np
import pytest

from index.keys import section_key
from index.lance import LanceRows
from index.lance_writer import LanceRowsWriter
from index.memory import HashingEmbedder, MemoryRows
from index.models import ChunkFilter, Failure, NewDocument
from index.ports import RowReader, RowWriter
from ingest.errors import LibraryDamaged, NotFound

MakeDocument = Callable[..., NewDocument]
FEES = ("Interest accrues at 1.5% per month.", "The tenant doesn't pay late fees.", "Straße 100%_\\ 'quoted'\n税务局")
WHEN = datetime(2031, 8, 1, 12, 30, 15, 123456, tzinfo=UTC)
"""When each paragraph but the first of a document was remembered; the first has no time."""
MICROSECOND = timedelta(microseconds=1)
TOKYO = timezone(timedelta(hours=9))
EVERYTHING = ChunkFilter(without_roles=frozenset())


class Rows:
    """An implementation under test: one writer after the other, and a reader of what was committed last."""

    def writer(self) -> RowWriter:
        raise NotImplementedError

    def commit(self, writer: RowWriter) -> RowReader:
        raise NotImplementedError

    def of(self, *documents: NewDocument) -> RowReader:
        writer = self.writer()
        writer.add(documents)
        return self.commit(writer)


class InMemory(Rows):
    def __init__(self) -> None:
        self.rows = MemoryRows()

    def writer(self) -> RowWriter:
        return self.rows

    def commit(self, writer: RowWriter) -> RowReader:
        writer.commit()
        return self.rows


class InLance(Rows):
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.versions: dict[str, int] = {}

    def writer(self) -> RowWriter:
        return LanceRowsWriter(self.folder, self.versions, HashingEmbedder().settings.dimension)

    def commit(self, writer: RowWriter) -> RowReader:
        self.versions = writer.commit()
        return LanceRows(self.folder, self.versions)


@pytest.fixture(params=["memory", "lance"])
def rows(request: pytest.FixtureRequest, tmp_path: Path) -> Rows:
    return InMemory() if request.param == "memory" else InLance(tmp_path / "rows")


def ids(document: NewDocument) -> list[str]:
    return [e.chunk.chunk_id for e in document.chunks]


def named(document: NewDocument) -> list[object]:
    return [replace(e.chunk, root=document.record.root, source_document=document.record.source_document) for e in document.chunks]


def test_what_went_in_comes_out_field_for_field(rows: Rows, new_document: MakeDocument) -> None:
    document = new_document("d1", *FEES, (("4 Fees", "4.2 Late"), "In a section.", "hidden"), (("x",), "mark", "markup"))
    reader = rows.of(document)
    assert reader.documents() == [document.record]
    assert reader.text("d1") == document.text
    assert reader.pages("d1") == list(document.pages)
    assert list(reader.chunks("d1")) == named(document)
    assert reader.by_ids(ids(document)) == dict(zip(ids(document), named(document), strict=True))
    assert reader.chunk_count() == 5


def test_vectors_come_back_exactly_and_only_for_embedded_chunks(rows: Rows, new_document: MakeDocument) -> None:
    document = new_document("d1", *FEES, ((), "a: b", "markup"), "Last words.")
    found = rows.of(document).vectors([*ids(document), "unknown"])
    assert set(found) == set(ids(document)) - {ids(document)[3]}
    for embedded in document.chunks:
        if embedded.vectors is not None:
            assert np.array_equal(found[embedded.chunk.chunk_id].vector, embedded.vectors.vector)
            assert np.array_equal(found[embedded.chunk.chunk_id].units, embedded.vectors.units)
            assert found[embedded.chunk.chunk_id].units.dtype == np.float16


def test_vectors_of_units_come_in_the_order_asked_for(rows: Rows, new_document: MakeDocument) -> None:
    document, other = new_document("d1", *FEES, ((), "a: b", "markup"), "Last words."), new_document("d2", "One more.")
    asked = [ids(other)[0], *reversed(ids(document)), "unknown", ids(other)[0]]
    embedded = {e.chunk.chunk_id: e.vectors for e in (*document.chunks, *other.chunks) if e.vectors is not None}
    found = rows.of(document, other).unit_vectors(asked)
    assert list(found) == [i for i in asked[:-1] if i in embedded]
    assert all(np.array_equal(units, embedded[i].units) and units.dtype == np.float16 for i, units in found.items())


def test_an_empty_library_answers_everything_with_nothing(rows: Rows) -> None:
    reader = rows.of()
    assert reader.documents() == []
    assert list(reader.texts()) == []
    assert reader.by_ids(["x"]) == {}
    assert reader.vectors(["x"]) == {}
    assert reader.unit_vectors(["x"]) == {}
    assert reader.nearest(HashingEmbedder().embed_query("x"), 5, EVERYTHING) == []
    assert reader.containing("x", EVERYTHING) == []
    assert dict(reader.sections()) == {}
    assert reader.failures() == []
    assert reader.chunk_count() == 0


def test_an_index_of_vectors_finds_the_nearest_even_behind_a_narrow_filter(tmp_path: Path, new_document: MakeDocument) -> None:
    words = [f"word{n} stands beside word{n * 7 % 300}" for n in range(400)]
    documents = [new_document(f"d{n:03}", *words[n * 4 : n * 4 + 4]) for n in range(100)]
    versions: dict[str, int] = {}
    for some in (documents[:90], documents[90:]):  # the second lot is too small to build it again
        writer = LanceRowsWriter(tmp_path, versions, HashingEmbedder().settings.dimension, nearest_from=300)
        writer.add(some)
        versions = writer.commit()
    assert any((tmp_path / "chunks.lance" / "_indices").iterdir())
    reader = LanceRows(tmp_path, versions)
    exact = MemoryRows()
    exact.add(documents)
    exact.commit()
    question = HashingEmbedder().embed_query(words[123])
    for where in (EVERYTHING, ChunkFilter(document_ids=frozenset({"d007", "d095"}))):
        found, expected = reader.nearest(question, 64, where), exact.nearest(question, 8, where)
        assert {hit.chunk_id for hit in expected} <= {hit.chunk_id for hit in found}


@pytest.mark.parametrize("ask", ["text", "pages", "chunks"])
def test_an_unknown_document_is_not_found(rows: Rows, ask: str) -> None:
    reader = rows.of()
    with pytest.raises(NotFound):
        getattr(reader, ask)("nobody's")


def test_nothing_asked_gives_nothing(rows: Rows, new_document: MakeDocument) -> None:
    reader = rows.of(new_document("d1", *FEES))
    assert reader.by_ids([]) == {}
    assert reader.vectors([]) == {}
    assert reader.unit_vectors([]) == {}
    assert list(reader.texts([])) == []
    assert reader.pages("d1", []) == []
    assert reader.containing("", EVERYTHING) == []
    assert reader.nearest(HashingEmbedder().embed_query("fees"), 0, EVERYTHING) == []
    assert reader.nearest(HashingEmbedder().embed_query("fees"), 5, ChunkFilter(document_ids=frozenset())) == []


def test_documents_are_ordered_by_root_and_path(rows: Rows, new_document: MakeDocument) -> None:
    reader = rows.of(
        new_document("1", "a", path="b.md"), new_document("2", "a", path="a.md"), new_document("3", "a", path="z.md", root="art")
    )
    assert [d.document_id for d in reader.documents()] == ["3", "2", "1"]


def test_documents_are_read_by_their_place_among_the_names(rows: Rows, new_document: MakeDocument) -> None:
    rows.of(*(new_document(str(n), "x", path=f"{n}.md") for n in range(5)))
    writer = rows.writer()
    writer.delete(["1"])
    writer.update([replace(new_document("0", "x", path="0.md").record, source_document="moved.md")])
    reader = rows.commit(writer)
    names = list(reader.document_names())
    assert sorted(names) == [("docs", path) for path in ("2.md", "3.md", "4.md", "moved.md")]
    found = reader.documents_at([2, 0, 3])
    assert [(d.root, d.source_document) for d in found] == [names[2], names[0], names[3]]


def test_texts_are_streamed_for_all_or_for_some(rows: Rows, new_document: MakeDocument) -> None:
    reader = rows.of(*(new_document(f"d{i}", f"text {i}") for i in range(30)))
    assert sorted(t.document_id for t in reader.texts()) == sorted(f"d{i}" for i in range(30))
    assert {t.document_id: t.text for t in reader.texts(["d7", "d9", "gone"])} == {"d7": "text 7", "d9": "text 9"}


def test_pages_can_be_asked_for_by_number(rows: Rows, new_document: MakeDocument) -> None:
    document = new_document("d1", *FEES)
    pages = tuple(replace(document.pages[0], number=n) for n in (3, 1, 2))
    reader = rows.of(replace(document, pages=pages))
    assert [p.number for p in reader.pages("d1")] == [1, 2, 3]
    assert [p.number for p in reader.pages("d1", [3, 1, 9])] == [1, 3]


def test_the_nearest_passages_come_first_with_their_cosine(rows: Rows, new_document: MakeDocument) -> None:
    document = new_document("d1", *FEES)
    question = HashingEmbedder().embed_query("the tenant pays late fees")
    found = rows.of(document).nearest(question, 2, EVERYTHING)
    expected = {e.chunk.chunk_id: float(e.vectors.vector @ question) for e in document.chunks if e.vectors}
    assert found[0].chunk_id == ids(document)[1]
    assert len(found) == 2
    for hit in found:
        assert hit.native_score == pytest.approx(expected[hit.chunk_id], abs=1e-5)


def test_equal_passages_are_ordered_by_id_even_at_the_limit(rows: Rows, new_document: MakeDocument) -> None:
    documents = [new_document(f"d{i}", "Interest accrues.") for i in range(9)]
    found = rows.of(*documents).nearest(HashingEmbedder().embed_query("interest"), 4, EVERYTHING)
    assert [h.chunk_id for h in found] == sorted(i for d in documents for i in ids(d))[:4]


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        (EVERYTHING, {"late fee one", "late fee two", "late fee hidden", "late fee o'brien"}),
        (ChunkFilter(), {"late fee one", "late fee two", "late fee o'brien"}),
        (ChunkFilter(document_ids=frozenset({"o'brien"})), {"late fee o'brien"}),
        (ChunkFilter(document_ids=frozenset({"gone", *map(str, range(3000))})), set()),
        (ChunkFilter(section_keys=frozenset({section_key(("B",))})), {"late fee two"}),
        (ChunkFilter(kinds=frozenset({"note"})), set()),
        (ChunkFilter(since=WHEN), {"late fee two"}),
        (ChunkFilter(since=WHEN + MICROSECOND), set()),
        (ChunkFilter(before=WHEN), set()),
        (ChunkFilter(since=WHEN - MICROSECOND, before=(WHEN + MICROSECOND).astimezone(TOKYO)), {"late fee two"}),
        (ChunkFilter(kinds=frozenset({"section"}), document_ids=frozenset({"d1"})), {"late fee one", "late fee two"}),
    ],
)
def test_filters_mean_the_same_for_vectors_and_for_words(
    rows: Rows, new_document: MakeDocument, where: ChunkFilter, expected: set[str]
) -> None:
    first = new_document("d1", (("A",), "late fee one"), (("B",), "late fee two"), (("B",), "late fee hidden", "hidden"))
    reader = rows.of(first, new_document("o'brien", "late fee o'brien"))
    near = reader.by_ids([h.chunk_id for h in reader.nearest(HashingEmbedder().embed_query("late fee"), 10, where)])
    assert {c.content for c in near.values()} == expected
    assert {c.content for c in reader.by_ids(reader.containing("late fee", where)).values()} == expected
    assert reader.chunk_count(where) == len(expected)


@pytest.mark.parametrize(
    ("text", "fold_case", "found"),
    [
        ("Interest accrues", False, [0]),
        ("interest accrues", False, []),
        ("interest ACCRUES", True, [0]),
        ("STRASSE", True, [2]),
        ("100%_\\ 'q", False, [2]),
        ("%", False, [0, 2]),
        ("'quoted'\n税", False, [2]),
        ("'; DROP TABLE chunks; --", False, []),
        ("\0", False, []),
        ("\ud800", False, []),
        ("\ud800", True, []),
        ("e", False, [0, 1, 2]),
    ],
)
def test_words_are_found_exactly_or_but_for_case(
    rows: Rows, new_document: MakeDocument, text: str, fold_case: bool, found: list[int]
) -> None:
    document = new_document("d1", *FEES)
    assert rows.of(document).containing(text, EVERYTHING, fold_case=fold_case) == [ids(document)[i] for i in found]


def test_places_of_words_come_in_document_order(rows: Rows, new_document: MakeDocument) -> None:
    late = new_document("1", "fee 1", "fee 2", path="z.md")
    early = new_document("2", "fee 3", "fee 4", path="a.md")
    assert rows.of(late, early).containing("fee", EVERYTHING) == [*ids(early), *ids(late)]


def test_sections_are_named_by_their_keys(rows: Rows, new_document: MakeDocument) -> None:
    reader = rows.of(new_document("d1", "top", (("A",), "x"), (("A", "B"), "y"), (("A",), "z")), new_document("d2", (("A",), "x")))
    assert dict(reader.sections()) == {section_key(p): p for p in ((), ("A",), ("A", "B"))}


def test_a_deleted_document_leaves_nothing_and_can_come_back_changed(rows: Rows, new_document: MakeDocument) -> None:
    rows.of(new_document("d1", "old words"), new_document("d2", "other words"))
    writer = rows.writer()
    writer.delete(["d1", "unknown", "o'brien"])
    writer.add([new_document("d1", "new words")])
    reader = rows.commit(writer)
    assert reader.text("d1").text == "new words"
    assert [c.content for c in reader.chunks("d1")] == ["new words"]
    assert reader.containing("old", EVERYTHING) == []
    assert len(reader.pages("d1")) == 1
    assert reader.chunk_count() == 2


def test_a_record_changes_alone(rows: Rows, new_document: MakeDocument) -> None:
    document = new_document("d1", *FEES)
    rows.of(document)
    writer = rows.writer()
    writer.update([replace(document.record, source_document="moved/a.md")])
    reader = rows.commit(writer)
    assert [d.source_document for d in reader.documents()] == ["moved/a.md"]
    assert {c.source_document for c in reader.chunks("d1")} == {"moved/a.md"}
    assert reader.text("d1") == document.text


def test_the_list_of_failures_is_replaced_whole(rows: Rows) -> None:
    def failure(path: str) -> Failure:
        return Failure(root="docs", source_document=path, reason="it's damaged", failed_at=datetime(2031, 1, 1, tzinfo=UTC))

    for failures in ([failure("a.pdf"), failure("b.pdf")], [failure("c.pdf")], []):
        writer = rows.writer()
        writer.set_failures(failures)
        assert rows.commit(writer).failures() == failures


def test_many_documents_in_many_commits_are_all_there(rows: Rows, new_document: MakeDocument) -> None:
    for i in range(24):
        reader = rows.of(new_document(f"d{i:02}", f"text {i}", f"more {i}"))
    assert [d.document_id for d in reader.documents()] == [f"d{i:02}" for i in range(24)]
    assert reader.chunk_count() == 48
    assert len(reader.containing("more", EVERYTHING)) == 24


class TestLance:
    """What only the real rows promise."""

    def test_documents_are_streamed_in_no_order(self, tmp_path: Path, new_document: MakeDocument) -> None:
        reader = InLance(tmp_path).of(*(new_document(str(n), "x", path=f"{9 - n}.md") for n in range(5)))
        assert isinstance(reader, LanceRows)
        assert sorted(reader.each_document(), key=lambda d: d.source_document) == reader.documents()

    def test_a_reader_keeps_its_version_while_others_are_written(self, tmp_path: Path, new_document: MakeDocument) -> None:
        rows = InLance(tmp_path / "rows")
        before = rows.of(new_document("d1", "old words"))
        writer = rows.writer()
        writer.delete(["d1"])
        writer.add([new_document("d2", "new words")])
        after = rows.commit(writer)
        assert [d.document_id for d in before.documents()] == ["d1"]
        assert before.text("d1").text == "old words"
        assert [d.document_id for d in after.documents()] == ["d2"]

    def test_what_a_writer_left_without_a_commit_is_taken_back_by_the_next(
        self, tmp_path: Path, new_document: MakeDocument
    ) -> None:
        rows = InLance(tmp_path / "rows")
        rows.of(new_document("d1", "old words"))
        dead = rows.writer()
        dead.add([new_document("d2", "lost words")])
        dead.delete(["d1"])
        reader = rows.of(new_document("d3", "new words"))
        assert [d.document_id for d in reader.documents()] == ["d1", "d3"]

    def test_a_table_that_is_gone_is_damage(self, tmp_path: Path) -> None:
        with pytest.raises(LibraryDamaged, match="documents"):
            LanceRows(tmp_path, {"documents": 1}).documents()

    def test_a_version_that_is_gone_is_damage(self, tmp_path: Path, new_document: MakeDocument) -> None:
        rows = InLance(tmp_path / "rows")
        rows.of(new_document("d1", "words"))
        with pytest.raises(LibraryDamaged):
            LanceRows(rows.folder, dict.fromkeys(rows.versions, 99)).documents()
