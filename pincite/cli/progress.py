"""The progress of an ingest on a terminal: files, pages, chunks, rate, time left. Nothing is drawn anywhere else."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING

from index.report import NoProgress, Progress

if TYPE_CHECKING:
    from rich.progress import Progress as Bar
    from rich.progress import TaskID


class _Drawn:
    """Progress drawn by rich."""

    def __init__(self, bar: Bar) -> None:
        self._bar = bar
        self._task: TaskID = bar.add_task("looking", total=None, pages=0, chunks=0, rate=0.0)
        self._pages = self._chunks = 0
        self._started = monotonic()

    def start(self, *, files: int) -> None:
        self._started = monotonic()
        self._bar.reset(self._task, total=files, description="reading")

    def advance(self, *, files: int = 0, pages: int = 0, chunks: int = 0) -> None:
        self._pages += pages
        self._chunks += chunks
        rate = self._chunks / max(monotonic() - self._started, 1e-3)
        self._bar.update(self._task, advance=files, pages=self._pages, chunks=self._chunks, rate=rate)


@contextmanager
def progress() -> Iterator[Progress]:
    """A bar on stderr while the work goes on, if stderr is a terminal."""
    if not sys.stderr.isatty():
        yield NoProgress()
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    with Bar(
        TextColumn("{task.description}"),
        BarColumn(bar_width=24),
        MofNCompleteColumn(),
        TextColumn("files · {task.fields[pages]} pages · {task.fields[chunks]} chunks ·"),
        TextColumn("{task.fields[rate]:.0f} chunks/s ·"),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    ) as bar:
        yield _Drawn(bar)
