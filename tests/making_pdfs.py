"""Small PDFs for the tests, drawn line by line so that a test knows what stands where."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from pathlib import Path

import pymupdf

from ingest.models import Page, ParsedDocument, Span
from ingest.pdf.quads import locate

WIDTH, HEIGHT, MARGIN, LEADING = 420.0, 595.0, 50.0, 14.0


class Drawing:
    """A PDF in the making: `line` draws at the pen and moves it down; `page` begins another page."""

    def __init__(self) -> None:
        self.document = pymupdf.open()
        self.page()

    def page(self) -> Drawing:
        self.current = self.document.new_page(width=WIDTH, height=HEIGHT)
        self.y = 80.0
        return self

    def at(self, x: float, y: float, text: str, *, size: float = 10, font: str = "tiro", **style: object) -> Drawing:
        self.current.insert_text((x, y), text, fontsize=size, fontname=font, **style)
        return self

    def line(self, text: str, *, size: float = 10, font: str = "tiro", x: float = MARGIN, **style: object) -> Drawing:
        self.at(x, self.y, text, size=size, font=font, **style)
        self.y += LEADING * size / 10
        return self

    def lines(self, texts: Iterable[str], **style: object) -> Drawing:
        for text in texts:
            self.line(text, **style)  # type: ignore[arg-type]
        return self

    def space(self, points: float = 12) -> Drawing:
        self.y += points
        return self

    def heading(self, text: str, *, size: float = 14) -> Drawing:
        return self.space(10).line(text, size=size, font="hebo").space(4)

    def save(self, path: Path) -> Path:
        path.write_bytes(self.document.tobytes(no_new_id=True))
        return path


def read_back(path: Path, parsed: ParsedDocument, span: Span) -> str:
    """The text that PyMuPDF finds inside the rectangles of a span, page after page."""
    touched = {run.page for run in parsed.page_map if run.start < span.end and run.end > span.start}
    out = ""
    with pymupdf.open(path) as document:
        quads = locate(document, [page for page in parsed.pages if page.number in touched], span, shown=path.name)
        for number in sorted(quads):
            characters = [
                (c["c"], (pymupdf.Rect(c["bbox"]).tl + pymupdf.Rect(c["bbox"]).br) / 2)
                for block in document[number - 1].get_text("rawdict", flags=0)["blocks"]
                for line in block.get("lines", [])
                for s in line["spans"]
                for c in s["chars"]
            ]
            for quad in quads[number]:
                out += "".join(c for c, middle in characters if quad.rect.contains(middle))
    return out


def squash(text: str) -> str:
    """As invariant 7 compares: NFKC, without white space, hyphens and zero-width characters."""
    text = unicodedata.normalize("NFKC", text)
    return "".join(c for c in text if not c.isspace() and c not in "-\u00ad\u2010\u2011\u200b\ufeff")


def accounted(page: Page, stream: str) -> Sequence[str]:
    """Characters of the page's stream that are neither in the canonical text nor in an exclusion, white space and hyphens aside."""
    known = set()
    for run in page.runs:
        known.update(range(run.source_offset, run.source_offset + run.length))
    for exclusion in page.exclusions:
        known.update(range(exclusion.source_offset, exclusion.source_offset + exclusion.length))
    return [c for i, c in enumerate(stream) if i not in known and not c.isspace() and c not in "-\u00ad\u2010"]
