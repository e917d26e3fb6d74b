"""What the PDF engine gives for a page, in our words.

Two frames: `box` is in PDF points as PyMuPDF gives them (origin at the top left of the unrotated page). `x0 … y1` and `baseline`
are in the reading frame: the page turned so that the text of the line runs to the right and lines follow downward.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from ingest.models import Box

_SPACING = "\u00b4\u0060\u02c6\u00a8\u02c7\u02dc\u02da\u00af\u02d8\u02d9\u02dd"
_COMBINING = "\u0301\u0300\u0302\u0308\u030c\u0303\u030a\u0304\u0306\u0307\u030b"
ACCENTS = dict(zip(_SPACING, _COMBINING, strict=True))
"""Spacing accents and their combining forms."""


class Style(NamedTuple):
    """A run of one look inside a line: `start:end` of the line's text."""

    start: int
    end: int
    size: float
    baseline: float
    raised: bool


class LeftOut(NamedTuple):
    """`start:end` of a line's text, and why it is not read."""

    start: int
    end: int
    reason: str


class Line(Struct, frozen=True):
    """A run of characters on one baseline. `text` is exactly the page's character stream from `source_offset` on."""

    text: str
    source_offset: int
    direction: tuple[float, float]
    x0: float
    y0: float
    x1: float
    y1: float
    baseline: float
    size: float
    bold: bool
    """Whether all of it is."""
    all_italic: bool
    mono: bool
    font: str
    color: int
    painted: bool
    styles: tuple[Style, ...]
    """Empty where all of it has one size and baseline."""
    box: Box
    left_out: tuple[LeftOut, ...] = ()
    """What of `text` is not read, in order."""
    accents: frozenset[int] = frozenset()
    """Places in `text` of accents that are drawn over the letter after them (as TeX sets "á")."""
    order: tuple[int, ...] = ()
    """The places in `text` in the order they are read, for right-to-left lines; empty: as they stand."""

    script: bool = False
    """Whether it goes on with the line before it, without a space: an exponent, an index, a note's mark; the word of an initial."""

    @property
    def height(self) -> float:
        return self.y1 - self.y0

    def leaving_out(self, more: Iterable[LeftOut]) -> Line:
        """The line, of which this is not read, either."""
        left_out = tuple(sorted({*self.left_out, *more}))
        return replace(self, left_out=left_out) if left_out != self.left_out else self


class PageText(NamedTuple):
    """The text of a page: its lines in the engine's order; `stream` is all their characters joined."""

    number: int
    label: str | None
    width: float
    height: float
    rotation: int
    stream: str
    lines: tuple[Line, ...]
    fills: tuple[Box, ...]
    """Where something was painted under or over the text; looked up only for pages with white or unpainted text."""
    paths: tuple[Box, ...]
    """All paths and images; looked up only for pages with white or unpainted text, or with the caption of a figure."""
    has_image: bool
    drawn: bool
    """Whether anything at all is painted on the page."""
    cut: bool = False
    """Whether part of its content is known to be lost (in a file that was repaired)."""


class OutlineEntry(NamedTuple):
    """A bookmark: `level` from 1, `page` 1-based (0 where it leads nowhere)."""

    level: int
    title: str
    page: int
