"""Since when each sentence is known: it keeps its time through whatever happens around it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from index.memory import HashingEmbedder
from index.models import ChunkRecord
from index.pipeline import IngestOptions, ingest
from index.remembering import Occurrence, SentenceCounter, known_since, remembered
from ingest.models import Span, Unit

LONG_AGO, TODAY = datetime(2020, 1, 1, tzinfo=UTC), datetime(2026, 1, 1, tzinfo=UTC)
Learned = dict[str, list[datetime]]


@pytest.fixture
def learn(tmp_path: Path, writer, counter) -> Callable[..., Learned]:
    """Writes the document and ingests it; says since when each sentence is known, by its text, in order."""

    def run(text: str, name: str = "terns.md") -> Learned:
        (tmp_path / "docs").mkdir(exist_ok=True)
        for old in (tmp_path / "docs").iterdir():
            old.unlink()
        (tmp_path / "docs" / name).write_text(text)
        ingest(writer.reader, writer, HashingEmbedder(), counter, [tmp_path / "docs"], IngestOptions(jobs=1, prune=True))
        (document,) = writer.reader.rows.documents()
        times: Learned = {}
        for chunk in writer.reader.rows.chunks(document.document_id):
            assert chunk.remembered_at is not None
            for occurrence, time in known_since([chunk]).items():
                times.setdefault(occurrence.text, []).append(time)
            assert chunk.remembered_at == max(known_since([chunk]).values())
        return times

    return run


def test_an_edited_sentence_is_new_and_those_beside_it_are_not(learn):
    before = learn("# Terns\n\nThey nest on gravel. They fish at sea. They fly south.\n")
    after = learn("# Terns\n\nThey nest on gravel. They fish in rivers. They fly south.\n")
    assert after["They nest on gravel."] == before["They nest on gravel."] == before["They fish at sea."]
    assert after["They fly south."] == before["They fly south."]
    assert after["They fish in rivers."] > before["They fish at sea."]


def test_a_sentence_moved_to_another_section_or_paragraph_keeps_its_time(learn):
    before = learn("# Terns\n\nThey nest on gravel. They fish at sea.\n\n# Gulls\n\nThey eat all.\n")
    after = learn("# Terns\n\nThey fish at sea.\n\n# Gulls\n\nThey eat all.\n\nThey nest on gravel.\n")
    assert after == before


def test_a_paragraph_that_is_only_wrapped_anew_keeps_its_time(learn):
    before = learn("# Terns\n\nThey nest on gravel, and they\nfish at sea.\n")
    assert learn("# Terns\n\nThey nest on gravel,\nand they fish at sea.\n") == before


def test_equal_sentences_are_told_apart_by_their_occurrence(learn):
    (first,) = learn("# Terns\n\nThey nest.\n")["They nest."]
    twice = learn("# Terns\n\nThey nest.\n\n# More\n\nThey nest.\n")["They nest."]
    assert (twice[0], twice[1] > first) == (first, True)
    assert learn("# More\n\nThey nest.\n")["They nest."] == [first]


def test_a_sentence_that_comes_back_is_learned_anew(learn):
    (first,) = learn("# Terns\n\nThey nest. They fish.\n")["They nest."]
    learn("# Terns\n\nThey fish.\n")
    (again,) = learn("# Terns\n\nThey nest. They fish.\n")["They nest."]
    assert again > first


def test_a_document_moved_to_another_format_keeps_its_sentences_times(learn):
    before = learn("They nest on gravel.\n\nThey fish at sea.\n")
    assert learn("They nest on gravel.\n\nThey fish at sea.\n", "terns.txt") == before


def chunk(*sentences: str, **more) -> ChunkRecord:
    content, units = "", []
    for sentence in sentences:
        units.append(Unit(span=Span(len(content), len(content) + len(sentence)), role="body"))
        content += f"{sentence} "
    return ChunkRecord(
        chunk_id="c", document_id="d", ordinal=0, section_path=(), source_offset=0, content=content, role="body",
        units=tuple(units), **more,
    )  # fmt: skip


def test_a_chunk_is_as_new_as_its_newest_sentence_and_says_nothing_more_where_all_are_equal():
    known = {Occurrence("They nest.", 0): LONG_AGO, Occurrence("They fish.", 0): LONG_AGO}
    assert remembered(["They nest.", "They fish."], SentenceCounter(), known, TODAY) == (LONG_AGO, ())
    assert remembered(["They nest.", "They fly."], SentenceCounter(), known, TODAY) == (TODAY, (LONG_AGO, TODAY))
    assert remembered([], SentenceCounter(), known, TODAY) == (TODAY, ())


def test_a_chunk_of_an_older_format_gives_its_own_time_to_its_sentences():
    old = chunk("They nest.", "They fish.", remembered_at=LONG_AGO)
    assert set(known_since([old]).values()) == {LONG_AGO}
    assert known_since([chunk("They nest.")]) == {}
