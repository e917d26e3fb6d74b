"""Where a span of the canonical text stands on its pages: one quad a line, along the text, around exactly its characters.

The characters' boxes come from `rawdict` with the pinned flags; the page's fingerprint says whether they are the same characters as
at ingest. Nothing is ever searched for.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import groupby

import pymupdf

from ingest.errors import SourceChanged
from ingest.models import Page, Span
from ingest.pdf.engine import FLAGS, characters, fingerprint, translated
from ingest.pdf.lines import CharDict, SpanDict

_SAME_LINE = 0.5
"""Characters whose middles lie within this part of their height of one line belong to it."""
_UPRIGHT = 0.02
"""Lines that lean less than about a degree are taken as upright (where `rawdict` has exact boxes)."""
_TALL = 1.6
"""A character's box higher than this many times its size says nothing about where it is."""
_NEAR = 3
"""How many lines before and after one are looked at for characters under its quad."""
_JOINT = 0.02
"""Parts of a line's height added at a quad's end, so that a character of no width there (a ligature's tail) lies inside."""


_CharacterLine = list[pymupdf.Quad]
"""The quads of characters that make one quad."""


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
            stream, quads = _character_quads(document[page.number - 1])
        if fingerprint(stream) != page.fingerprint:
            raise SourceChanged(
                shown,
                f"page {page.number} has other characters than at ingest",
                next_step="The file or PyMuPDF has changed: ingest it again.",
                pages=(page.number,),
            )
        parts = _without_others(indexes, stream, quads)
        lines = [line for part in parts for line in _lines([(stream[i], quads[i]) for i in part])]
        found[page.number] = [_hull(line) for line in _apart(lines)]
    return found


def _stream_indexes(page: Page, span: Span) -> Iterator[int]:
    """The page's characters that the span is made of, in the span's order."""
    for run in sorted(page.runs):
        start, end = max(run.offset, span.start), min(run.offset + run.length, span.end)
        if start < end:
            yield from range(run.source_offset + start - run.offset, run.source_offset + end - run.offset)


def _without_others(indexes: Sequence[int], stream: str, quads: Sequence[pymupdf.Quad]) -> Iterator[list[int]]:
    """The characters in parts, cut where others stand between two of them in the stream (a note mark that is a link's, a glyph that
    can't be read): no quad lies over these. And where what follows was drawn earlier (the line goes on after an exponent): inside a
    quad the stream's order is the quote's."""
    part: list[int] = []
    for i in indexes:
        if part and (_skips(stream, part[-1], i) or (i < part[-1] and _is_after(quads[i], quads[part[-1]]))):
            yield part
            part = []
        part.append(i)
    if part:
        yield part


def _skips(stream: str, last: int, i: int) -> bool:
    return i > last + 1 and not stream[last + 1 : i].isspace()


def _is_after(quad: pymupdf.Quad, last: pymupdf.Quad) -> bool:
    """Whether the character stands beyond the last one, as text runs."""
    along, _ = _frame(last)
    step = _middle(quad) - last.ur
    return bool(step.x * along.x + step.y * along.y > 0)


def _lines(characters: Sequence[tuple[str, pymupdf.Quad]]) -> Iterator[_CharacterLine]:
    """Neighbouring characters on one line make one quad; spaces at its ends are left out."""
    line: _CharacterLine = []
    spaces: list[pymupdf.Quad] = []
    for character, quad in characters:
        if line and not _goes_on(line, quad):
            yield line
            line, spaces = [], []
        if character.isspace():
            spaces = [*spaces, quad] if line else []
            continue
        line += [*spaces, quad]
        spaces = []
    if line:
        yield line


def _apart(lines: Sequence[_CharacterLine]) -> list[_CharacterLine]:
    """The lines, those parted where the type changes whose quad would lie over characters of another (a sum beside its limits): no
    character is marked twice."""
    hulls = [_hull(line).rect for line in lines]
    out: list[_CharacterLine] = []
    for n, (line, hull) in enumerate(zip(lines, hulls, strict=True)):
        near = [m for m in range(max(0, n - _NEAR), min(len(lines), n + _NEAR + 1)) if m != n and hulls[m].intersects(hull)]
        over = any(hull.contains(_middle(quad)) for m in near for quad in lines[m])
        out += _by_height(line) if over else [line]
    return out


def _by_height(line: _CharacterLine) -> list[_CharacterLine]:
    return [list(run) for _, run in groupby(line, key=lambda quad: round(abs(quad.ll - quad.ul), 1))]


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
    down, square = quad.ll - quad.ul, pymupdf.Point(-along.y, along.x)
    return along, square if square.x * down.x + square.y * down.y >= 0 else -square


def _middle(quad: pymupdf.Quad) -> pymupdf.Point:
    return (quad.ul + quad.lr) / 2


def _character_quads(page: pymupdf.Page) -> tuple[str, list[pymupdf.Quad]]:
    """The page's character stream again, with the quad of each character along the text (`rawdict`, same flags)."""
    text_page = page.get_textpage(flags=FLAGS)
    found = list(characters(text_page))
    leaning = [] if all(_is_upright(direction) for direction, _, _ in found) else list(_leaning_quads(text_page))
    quads = [
        leaning[i] if leaning and not _is_upright(direction) else _turned(pymupdf.Rect(char["bbox"]), direction)
        for i, (direction, _, char) in enumerate(found)
    ]
    lowered = [_lowered(quad, span, char) for quad, (_, span, char) in zip(quads, found, strict=True)]
    return "".join(char["c"] for _, _, char in found), lowered


def _leaning_quads(text_page: pymupdf.TextPage) -> Iterator[pymupdf.Quad]:
    """The engine's own quads, in the order of `characters`: of a line that leans `rawdict` has upright boxes only."""
    for block in text_page.this:
        if block.m_internal.type == pymupdf.mupdf.FZ_STEXT_BLOCK_TEXT:
            for line in block:
                for char in line:
                    quad = char.m_internal.quad
                    yield pymupdf.Quad(*((point.x, point.y) for point in (quad.ul, quad.ur, quad.ll, quad.lr)))


def _is_upright(direction: tuple[float, float]) -> bool:
    return direction[0] == 1 or math.isclose(abs(direction[0]) + abs(direction[1]), 1.0, abs_tol=_UPRIGHT)


def _lowered(quad: pymupdf.Quad, span: SpanDict, char: CharDict) -> pymupdf.Quad:
    """Some fonts state boxes several lines high. What is left then is the letter's own height, and the box's middle (by which
    characters are told to be inside a rectangle)."""
    size, down = span["size"], quad.ll - quad.ul
    height = float(abs(down))
    if height <= _TALL * size:
        return quad
    down = down.unit
    baseline = (char["origin"][0] - quad.ul.x) * down.x + (char["origin"][1] - quad.ul.y) * down.y
    top = max(0.0, min(baseline - 0.8 * size, height / 2 - 0.1 * size))
    bottom = min(height, max(baseline + 0.2 * size, height / 2 + 0.1 * size))
    return pymupdf.Quad(quad.ul + down * top, quad.ur + down * top, quad.ul + down * bottom, quad.ur + down * bottom)


def _turned(rect: pymupdf.Rect, direction: tuple[float, float]) -> pymupdf.Quad:
    """The rectangle's corners named along the text: ul is the upper left as a reader of the line sees it."""
    tl, tr, bl, br = rect.tl, rect.tr, rect.bl, rect.br
    cos, sin = round(direction[0]), round(direction[1])
    if cos == 1:
        return pymupdf.Quad(tl, tr, bl, br)
    if cos == -1:
        return pymupdf.Quad(br, bl, tr, tl)
    if sin == 1:  # downward
        return pymupdf.Quad(tr, br, tl, bl)
    return pymupdf.Quad(bl, tl, br, tr)  # upward
