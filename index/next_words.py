"""The keyword index of the next generation: the last one and what changes in it, or made anew from the tables."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from index.models import EmbeddedChunk

if TYPE_CHECKING:
    from index.lance import LanceRows
    from index.tantivy_index import TantivyKeywordsWriter

REBUILT_BELOW = 2_000
REBUILT_ABOVE = 0.1
"""After deletions, the keyword index is made anew where it has so few chunks, or so large a share of deleted ones. Deleted chunks
weigh in the statistics of BM25: so a small library scores like a fresh one, a large one nearly."""


class NextWords:
    """Collects changes to the words in a new `folder`, which `commit` makes whole. `before` holds those of the last generation,
    None where there are none to build on. The engine is loaded by the first change."""

    def __init__(self, folder: Path, before: Path | None) -> None:
        there = before is not None and (before / "meta.json").exists()
        self.folder = folder
        self._before = before if there else None
        self._anew = before is not None and not there  # somebody has taken them away
        self._deleted = False
        self._writer: TantivyKeywordsWriter | None = None

    def make_anew(self) -> None:
        """Whatever they were, `commit` makes them out of the tables."""
        self._anew = True

    def add(self, title: str, chunks: Sequence[EmbeddedChunk]) -> None:
        self._opened().add(title, chunks)

    def delete(self, document_ids: Iterable[str]) -> None:
        self._deleted = True
        self._opened().delete(document_ids)

    def commit(self, rows: LanceRows, title_of: Callable[[str], str]) -> None:
        """Makes the words anew from `rows`, those of the next generation, where deleted ones would weigh too much. `title_of` a
        document's id."""
        from index.tantivy_index import copy_words, deleted_share

        if self._anew or (self._deleted and rows.chunk_count() <= REBUILT_BELOW):
            self._make(rows, title_of)
        elif self._writer is None and self._before is not None:  # no word has changed
            copy_words(self._before, self.folder)
        else:
            self._opened().commit()
            if deleted_share(self.folder) >= REBUILT_ABOVE:
                self._make(rows, title_of)

    def close(self) -> None:
        """Drops what was not committed."""
        if self._writer is not None:
            self._writer.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _opened(self) -> TantivyKeywordsWriter:
        from index.tantivy_index import TantivyKeywordsWriter

        if self._writer is None:
            self._writer = TantivyKeywordsWriter(self.folder, self._before)
        return self._writer

    def _make(self, rows: LanceRows, title_of: Callable[[str], str]) -> None:
        from index.tantivy_index import TantivyKeywordsWriter

        if self._writer is not None:
            self._writer.close()
        self._writer = TantivyKeywordsWriter(self.folder, None)
        title = lru_cache(maxsize=256)(title_of)  # a document's chunks lie together
        for chunk in rows.all_chunks():
            self._writer.add(title(chunk.document_id), [EmbeddedChunk(chunk=chunk)])
        self._writer.commit()
