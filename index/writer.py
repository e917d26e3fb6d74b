"""The next generation of a library, from the last one and what is changed."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from index.manifest import Manifest, absolute_root, fingerprint, relative_root, sync, write_manifest
from index.models import DocumentRecord, EmbeddedChunk, EmbeddingSettings, Failure, Generation, NewDocument

if TYPE_CHECKING:
    from index.lance import LanceRows, LanceRowsWriter
    from index.tantivy_index import TantivyKeywordsWriter

ROWS = "rows"
KEYWORD = "keyword"
KEPT = 3
"""Generations whose words are kept, for readers that haven't looked for a newer one yet."""
REBUILT_BELOW = 2_000
REBUILT_ABOVE = 0.1
"""After deletions, the keyword index is made anew where it has so few chunks, or so large a share of deleted ones. Deleted chunks
weigh in the statistics of BM25: so a small library scores like a fresh one, a large one nearly."""


class LibraryWriter:
    """Collects changes; `commit` makes them the next generation, at once and whole. Made by `LibraryStore.writer`, under its lock.

    What a writer that died left behind is taken back first.
    """

    def __init__(
        self,
        library: Path,
        before: Manifest | None,
        *,
        settings: EmbeddingSettings,
        chunking: Mapping[str, int | str],
        parsers: Mapping[str, str],
    ) -> None:
        self._library = library
        self._before = before
        self._settings = settings
        self._chunking = dict(chunking)
        self._parsers = dict(parsers)
        self._old_files = self._row_files()
        self._changed = before is None
        self.documents: dict[str, DocumentRecord] = {}
        """Every document by its id, as it will be after `commit`."""
        self.roots: dict[str, str] = {}
        """Name of a root -> absolute folder; change it with `set_roots`."""
        if before is not None and self._last is not None:
            self.documents = {d.document_id: d for d in self._last.documents()}
            self.roots = {name: absolute_root(library, kept) for name, kept in before.roots.items()}

    def add(self, documents: Sequence[NewDocument]) -> None:
        """Puts documents in; one with the id of an older one takes its place."""
        if not documents:
            return
        self.delete(d.record.document_id for d in documents)
        self._changed = True
        self._rows.add(documents)
        for document in documents:
            self._words.add(document.record.title, document.chunks)
            self.documents[document.record.document_id] = document.record

    def delete(self, document_ids: Iterable[str]) -> None:
        """Takes documents out; unknown ids are no error."""
        gone = [i for i in document_ids if self.documents.pop(i, None) is not None]
        if gone:
            self._changed = True
            self._rows.delete(gone)
            self._words.delete(gone)

    def update(self, records: Sequence[DocumentRecord]) -> None:
        """Replaces the records of documents whose text is the same (moved, touched, named anew)."""
        changed = [r for r in records if self.documents[r.document_id] != r]
        if not changed:
            return
        self._changed = True
        self._rows.update(changed)
        for record in changed:
            if self.documents[record.document_id].title != record.title and self._last is not None:
                chunks = [EmbeddedChunk(chunk=c) for c in self._last.chunks(record.document_id)]
                self._words.delete([record.document_id])
                self._words.add(record.title, chunks)
            self.documents[record.document_id] = record

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
        if not self._changed and self._before is not None:
            return self._before.generation
        number = self._before.generation.number + 1 if self._before else 1
        tables = self._rows.commit()
        self._words.commit()
        self._rebuild_words(tables)
        self._sync_rows()
        keyword = self._library / KEYWORD / str(number)
        shutil.rmtree(keyword, ignore_errors=True)
        self._new_words.rename(keyword)
        sync(keyword.parent)
        now = datetime.now(UTC)
        generation = Generation(number=number, fingerprint=fingerprint(self.documents.values(), self._settings, self._chunking))
        manifest = Manifest(
            generation=generation,
            tables=tables,
            keyword=keyword.name,
            settings=self._settings,
            chunking=self._chunking,
            roots={name: relative_root(self._library, root) for name, root in sorted(self.roots.items())},
            parsers={**(self._before.parsers if self._before else {}), **self._parsers},
            created_at=self._before.created_at if self._before else now,
            committed_at=now,
        )
        write_manifest(self._library, manifest)
        self._prune(number)
        self._begin_again(manifest)
        return generation

    def close(self) -> None:
        """Drops what was not committed."""
        if "_words" in self.__dict__:
            self._words.close()
        shutil.rmtree(self._new_words, ignore_errors=True)

    def _begin_again(self, committed: Manifest) -> None:
        """What comes next is written on top of what was just committed."""
        self._before, self._changed = committed, False
        for opened in ("_rows", "_words", "_last"):
            self.__dict__.pop(opened, None)

    @property
    def _new_words(self) -> Path:
        return self._library / KEYWORD / "new"

    @cached_property
    def _rows(self) -> LanceRowsWriter:
        from index.lance import LanceRowsWriter

        return LanceRowsWriter(self._library / ROWS, self._before.tables if self._before else {}, self._settings.dimension)

    @cached_property
    def _words(self) -> TantivyKeywordsWriter:
        from index.tantivy_index import TantivyKeywordsWriter

        return TantivyKeywordsWriter(self._new_words, self._library / KEYWORD / self._before.keyword if self._before else None)

    @cached_property
    def _last(self) -> LanceRows | None:
        """The rows of the last generation."""
        from index.lance import LanceRows

        return LanceRows(self._library / ROWS, self._before.tables) if self._before else None

    def _rebuild_words(self, tables: Mapping[str, int]) -> None:
        """Makes the words anew from the rows where deleted ones would weigh too much."""
        from index.lance import LanceRows
        from index.tantivy_index import TantivyKeywordsWriter, deleted_share

        rows = LanceRows(self._library / ROWS, tables)
        share = deleted_share(self._new_words)
        if share == 0 or (share < REBUILT_ABOVE and rows.chunk_count() > REBUILT_BELOW):
            return
        words = TantivyKeywordsWriter(self._new_words, None)
        for record in self.documents.values():
            words.add(record.title, [EmbeddedChunk(chunk=c) for c in rows.chunks(record.document_id)])
        words.commit()

    def _row_files(self) -> set[Path]:
        return {Path(folder, name) for folder, _, names in os.walk(self._library / ROWS) for name in names}

    def _sync_rows(self) -> None:
        """Makes durable what this writer put into the tables; their files are written once."""
        new = self._row_files() - self._old_files
        for path in new | {file.parent for file in new}:
            sync(path)

    def _prune(self, number: int) -> None:
        kept = {str(n) for n in range(number - KEPT + 1, number + 1)}
        for folder in (self._library / KEYWORD).iterdir():
            if folder.name not in kept:
                shutil.rmtree(folder, ignore_errors=True)
