"""Reading texts: what is read of a span, and the map back to it."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.models import SilentRange, Span
from ingest.reading import ReadingText, is_unspaced, merge_silent, reading_text, silent_within, zero_width

UNHURRIED = settings(deadline=None)
TEXT = st.text(
    st.one_of(st.sampled_from("ab. \n\r\t漢字\u00ad\u200b\u00a0"), st.characters(exclude_categories=["Cs"])), max_size=60
)
REPLACEMENT = st.sampled_from(["", "", "&", "fi", " ", "\t", "漢"])


@st.composite
def ranges(draw: st.DrawFn, length: int) -> list[SilentRange]:
    """Silent ranges within `length` characters, in any order, overlapping or not."""
    cuts = draw(st.lists(st.tuples(st.integers(0, length), st.integers(0, length), REPLACEMENT), max_size=8))
    return [SilentRange(start=min(a, b), end=max(a, b), replacement=r) for a, b, r in cuts if a != b]


@st.composite
def marked_texts(draw: st.DrawFn) -> tuple[str, tuple[SilentRange, ...]]:
    text = draw(TEXT)
    return text, merge_silent(draw(ranges(len(text))))


def silent(start: int, end: int, replacement: str = "") -> SilentRange:
    return SilentRange(start=start, end=end, replacement=replacement)


@pytest.mark.parametrize(
    ("text", "ranges_", "read"),
    [
        ("  a \t\n b  ", (), "a b"),
        ("**bold** x", (silent(0, 2), silent(6, 8)), "bold x"),
        ("R&amp;D", (silent(1, 6, "&"),), "R&D"),
        ("a | b", (silent(2, 3, "\t"),), "a b"),
        ("a|b", (silent(1, 2, "\t"),), "a b"),
        ("> a\n> b", (silent(0, 1), silent(4, 5)), "a b"),
        ("漢\n字", (), "漢字"),
        ("漢\n> 字", (silent(2, 3),), "漢字"),
        ("漢 字", (), "漢 字"),
        ("漢\na", (), "漢 a"),
        ("a\u00a0\u00a0b\x0cc", (), "a b c"),
        ("was\u00adser", (silent(3, 4),), "wasser"),
        ("***", (silent(0, 3),), ""),
        ("", (), ""),
    ],
)
def test_silent_ranges_are_left_out_and_white_space_is_folded(text: str, ranges_: tuple[SilentRange, ...], read: str) -> None:
    assert reading_text(text, ranges_).text == read


def test_a_reading_span_maps_to_the_source_it_stands_for() -> None:
    source = "a **b&amp;c** d"
    reading = reading_text(source, (silent(2, 4), silent(5, 10, "&"), silent(11, 13)))
    assert reading.text == "a b&c d"
    assert reading.to_source(Span(2, 5)).slice(source) == "b&amp;c"
    assert reading.to_reading(Span(5, 6)).slice(reading.text) == "&"
    assert reading.to_reading(Span(2, 4)).slice(reading.text) == ""


def test_an_empty_reading_span_stands_nowhere() -> None:
    with pytest.raises(ValueError, match="stands nowhere"):
        reading_text("abc").to_source(Span(1, 1))


def assert_maps_rise(reading: ReadingText, length: int) -> None:
    assert len(reading.text) == len(reading.starts) == len(reading.ends)
    assert list(reading.starts) == sorted(reading.starts)
    assert list(reading.ends) == sorted(reading.ends)
    assert all(0 <= start < end <= length for start, end in zip(reading.starts, reading.ends, strict=True))


@UNHURRIED
@given(marked_texts())
def test_the_maps_rise_and_stay_within_the_source(marked: tuple[str, tuple[SilentRange, ...]]) -> None:
    text, ranges_ = marked
    reading = reading_text(text, ranges_)
    assert_maps_rise(reading, len(text))
    assert reading.text == " ".join(reading.text.split())


@UNHURRIED
@given(marked_texts())
def test_every_visible_character_is_read_once_and_in_order(marked: tuple[str, tuple[SilentRange, ...]]) -> None:
    text, ranges_ = marked
    expected, at = [], 0
    for r in ranges_:
        expected += [text[at : r.start], r.replacement]
        at = r.end
    expected.append(text[at:])
    assert "".join(reading_text(text, ranges_).text.split()) == "".join("".join(expected).split())


@UNHURRIED
@given(marked_texts(), st.data())
def test_a_reading_span_comes_back_from_its_source(marked: tuple[str, tuple[SilentRange, ...]], data: st.DataObject) -> None:
    reading = reading_text(*marked)
    if not reading.text:
        return
    start = data.draw(st.integers(0, len(reading.text) - 1))
    end = data.draw(st.integers(start + 1, len(reading.text)))
    back = reading.to_reading(reading.to_source(Span(start, end)))
    assert back.start <= start
    assert end <= back.end
    # more comes back only where several characters stand for one source, as for a ligature
    assert all(reading.starts[i] == reading.starts[start] for i in range(back.start, start))
    assert all(reading.ends[i] == reading.ends[end - 1] for i in range(end, back.end))


@UNHURRIED
@given(marked_texts(), st.data())
def test_reading_a_part_is_reading_with_the_silent_ranges_of_that_part(
    marked: tuple[str, tuple[SilentRange, ...]], data: st.DataObject
) -> None:
    text, ranges_ = marked
    free = [i for i in range(len(text) + 1) if not any(r.start < i < r.end for r in ranges_)]  # cuts no range
    start, end = sorted((data.draw(st.sampled_from(free)), data.draw(st.sampled_from(free))))
    span = Span(start, end)
    cut = silent_within(ranges_, span)
    assert [(r.start + start, r.end + start, r.replacement) for r in cut] == [
        (r.start, r.end, r.replacement) for r in ranges_ if start <= r.start and r.end <= end
    ]
    assert_maps_rise(reading_text(span.slice(text), cut), len(span))


def test_a_range_cut_at_its_start_leaves_its_replacement_behind() -> None:
    ranges_ = (silent(2, 7, "&"),)
    assert silent_within(ranges_, Span(0, 4)) == (silent(2, 4, "&"),)
    assert silent_within(ranges_, Span(4, 9)) == (silent(0, 3),)
    assert silent_within(ranges_, Span(7, 9)) == ()
    assert silent_within(ranges_, Span(0, 2)) == ()


@UNHURRIED
@given(ranges(50))
def test_merged_ranges_are_sorted_and_disjoint_and_cover_the_same_characters(ranges_: list[SilentRange]) -> None:
    merged = merge_silent(ranges_)
    assert all(a.end <= b.start for a, b in pairwise(merged))
    assert {i for r in merged for i in range(r.start, r.end)} == {i for r in ranges_ for i in range(r.start, r.end)}
    assert merge_silent(merged) == merged
    assert merge_silent(reversed(merged)) == merged


def test_of_overlapping_ranges_the_first_stays_and_the_other_is_cut() -> None:
    assert merge_silent([silent(3, 6, "x"), silent(1, 4, "y"), silent(1, 2, "z"), silent(5, 6)]) == (
        silent(1, 4, "y"),
        silent(4, 6, "x"),
    )


def test_zero_width_characters_are_silent_but_joiners_are_read() -> None:
    text = "a\u00ad\u200bb\u2060c\ufeffd👩\u200d🚒"
    assert reading_text(text, zero_width(text)).text == "abcd👩\u200d🚒"


@pytest.mark.parametrize(
    ("character", "unspaced"), [("漢", True), ("か", True), ("。", True), ("𠀀", True), ("a", False), ("한", False), ("ก", False)]
)
def test_chinese_and_japanese_are_written_without_spaces(character: str, unspaced: bool) -> None:
    assert is_unspaced(character) is unspaced
