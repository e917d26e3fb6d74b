"""Chunks: they tile the text, keep to their section and role, fit the model, and move little when the text changes."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from ingest.chunking import ChunkSettings, chunk_document
from ingest.models import BODY_ROLES, Block, Chunk, ParsedDocument, Role, SilentRange, Span
from ingest.reading import merge_silent, reading_text, silent_within
from ingest.sections import sections


class WordCounter:
    """A word piece is a run of word characters, or any other visible character."""

    def __init__(self, max_tokens: int = 60, *, splits_at_spaces: bool = True) -> None:
        self.max_tokens = max_tokens
        self.splits_at_spaces = splits_at_spaces
        self.calls = 0
        self.texts: list[str] = []

    def count(self, texts: Sequence[str]) -> list[int]:
        self.calls += 1
        self.texts += texts
        return [len(re.findall(r"\w+|[^\w\s]", t)) for t in texts]


class JoiningCounter(WordCounter):
    """Counts more for a text than for its parts: each space is two pieces, each two characters one."""

    def __init__(self, max_tokens: int = 60) -> None:
        super().__init__(max_tokens, splits_at_spaces=False)

    def count(self, texts: Sequence[str]) -> list[int]:
        return [len(t) // 2 + 2 * t.count(" ") for t in texts]


def build(*parts: Block | tuple[str, Role] | tuple[str, Role, int]) -> ParsedDocument:
    """A document of (text, role[, level]) blocks parted by blank lines; a heading's title is its text without marks."""
    text, blocks = "", []
    for part in parts:
        assert not isinstance(part, Block)
        start = len(text)
        text += part[0]
        level = part[2] if len(part) == 3 else None
        title = part[0].strip("# ") if level else None
        blocks.append(Block(span=Span(start, len(text)), role=part[1], level=level, title=title))
        text += "\n\n"
    return ParsedDocument(text=text, format="markdown", blocks=tuple(blocks), parser="test")


def prose(words: int, seed: int) -> str:
    """Sentences of eight words."""
    rng = random.Random(seed)
    made = ["".join(rng.choices("abcdefghij", k=5)) for _ in range(words)]
    return " ".join(" ".join(made[i : i + 8]).capitalize() + "." for i in range(0, words, 8))


def small(target: int = 30) -> ChunkSettings:
    return ChunkSettings(target_tokens=target, prefix_tokens=10)


def chunks_of(doc: ParsedDocument, max_tokens: int = 60, target: int = 30) -> list[Chunk]:
    return chunk_document(doc, WordCounter(max_tokens), settings=small(target))


def test_a_section_begins_a_chunk_at_its_heading_and_a_heading_alone_is_a_chunk() -> None:
    doc = build(("Before.", "body"), ("# One", "heading", 1), ("## Two", "heading", 2), ("Text.", "body"))
    got = chunks_of(doc)
    assert [(c.content, c.section_path, c.role) for c in got] == [
        ("Before.", (), "body"),
        ("# One", ("One",), "heading"),
        ("## Two\n\nText.", ("One", "Two"), "body"),
    ]


def test_a_passage_names_the_section_unless_the_chunk_begins_with_the_heading() -> None:
    doc = build(("# One", "heading", 1), ("## Two", "heading", 2), (prose(80, 1), "body"))
    passages = [c.passage.text for c in chunks_of(doc) if c.passage and "Two" in c.section_path]
    assert passages[0].startswith("One\n## Two ")
    assert len(passages) > 1
    assert all(p.startswith("One › Two\n") for p in passages[1:])


def test_outer_titles_are_dropped_first_where_the_path_is_long() -> None:
    doc = build(("# " + "outer " * 9, "heading", 1), ("## Inner title", "heading", 2), (prose(80, 1), "body"))
    last = chunks_of(doc)[-1].passage
    assert last is not None
    assert last.text.startswith("Inner title\n")


def test_a_title_longer_than_the_prefix_is_shortened() -> None:
    doc = build(("# " + " ".join(f"w{n}" for n in range(20)), "heading", 1), (prose(80, 1), "body"))
    last = chunks_of(doc)[-1].passage
    assert last is not None
    assert last.text.startswith(" ".join(f"w{n}" for n in range(10)) + "\n")


@pytest.mark.parametrize("role", ["footnote", "aside", "caption", "markup", "hidden"])
def test_a_role_of_its_own_shares_no_chunk_with_body_text(role: Role) -> None:
    doc = build(("One.", "body"), ("Other.", role), ("Another.", role), ("Two.", "body"), ("Item.", "list"))
    assert [(c.content, c.role) for c in chunks_of(doc)] == [
        ("One.", "body"),
        ("Other.\n\nAnother.", role),
        ("Two.\n\nItem.", "body"),
    ]


def test_a_block_of_another_flow_shares_no_chunk_with_the_body() -> None:
    doc = build(("One.", "body"), ("a\tb", "table"), ("Two.", "body"))
    table = structs.replace(doc.blocks[1], flow="aside")
    got = chunks_of(replace(doc, blocks=(doc.blocks[0], table, doc.blocks[2])))
    assert [c.content for c in got] == ["One.", "a\tb", "Two."]


def test_the_role_of_a_chunk_is_that_of_its_blocks_when_they_agree() -> None:
    assert chunks_of(build(("# A", "heading", 1), ("Item.", "list"), ("Item.", "list")))[0].role == "list"
    assert chunks_of(build(("# A", "heading", 1), ("x = 1", "code"), ("Item.", "list")))[0].role == "body"


def test_markup_and_chunks_of_which_nothing_is_read_have_no_passage() -> None:
    doc = build(("title: x", "markup"), ("![](x.png)", "body"))
    image = doc.blocks[1].span
    got = chunks_of(replace(doc, silent=(SilentRange(start=image.start, end=image.end),)))
    assert [c.passage for c in got] == [None, None]


def test_a_paragraph_that_fits_is_not_cut() -> None:
    texts = [prose(24, n) for n in range(40)]
    got = chunks_of(build(*((t, "body") for t in texts)), target=32)
    assert all(sum(t in c.content for c in got) == 1 for t in texts)


def test_a_heading_stays_with_the_text_that_follows() -> None:
    parts: list[tuple[str, Role]] = []
    for n in range(20):
        parts += [(f"Run-in {n}", "heading"), (prose(24, n), "body")]
    got = chunks_of(build(*parts))
    assert len(got) > 5
    assert not any(re.search(r"Run-in \d+$", c.content) for c in got)


def test_chunks_of_running_prose_are_near_the_target_and_none_is_tiny() -> None:
    doc = build(*((prose(8 * random.Random(n).randint(3, 20), n), "body") for n in range(200)))
    sizes = [WordCounter().count([c.content])[0] for c in chunk_document(doc, WordCounter(254))]
    assert 170 <= sum(sizes) / len(sizes) <= 220
    assert min(sizes) >= 80


def test_the_head_row_goes_with_later_chunks_of_a_table() -> None:
    head = "name\tvalue"
    rows = "\n".join(f"row {n}\t{n}" for n in range(60))
    doc = build((f"{head}\n{rows}", "table"))
    context = Span(0, len(head))
    got = chunks_of(replace(doc, blocks=(structs.replace(doc.blocks[0], context=(context,)),)))
    assert got[0].context == ()
    assert len(got) > 2
    for chunk in got[1:]:
        assert chunk.context == (context,)
        assert chunk.passage is not None
        assert chunk.passage.text.startswith("name value\nrow")


def test_a_context_that_is_a_large_part_of_the_window_is_left_out() -> None:
    doc = build((prose(40, 1), "body"), ("\n".join(f"row {n}" for n in range(60)), "table"))
    table = structs.replace(doc.blocks[1], context=(doc.blocks[0].span,))
    assert all(c.context == () for c in chunks_of(replace(doc, blocks=(doc.blocks[0], table))))


def test_an_edit_changes_only_chunks_nearby() -> None:
    texts = [prose(8 * random.Random(n).randint(4, 18), n) for n in range(300)]
    before = chunk_document(build(*((t, "body") for t in texts)), WordCounter(254))
    for changed, text in ((150, prose(60, 999)), (20, "Short."), (280, prose(400, 998))):
        edited = [*texts[:changed], text, *texts[changed + 1 :]]
        after = chunk_document(build(*((t, "body") for t in edited)), WordCounter(254))
        old, new = [c.content for c in before], [c.content for c in after]
        same_start = next(i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b)
        same_end = next(i for i, (a, b) in enumerate(zip(old[::-1], new[::-1], strict=False)) if a != b)
        assert len(old) - same_start - same_end <= 5000 / 200


def test_an_edit_inside_one_giant_paragraph_changes_only_chunks_nearby() -> None:
    words = prose(30_000, 5)
    sentences = words.split(". ")
    edited = ". ".join([*sentences[:1800], "A wholly new sentence stands here", *sentences[1801:]])
    old, new = ({c.content for c in chunk_document(build((t, "body")), WordCounter(254))} for t in (words, edited))
    assert len(old) > 100
    assert len(old - new) <= 5000 / 200


def test_counting_is_batched() -> None:
    few, many = WordCounter(), WordCounter()
    chunk_document(build(*((prose(24, n), "body") for n in range(3))), few)
    chunk_document(build(*((prose(24, n), "body") for n in range(300))), many)
    assert many.calls == few.calls


def test_only_passages_near_the_models_window_are_counted_again_and_those_alone_whose_parts_do_not_add_up() -> None:
    doc = build(*((prose(24, n), "body") for n in range(20)))
    for window, splits_at_spaces, again in ((1000, False, False), (30, False, True), (30, True, False)):
        counter = WordCounter(window, splits_at_spaces=splits_at_spaces)
        passages = {c.passage.text for c in chunk_document(doc, counter, settings=small(30)) if c.passage}
        assert bool(passages & set(counter.texts)) is again


def test_an_empty_document_has_no_chunks() -> None:
    assert chunks_of(ParsedDocument(text=" \n", format="text", blocks=(), parser="test")) == []


# Properties, over generated documents.

ROLES: tuple[Role, ...] = ("body", "body", "list", "table", "code", "footnote", "aside", "caption", "markup", "hidden")
WORDS = ["a", "Bc.", "word", "Next", ";", ",", "|", "**", "```", "。", "中", "&amp;", "\u00ad", "[1]", "---", "x" * 60]
TEXTS = st.lists(st.sampled_from([*WORDS, " ", " ", "\n", "\n\n", "\t"]), max_size=60).map("".join)


@st.composite
def documents(draw: st.DrawFn) -> ParsedDocument:
    text, blocks = draw(st.sampled_from(["", " ", "\n\n"])), []
    for _ in range(draw(st.integers(0, 12))):
        content = draw(TEXTS).strip() or "a"
        span = Span(len(text), len(text) + len(content))
        if draw(st.integers(0, 3)) == 0:
            level = draw(st.none() | st.integers(1, 4))
            scope_end = draw(st.none() | st.integers(span.end, span.end + 200))
            title = draw(st.sampled_from(["A", "B c", "long title " * 8]))
            blocks.append(
                Block(
                    span=span, role="heading", level=level, title=title if level else None, scope_end=scope_end if level else None
                )
            )
        else:
            earlier = [b.span for b in blocks[-2:]]
            context = draw(st.lists(st.sampled_from(earlier), unique=True)) if earlier else []
            blocks.append(Block(span=span, role=draw(st.sampled_from(ROLES)), context=tuple(sorted(context))))
        text += content + draw(st.sampled_from(["\n\n", "\n", " "]))
    cuts = sorted(draw(st.sets(st.integers(0, len(text)), max_size=12)))
    marks = [SilentRange(start=a, end=b) for a, b in zip(cuts[::2], cuts[1::2], strict=False)]
    entities = [SilentRange(start=m.start(), end=m.end(), replacement="&") for m in re.finditer("&amp;", text)]
    silent = merge_silent([*marks, *entities])
    return ParsedDocument(text=text, format="markdown", blocks=tuple(blocks), parser="test", silent=silent)


COUNTERS = st.sampled_from([WordCounter(24), WordCounter(60), JoiningCounter(60)])


@given(documents(), COUNTERS)
def test_chunks_and_their_units_tile_the_text(doc: ParsedDocument, counter: WordCounter) -> None:
    at = 0
    for chunk in chunk_document(doc, counter, settings=small(12)):
        assert doc.text[chunk.span.start : chunk.span.start + len(chunk.content)] == chunk.content
        assert not doc.text[at : chunk.span.start].strip()
        assert chunk.span.start >= at
        assert (chunk.units[0].span.start, chunk.units[-1].span.end) == (chunk.span.start, chunk.span.end)
        for left, right in pairwise(chunk.units):
            assert left.span.end <= right.span.start
            assert not doc.text[left.span.end : right.span.start].strip()
        at = chunk.span.end
    assert not doc.text[at:].strip()


@given(documents(), COUNTERS)
def test_a_chunk_keeps_to_one_section_and_to_roles_that_may_share(doc: ParsedDocument, counter: WordCounter) -> None:
    got = chunk_document(doc, counter, settings=small(12))
    starts = {c.span.start for c in got}
    for section in sections(doc.blocks):
        assert section.blocks[0].span.start in starts
        for chunk in got:
            if section.blocks[0].span.start <= chunk.span.start < section.blocks[-1].span.end:
                assert chunk.section_path == section.path
    for chunk in got:
        roles = {b.role for b in doc.blocks if b.span.start < chunk.span.end and b.span.end > chunk.span.start}
        assert roles <= BODY_ROLES or len(roles) == 1
        assert {u.role for u in chunk.units} == roles


@given(documents(), COUNTERS)
def test_a_passage_fits_the_model_and_holds_each_unit_as_it_is_read(doc: ParsedDocument, counter: WordCounter) -> None:
    for chunk in chunk_document(doc, counter, settings=small(12)):
        if chunk.passage is None:
            continue
        assert chunk.role != "markup"
        assert counter.count([chunk.passage.text])[0] <= counter.max_tokens
        assert len(chunk.passage.units) == len(chunk.units)
        for unit, place in zip(chunk.units, chunk.passage.units, strict=True):
            read = reading_text(unit.span.slice(doc.text), silent_within(doc.silent, unit.span))
            assert place.slice(chunk.passage.text) == read.text


@given(documents())
def test_the_same_document_gives_the_same_chunks(doc: ParsedDocument) -> None:
    assert chunks_of(doc) == chunks_of(doc)
