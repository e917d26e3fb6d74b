"""A library of made-up chunks, of any size: words by Zipf's law, vectors around a thousand centres. The same on every run."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from index.models import ChunkRecord, ChunkVectors, DocumentRecord, DocumentText, EmbeddedChunk, EmbeddingSettings, NewDocument
from index.store import LibraryStore
from ingest.models import Span, Unit

CHUNKS_A_DOCUMENT, UNITS, WORDS_A_UNIT = 200, 6, 22
_WHEN = datetime(2026, 1, 1, tzinfo=UTC)
_LETTERS = str.maketrans("0123456789abcde", "etaoinshrdlcumw")
_VOCABULARY = np.array([f"y{np.base_repr(n * 7919, 15).lower().translate(_LETTERS)}" for n in range(20_000)])
_CUMULATIVE = np.cumsum(1 / np.arange(1, 20_001))


def build(folder: Path, chunks: int, settings: EmbeddingSettings) -> NDArray[np.float32]:
    """Writes the library and returns the vectors of its passages, shape (chunks, dimension)."""
    random = np.random.default_rng(0)
    centres = random.normal(size=(1_000, settings.dimension)).astype(np.float32)
    store = LibraryStore.open(folder, create=True)
    vectors = []
    with store.writer(settings, chunking={}) as writer:
        for number in range(chunks // CHUNKS_A_DOCUMENT):
            document = _document(number, random, centres)
            vectors += [e.vectors.vector for e in document.chunks if e.vectors is not None]
            writer.add([document])
        writer.commit()
    return np.stack(vectors)


def ids(chunks: int) -> list[str]:
    """The ids of the passages, in the order of their vectors."""
    return [_chunk_id(*divmod(n, CHUNKS_A_DOCUMENT)) for n in range(chunks)]


def _chunk_id(document: int, place: int) -> str:
    return f"{document:016x}{place:016x}"


def question(vectors: NDArray[np.float32], random: np.random.Generator) -> tuple[str, NDArray[np.float32]]:
    """Eight words, and a vector near that of some passage."""
    near = vectors[random.integers(len(vectors))] + random.normal(size=vectors.shape[1]) * 0.03
    return " ".join(_words(random, 8)), _unit(near)


def _document(number: int, random: np.random.Generator, centres: NDArray[np.float32]) -> NewDocument:
    document_id = f"{number:032x}"
    vectors = _unit(
        random.normal(size=(CHUNKS_A_DOCUMENT, centres.shape[1]))
        + 1.2 * centres[random.integers(len(centres), size=CHUNKS_A_DOCUMENT)]
    )
    text, chunks = "", []
    for n, vector in enumerate(vectors):
        start, units = len(text), []
        for words in _words(random, UNITS * WORDS_A_UNIT).reshape(UNITS, WORDS_A_UNIT):
            sentence = f"{' '.join(words)}."
            units.append(Unit(span=Span(len(text), len(text) + len(sentence)), role="body"))
            text += f"{sentence} "
        record = ChunkRecord(
            chunk_id=_chunk_id(number, n),
            document_id=document_id,
            ordinal=n,
            section_path=(f"Section {n // 5}",),
            source_offset=start,
            content=text[start:-1],
            role="body",
            units=tuple(units),
            line_from=1,
        )
        parts = _unit(vector + random.normal(size=(UNITS, len(vector))) * 0.04).astype(np.float16)
        chunks.append(EmbeddedChunk(chunk=record, vectors=ChunkVectors(vector=vector, units=parts)))
    return NewDocument(
        record=_record(document_id, number), text=DocumentText(document_id=document_id, text=text), pages=(), chunks=tuple(chunks)
    )


def _record(document_id: str, number: int) -> DocumentRecord:
    return DocumentRecord(
        document_id=document_id, root="made-up", source_document=f"{number:05}.txt", title=f"Document {number}", format="text",
        namespace=None, source_sha256="0" * 64, text_sha256="0" * 64, size=0, mtime_ns=0, parser="bench", status="ok", reason=None,
        warning_pages=(), encoding="utf-8", page_count=None, page_labels=(), cautions=(), properties=(),
        chunk_count=CHUNKS_A_DOCUMENT, entity_id=document_id, entity_type="document", ingested_at=_WHEN, remembered_at=_WHEN,
    )  # fmt: skip


def _words(random: np.random.Generator, count: int) -> NDArray[np.str_]:
    words: NDArray[np.str_] = _VOCABULARY[np.searchsorted(_CUMULATIVE, random.random(count) * _CUMULATIVE[-1])]
    return words


def _unit(vectors: NDArray[np.floating]) -> NDArray[np.float32]:
    normalised: NDArray[np.float32] = (vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)).astype(np.float32)
    return normalised
