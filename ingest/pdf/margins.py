"""Side notes: small type in the margins beside the text. Pure functions over lines in the reading frame."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from ingest.pdf.page import Line

_SMALLER = 0.95
"""A note is set smaller than this part of the text's size."""
_LEAST_LINES, _LEAST_LETTERS = 8, 8
"""Fewer lines of text have no margin to speak of; fewer letters in words are no note, but numbers or marks."""
_WORD = re.compile(r"[^\W\d_]{3,}|[^\x00-\u02ff\W\d_]")
_MOST = 0.4
"""Notes that say more than this part of what the text says are a column of it."""


def side_notes(lines: Sequence[Line]) -> list[Line]:
    """The lines of a page that stand wholly left or right of its text, at its height."""
    size = usual_size(lines)
    text = [line for line in lines if abs(line.size - size) <= (1 - _SMALLER) * size]  # headings may hang in the margin
    if len(text) < _LEAST_LINES or len(text) == len(lines):
        return []
    left, right = _extent(text)
    small = [line for line in lines if line.size < _SMALLER * size]
    outside = [line for line in small if line.x1 < left - 2 or line.x0 > right + 2]
    inside = {round(line.baseline) for line in small if not (line.x1 < left - 2 or line.x0 > right + 2)}
    top, bottom = min(line.y0 for line in text), max(line.y1 for line in text)
    notes = [
        line
        for line in outside
        if top <= line.baseline <= bottom and not inside & {round(line.baseline) + d for d in (-1, 0, 1)}  # no cell of a wide table
    ]
    letters = sum(len(word) for line in notes for word in _WORD.findall(line.text))
    return notes if _LEAST_LETTERS <= letters <= _MOST * sum(len(line.text) for line in text) else []


def usual_size(lines: Sequence[Line]) -> float:
    """The type size of most characters, in points."""
    counts: Counter[float] = Counter()
    for line in lines:
        counts[line.size] += len(line.text)
    return counts.most_common(1)[0][0] if counts else 10.0


def _extent(text: Sequence[Line]) -> tuple[float, float]:
    """Where lines of text begin and end, but for a few that stick out."""
    lefts, rights = sorted(line.x0 for line in text), sorted(line.x1 for line in text)
    return lefts[len(text) // 20], rights[-1 - len(text) // 20]
