"""What holds for every PDF: generated pages with columns, hyphens, furniture, footnotes, turns and repeated passages."""

from __future__ import annotations

import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pymupdf
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from making_pdfs import Drawing, accounted, read_back, squash

from ingest.models import ParsedDocument, Span
from ingest.pdf.parser import parse_pdf

WORDS = [
    "harbour",
    "office",
    "flood",
    "affirm",
    "the",
    "of",
    "a",
    "lock",
    "1.5",
    "per",
    "cent.",
    "re-enter",
    "Quay",
    "walls",
    "(see",
]
WORDS += ["4.2)", "long-term", "efficient,"]
SENTENCE = "The harbour master shall post the diversion notice."
"""Drawn again and again: each place is its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """A page to draw: its paragraphs (lists of words), and what makes it hard."""

    paragraphs: tuple[tuple[str, ...], ...]
    columns: bool
    turn: int
    note: bool
    crop: bool
    table: bool
    struck_twice: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A document to draw; `heads`: with running heads and page numbers."""

    pages: tuple[Sheet, ...]
    heads: bool


paragraphs = st.lists(
    st.lists(st.sampled_from([*WORDS, SENTENCE]), min_size=1, max_size=30).map(tuple), min_size=1, max_size=5
).map(tuple)
sheets = st.builds(
    Sheet,
    paragraphs=paragraphs,
    columns=st.booleans(),
    turn=st.sampled_from([0, 90, 180, 270]),
    note=st.booleans(),
    crop=st.booleans(),
    table=st.booleans(),
    struck_twice=st.booleans(),
)
plans = st.builds(Plan, pages=st.lists(sheets, min_size=1, max_size=4).map(tuple), heads=st.booleans())
quick = settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    phases=[Phase.explicit, Phase.reuse, Phase.generate],  # shrinking would draw thousands of PDFs
)


def wrapped(words: tuple[str, ...], width: float) -> list[str]:
    """Lines of at most `width` points; a word that is too long for the rest of a line may be broken with a hyphen."""
    lines, line = [], ""
    for word in " ".join(words).split():
        longer = f"{line} {word}".strip()
        if pymupdf.get_text_length(longer, "tiro", 10) <= width:
            line = longer
        elif len(word) > 7 and word.isalpha():
            lines.append(f"{line} {word[:4]}-".strip())
            line = word[4:]
        else:
            lines.append(line)
            line = word
    return [text for text in [*lines, line] if text]


def drawn(plan: Plan, path: Path) -> ParsedDocument:
    drawing = Drawing()
    for number, sheet in enumerate(plan.pages, start=1):
        if number > 1:
            drawing.page()
        if plan.heads:
            drawing.at(50, 30, "HARBOUR BYE-LAWS", size=8).at(200, 580, f"- {number} -", size=8)
        for column in range(2 if sheet.columns else 1):
            drawing.y = 80
            for words in sheet.paragraphs:
                for line in wrapped(words, 140 if sheet.columns else 320):
                    if drawing.y < 440:
                        drawing.line(line, x=50 + 180 * column)
                drawing.space(8)
        if sheet.table:
            for row in range(3):
                for column, cell in enumerate(("Lamp", f"{row}.5", "hours")):
                    drawing.at(50 + 90 * column, 470 + 16 * row, cell)
        if sheet.struck_twice:
            drawing.at(50, 535, "The permit is void.").at(50.5, 535, "The permit is void.")
        if sheet.note:
            drawing.at(50, 555, "1 A note of the clerk.", size=7)
        if sheet.crop:
            drawing.current.set_cropbox(pymupdf.Rect(10, 15, 410, 590))
        drawing.current.set_rotation(sheet.turn)
    return parse_pdf(drawing.save(path), shown=path.name)


@quick
@given(plans)
def test_pages_partition_the_text_and_never_fall_within_a_flow(plan: Plan) -> None:
    with tempfile.TemporaryDirectory() as folder:
        document = drawn(plan, Path(folder) / "made.pdf")
    ends = [0, *(run.end for run in document.page_map)]
    assert [run.start for run in document.page_map] == ends[:-1]
    assert ends[-1] == len(document.text)
    for flow in ("body", "aside", "hidden"):
        pages = [
            run.page
            for block in document.blocks
            if block.flow == flow
            for run in document.page_map
            if run.start < block.span.end and run.end > block.span.start
        ]
        assert pages == sorted(pages)
        assert all(1 <= page <= len(plan.pages) for page in pages)


@quick
@given(plans, st.data())
def test_text_read_back_from_the_rectangles_is_the_quote(plan: Plan, data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "made.pdf"
        document = drawn(plan, path)
        block = data.draw(st.sampled_from(document.blocks))
        words = [i for i in range(block.span.start, block.span.end) if i == block.span.start or document.text[i - 1].isspace()]
        start = data.draw(st.sampled_from(words))
        span = Span(start, data.draw(st.sampled_from([i for i in words if i > start] + [block.span.end])))
        got, want = squash(read_back(path, document, span)), squash(span.slice(document.text))
        struck_twice = "permit" in block.span.slice(document.text)  # both strikes lie under the quad; they count once
        once, here = Counter(want), Counter(got)
        assert once <= here <= once + once if struck_twice else got == want


@quick
@given(plans)
def test_every_character_of_a_page_is_in_the_text_or_in_an_exclusion(plan: Plan) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "made.pdf"
        document = drawn(plan, path)
        with pymupdf.open(path) as made:
            streams = [
                "".join(s["text"] for b in p.get_text("dict", flags=0)["blocks"] for x in b["lines"] for s in x["spans"])
                for p in made
            ]
    for page, stream in zip(document.pages, streams, strict=True):
        assert accounted(page, stream) == []
        for run in page.runs:
            got, came = (
                document.text[run.offset : run.offset + run.length],
                stream[run.source_offset : run.source_offset + run.length],
            )
            assert squash(got) == squash(came)


@quick
@given(plans)
def test_blocks_hold_every_character_but_white_space_once_and_in_order(plan: Plan) -> None:
    with tempfile.TemporaryDirectory() as folder:
        document = drawn(plan, Path(folder) / "made.pdf")
    at = 0
    for block in document.blocks:
        assert not document.text[at : block.span.start].strip()
        assert block.span.slice(document.text).strip() == block.span.slice(document.text)
        at = block.span.end
    assert not document.text[at:].strip()


SAMPLES = sorted((Path(__file__).parents[2] / "sample_docs").rglob("*.pdf"))


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_blocks_of_the_sample_documents_are_read_back_from_its_rectangles(path: Path) -> None:
    document = parse_pdf(path, shown=path.name)
    for block in document.blocks[::4]:  # all of them take a minute
        assert squash(read_back(path, document, block.span)) == squash(block.span.slice(document.text))


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_every_character_of_the_sample_documents_is_accounted_for(path: Path) -> None:
    document = parse_pdf(path, shown=path.name)
    with pymupdf.open(path) as made:
        for page, shown in zip(document.pages, made, strict=True):
            spans = [s["text"] for b in shown.get_text("dict", flags=0)["blocks"] for line in b["lines"] for s in line["spans"]]
            assert accounted(page, "".join(spans)) == []
