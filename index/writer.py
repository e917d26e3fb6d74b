"""The next generation of a library, from the last one and what is changed."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from index.entities import is_note
from index.folders import KEYWORD, ROWS, place_words, prune_folders
from index.leases import leased
from index.manifest import (
    Manifest,
    check_chunking,
    check_settings,
    files_below,
    fingerprint,
    kept_root,
    root_folder,
    sync_new,
    write_manifest,
)
from index.models import DocumentRecord, EmbeddedChunk, EmbeddingSettings, Failure, Generation, NewDocument
from index.next_words import NextWords
from index.record_draft import RecordDraft

if TYPE_CHECKING:
    from index.catalog import Catalog
    from index.lance import LanceRows
    from index.lance_writer import LanceRowsWriter

KEPT = 3
"""Generations that are kept besides the leased ones: for readers that are about to take a lease, or can't."""


class LibraryWriter:
    """Collects changes; `commit` makes them the next generation, at once and whole. Made by `LibraryStore.writer`, under its lock.

    What a writer that died left behind is taken back first. With `afresh` nothing of the last generation is taken over but the
    names of the roots and the numbers: all documents must be added again. `on_step` is told of each step of a commit.
    """

    def __init__(
        self,
        library: Path,
        before: Manifest | None,
        *,
        settings: Callable[[], EmbeddingSettings],
        chunking: Mapping[str, int | str],
        parsers: Mapping[str, str],
        afresh: bool = False,
        on_step: Callable[[str], None] = lambda step: None,
    ) -> None:
        self._library = library
        self._before = before
        self._ours = settings
        self._our_chunking = chunking
        self._parsers = dict(parsers)
        self._step = on_step
        self._first = self._anew = afresh or before is None
        self._old_files = files_below(self._folder)
        self._changed = self._anew
        self._purging = False
        self.roots: dict[str, str] = {}
        """Name of a root -> absolute folder; change it with `set_roots`."""
        if before is not None:
            self.roots = {name: root_folder(library, kept) for name, kept in before.roots.items()}

    @cached_property
    def documents(self) -> Catalog:
        """Every document by its id, as it will be after `commit`."""
        from index.catalog import Catalog

        return Catalog(self._last.each_document() if self._last else ())

    @cached_property
    def records(self) -> RecordDraft:
        """Entities, links and templates: change them there, `commit` writes them."""
        last = self._last
        return RecordDraft(last.entities(), last.links(), self._before.templates) if last and self._before else RecordDraft()

    @cached_property
    def _settings(self) -> EmbeddingSettings:
        """Those of the library; of a new one, or one made afresh, ours."""
        return self._before.settings if self._before and not self._first else self._ours()

    @property
    def _chunking(self) -> Mapping[str, int | str]:
        return self._before.chunking if self._before and not self._first else self._our_chunking

    def expect_documents(self) -> None:
        """To be called before documents are read: raises LibraryIncompatible where their chunks or vectors would not fit. What is
        only moved or taken out fits whatever model we have, and to find that out takes time."""
        check_chunking(self._chunking, self._our_chunking)
        check_settings(self._settings, self._ours())

    def add(self, documents: Sequence[NewDocument]) -> None:
        """Puts documents in; one with the id of an older one takes its place."""
        if not documents:
            return
        self.expect_documents()
        self.delete(d.record.document_id for d in documents)
        self._changed = True
        self._rows.add(documents)
        for document in documents:
            self._words.add(document.record.title, document.chunks)
            self.documents[document.record.document_id] = document.record
        self._step("added")

    def delete(self, document_ids: Iterable[str]) -> None:
        """Takes documents out; unknown ids are no error."""
        gone = [i for i in document_ids if self.documents.pop(i, None) is not None]
        if gone:
            self._changed = True
            self._rows.delete(gone)
            self._words.delete(gone)
            self._step("deleted")

    def purge(self, document_ids: Iterable[str]) -> None:
        """Takes documents out so that nothing is left of them: all others are copied into new files, and `commit` removes every
        older generation, read or not. Not to be mixed with other changes."""
        last = self._last
        _ = self.documents, self.records  # as they are before
        gone = {i: d for i in document_ids if (d := self.documents.pop(i, None)) is not None}
        if last is None or not gone:
            return
        self._anew = self._changed = self._purging = True
        self.__dict__.pop("_rows", None)
        self._words.make_anew()
        self._rows.copy(last, without=gone)
        names = {(d.root, d.source_document) for d in gone.values()}
        self._rows.set_failures([f for f in last.failures() if (f.root, f.source_document) not in names])
        self._step("copied")

    def make_words_anew(self) -> None:
        """The next commit makes the keyword index out of the tables, whatever it was."""
        self._changed = True
        self._words.make_anew()

    def update(self, records: Sequence[DocumentRecord]) -> None:
        """Replaces the records of documents whose text is the same (moved, touched, named anew)."""
        changed = [r for r in records if self.documents[r.document_id] != r]
        if not changed:
            return
        self._changed = True
        self._rows.update(changed)
        for record in changed:
            if self.documents[record.document_id].title != record.title and self._last is not None:
                chunks = [EmbeddedChunk(chunk=c) for c in self._last.chunks(record.document_id, named=False)]
                self._words.delete([record.document_id])
                self._words.add(record.title, chunks)
            self.documents[record.document_id] = record
        self._step("updated")

    def set_failures(self, failures: Sequence[Failure]) -> None:
        """The whole list of failures replaces the one before."""
        if self._last is None or self._last.failures() != list(failures):
            self._changed = True
            self._rows.set_failures(failures)

    def set_roots(self, roots: Mapping[str, str]) -> None:
        """Name of each root -> its absolute folder."""
        self._changed |= self.roots != dict(roots)
        self.roots = dict(roots)

    def commit(self) -> Generation:
        """Makes the changes the library's newest generation; without changes the last one stays."""
        records = self.records
        if not (self._changed or records.changed) and self._before is not None:
            return self._before.generation
        from index.lance import LanceRows

        self._join_groups()
        records.settle(self.documents, self._rows.references() if self._changed else None, datetime.now(UTC))
        self._rows.set_entities([records.entities[i] for i in sorted(records.entities)])
        self._rows.set_links([records.links[i] for i in sorted(records.links)])
        tables = self._rows.commit()
        self._rows.tag(self._number)
        self._step("rows committed")
        self._words.commit(LanceRows(self._folder, tables), lambda document_id: self.documents[document_id].title)
        self._step("words committed")
        sync_new(self._folder, self._old_files)
        keyword = place_words(self._library, self._words.folder, self._number)
        self._step("words in place")
        now = datetime.now(UTC)
        manifest = Manifest(
            generation=Generation(
                number=self._number, fingerprint=fingerprint(self.documents.files(), self._settings, self._chunking)
            ),
            rows=self._folder.name,
            tables=tables,
            keyword=keyword.name,
            settings=self._settings,
            chunking=dict(self._chunking),
            roots={name: kept_root(self._library, root) for name, root in sorted(self.roots.items())},
            parsers={**(self._before.parsers if self._before else {}), **self._parsers},
            created_at=self._before.created_at if self._before else now,
            committed_at=now,
            templates=records.templates,
        )
        write_manifest(self._library, manifest)
        self._step("committed")
        self._prune()
        self._step("pruned")
        self._begin_again(manifest)
        return manifest.generation

    def _join_groups(self) -> None:
        """What belongs to a document's own entity follows the document into its group, if nothing else is in there."""
        merged, self.records.merged = self.records.merged, {}
        into: dict[str, str] = {}
        notes: list[DocumentRecord] = []
        for own_id, group_id in merged.items():
            left = list(self.documents.members(own_id))
            if all(map(is_note, left)):
                into[own_id] = group_id
                notes += left
        if into:
            self.update(self.records.join(into, notes))

    def close(self) -> None:
        """Drops what was not committed."""
        self._words.close()

    def _begin_again(self, committed: Manifest) -> None:
        """What comes next is written on top of what was just committed."""
        self._before = committed
        self._first = self._changed = self._anew = self._purging = False
        self.records.committed()
        for opened in ("_rows", "_words", "_last"):
            self.__dict__.pop(opened, None)
        self._old_files = files_below(self._folder)

    @property
    def _number(self) -> int:
        return self._before.generation.number + 1 if self._before else 1

    @property
    def _folder(self) -> Path:
        """Of the tables: that of the last generation, or a new one."""
        if self._before is not None and not self._anew:
            return self._library / self._before.rows
        return self._library / (f"{ROWS}-{self._number}" if self._before else ROWS)

    @cached_property
    def _rows(self) -> LanceRowsWriter:
        from index.lance_writer import LanceRowsWriter

        if self._anew:
            shutil.rmtree(self._folder, ignore_errors=True)  # a dead writer's
        versions = self._before.tables if self._before and not self._anew else {}
        return LanceRowsWriter(self._folder, versions, self._settings.dimension)

    @cached_property
    def _words(self) -> NextWords:
        before = self._library / KEYWORD / self._before.keyword if self._before and not self._anew else None
        return NextWords(self._library / KEYWORD / "new", before)

    @cached_property
    def _last(self) -> LanceRows | None:
        """The rows of the last generation, where what is written builds on them."""
        from index.lance import LanceRows

        return LanceRows(self._library / self._before.rows, self._before.tables) if self._before and not self._anew else None

    def _prune(self) -> None:
        """Removes generations that nobody holds; what can't be removed now goes the next time."""
        held = set() if self._purging else leased(self._library) | set(range(self._number - KEPT + 1, self._number + 1))
        self._rows.prune(held | {self._number})
        prune_folders(self._library, held, newest=self._number, rows=self._folder, purging=self._purging)
