"""Initials are read at the head of the text they begin."""

from __future__ import annotations

from pathlib import Path

import pymupdf
import pytest
from making_pdfs import Drawing, read_back, squash

from ingest.models import Span
from ingest.pdf.parser import parse_pdf

REST = ("that were dug before the flood of", "nineteen-twelve, and kept since then.")


def dropped(initial: str, first: str) -> Drawing:
    """An initial of two lines' height."""
    x = 54 + pymupdf.get_text_length(initial, "tiro", 30)
    drawing = Drawing().at(50, 114.5, initial, size=30).at(x, 100, first).at(x, 114, REST[0]).at(50, 128, REST[1])
    return drawing.at(50, 200, "Lock by lock the keeper went; the gates of each lock were old.")


@pytest.mark.parametrize(
    ("initial", "first", "text"),
    [
        ("S", "calable locks were those", "Scalable locks were those"),
        ("A", "lock is one of those", "A lock is one of those"),
        ("A", "LL LOCKS are of those", "ALL LOCKS are of those"),
        ("I", "n the lock are those", "In the lock are those"),
    ],
    ids=["part of a word", "a word", "part of a word in capitals", "part of a word, though a word itself"],
)
def test_a_dropped_initial_begins_its_text(tmp_path: Path, initial: str, first: str, text: str) -> None:
    path = dropped(initial, first).save(tmp_path / "initial.pdf")
    document = parse_pdf(path, shown="initial.pdf")
    whole = " ".join([text, *REST])
    assert document.text.startswith(whole)
    assert squash(read_back(path, document, Span(0, len(whole)))) == squash(whole)


def test_a_raised_initial_begins_its_word(tmp_path: Path) -> None:
    path = Drawing().at(50, 100, "S", size=30).at(68, 100, "calable locks were those").save(tmp_path / "raised.pdf")
    assert parse_pdf(path, shown="raised.pdf").text == "Scalable locks were those"


def test_a_large_letter_above_a_text_stands_for_itself(tmp_path: Path) -> None:
    path = Drawing().at(50, 100, "L", size=30).at(50, 130, "lock, gate, weir").save(tmp_path / "letter.pdf")
    assert parse_pdf(path, shown="letter.pdf").text.split() == ["L", "lock,", "gate,", "weir"]


def test_letters_all_over_a_page_are_no_initials(tmp_path: Path) -> None:
    drawing = Drawing()
    for n in range(40):
        drawing.at(50, 40 + 13 * n, "S", size=12).at(62, 40 + 13 * n, f"calable {n} of the locks that we know", size=6)
    text = parse_pdf(drawing.save(tmp_path / "letters.pdf"), shown="letters.pdf").text
    assert "Scalable" not in text
    assert text.count("calable") == 40
