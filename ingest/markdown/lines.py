"""The lines of a text, and how the content that markdown-it took out of them lies in the text."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, bisect_right
from typing import NamedTuple

from ingest.models import Span

_LINE_END = re.compile(r"\r\n?|\n")
"""CommonMark's line ends; form feed, NEL and U+2028 are none."""
_PREFIX = re.compile(r"[\s>*+\-\d.)]*")
"""What may stand before the content of a line: indentation, quote marks, list marks."""


class Lines:
    """Where each line of `text[start:]` stands in `text`, counted as markdown-it does; line ends belong to no line."""

    def __init__(self, text: str, start: int = 0) -> None:
        self.text = text
        self._starts = array("q", [start])
        self._ends = array("q")
        for m in _LINE_END.finditer(text, start):
            self._ends.append(m.start())
            self._starts.append(m.end())
        self._ends.append(len(text))

    def __len__(self) -> int:
        return len(self._starts)

    def start(self, line: int) -> int:
        return self._starts[line]

    def end(self, line: int) -> int:
        return self._ends[line]

    def line_of(self, offset: int) -> int:
        return bisect_right(self._starts, offset) - 1

    def slice(self, line: int) -> str:
        return self.text[self._starts[line] : self._ends[line]]

    def is_blank(self, line: int) -> bool:
        return not self.slice(line).strip()


class _Row(NamedTuple):
    """`length` characters from `content` of the content string stand at `source` of the text."""

    content: int
    source: int
    length: int


class Aligned:
    """A content string and its place in the text: row by row, each without white space at its ends.

    `prefixes` are the characters of the lines that are not in the content: indentation and marks of quotes and lists.
    """

    def __init__(self, rows: list[_Row], prefixes: list[Span]) -> None:
        self._rows = rows
        self._contents = [row.content for row in rows]
        self.prefixes = prefixes

    def span(self, start: int, end: int) -> Span | None:
        """Where `content[start:end]` stands, without white space of line ends at its ends; None where it is nothing but that."""
        first = bisect_right(self._contents, start) - 1
        if first < 0 or start >= self._contents[first] + self._rows[first].length:
            first += 1
        last = bisect_left(self._contents, end) - 1
        if first > last:
            return None
        a, b = self._rows[first], self._rows[last]
        return Span(a.source + max(0, start - a.content), b.source + min(b.length, end - b.content))

    def begins_row(self, at: int) -> bool:
        """Whether nothing but white space and prefix stands before `content[at]` in its line."""
        row = bisect_right(self._contents, at) - 1
        return row >= 0 and self._contents[row] == at


def aligned_at(start: int, length: int, prefix: Span) -> Aligned:
    """Content of one line that stands at `start` of the text."""
    return Aligned([_Row(0, start, length)], [prefix])


def aligned_pieces(pieces: list[tuple[int, int, int]]) -> Aligned:
    """Content made of pieces (place in the content, place in the text, length)."""
    return Aligned([_Row(*piece) for piece in pieces], [])


def align(lines: Lines, first: int, last: int, content: str) -> Aligned | None:
    """How `content`, taken from the lines `first:last`, lies in them: each of its rows is the end of a line.

    Lines at the ends that hold nothing but white space may be missing in the content. None where it doesn't fit.
    """
    rows = content.removesuffix("\n").split("\n")
    for missing in range(last - first - len(rows) + 1):
        found = _align_from(lines, first, last, first + missing, rows)
        if found:
            return found
    return None


def _align_from(lines: Lines, first: int, last: int, line: int, contents: list[str]) -> Aligned | None:
    rows, prefixes = [], []
    ends = range(line, line + len(contents))
    prefixes += [Span(lines.start(n), lines.end(n)) for n in range(first, last) if n not in ends]
    at = 0
    for n, row in zip(ends, contents, strict=True):
        core = row.strip()
        raw = lines.slice(n).rstrip().replace("\0", "\ufffd")  # as markdown-it does
        if not raw.endswith(core):
            return None
        start = lines.start(n) + len(raw) - len(core)
        if core:
            rows.append(_Row(at + len(row) - len(row.lstrip()), start, len(core)))
        prefixes.append(Span(lines.start(n), start))
        at += len(row) + 1
    if all(_PREFIX.fullmatch(lines.text, p.start, p.end) for p in prefixes):
        return Aligned(rows, prefixes)
    return None
