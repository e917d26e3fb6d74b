"""What has changed between the library and the disk: the documents, by the places where their files are looked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from heapq import merge
from itertools import chain, groupby, islice
from operator import itemgetter
from typing import NamedTuple

from index.batches import batched
from index.models import DocumentRecord
from index.ports import RowReader
from index.scratch import Scratch
from index.spool import Spool
from ingest.discover import RootPlan
from ingest.models import Format, SourceFile

AT_ONCE = 1_000
"""Records that are read at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A file that can be read: the parser for it, and the SHA-256 (hex) of its bytes."""

    source: SourceFile
    format: Format
    sha256: str

    @property
    def key(self) -> tuple[str, str]:
        return self.source.root, self.source.path


def key_of(record: DocumentRecord) -> tuple[str, str]:
    return record.root, record.source_document


class Known(NamedTuple):
    """A document as it is stored, and under the root that it has by now (`ingest.discover.plan_roots`)."""

    stored: DocumentRecord
    here: DocumentRecord


class KnownDocuments:
    """The documents of a library by the places where their files are looked for, on disk. What is met there is taken out; what is
    left was not met. Records are read as they are asked for."""

    def __init__(self, rows: RowReader, roots: RootPlan) -> None:
        self._rows, self._roots = rows, roots
        self._left = Scratch("CREATE TABLE known (root TEXT, path TEXT, number INTEGER, PRIMARY KEY (root, path)) WITHOUT ROWID")
        self._left.fill(
            "INSERT OR REPLACE INTO known VALUES (?, ?, ?)", ((*name, n) for n, name in enumerate(rows.document_names()))
        )

    def met(self, sources: Sequence[SourceFile]) -> list[Known | None]:
        """Takes the document of each file out, if there is one."""
        numbers = [self._take(self._roots.place_before(s.root, s.path)) for s in sources]
        known = iter(self._known([n for n in numbers if n is not None]))
        return [None if n is None else next(known) for n in numbers]

    def left(self, wanted: Callable[[str, str], bool]) -> Iterator[Known]:
        """Those that were not met and are wanted, by root and path, or have another root now."""
        rows = self._left.rows("SELECT root, path, number FROM known ORDER BY root, path")
        numbers = (n for root, path, n in rows if root in self._roots.taken_over or wanted(root, path))
        for some in batched(numbers, AT_ONCE):
            yield from self._known(some)

    def any_inside(self, source: SourceFile) -> bool:
        """Whether the library has files that were in this file, and not met yet."""
        root, path = self._roots.place_before(source.root, source.path)
        after_slash = chr(ord("/") + 1)
        bounds = (root, f"{path}/", f"{path}{after_slash}")
        return self._left.row("SELECT 1 FROM known WHERE root = ? AND path > ? AND path < ?", bounds) is not None

    def _take(self, place: tuple[str, str]) -> int | None:
        found = self._left.row("SELECT number FROM known WHERE root = ? AND path = ?", place)
        if found is None:
            return None
        self._left.run("DELETE FROM known WHERE root = ? AND path = ?", place)
        return int(found[0])

    def _known(self, numbers: Sequence[int]) -> list[Known]:
        stored = self._rows.documents_at(numbers) if numbers else []
        return [Known(record, self._here(record)) for record in stored]

    def _here(self, stored: DocumentRecord) -> DocumentRecord:
        """The record under the outer root that has taken its root over."""
        if stored.root not in self._roots.taken_over:
            return stored
        root, path = self._roots.place_now(*key_of(stored))
        _, prefix = self._roots.taken_over[stored.root]
        raw = None if stored.raw_path is None else prefix.encode() + b"/" + stored.raw_path
        return replace(stored, root=root, source_document=path, raw_path=raw)


def moves(gone: Spool[Known], new: Spool[Found]) -> Iterator[tuple[Known | None, Found | None]]:
    """What is gone and what is new, both by the SHA-256 of the bytes: the two of a move together, all others alone. A move is
    exactly one document gone and one file new with the same bytes."""
    both: Iterator[tuple[bytes, Known | Found]] = merge(gone.items(), new.items(), key=itemgetter(0))  # of equal ones, gone first
    for _, same in groupby(both, key=itemgetter(0)):
        values = (value for _, value in same)
        first = tuple(islice(values, 3))
        match first:
            case (Known() as known, Found() as found):
                yield known, found
            case _:
                for value in chain(first, values):
                    yield (value, None) if isinstance(value, Known) else (None, value)
