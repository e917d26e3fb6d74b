"""What was read, made ready for the tables: chunk records with their vectors. Equal passages are embedded once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from index.keys import passage_key
from index.models import ChunkRecord, ChunkVectors, DocumentRecord, EmbeddedChunk, NewDocument
from index.ports import Embedder, LibraryReader
from index.property_chunks import property_chunks
from index.records import chunk_records, document_text
from index.remembering import known_since
from index.workers import Reading
from ingest.models import Passage
from ingest.references import references_of

EMBED_BATCH = 2_048
"""Passages embedded in one call: enough that sorting them by length pays."""


class ReadDocument(NamedTuple):
    """A document that was read. `known`: the library has an earlier version of it, whose times count."""

    record: DocumentRecord
    reading: Reading
    known: bool


@dataclass(slots=True, kw_only=True)
class DocumentMaker:
    """Makes documents. `reuse` says whether the vectors of the last generation are of the same model, `history` whether its times
    count; `embedded` counts the passages that the model had to read."""

    reader: LibraryReader
    embedder: Embedder
    now: datetime
    reuse: bool = True
    history: bool = True
    embedded: int = 0

    def make(self, batch: Sequence[ReadDocument]) -> list[NewDocument]:
        parts = [list(self._chunks(d)) for d in batch]
        vectors = self._vectors([passage for chunks in parts for _, passage in chunks if passage])
        documents = []
        for d, chunks in zip(batch, parts, strict=True):
            keys = [passage_key(passage) if passage else None for _, passage in chunks]
            embedded = tuple(
                EmbeddedChunk(chunk=chunk, vectors=vectors[key] if key else None, passage_key=key)
                for (chunk, _), key in zip(chunks, keys, strict=True)
            )
            text = document_text(d.record.document_id, d.reading.document)
            document = d.reading.document
            documents.append(
                NewDocument(record=d.record, text=text, pages=document.pages, chunks=embedded, references=references_of(document))
            )
        return documents

    def _chunks(self, d: ReadDocument) -> Iterator[tuple[ChunkRecord, Passage | None]]:
        before = list(self.reader.rows.chunks(d.record.document_id, named=False)) if d.known and self.history else []
        known = known_since(c for c in before if c.kind != "property")
        records = chunk_records(d.record, d.reading.document, d.reading.chunks, known=known, now=self.now)
        yield from zip(records, (c.passage for c in d.reading.chunks), strict=True)
        remembered = {c.chunk_id: c.remembered_at for c in before if c.kind == "property" and c.remembered_at}
        yield from property_chunks(d.record, after=len(d.reading.chunks), remembered=remembered, now=self.now)

    def _vectors(self, passages: Sequence[Passage]) -> dict[str, ChunkVectors]:
        """The vectors of the passages by key. Equal passages are embedded once, those the library has not at all; the others
        together, in slices of `EMBED_BATCH`."""
        wanted = {passage_key(p): p for p in passages}
        vectors = self.reader.rows.vectors_of_passages(list(wanted)) if self.reuse else {}
        new = {key: p for key, p in wanted.items() if key not in vectors}
        embedded = (v for part in _slices(list(new.values())) for v in self.embedder.embed_passages(part))
        self.embedded += len(new)
        return vectors | dict(zip(new, embedded, strict=True))


def _slices(passages: Sequence[Passage]) -> Iterator[Sequence[Passage]]:
    return (passages[i : i + EMBED_BATCH] for i in range(0, len(passages), EMBED_BATCH))
