"""A library folder: who reads it sees one whole generation, who writes it makes the next one.

    manifest.json     what the generation is made of (`index.manifest`); replacing it is the commit
    rows/, rows-<n>/  the tables (`index.lance`), the generation names their folder and versions
    manifests/        a copy of it for each generation that is kept (`index.salvage`)
    keyword/<number>  the words (`index.tantivy_index`), a folder a generation, written once
    leases/           which generations readers hold (`index.leases`)
    lock, lock.json   held by the only writer (`index.lock`)

Text stands in the tables and, as words, in the keyword index; nowhere else. Reading takes no lock.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path

from index.disk import writing
from index.entities import RecordBook
from index.folders import KEYWORD, ROWS
from index.leases import LEASES, take_lease
from index.lock import HOLDER, LOCK, write_lock
from index.manifest import (
    ANEW,
    FORMAT_VERSION,
    MANIFEST,
    MANIFESTS,
    OLDEST_VERSION,
    Manifest,
    read_manifest,
    root_folder,
)
from index.models import DocumentRecord, EmbeddingSettings, Generation
from index.ports import KeywordReader, RowReader
from index.writer import LibraryWriter
from ingest.errors import LibraryDamaged, LibraryNotFound, UsageError

_BEGUN = frozenset({ROWS, KEYWORD, LEASES, MANIFESTS, f"{MANIFEST}.new", LOCK, HOLDER})
"""What lies in the folder of a library whose first writer died."""


class PinnedReader:
    """LibraryReader of one generation, for as long as it is kept. Opens what is asked for when it is asked. Safe for threads."""

    def __init__(self, library: Path, manifest: Manifest) -> None:
        self._library = library
        self.manifest = manifest

    @property
    def generation(self) -> Generation:
        return self.manifest.generation

    @property
    def settings(self) -> EmbeddingSettings:
        return self.manifest.settings

    @cached_property
    def documents(self) -> Mapping[str, DocumentRecord]:
        return {d.document_id: d for d in self.rows.documents()}

    @cached_property
    def book(self) -> RecordBook:
        return RecordBook(self.documents, self.rows.entities(), self.rows.links(), self.templates)

    @property
    def templates(self) -> Mapping[str, str]:
        return self.manifest.templates

    @cached_property
    def roots(self) -> Mapping[str, str]:
        return {name: root_folder(self._library, kept) for name, kept in self.manifest.roots.items()}

    @cached_property
    def rows(self) -> RowReader:
        from index.lance import LanceRows

        return LanceRows(self._library / self.manifest.rows, self.manifest.tables)

    @cached_property
    def keyword(self) -> KeywordReader:
        from index.tantivy_index import TantivyKeywords

        return TantivyKeywords(self._library / KEYWORD / self.manifest.keyword)


class LibraryStore:
    """The folder of a library. `open` it; take a `reader` for every question and a `writer` for every change."""

    def __init__(self, folder: Path, *, on_step: Callable[[str], None] = lambda step: None) -> None:
        self.folder = folder
        self._on_step = on_step
        self._lock = threading.Lock()
        self._seen: tuple[int, int, int] | None = None
        self._reader: PinnedReader | None = None

    @classmethod
    def open(cls, path: str | Path, *, create: bool = False, oldest: int = FORMAT_VERSION) -> LibraryStore:
        """A library that is there, or with `create` one to be made by its first writer. Formats from `oldest` on are taken.

        Raises LibraryNotFound, LibraryIncompatible, LibraryDamaged; UsageError where a new library would lie among other files.
        """
        folder = Path(path).absolute()
        if not create or (folder / MANIFEST).exists():
            read_manifest(folder, oldest=oldest)
        elif folder.exists() and (not folder.is_dir() or {f.name for f in folder.iterdir()} - _BEGUN):
            raise UsageError(f"{folder} is no library and not empty", next_step="name another folder with --library")
        return cls(folder)

    def reader(self) -> PinnedReader:
        """A reader of the newest generation: the same one while nothing was committed. Raises LibraryNotFound before the first."""
        with self._lock:
            seen = self._manifest_seen()
            while self._reader is None or seen != self._seen:
                self._reader, self._seen = self._pin(read_manifest(self.folder)), seen
                seen = self._manifest_seen()  # a commit before the lease was there might have pruned what it holds
            return self._with_tables(self._reader)

    def history(self) -> PinnedReader:
        """A reader of the newest generation for `rebuild`: of an older format, too."""
        return self._with_tables(self._pin(read_manifest(self.folder, oldest=OLDEST_VERSION)))

    def _with_tables(self, reader: PinnedReader) -> PinnedReader:
        """The reader of the newest generation, whose tables nobody but a vandal takes away."""
        if not (self.folder / reader.manifest.rows).is_dir():
            raise LibraryDamaged(f"{self.folder} has no tables any more", next_step=ANEW)
        return reader

    def _pin(self, manifest: Manifest) -> PinnedReader:
        reader = PinnedReader(self.folder, manifest)
        take_lease(self.folder, manifest.generation.number, reader)
        return reader

    @contextmanager
    def writer(
        self,
        settings: EmbeddingSettings | Callable[[], EmbeddingSettings],
        *,
        chunking: Mapping[str, int | str],
        parsers: Mapping[str, str] | None = None,
        timeout: float = 0,
        afresh: bool = False,
    ) -> Iterator[LibraryWriter]:
        """The only writer, for the length of a `with` block; what isn't committed in it is dropped.

        With `afresh` the next generation takes over nothing, and may have other settings and a newer format. `settings` and
        `chunking` must be those the library was made with where documents are added, and are not looked at before. Raises
        LibraryLocked where another has not ended within `timeout` seconds, LibraryIncompatible for another format, LibraryError
        where the folder can't be written.
        """
        with writing(self.folder), write_lock(self.folder, timeout=timeout):
            (self.folder / LEASES).mkdir(exist_ok=True)
            try:
                before = read_manifest(self.folder, oldest=OLDEST_VERSION if afresh else FORMAT_VERSION)
            except LibraryNotFound:
                before = None
            ours = settings if callable(settings) else lambda: settings
            writer = LibraryWriter(
                self.folder,
                before,
                settings=ours,
                chunking=chunking,
                parsers=parsers or {},
                afresh=afresh,
                on_step=self._on_step,
            )
            try:
                yield writer
            finally:
                writer.close()

    def _manifest_seen(self) -> tuple[int, int, int] | None:
        try:
            stat = (self.folder / MANIFEST).stat()
        except OSError:
            return None
        return stat.st_mtime_ns, stat.st_size, stat.st_ino
