"""Plain text -> paragraphs."""

from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.plaintext import parse_text

UNHURRIED = settings(deadline=None)
ANY_TEXT = st.text(st.one_of(st.sampled_from("ab.#- \t\n\r\f\x85\u2028\u00ad\u200b"), st.characters(exclude_categories=["Cs"])))


def slices(text: str) -> list[str]:
    return [b.span.slice(text) for b in parse_text(text, encoding="utf-8").blocks]


def test_blank_lines_part_paragraphs_whatever_the_line_ends() -> None:
    assert slices("One\r\ntwo.\r\n \t\r\n  Three.\r\rFour.\n\n\n") == ["One\r\ntwo.", "Three.", "Four."]


def test_form_feed_nel_and_line_separator_end_no_line() -> None:
    assert slices("a\x0c\x0cb\u2028\u2028c\x85\x85d") == ["a\x0c\x0cb\u2028\u2028c\x85\x85d"]


def test_lines_that_look_like_headings_lists_or_logs_stay_in_their_paragraph() -> None:
    text = "# not a heading\n- one\n- two\n2026-11-30 12:00 INFO started"
    (block,) = parse_text(text, encoding="utf-8").blocks
    assert (block.span.slice(text), block.role, block.level) == (text, "body", None)


def test_the_text_and_its_encoding_are_kept_and_soft_hyphens_are_silent() -> None:
    parsed = parse_text("Was\u00adser", encoding="cp1252")
    assert (parsed.text, parsed.encoding, parsed.format, parsed.parser) == ("Was\u00adser", "cp1252", "text", "plain text")
    assert [(r.start, r.end) for r in parsed.silent] == [(3, 4)]


def test_a_text_of_white_space_has_no_block() -> None:
    assert slices(" \r\n\t\x0c\n") == []


@UNHURRIED
@given(ANY_TEXT)
def test_blocks_are_in_order_and_hold_every_character_that_is_no_white_space(text: str) -> None:
    parsed = parse_text(text, encoding=None)
    at = 0
    for block in parsed.blocks:
        assert not text[at : block.span.start].strip()
        held = block.span.slice(text)
        assert held
        assert held == held.strip()
        at = block.span.end
    assert not text[at:].strip()
