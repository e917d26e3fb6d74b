"""pincite: find the sentence that answers, and cite it so that anyone can check it.

Importing this loads no engine; the names below are loaded when they are first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from index.models import ChunkRecord as Chunk
    from index.models import DocumentRecord
    from index.report import FileReport, IngestReport
    from ingest.errors import PinciteError
    from pincite.library import Library
    from pincite.reports import LibraryStatus
    from query.matches import Place, QuoteMatch
    from query.models import SearchHit, SearchResponse

__all__ = [
    "Chunk",
    "DocumentRecord",
    "FileReport",
    "IngestReport",
    "Library",
    "LibraryStatus",
    "PinciteError",
    "Place",
    "QuoteMatch",
    "SearchHit",
    "SearchResponse",
]

_HOMES = {
    "Chunk": ("index.models", "ChunkRecord"),
    "DocumentRecord": ("index.models", "DocumentRecord"),
    "FileReport": ("index.report", "FileReport"),
    "IngestReport": ("index.report", "IngestReport"),
    "Library": ("pincite.library", "Library"),
    "LibraryStatus": ("pincite.reports", "LibraryStatus"),
    "PinciteError": ("ingest.errors", "PinciteError"),
    "Place": ("query.matches", "Place"),
    "QuoteMatch": ("query.matches", "QuoteMatch"),
    "SearchHit": ("query.models", "SearchHit"),
    "SearchResponse": ("query.models", "SearchResponse"),
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, attribute = _HOMES[name]
    value: object = getattr(importlib.import_module(module), attribute)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
