"""Backup, restore and digest of a library: the bodies of the calls of `Library`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from ingest.errors import UsageError

if TYPE_CHECKING:
    from index.ports import Embedder, LibraryReader
    from index.writer import LibraryWriter
    from ingest.ports import TokenCounter


@dataclass(frozen=True, slots=True, kw_only=True)
class RestoreReport:
    """What came into the library. `left_out` counts the links of which one end is not here: ingest its document, and restore
    again."""

    notes: int
    links: int
    left_out: int


def restore(reader: LibraryReader, writer: LibraryWriter, embedder: Embedder, counter: TokenCounter, raw: object) -> RestoreReport:
    """Merges a backup into what the library has, and commits. Raises UsageError for what is no backup, or is damaged."""
    from index.backup import Restoring
    from index.new_documents import DocumentMaker, ReadDocument
    from index.notes import note_record, read_note

    now = datetime.now(UTC)
    before = set(writer.records.links)
    restoring = Restoring(raw, reader.documents)
    writer.update(restoring.into(writer.records))
    read = []
    for note, entity_id in restoring.notes():
        try:
            record = note_record(
                note["text"],
                kind=note["kind"],
                by=note["authored_by"],
                at=datetime.fromisoformat(note["remembered_at"]),
                namespace=note["namespace"],
                entity_id=entity_id,
                now=now,
            )
            document_id, path, title = (str(note[n]) for n in ("document_id", "source_document", "title"))
        except (KeyError, TypeError, ValueError) as error:
            raise UsageError(f"a note of the backup is damaged: {error!r}") from error
        reading = read_note(record, note["text"], counter)
        record = replace(record, document_id=document_id, source_document=path, title=title, chunk_count=len(reading.chunks))
        read.append(ReadDocument(record, reading, known=False))
    writer.add(DocumentMaker(reader=reader, embedder=embedder, now=now).make(read))
    wanted = len(set(writer.records.links) - before)
    writer.commit()
    links = len(set(writer.records.links) - before)
    return RestoreReport(notes=len(read), links=links, left_out=wanted - links)
