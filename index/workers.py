"""Parsing and chunking in worker processes, streamed in order.

The caller's script needs no main guard (loky starts workers without running it again). A file that hangs, eats memory or crashes
the parser becomes that file's named error; the others go on. Workers load parsers and the tokenizer, never the model or the
database.
"""

from __future__ import annotations

import faulthandler
import os
import signal
import sys
import tempfile
import warnings
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Future
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from index.keys import digest
from ingest.chunking import chunk_document
from ingest.errors import SourceError, UnreadableSource
from ingest.formats import is_text, read_source
from ingest.models import Chunk, ParsedDocument, SourceFile
from ingest.ports import TokenCounter

if TYPE_CHECKING:
    from loky import ProcessPoolExecutor

SMALL_TEXT_BYTES = 512 * 2**10
"""Text files up to this sum are read in this process: starting workers would take longer."""
SMALL_TEXTS = 2_000
"""And so many at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one file may cost: seconds (a base, and some for each MiB), bytes of memory of the worker (where the system can say)."""

    seconds: float = 120.0
    seconds_per_mib: float = 30.0
    memory: int = 4 * 2**30

    def seconds_for(self, source: SourceFile) -> float:
        return self.seconds + self.seconds_per_mib * source.size / 2**20


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A file that was read: the document, its chunks, the SHA-256 (hex) of the bytes they come from."""

    source: SourceFile
    document: ParsedDocument
    chunks: tuple[Chunk, ...]
    sha256: str


def default_jobs() -> int:
    """As many as the processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def read_all(
    sources: Iterable[SourceFile], counter: TokenCounter, *, jobs: int, limits: Limits = Limits(), passwords: Sequence[str] = ()
) -> Iterator[Reading | SourceError]:
    """Reads each file, in the order given; at most `2 * jobs` results wait in memory. Errors are results, never raised.

    `passwords` are tried on each file that is encrypted.
    """
    files = iter(sources)
    first, few = _looked_ahead(files, jobs)
    every = chain(first, files)
    if jobs <= 1 or few:
        return (read_one(source, counter, passwords) for source in every)
    return _in_workers(every, _Worker(counter, tuple(passwords)), min(jobs, len(first)), limits)


def _looked_ahead(sources: Iterator[SourceFile], jobs: int) -> tuple[list[SourceFile], bool]:
    """The first files, as many as tell whether all are few and small texts, and how many workers have something to do."""
    first: list[SourceFile] = []
    few, size = True, 0
    for source in sources:
        first.append(source)
        size += source.size
        few = few and is_text(source) and size <= SMALL_TEXT_BYTES and len(first) <= SMALL_TEXTS
        if not few and len(first) >= jobs:
            break
    return first, few


def read_one(source: SourceFile, counter: TokenCounter, passwords: Sequence[str] = ()) -> Reading | SourceError:
    """Reads one file here. Whatever a parser raises is that file's error: the others must go on."""
    try:
        read = read_source(source, passwords)
        chunks = tuple(chunk_document(read.document, counter))
    except SourceError as e:
        return e
    except MemoryError:
        return UnreadableSource(source.path, "needs more memory to read than one file may take")
    except RecursionError:
        return UnreadableSource(source.path, "nested too deeply to read")
    except Exception as e:
        return UnreadableSource(source.path, f"the parser failed ({type(e).__name__}: {e})")
    return Reading(source=source, document=read.document, chunks=chunks, sha256=read.sha256)


def _in_workers(todo: Iterator[SourceFile], worker: _Worker, jobs: int, limits: Limits) -> Iterator[Reading | SourceError]:
    waiting: deque[tuple[SourceFile, Future[Reading | SourceError]]] = deque()
    with tempfile.TemporaryDirectory(prefix="pincite-", ignore_cleanup_errors=True) as notes:
        crew = _Crew(jobs, worker, limits, Path(notes))
        try:
            while True:
                for source in islice(todo, 2 * jobs - len(waiting)):
                    waiting.append((source, crew.submit(source)))
                if not waiting:
                    return
                source, future = waiting.popleft()
                try:
                    result = future.result()
                except BrokenExecutor:
                    stranded = [source, *(s for s, _ in waiting)]
                    waiting.clear()
                    crew.start_again()
                    yield from map(crew.read_alone, stranded)
                else:
                    yield result
        finally:
            crew.dismiss()


class _Worker(NamedTuple):
    """What each worker is given once."""

    counter: TokenCounter
    passwords: tuple[str, ...]


class _Crew:
    """Worker processes, replaced when one dies (loky then gives up the others too)."""

    def __init__(self, jobs: int, worker: _Worker, limits: Limits, notes: Path) -> None:
        self._jobs, self._worker, self._limits, self._notes = jobs, worker, limits, notes
        # loky replaces a worker whose memory has grown, and warns; the work goes on
        warnings.filterwarnings("ignore", message="A worker (stopped|was restarted) while some jobs", category=UserWarning)
        self._pool = self._start()

    def _start(self) -> ProcessPoolExecutor:
        from loky import ProcessPoolExecutor

        return ProcessPoolExecutor(
            max_workers=self._jobs, initializer=_prepare_worker, initargs=(self._worker, self._limits.memory)
        )

    def submit(self, source: SourceFile) -> Future[Reading | SourceError]:
        future: Future[Reading | SourceError]
        try:
            future = self._pool.submit(_task, source, self._limits.seconds_for(source), self._note(source))
        except BrokenExecutor as e:
            future = Future()
            future.set_exception(e)
        return future

    def read_alone(self, source: SourceFile) -> Reading | SourceError:
        """Reads one of the files that were on the way when a worker died, with nothing beside it: so the guilty one is known."""
        if self._is_late(source):
            return self._late(source)
        try:
            return self.submit(source).result()
        except BrokenExecutor:
            self.start_again()
            if self._is_late(source):
                return self._late(source)
            return UnreadableSource(source.path, "crashed the parser (damaged, or made to)")

    def start_again(self) -> None:
        self.dismiss()
        self._pool = self._start()

    def dismiss(self) -> None:
        self._pool.shutdown(kill_workers=True)

    def _note(self, source: SourceFile) -> Path:
        return self._notes / digest(source.root, source.path)

    def _is_late(self, source: SourceFile) -> bool:
        note = self._note(source)
        return note.exists() and note.stat().st_size > 0

    def _late(self, source: SourceFile) -> UnreadableSource:
        return UnreadableSource(source.path, f"not read within {self._limits.seconds_for(source):.0f} seconds")


_this_worker: list[_Worker] = []


def _prepare_worker(worker: _Worker, memory: int) -> None:
    """Ctrl-C is the parent's to handle; a bound on memory where the system has one; the tokenizer is loaded once a worker."""
    _this_worker[:] = [worker]
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform != "win32":
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        soft = memory if hard == resource.RLIM_INFINITY else min(memory, hard)
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def _task(source: SourceFile, seconds: float, note: Path) -> Reading | SourceError:
    """Runs in a worker. When the time is up, faulthandler's own thread writes where the work was into `note` and ends the process,
    even inside an engine that never comes back."""
    with note.open("w") as f:
        faulthandler.dump_traceback_later(seconds, exit=True, file=f)
        try:
            return read_one(source, *_this_worker[0])
        finally:
            faulthandler.cancel_dump_traceback_later()
