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
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Future
from dataclasses import dataclass
from functools import cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from ingest.chunking import chunk_document

from ingest.errors import SourceError, UnreadableSource
from ingest.formats import is_text, read_source
from ingest.models import Chunk, ParsedDocument, SourceFile
from ingest.ports import TokenCounter

if TYPE_CHECKING:
    from loky import ProcessPoolExecutor

CounterFactory = Callable[[], TokenCounter]
"""Makes the token counter inside a worker; importable and hashable, so that each worker makes it once."""

SMALL_TEXT_BYTES = 512 * 2**10
"""Text files up to this sum are read in this process: starting workers would take longer."""


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
    sources: Sequence[SourceFile], counter: CounterFactory, *, jobs: int, limits: Limits = Limits()
) -> Iterator[Reading | SourceError]:
    """Reads each file, in the order given; at most `2 * jobs` results wait in memory. Errors are results, never raised."""
    few = all(map(is_text, sources)) and sum(s.size for s in sources) <= SMALL_TEXT_BYTES
    if jobs <= 1 or few:
        return (read_one(source, counter) for source in sources)
    return _in_workers(sources, counter, min(jobs, len(sources)), limits)


def read_one(source: SourceFile, counter: CounterFactory) -> Reading | SourceError:
    """Reads one file here. Whatever a parser raises is that file's error: the others must go on."""
    try:
        read = read_source(source)
        chunks = tuple(chunk_document(read.document, _counter(counter)))
    except SourceError as e:
        return e
    except MemoryError:
        return UnreadableSource(source.path, "needs more memory to read than one file may take")
    except RecursionError:
        return UnreadableSource(source.path, "nested too deeply to read")
    except Exception as e:
        return UnreadableSource(source.path, f"the parser failed ({type(e).__name__}: {e})")
    return Reading(source=source, document=read.document, chunks=chunks, sha256=read.sha256)


@cache
def _counter(factory: CounterFactory) -> TokenCounter:
    return factory()


def _in_workers(
    sources: Sequence[SourceFile], counter: CounterFactory, jobs: int, limits: Limits
) -> Iterator[Reading | SourceError]:
    todo = iter(sources)
    waiting: deque[tuple[SourceFile, Future[Reading | SourceError]]] = deque()
    with tempfile.TemporaryDirectory(prefix="pincite-") as notes:
        pool = _start(jobs, limits)
        try:
            while True:
                for source in islice(todo, 2 * jobs - len(waiting)):
                    waiting.append((source, _submit(pool, source, counter, limits, Path(notes))))
                if not waiting:
                    return
                source, future = waiting.popleft()
                try:
                    result = future.result()
                except BrokenExecutor:
                    stranded = [source, *(s for s, _ in waiting)]
                    waiting.clear()
                    pool.shutdown(kill_workers=True)
                    yield from _one_by_one(stranded, counter, limits, Path(notes))
                    pool = _start(jobs, limits)
                    continue
                yield result
        finally:
            pool.shutdown(kill_workers=True)


def _one_by_one(
    sources: Sequence[SourceFile], counter: CounterFactory, limits: Limits, notes: Path
) -> Iterator[Reading | SourceError]:
    """One of these files has killed its worker: each alone, so that the one is known."""
    pool = _start(1, limits)
    try:
        for source in sources:
            if _ran_out_of_time(source, notes):
                yield UnreadableSource(source.path, f"not read within {limits.seconds_for(source):.0f} seconds")
                continue
            try:
                result = _submit(pool, source, counter, limits, notes).result()
            except BrokenExecutor:
                pool.shutdown(kill_workers=True)
                pool = _start(1, limits)
                late = _ran_out_of_time(source, notes)
                why = (
                    f"not read within {limits.seconds_for(source):.0f} seconds"
                    if late
                    else "crashed the parser (damaged, or made to)"
                )
                result = UnreadableSource(source.path, why)
            yield result
    finally:
        pool.shutdown(kill_workers=True)


def _start(jobs: int, limits: Limits) -> ProcessPoolExecutor:
    from loky import ProcessPoolExecutor

    # loky replaces a worker whose memory has grown, and warns; the work goes on
    warnings.filterwarnings("ignore", message="A worker stopped while some jobs", category=UserWarning)
    return ProcessPoolExecutor(max_workers=jobs, initializer=_prepare_worker, initargs=(limits.memory,))


def _submit(
    pool: ProcessPoolExecutor, source: SourceFile, counter: CounterFactory, limits: Limits, notes: Path
) -> Future[Reading | SourceError]:
    try:
        future: Future[Reading | SourceError] = pool.submit(
            _task, source, counter, limits.seconds_for(source), _note(source, notes)
        )
    except BrokenExecutor as e:
        future = Future()
        future.set_exception(e)
    return future


def _prepare_worker(memory: int) -> None:
    """Ctrl-C is the parent's to handle; one thread a worker; a bound on memory where the system has one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    if sys.platform != "win32":
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        soft = memory if hard == resource.RLIM_INFINITY else min(memory, hard)
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def _task(source: SourceFile, counter: CounterFactory, seconds: float, note: Path) -> Reading | SourceError:
    """Runs in a worker. When the time is up, faulthandler's own thread writes where it was into `note` and ends the process, even
    inside an engine that never comes back."""
    with note.open("w") as f:
        faulthandler.dump_traceback_later(seconds, exit=True, file=f)
        try:
            return read_one(source, counter)
        finally:
            faulthandler.cancel_dump_traceback_later()


def _note(source: SourceFile, notes: Path) -> Path:
    from index.keys import digest

    return notes / digest(source.root, source.path)


def _ran_out_of_time(source: SourceFile, notes: Path) -> bool:
    note = _note(source, notes)
    return note.exists() and note.stat().st_size > 0
