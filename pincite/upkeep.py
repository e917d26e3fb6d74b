"""What `Library` does to look after itself: the proof of a purge, the checks and repairs of a doctor, the making anew."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from index.checks import Check
from index.doctor_sources import Depth
from index.entities import is_note
from index.models import DocumentRecord
from ingest.errors import LibraryDamaged, UsageError
from ingest.models import SourceFile
from pincite.reports import PurgeReport
from pincite.sources import source_of

if TYPE_CHECKING:
    from index.ports import LibraryReader
    from index.store import LibraryStore
    from index.writer import LibraryWriter


def purge(library: Path, reader: LibraryReader, writer: LibraryWriter, documents: Sequence[DocumentRecord]) -> PurgeReport:
    """Takes the documents out, and looks through every file of the library for what is left. Raises LibraryDamaged."""
    from index.purge import scan, trace_of

    ids = [d.document_id for d in documents]
    trace = trace_of(reader, ids)
    writer.purge(ids)
    generation = writer.commit()
    scanned = scan(library, trace)
    if scanned.found:
        raise LibraryDamaged(
            f"something of the purged documents is left: {scanned.found[0]}", next_step="End all readers, and purge again."
        )
    return PurgeReport(documents=tuple(documents), scan=scanned, index_generation=generation)


def examine_all(store: LibraryStore, depth: Depth | None) -> list[Check]:
    """Every check of the newest generation."""
    from index.doctor import examine

    reader = store.reader()
    return list(examine(reader, reader.manifest, store.folder, lambda record: source_of(reader, record), depth))


def sources_to_rebuild(reader: LibraryReader, moved: Mapping[str, str]) -> list[tuple[DocumentRecord, SourceFile]]:
    """Every document that has a file, with it, below the folders that roots were `moved` to. Raises UsageError for an unknown
    root."""
    if unknown := sorted(set(moved) - set(reader.roots)):
        raise UsageError(f"no root is called “{unknown[0]}”", next_step=f"There are: {', '.join(sorted(reader.roots))}")
    sources = []
    for document in reader.documents.values():
        if is_note(document):
            continue
        source = source_of(reader, document)
        if document.root in moved:
            below = source.file.relative_to(reader.roots[document.root])
            source = replace(source, file=Path(moved[document.root]) / below)
        sources.append((document, source))
    return sources
