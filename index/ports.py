"""What the index is to the rest of the program. Each port has a real engine behind it and an in-memory twin for unit tests."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from index.derived_links import StoredReference
from index.entities import EntityRecord, LinkRecord, RecordBook
from index.models import (
    ChunkFilter,
    ChunkRecord,
    ChunkVectors,
    DocumentRecord,
    DocumentText,
    EmbeddedChunk,
    EmbeddingSettings,
    Failure,
    Generation,
    KeywordQuery,
    LegHit,
    NewDocument,
)
from ingest.models import Page, Passage

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from index.record_draft import RecordDraft


class Embedder(Protocol):
    """Texts to vectors; loads its model at the first call, never before."""

    @property
    def settings(self) -> EmbeddingSettings: ...

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Shape (dimension,), normalised."""
        ...

    def familiarity(self, text: str) -> float:
        """The share of the text's letters, 0…1, in scripts that the model has words for: how far its vectors can be trusted."""
        ...

    def embed_passages(self, passages: Sequence[Passage]) -> list[ChunkVectors]:
        """The vectors of each passage and its units, in the order given (batched by length inside)."""
        ...


class RowReader(Protocol):
    """Rows and vectors of one pinned version."""

    def documents(self) -> list[DocumentRecord]:
        """All, ordered by (root, source_document)."""
        ...

    def document_names(self) -> Iterator[tuple[str, str]]:
        """(root, source_document) of all, in the order of the rows: streamed."""
        ...

    def documents_at(self, offsets: Sequence[int]) -> list[DocumentRecord]:
        """Those at these places among the names, each counted from 0."""
        ...

    def text(self, document_id: str) -> DocumentText:
        """Raises NotFound."""
        ...

    def texts(self, document_ids: Iterable[str] | None = None) -> Iterator[DocumentText]:
        """Streamed, never all in memory."""
        ...

    def pages(self, document_id: str, numbers: Sequence[int] | None = None) -> list[Page]:
        """The pages asked for (all, if None), in order of number."""
        ...

    def chunks(self, document_id: str, *, named: bool = True) -> Iterator[ChunkRecord]:
        """The chunks of one document in order; `source_document` and `root` filled in where they are to be `named`: that takes the
        names of all documents into memory. Raises NotFound then for an unknown document."""
        ...

    def by_ids(self, chunk_ids: Sequence[str]) -> dict[str, ChunkRecord]:
        """Unknown ids are left out."""
        ...

    def vectors(self, chunk_ids: Sequence[str]) -> dict[str, ChunkVectors]:
        """Vectors of the chunks; those that weren't embedded and unknown ids are left out."""
        ...

    def unit_vectors(self, chunk_ids: Sequence[str]) -> dict[str, NDArray[np.float16]]:
        """Of each chunk the vectors of its units, shape (units, dimension), in the order asked for; chunks that weren't embedded
        and unknown ids are left out."""
        ...

    def vectors_of_passages(self, passage_keys: Sequence[str]) -> dict[str, ChunkVectors]:
        """Vectors by the key of the passage they were made of (`index.keys.passage_key`); unknown ones are left out."""
        ...

    def nearest(self, vector: NDArray[np.float32], limit: int, where: ChunkFilter) -> list[LegHit]:
        """Chunks by cosine similarity of their passage vector, best first, ties by chunk id. In a large library the similarities
        are estimates, and so is the order: who wants the best asks for more, and compares their units."""
        ...

    def containing(self, text: str, where: ChunkFilter, *, fold_case: bool = False) -> list[str]:
        """Ids of the chunks whose content has `text` in it, exactly (or but for case), in document order."""
        ...

    def sections(self, document_ids: Collection[str] | None = None) -> Mapping[str, tuple[str, ...]]:
        """Every section path (of some documents), by its `section_key`."""
        ...

    def sections_called(self, title: str) -> frozenset[tuple[str, ...]]:
        """Every section path that ends with the title."""
        ...

    def failures(self) -> list[Failure]: ...

    def entities(self) -> list[EntityRecord]:
        """Those that have a row of their own, by id."""
        ...

    def links(self) -> list[LinkRecord]:
        """By id."""
        ...

    def chunk_count(self, where: ChunkFilter | None = None) -> int:
        """Of all chunks, or of those that a filter lets through."""
        ...

    def row_count(self, name: str) -> int:
        """Of the table with this name. Raises LibraryDamaged where it can't be opened."""
        ...


class KeywordReader(Protocol):
    """The words of one pinned generation."""

    def search(self, query: KeywordQuery, limit: int, where: ChunkFilter) -> list[LegHit]:
        """Chunks by BM25, best first, ties by chunk id. No query raises; an empty one finds nothing."""
        ...

    def document_frequency(self, terms: Sequence[str]) -> dict[str, int]:
        """In how many chunks' bodies each analysed term occurs (0 where in none)."""
        ...

    def chunk_count(self) -> int: ...

    def chunk_counts(self, document_ids: Sequence[str]) -> dict[str, int]:
        """How many chunks of each document are there."""
        ...


class LibraryReader(Protocol):
    """One pinned generation: rows and words that belong together."""

    @property
    def generation(self) -> Generation: ...

    @property
    def settings(self) -> EmbeddingSettings: ...

    @property
    def documents(self) -> Mapping[str, DocumentRecord]:
        """By document id, in the order of (root, source_document)."""
        ...

    @property
    def book(self) -> RecordBook:
        """The entities and links."""
        ...

    @property
    def templates(self) -> Mapping[str, str]:
        """Of labels, by type of entity."""
        ...

    @property
    def roots(self) -> Mapping[str, str]:
        """Name of a root -> absolute folder on this machine."""
        ...

    @property
    def rows(self) -> RowReader: ...

    @property
    def keyword(self) -> KeywordReader: ...


class RowWriter(Protocol):
    """Collects changes to the rows; `commit` makes them durable and names the versions."""

    def delete(self, document_ids: Iterable[str]) -> None: ...

    def add(self, documents: Sequence[NewDocument]) -> None: ...

    def update(self, records: Sequence[DocumentRecord]) -> None:
        """Replaces document records alone (a move, a touched file): no text, page or chunk is rewritten."""
        ...

    def set_failures(self, failures: Sequence[Failure]) -> None:
        """The whole list of failures replaces the one before."""
        ...

    def set_entities(self, entities: Sequence[EntityRecord]) -> None:
        """The whole list, by id, replaces the one before."""
        ...

    def references(self) -> Iterator[StoredReference]:
        """What all documents refer to, those that were added since the last commit too."""
        ...

    def set_links(self, links: Sequence[LinkRecord]) -> None:
        """The whole list, by id, replaces the one before."""
        ...

    def commit(self) -> dict[str, int]:
        """Version of each table."""
        ...


class KeywordWriter(Protocol):
    """Collects changes to the words; `commit` makes them durable."""

    def delete(self, document_ids: Iterable[str]) -> None: ...

    def add(self, title: str, chunks: Sequence[EmbeddedChunk]) -> None: ...

    def commit(self) -> None: ...


class LibraryWriter(Protocol):
    """A library that is held for writing. Nothing is seen by readers before `commit`, which may be called again and again."""

    @property
    def records(self) -> RecordDraft:
        """Entities, links and templates: change them there."""
        ...

    def set_roots(self, roots: Mapping[str, str]) -> None:
        """Name of each root -> absolute folder; replaces the mapping before."""
        ...

    def expect_documents(self) -> None:
        """Called before documents are read. Raises LibraryIncompatible."""
        ...

    def delete(self, document_ids: Iterable[str]) -> None: ...

    def add(self, documents: Sequence[NewDocument]) -> None: ...

    def update(self, records: Sequence[DocumentRecord]) -> None: ...

    def set_failures(self, failures: Sequence[Failure]) -> None: ...

    def commit(self) -> Generation: ...
