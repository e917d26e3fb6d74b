"""From the dictionaries in which PyMuPDF gives a page's text to lines. Pure functions.

A font without spaces (TeX) has each word in a span of its own, so a line may have many spans of one look.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple, TypedDict

from ingest.models import Box
from ingest.pdf.page import Line, Style

_BOLD, _ITALIC, _MONO, _RAISED = 16, 2, 8, 1  # span["flags"]
_PAINTED = 16 | 32  # span["char_flags"]: filled, stroked
_LEVEL = (1.0, 0.0)
_BOLD_NAME = re.compile(r"bold|black|heavy|semibold|demi", re.IGNORECASE)


class CharDict(TypedDict):
    origin: tuple[float, float]
    c: str
    bbox: Box
    synthetic: bool


class SpanDict(TypedDict):
    text: str
    size: float
    flags: int
    char_flags: int
    font: str
    color: int
    alpha: int
    origin: tuple[float, float]
    chars: list[CharDict]


class LineDict(TypedDict):
    dir: tuple[float, float]
    bbox: Box
    spans: list[SpanDict]


def line_of(line: LineDict, at: int) -> Line:
    """The line, its characters counted from `at` in the page's stream; what of it is not read is not looked for yet."""
    spans = line["spans"]
    box = line["bbox"]
    cos, sin = line["dir"]
    level = sin == 0 and cos > 0
    if len(spans) == 1:
        main = spans[0]
        text = main["text"]
        bold, all_italic = _look(main["flags"], main["font"])
        words, even, painted = spans, True, _is_painted(main)
    else:
        text = "".join([span["text"] for span in spans])
        words = [span for span in spans if not span["text"].isspace()] or spans
        if len({(span["font"], span["size"], span["origin"][1], span["flags"], span["color"]) for span in words}) == 1:
            main, even = words[0], True
            bold, all_italic = _look(main["flags"], main["font"])
        else:
            main, even = max(words, key=_says), _is_even(words)
            bold, all_italic = _common_look(frozenset([(span["flags"], span["font"]) for span in words]))
        painted = _is_painted(main) or any(map(_is_painted, spans))
    if not text:
        return Line("", at, _LEVEL, *box, box[3], 0.0, False, False, False, "", 0, True, (), box)
    styles = () if level and even else _styles(spans, cos, sin)
    x0, y0, x1, y1 = box if level else _turned(box, cos, sin)
    x, y = words[0]["origin"]
    direction = _LEVEL if level else (round(cos, 2), round(sin, 2))
    baseline = max(styles, key=lambda s: (s.size, s.end - s.start)).baseline if styles else y * cos - x * sin
    size = round(main["size"], 1)
    mono = painted and bool(main["flags"] & _MONO)  # the font of a scan's text layer is nobody's choice
    look = bold, all_italic, mono, main["font"], main["color"], painted
    # By place, not by name: names cost as much as all the rest here.
    return Line(text, at, direction, x0, y0, x1, y1, baseline, size, *look, styles, box)


def _is_even(words: Sequence[SpanDict]) -> bool:
    """Whether the words have one size and one baseline, and none is raised."""
    return len(words) == 1 or len({(span["size"], span["origin"][1], span["flags"] & _RAISED) for span in words}) == 1


def _is_painted(span: SpanDict) -> bool:
    return span["alpha"] > 0 and bool(span["char_flags"] & _PAINTED)


def _says(span: SpanDict) -> tuple[int, float]:
    """How much of a line the span says."""
    return len(span["text"].strip()), span["size"]


class _Look(NamedTuple):
    bold: bool
    italic: bool


@cache
def _look(flags: int, font: str) -> _Look:
    return _Look(bold=bool(flags & _BOLD or _BOLD_NAME.search(font)), italic=bool(flags & _ITALIC))


@cache
def _common_look(looks: frozenset[tuple[int, str]]) -> _Look:
    """What all of the (flags, font) pairs have in common."""
    each = [_look(flags, font) for flags, font in looks]
    return _Look(bold=all(look.bold for look in each), italic=all(look.italic for look in each))


def _styles(spans: Sequence[SpanDict], cos: float, sin: float) -> tuple[Style, ...]:
    styles = []
    start = 0
    for span in spans:
        x, y = span["origin"]
        end = start + len(span["text"])
        styles.append(Style(start, end, span["size"], y * cos - x * sin, bool(span["flags"] & _RAISED)))
        start = end
    return tuple(styles)


def _turned(box: Box, cos: float, sin: float) -> Box:
    """The box in the reading frame."""
    xs = [x * cos + y * sin for x in (box[0], box[2]) for y in (box[1], box[3])]
    ys = [y * cos - x * sin for x in (box[0], box[2]) for y in (box[1], box[3])]
    return min(xs), min(ys), max(xs), max(ys)
