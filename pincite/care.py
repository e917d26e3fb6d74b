"""What `Library` does to look after itself: taking documents out, checking, reading all again, saying what there is."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING

from index.models import DocumentRecord
from index.report import IngestReport, Progress
from ingest.errors import NotFound
from pincite.reports import LibraryStatus, PurgeReport

if TYPE_CHECKING:
    from index.checks import Check
    from index.ports import Embedder, LibraryReader
    from index.store import LibraryStore
    from index.writer import LibraryWriter
    from ingest.ports import TokenCounter

StrPath = str | os.PathLike[str]


class CareOfLibrary(ABC):
    """The part of `Library` that brings in nothing new."""

    _store: LibraryStore
    _embedder: Embedder
    _counter: TokenCounter
    _passwords: tuple[str, ...]

    @abstractmethod
    def _reader(self) -> LibraryReader: ...

    @abstractmethod
    def _writer(self, *, wait: float = 0, afresh: bool = False) -> AbstractContextManager[LibraryWriter]: ...

    @abstractmethod
    def _refuse_behind_a_wall(self) -> None: ...

    def remove(self, document: str, *, wait: float = 0) -> list[DocumentRecord]:
        """Takes the documents that the glob fits out of the library, and returns what they were. Their text stays in older
        generations until these are cleaned up; `purge` leaves nothing. Raises NotFound, LibraryLocked."""
        with self._writer(wait=wait) as writer:
            found = matching(self._reader(), document)
            writer.delete([d.document_id for d in found])
            writer.commit()
        return found

    def purge(self, document: str, *, wait: float = 0) -> PurgeReport:
        """Takes the documents that the glob fits out of the library so that no byte of their text is left in it, and proves it by
        looking through every file. Older generations are gone with it, even for who reads them. The source files stay.

        Raises NotFound, LibraryLocked; LibraryDamaged where something was found.
        """
        from pincite import upkeep

        with self._writer(wait=wait) as writer:
            reader = self._reader()
            return upkeep.purge(self._store.folder, reader, writer, matching(reader, document))

    def doctor(self, *, deep: bool = False, repair: bool = False, wait: float = 0) -> list[Check]:
        """Checks the library against itself and its sources; `deep` parses them again. `repair` makes the keyword index anew and
        removes what dead writers left, if a check fails, and checks again."""
        from index.doctor_sources import Depth
        from pincite import upkeep

        self._refuse_behind_a_wall()
        depth = Depth(counter=self._counter, passwords=self._passwords) if deep else None
        checks = upkeep.examine_all(self._store, depth)
        if repair and not all(c.passed for c in checks):
            with self._writer(wait=wait) as writer:
                writer.make_words_anew()
                writer.commit()
            checks = upkeep.examine_all(self._store, depth)
        return checks

    def rebuild(
        self,
        *,
        drop_missing: bool = False,
        drop_history: bool = False,
        roots: Mapping[str, StrPath] | None = None,
        jobs: int | None = None,
        wait: float = 0,
        progress: Progress | None = None,
    ) -> IngestReport:
        """Reads all documents again, with this program's model, chunking and format; ids, namespaces and times are kept.

        `roots` says where folders are that have moved, by the names of the roots. Documents whose files are gone would be lost: an
        error, unless `drop_missing`. Where the old chunks are damaged, `drop_history` goes on without the times of their sentences.
        Raises LibraryError, LibraryLocked, UsageError.
        """
        from index import pipeline
        from pincite.upkeep import sources_to_rebuild

        with self._writer(wait=wait, afresh=True) as writer:
            reader = self._store.history()
            moved = {name: str(Path(folder).resolve()) for name, folder in (roots or {}).items()}
            sources = sources_to_rebuild(reader, moved)
            writer.set_roots({**reader.roots, **moved})
            options = pipeline.IngestOptions(jobs=jobs, passwords=self._passwords)
            return pipeline.rebuild(
                reader,
                writer,
                self._embedder,
                self._counter,
                sources,
                options,
                drop_missing=drop_missing,
                drop_history=drop_history,
                progress=progress,
            )

    def status(self) -> LibraryStatus:
        """What the library holds."""
        from ingest.formats import is_current_parser

        reader = self._reader()
        return LibraryStatus(
            path=self._store.folder,
            index_generation=reader.generation,
            documents=len(reader.documents),
            chunks=reader.rows.chunk_count(),
            roots=dict(reader.roots),
            settings=reader.settings,
            failures=tuple(reader.rows.failures()),
            older_parsers=sum(not is_current_parser(d.format, d.parser) for d in reader.documents.values()),
        )


def matching(reader: LibraryReader, document: str | None) -> list[DocumentRecord]:
    """The documents that the glob fits (all, if None). Raises NotFound."""
    from query.filters import matching_documents

    ids = matching_documents(reader, document)
    if document is not None and not ids:
        raise NotFound(f"no document is called “{document}”", next_step="pincite documents lists them.")
    return [d for i, d in reader.documents.items() if i in ids]
