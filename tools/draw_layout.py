"""Pages as pictures with what was read painted on: blocks in reading order, headings, asides, exclusions.

python tools/draw_layout.py FILE.pdf OUT_FOLDER [PAGE …]
"""

from __future__ import annotations

import sys
from pathlib import Path

import pymupdf

from ingest.pdf.parser import parse_pdf
from ingest.pdf.quads import locate

COLOURS = {"heading": (0.8, 0, 0), "body": (0, 0.3, 0.9), "list": (0, 0.6, 0.6), "table": (0.5, 0, 0.7), "code": (0.4, 0.4, 0)}
ASIDE, EXCLUDED = (0.9, 0.5, 0), (0.5, 0.5, 0.5)


def draw(path: Path, out: Path, numbers: list[int]) -> list[Path]:
    """Writes one picture a page; returns the files."""
    parsed = parse_pdf(path, shown=path.name)
    out.mkdir(parents=True, exist_ok=True)
    written = []
    with pymupdf.open(path) as document:
        for number in numbers or [page.number for page in parsed.pages]:
            page, record = document[number - 1], parsed.pages[number - 1]
            places = [locate(document, [record], block.span, shown=path.name).get(number, []) for block in parsed.blocks]
            for order, (block, quads) in enumerate(zip(parsed.blocks, places, strict=True), start=1):
                colour = COLOURS.get(block.role, ASIDE)
                for quad in quads:
                    page.draw_quad(quad, color=colour, fill=colour, fill_opacity=0.12, width=0.4)
                if quads:
                    label = f"{order} {block.role}{f' L{block.level}' if block.level else ''}"
                    page.insert_text(quads[0].ul * page.derotation_matrix, label, fontsize=6, color=colour)
            for exclusion in record.exclusions:
                page.draw_rect(pymupdf.Rect(exclusion.box), color=EXCLUDED, dashes="[2] 0")
            picture = out / f"{path.stem}-{number}.png"
            page.get_pixmap(dpi=80).save(picture)
            written.append(picture)
    return written


if __name__ == "__main__":
    for made in draw(Path(sys.argv[1]), Path(sys.argv[2]), [int(n) for n in sys.argv[3:]]):
        print(made)
