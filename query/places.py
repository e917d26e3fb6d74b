"""A place made of a span: section, pages, labels, lines, cautions."""

from __future__ import annotations

from collections.abc import Sequence

from index.models import ChunkRecord, DocumentText
from index.ports import LibraryReader
from ingest.cues import times_of
from ingest.models import WITH_LINES, Span
from ingest.reading import reading_text, silent_within
from query.citation import cited_section
from query.labels import cited_title, label_of
from query.locator import locator_of
from query.matches import Place
from query.placing import cues_of, labels_of, line_starts, lines_of, pages_of
from query.record import AROUND


def build_places(reader: LibraryReader, text: DocumentText, spans: Sequence[Span]) -> list[Place]:
    """The places of spans of one document, in order; the document's chunks are read once."""
    if not spans:
        return []
    document = reader.documents[text.document_id]
    chunks = [chunk for chunk in reader.rows.chunks(text.document_id) if chunk.kind != "property"]
    label, title = label_of(reader.book.of(document), reader.book.templates), cited_title(reader.book, document)
    paths = {chunk.section_path for chunk in chunks}
    page_starts = [(run.start, run.page) for run in text.page_map]
    lines = line_starts(text.text) if document.format in WITH_LINES else []
    cues = cues_of(document.format, lambda: text)
    out, first = [], 0
    for span in spans:
        while first < len(chunks) and chunks[first].span.end <= span.start:
            first += 1
        touched = _touched(chunks, first, span)
        path = touched[0].section_path if touched else ()
        pages = pages_of(page_starts, span)
        labels = labels_of(document, pages)
        at = lines_of(lines, span) if lines else None
        quote = span.slice(text.text)
        out.append(
            Place(
                document_id=text.document_id,
                source_document=document.source_document,
                root=document.root,
                source_label=label,
                cited_title=title,
                source_sha256=document.source_sha256,
                offset=span.start,
                length=len(span),
                quote=quote,
                quote_text=reading_text(quote, silent_within(text.silent, span)).text,
                section_path=path,
                cited_section=cited_section(path, paths),
                role=touched[0].role if touched else "body",
                prefix=text.text[max(span.start - AROUND, 0) : span.start],
                suffix=text.text[span.end : span.end + AROUND],
                page_from=pages[0] if pages else None,
                page_to=pages[1] if pages else None,
                page_label_from=labels[0],
                page_label_to=labels[1],
                line_from=at[0] if at else None,
                line_to=at[1] if at else None,
                locator=locator_of(document.format, pages, times_of(cues, span), at),
                cautions=tuple(dict.fromkeys((*document.cautions, *(c for chunk in touched for c in chunk.cautions)))),
            )
        )
    return out


def _touched(chunks: Sequence[ChunkRecord], first: int, span: Span) -> list[ChunkRecord]:
    """The chunks that the span touches; `first` is the first that ends after the span's start."""
    last = first
    while last < len(chunks) and chunks[last].source_offset < span.end:
        last += 1
    return list(chunks[first:last])
