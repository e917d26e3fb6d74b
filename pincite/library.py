"""`Library`: everything a Python program does with pincite. Engines are loaded by the first call that needs them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Self

from index.models import EmbeddingSettings, Failure, Generation
from index.ports import Embedder
from ingest.ports import TokenCounter

if TYPE_CHECKING:
    from index.store import LibraryStore

StrPath = str | os.PathLike[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class LibraryStatus:
    """What a library holds. `roots` are the ingested folders, by name; `failures` the files that could not be read."""

    path: Path
    index_generation: Generation
    documents: int
    chunks: int
    roots: Mapping[str, str]
    settings: EmbeddingSettings
    failures: tuple[Failure, ...]


class Library:
    """A library folder, open. Use it as a context manager, or `close` it.

    Reading takes no lock and is safe from several threads; each call sees what has been committed last, by this process or
    another. A call that writes holds the library's lock while it runs.
    """

    def __init__(self, store: LibraryStore, *, embedder: Embedder, counter: TokenCounter) -> None:
        """For programs that bring their own embedder; others use `open`."""
        self._store = store
        self._embedder = embedder
        self._counter = counter

    @classmethod
    def open(cls, path: StrPath, *, create: bool = False) -> Self:
        """Opens the library folder; makes it, if `create` and there is none.

        Raises LibraryNotFound, LibraryIncompatible, LibraryDamaged.
        """
        raise NotImplementedError
