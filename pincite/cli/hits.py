"""Hits and places as people read them: number, citation, the sentence in its paragraph, and small print."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ingest.models import SilentRange, Span
from ingest.reading import reading_text, silent_within
from pincite.cli.terminal import BOLD_END, BOLD_START, Style, one_line, safe, wrapped
from query.matches import Place
from query.models import SearchHit

_BLANK_LINE = re.compile(r"\n[^\S\n]*\n|\r\n[^\S\n]*\r\n")
_LONGEST_PARAGRAPH = 900
"""Characters shown of a paragraph; a longer one is cut around the match."""


def paragraph(content: str, silent: tuple[SilentRange, ...], match: Span) -> str:
    """The reading text of the paragraph(s) that hold the match, the match between the bold marks."""
    start = max((m.end() for m in _BLANK_LINE.finditer(content, 0, match.start)), default=0)
    after = _BLANK_LINE.search(content, match.end)
    around = Span(start, after.start() if after else len(content))
    read = reading_text(around.slice(content), silent_within(silent, around))
    marked = read.to_reading(match.shift(-around.start))
    before, inside, rest = read.text[: marked.start], read.text[marked.start : marked.end], read.text[marked.end :]
    room = max(_LONGEST_PARAGRAPH - len(inside), 0) // 2
    head = f"… {before[_word_border(before, len(before) - room) :].lstrip()}" if len(before) > room else before
    tail = f"{rest[: _word_border(rest, room)].rstrip()} …" if len(rest) > room else rest
    return f"{safe(head)}{BOLD_START}{safe(inside)}{BOLD_END}{safe(tail)}"


def _word_border(text: str, at: int) -> int:
    """The last end of a word before `at`; `at` itself where there is none nearby (Chinese, a long code)."""
    space = text.rfind(" ", max(at - 30, 0), at + 1)
    return at if space < 0 else space


def sentences(hit: SearchHit, count: int) -> str:
    """The reading text of the match and `count` sentences on either side, the match between the bold marks."""
    text, start, end = hit.neighbourhood(count)
    return f"{safe(text[:start])}{BOLD_START}{safe(text[start:end])}{BOLD_END}{safe(text[end:])}"


def hit_lines(
    number: int, hit: SearchHit, style: Style, *, explain: bool = False, context: int | None = None, address: str | None = None
) -> Iterator[str]:
    yield f"{number:>2} {style.link(style.bold(one_line(hit.citation())), address)}"
    shown = paragraph(hit.content, hit.silent, hit.match) if context is None else sentences(hit, context)
    yield style.marked(wrapped(shown))
    if hit.via:
        yield style.dim(f"   via {one_line(hit.via)}")
    yield style.dim(f"   {' · '.join(_small_print(hit))}")
    for link in hit.links:
        yield style.dim(f"   {link_words(link.relationship, link.target_label, link.reason)}")
    if hit.links_elided:
        yield style.dim(f"   … and {hit.links_elided} more links")
    if explain:
        yield from (style.dim(f"   {line}") for line in _explanation(hit))


def link_words(relationship: str, target: str, reason: str | None) -> str:
    """ "superseded by: Amendment No. 1 (renegotiated after the Q2 review)"."""
    return f"{one_line(relationship)}: {one_line(target)}{f' ({one_line(reason)})' if reason else ''}"


def _small_print(hit: SearchHit) -> Iterator[str]:
    yield f"score {hit.score:.3f}"
    if hit.similarity is not None:
        yield f"similarity {hit.similarity:.2f}"
    if hit.matched_on:
        yield hit.matched_on
    if hit.origin == "authored":
        yield f"said{f' by {one_line(hit.authored_by)}' if hit.authored_by else ''}"
    yield f"{one_line(hit.source_document)} @{hit.source_offset + hit.match.start}"
    yield from (f"caution: {caution.replace('_', ' ')}" for caution in hit.cautions)


def _explanation(hit: SearchHit) -> Iterator[str]:
    for c in hit.contributions:
        yield f"{c.leg}: rank {c.rank}, {c.native_metric} {c.native_score:.4f}, adds {c.adds:.4f} to the score"
    if not hit.contributions and hit.native_score is not None:
        yield f"{hit.match_mode}: rank {hit.rank}, {hit.native_metric} {hit.native_score:.4f}"
    yield f"quote {hit.id}"
    yield f"chunk {hit.chunk_id}, document {hit.document_id}, root {one_line(hit.root)}"
    yield f"sha256 {hit.source_sha256}"


def place_lines(number: int, place: Place, style: Style) -> Iterator[str]:
    yield f"{number:>2} {style.bold(one_line(place.citation()))}"
    yield wrapped(safe(place.quote_text))
    cautions = [f"caution: {c.replace('_', ' ')}" for c in place.cautions]
    yield style.dim(f"   {' · '.join([f'{one_line(place.source_document)} @{place.offset}', *cautions])}")
