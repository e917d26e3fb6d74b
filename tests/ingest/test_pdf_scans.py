"""Type in the text layers of scans is measured from pictures, line by line, and read as what it was."""

from __future__ import annotations

from pathlib import Path

import pymupdf
import pytest
from making_pdfs import LEADING, MARGIN, Drawing

from ingest.pdf.parser import parse_pdf

LINES = (
    ("To record a sequence, press the two keys at", 9.0),
    ("once, then play on a keyboard in time to the", 9.1),
    ("CLICK OF THE TRACK OF THE FIRST BAR. ALL", 10.9),
    ("of it loops back around to the first bar and", 8.8),
    ("you will hear what was played before then.", 9.6),
)


def blocks(drawing: Drawing, folder: Path) -> list[tuple[str, str]]:
    document = parse_pdf(drawing.save(folder / "scan.pdf"), shown="scan.pdf")
    return [(block.role, block.span.slice(document.text)) for block in document.blocks]


def scan(*, painted: bool = False) -> Drawing:
    drawing = Drawing()
    picture = pymupdf.Pixmap(pymupdf.csGRAY, pymupdf.IRect(0, 0, 2, 2), 0)
    drawing.current.insert_image(drawing.current.rect, pixmap=picture, keep_proportion=False)
    for text, size in (("Recording", 14.0), *LINES):
        drawing.at(MARGIN, drawing.y, text, size=size, font="cour", render_mode=0 if painted else 3)
        drawing.y += LEADING if size < 14 else 2 * LEADING
    return drawing


def test_a_paragraph_whose_lines_were_measured_differently_is_one(tmp_path: Path) -> None:
    assert blocks(scan(), tmp_path) == [("heading", "Recording"), ("body", " ".join(text for text, _ in LINES))]


def test_a_line_of_no_size_in_a_text_layer_harms_nothing(tmp_path: Path) -> None:
    drawing = scan()
    for n, line in enumerate(("next to", "nothing")):
        drawing.at(MARGIN, 400 + 0.04 * n, line, size=0.04, font="cour", render_mode=3)
    assert blocks(drawing, tmp_path)[:2] == [("heading", "Recording"), ("body", " ".join(text for text, _ in LINES))]


def test_type_that_is_painted_has_the_size_it_has(tmp_path: Path) -> None:
    assert ("heading", LINES[2][0]) in blocks(scan(painted=True), tmp_path)


@pytest.mark.parametrize(("bullet", "role"), [("0", "body"), ("1", "heading")])
def test_a_bullet_read_as_nought_is_no_number_of_a_heading(tmp_path: Path, bullet: str, role: str) -> None:
    drawing = Drawing().line(f"{bullet} Sail before the tide turns.", size=13).space().lines([text for text, _ in LINES])
    assert blocks(drawing, tmp_path)[0][0] == role


def test_a_line_that_goes_on_with_a_dash_is_no_item_of_a_list(tmp_path: Path) -> None:
    lines = ["Any notes played are added into the track", "—existing notes are not erased by the new—", "and can be heard again."]
    drawing = Drawing()
    writer = pymupdf.TextWriter(drawing.current.rect)
    for n, line in enumerate(lines):
        writer.append((MARGIN, 80 + n * LEADING), line, font=pymupdf.Font("tiro"), fontsize=10)
    writer.write_text(drawing.current)
    assert blocks(drawing, tmp_path) == [("body", " ".join(lines))]
