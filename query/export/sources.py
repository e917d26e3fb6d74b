"""The source files of an export, checked: nothing is drawn or quoted from a file that has changed."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path

from index.entities import is_note
from index.models import DocumentRecord
from index.ports import LibraryReader
from ingest.errors import PinciteError, SourceChanged, SourceMissing, UnreadableSource
from query.export.job import Quotable

Resolve = Callable[[str, str], Path]
"""(root, source_document) -> the file on this machine."""

_AGAIN = "Ingest it again, then search again."


def checked_sources(reader: LibraryReader, quotes: Sequence[Quotable], resolve: Resolve) -> dict[str, Path]:
    """The file of each quote's document, by document id; a note has none.

    Raises SourceMissing where the file or its document is gone, SourceChanged where the file's SHA-256 or the library's is not
    that of the quote.
    """
    sources: dict[str, Path] = {}
    for quote in quotes:
        document = reader.documents.get(quote.document_id)
        if document is None:
            raise SourceMissing(quote.source_document, "is no longer in the library", next_step=_AGAIN)
        if document.source_sha256 != quote.source_sha256:
            raise SourceChanged(
                quote.source_document, "has been ingested anew since the quote was found", next_step="Search again."
            )
        if is_note(document):  # it has no file: its text stands in the library
            continue
        if quote.document_id not in sources:
            sources[quote.document_id] = checked_source(document, resolve)
    return sources


def checked_source(document: DocumentRecord, resolve: Resolve) -> Path:
    """The document's file, the very one that was ingested. Raises SourceMissing, SourceChanged, UnreadableSource."""
    file = _resolved(resolve, document.root, document.source_document)
    if file_sha256(file, document.source_document) != document.source_sha256:
        raise SourceChanged(document.source_document, "has changed since it was ingested", next_step=_AGAIN)
    return file


def file_sha256(file: Path, name: str) -> str:
    """Of the bytes, in hexadecimal; `name` is what errors call it."""
    try:
        with file.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except FileNotFoundError:
        raise SourceMissing(name, f"is not at its place ({file})", next_step="Put it back, or ingest its folder again.") from None
    except OSError as error:
        raise UnreadableSource(name, f"cannot be read: {error.strerror or error}") from error


def _resolved(resolve: Resolve, root: str, source_document: str) -> Path:
    try:
        return resolve(root, source_document)
    except PinciteError:
        raise
    except (KeyError, OSError, ValueError) as error:
        raise SourceMissing(source_document, f"has no place on this machine (root {root})") from error
