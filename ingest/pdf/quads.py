"""Where a span of the canonical text stands on its pages: one quad a line, along the text, around exactly its characters.

The characters' boxes come from `rawdict` with the pinned flags; the page's fingerprint says whether they are the same characters as
at ingest. Nothing is ever searched for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pymupdf

from ingest.errors import SourceChanged
from ingest.models import Page, Span
from ingest.pdf.engine import character_quads, fingerprint, translated
from ingest.pdf.words import unreadable

_SAME_LINE = 0.5
"""Characters whose middles lie within this part of their height of one line belong to it."""
_JOINT = 0.02
"""Parts of a line's height added at a quad's end, so that a character of no width there (a ligature's tail) lies inside."""


def locate(document: pymupdf.Document, pages: Sequence[Page], span: Span, *, shown: str) -> dict[int, list[pymupdf.Quad]]:
    """Page number (from 1) -> quads, in reading order, for the characters of `span`.

    `pages` are the page records whose runs meet the span. Raises SourceChanged where a page has other characters than at ingest.
    """
    found: dict[int, list[pymupdf.Quad]] = {}
    for page in pages:
        indexes = list(_stream_indexes(page, span))
        if not indexes:
            continue
        with translated(shown):
            stream, quads = character_quads(document[page.number - 1])
        if fingerprint(stream) != page.fingerprint:
            raise SourceChanged(
                shown,
                f"page {page.number} has other characters than at ingest",
                next_step="The file or PyMuPDF has changed: ingest it again.",
                pages=(page.number,),
            )
        parts = _without_unread(indexes, stream)
        found[page.number] = [quad for part in parts for quad in _lines([(stream[i], quads[i]) for i in part])]
    return found


def _stream_indexes(page: Page, span: Span) -> Iterator[int]:
    """The page's characters that the span is made of, in the span's order."""
    for run in sorted(page.runs):
        start, end = max(run.offset, span.start), min(run.offset + run.length, span.end)
        if start < end:
            yield from range(run.source_offset + start - run.offset, run.source_offset + end - run.offset)


def _without_unread(indexes: Sequence[int], stream: str) -> Iterator[list[int]]:
    """The characters in parts, cut where a glyph that can't be read stands between two of them: no quad lies over it."""
    part: list[int] = []
    for i in indexes:
        if part and any(unreadable(c) for c in stream[part[-1] + 1 : i]):
            yield part
            part = []
        part.append(i)
    if part:
        yield part


def _lines(characters: Sequence[tuple[str, pymupdf.Quad]]) -> Iterator[pymupdf.Quad]:
    """Neighbouring characters on one line make one quad; spaces at its ends are left out."""
    line: list[pymupdf.Quad] = []
    spaces: list[pymupdf.Quad] = []
    for character, quad in characters:
        if line and not _goes_on(line, quad):
            yield _hull(line)
            line, spaces = [], []
        if character.isspace():
            spaces = [*spaces, quad] if line else []
            continue
        line += [*spaces, quad]
        spaces = []
    if line:
        yield _hull(line)


def _goes_on(line: Sequence[pymupdf.Quad], quad: pymupdf.Quad) -> bool:
    """Whether the character follows on the same line: beside the line's last one, not far from it, not before it."""
    last = line[-1]
    along, down = _frame(last)
    height = float(max(abs(last.ll - last.ul), abs(quad.ll - quad.ul))) or 1.0
    step = _middle(quad) - _middle(last)
    forward, aside = step.x * along.x + step.y * along.y, step.x * down.x + step.y * down.y
    gap = forward - (abs(last.ur - last.ul) + abs(quad.ur - quad.ul)) / 2
    return bool(abs(aside) <= _SAME_LINE * height and -height <= forward and gap < 2.5 * height)


def _hull(quads: Sequence[pymupdf.Quad]) -> pymupdf.Quad:
    """The least quad along the text that holds all of them."""
    along, down = _frame(max(quads, key=lambda q: abs(q.ur - q.ul)))
    corners = [point for quad in quads for point in (quad.ul, quad.ur, quad.ll, quad.lr)]
    us = [p.x * along.x + p.y * along.y for p in corners]
    vs = [p.x * down.x + p.y * down.y for p in corners]
    joint = _JOINT * (max(vs) - min(vs))

    def corner(u: float, v: float) -> pymupdf.Point:
        return pymupdf.Point(u * along.x + v * down.x, u * along.y + v * down.y)

    left, right = min(us), max(us) + joint
    return pymupdf.Quad(corner(left, min(vs)), corner(right, min(vs)), corner(left, max(vs)), corner(right, max(vs)))


def _frame(quad: pymupdf.Quad) -> tuple[pymupdf.Point, pymupdf.Point]:
    """Unit vectors along the text and down its lines."""
    along = quad.ur - quad.ul
    if abs(along) < 1e-6:  # a character of no width
        down = (quad.ll - quad.ul).unit
        return pymupdf.Point(down.y, -down.x), down
    along = along.unit
    down = quad.ll - quad.ul
    return along, pymupdf.Point(-along.y, along.x) if abs(down) < 1e-6 else down.unit


def _middle(quad: pymupdf.Quad) -> pymupdf.Point:
    return (quad.ul + quad.lr) / 2
