"""The index in memory: the same ports as the real one, for unit tests and small jobs. Nothing is written to disk."""

from __future__ import annotations

from bisect import insort
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING

from index.analysis import analyse
from index.derived_links import StoredReference
from index.entities import RecordBook
from index.keys import digest, section_key
from index.memory_keywords import MemoryKeywords, allows, best
from index.memory_records import MemoryRecords
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
    LegHit,
    NewDocument,
)
from ingest.errors import NotFound
from ingest.models import Page, Passage

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class MemoryRows(MemoryRecords):
    """RowReader and RowWriter. Readers see what was committed."""

    def __init__(self) -> None:
        super().__init__()
        self._committed: dict[str, NewDocument] = {}
        self._pending: dict[str, NewDocument] = {}
        self._failures: tuple[Failure, ...] = ()
        self._pending_failures: tuple[Failure, ...] = ()
        self._version = 0

    # RowWriter

    def delete(self, document_ids: Iterable[str]) -> None:
        for document_id in document_ids:
            self._pending.pop(document_id, None)

    def add(self, documents: Sequence[NewDocument]) -> None:
        self._pending.update({d.record.document_id: d for d in documents})

    def update(self, records: Sequence[DocumentRecord]) -> None:
        for record in records:
            self._pending[record.document_id] = replace(self._pending[record.document_id], record=record)

    def references(self) -> Iterator[StoredReference]:
        return (StoredReference(i, *r) for i, d in self._pending.items() for r in d.references)

    def set_failures(self, failures: Sequence[Failure]) -> None:
        self._pending_failures = tuple(failures)

    def commit(self) -> dict[str, int]:
        by_name = sorted(self._pending.values(), key=lambda d: (d.record.root, d.record.source_document))
        self._committed = {d.record.document_id: d for d in by_name}
        self._pending = dict(self._committed)
        self._failures = self._pending_failures
        self.commit_records()
        self._version += 1
        return dict.fromkeys(("documents", "pages", "chunks", "failures"), self._version)

    # RowReader

    def documents(self) -> list[DocumentRecord]:
        return [d.record for d in self._committed.values()]

    def document_names(self) -> Iterator[tuple[str, str]]:
        return ((d.root, d.source_document) for d in self.documents())

    def documents_at(self, offsets: Sequence[int]) -> list[DocumentRecord]:
        documents = self.documents()
        return [documents[n] for n in offsets]

    def text(self, document_id: str) -> DocumentText:
        return self._document(document_id).text

    def texts(self, document_ids: Iterable[str] | None = None) -> Iterator[DocumentText]:
        wanted = None if document_ids is None else set(document_ids)
        return (d.text for i, d in self._committed.items() if wanted is None or i in wanted)

    def pages(self, document_id: str, numbers: Sequence[int] | None = None) -> list[Page]:
        pages = sorted(self._document(document_id).pages, key=lambda p: p.number)
        return [p for p in pages if numbers is None or p.number in numbers]

    def chunks(self, document_id: str, *, named: bool = True) -> Iterator[ChunkRecord]:
        if not named and document_id not in self._committed:
            return iter(())
        document = self._document(document_id)
        return (_named(e.chunk, document.record) for e in sorted(document.chunks, key=lambda e: e.chunk.ordinal))

    def by_ids(self, chunk_ids: Sequence[str]) -> dict[str, ChunkRecord]:
        wanted = set(chunk_ids)
        return {c.chunk_id: c for c in self._chunks() if c.chunk_id in wanted}

    def vectors(self, chunk_ids: Sequence[str]) -> dict[str, ChunkVectors]:
        wanted = set(chunk_ids)
        return {e.chunk.chunk_id: e.vectors for e in self._embedded() if e.vectors is not None and e.chunk.chunk_id in wanted}

    def unit_vectors(self, chunk_ids: Sequence[str]) -> dict[str, NDArray[np.float16]]:
        found = self.vectors(chunk_ids)
        return {i: found[i].units for i in dict.fromkeys(chunk_ids) if i in found}

    def vectors_of_passages(self, passage_keys: Sequence[str]) -> dict[str, ChunkVectors]:
        wanted = set(passage_keys)
        return {e.passage_key: e.vectors for e in self._embedded() if e.vectors is not None and e.passage_key in wanted}

    def nearest(self, vector: NDArray[np.float32], limit: int, where: ChunkFilter) -> list[LegHit]:
        allowed = (e for e in self._embedded() if e.vectors is not None and allows(where, e.chunk))
        return best((LegHit(e.chunk.chunk_id, float(e.vectors.vector @ vector)) for e in allowed if e.vectors is not None), limit)

    def containing(self, text: str, where: ChunkFilter, *, fold_case: bool = False) -> list[str]:
        needle = text.casefold() if fold_case else text
        allowed = (c for c in self._chunks() if text and allows(where, c))
        return [c.chunk_id for c in allowed if needle in (c.content.casefold() if fold_case else c.content)]

    def sections(self, document_ids: Collection[str] | None = None) -> Mapping[str, tuple[str, ...]]:
        chosen = (c for c in self._chunks() if document_ids is None or c.document_id in document_ids)
        return {section_key(c.section_path): c.section_path for c in chosen}

    def sections_called(self, title: str) -> frozenset[tuple[str, ...]]:
        return frozenset(path for path in self.sections().values() if path[-1:] == (title,))

    def failures(self) -> list[Failure]:
        return list(self._failures)

    def chunk_count(self, where: ChunkFilter | None = None) -> int:
        return sum(1 for e in self._embedded() if where is None or allows(where, e.chunk))

    def row_count(self, name: str) -> int:
        return self.chunk_count() if name == "chunks" else len(self._committed)

    def _document(self, document_id: str) -> NewDocument:
        try:
            return self._committed[document_id]
        except KeyError:
            raise NotFound(f"no document {document_id}") from None

    def _embedded(self) -> Iterator[EmbeddedChunk]:
        return chain.from_iterable(d.chunks for d in self._committed.values())

    def _chunks(self) -> Iterator[ChunkRecord]:
        return chain.from_iterable(map(self.chunks, self._committed))


def _named(chunk: ChunkRecord, record: DocumentRecord) -> ChunkRecord:
    return replace(chunk, source_document=record.source_document, root=record.root)


class MemoryLibrary:
    """LibraryReader over documents in memory; `commit` changes what it holds."""

    def __init__(
        self,
        documents: Sequence[NewDocument] = (),
        *,
        settings: EmbeddingSettings,
        roots: Mapping[str, str] | None = None,
        failures: Sequence[Failure] = (),
        templates: Mapping[str, str] | None = None,
    ) -> None:
        self.templates = dict(templates or {})
        self.settings = settings
        self.roots: Mapping[str, str] = dict(roots or {})
        self.rows = MemoryRows()
        self.keyword = MemoryKeywords()
        self.documents: Mapping[str, DocumentRecord] = {}
        self.generation = Generation(number=0, fingerprint="")
        self.commit(documents, failures=failures)

    def commit(
        self, add: Sequence[NewDocument] = (), *, delete: Iterable[str] = (), failures: Sequence[Failure] = ()
    ) -> Generation:
        """Takes documents out and puts documents in; the next generation."""
        gone = [*delete, *(d.record.document_id for d in add)]
        for part in (self.rows, self.keyword):
            part.delete(gone)
        self.rows.add(add)
        self.rows.set_failures(failures)
        for document in add:
            self.keyword.add(document.record.title, document.chunks)
        self.rows.commit()
        self.keyword.commit()
        self.documents = {d.document_id: d for d in self.rows.documents()}
        self.book = RecordBook(self.documents, self.rows.entities(), self.rows.links(), self.templates)
        names: list[str] = []
        for record in self.documents.values():
            insort(names, digest(record.root, record.source_document, record.source_sha256))
        self.generation = Generation(number=self.generation.number + 1, fingerprint=digest(*names))
        return self.generation


class HashingEmbedder:
    """Embedder without a model: a bag of stems, hashed. Equal words give near vectors; deterministic; fast."""

    def __init__(self, dimension: int = 64) -> None:
        self.settings = EmbeddingSettings(
            model="hashing", weights_sha256=digest("hashing"), dimension=dimension, max_tokens=256, pooled=True
        )

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Shape (dimension,), normalised; zeros for a text without words."""
        import numpy as np

        vector = np.zeros(self.settings.dimension, dtype=np.float32)
        for term, count in Counter(t.term for t in analyse(text)).items():
            vector[int(digest(term), 16) % self.settings.dimension] += count
        length = float(np.linalg.norm(vector))
        return vector / np.float32(length) if length else vector

    def familiarity(self, text: str) -> float:
        """It hashes the words of any script alike."""
        return 1.0

    def embed_passages(self, passages: Sequence[Passage]) -> list[ChunkVectors]:
        import numpy as np

        vectors = []
        for passage in passages:
            units = [self.embed_query(span.slice(passage.text)) for span in passage.units]
            stacked = np.stack(units) if units else np.zeros((0, self.settings.dimension))
            vectors.append(ChunkVectors(vector=self.embed_query(passage.text), units=stacked.astype(np.float16)))
        return vectors
