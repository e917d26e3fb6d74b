"""Where the files of a library's documents are on this machine."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from index.models import DocumentRecord
from ingest.models import SourceFile

if TYPE_CHECKING:
    from index.ports import LibraryReader


def source_file(reader: LibraryReader, document: DocumentRecord) -> Path:
    """Where the document's file should be on this machine. Raises KeyError for a root without a folder."""
    below = document.source_document if document.raw_path is None else os.fsdecode(document.raw_path)
    return Path(reader.roots[document.root]) / below


def source_of(reader: LibraryReader, document: DocumentRecord) -> SourceFile:
    """The document's file as something to read, with what was known of it."""
    return SourceFile(
        file=source_file(reader, document),
        root=document.root,
        path=document.source_document,
        size=document.size,
        mtime_ns=document.mtime_ns,
    )
