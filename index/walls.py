"""A wall: a reader of a library that knows only some namespaces. What is outside is absent, at the lowest level there is, so that
nothing above can tell it, count it or fall over it.

Scores are the exception, and what hangs on them (which sentence is marked): the statistics of words are the whole library's.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from index.entities import NOTE_TYPE, EntityRecord, LinkRecord, RecordBook, is_note
from index.keys import digest
from index.models import (
    ChunkFilter,
    ChunkRecord,
    ChunkVectors,
    DocumentRecord,
    DocumentText,
    EmbeddingSettings,
    Failure,
    Generation,
    KeywordQuery,
    LegHit,
)
from index.ports import KeywordReader, LibraryReader, RowReader
from ingest.errors import NotFound
from ingest.models import Page

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class WalledReader:
    """LibraryReader of the documents in the namespaces given; None (or "") stands for those without one."""

    def __init__(self, inner: LibraryReader, readable: Collection[str | None]) -> None:
        self.inner = inner
        self._readable = frozenset(name or None for name in readable)

    @cached_property
    def documents(self) -> Mapping[str, DocumentRecord]:
        """A note about a record that isn't readable is its own record."""
        inside = {i: d for i, d in self.inner.documents.items() if d.namespace in self._readable}
        outside = {e.entity_id for e in self.inner.book.rows.values() if e.namespace not in self._readable}
        entities = {e.entity_id for e in self._rows_inside} | {d.entity_id for d in inside.values() if not is_note(d)}
        entities -= outside
        return {i: d if d.entity_id in entities or d.entity_id == i else _its_own(d) for i, d in inside.items()}

    @cached_property
    def book(self) -> RecordBook:
        """Templates of types that nothing readable has are absent, too."""
        inside = RecordBook(self.documents, self._rows_inside)
        links = [k for k in self.inner.book.links if k.source_id in inside.members and k.target_id in inside.members]
        types = {e.type for i in inside.members if (e := inside.get(i))}
        templates = {name: words for name, words in self.inner.book.templates.items() if name in types}
        return RecordBook(self.documents, self._rows_inside, links, templates)

    @property
    def _rows_inside(self) -> list[EntityRecord]:
        return [e for e in self.inner.book.rows.values() if e.namespace in self._readable]

    @cached_property
    def generation(self) -> Generation:
        """The number of the last commit, whoever made it; the fingerprint of what is readable."""
        content = (part for d in self.documents.values() for part in (d.root, d.source_document, d.source_sha256))
        return replace(self.inner.generation, fingerprint=digest(self.settings.model, self.settings.weights_sha256, *content))

    @property
    def settings(self) -> EmbeddingSettings:
        return self.inner.settings

    @property
    def templates(self) -> Mapping[str, str]:
        return self.book.templates

    @cached_property
    def roots(self) -> Mapping[str, str]:
        """Those that hold a readable document."""
        inside = {d.root for d in self.documents.values()}
        return {name: folder for name, folder in self.inner.roots.items() if name in inside}

    @cached_property
    def rows(self) -> RowReader:
        return _WalledRows(self.inner.rows, self)

    @cached_property
    def keyword(self) -> KeywordReader:
        return _WalledKeywords(self.inner.keyword, self)

    def narrowed(self, where: ChunkFilter) -> ChunkFilter:
        """The filter, with the wall in it."""
        inside = frozenset(self.documents)
        if where.document_ids is None and len(inside) == len(self.inner.documents):
            return where
        return replace(where, document_ids=inside if where.document_ids is None else where.document_ids & inside)


def _its_own(document: DocumentRecord) -> DocumentRecord:
    """The document without the record that it belongs to."""
    own_type = NOTE_TYPE if is_note(document) else document.entity_type
    return replace(document, entity_id=document.document_id, entity_type=own_type)


class _WalledRows:
    """RowReader. What is not inside is unknown to it, in the words that it has for what was never there."""

    def __init__(self, inner: RowReader, wall: WalledReader) -> None:
        self._inner, self._wall = inner, wall

    def documents(self) -> list[DocumentRecord]:
        return list(self._wall.documents.values())

    def document_names(self) -> Iterator[tuple[str, str]]:
        return ((d.root, d.source_document) for d in self.documents())

    def documents_at(self, offsets: Sequence[int]) -> list[DocumentRecord]:
        documents = self.documents()
        return [documents[n] for n in offsets]

    def text(self, document_id: str) -> DocumentText:
        return self._inner.text(self._known(document_id))

    def texts(self, document_ids: Iterable[str] | None = None) -> Iterator[DocumentText]:
        wanted = self._wall.documents if document_ids is None else document_ids
        return self._inner.texts([i for i in wanted if i in self._wall.documents])

    def pages(self, document_id: str, numbers: Sequence[int] | None = None) -> list[Page]:
        return self._inner.pages(self._known(document_id), numbers)

    def chunks(self, document_id: str, *, named: bool = True) -> Iterator[ChunkRecord]:
        return self._inner.chunks(self._known(document_id), named=named)

    def by_ids(self, chunk_ids: Sequence[str]) -> dict[str, ChunkRecord]:
        return {i: c for i, c in self._inner.by_ids(chunk_ids).items() if c.document_id in self._wall.documents}

    def vectors(self, chunk_ids: Sequence[str]) -> dict[str, ChunkVectors]:
        return self._inner.vectors(list(self.by_ids(chunk_ids)))

    def unit_vectors(self, chunk_ids: Sequence[str]) -> dict[str, NDArray[np.float16]]:
        known = self.by_ids(chunk_ids)
        return self._inner.unit_vectors([i for i in chunk_ids if i in known])

    def vectors_of_passages(self, passage_keys: Sequence[str]) -> dict[str, ChunkVectors]:
        return {}  # they would tell that a text is there

    def nearest(self, vector: NDArray[np.float32], limit: int, where: ChunkFilter) -> list[LegHit]:
        return self._inner.nearest(vector, limit, self._wall.narrowed(where))

    def containing(self, text: str, where: ChunkFilter, *, fold_case: bool = False) -> list[str]:
        return self._inner.containing(text, self._wall.narrowed(where), fold_case=fold_case)

    def sections(self, document_ids: Collection[str] | None = None) -> Mapping[str, tuple[str, ...]]:
        if document_ids is None:
            return self._sections
        return self._inner.sections([i for i in document_ids if i in self._wall.documents])

    def sections_called(self, title: str) -> frozenset[tuple[str, ...]]:
        return frozenset(path for path in self._sections.values() if path[-1:] == (title,))

    def failures(self) -> list[Failure]:
        return []  # files that went into no namespace

    def entities(self) -> list[EntityRecord]:
        return list(self._wall.book.rows.values())

    def links(self) -> list[LinkRecord]:
        return list(self._wall.book.links)

    def chunk_count(self, where: ChunkFilter | None = None) -> int:
        if where is None:
            return sum(d.chunk_count for d in self._wall.documents.values())
        return self._inner.chunk_count(self._wall.narrowed(where))

    def row_count(self, name: str) -> int:
        return {"documents": len(self._wall.documents), "chunks": self.chunk_count()}.get(name, 0)

    @cached_property
    def _sections(self) -> Mapping[str, tuple[str, ...]]:
        return self._inner.sections(list(self._wall.documents))

    def _known(self, document_id: str) -> str:
        if document_id not in self._wall.documents:
            raise NotFound(f"no document {document_id}")
        return document_id


class _WalledKeywords:
    """KeywordReader. How many chunks there are and how many have a word is the whole library's: it weighs in scores, and so in
    which sentence is marked, and is told nowhere."""

    def __init__(self, inner: KeywordReader, wall: WalledReader) -> None:
        self._inner, self._wall = inner, wall

    def search(self, query: KeywordQuery, limit: int, where: ChunkFilter) -> list[LegHit]:
        narrowed = self._wall.narrowed(where)
        return [] if narrowed.document_ids is not None and not narrowed.document_ids else self._inner.search(query, limit, narrowed)

    def document_frequency(self, terms: Sequence[str]) -> dict[str, int]:
        return self._inner.document_frequency(terms)

    def chunk_count(self) -> int:
        return self._inner.chunk_count()

    def chunk_counts(self, document_ids: Sequence[str]) -> dict[str, int]:
        known = self._inner.chunk_counts([i for i in document_ids if i in self._wall.documents])
        return {i: known.get(i, 0) for i in document_ids}
