"""The keyword index in memory: BM25 over the same terms as the real one, and which chunks a filter lets through."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from index.fields import FORM_BOOST, IDENTIFIER_BOOST, SECTION_BOOST, SEQUENCE_BOOST, TITLE_BOOST, ChunkTerms, chunk_terms
from index.keys import section_key
from index.models import ChunkFilter, ChunkRecord, EmbeddedChunk, KeywordQuery, LegHit

K1, B = 1.2, 0.75
"""The constants of BM25 (Robertson and Zaragoza 2009), as Tantivy sets them."""


def allows(where: ChunkFilter, chunk: ChunkRecord) -> bool:
    """Whether a leg may return the chunk."""
    return (
        (where.document_ids is None or chunk.document_id in where.document_ids)
        and (where.section_keys is None or section_key(chunk.section_path) in where.section_keys)
        and (where.kinds is None or chunk.kind in where.kinds)
        and chunk.role not in where.without_roles
        and (where.since is None or (chunk.remembered_at is not None and chunk.remembered_at >= where.since))
        and (where.before is None or (chunk.remembered_at is not None and chunk.remembered_at < where.before))
    )


def best(hits: Iterable[LegHit], limit: int) -> list[LegHit]:
    """Best first, ties by chunk id."""
    return sorted(hits, key=lambda h: (-h.native_score, h.chunk_id))[: max(limit, 0)]


class MemoryKeywords:
    """KeywordReader and KeywordWriter: BM25 over the same terms as the real index."""

    def __init__(self) -> None:
        self._committed: dict[str, tuple[ChunkRecord, ChunkTerms]] = {}
        self._pending: dict[str, tuple[ChunkRecord, ChunkTerms]] = {}

    # KeywordWriter

    def delete(self, document_ids: Iterable[str]) -> None:
        gone = set(document_ids)
        self._pending = {i: entry for i, entry in self._pending.items() if entry[0].document_id not in gone}

    def add(self, title: str, chunks: Sequence[EmbeddedChunk]) -> None:
        self._pending.update({e.chunk.chunk_id: (e.chunk, chunk_terms(title, e.chunk)) for e in chunks})

    def commit(self) -> None:
        self._committed = dict(self._pending)

    # KeywordReader

    def search(self, query: KeywordQuery, limit: int, where: ChunkFilter) -> list[LegHit]:
        if not query:
            return []
        scores: dict[str, float] = {}
        for field, boost, terms in (
            ("body", 1.0, query.words),
            ("section", SECTION_BOOST, query.words),
            ("title", TITLE_BOOST, query.words),
            ("forms", FORM_BOOST, query.forms),
            ("forms", IDENTIFIER_BOOST, query.identifiers),
            *(("body", 1.0, phrase) for phrase in query.phrases),
        ):
            for chunk_id, score in self._bm25(field, terms).items():
                scores[chunk_id] = scores.get(chunk_id, 0.0) + boost * score
        if query.sequence:
            whole = self._bm25("body", query.sequence)
            for chunk_id, (_, fields) in self._committed.items():
                if _has_run(fields.body, query.sequence):
                    scores[chunk_id] = scores.get(chunk_id, 0.0) + SEQUENCE_BOOST * whole[chunk_id]
        return best((LegHit(i, s) for i, s in scores.items() if self._allowed(i, query, where)), limit)

    def document_frequency(self, terms: Sequence[str]) -> dict[str, int]:
        return {term: sum(term in fields.body for _, fields in self._committed.values()) for term in terms}

    def chunk_count(self) -> int:
        return len(self._committed)

    def chunk_counts(self, document_ids: Sequence[str]) -> dict[str, int]:
        return {i: sum(chunk.document_id == i for chunk, _ in self._committed.values()) for i in document_ids}

    def _allowed(self, chunk_id: str, query: KeywordQuery, where: ChunkFilter) -> bool:
        chunk, fields = self._committed[chunk_id]
        places = (fields.body, fields.section, fields.title)
        return allows(where, chunk) and all(any(_has_run(terms, phrase) for terms in places) for phrase in query.phrases)

    def _bm25(self, field: str, terms: Sequence[str]) -> dict[str, float]:
        texts: dict[str, tuple[str, ...]] = {i: getattr(fields, field) for i, (_, fields) in self._committed.items()}
        average = sum(map(len, texts.values())) / max(len(texts), 1)
        scores: dict[str, float] = {}
        for term in terms:
            counts = {i: n for i, text in texts.items() if (n := text.count(term))}
            idf = math.log(1 + (len(texts) - len(counts) + 0.5) / (len(counts) + 0.5))
            for i, n in counts.items():
                norm = K1 * (1 - B + B * len(texts[i]) / average)
                scores[i] = scores.get(i, 0.0) + idf * n * (K1 + 1) / (n + norm)
        return scores


def _has_run(terms: tuple[str, ...], run: tuple[str, ...]) -> bool:
    return any(terms[i : i + len(run)] == run for i in range(len(terms) - len(run) + 1))
