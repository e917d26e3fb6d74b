"""Cutting what is longer than the model's window: at `;`, then `,`, cells, words, in the end between characters."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from ingest.models import Span
from ingest.ports import TokenCounter
from ingest.reading import ReadingText

CHARACTERS_PER_PIECE = 16
"""A word piece never stands for more characters than this on average: models take a run of a hundred letters or more for one
unknown piece, and such a run (base64, minified code) must still be cut."""

_SEMICOLON = re.compile(r"[;；؛] ?")
_COMMA = re.compile(r"[,，、،] ?(?!\d)")
_CELL = re.compile(r"\| ?")
_SPACE = re.compile(" ")
Weighed = tuple[Span, int]


def weigh(counter: TokenCounter, texts: Sequence[str]) -> list[int]:
    """Word pieces of each text, at least one each, and at least one for `CHARACTERS_PER_PIECE` characters."""
    counts = counter.count(texts) if texts else []
    return [max(1, count, -(-len(text) // CHARACTERS_PER_PIECE)) for text, count in zip(texts, counts, strict=True)]


def cut(reading: ReadingText, source: str, counter: TokenCounter, limit: int) -> list[Weighed]:
    """Neighbouring spans of the reading text of `source`, in order, about equally heavy, none above `limit` word pieces.

    Only a single character may be heavier.
    """
    cutter = _Cutter(text=reading.text, levels=_levels(reading, source), counter=counter, limit=limit)
    pieces = cutter.pieces(Span(0, len(reading.text)), 0)
    packed = _pack(pieces, limit)
    weights = cutter.weights(packed)
    return [part for s, w in zip(packed, weights, strict=True) for part in cutter.halved(s, w)]


def _levels(reading: ReadingText, source: str) -> tuple[Sequence[int], ...]:
    """Where the reading text may be cut, from the best kind of place to the worst."""
    text = reading.text
    cells = {m.end() for m in _CELL.finditer(text)}
    if "\t" in source:  # a cell's end, though a plain space in the reading text
        cells |= {m.end() for m in _SPACE.finditer(text) if "\t" in source[reading.starts[m.start()] : reading.ends[m.start()]]}
    semicolons, commas, spaces = ([m.end() for m in p.finditer(text)] for p in (_SEMICOLON, _COMMA, _SPACE))
    return semicolons, commas, sorted(cells), spaces


@dataclass(frozen=True, slots=True, kw_only=True)
class _Cutter:
    text: str
    levels: tuple[Sequence[int], ...]
    counter: TokenCounter
    limit: int

    def weights(self, spans: Sequence[Span]) -> list[int]:
        return weigh(self.counter, [s.slice(self.text) for s in spans])

    def pieces(self, span: Span, level: int) -> list[Weighed]:
        """`span`, which is above the limit, in pieces within it, cut at the first kind of place that does."""
        if level == len(self.levels):
            return self.halved(span, self.limit + 1)
        spans = self._split(span, self.levels[level])
        out: list[Weighed] = []
        for piece, weight in zip(spans, self.weights(spans), strict=True):
            out += [(piece, weight)] if weight <= self.limit else self.pieces(piece, level + 1)
        return out

    def halved(self, span: Span, weight: int) -> list[Weighed]:
        """`span`, halved between characters until each part is within the limit."""
        if weight <= self.limit or len(span) < 2:
            return [(span, weight)]
        halves = self._split(span, [(span.start + span.end) // 2])
        return [part for h, w in zip(halves, self.weights(halves), strict=True) for part in self.halved(h, w)]

    def _split(self, span: Span, cuts: Sequence[int]) -> list[Span]:
        inside = cuts[bisect_right(cuts, span.start) : bisect_left(cuts, span.end)]
        return [self._stripped(a, b) for a, b in pairwise([span.start, *inside, span.end])]

    def _stripped(self, start: int, end: int) -> Span:
        """Reading text holds no two spaces in a row, and a piece is never a space alone."""
        return Span(start + (self.text[start] == " "), end - (self.text[end - 1] == " "))


def _pack(pieces: Sequence[Weighed], limit: int) -> list[Span]:
    """Neighbouring pieces joined into parts about equally heavy, within the limit."""
    total = sum(w for _, w in pieces)
    goal = total / -(-total // limit)
    out: list[Span] = []
    size = 0
    for piece, weight in pieces:
        if out and size + weight <= limit and size + weight / 2 <= goal:
            out[-1] = Span(out[-1].start, piece.end)
            size += weight
        else:
            out.append(piece)
            size = weight
    return out
