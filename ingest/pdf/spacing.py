"""Letter-spaced type ("A N N U A L  R E P O R T"). Where letters stand wide apart, MuPDF puts a space between them that the file
does not have ("synthetic"); such spaces are not read. Pure functions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby
from statistics import median, pstdev
from typing import NamedTuple

from ingest.models import Box
from ingest.pdf.lines import CharDict
from ingest.pdf.page import LeftOut, Line

SPACING = "letter spacing"
_MAY_BE = re.compile(r" [^\W\d_] [^\W\d_] ")
_APART = re.compile(r"(?<!\S)\S(?: \S)+(?!\S)")
_LEAST_LETTERS, _LEAST_ALONE = 4, 5
"""So many letters one by one are spaced out; so many where the line has no space of its own (letters of a formula may stand so)."""
_WIDEST = 0.8
"""Letters farther apart than this part of their size are no word: heads of columns, a row of choices."""
_BETWEEN_WORDS = 1.6
"""A gap this many times as wide as those between letters parts words."""


def may_be_spaced(stream: str, lines: Sequence[Line]) -> bool:
    """Whether letters may be set wide apart on a page: most pages need not be looked at."""
    if not _MAY_BE.search(stream):
        return False
    rows = groupby((_spread(line, ()) for line in lines if " " in line.text), key=lambda one: round(one.line.baseline))
    return any(sum(one.letters for one in row) >= _LEAST_LETTERS for _, row in rows)


class _Spread(NamedTuple):
    """A line, its characters, and the runs of those that stand one by one; `own`: whether the file has spaces of its own in it."""

    line: Line
    characters: Sequence[CharDict]
    runs: Sequence[tuple[int, int]]
    own: bool

    @property
    def letters(self) -> int:
        """How many letters stand one by one, at most."""
        return max((sum(map(str.isalpha, self.line.text[start:end])) for start, end in self.runs), default=0)

    @property
    def throughout(self) -> bool:
        """Whether (nearly) all of the line is set so."""
        return sum(end - start for start, end in self.runs) > 0.9 * len(self.line.text.strip())

    @property
    def made(self) -> Sequence[tuple[int, Box, Box]]:
        """The spaces between single characters that the file does not have, with the boxes before and after."""
        at = [i for start, end in self.runs for i in range(start + 1, end, 2) if self.characters[i]["synthetic"]]
        return [(i, self.characters[i - 1]["bbox"], self.characters[i + 1]["bbox"]) for i in at]


def with_close_letters(lines: Sequence[Line], characters: Sequence[CharDict]) -> list[Line]:
    """The lines without the spaces that only the distance of their letters made. `characters` are those of the page's stream.

    A page that has such a line with spaces of its own (the text layer of a scan) is set so throughout: there, digits count, too.
    """
    every = [_spread(line, characters[line.source_offset : line.source_offset + len(line.text)]) for line in lines]
    rows = [list(row) for _, row in groupby(every, key=lambda one: (round(one.line.baseline), one.own, one.throughout))]
    widest = [_widest_gap(row, _LEAST_LETTERS if row[0].own else _LEAST_ALONE) for row in rows]
    if any(row[0].own and gap for row, gap in zip(rows, widest, strict=True)):
        widest = [_widest_gap(row, 0) if row[0].own else gap for row, gap in zip(rows, widest, strict=True)]
    return [_close(one, gap) for row, gap in zip(rows, widest, strict=True) for one in row]


def _spread(line: Line, characters: Sequence[CharDict]) -> _Spread:
    own = any(c["c"] == " " and not c["synthetic"] for c in characters[: len(line.text.rstrip())])
    return _Spread(line, characters, [match.span() for match in _APART.finditer(line.text)], own)


def _widest_gap(row: Sequence[_Spread], least: int) -> float:
    """The widest gap between letters of one word in lines beside each other (words far apart are two lines), in points.

    0 where letters stand for themselves: fewer than `least`, in cells of a grid, or among words that have no spaces of their own.
    """
    edges = [(before, after) for one in row for _, before, after in one.made]
    gaps = [after[0] - before[2] for before, after in edges]
    usual = median(gaps or [0.0])
    if sum(one.letters for one in row) < least or usual > _WIDEST * row[0].line.size:
        return 0.0
    if row[0].own:
        return max(gaps, default=0.0)
    return _BETWEEN_WORDS * usual if row[0].throughout and not _in_cells(edges, gaps) else 0.0


def _in_cells(edges: Sequence[tuple[Box, Box]], gaps: Sequence[float]) -> bool:
    """Whether letters stand in the cells of a grid: there their middles keep their distance, in type their edges do."""
    steps = [(after[0] + after[2] - before[0] - before[2]) / 2 for before, after in edges]
    return len(gaps) > 1 and pstdev(steps) < 0.5 * pstdev(gaps)


def _close(one: _Spread, widest: float) -> Line:
    spaces = [LeftOut(i, i + 1, SPACING) for i, before, after in one.made if after[0] - before[2] <= widest] if widest else []
    return one.line.leaving_out(spaces)
