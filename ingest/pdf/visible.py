"""Which lines of a page a reader sees, which are there twice, and which nobody sees. Pure functions."""

from __future__ import annotations

from collections import defaultdict

from ingest.models import Box
from ingest.pdf.page import Line, PageText

_WHITE = 0xFFFFFF
_LEAST_SIZE = 1.0
"""Points; smaller type can't be seen."""
_OCR_COVER = 0.5
"""An unpainted line over images that cover this part of the page is a scan's text layer, not hidden text."""


def sort_lines(page: PageText) -> tuple[list[Line], list[Line], list[Line], bool]:
    """(lines that are read, lines nobody sees, lines struck again over themselves, whether the page has a scan's text layer)."""
    seen: list[Line] = []
    hidden: list[Line] = []
    unpainted = [line for line in page.lines if not line.painted]
    ocr = bool(unpainted) and page.has_image and _covered(page) >= _OCR_COVER
    for line in page.lines:
        if _is_hidden(line, page) and not (ocr and not line.painted):
            hidden.append(line)
        else:
            seen.append(line)
    seen, doubled = _without_doubles(seen)
    return seen, hidden, doubled, ocr


def _is_hidden(line: Line, page: PageText) -> bool:
    seen = line.painted and line.size >= _LEAST_SIZE and not _off_page(line.box, page)
    if seen and line.color != _WHITE:
        return False
    return bool(line.text.strip()) and not (seen and any(_inside(line.box, fill) for fill in page.fills))


def _off_page(box: Box, page: PageText) -> bool:
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    return not (-1 <= x <= page.width + 1 and -1 <= y <= page.height + 1)


def _inside(box: Box, fill: Box) -> bool:
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    return fill[0] <= x <= fill[2] and fill[1] <= y <= fill[3]


def _covered(page: PageText) -> float:
    """The largest painted area as a part of the page."""
    area = page.width * page.height
    return max(((f[2] - f[0]) * (f[3] - f[1]) for f in page.fills), default=0.0) / area if area else 0.0


def _without_doubles(lines: list[Line]) -> tuple[list[Line], list[Line]]:
    """Fake bold and shadows strike a line again a little beside itself: the first one stays."""
    kept: list[Line] = []
    doubled: list[Line] = []
    by_text: dict[str, list[Line]] = defaultdict(list)
    for line in lines:
        others = by_text[line.text]
        if others and line.text.strip() and any(_is_over(line, other) for other in others):
            doubled.append(line)
        else:
            others.append(line)
            kept.append(line)
    return kept, doubled


def _is_over(line: Line, other: Line) -> bool:
    near = 0.15 * line.size + 0.5
    return abs(line.x0 - other.x0) < near and abs(line.baseline - other.baseline) < near and line.direction == other.direction
