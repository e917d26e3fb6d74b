"""What an ingest run did, file by file. Standard library only."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from index.models import Generation

Change = Literal["added", "updated", "moved", "unchanged", "removed", "none"]
Status = Literal["ok", "warning", "error", "ignored"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FileReport:
    """What became of one file. `change` is what happened to the library, `status` how the reading went.

    `pages` are the 1-based pages that `reason` speaks of; `chunks` is how many chunks the document has in the library now.
    """

    root: str
    path: str
    change: Change
    status: Status
    reason: str | None = None
    pages: tuple[int, ...] = ()
    chunks: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestReport:
    """All files of a run, in order of (root, path), on disk while nobody asks for them. `counts` has each change and status that
    occurs, `files`, `chunks`, and `embedded`: how many passages the model had to read."""

    files: Sequence[FileReport]
    counts: Mapping[str, int]
    index_generation: Generation
    elapsed_ms: float

    @property
    def failed(self) -> tuple[FileReport, ...]:
        return tuple(f for f in self.files if f.status == "error") if self.failures else ()

    @property
    def failures(self) -> int:
        """How many files failed."""
        return self.counts.get("error", 0)

    @property
    def nothing_went_in(self) -> bool:
        """There were failures, and not one file is in the library as it is on the disk."""
        return self.failures > 0 and self.failures + self.counts.get("ignored", 0) == self.counts["files"]


class Progress(Protocol):
    """Told how the run goes on; all counts are of what has been added since the last call."""

    def start(self, *, files: int) -> None:
        """So many files will be read."""
        ...

    def advance(self, *, files: int = 0, pages: int = 0, chunks: int = 0) -> None: ...


class NoProgress:
    """Nobody is watching."""

    def start(self, *, files: int) -> None: ...

    def advance(self, *, files: int = 0, pages: int = 0, chunks: int = 0) -> None: ...


def count(files: Iterable[FileReport], *, embedded: int = 0) -> dict[str, int]:
    """How often each change and status occurs, and the sums."""
    number = chunks = 0
    counts: Counter[str] = Counter()
    for f in files:
        number += 1
        chunks += f.chunks
        counts.update((f.status,) if f.change == "none" else (f.status, f.change))
    return {"files": number, "chunks": chunks, "embedded": embedded, **dict(sorted(counts.items()))}
