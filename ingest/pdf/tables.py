"""Tables: which rows of lines are one, and which lines are one cell. Pure functions; no ruling lines are looked at.

A table is a run of rows of two or more cells that keep to the same columns, with the lines between them into which cells wrap.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median

from ingest.pdf.layout import Row
from ingest.pdf.page import Line

_LEADERS = re.compile(r"(?:\.\s?){5,}\s*\S{0,8}\s*$|(?:\s\.){4,}")
MARKER = r"(?:[•◦▪‣●○■□–—*·-]|\(?\d{1,3}[.)]|\(?[a-z][.)]|\(?[ivx]{1,5}[.)]|\([A-Z]\))"
_MARKER_ALONE = re.compile(rf"^\s*{MARKER}\s*$")
_MARKED = re.compile(rf"^\s*{MARKER}\s")
_TIGHT = 1.6
"""A line that wraps follows within this many times its size."""

_NARROW = 0.1
"""Points: the least width of a cell, so that one whose characters have none is in its column."""

Cell = list[Line]


def has_leaders(text: str) -> bool:
    """Whether it is a line of a table of contents: dots that lead to a page."""
    return text.count(".") >= 4 and bool(_LEADERS.search(text))


@dataclass(slots=True)
class _Columns:
    """The columns found so far, as strips of the page from left to right."""

    strips: list[list[float]] = field(default_factory=list)

    def of(self, cell: Line) -> list[int]:
        end = max(cell.x1, cell.x0 + _NARROW)
        return [i for i, (x0, x1) in enumerate(self.strips) if cell.x0 < x1 and end > x0]

    def take(self, row: Row) -> None:
        for cell in row.cells:
            held = self.of(cell)
            if held:
                strip = self.strips[held[0]]
                strip[0], strip[1] = min(strip[0], cell.x0), max(strip[1], cell.x1)
            else:
                self.strips.append([cell.x0, max(cell.x1, cell.x0 + _NARROW)])
                self.strips.sort()

    def fits(self, row: Row) -> bool:
        """Whether each cell keeps to one column and none shares it."""
        held = [self.of(cell) for cell in row.cells]
        inside = [h[0] for h in held if h]
        return all(len(h) <= 1 for h in held) and len(set(inside)) == len(inside) and bool(inside)


def table_runs(rows: Sequence[Row]) -> list[tuple[int, int]]:
    """Half-open runs of row indexes that are tables."""
    runs: list[tuple[int, int]] = []
    start = 0
    while start < len(rows):
        end = _run_end(rows, start) if _is_many(rows[start]) else start
        many = [row for row in rows[start:end] if _is_many(row)]
        if len(many) >= 3 or (len(many) == 2 and max(len(row.cells) for row in many) >= 3):
            runs.append((start, end))
            start = end
        else:
            start += 1
    return runs


def _run_end(rows: Sequence[Row], start: int) -> int:
    columns = _Columns()
    columns.take(rows[start])
    end = start + 1
    for i in range(start + 1, len(rows)):
        above, row = rows[i - 1], rows[i]
        step = row.baseline - above.baseline
        if row.column != above.column or not 0 < step <= 4 * row.main.size or not columns.fits(row):
            break
        if step > _TIGHT * row.main.size and (not _is_many(row) or (row.bold and row.main.size > 1.15 * above.main.size)):
            break  # what stands farther below is another line of text, or a heading with its number apart
        if len(row.cells) == 1 and not _within(columns, row):
            break
        columns.take(row)
        end = i + 1
    return end


def _within(columns: _Columns, row: Row) -> bool:
    """Whether a single line begins where its column does, or (no list item) set in from there, and ends before the next."""
    cell = row.cells[0]
    held = columns.of(cell)[0]
    following = columns.strips[held + 1][0] if held + 1 < len(columns.strips) else columns.strips[held][1] + 2 * cell.size
    slack = 3 + 0.3 * cell.size
    most = slack if _MARKED.match(cell.text) else 2 * cell.size
    return -slack <= cell.x0 - columns.strips[held][0] <= most and cell.x1 < following


def _is_many(row: Row) -> bool:
    """Whether the row has cells that stand apart: no contents line, no list item beside its marker."""
    if len(row.cells) < 2 or has_leaders(row.text):
        return False
    if len(row.cells) == 2 and _MARKER_ALONE.match(row.cells[0].text) and len(row.cells[1].text) > 12:
        return False
    return any(b.x0 - a.x1 > 0.9 * max(a.size, b.size) for a, b in pairwise(row.cells))


def cells_of(rows: Sequence[Row]) -> list[list[Cell]]:
    """The table's rows, each with its cells from left to right, each with its lines from top to bottom."""
    columns = _Columns()
    for row in rows:
        columns.take(row)
    wrap = _wrap_step(rows)
    table: list[dict[int, Cell]] = []
    for i, row in enumerate(rows):
        step = row.baseline - rows[i - 1].baseline if i else 0.0
        if not table or not _goes_on(columns, row, step, wrap):
            table.append({})
        for cell in row.cells:
            table[-1].setdefault(columns.of(cell)[0], []).append(cell)
    return [[cells[column] for column in sorted(cells)] for cells in table]


def _wrap_step(rows: Sequence[Row]) -> float:
    """The distance between lines of one cell where rows of the table stand farther apart than that; 0 where they don't."""
    most = max(len(row.cells) for row in rows)
    steps = [(below.baseline - above.baseline, len(below.cells) == most) for above, below in pairwise(rows)]
    least = min((step for step, _ in steps), default=0.0)
    usual = median([step for step, full in steps if full] or [0.0])
    return least if usual > 1.15 * least else 0.0


def _goes_on(columns: _Columns, row: Row, step: float, wrap: float) -> bool:
    """Whether the row's cells wrap from the row above: set closer than rows are, or nothing in the first column."""
    if step <= 1.1 * wrap:
        return True
    return columns.of(row.cells[0])[0] > 0 and step <= _TIGHT * row.main.size
