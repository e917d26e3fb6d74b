"""`Library`: everything a Python program does with pincite. Engines are loaded by the first call that needs them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from index.models import ChunkRecord, DocumentRecord, Generation, Kind
from index.report import IngestReport, Progress
from ingest.errors import LibraryNotFound, NotFound, UsageError
from pincite.quotations import Quotations, StrPath
from pincite.reports import LibraryStatus, PurgeReport
from pincite.sources import unpacking
from query.models import Mode, SearchResponse
from query.requests import DEFAULT_MIN_SIMILARITY, DEFAULT_TOP_K, SearchRequest

if TYPE_CHECKING:
    from index.checks import Check
    from index.ports import Embedder, LibraryReader
    from index.store import LibraryStore
    from index.writer import LibraryWriter
    from ingest.ports import TokenCounter


class Library(Quotations):
    """A library folder, open. Use it as a context manager, or `close` it.

    Reading takes no lock and is safe from several threads; each call sees what has been committed last, by this process or
    another. A call that writes holds the library's lock while it runs (LibraryLocked, if another writer does).
    """

    def __init__(
        self, store: LibraryStore, *, embedder: Embedder, counter: TokenCounter, create: bool = False, passwords: Iterable[str] = ()
    ) -> None:
        """For programs that bring their own embedder; others use `open`. With `create` the folder may be empty yet."""
        self._store = store
        self._create = create
        self._embedder = embedder
        self._counter = counter
        self._passwords = tuple(passwords)

    @classmethod
    def open(
        cls,
        path: StrPath,
        *,
        create: bool = False,
        model: StrPath | None = None,
        readable: Iterable[str] | None = None,
        any_format: bool = False,
        repair: bool = False,
        passwords: Iterable[str] = (),
    ) -> Self:
        """Opens the library folder; with `create` one that isn't there yet is made by the first call that writes.

        `model` is the name or folder of a sentence-transformers model (the default one, if None). A library stays with the one that
        it was made with: ingest refuses another, and search does without the semantic leg.

        `any_format` takes older formats too, for `rebuild`. `repair` finds the newest whole generation again where the manifest
        can't be read. `passwords` are tried, in their order, on each source file that is
        encrypted; they are kept nowhere.

        `readable` will limit an open library to namespaces; until then anything but None is refused.
        Raises LibraryNotFound, LibraryIncompatible, LibraryDamaged, UsageError.
        """
        from index.embedding import SentenceTransformerEmbedder
        from index.manifest import FORMAT_VERSION, OLDEST_VERSION
        from index.model_files import DEFAULT_MODEL
        from index.store import LibraryStore
        from index.tokens import ModelTokenCounter

        if readable is not None:
            raise UsageError("limits on what may be read are not there yet", next_step="Make a library for each reader.")
        if repair:
            from index.salvage import mend_manifest

            mend_manifest(Path(path))
        oldest = OLDEST_VERSION if any_format else FORMAT_VERSION
        store = LibraryStore.open(Path(path), create=create, oldest=oldest)
        name = DEFAULT_MODEL if model is None else str(model)
        embedder, counter = SentenceTransformerEmbedder(name), ModelTokenCounter(name)
        return cls(store, embedder=embedder, counter=counter, create=create, passwords=passwords)

    def ingest(
        self,
        path: StrPath | Sequence[StrPath],
        *,
        namespace: str | None = None,
        prune: bool = False,
        jobs: int | None = None,
        dry_run: bool = False,
        reparse: bool = False,
        attachments: bool = False,
        wait: float = 0,
        progress: Progress | None = None,
    ) -> IngestReport:
        """Adds files and folders, or brings the library up to date with them. A bad file is in the report; the others go in.

        `prune` removes documents whose files are gone from below `path`. `jobs` are the processes that read files (one for each
        processor, if None). `dry_run` only reports. `reparse` reads unchanged files too (after a parser has got better).
        `attachments` makes the files in mails documents of their own, `mail.eml/offer.pdf`; once in the library, they are kept up
        to date with their mail. `wait` are the seconds to wait for another writer to end. Raises LibraryLocked.
        """
        from index import pipeline

        paths = [Path(p) for p in ([path] if isinstance(path, str | os.PathLike) else path)]
        options = pipeline.IngestOptions(
            namespace=namespace,
            prune=prune,
            reparse=reparse,
            jobs=jobs,
            skip=self._none_of_theirs,
            unpack=unpacking(self._reader(), asked=attachments),
            passwords=self._passwords,
        )
        if dry_run:
            return pipeline.dry_run(self._reader(), paths, options)
        with self._writer(wait=wait) as writer:
            return pipeline.ingest(self._reader(), writer, self._embedder, self._counter, paths, options, progress=progress)

    def search(
        self,
        query: str,
        *,
        top_k: int = DEFAULT_TOP_K,
        mode: Mode = "hybrid",
        keyword: str | None = None,
        min_similarity: float = DEFAULT_MIN_SIMILARITY,
        max_distance: float | None = None,
        document: str | None = None,
        section: str | None = None,
        namespace: str | None = None,
        kinds: Sequence[Kind] | None = None,
        since: str | None = None,
        until: str | None = None,
        related: bool = False,
        include_hidden_text: bool = False,
    ) -> SearchResponse:
        """The passages that answer, best first, and the sentence in each that does. No query raises.

        `keyword` are other words for the keyword leg; `document` is a glob over paths, `section` text in a heading;
        `min_similarity` is a floor for hits that only the meaning found, `max_distance` a ceiling for every hit. Raises
        UsageError for an argument that makes no sense (`related`, as long as there are no links).
        """
        from query.search import search

        if related:
            raise UsageError("there are no links to follow yet", next_step="Leave `related` out.")
        request = SearchRequest(
            query=query,
            top_k=top_k,
            mode=mode,
            keyword=keyword,
            min_similarity=min_similarity,
            max_distance=max_distance,
            document=document,
            section=section,
            namespace=namespace,
            kinds=kinds,
            since=since,
            until=until,
            include_hidden_text=include_hidden_text,
        )
        return search(self._reader(), self._embedder, request, backend="lancedb")

    def chunks(self, document: str | None = None, *, kinds: Sequence[Kind] = ("section",)) -> Iterator[ChunkRecord]:
        """The chunks of the documents that the glob fits (all, if None), in order of document and place. Raises NotFound."""
        reader = self._reader()
        for record in self._matching(reader, document):
            yield from (c for c in reader.rows.chunks(record.document_id) if c.kind in kinds)

    def documents(self) -> list[DocumentRecord]:
        """All documents, in order of root and path."""
        return list(self._reader().documents.values())

    def text(self, document: str) -> str:
        """The canonical text of one document, which all offsets count in. Raises NotFound, UsageError where several fit."""
        from query.showing import one_document

        reader = self._reader()
        return reader.rows.text(one_document(reader, document).document_id).text

    def remove(self, document: str, *, wait: float = 0) -> list[DocumentRecord]:
        """Takes the documents that the glob fits out of the library, and returns what they were. Their text stays in older
        generations until these are cleaned up; `purge` leaves nothing. Raises NotFound, LibraryLocked."""
        with self._writer(wait=wait) as writer:
            found = self._matching(self._reader(), document)
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
            return upkeep.purge(self._store.folder, reader, writer, self._matching(reader, document))

    def doctor(self, *, deep: bool = False, repair: bool = False, wait: float = 0) -> list[Check]:
        """Checks the library against itself and its sources; `deep` parses them again. `repair` makes the keyword index anew and
        removes what dead writers left, if a check fails, and checks again."""
        from index.doctor_sources import Depth
        from pincite import upkeep

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
            options = pipeline.IngestOptions(jobs=jobs, skip=self._none_of_theirs, passwords=self._passwords)
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

    def close(self) -> None:
        """Lets go of what was loaded."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def _reader(self) -> LibraryReader:
        """The newest generation; an empty library before the first."""
        try:
            return self._store.reader()
        except LibraryNotFound:
            if not self._create:
                raise
        from index.memory import MemoryLibrary

        empty = MemoryLibrary(settings=self._embedder.settings)
        empty.generation = Generation(number=0, fingerprint="")
        return empty

    def _writer(self, *, wait: float = 0, afresh: bool = False) -> AbstractContextManager[LibraryWriter]:
        from ingest.chunking import DEFAULT_SETTINGS

        return self._store.writer(lambda: self._embedder.settings, chunking=asdict(DEFAULT_SETTINGS), timeout=wait, afresh=afresh)

    @staticmethod
    def _matching(reader: LibraryReader, document: str | None) -> list[DocumentRecord]:
        from query.filters import matching_documents

        ids = matching_documents(reader, document)
        if document is not None and not ids:
            raise NotFound(f"no document is called “{document}”", next_step="pincite documents lists them.")
        return [d for i, d in reader.documents.items() if i in ids]

    def _none_of_theirs(self, path: Path) -> str | None:
        """Why a folder or file is none of the user's documents."""
        from index.manifest import MANIFEST
        from index.writer import KEYWORD

        if path == self._store.folder.resolve():
            return "the library itself"
        if (path / MANIFEST).is_file() and (path / KEYWORD).is_dir():
            return "a pincite library"
        return None
