"""A hit made of what was found: the chunk, its document, the mark."""

from __future__ import annotations

import math
from dataclasses import dataclass

from index.models import ChunkRecord, DocumentRecord
from index.ports import LibraryReader
from ingest.cues import times_of
from ingest.models import Span
from query.labels import cited_title, label_of
from query.links import links_of
from query.locator import locator_of
from query.marking import Mark
from query.models import Mode, SearchHit
from query.placing import citation_section, cues_of, labels_of, line_starts, lines_of, pages_of
from query.ranking import Candidate


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """What all hits of one search share."""

    reader: LibraryReader
    mode: Mode
    query: str
    backend: str


def build_hit(scope: Scope, chunk: ChunkRecord, found: Candidate, mark: Mark) -> SearchHit:
    """Every field of the contract."""
    book = scope.reader.book
    document = scope.reader.documents[chunk.document_id]
    entity = book.of(document)
    links, elided = links_of(book, entity.entity_id)
    match = (mark.span or chunk.span).shift(-chunk.source_offset)
    pages, match_pages = pages_of(chunk.page_starts, Span(0, len(chunk.content))), pages_of(chunk.page_starts, match)
    labels, match_labels = labels_of(document, pages), labels_of(document, match_pages)
    lines = None if chunk.line_from is None or match_pages else lines_of(line_starts(chunk.content), match, chunk.line_from)
    cues = cues_of(document.format, lambda: scope.reader.rows.text(chunk.document_id))
    times = times_of(cues, match.shift(chunk.source_offset))
    return SearchHit(
        content=chunk.content,
        score=found.score,
        distance=None if found.cosine is None else min(max(1 - found.cosine, 0.0), 2.0),
        similarity=None if found.cosine is None else clamped(found.cosine),
        kind=chunk.kind,
        source_entity_id=entity.entity_id,
        source_entity_type=entity.type,
        source_label=label_of(entity, book.templates),
        source_document=document.source_document,
        root=document.root,
        namespace=document.namespace,
        document_id=chunk.document_id,
        chunk_id=chunk.chunk_id,
        role=chunk.role,
        section=chunk.section,
        section_path=chunk.section_path,
        page_from=_first(pages),
        page_to=_last(pages),
        page_label_from=labels[0],
        page_label_to=labels[1],
        source_offset=chunk.source_offset,
        match_offset=None if mark.span is None else match.start,
        match_length=None if mark.span is None else len(match),
        match_page_from=_first(match_pages),
        match_page_to=_last(match_pages),
        match_page_label_from=match_labels[0],
        match_page_label_to=match_labels[1],
        line_from=_first(lines),
        line_to=_last(lines),
        locator=locator_of(document.format, match_pages, times, lines),
        context=chunk.context,
        also_matched=mark.also,
        remembered_at=chunk.remembered_at,
        origin=chunk.origin,
        authored_by=chunk.authored_by if chunk.origin == "authored" else None,
        links=links,
        links_elided=elided,
        cautions=_cautions(chunk, document, mark),
        matched_on=found.matched_on,
        match_mode=scope.mode,
        contributions=found.contributions,
        rank=found.rank,
        native_score=found.native_score,
        native_metric=found.native_metric,
        backend=scope.backend,
        index_generation=scope.reader.generation,
        query=scope.query,
        source_sha256=document.source_sha256,
        silent=chunk.silent,
        units=tuple(unit.span.shift(-chunk.source_offset) for unit in chunk.units),
        cited_section=citation_section(scope.reader, chunk.document_id, chunk.section_path),
        cited_title=cited_title(book, document),
    )


def clamped(cosine: float) -> float:
    """A similarity: 0 … 1, NaN is 0."""
    return 0.0 if math.isnan(cosine) else min(max(cosine, 0.0), 1.0)


def _cautions(chunk: ChunkRecord, document: DocumentRecord, mark: Mark) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*document.cautions, *chunk.cautions, *(("partial",) if mark.partial else ()))))


def _first(pair: tuple[int, int] | None) -> int | None:
    return pair[0] if pair else None


def _last(pair: tuple[int, int] | None) -> int | None:
    return pair[1] if pair else None
