"""Pictures of pages with a quote highlighted, as PNG. The boxes are those of the citation record: what is drawn is what it says."""

from __future__ import annotations

from collections.abc import Sequence

import pymupdf

from ingest.pdf.engine import translated
from query.record import PageBoxes

YELLOW = (1.0, 0.88, 0.3)
_LONGEST_SIDE = 4000
"""Pixels; a page that would be larger is drawn at a lower resolution."""


def picture(document: pymupdf.Document, place: PageBoxes, *, dpi: int = 110, colour: Sequence[float] = YELLOW) -> bytes:
    """The whole page of `place` with its boxes highlighted. The document is the same afterwards."""
    with translated(document.name or "document"):
        page = document[place.page - 1]
        mark = page.add_highlight_annot(quads=[pymupdf.Rect(box).quad for box in place.boxes])
        mark.set_colors(stroke=colour)
        mark.update()
        try:
            return _drawn(page, dpi)
        finally:
            page.delete_annot(mark)


def plain_picture(document: pymupdf.Document, number: int, *, dpi: int = 110) -> bytes:
    """The whole page as it is."""
    with translated(document.name or "document"):
        return _drawn(document[number - 1], dpi)


def _drawn(page: pymupdf.Page, dpi: int) -> bytes:
    dpi = max(1, min(dpi, int(_LONGEST_SIDE * 72 / max(page.rect.width, page.rect.height, 1))))
    return bytes(page.get_pixmap(dpi=dpi, alpha=False).tobytes("png"))
