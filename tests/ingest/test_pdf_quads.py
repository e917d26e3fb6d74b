"""The rectangles of a quote: they hold its characters and no others."""

from __future__ import annotations

import math
from pathlib import Path

import pymupdf
import pytest
from making_pdfs import Drawing, read_back, squash

from ingest.models import ParsedDocument, Span
from ingest.pdf.layout import row_of
from ingest.pdf.page import Line
from ingest.pdf.parser import parse_pdf
from ingest.pdf.quads import locate
from ingest.pdf.tables import cells_of


def quote(document: ParsedDocument, words: str) -> Span:
    at = document.text.index(words)
    return Span(at, at + len(words))


def line(text: str, x0: float, x1: float) -> Line:
    return Line(
        text=text, source_offset=0, direction=(1, 0), x0=x0, y0=70, x1=x1, y1=80, baseline=78, size=10, bold=False,
        all_italic=False, mono=False, font="", color=0, painted=True, styles=(), box=(x0, 70, x1, 80),
    )  # fmt: skip


def in_a_font_of_high_boxes(path: Path) -> Path:
    """Three lines of a Type 3 font whose boxes are six times as high as its letters."""
    made = pymupdf.open()
    page = made.new_page(width=300, height=200)

    def added(definition: str, stream: bytes | None = None) -> str:
        number = made.get_new_xref()
        made.update_object(number, definition)
        if stream is not None:
            made.update_stream(number, stream, new=True)
        return f"{number} 0 R"

    letter = added("<<>>", b"1000 0 0 0 750 750 d1 0 0 600 700 re f")
    font = added(
        "<</Type/Font/Subtype/Type3/FontBBox[0 -3000 1000 3000]/FontMatrix[0.001 0 0 0.001 0 0]/Resources<<>>"
        f"/CharProcs<</a {letter}/b {letter}>>/Encoding<</Type/Encoding/Differences[97/a/b]>>"
        "/FirstChar 97/LastChar 98/Widths[1000 1000]>>"
    )
    lines = b" ".join(b"1 0 0 1 40 %d Tm (%s) Tj" % (100 - 12 * n, text) for n, text in enumerate([b"abba", b"baab", b"aabb"]))
    made.xref_set_key(page.xref, "Resources", f"<</Font<</F1 {font}>>>>")
    made.xref_set_key(page.xref, "Contents", added("<<>>", b"BT /F1 10 Tf " + lines + b" ET"))
    path.write_bytes(made.tobytes())
    return path


def test_a_font_that_states_boxes_several_lines_high_takes_in_no_other_line(tmp_path: Path) -> None:
    path = in_a_font_of_high_boxes(tmp_path / "high.pdf")
    document = parse_pdf(path, shown="high.pdf")
    for words in ("abba", "baab", "aabb"):
        assert read_back(path, document, quote(document, words)) == words


@pytest.mark.parametrize("degrees", [0.2, -0.8, 3.0])
def test_a_line_that_leans_is_read_back_whole(tmp_path: Path, degrees: float) -> None:
    drawing = Drawing()
    turn = (pymupdf.Point(60, 300), pymupdf.Matrix(degrees))
    drawing.at(60, 300, "The scan lies a little askew.", morph=turn)
    path = drawing.save(tmp_path / "askew.pdf")
    document = parse_pdf(path, shown="askew.pdf")
    assert squash(read_back(path, document, quote(document, "lies a little"))) == "liesalittle"


def test_the_quad_of_a_leaning_line_leans_as_the_line_does(tmp_path: Path) -> None:
    path = Drawing().at(60, 300, "Leaning words.", morph=(pymupdf.Point(60, 300), pymupdf.Matrix(10))).save(tmp_path / "a.pdf")
    document = parse_pdf(path, shown="a.pdf")
    with pymupdf.open(path) as made:
        (quad,) = locate(made, document.pages, quote(document, "Leaning words."), shown="a.pdf")[1]
        ((cos, sin),) = {line["dir"] for block in made[0].get_text("dict")["blocks"] for line in block["lines"]}
    along, down = quad.ur - quad.ul, quad.ll - quad.ul
    assert math.isclose(along.x * down.x + along.y * down.y, 0, abs_tol=1e-3)
    assert math.isclose(math.atan2(along.y, along.x), math.atan2(sin, cos), abs_tol=0.03)


def test_no_quad_lies_over_what_stands_between_the_words_but_is_not_of_the_text(tmp_path: Path) -> None:
    drawing = Drawing().at(50, 80, "The summit is high").at(130, 76, "12", size=6).at(138, 80, "above the level of the sea.")
    for n in range(6):
        drawing.at(50, 100 + 14 * n, f"Line {n} of an ordinary paragraph that goes on and on.")
    drawing.at(50, 560, "12 A note on heights.", size=7)
    path = drawing.save(tmp_path / "marks.pdf")
    document = parse_pdf(path, shown="marks.pdf")
    whole = document.text[: document.text.index("sea.") + 4]
    assert squash(read_back(path, document, quote(document, whole))) == squash(whole)


def test_a_small_mark_over_words_beside_a_large_letter_is_read_back_once(tmp_path: Path) -> None:
    drawing = Drawing().at(50, 100, "S", size=30).at(72, 100, "um of all the numbers").at(140, 87, "k", size=6)
    path = drawing.save(tmp_path / "sum.pdf")
    document = parse_pdf(path, shown="sum.pdf")
    assert squash(read_back(path, document, Span(0, len(document.text)))) == squash(document.text)


def test_a_table_cell_whose_characters_have_no_width_is_in_its_column() -> None:
    wide, narrow = line("amount", 50, 90), line("|", 150, 150)
    rows = [row_of([wide, narrow], 0)]
    assert [[cell[0].text for cell in cells] for cells in cells_of(rows)] == [["amount", "|"]]
