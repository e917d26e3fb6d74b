"""What `Library` says of itself: the status, and the proof of a purge."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from index.models import DocumentRecord, EmbeddingSettings, Failure, Generation

if TYPE_CHECKING:
    from index.purge import Scan


@dataclass(frozen=True, slots=True, kw_only=True)
class LibraryStatus:
    """What a library holds. `roots` are the ingested folders, by name; `failures` the files that could not be read; `older_parsers`
    counts the documents that another version of their parser read (`ingest --reparse` refreshes them)."""

    path: Path
    index_generation: Generation
    documents: int
    chunks: int
    roots: Mapping[str, str]
    settings: EmbeddingSettings
    failures: tuple[Failure, ...]
    older_parsers: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class PurgeReport:
    """The documents that are gone, and the proof: what was looked through, and that nothing was found."""

    documents: tuple[DocumentRecord, ...]
    scan: Scan
    index_generation: Generation
