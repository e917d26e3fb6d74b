from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.models import SilentRange, Span
from pincite.cli.hits import paragraph
from pincite.cli.terminal import BOLD_END, BOLD_START, Style, colours, one_line, safe, table, wrapped


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[2Jgone", "\\x1b[2Jgone"),
        ("a\rb\r\nc", "a\nb\nc"),
        ("back\x08space", "back\\x08space"),
        ("\u202eevil", "\\u202eevil"),
        ("\x9b31m", "\\x9b31m"),
        ("lone \udcff", "lone \\udcff"),
        ("Grüße 🗒\tok\n", "Grüße 🗒\tok\n"),
    ],
)
def test_words_of_a_document_are_no_commands_to_the_terminal(text, shown):
    assert safe(text) == shown


@given(st.text())
def test_safe_text_can_be_printed_and_one_line_is_one(text):
    assert not any(ord(c) < 32 and c not in "\t\n" for c in safe(text))
    safe(text).encode()
    assert len(one_line(text).splitlines()) <= 1


def marked(content: str, start: int, end: int, silent=()) -> str:
    return paragraph(content, tuple(silent), Span(start, end)).replace(BOLD_START, "[").replace(BOLD_END, "]")


def test_the_match_is_shown_in_its_paragraph_alone():
    content = "First paragraph.\n\nBefore. The match. After\nit.\n\nLast."
    start = content.index("The match.")
    assert marked(content, start, start + 10) == "Before. [The match.] After it."


def test_a_match_over_two_paragraphs_shows_both():
    assert marked("One.\n\nTwo.\n\nThree.", 0, 10) == "[One. Two.]"


def test_silent_marks_are_not_shown():
    content = "The **bold** word."
    silent = [SilentRange(start=4, end=6), SilentRange(start=10, end=12)]
    assert marked(content, 4, 12, silent) == "The [bold] word."


def test_a_long_paragraph_is_cut_around_the_match():
    content = "word " * 900 + "MATCH" + " word" * 900
    shown = marked(content, content.index("MATCH"), content.index("MATCH") + 5)
    assert len(shown) < 1100
    assert shown.startswith("… ")
    assert shown.endswith(" …")
    assert "[MATCH]" in shown
    assert set(shown.split()) == {"…", "word", "[MATCH]"}


def test_a_match_is_bold_and_coloured_on_a_terminal_and_in_stars_elsewhere():
    assert Style(on=False).marked(wrapped(f"a {BOLD_START}b{BOLD_END}")) == "   a **b**"
    assert Style(on=True).marked(f"{BOLD_START}b{BOLD_END}") == "\x1b[1;33mb\x1b[22;39m"


def test_there_are_no_colours_on_a_file():
    assert not colours(io.StringIO())


def test_a_table_is_aligned_and_holds_one_row_a_line():
    lines = table([{"name": "a\nb", "n": "1"}, {"name": "c", "n": "10"}], right=frozenset({"n"}))
    assert lines == ["name   n", "a\\nb   1", "c     10"]
