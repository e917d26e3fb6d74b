"""Reading order: the lines of a page become rows, column by column. Pure functions over `Line`s in the reading frame.

A gutter is a strip of the page that (nearly) no line of text crosses, with prose on both sides. Lines that do cross it (a title
over two columns) cut the page into bands; within a band the columns are read one after the other.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from operator import attrgetter
from typing import NamedTuple

from msgspec import Struct

from ingest.pdf.page import Line

_CLOSING = r"['\"’”)\]»]*"
_STOPS = frozenset(".!?:;…。！？")
_AFTER_STOP = frozenset("'\"’”)]»0123456789")
_ENDS_SENTENCE = re.compile(rf"(?:[.!?:;…。！？]{_CLOSING}|(?<=[^\W\d_])[.!?]{_CLOSING}\d{{1,2}})\s*$")
_PLACE = attrgetter("baseline", "x0")
_USUAL, _WIDE = 1.6, 2.2
"""Lines of wrapped text follow within this many times their size; within the second where sentences are seen to run on."""
_SMALL_BEGINNINGS = 0.4
_TAIL = 40
"""Characters at a line's end that tell whether a sentence ends there."""


class Row(Struct, frozen=True):
    """Lines that stand on one baseline in one column, from left to right; `main` is the one that says most."""

    cells: tuple[Line, ...]
    column: int
    x0: float
    y0: float
    x1: float
    y1: float
    baseline: float
    main: Line
    text: str
    bold: bool
    """Whether all of it is; so too `italic`, `mono`."""
    italic: bool
    mono: bool


def row_of(cells: Sequence[Line], column: int) -> Row:
    """The row of these lines."""
    if len(cells) == 1:
        cell = cells[0]
        place = cell.x0, cell.y0, cell.x1, cell.y1, cell.baseline
        return Row((cell,), column, *place, cell, cell.text.strip(), cell.bold, cell.all_italic, cell.mono)
    cells = tuple(sorted(cells, key=lambda line: line.x0))
    return Row(
        cells=cells,
        column=column,
        x0=cells[0].x0,
        y0=min(cell.y0 for cell in cells),
        x1=max(cell.x1 for cell in cells),
        y1=max(cell.y1 for cell in cells),
        baseline=cells[0].baseline,
        main=max(cells, key=lambda cell: len(cell.text)),
        text=" ".join([cell.text.strip() for cell in cells]),
        bold=all(cell.bold for cell in cells),
        italic=all(cell.all_italic for cell in cells),
        mono=all(cell.mono for cell in cells),
    )


class Gutter(NamedTuple):
    x0: float
    x1: float


def reading_order(page: Sequence[Row]) -> list[Row]:
    """The rows of a page, band by band and column by column; `Row.column` rises with each column begun.

    They come as they stand over the whole width of the page, top down.
    """
    lines = [cell for row in page for cell in row.cells]
    gutters = find_gutters(lines)
    if not gutters:
        return list(page)
    columns_of = [(_column(line, gutters), line) for line in sorted(lines, key=lambda line: line.y0)]
    rows: list[Row] = []
    band: list[tuple[int, Line]] = []
    number = 0

    def flush() -> None:
        nonlocal number
        for column in range(len(gutters) + 1):
            here = [line for at, line in band if at == column]
            if here:
                rows.extend(rows_of(here, number))
                number += 1
        band.clear()

    spanning: list[Line] = []
    for column, line in columns_of:
        if column < 0:
            if band and not spanning:
                flush()
            spanning.append(line)
        else:
            if spanning:
                rows.extend(rows_of(spanning, number))
                number += 1
                spanning = []
            band.append((column, line))
    flush()
    rows.extend(rows_of(spanning, number))
    return rows


def _column(line: Line, gutters: Sequence[Gutter]) -> int:
    """Which column the line lies in, -1 where it crosses a gutter."""
    for number, gutter in enumerate(gutters):
        if line.x0 < gutter.x0 - 2 and line.x1 > gutter.x1 + 2:
            return -1
        if (line.x0 + line.x1) / 2 < (gutter.x0 + gutter.x1) / 2:
            return number
    return len(gutters)


def rows_of(lines: Sequence[Line], column: int = 0) -> list[Row]:
    """Lines of one column, top down; those on one baseline side by side."""
    rows: list[list[Line]] = []
    for line in sorted(lines, key=_PLACE):
        if rows:
            last = rows[-1][-1]
            if abs(line.baseline - last.baseline) <= 0.3 * min(line.size, last.size) + 0.5:
                rows[-1].append(line)
                continue
        rows.append([line])
    return [row_of(row, column) for row in rows]


def find_gutters(lines: Sequence[Line]) -> list[Gutter]:
    """The gutters between columns of prose, left to right; none on a page of one column."""
    if len(lines) < 8:
        return []
    left, right = min(line.x0 for line in lines), max(line.x1 for line in lines)
    width = right - left
    narrow = [line for line in lines if line.x1 - line.x0 < 0.6 * width and len(line.text) > 1]
    if width < 100 or len(narrow) < 8:
        return []
    size = sorted(line.size for line in narrow)[len(narrow) // 2]
    gaps = _strips(narrow, left, right, allowed=max(2, len(narrow) // 8), least=max(5.0, 0.6 * size))
    gutters: list[Gutter] = []
    for number, gap in enumerate(gaps):
        starts = {edge.x1 for edge in (*gutters[-1:], *gaps[max(0, number - 1) : number])} or {left}
        ends = {right, *(edge.x0 for edge in gaps[number + 1 : number + 2])}
        before = [[line for line in narrow if start - 2 <= line.x0 and line.x1 <= gap.x1] for start in sorted(starts)]
        after = [[line for line in narrow if gap.x0 <= line.x0 and line.x1 <= end + 2] for end in sorted(ends)]
        if _prose_beside(before, after, 0.6 * _height(lines)):
            gutters.append(gap)
    return gutters


def _prose_beside(before: Sequence[Sequence[Line]], after: Sequence[Sequence[Line]], tall: float) -> bool:
    """Whether there is prose left and right of a gap, taken as far as the next one, or over it; or on one side prose that is at
    least `tall` (points), and on the other (a table, a list) rows of their own."""
    left, right = ([lines for lines in side if _is_prose(lines)] for side in (before, after))
    if left and right:
        return any(_beside(a, b) for a in left for b in right)
    prose, others = (left, after) if left else (right, before)
    return any(_height(a) >= tall and _beside(a, b) and _of_its_own(a, b) for a in prose for b in others if b)


def _of_its_own(prose: Sequence[Line], others: Sequence[Line]) -> bool:
    """Whether the prose fills its column, and rows of the others stand on few of its baselines: in a table of terms and what they
    mean, the text is ragged, and most terms stand beside its lines."""
    text, rows = rows_of(prose), rows_of(others)
    grid = {round(row.baseline + d) for row in text for d in (-0.25, 0.25)}
    shared = sum(round(row.baseline) in grid for row in rows)
    widest = max(row.x1 - row.x0 for row in text)
    filled = sum(row.x1 - row.x0 > 0.75 * widest for row in text)
    return _wraps(text) and filled > 0.6 * len(text) and len(rows) >= 4 and shared < 0.5 * len(rows)


def _strips(lines: Sequence[Line], left: float, right: float, *, allowed: int, least: float) -> list[Gutter]:
    """Strips at least `least` points wide that at most `allowed` lines cross, away from the margins."""
    changes = {0: 0}  # at each whole point, how many lines more begin than end
    for line in lines:
        first, end = max(0, int(line.x0 - left)), int(line.x1 - left) + 1
        changes[first] = changes.get(first, 0) + 1
        changes[end] = changes.get(end, 0) - 1
    strips, start, depth = [], None, 0
    for x in sorted(changes):
        depth += changes[x]
        if depth <= allowed and start is None:
            start = x
        elif depth > allowed and start is not None:
            if start > 0 and x - start >= least:
                strips.append(Gutter(left + start, left + x))
            start = None
    margin = 0.12 * (right - left)
    return [s for s in strips if s.x0 > left + margin and s.x1 < right - margin]


def _is_prose(lines: Sequence[Line]) -> bool:
    """Whether most of the text is in rows that fill their column and follow closely: wrapped text does, cells of a table don't."""
    rows = rows_of(lines)
    widest = max((row.x1 - row.x0 for row in rows), default=0.0)
    if len(rows) < 4 or widest < 60:
        return False
    lengths = [sum(len(cell.text) for cell in row.cells) for row in rows]
    full = [length >= 18 and row.x1 - row.x0 > 0.6 * widest for row, length in zip(rows, lengths, strict=True)]
    wraps = _wraps(rows)
    close = [below.baseline - above.baseline <= (_WIDE if wraps else _USUAL) * below.main.size for above, below in pairwise(rows)]
    beside = [above or below for above, below in pairwise([False, *close, False])]  # rows with one close above or below them
    near = sum(length for length, one in zip(lengths, beside, strict=True) if one)
    if 2 * near < sum(lengths) or (not wraps and 2 * sum(close) < len(close)):
        return False
    return sum(length for length, fills in zip(lengths, full, strict=True) if fills) > 0.6 * sum(lengths)


def _wraps(rows: Sequence[Row]) -> bool:
    """Whether sentences run from row to row: of those that no bullet opens, and that are no code, many begin small."""
    firsts = [row.text[:1] for row in rows if row.text[:1].isalnum() and not row.mono]
    return len(firsts) >= 4 and sum(map(str.islower, firsts)) >= _SMALL_BEGINNINGS * len(firsts)


def _beside(before: Sequence[Line], after: Sequence[Line]) -> bool:
    """Whether the two groups stand side by side, not one below the other."""
    top, bottom = max(min(g.y0 for g in s) for s in (before, after)), min(max(g.y1 for g in s) for s in (before, after))
    return bottom - top > 0.5 * min(_height(before), _height(after))


def _height(lines: Sequence[Line]) -> float:
    return max(line.y1 for line in lines) - min(line.y0 for line in lines)


def ends_sentence(text: str) -> bool:
    """Whether a sentence ends with the line, the mark of a note after it or not."""
    tail = text[-_TAIL:].rstrip()
    last = tail[-1:]
    return last in _STOPS if last not in _AFTER_STOP else bool(_ENDS_SENTENCE.search(tail))


def usual_leading(rows: Sequence[Row]) -> float:
    """The commonest distance between baselines of rows of one sentence, in points; 0 where there is none."""
    counts: dict[float, int] = {}
    for above, below in pairwise(rows):
        step = round((below.baseline - above.baseline) * 2) / 2
        alike = above.column == below.column and abs(above.main.size - below.main.size) < 0.5 and above.main.bold == below.main.bold
        if alike and 0 < step < 4 * below.main.size and not ends_sentence(above.text):
            counts[step] = counts.get(step, 0) + 1
    return max(counts, key=lambda step: (counts[step], -step), default=0.0)
