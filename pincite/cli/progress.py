"""The progress of an ingest on a terminal: files, pages, chunks, rate, time left. Nothing is drawn anywhere else.

Ctrl-C ends the work wherever it falls. An engine at work, or Python in a destructor, may swallow the exception or make another of
it: so it is raised again at the next file, and at the end, whatever came out.
"""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from types import FrameType
from typing import TYPE_CHECKING

from index.report import NoProgress, Progress

if TYPE_CHECKING:
    from rich.progress import Progress as Bar
    from rich.progress import TaskID


class _Drawn:
    """Progress drawn by rich."""

    def __init__(self, bar: Bar) -> None:
        self._bar = bar
        self._task: TaskID = bar.add_task("", total=None, counts="looking for files")
        self._files = self._expected = self._pages = self._chunks = 0
        self._started = monotonic()

    def start(self, *, files: int) -> None:
        self._started = monotonic()
        self._expected = files
        self._bar.reset(self._task, total=files)
        self.advance()

    def advance(self, *, files: int = 0, pages: int = 0, chunks: int = 0) -> None:
        self._files += files
        self._pages += pages
        self._chunks += chunks
        rate = self._chunks / max(monotonic() - self._started, 1.0)
        counts = f"{self._files}/{self._expected} files · {self._pages} pages · {self._chunks} chunks · {rate:.0f}/s ·"
        self._bar.update(self._task, advance=files, counts=counts)


class _Interruptible:
    """Progress that ends the work when Ctrl-C was pressed, even if the first exception was lost."""

    def __init__(self, inner: Progress) -> None:
        self._inner = inner
        self._pressed = False

    def start(self, *, files: int) -> None:
        self._inner.start(files=files)

    def advance(self, *, files: int = 0, pages: int = 0, chunks: int = 0) -> None:
        if self._pressed:
            raise KeyboardInterrupt
        self._inner.advance(files=files, pages=pages, chunks=chunks)

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Only the main thread hears signals; a job in the background of a shell is not to hear this one."""
        if threading.current_thread() is not threading.main_thread() or signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
            yield
            return
        before = signal.signal(signal.SIGINT, self._press)
        try:
            yield
        except Exception as error:
            if self._pressed:
                raise KeyboardInterrupt from error
            raise
        finally:
            signal.signal(signal.SIGINT, before)
        if self._pressed:
            raise KeyboardInterrupt

    def _press(self, number: int, frame: FrameType | None) -> None:
        self._pressed = True
        raise KeyboardInterrupt


@contextmanager
def progress() -> Iterator[Progress]:
    """A bar on stderr while the work goes on, if stderr is a terminal."""
    with _bar() as drawn:
        watch = _Interruptible(drawn)
        with watch.listening():
            yield watch


@contextmanager
def _bar() -> Iterator[Progress]:
    if not sys.stderr.isatty():
        yield NoProgress()
        return
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    with Bar(
        BarColumn(bar_width=12),
        TextColumn("{task.fields[counts]}"),
        TimeRemainingColumn(compact=True),
        TextColumn("left"),
        console=Console(stderr=True),
        transient=True,
    ) as bar:
        yield _Drawn(bar)
