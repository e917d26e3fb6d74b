"""Units of blocks: by role, over silent marks, and cut where they are too long."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from ingest.cutting import cut, weigh
from ingest.models import Block, ParsedDocument, Role, SilentRange, Span, Unit
from ingest.reading import reading_text, silent_within
from ingest.units import units


class WordCounter:
    """A word piece is a run of word characters, or any other visible character."""

    max_tokens = 100
    splits_at_spaces = True

    def count(self, texts: Sequence[str]) -> list[int]:
        return [len(re.findall(r"\w+|[^\w\s]", t)) for t in texts]


class LetterCounter:
    max_tokens = 100
    splits_at_spaces = False

    def count(self, texts: Sequence[str]) -> list[int]:
        return [len(t) for t in texts]


def document(text: str, role: Role = "body", silent: Sequence[str] = ()) -> ParsedDocument:
    """One block over all of `text`; every occurrence of the strings in `silent` is silent."""
    ranges = sorted((m.start(), m.end()) for s in silent for m in re.finditer(re.escape(s), text))
    return ParsedDocument(
        text=text,
        format="markdown",
        blocks=(Block(span=Span(0, len(text)), role=role),),
        parser="test",
        silent=tuple(SilentRange(start=a, end=b) for a, b in ranges),
    )


def found(doc: ParsedDocument, limit: int = 50) -> list[str]:
    return [u.span.slice(doc.text) for u in units(doc, doc.blocks[0], WordCounter(), limit)]


def test_prose_gives_sentences_and_a_heading_one_unit_with_its_marks() -> None:
    assert found(document("One. Two is\nhere. Three.")) == ["One.", "Two is\nhere.", "Three."]
    assert found(document("## One. Two. ##", "heading")) == ["## One. Two. ##"]


def test_the_marker_of_a_list_item_belongs_to_its_first_sentence() -> None:
    assert found(document("1. Fill it. Close it.\n\n   Then wait.", "list")) == ["1. Fill it.", "Close it.", "Then wait."]
    assert found(document("- Fill it. Close it.", "list", ["- "])) == ["- Fill it.", "Close it."]


def test_inline_marks_go_with_the_sentence_they_touch() -> None:
    assert found(document("**Bold.** Next. **It** ends.", silent=["**"])) == ["**Bold.**", "Next.", "**It** ends."]
    assert found(document("**甲。**乙。**丙**。", silent=["**"])) == ["**甲。**", "乙。", "**丙**。"]
    assert found(document("甲。**乙**。", silent=["**"])) == ["甲。", "**乙**。"]


def test_a_link_target_is_never_cut() -> None:
    doc = document('See [it.](u "A b. C d.") Then go.', silent=["[", '](u "A b. C d.")'])
    assert found(doc) == ['See [it.](u "A b. C d.")', "Then go."]


def test_a_table_gives_rows_and_the_delimiter_row_joins_the_head_row() -> None:
    assert found(document("| a | b |\n|---|:-:|\n| 1. x | - |\n| 2 | 3 |", "table")) == [
        "| a | b |\n|---|:-:|",
        "| 1. x | - |",
        "| 2 | 3 |",
    ]


def test_code_gives_lines_and_fences_join_the_line_beside_them() -> None:
    assert found(document("```py\nx = 1. Y\n\n  }\n```", "code")) == ["```py\nx = 1. Y", "}\n```"]
    assert found(document("```\n```", "code")) == ["```\n```"]


def test_form_feed_and_other_separators_are_no_line_ends() -> None:
    assert found(document("a\u2028b\x0cc\u0085d\re", "code")) == ["a\u2028b\x0cc\u0085d", "e"]


def test_markup_is_counted_by_its_own_characters() -> None:
    text = "title: x\nauthor: y"
    assert found(document(text, "markup", [text])) == ["title: x", "author: y"]


def test_a_long_sentence_is_cut_at_semicolons_before_commas_before_words() -> None:
    assert found(document("a b, c; d e, f; g h, i"), limit=8) == ["a b, c;", "d e, f;", "g h, i"]
    assert found(document("a b c, d e f, g h i"), limit=5) == ["a b c,", "d e f,", "g h i"]
    assert found(document("a b c d e f"), limit=4) == ["a b c", "d e f"]


def test_a_long_row_is_cut_at_its_cells() -> None:
    assert found(document("a b c\td e f\tg h i", "table"), limit=4) == ["a b c", "d e f", "g h i"]
    assert found(document("| a b c | d e f | g h |", "table"), limit=6) == ["| a b c |", "d e f |", "g h |"]


def test_a_long_word_is_cut_between_characters() -> None:
    doc = document("x" * 1000)
    parts = units(doc, doc.blocks[0], WordCounter(), 10)
    assert all(len(p.span) <= 160 and p.partial for p in parts)
    assert "".join(p.span.slice(doc.text) for p in parts) == doc.text


def test_only_parts_are_marked_partial() -> None:
    doc = document("Short one. Then " + "word " * 30 + "end.")
    first, *rest = units(doc, doc.blocks[0], WordCounter(), 20)
    assert not first.partial
    assert len(rest) > 1
    assert all(u.partial for u in rest)


def test_parts_are_about_equally_heavy() -> None:
    text = " ".join(["word"] * 21)
    assert [w for _, w in cut(reading_text(text), text, WordCounter(), 10)] == [7, 7, 7]


ROLES: tuple[Role, ...] = ("body", "heading", "list", "table", "code", "footnote", "caption", "markup", "hidden")
WORDS = ["a", "Bc.", ";", ",", "|", "**", "```", "。", "中", "&amp;", "\u00ad", "[1]", "--", "---", "x" * 40]
TEXTS = st.lists(st.sampled_from([*WORDS, " ", " ", "\n", "\n\n", "\t", " \n "]), max_size=40).map("".join)


@st.composite
def documents(draw: st.DrawFn) -> ParsedDocument:
    text = draw(TEXTS).strip() or "a"
    cuts = sorted(draw(st.sets(st.integers(0, len(text)), max_size=8)))
    silent = tuple(
        SilentRange(start=a, end=b, replacement=draw(st.sampled_from(["", "&", "x y. Z"])))
        for a, b in zip(cuts[::2], cuts[1::2], strict=False)
    )
    role = draw(st.sampled_from(ROLES))
    return ParsedDocument(
        text=text, format="markdown", blocks=(Block(span=Span(0, len(text)), role=role),), parser="test", silent=silent
    )


@given(documents(), st.integers(3, 20))
def test_units_cover_every_visible_character_once_and_stay_within_the_limit(doc: ParsedDocument, limit: int) -> None:
    for counter in (WordCounter(), LetterCounter()):
        got: tuple[Unit, ...] = units(doc, doc.blocks[0], counter, limit)
        at = 0
        for unit in got:
            assert not doc.text[at : unit.span.start].strip()
            own = unit.span.slice(doc.text)
            assert own == own.strip() != ""
            at = unit.span.end
            silent = () if unit.role == "markup" else silent_within(doc.silent, unit.span)
            read = reading_text(own, silent)
            whole_replacement = len(set(read.starts)) < len(read.text)
            assert weigh(counter, [read.text])[0] <= limit or whole_replacement
        assert not doc.text[at:].strip()
