"""The text layers of scans. A program that reads pictures measures type line by line: a line of capitals comes out a fifth larger
than its neighbours, one without tall letters smaller. Pure functions over lines in the reading frame."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import median

from msgspec.structs import replace

from ingest.pdf.page import Line

_ALIKE = 1.25
"""Sizes that differ less than so many times may be the same type, measured twice."""
_EVEN, _FAR = 1.15, 1.9
"""Lines of one paragraph follow at even distances, and within so many times their size."""


def with_even_sizes(lines: Sequence[Line]) -> list[Line]:
    """The lines; those of one paragraph that differ little in size get its usual one. Lines that are painted stay as they are."""
    out: list[Line] = []
    for group in _paragraphs(lines):
        usual = round(median(line.size for line in group), 1)
        out += [replace(line, size=usual) if line.size != usual else line for line in group]
    return out


def _paragraphs(lines: Sequence[Line]) -> Iterator[list[Line]]:
    """Lines that follow one below the other at even distances: before a line that begins another paragraph there is more."""
    steps = [_step(above, below) for above, below in pairwise(lines)]
    group: list[Line] = []
    for n, line in enumerate(lines):
        group.append(line)
        step = steps[n] if n < len(steps) else None
        around = [other for other in (*steps[max(0, n - 1) : n], *steps[n + 1 : n + 2]) if other]
        if not step or any(step > _EVEN * other for other in around):
            yield group
            group = []


def _step(above: Line, below: Line) -> float | None:
    """How far below the line the next one stands, where both may be of one paragraph."""
    step = below.baseline - above.baseline
    alike = above.size < _ALIKE * below.size and below.size < _ALIKE * above.size
    beside = above.x1 <= below.x0 or below.x1 <= above.x0
    return step if alike and not beside and not (above.painted or below.painted) and 0 < step <= _FAR * above.size else None
