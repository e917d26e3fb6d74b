"""The account of a page's characters: in the text, in an exclusion, or lost."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from making_pdfs import Drawing

from ingest.models import ParsedDocument
from ingest.pdf.account import accounts
from ingest.pdf.parser import parse_pdf


@pytest.fixture
def path(tmp_path: Path) -> Path:
    drawing = Drawing()
    for number in range(3):
        if number:
            drawing.page()
        drawing.at(50, 30, "HARBOUR BYE-LAWS", size=8)
        drawing.lines(["The gauge was recali-", f"brated twice before storm {number}."])
    return drawing.save(tmp_path / "made.pdf")


@pytest.fixture
def document(path: Path) -> ParsedDocument:
    return parse_pdf(path, shown="made.pdf")


def test_every_character_is_in_the_text_or_in_an_exclusion_but_for_a_hyphen_that_was_undone(path, document):
    for found in accounts(path, document.pages, shown="made.pdf"):
        assert (found.in_text, found.excluded) == (len("Thegaugewasrecalibratedtwicebeforestorm0."), len("HARBOURBYE-LAWS"))
        assert (found.on_page, found.lost, found.other) == (found.in_text + found.excluded, "", False)


def test_what_is_in_neither_is_lost_and_named(path, document):
    first = replace(document.pages[0], exclusions=())
    found, *_ = accounts(path, (first,), shown="made.pdf")
    assert found.lost == "HARBOURBYE-LAWS"
    assert found.in_text + found.excluded == found.on_page - len(found.lost)


def test_a_page_with_other_characters_than_at_ingest_is_told_and_not_counted(path, document):
    changed = replace(document.pages[0], fingerprint="0" * 64)
    found, *_ = accounts(path, (changed,), shown="made.pdf")
    assert (found.other, found.on_page) == (True, 0)
