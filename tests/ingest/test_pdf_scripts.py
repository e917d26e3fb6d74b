"""Exponents and indices that a PDF draws apart are read on their line, and quoted from it."""

from __future__ import annotations

from pathlib import Path

import pytest
from making_pdfs import Drawing, read_back, squash

from ingest.models import Span
from ingest.pdf.parser import parse_pdf


def over_a_gap() -> Drawing:
    return Drawing().at(50, 100, "a  + b  = c", size=14).at(58, 94, "2", size=9).at(82, 94, "2", size=9)


def after_its_letter() -> Drawing:
    return Drawing().at(50, 100, "x", size=14).at(66, 100, "= y", size=14).at(57.5, 94, "n", size=9)


def below_its_letters() -> Drawing:
    drawing = Drawing().at(50, 100, "h", size=14).at(64.5, 100, "k = 1", size=14)
    return drawing.at(58.2, 103, "0", size=9).at(72, 103, "1", size=9)


@pytest.mark.parametrize(
    ("drawing", "text"),
    [(over_a_gap(), "a² + b² = c"), (after_its_letter(), "xn = y"), (below_its_letters(), "h₀ k₁ = 1")],
)
def test_a_script_that_is_drawn_apart_is_read_after_its_letter_and_read_back(tmp_path: Path, drawing: Drawing, text: str) -> None:
    path = drawing.save(tmp_path / "formula.pdf")
    document = parse_pdf(path, shown="formula.pdf")
    assert document.text == text
    assert squash(read_back(path, document, Span(0, len(text)))) == squash(text)


@pytest.mark.parametrize(
    ("x", "y", "words"),
    [(60.0, 94, "2"), (57.5, 80, "2"), (57.5, 94, "a note in the margin")],
    ids=["farther to the right", "far above", "a line of small type"],
)
def test_small_type_elsewhere_is_no_script(tmp_path: Path, x: float, y: float, words: str) -> None:
    path = Drawing().at(50, 100, "x", size=14).at(x + 4, y, words, size=9).save(tmp_path / "apart.pdf")
    assert "x" in parse_pdf(path, shown="apart.pdf").text.split()


def test_columns_of_short_paragraphs_under_titles_and_formulas_are_read_one_after_the_other(tmp_path: Path) -> None:
    drawing = Drawing()
    for side, x in (("left", 50), ("right", 320)):
        for n in range(3):
            top = 100 + 170 * n
            drawing.at(x, top, f"{n + 1}. A title on the {side}", size=13).at(x + 90, top + 40, "e = mc", size=14)
            for line in range(3):
                words = "which was then the better known of the two" if line else f"The {side} side tells of matter and of light"
                drawing.at(x, top + 80 + 12 * line, words, size=10.8)
    text = parse_pdf(drawing.save(tmp_path / "columns.pdf"), shown="columns.pdf").text
    assert text.rindex("left side") < text.index("right side")
