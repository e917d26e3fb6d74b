"""What stands apart on a page: side notes, words in figures; vertical text; what a damaged file has lost."""

from __future__ import annotations

import re
from pathlib import Path

import pymupdf
import pytest
from making_pdfs import Drawing, read_back, squash

from ingest.models import Block, ParsedDocument
from ingest.pdf.parser import parse_pdf

TEXT = (
    "The pump is started by hand and runs until the upper float switch",
    "opens. It must not be started again before the lower switch has",
    "closed, since the motor is cooled by the water it stands in and",
    "would burn out in a dry sump within a few minutes of running.",
    "Where two pumps share a sump they are started in turn, and the",
    "panel counts the starts of each so that wear is spread evenly.",
    "The counts are written down on the first of the month, and the",
    "sheet is sent to the office with the meter readings.",
)


def read(drawing: Drawing, folder: Path) -> ParsedDocument:
    return parse_pdf(drawing.save(folder / "made.pdf"), shown="made.pdf")


def texts(parsed: ParsedDocument, role: str) -> list[str]:
    return [block.span.slice(parsed.text) for block in parsed.blocks if block.role == role]


@pytest.mark.parametrize(("note_x", "text_x"), [(40, 130), (350, 40)])
def test_a_side_note_is_an_aside_and_leaves_the_paragraph_whole(tmp_path: Path, note_x: float, text_x: float) -> None:
    drawing = Drawing().heading("1 Pumps")
    top = drawing.y
    drawing.lines(TEXT, x=text_x)
    for n, line in enumerate(("Never start", "the pump dry:", "see page 9.")):
        drawing.at(note_x, top + 28 + 9 * n, line, size=7.5)
    parsed = read(drawing, tmp_path)
    assert texts(parsed, "body") == [" ".join(TEXT)]
    assert texts(parsed, "aside") == ["Never start the pump dry: see page 9."]


def test_hanging_numbers_and_the_outer_cells_of_a_wide_table_are_no_side_notes(tmp_path: Path) -> None:
    drawing = Drawing()
    for n, line in enumerate(TEXT):
        drawing.at(60, drawing.y, str(n + 1), size=7).line(line, x=90)
    drawing.space(20)
    for name, value in (("Pump", "Starts"), ("Station A", "211"), ("Station B", "198")):
        drawing.at(40, drawing.y, name, size=8).line(value, x=200, size=8)
    assert not texts(read(drawing, tmp_path), "aside")


def test_a_box_amid_a_paragraph_is_an_aside_after_it(tmp_path: Path) -> None:
    drawing = Drawing().lines(TEXT[:3]).space(8)
    drawing.current.draw_rect(pymupdf.Rect(80, drawing.y - 14, 300, drawing.y + 36))
    drawing.lines(("Water in the motor is live while the", "panel is on. Isolate it first, and", "wait five minutes."), x=90)
    parsed = read(drawing.space(14).lines(TEXT[3:]), tmp_path)
    assert texts(parsed, "body") == [" ".join(TEXT)]
    assert texts(parsed, "aside") == ["Water in the motor is live while the panel is on. Isolate it first, and wait five minutes."]


def test_a_displayed_formula_or_a_quotation_stays_where_it_stands(tmp_path: Path) -> None:
    drawing = Drawing().lines((*TEXT[:2], "closed. The time that it takes for the sump to fill is")).space(8)
    drawing.line("t = V / Q", x=150).space(8).lines(
        ("where V is the volume between the switches and Q the inflow", "of water. He says,")
    )
    drawing.space(8).lines(("It runs dry in a minute, and it", "burns out."), x=90).space(8).line("and he knows.")
    parsed = read(drawing, tmp_path)
    assert not texts(parsed, "aside")
    assert parsed.text.index("t = V / Q") < parsed.text.index("where V is") < parsed.text.index("It runs dry")


def chart(drawing: Drawing) -> Drawing:
    page, top = drawing.current, drawing.y + 10
    page.draw_line((100, top), (100, top + 120))
    page.draw_line((100, top + 120), (320, top + 120))
    for i in range(5):
        page.draw_line((97, top + 120 - i * 25), (100, top + 120 - i * 25))
        drawing.at(80, top + 123 - i * 25, str(i * 10), size=7).at(96 + i * 50, top + 132, str(2000 + i), size=7)
    page.draw_polyline([(100, top + 100), (150, top + 60), (200, top + 80), (250, top + 20), (300, top + 30)])
    drawing.at(180, top + 145, "Year of measurement", size=8).at(210, top + 15, "Station A", size=8)
    return drawing.space(165)


def test_words_in_a_figure_are_no_text_of_the_page(tmp_path: Path) -> None:
    drawing = chart(Drawing().lines(TEXT[:5])).line("Figure 1. Starts of each pump in a year.", size=9)
    parsed = read(drawing.space().lines(TEXT[5:]), tmp_path)
    assert texts(parsed, "body") == [" ".join(TEXT)]
    assert texts(parsed, "caption") == ["Figure 1. Starts of each pump in a year."]
    words = " ".join(texts(parsed, "aside"))
    assert "Year of measurement" in words
    assert "Station A" in words
    assert "2000 2001 2002 2003 2004" in words


def test_a_drawing_without_a_caption_keeps_its_words_in_the_text(tmp_path: Path) -> None:
    parsed = read(chart(Drawing().lines(TEXT[:5])).lines(TEXT[5:]), tmp_path)
    assert not texts(parsed, "aside")
    assert "Station A" in parsed.text


def vertical(columns: tuple[str, ...], path: Path) -> Path:
    """A page set in vertical writing mode, column by column from the right."""
    document = pymupdf.open()
    page = document.new_page(width=300, height=400)
    page.insert_text((0, 0), " ")
    descriptor, descendant, font, content = (document.get_new_xref() for _ in range(4))
    document.update_object(
        descriptor,
        "<</Type/FontDescriptor/FontName/Mincho/Flags 4/FontBBox[0 -200 1000 900]/ItalicAngle 0/Ascent 880/Descent -120"
        "/CapHeight 700/StemV 80>>",
    )
    document.update_object(
        descendant,
        "<</Type/Font/Subtype/CIDFontType0/BaseFont/Mincho/CIDSystemInfo<</Registry(Adobe)/Ordering(Japan1)/Supplement 2>>"
        f"/FontDescriptor {descriptor} 0 R/DW 1000>>",
    )
    encoding = f"/Encoding/UniJIS-UCS2-V/DescendantFonts[{descendant} 0 R]"
    document.update_object(font, f"<</Type/Font/Subtype/Type0/BaseFont/Mincho{encoding}>>")
    document.xref_set_key(page.xref, "Resources", f"<</Font<</F1 {font} 0 R>>>>")
    shown = [f"BT /F1 12 Tf 1 0 0 1 {250 - 20 * n} 350 Tm <{c.encode('utf-16-be').hex()}> Tj ET" for n, c in enumerate(columns)]
    document.update_object(content, "<<>>")
    document.update_stream(content, "\n".join(shown).encode())
    page.set_contents(content)
    path.write_bytes(document.tobytes(no_new_id=True))
    return path


def test_vertical_text_is_read_from_the_right_without_invented_spaces(tmp_path: Path) -> None:
    columns = ("縦書きの文章は右から左", "へ読まれる。二行目は続", "きである。三つ目の行。")
    path = vertical(columns, tmp_path / "vertical.pdf")
    parsed = parse_pdf(path, shown="vertical.pdf")
    assert parsed.text == "".join(columns)
    whole: Block = parsed.blocks[0]
    assert squash(read_back(path, parsed, whole.span)) == squash(parsed.text)


def damaged(tmp_path: Path, number: int) -> ParsedDocument:
    """Four pages of three lines, the table of objects broken, and one object of the second page lost: 0 is the page itself."""
    drawing = Drawing()
    for n in range(1, 5):
        drawing.lines([f"Page {n} says what the others do not say, in a line of text."] * 3)
        if n < 4:
            drawing.page()
    raw = drawing.document.tobytes(no_new_id=True)
    with pymupdf.open(stream=raw) as document:
        lost = [document[1].xref, *document[1].get_contents()][number]
    path = tmp_path / "damaged.pdf"
    path.write_bytes(re.sub(rb"\n%d 0 obj" % lost, b"\n99 0 obj", raw.replace(b"startxref", b"startxxxx")))
    return parse_pdf(path, shown="damaged.pdf")


@pytest.mark.parametrize(("lost", "said"), [(0, "nothing could be read of page 2"), (1, "not all could be read of page 2")])
def test_what_a_repaired_file_has_lost_is_named(tmp_path: Path, lost: int, said: str) -> None:
    parsed = damaged(tmp_path, lost)
    (notice,) = parsed.warnings
    assert said in notice.reason
    assert notice.pages == (2,)
    assert parsed.cautions == ("repaired_file",)
    assert len(parsed.pages) == 4
    assert "Page 3 says" in parsed.text
