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
from ingest.errors import LibraryNotFound, UsageError
from pincite.care import CareOfLibrary, matching
from pincite.quotations import Quotations, StrPath
from pincite.records import RecordsOfLibrary
from pincite.sources import none_of_theirs
from query.models import Mode, SearchResponse
from query.related import MAX_HOPS, MIN_WEIGHT
from query.requests import DEFAULT_MIN_SIMILARITY, DEFAULT_TOP_K, SearchRequest

if TYPE_CHECKING:
    from index.ports import Embedder, LibraryReader
    from index.store import LibraryStore
    from index.walls import WalledReader
    from index.writer import LibraryWriter
    from ingest.ports import TokenCounter


class Library(Quotations, RecordsOfLibrary, CareOfLibrary):
    """A library folder, open. Use it as a context manager, or `close` it.

    Reading takes no lock and is safe from several threads; each call sees what has been committed last, by this process or
    another. A call that writes holds the library's lock while it runs (LibraryLocked, if another writer does).
    """

    def __init__(
        self,
        store: LibraryStore,
        *,
        embedder: Embedder,
        counter: TokenCounter,
        create: bool = False,
        passwords: Iterable[str] = (),
        readable: Iterable[str | None] | None = None,
    ) -> None:
        """For programs that bring their own embedder; others use `open`. With `create` the folder may be empty yet."""
        if isinstance(readable, str):
            raise UsageError(f"readable is a set of namespaces, not one text: {{“{readable}”}}")
        self._readable = None if readable is None else frozenset(readable)
        self._wall: WalledReader | None = None
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
        readable: Iterable[str | None] | None = None,
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

        `readable` is a wall: only documents and notes in the namespaces named ("" or None: those without one) are there, in hits,
        links, labels, counts, digests and errors, and nothing can be written. (Scores depend on the whole library.)
        Raises LibraryNotFound, LibraryIncompatible, LibraryDamaged, UsageError.
        """
        from index.embedding import SentenceTransformerEmbedder
        from index.manifest import FORMAT_VERSION, OLDEST_VERSION
        from index.model_files import DEFAULT_MODEL
        from index.store import LibraryStore
        from index.tokens import ModelTokenCounter

        if repair:
            from index.salvage import mend_manifest

            mend_manifest(Path(path))
        oldest = OLDEST_VERSION if any_format else FORMAT_VERSION
        store = LibraryStore.open(Path(path), create=create, oldest=oldest)
        name = DEFAULT_MODEL if model is None else str(model)
        embedder, counter = SentenceTransformerEmbedder(name), ModelTokenCounter(name)
        return cls(store, embedder=embedder, counter=counter, create=create, passwords=passwords, readable=readable)

    def ingest(
        self,
        path: StrPath | Sequence[StrPath],
        *,
        namespace: str | None = None,
        entity: str | None = None,
        prune: bool = False,
        jobs: int | None = None,
        dry_run: bool = False,
        reparse: bool = False,
        attachments: bool = False,
        wait: float = 0,
        progress: Progress | None = None,
    ) -> IngestReport:
        """Adds files and folders, or brings the library up to date with them. A bad file is in the report; the others go in.

        `namespace` and `entity` (one record for all of them; "" takes it back) are kept until others are given; `pincite.toml` in
        the folder says more (`index.root_settings`). `prune` removes documents whose files are gone from below `path`. `jobs` are
        the processes that read files (one for each processor, if None). `dry_run` only reports. `reparse` reads unchanged files too
        (after a parser has got better). `attachments` makes the files in mails documents of their own, `mail.eml/offer.pdf`; once
        in the library, they are kept up to date with their mail. `wait` are the seconds to wait for another writer to end. Raises
        LibraryLocked.
        """
        from index import pipeline

        self._refuse_behind_a_wall()
        paths = [Path(p) for p in ([path] if isinstance(path, str | os.PathLike) else path)]
        options = pipeline.IngestOptions(
            namespace=namespace,
            entity=entity,
            prune=prune,
            reparse=reparse,
            jobs=jobs,
            skip=none_of_theirs(self._store.folder),
            attachments=attachments,
            passwords=self._passwords,
        )
        nothing_yet = self._newest().generation.number == 0
        if dry_run or (nothing_yet and not any(p.exists() for p in paths)):  # a mistyped path makes no library
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
        related: bool | str | Sequence[str] = False,
        max_hops: int = MAX_HOPS,
        min_weight: float = MIN_WEIGHT,
        newest_first: bool = False,
        include_hidden_text: bool = False,
    ) -> SearchResponse:
        """The passages that answer, best first, and the sentence in each that does. No query raises.

        `keyword` are other words for the keyword leg; `document` is a glob over paths, `section` text in a heading;
        `min_similarity` is a floor for hits that only the meaning found, `max_distance` a ceiling for every hit. `related`
        adds passages of records that are linked with those named (with those of the first hits, if True), at most `max_hops` links
        of `min_weight` away; such hits have `via`. Raises UsageError for an argument that makes no sense, NotFound for an unknown
        record.
        """
        from query.addressing import find_entity
        from query.search import search

        reader = self._reader()
        named = [related] if isinstance(related, str) else related if not isinstance(related, bool) else []
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
            newest_first=newest_first,
            related=None if related is False else [find_entity(reader, name).entity_id for name in named],
            max_hops=max_hops,
            min_weight=min_weight,
            include_hidden_text=include_hidden_text,
        )
        return search(reader, self._embedder, request, backend="lancedb")

    def chunks(self, document: str | None = None, *, kinds: Sequence[Kind] = ("section",)) -> Iterator[ChunkRecord]:
        """The chunks of the documents that the glob fits (all, if None), in order of document and place. Raises NotFound."""
        reader = self._reader()
        for record in matching(reader, document):
            yield from (c for c in reader.rows.chunks(record.document_id) if c.kind in kinds)

    def documents(self) -> list[DocumentRecord]:
        """All documents, in order of root and path."""
        return list(self._reader().documents.values())

    def text(self, document: str) -> str:
        """The canonical text of one document, which all offsets count in. Raises NotFound, UsageError where several fit."""
        from query.showing import one_document

        reader = self._reader()
        return reader.rows.text(one_document(reader, document).document_id).text

    def close(self) -> None:
        """Lets go of what was loaded."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def _reader(self) -> LibraryReader:
        """The newest generation, behind the wall if there is one."""
        from index.walls import WalledReader

        inner = self._newest()
        if self._readable is None:
            return inner
        wall = self._wall
        if wall is None or wall.inner is not inner:
            self._wall = wall = WalledReader(inner, self._readable)
        return wall

    def _newest(self) -> LibraryReader:
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

        self._refuse_behind_a_wall()
        return self._store.writer(lambda: self._embedder.settings, chunking=asdict(DEFAULT_SETTINGS), timeout=wait, afresh=afresh)

    def _refuse_behind_a_wall(self) -> None:
        if self._readable is not None:
            raise UsageError("a library that was opened for some namespaces is for reading only", next_step="Open it without.")
