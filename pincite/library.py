"""`Library`: everything a Python program does with pincite. Engines are loaded by the first call that needs them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from index.models import ChunkRecord, DocumentRecord, Generation, Kind
from index.report import IngestReport, Progress
from ingest.errors import LibraryDamaged, LibraryNotFound, NotFound, UsageError
from pincite.reports import LibraryStatus, PurgeReport
from pincite.sources import source_file, source_of
from query.models import Mode, Place, QuoteMatch, SearchHit, SearchResponse
from query.requests import DEFAULT_MIN_SIMILARITY, DEFAULT_TOP_K, SearchRequest

if TYPE_CHECKING:
    from index.doctor import Check
    from index.ports import Embedder, LibraryReader
    from index.store import LibraryStore
    from index.writer import LibraryWriter
    from ingest.ports import TokenCounter
    from query.verify import VerifyReport

StrPath = str | os.PathLike[str]


class Library:
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
        passwords: Iterable[str] = (),
    ) -> Self:
        """Opens the library folder; with `create` one that isn't there yet is made by the first call that writes.

        `model` is the name or folder of a sentence-transformers model (the default one, if None). A library stays with the one that
        it was made with: ingest refuses another, and search does without the semantic leg.

        `any_format` takes older formats too, for `rebuild`. `passwords` are tried, in their order, on each source file that is
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
        wait: float = 0,
        progress: Progress | None = None,
    ) -> IngestReport:
        """Adds files and folders, or brings the library up to date with them. A bad file is in the report; the others go in.

        `prune` removes documents whose files are gone from below `path`. `jobs` are the processes that read files (one for each
        processor, if None). `dry_run` only reports. `reparse` reads unchanged files too (after a parser has got better). `wait` are
        the seconds to wait for another writer to end. Raises LibraryLocked.
        """
        from index import pipeline

        paths = [Path(p) for p in ([path] if isinstance(path, str | os.PathLike) else path)]
        options = pipeline.IngestOptions(
            namespace=namespace,
            prune=prune,
            reparse=reparse,
            jobs=jobs,
            skip=self._none_of_theirs,
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
        return search(self._reader(), self._embedder, request)

    def cite(self, quote: str, *, document: str | None = None) -> QuoteMatch:
        """Whether the quotation is in the documents, and every place where it is."""
        from query.cite import cite

        return cite(self._reader(), quote, document)

    def cite_all(self, quotes: Sequence[str], *, document: str | None = None) -> list[QuoteMatch]:
        """`cite` for several quotations, in their order; each text is read once for all of them."""
        from query.cite import cite_all

        return cite_all(self._reader(), quotes, document)

    def export(self, hits: Iterable[SearchHit | Place], *, to: str, out: StrPath, overwrite: bool = False) -> list[Path]:
        """Writes hits or places into the folder `out`: "pdf" (copies of the sources, highlighted), "html" (one
        page to read), "md", "csv", "json" and "jsonl" (citation records), "w3c" (Web
        Annotations).

        Returns the files written. Raises ExportError, SourceChanged, SourceMissing, UsageError.
        """
        from query.export.table import export

        reader = self._reader()
        by_key = {(d.root, d.source_document): d for d in reader.documents.values()}

        def resolve(root: str, path: str) -> Path:
            return source_file(reader, by_key[root, path])

        return export(reader, hits, to=to, out=Path(out), resolve=resolve, overwrite=overwrite, passwords=self._passwords)

    def verify(self, bundle: StrPath, *, root: StrPath | None = None, against: StrPath | None = None) -> VerifyReport:
        """Checks the quotes of an exported bundle with their files as they are now: below `root`, else where this library knows
        them; with `against`, all with that one file. `pincite.verifying.verify_bundle` needs no library.
        """
        from pincite.verifying import verify_bundle

        return verify_bundle(
            Path(bundle),
            root=None if root is None else Path(root),
            against=None if against is None else Path(against),
            roots=self._reader().roots,
            passwords=self._passwords,
        )

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
        reader = self._reader()
        found = self._matching(reader, document)
        if len(found) > 1:
            names = ", ".join(f"{d.root}:{d.source_document}" for d in found[:5])
            raise UsageError(f"{len(found)} documents are called “{document}”", next_step=f"Say which: {names}")
        return reader.rows.text(found[0].document_id).text

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
        from index.purge import scan, trace_of

        with self._writer(wait=wait) as writer:
            reader = self._reader()
            found = self._matching(reader, document)
            ids = [d.document_id for d in found]
            trace = trace_of(reader, ids)
            writer.purge(ids)
            generation = writer.commit()
            scanned = scan(self._store.folder, trace)
        if scanned.found:
            raise LibraryDamaged(
                f"something of the purged documents is left: {scanned.found[0]}", next_step="End all readers, and purge again."
            )
        return PurgeReport(documents=tuple(found), scan=scanned, index_generation=generation)

    def doctor(self, *, deep: bool = False, repair: bool = False) -> list[Check]:
        """Checks the library against itself and its sources; `deep` parses them again. `repair` makes the keyword index anew and
        removes what dead writers left, if a check fails, and checks again. Raises LibraryDamaged where it can't be read at all."""
        checks = self._examine(deep)
        if repair and not all(c.passed for c in checks):
            with self._writer() as writer:
                writer.make_words_anew()
                writer.commit()
            checks = self._examine(deep)
        return checks

    def rebuild(
        self, *, drop_missing: bool = False, jobs: int | None = None, wait: float = 0, progress: Progress | None = None
    ) -> IngestReport:
        """Reads all documents again, with this program's model, chunking and format; ids, namespaces and times are kept.

        Documents whose files are gone would be lost: an error, unless `drop_missing`. Raises LibraryError, LibraryLocked.
        """
        from index import pipeline

        with self._writer(wait=wait, afresh=True) as writer:
            reader = self._store.history()
            sources = [(d, source_of(reader, d)) for d in reader.documents.values()]
            options = pipeline.IngestOptions(jobs=jobs, skip=self._none_of_theirs, passwords=self._passwords)
            return pipeline.rebuild(
                reader, writer, self._embedder, self._counter, sources, options, drop_missing=drop_missing, progress=progress
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

    def _examine(self, deep: bool) -> list[Check]:
        from index.doctor import examine
        from index.workers import read_one

        reader = self._store.reader()
        return list(
            examine(
                reader,
                reader.manifest,
                self._store.folder,
                lambda record: source_of(reader, record),
                (lambda source: read_one(source, self._counter, self._passwords)) if deep else None,
            )
        )

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
