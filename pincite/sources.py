"""Where the files of a library's documents are on this machine."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from index.models import DocumentRecord
from ingest.attachments import located
from ingest.models import SourceFile

if TYPE_CHECKING:
    from index.ports import LibraryReader


def source_file(reader: LibraryReader, document: DocumentRecord) -> Path:
    """Where the document's file (of an attachment, a copy of it) should be on this machine. Raises KeyError for a root without a
    folder."""
    below = document.source_document if document.raw_path is None else os.fsdecode(document.raw_path)
    return located(Path(reader.roots[document.root]) / below)


def source_of(reader: LibraryReader, document: DocumentRecord) -> SourceFile:
    """The document's file as something to read, with what was known of it."""
    return SourceFile(
        file=source_file(reader, document),
        root=document.root,
        path=document.source_document,
        size=document.size,
        mtime_ns=document.mtime_ns,
    )


def none_of_theirs(library: Path) -> Callable[[Path], str | None]:
    """Says why a folder or file is none of the user's documents, or None."""
    from index.folders import KEYWORD
    from index.manifest import MANIFEST
    from index.root_settings import SETTINGS

    itself = library.resolve()

    def reason(path: Path) -> str | None:
        if path == itself:
            return "the library itself"
        if path.name == SETTINGS:
            return "settings of pincite"
        if os.path.isfile(f"{path}/{MANIFEST}") and (path / KEYWORD).is_dir():  # noqa: PTH113 (asked of every file)
            return "a pincite library"
        return None

    return reason
