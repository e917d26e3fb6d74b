"""One contract for every KeywordReader and KeywordWriter."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from index.analysis import keyword_query
from index.keys import section_key
from index.memory_keywords import MemoryKeywords
from index.models import ChunkFilter, KeywordQuery, NewDocument
from index.ports import KeywordReader, KeywordWriter
from index.tantivy_index import TantivyKeywords, TantivyKeywordsWriter, deleted_share
from ingest.errors import LibraryDamaged

MakeDocument = Callable[..., NewDocument]
WHEN = datetime(2031, 8, 1, 12, 30, 15, 123456, tzinfo=UTC)
"""When each paragraph but the first of a document was remembered; the first has no time."""
MICROSECOND = timedelta(microseconds=1)
TOKYO = timezone(timedelta(hours=9))
EVERYTHING = ChunkFilter(without_roles=frozenset())


class Words:
    """An implementation under test: one writer after the other, and a reader of what was committed last."""

    def writer(self) -> KeywordWriter:
        raise NotImplementedError

    def commit(self, writer: KeywordWriter) -> KeywordReader:
        raise NotImplementedError

    def of(self, *documents: NewDocument) -> KeywordReader:
        writer = self.writer()
        for document in documents:
            writer.add(document.record.title, document.chunks)
        return self.commit(writer)


class InMemory(Words):
    def __init__(self) -> None:
        self.words = MemoryKeywords()

    def writer(self) -> KeywordWriter:
        return self.words

    def commit(self, writer: KeywordWriter) -> KeywordReader:
        writer.commit()
        return self.words


class InTantivy(Words):
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.number = 0

    def writer(self) -> KeywordWriter:
        before = self.folder / str(self.number) if self.number else None
        return TantivyKeywordsWriter(self.folder / str(self.number + 1), before)

    def commit(self, writer: KeywordWriter) -> KeywordReader:
        writer.commit()
        self.number += 1
        return TantivyKeywords(self.folder / str(self.number))


@pytest.fixture(params=["memory", "tantivy"])
def words(request: pytest.FixtureRequest, tmp_path: Path) -> Words:
    return InMemory() if request.param == "memory" else InTantivy(tmp_path / "keyword")


def asked(
    reader: KeywordReader, document: NewDocument, question: str, where: ChunkFilter = EVERYTHING, limit: int = 10
) -> list[str]:
    """The contents found, best first."""
    contents = {e.chunk.chunk_id: e.chunk.content for e in document.chunks}
    return [contents[h.chunk_id] for h in reader.search(keyword_query(question), limit, where)]


def test_the_chunk_with_more_of_the_rarer_words_comes_first(words: Words, new_document: MakeDocument) -> None:
    document = new_document("d", "the late fee applies", "the fee is small", "terns nest on gravel", "a fee and a fee")
    reader = words.of(document)
    assert asked(reader, document, "late fees")[0] == "the late fee applies"
    assert asked(reader, document, "nesting TERNS") == ["terns nest on gravel"]


def test_scores_fall_and_are_above_zero(words: Words, new_document: MakeDocument) -> None:
    hits = words.of(new_document("d", "late fee", "late fee fee", "late")).search(keyword_query("late fee"), 10, EVERYTHING)
    scores = [h.native_score for h in hits]
    assert scores == sorted(scores, reverse=True)
    assert min(scores) > 0


@pytest.mark.parametrize("code", ["MSA-2024-11", "foo_bar()", "v2.10.3", "K-7", "RFC 9110", "§ 12(3)(b)", "C++", "10.1000/xyz123"])
def test_a_code_finds_its_own_chunk_first(words: Words, new_document: MakeDocument, code: str) -> None:
    others = ["MSA-2024-12", "foo_baz()", "v2.1.03", "K-77", "RFC 9111", "§ 12(3)(c)", "C#", "10.1000/xyz124"]
    heap = "msa 2024 11 12 foo bar baz v2 10 3 1 03 k 7 77 rfc 9110 9111 12 b c 1000 xyz123 and msa 2024 11"
    document = new_document("d", heap, *(f"The code {c} is here." for c in [*others, code]), heap + " again")
    assert asked(words.of(document), document, code)[0] == f"The code {code} is here."


def test_a_quoted_phrase_must_occur_in_order(words: Words, new_document: MakeDocument) -> None:
    document = new_document("d", "fees that are late", "late fees are due", "税务局的税费", "费税")
    reader = words.of(document)
    assert asked(reader, document, '"late fees"') == ["late fees are due"]
    assert asked(reader, document, '"fees" due')[0] == "late fees are due"
    assert asked(reader, document, "“税务局”") == ["税务局的税费"]
    assert asked(reader, document, '"the late"') == []


def test_the_chunk_in_which_the_question_stands_whole_comes_first(words: Words, new_document: MakeDocument) -> None:
    scattered = "Copy, copy: permission to distribute and to modify is granted; permission, permission to copy the copy."
    whole = "A note at the end of a long page says so: Permission is granted to copy and distribute this document under its terms."
    reader = words.of(document := new_document("d", scattered, whole))
    assert asked(reader, document, "Permission is granted to copy and distribute")[0] == whole


def test_a_phrase_of_the_heading_counts(words: Words, new_document: MakeDocument) -> None:
    document = new_document("d", (("4 Fees", "4.2 Late payment"), "Interest accrues."), (("5 Birds",), "Interest falls."))
    reader = words.of(document)
    assert asked(reader, document, '"late payment"') == ["Interest accrues."]
    assert asked(reader, document, "interest on late payment")[0] == "Interest accrues."


def test_the_title_helps(words: Words, new_document: MakeDocument) -> None:
    agreement, manual = new_document("a", "interest", title="Services agreement"), new_document("m", "interest", title="Manual")
    hits = words.of(agreement, manual).search(keyword_query("interest in the agreement"), 5, EVERYTHING)
    assert [h.chunk_id for h in hits] == [e.chunk.chunk_id for d in (agreement, manual) for e in d.chunks]


def test_the_form_asked_for_is_preferred(words: Words, new_document: MakeDocument) -> None:
    document = new_document("d", "one universe here", "one university here")
    reader = words.of(document)
    assert asked(reader, document, "universe")[0] == "one universe here"
    assert asked(reader, document, "university")[0] == "one university here"


@pytest.mark.parametrize("question", ["naive", "café", "l'été", "税费", "DT-17", "किताबें", "мои ёжики", "الكتاب"])
def test_every_script_is_found(words: Words, new_document: MakeDocument, question: str) -> None:
    text = "naïve Cafés en l’été, 型号DT-17的税费, किताबें पढ़ना, моих ежиков, الكِتَاب."
    document = new_document("d", "something else", text)
    assert asked(words.of(document), document, question) == [text]


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        (EVERYTHING, {"fee one", "fee two", "fee three", "fee four"}),
        (ChunkFilter(), {"fee one", "fee two"}),
        (ChunkFilter(document_ids=frozenset({"d", *map(str, range(3000))})), {"fee one", "fee two"}),
        (ChunkFilter(document_ids=frozenset({"other"})), set()),
        (ChunkFilter(document_ids=frozenset()), set()),
        (ChunkFilter(section_keys=frozenset({section_key(("B",))})), {"fee two"}),
        (ChunkFilter(kinds=frozenset({"section", "note"})), {"fee one", "fee two"}),
        (ChunkFilter(kinds=frozenset({"note"})), set()),
        (ChunkFilter(without_roles=frozenset({"hidden"})), {"fee one", "fee two", "fee four"}),
        (ChunkFilter(since=WHEN), {"fee two"}),
        (ChunkFilter(since=WHEN + MICROSECOND), set()),
        (ChunkFilter(before=WHEN), set()),
        (ChunkFilter(since=WHEN - MICROSECOND, before=(WHEN + MICROSECOND).astimezone(TOKYO)), {"fee two"}),
    ],
)
@pytest.mark.parametrize("question", ["fee", '"fee"', "fees that nobody pays"])
def test_filters_choose_and_do_not_score(
    words: Words, new_document: MakeDocument, where: ChunkFilter, expected: set[str], question: str
) -> None:
    document = new_document(
        "d", (("A",), "fee one"), (("B",), "fee two"), (("B",), "fee three", "hidden"), ((), "fee four", "markup")
    )
    reader = words.of(document)
    assert set(asked(reader, document, question, where)) == expected
    everything = {h.chunk_id: h.native_score for h in reader.search(keyword_query(question), 10, EVERYTHING)}
    for hit in reader.search(keyword_query(question), 10, where):
        assert hit.native_score == pytest.approx(everything[hit.chunk_id], rel=1e-5)


def test_equal_scores_are_ordered_by_id_even_at_the_limit(words: Words, new_document: MakeDocument) -> None:
    documents = [new_document(f"d{i}", "late fee") for i in range(9)]
    found = words.of(*documents).search(keyword_query("fee"), 4, EVERYTHING)
    assert [h.chunk_id for h in found] == sorted(d.chunks[0].chunk.chunk_id for d in documents)[:4]


@pytest.mark.parametrize(
    "question", ["", "   ", "(", '"', "\0", "🐦", "no such words", "AND", "-fee", "title:fee", "fee~", "*", "\ud800"]
)
def test_no_question_raises(words: Words, new_document: MakeDocument, question: str) -> None:
    words.of(new_document("d", "late fee")).search(keyword_query(question), 5, EVERYTHING)


@pytest.fixture
def empty(words: Words) -> KeywordReader:
    return words.of()


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(question=st.text(max_size=40))
def test_no_text_whatever_raises(empty: KeywordReader, question: str) -> None:
    reader = empty
    assert reader.search(keyword_query(question), 5, EVERYTHING) == []
    reader.document_frequency(keyword_query(question).words)


def test_nothing_asked_finds_nothing(words: Words, new_document: MakeDocument) -> None:
    reader = words.of(new_document("d", "late fee"))
    assert reader.search(KeywordQuery(), 5, EVERYTHING) == []
    assert reader.search(keyword_query("fee"), 0, EVERYTHING) == []
    assert reader.document_frequency([]) == {}


def test_frequencies_count_the_chunks_that_are_there(words: Words, new_document: MakeDocument) -> None:
    words.of(new_document("d", "late fee", "fee fee", "terns"), new_document("e", "fee"))
    writer = words.writer()
    writer.delete(["e", "unknown"])
    reader = words.commit(writer)
    assert reader.document_frequency(["fee", "late", "heron"]) == {"fee": 2, "late": 1, "heron": 0}
    assert reader.chunk_count() == 3


def test_a_deleted_document_is_not_found_and_can_come_back_changed(words: Words, new_document: MakeDocument) -> None:
    words.of(new_document("d", "old words"), new_document("e", "other words"))
    writer = words.writer()
    writer.delete(["d"])
    changed = new_document("d", "new words")
    writer.add("Untitled", changed.chunks)
    reader = words.commit(writer)
    assert reader.search(keyword_query("old"), 5, EVERYTHING) == []
    assert asked(reader, changed, "new") == ["new words"]
    assert reader.chunk_count() == 2


def test_both_implementations_rank_alike(tmp_path: Path, new_document: MakeDocument) -> None:
    document = new_document(
        "d",
        "Interest accrues at 1.5% per month on late payment.",
        "Late payment of the fee is late payment.",
        (("4 Fees",), "The fee is due in May."),
        "Terns nest on gravel; nests are late.",
    )
    memory, real = InMemory().of(document), InTantivy(tmp_path).of(document)
    for question in ("late payment", "fee", "interest on late fees", "nesting terns", "1.5%", '"late payment" fee'):
        assert asked(memory, document, question) == asked(real, document, question)


class TestTantivy:
    """What only the real index promises."""

    def test_a_reader_keeps_its_folder_while_the_next_is_written(self, tmp_path: Path, new_document: MakeDocument) -> None:
        words = InTantivy(tmp_path)
        before = words.of(new_document("d", "old words"))
        writer = words.writer()
        writer.delete(["d"])
        words.commit(writer)
        assert before.chunk_count() == 1
        assert TantivyKeywords(tmp_path / "1").chunk_count() == 1
        assert TantivyKeywords(tmp_path / "2").chunk_count() == 0

    def test_a_writer_that_died_is_begun_anew(self, tmp_path: Path, new_document: MakeDocument) -> None:
        words = InTantivy(tmp_path)
        words.of(new_document("d", "old words"))
        dead = words.writer()
        dead.add("Untitled", new_document("e", "lost words").chunks)
        (tmp_path / "2" / "0123456789abcdef0123456789abcdef.7.del").write_bytes(b"left over")
        del dead
        reader = words.of(new_document("f", "new words"))
        assert reader.document_frequency(["old", "lost", "new", "word"]) == {"old": 1, "lost": 0, "new": 1, "word": 2}

    def test_the_text_of_a_chunk_is_not_in_the_folder(self, tmp_path: Path, new_document: MakeDocument) -> None:
        InTantivy(tmp_path).of(new_document("d", "peregrination antidisestablishment walrus"))
        assert not [f for f in (tmp_path / "1").iterdir() if b"peregrination antidisestablishment" in f.read_bytes()]

    def test_the_share_of_deleted_chunks_is_known(self, tmp_path: Path, new_document: MakeDocument) -> None:
        words = InTantivy(tmp_path)
        words.of(new_document("d", "a1", "b1", "c1"), new_document("e", "d1"))
        assert deleted_share(tmp_path / "1") == 0
        writer = words.writer()
        writer.delete(["e"])
        words.commit(writer)
        assert deleted_share(tmp_path / "2") == 0.25

    def test_a_folder_that_is_gone_is_damage(self, tmp_path: Path) -> None:
        with pytest.raises(LibraryDamaged):
            TantivyKeywords(tmp_path / "nowhere").chunk_count()
