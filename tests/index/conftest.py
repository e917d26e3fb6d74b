"""Documents for the tests of the index, made of paragraphs."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from index.keys import chunk_ids
from index.memory import HashingEmbedder
from index.models import ChunkRecord, DocumentRecord, DocumentText, EmbeddedChunk, NewDocument, PageStart
from ingest.models import Exclusion, Page, PageRun, Passage, Role, SilentRange, SourceRun, Span, Unit

Paragraph = str | tuple[tuple[str, ...], str] | tuple[tuple[str, ...], str, Role]
MakeDocument = Callable[..., NewDocument]
WHEN = datetime(2031, 8, 1, 12, 30, 15, 123456, tzinfo=UTC)


def make_document(
    document_id: str, *paragraphs: Paragraph, path: str = "", root: str = "docs", title: str = "Untitled"
) -> NewDocument:
    """A document of one page, a chunk a paragraph: a text, or (section path, text), or (section path, text, role)."""
    full = [((), p, "body") if isinstance(p, str) else (*p, "body")[:3] for p in paragraphs]
    text = "\n\n".join(p[1] for p in full)
    chunks, at = [], 0
    for ordinal, ((section, content, role), chunk_id) in enumerate(
        zip(full, chunk_ids(document_id, ((p[0], p[1]) for p in full)), strict=True)
    ):
        span = Span(at, at + len(content))
        record = ChunkRecord(
            chunk_id=chunk_id,
            document_id=document_id,
            ordinal=ordinal,
            section_path=section,
            source_offset=at,
            content=content,
            role=role,
            units=(Unit(span=span, role=role, partial=ordinal % 2 == 1),),
            context=(Span(0, 1),) if ordinal else (),
            silent=(SilentRange(start=0, end=1, replacement=content[0]),),
            page_starts=(PageStart(0, 1),),
            line_from=ordinal + 1,
            cautions=("hidden_text",) if role == "hidden" else (),
            remembered_at=WHEN if ordinal else None,
            units_remembered_at=(WHEN,) * (ordinal % 2),
        )
        [vectors] = HashingEmbedder().embed_passages([Passage(text=content, units=(Span(0, len(content)),))])
        chunks.append(EmbeddedChunk(chunk=record, vectors=None if role == "markup" else vectors))
        at += len(content) + 2
    page = Page(
        number=1,
        label="i",
        width=595.2,
        height=842.0,
        rotation=90,
        fingerprint="f" * 64,
        runs=(SourceRun(0, 3, len(text)),),
        exclusions=(Exclusion(page=1, source_offset=0, length=2, text="7'", reason="page number", box=(1.5, 2.0, 3.0, 4.0)),),
    )
    return NewDocument(
        record=make_record(document_id, path=path or f"{document_id}.md", root=root, title=title, text=text, chunks=len(chunks)),
        text=DocumentText(
            document_id=document_id,
            text=text,
            silent=(SilentRange(start=0, end=1, replacement="x"), SilentRange(start=2, end=3)),
            page_map=(PageRun(0, len(text), 1),),
        ),
        pages=(page,),
        chunks=tuple(chunks),
    )


def make_record(document_id: str, *, path: str, root: str, title: str, text: str, chunks: int) -> DocumentRecord:
    digest = hashlib.sha256(text.encode()).hexdigest()
    return DocumentRecord(
        document_id=document_id,
        root=root,
        source_document=path,
        title=title,
        format="text",
        namespace=None,
        source_sha256=digest,
        text_sha256=digest,
        size=len(text),
        mtime_ns=1_900_000_000_123_456_789,
        parser="test 1",
        status="warning",
        reason="page 2 is empty",
        warning_pages=(2,),
        encoding="utf-8",
        page_count=1,
        page_labels=("i", None),
        cautions=("ocr",),
        properties=(("author", "O'Brien"), ("author", "税")),
        chunk_count=chunks,
        entity_id=document_id,
        entity_type="document",
        ingested_at=WHEN,
        remembered_at=WHEN,
        raw_path=b"\xff.md",
    )


@pytest.fixture
def new_document() -> MakeDocument:
    return make_document
