"""Words in Tantivy: the only module that knows it. Its errors leave as EngineError or LibraryDamaged.

Texts go in as the terms of `index.fields`, queries are built from terms: Tantivy analyses and parses nothing, and keeps no text.
Folders are written once: a writer makes the next folder out of the last one by hard links, so that readers of that are not touched.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import weakref
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import Any

from tantivy import Document, FieldType, Index, Occur, Query, Schema, SchemaBuilder, Searcher, TextAnalyzerBuilder, Tokenizer

from index.disk import tried
from index.fields import FORM_BOOST, IDENTIFIER_BOOST, SECTION_BOOST, SEQUENCE_BOOST, TITLE_BOOST, chunk_terms
from index.keys import section_key
from index.models import ChunkFilter, EmbeddedChunk, KeywordQuery, LegHit
from ingest.errors import EngineError, LibraryDamaged, PinciteError

ENGINE = "Tantivy"
HEAP_BYTES = 64_000_000
TIES = 32
"""Chunks asked for beyond the limit, so that equal scores at the border are chosen by id."""
_TERMS = "terms"
_RUNS = ("title", "section", "body")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_EXACT = ("document_id", "section_key", "kind", "role")


@contextmanager
def _translated(doing: str, written: Path | None = None) -> Iterator[None]:
    """Turns the engine's errors into EngineError. A writer's thread dies of a full disk without saying so: then its folder,
    `written`, is tried, and what the system says is the cause."""
    try:
        yield
    except PinciteError:
        raise
    except Exception as error:  # Tantivy raises ValueError and OSError
        refusal = tried(written) if written is not None else None
        raise EngineError(ENGINE, f"{doing}: {error}") from (refusal or error)


def _schema() -> Schema:
    builder = SchemaBuilder()
    for name in _RUNS:
        builder.add_text_field(name, tokenizer_name=_TERMS)
    builder.add_text_field("forms", tokenizer_name="raw", index_option="freq")
    for name in _EXACT:
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic")
    builder.add_integer_field("remembered_at", fast=True)  # microseconds since 1970
    return builder.add_text_field("chunk_id", tokenizer_name="raw", index_option="basic", stored=True).build()


def _open(folder: Path) -> Index:
    index = Index.open(str(folder))
    index.register_tokenizer(_TERMS, TextAnalyzerBuilder(Tokenizer.whitespace()).build())
    return index


class TantivyKeywords:
    """KeywordReader of one folder. Opened at the first question. Safe for threads."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @cached_property
    def _index(self) -> Index:
        try:
            return _open(self._folder if os.access(self._folder, os.W_OK) else self._beside())
        except Exception as error:
            raise LibraryDamaged(
                f"{self._folder}: the keyword index cannot be read: {error}", next_step="pincite doctor --repair makes it anew."
            ) from error

    @cached_property
    def _searcher(self) -> Searcher:
        with _translated("the keyword index cannot be opened"):
            return self._index.searcher()

    def _beside(self) -> Path:
        """A folder of links to the index, for as long as this reader lives: the engine makes a lock file where it reads."""
        links = Path(tempfile.mkdtemp(prefix="pincite-"))
        weakref.finalize(self, shutil.rmtree, links, ignore_errors=True)
        for file in self._folder.iterdir():
            if not file.name.endswith(".lock"):
                (links / file.name).symlink_to(file.absolute())
        return links

    def search(self, query: KeywordQuery, limit: int, where: ChunkFilter) -> list[LegHit]:
        most = min(limit + TIES, self.chunk_count())
        if not query or limit <= 0 or most <= 0:
            return []
        with _translated("the keyword search failed"):
            scores = {self._searcher.doc(address)["chunk_id"][0]: score for address, score in self._found(query, where, most)}
        hits = (LegHit(chunk_id, score) for chunk_id, score in scores.items())
        return sorted(hits, key=lambda h: (-h.native_score, h.chunk_id))[:limit]

    def _found(self, query: KeywordQuery, where: ChunkFilter, most: int) -> Iterator[tuple[Any, float]]:
        """Addresses and scores; of an address that comes twice, the last score counts.

        The chunks in which the words stand in sequence are asked for by themselves: they are few, and a phrase beside the words
        takes from the engine its way past the chunks that can't be among the best (twice the time).
        """
        queries = [_engine_query(self._index.schema, query, where)]
        if query.sequence:
            sequence = Query.phrase_query(self._index.schema, "body", list(query.sequence))
            wanted = (Occur.Must, Query.boost_query(sequence, SEQUENCE_BOOST))
            queries.append(Query.boolean_query([wanted, (Occur.Must, queries[0])]))
        for q in queries:
            yield from ((address, float(score)) for score, address in self._searcher.search(q, most, count=False).hits)

    def document_frequency(self, terms: Sequence[str]) -> dict[str, int]:
        schema = self._index.schema
        with _translated("words cannot be counted"):
            if not self._has_deleted:
                return {term: int(self._searcher.doc_freq("body", term)) for term in terms}
            return {term: int(self._searcher.search(Query.term_query(schema, "body", term), 1).count) for term in terms}

    @cached_property
    def _has_deleted(self) -> bool:
        """The engine's own figure of a word's chunks has deleted ones in it: then they must be counted, one by one."""
        return deleted_share(self._folder) > 0

    def chunk_count(self) -> int:
        return int(self._searcher.num_docs)

    def chunk_counts(self, document_ids: Sequence[str]) -> dict[str, int]:
        schema = self._index.schema
        with _translated("chunks cannot be counted"):
            return {i: int(self._searcher.search(Query.term_query(schema, "document_id", i), 1).count or 0) for i in document_ids}


def _engine_query(schema: Schema, query: KeywordQuery, where: ChunkFilter) -> Query:
    """Every phrase must occur, in one field; without phrases, any word or identifier. The filter takes no part in the score."""
    scored = [field for word in query.words for field in _fields(schema, word)]
    scored += [Query.boost_query(Query.term_query(schema, "forms", form), FORM_BOOST) for form in query.forms]
    scored += [Query.boost_query(Query.term_query(schema, "forms", code), IDENTIFIER_BOOST) for code in query.identifiers]
    clauses = [(Occur.Must, _phrase(schema, phrase)) for phrase in query.phrases]
    if scored:
        any_of = Query.boolean_query([(Occur.Should, q) for q in scored])
        clauses.append((Occur.Should if clauses else Occur.Must, any_of))
    for field, chosen in (("document_id", where.document_ids), ("section_key", where.section_keys), ("kind", where.kinds)):
        if chosen is not None:
            clauses.append((Occur.Must, Query.const_score_query(Query.term_set_query(schema, field, sorted(chosen)), 0.0)))
    if where.since is not None or where.before is not None:
        clauses.append((Occur.Must, Query.const_score_query(_remembered(schema, where.since, where.before), 0.0)))
    clauses += [(Occur.MustNot, Query.term_query(schema, "role", role)) for role in sorted(where.without_roles)]
    return Query.boolean_query(clauses)


def _remembered(schema: Schema, since: datetime | None, before: datetime | None) -> Query:
    last = None if before is None else _microseconds(before) - 1
    first = None if since is None else _microseconds(since)
    return Query.range_query(schema, "remembered_at", FieldType.Integer, first, last)


def _microseconds(time: datetime) -> int:
    return (time - _EPOCH) // timedelta(microseconds=1)


def _fields(schema: Schema, word: str) -> list[Query]:
    boosts = (("body", 1.0), ("section", SECTION_BOOST), ("title", TITLE_BOOST))
    return [Query.boost_query(Query.term_query(schema, field, word), boost) for field, boost in boosts]


def _phrase(schema: Schema, terms: Sequence[str]) -> Query:
    if len(terms) == 1:  # the engine panics at a phrase of one
        return Query.boolean_query([(Occur.Should, q) for q in _fields(schema, terms[0])])
    return Query.boolean_query([(Occur.Should, Query.phrase_query(schema, field, list(terms))) for field in _RUNS])


class TantivyKeywordsWriter:
    """KeywordWriter into a new folder, beginning with what `before` holds (None: nothing). One at a time in a library.

    After `commit` the folder is whole, durable and never written again.
    """

    def __init__(self, folder: Path, before: Path | None) -> None:
        self._folder = folder
        with _translated(f"{folder} cannot be opened for writing"):
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            if before is None:
                Index(_schema(), str(folder))
            else:
                _link(before, folder)
            self._writer: Any = _open(folder).writer(HEAP_BYTES, 1)

    def delete(self, document_ids: Iterable[str]) -> None:
        with _translated("documents cannot be deleted", self._folder):
            for document_id in document_ids:
                self._writer.delete_documents_by_term("document_id", document_id)

    def add(self, title: str, chunks: Sequence[EmbeddedChunk]) -> None:
        with _translated("chunks cannot be written", self._folder):
            for embedded in chunks:
                self._writer.add_document(_document(title, embedded))

    def commit(self) -> None:
        with _translated("words cannot be committed", self._folder):
            self._writer.commit()
            self._writer.garbage_collect_files()
            self._writer.wait_merging_threads()
            for name in stray_files(self._folder):  # of segments that were merged since
                (self._folder / name).unlink()
        self._writer = None

    def close(self) -> None:
        """Gives up what was not committed; the folder is of no use then."""
        if self._writer is not None:
            with suppress(Exception):
                self._writer.rollback()
            self._writer = None


def _document(title: str, embedded: EmbeddedChunk) -> Document:
    chunk = embedded.chunk
    terms = chunk_terms(title, chunk)
    document = Document()
    document.add_text("chunk_id", chunk.chunk_id)
    document.add_text("document_id", chunk.document_id)
    document.add_text("section_key", section_key(chunk.section_path))
    document.add_text("kind", chunk.kind)
    document.add_text("role", chunk.role)
    if chunk.remembered_at is not None:
        document.add_integer("remembered_at", _microseconds(chunk.remembered_at))
    for name, run in (("title", terms.title), ("section", terms.section), ("body", terms.body)):
        document.add_text(name, " ".join(run))
    for form in terms.forms:
        document.add_text("forms", form)
    return document


def deleted_share(folder: Path) -> float:
    """Of the chunks in the index, the share that is deleted but still weighs in the statistics of BM25."""
    segments = _segments(folder)
    deleted = sum(int(s["deletes"]["num_deleted_docs"]) for s in segments if s["deletes"])
    return deleted / max(sum(int(s["max_doc"]) for s in segments), 1)


def _segments(folder: Path) -> list[Any]:
    return list(json.loads((folder / "meta.json").read_text(encoding="utf-8"))["segments"])


def copy_words(before: Path, folder: Path) -> None:
    """A folder of words as it is, under another name: no file of a segment is written."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    _link(before, folder)


def _link(before: Path, folder: Path) -> None:
    """The index of one folder in another: its segments' files, which are never changed, by hard links; the rest copied."""
    wanted = tuple(s["segment_id"].replace("-", "") for s in _segments(before))
    for file in before.iterdir():
        if file.name in ("meta.json", ".managed.json"):
            shutil.copyfile(file, folder / file.name)
        elif file.name.startswith(wanted):
            try:
                os.link(file, folder / file.name)
            except OSError:  # a file system without hard links
                shutil.copyfile(file, folder / file.name)


def occurring(folder: Path, terms: Mapping[str, Sequence[str]]) -> tuple[int, list[str]]:
    """The number of segments, and which terms (by field) stand in any of them, be it in deleted chunks alone."""
    with _translated(f"{folder} cannot be read"):
        searcher = _open(folder).searcher()
        found = [term for field, some in terms.items() for term in some if searcher.doc_freq(field, term)]
        return int(searcher.num_segments), found


def stray_files(folder: Path) -> list[str]:
    """Files of segments that the index doesn't name."""
    wanted = tuple(s["segment_id"].replace("-", "") for s in _segments(folder))
    own = ("meta.json", ".managed.json", ".tantivy-meta.lock", ".tantivy-writer.lock")
    return sorted(f.name for f in folder.iterdir() if f.name not in own and not f.name.startswith(wanted))
