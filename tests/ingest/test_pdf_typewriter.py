"""Type of one width is code only where the document is set in another type."""

from __future__ import annotations

from pathlib import Path

import pymupdf
from making_pdfs import Drawing

from ingest.pdf.parser import parse_pdf

PARAGRAPH = (
    "The plaintiff brought this action in the spring,",
    "after the keeper of the lock had re-",
    "calibrated the gauge without notice to anyone.",
)
CODE = ("def lock(gate, level):", "if gate.open and level > 3.2:", 'return {"gate": gate.id, "ok": False}')


def roles(drawing: Drawing, folder: Path) -> list[tuple[str, str]]:
    document = parse_pdf(drawing.save(folder / "typed.pdf"), shown="typed.pdf")
    return [(block.role, block.span.slice(document.text)) for block in document.blocks]


def test_a_typescript_has_headings_paragraphs_and_words_over_line_ends(tmp_path: Path) -> None:
    drawing = Drawing().line("I. INTRODUCTION", font="cobo").space().lines(PARAGRAPH, font="cour")
    drawing.space().line("II. FACTS OF THE CASE", font="cobo").space().lines(PARAGRAPH, font="cour")
    text = " ".join(PARAGRAPH).replace("re- calibrated", "recalibrated")
    assert roles(drawing, tmp_path) == [
        ("heading", "I. INTRODUCTION"),
        ("body", text),
        ("heading", "II. FACTS OF THE CASE"),
        ("body", text),
    ]


def test_dots_to_the_page_number_are_left_out_of_a_typescript(tmp_path: Path) -> None:
    drawing = Drawing().lines(PARAGRAPH * 3, font="cour").space().line("The Lock and its Keeper ........ 3", font="cour")
    role, text = roles(drawing, tmp_path)[-1]
    assert (role, text.split()) == ("list", ["The", "Lock", "and", "its", "Keeper", "3"])


def test_code_in_a_typescript_stays_line_by_line(tmp_path: Path) -> None:
    drawing = Drawing().lines(PARAGRAPH * 4, font="cour").space().lines(CODE, font="cour")
    assert roles(drawing, tmp_path)[-1] == ("code", "\n".join(CODE))


def test_a_listing_all_in_type_of_one_width_is_code(tmp_path: Path) -> None:
    drawing = Drawing().lines(CODE * 8, font="cour").space().lines(PARAGRAPH, font="cour")
    assert {role for role, _ in roles(drawing, tmp_path)} == {"code"}


def test_what_reads_like_sentences_is_code_where_the_document_is_set_in_another_type(tmp_path: Path) -> None:
    drawing = Drawing().lines(PARAGRAPH * 4).space().lines(PARAGRAPH, font="cour")
    assert roles(drawing, tmp_path)[-1] == ("code", "\n".join(PARAGRAPH))


def test_the_text_layer_of_a_scan_is_no_code_whatever_its_font(tmp_path: Path) -> None:
    drawing = Drawing().lines(PARAGRAPH, font="cour", render_mode=3).lines(CODE * 3, font="cour", render_mode=3)
    picture = pymupdf.Pixmap(pymupdf.csGRAY, pymupdf.IRect(0, 0, 2, 2), 0)
    drawing.current.insert_image(drawing.current.rect, pixmap=picture, keep_proportion=False)
    assert "code" not in {role for role, _ in roles(drawing, tmp_path)}
