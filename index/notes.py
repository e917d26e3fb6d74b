"""What was said, as a document: its canonical text is its text, its chunks are notes or turns. It has no file."""

from __future__ import annotations

import hashlib
import re
import uuid
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Literal

from index.entities import NOTE_TYPE, NOTES_ROOT
from index.models import DocumentRecord
from index.workers import Reading
from ingest.chunking import chunk_document
from ingest.errors import UsageError
from ingest.models import ParsedDocument, SourceFile
from ingest.plaintext import parse_text
from ingest.ports import TokenCounter

NoteKind = Literal["note", "turn"]
KINDS: tuple[NoteKind, ...] = ("note", "turn")
MAX_CHARACTERS = 1_000_000
_UNUSABLE = re.compile("[\x00\ud800-\udfff]")


def note_record(
    text: str, *, kind: NoteKind, by: str | None, at: datetime, namespace: str | None, entity_id: str | None, now: datetime
) -> DocumentRecord:
    """The record of a new note; `entity_id` is what it is about, None for its own. Raises UsageError for what can't be kept."""
    if kind not in KINDS:
        raise UsageError(f"no such kind of memory: {kind}", next_step=f"Kinds: {', '.join(KINDS)}.")
    if not text.strip():
        raise UsageError("there is nothing to remember: the text is empty")
    if len(text) > MAX_CHARACTERS:
        raise UsageError(f"a note has at most {MAX_CHARACTERS:,} characters", next_step="Ingest it as a file.")
    if _UNUSABLE.search(text + (by or "")):
        raise UsageError("a note can't hold NUL or half a character pair")
    document_id = str(uuid.uuid4())
    sha256 = hashlib.sha256(text.encode()).hexdigest()
    by = " ".join((by or "").split()) or None
    return DocumentRecord(
        document_id=document_id,
        root=NOTES_ROOT,
        source_document=f"{kind}-{at:%Y-%m-%d}-{document_id[-12:]}",
        title=f"{kind.capitalize()} by {by}, {at:%Y-%m-%d}" if by else f"{kind.capitalize()} of {at:%Y-%m-%d}",
        format="note",
        namespace=namespace or None,
        source_sha256=sha256,
        text_sha256=sha256,
        size=len(text.encode()),
        mtime_ns=0,
        parser="plain text",
        status="ok",
        reason=None,
        warning_pages=(),
        encoding=None,
        page_count=None,
        page_labels=(),
        cautions=(),
        properties=(),
        chunk_count=0,
        entity_id=entity_id or document_id,
        entity_type=NOTE_TYPE,
        ingested_at=now,
        remembered_at=at,
        kind=kind,
        authored_by=by,
    )


def read_note(record: DocumentRecord, text: str, counter: TokenCounter) -> Reading:
    """The note as if it had been read from a file: from its text alone, so that a library can be made again."""
    document: ParsedDocument = replace(parse_text(text, encoding=None), format="note")
    source = SourceFile(file=Path(), root=record.root, path=record.source_document, size=record.size, mtime_ns=record.mtime_ns)
    chunks = tuple(chunk_document(document, counter))
    return Reading(source=source, document=document, chunks=chunks, sha256=record.source_sha256)
