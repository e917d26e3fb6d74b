"""Section paths from headings."""

from __future__ import annotations

from ingest.models import Block, Span
from ingest.sections import sections


def blocks(*outline: tuple[int, str] | tuple[int, str, int] | str) -> list[Block]:
    """Blocks at 0, 10, 20 …: a heading for (level, title[, scope_end]), else a paragraph."""
    out = []
    for n, entry in enumerate(outline):
        span = Span(10 * n, 10 * n + 9)
        if isinstance(entry, str):
            out.append(Block(span=span))
        else:
            scope_end = entry[2] if len(entry) == 3 else None
            out.append(Block(span=span, role="heading", level=entry[0], title=entry[1], scope_end=scope_end))
    return out


def paths(*outline: tuple[int, str] | tuple[int, str, int] | str) -> list[tuple[str, ...]]:
    return [s.path for s in sections(blocks(*outline)) for _ in s.blocks]


def test_text_before_the_first_heading_has_no_path() -> None:
    assert paths("text", (1, "A"), "text") == [(), ("A",), ("A",)]


def test_parents_are_the_nearest_earlier_headings_of_higher_rank() -> None:
    assert paths((1, "A"), (2, "B"), (3, "C"), (2, "D"), (1, "E"), (3, "F")) == [
        ("A",),
        ("A", "B"),
        ("A", "B", "C"),
        ("A", "D"),
        ("E",),
        ("E", "F"),
    ]


def test_a_skipped_rank_leaves_no_gap_and_does_not_adopt_its_siblings() -> None:
    assert paths((1, "A"), (4, "B"), (3, "C"), (4, "D")) == [("A",), ("A", "B"), ("A", "C"), ("A", "C", "D")]


def test_a_document_that_begins_with_a_low_rank_has_no_parents_for_it() -> None:
    assert paths((3, "A"), (2, "B"), (1, "C")) == [("A",), ("B",), ("C",)]


def test_an_equal_title_begins_a_new_section() -> None:
    found = sections(blocks((1, "Notice"), "text", (1, "Notice"), "text"))
    assert [s.path for s in found] == [("Notice",), ("Notice",)]
    assert all(s.opened for s in found)


def test_a_scoped_heading_ends_with_its_quote_and_the_path_around_it_comes_back() -> None:
    assert paths((1, "A"), (2, "B"), (1, "Quoted", 40), "in the quote", "after", (2, "C")) == [
        ("A",),
        ("A", "B"),
        ("Quoted",),
        ("Quoted",),
        ("A", "B"),
        ("A", "C"),
    ]


def test_scoped_headings_nest() -> None:
    assert paths((1, "A"), (2, "Q", 50), (3, "Item", 40), "in item", "in quote", "after") == [
        ("A",),
        ("A", "Q"),
        ("A", "Q", "Item"),
        ("A", "Q", "Item"),
        ("A", "Q"),
        ("A",),
    ]


def test_text_after_a_scope_is_a_section_that_no_heading_opened() -> None:
    assert [s.opened for s in sections(blocks((1, "A"), (2, "Q", 20), "after"))] == [True, True, False]


def test_a_heading_without_a_level_opens_no_section() -> None:
    bold = Block(span=Span(10, 19), role="heading")
    first, last = blocks((1, "A"))[0], Block(span=Span(20, 29))
    assert [s.blocks for s in sections([first, bold, last])] == [(first, bold, last)]
