"""From a reading to the records that are stored. Pure, but for new ids."""

from __future__ import annotations

import hashlib
import os
import re
import uuid
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import Literal

from index.keys import chunk_ids
from index.models import ChunkRecord, DocumentRecord, DocumentText, PageStart, changed
from index.remembering import Occurrence, SentenceCounter, remembered
from index.workers import Reading
from ingest import source_code
from ingest.models import PAGED, WITH_LINES, Chunk, PageRun, ParsedDocument, SourceFile, Span
from ingest.reading import silent_within

ENTITY_TYPE = "Document"

_FILE_NAME = re.compile(
    r"^(microsoft (word|powerpoint|excel) - .*|untitled[\s\d-]*|(document|slide|presentation)\s*\d*|[a-z]:\\.*|/[^ ]*|file:.*)$"
    r"|\.(docx?|odt|rtf|txt|pptx?|xlsx?|pdf|tex|dvi|ps|indd|qxd|html?|md|wpd|pages)$",
    re.IGNORECASE,
)
_TITLED_BY_PROGRAMS = frozenset({"pdf", "docx", "pptx", "xlsx", "odt"})
_LINE_END = re.compile(r"\r\n|\r|\n")


def document_title(document: ParsedDocument) -> str | None:
    """Front matter or metadata, unless that is a file name; else the first heading of the highest rank; else None."""
    given = " ".join((document.title or "").split())
    if given and not (document.format in _TITLED_BY_PROGRAMS and _FILE_NAME.search(given)):
        return given
    headings = [b for b in document.blocks if b.level is not None and b.title]
    top = min(headings, key=lambda b: b.level or 0, default=None)
    return top.title if top else None


def stem(path: str) -> str:
    """What a document without a title is called: its file's stem; of source code the name, since gates.c is not gates.h."""
    name = PurePosixPath(path)
    return name.name if name.suffix.lower() in source_code.SUFFIXES else name.stem


def raw_path(source: SourceFile) -> bytes | None:
    """The bytes of the path below the root, where `source.path` doesn't say them (a name that is no UTF-8)."""
    if source.file.as_posix().endswith(f"/{source.path}"):
        return None
    below = Path(*source.file.parts[-len(PurePosixPath(source.path).parts) :]).as_posix()
    return None if below == source.path else os.fsencode(below)


def placed(record: DocumentRecord, source: SourceFile) -> DocumentRecord:
    """The record under the place where its file is now."""
    return changed(record, root=source.root, source_document=source.path, raw_path=raw_path(source))


def document_record(reading: Reading, *, previous: DocumentRecord | None, now: datetime) -> DocumentRecord:
    """The record of what was read. A `previous` version keeps its ids, what it belongs to and when it was first learned. How many
    chunks it has, and what else it belongs to, others say (`index.belonging`)."""
    document, source = reading.document, reading.source
    title = document_title(document)
    document_id = previous.document_id if previous else str(uuid.uuid4())
    status: Literal["ok", "warning"] = "warning" if document.warnings else "ok"
    return DocumentRecord(
        document_id=document_id,
        root=source.root,
        source_document=source.path,
        title=title or stem(source.path),
        format=document.format,
        namespace=previous.namespace if previous else None,
        source_sha256=reading.sha256,
        text_sha256=hashlib.sha256(document.text.encode("utf-8", "surrogatepass")).hexdigest(),
        size=source.size,
        mtime_ns=source.mtime_ns,
        parser=document.parser,
        status=status,
        reason="; ".join(w.reason for w in document.warnings) or None,
        warning_pages=tuple(sorted({p for w in document.warnings for p in w.pages})),
        encoding=document.encoding,
        page_count=len(document.pages) if document.format in PAGED else None,
        page_labels=tuple(p.label for p in document.pages) if document.format in PAGED else (),
        cautions=document.cautions,
        properties=document.properties,
        chunk_count=len(reading.chunks),
        entity_id=previous.entity_id if previous else document_id,
        entity_type=previous.entity_type if previous else ENTITY_TYPE,
        ingested_at=now,
        remembered_at=previous.remembered_at if previous else now,
        raw_path=raw_path(source),
        titled_by_name=not title,
        entity_name=previous.entity_name if previous else None,
    )


def document_text(document_id: str, document: ParsedDocument) -> DocumentText:
    return DocumentText(document_id=document_id, text=document.text, silent=document.silent, page_map=document.page_map)


def chunk_records(
    record: DocumentRecord,
    document: ParsedDocument,
    chunks: tuple[Chunk, ...],
    *,
    known: Mapping[Occurrence, datetime],
    now: datetime,
) -> Iterator[ChunkRecord]:
    """The chunks as stored. `known` says since when the sentences of an earlier version are known; what was said is as old as the
    saying."""
    document_id, authored = record.document_id, record.kind != "section"
    counter = SentenceCounter()
    lines = [0, *(m.end() for m in _LINE_END.finditer(document.text))] if document.format in WITH_LINES else None
    ids = chunk_ids(document_id, ((c.section_path, c.content) for c in chunks))
    for ordinal, (chunk_id, chunk) in enumerate(zip(ids, chunks, strict=True)):
        newest, times = remembered((unit.span.slice(document.text) for unit in chunk.units), counter, known, now)
        yield ChunkRecord(
            chunk_id=chunk_id,
            document_id=document_id,
            ordinal=ordinal,
            section_path=chunk.section_path,
            source_offset=chunk.span.start,
            content=chunk.content,
            role=chunk.role,
            units=chunk.units,
            context=chunk.context,
            silent=silent_within(document.silent, chunk.span),
            page_starts=page_starts(document.page_map, chunk.span),
            line_from=None if lines is None else bisect_right(lines, chunk.span.start),
            cautions=(*document.cautions, *(("hidden_text",) if chunk.role == "hidden" else ())),
            kind=record.kind,
            origin="authored" if authored else "derived",
            authored_by=record.authored_by,
            remembered_at=record.remembered_at if authored else newest,
            units_remembered_at=() if authored else times,
        )


def page_starts(page_map: tuple[PageRun, ...], span: Span) -> tuple[PageStart, ...]:
    """Where in the span each page begins, counted from the span's start; the first at 0."""
    starts: list[PageStart] = []
    for run in page_map[bisect_right(page_map, span.start, key=lambda r: r.end) :]:
        if run.start >= span.end:
            break
        if not starts or starts[-1].page != run.page:
            starts.append(PageStart(max(run.start - span.start, 0), run.page))
    return tuple(starts)
