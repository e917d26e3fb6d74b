"""Letters set wide apart are words; letters that stand for themselves stay apart."""

from __future__ import annotations

from pathlib import Path

import pytest
from making_pdfs import Drawing, read_back, squash

from ingest.models import Span
from ingest.pdf.parser import parse_pdf


def drawn(folder: Path, operators: str) -> Path:
    """A page with text set by PDF operators, in Helvetica (`/helv`)."""
    drawing = Drawing().at(-50, -50, "x", font="helv")
    page, document = drawing.current, drawing.document
    (first, *_) = page.get_contents()
    document.update_stream(first, document.xref_stream(first) + f"\nBT /helv 12 Tf 50 500 Td {operators} ET".encode())
    return drawing.save(folder / "spaced.pdf")


@pytest.mark.parametrize(
    ("operators", "text"),
    [
        ("6 Tc (ANNUAL REPORT) Tj", "ANNUAL REPORT"),
        ("3 Tc (Chapter One, 1984) Tj", "Chapter One, 1984"),
        ("(The word is set ) Tj 4 Tc (wide apart) Tj 0 Tc ( for its stress) Tj", "The word is set wide apart for its stress"),
        ("4 Tc [(HARBOUR) -600 (LOG)] TJ", "HARBOUR LOG"),
        ("(In the list a b c d e each letter is one) Tj", "In the list a b c d e each letter is one"),
        ("[(a) -1500 (b) -1500 (c) -1500 (d) -1500 (e) -1500 (f)] TJ", "a b c d e f"),
        ("(a) Tj 15 0 Td (b) Tj 15 0 Td (i) Tj 15 0 Td (m) Tj 15 0 Td (l) Tj 15 0 Td (w) Tj", "a b i m l w"),
        ("6 Tc (1 2) Tj 0 Tc ( 3 4 5) Tj", "1 2 3 4 5"),
    ],
    ids=[
        "a title",
        "a title with figures",
        "a word of a line",
        "no space but a wider gap",
        "spaces of its own",
        "too wide",
        "cells",
        "figures",
    ],
)
def test_letters_set_wide_apart_are_words(tmp_path: Path, operators: str, text: str) -> None:
    path = drawn(tmp_path, operators)
    document = parse_pdf(path, shown="spaced.pdf")
    seen = next(block.span for block in document.blocks if block.role != "hidden")
    assert " ".join(seen.slice(document.text).split()) == text
    assert squash(read_back(path, document, Span(seen.start, seen.end))) == squash(text)


def test_on_a_page_set_so_throughout_figures_are_close_too(tmp_path: Path) -> None:
    path = drawn(tmp_path, "2.6 Tc (HARBOUR ROAD 14) Tj 0 Tc 0 -14 Td (Scottsdale, AZ ) Tj 2.6 Tc (85254) Tj")
    text = parse_pdf(path, shown="spaced.pdf").text
    assert "HARBOUR ROAD 14" in text
    assert "Scottsdale, AZ 85254" in text


def test_a_space_that_is_not_read_is_no_exclusion(tmp_path: Path) -> None:
    document = parse_pdf(drawn(tmp_path, "6 Tc (ANNUAL REPORT) Tj"), shown="spaced.pdf")
    (page,) = document.pages
    assert "ANNUAL REPORT" in document.text
    assert [x.text for x in page.exclusions if x.reason == "letter spacing"] == []
