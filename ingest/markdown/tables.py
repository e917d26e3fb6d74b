"""Rows of a GFM table -> cells with their places. markdown-it gives the cells' contents alone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_PIPE = re.compile(r"(?<!\\)\|")


class Cell(NamedTuple):
    """The trimmed cell is `row[start:end]`."""

    start: int
    end: int


class Row(NamedTuple):
    cells: list[Cell]
    pipes: list[int]


def split_row(row: str, start: int) -> Row:
    """The cells of `row[start:]`, as markdown-it splits them: at pipes without a backslash before; none outside the outer pipes."""
    end = len(row.rstrip())
    start = end - len(row[start:end].lstrip())
    pipes = [m.start() for m in _PIPE.finditer(row, start, end)]
    bounds = list(zip([start, *(p + 1 for p in pipes)], [*pipes, end], strict=True))
    if bounds and bounds[0][0] == bounds[0][1]:
        bounds.pop(0)
    if bounds and bounds[-1][0] == bounds[-1][1]:
        bounds.pop()
    return Row([_trim(row, a, b) for a, b in bounds], pipes)


def cell_pieces(row: str, cell: Cell) -> Iterator[tuple[int, int, int]]:
    r"""(Place in the content, place in the row, length): the content is the cell with `\|` as `|`."""
    content = at = 0
    source = row[cell.start : cell.end]
    while at < len(source):
        cut = source.find("\\|", at + 1 if at else 0)
        end = len(source) if cut < 0 else cut
        if end > at:
            yield content, cell.start + at, end - at
        content += end - at
        at = len(source) if cut < 0 else cut + 1


def _trim(row: str, start: int, end: int) -> Cell:
    cell = row[start:end]
    core = cell.strip()
    start += len(cell) - len(cell.lstrip()) if core else 0
    return Cell(start, start + len(core))
