"""The units of a block: what is matched and quoted.

Prose gives sentences, a heading one unit, a table, code or markup its lines. Units cover every non-space character of the block
once, in order, and begin and end at non-space characters. Sentences are found in the reading text, so that a link target or an
inline mark never looks like a sentence end; each silent mark goes with the sentence it touches. A unit longer than the limit is
cut (`ingest.cutting`) and its parts are `partial`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from msgspec import Struct
from msgspec.structs import replace

from ingest.cutting import cut, weigh
from ingest.models import Block, ParsedDocument, Role, SilentRange, Span, Unit
from ingest.ports import TokenCounter
from ingest.reading import ReadingText, as_read, reading_text, silent_within
from ingest.sentences import paragraphs, sentences, trimmed

LINE_ROLES: frozenset[Role] = frozenset({"table", "code", "markup"})
_LINE = re.compile(r"[^\r\n]+")
_DELIMITER_ROW = re.compile(r"[\s>|:-]*-[\s|:-]*")
_FENCE = re.compile(r"[\s>]*(?:`{3,}|~{3,}).*")
_SPACE = re.compile(r"\s+")


class MeasuredUnit(Struct, frozen=True):
    """A unit, what it weighs in word pieces (see `ingest.cutting.weigh`), and its reading text."""

    unit: Unit
    weight: int
    text: str


def units(document: ParsedDocument, block: Block, counter: TokenCounter, limit: int) -> tuple[Unit, ...]:
    """The units of one block; none weighs more than `limit` word pieces."""
    return tuple(m.unit for m in measured_units(document, [block], counter, [limit])[0])


def measured_units(
    document: ParsedDocument, blocks: Sequence[Block], counter: TokenCounter, limits: Sequence[int]
) -> list[tuple[MeasuredUnit, ...]]:
    """The units of each block, none heavier than the limit of its block. All whole units are counted in one call."""
    whole = [_whole(document, block) for block in blocks]
    weights = iter(weigh(counter, [text for found in whole for _, text in found]))
    out = []
    for found, limit in zip(whole, limits, strict=True):
        measured: list[MeasuredUnit] = []
        for unit, text in found:
            weight = next(weights)
            measured += [MeasuredUnit(unit, weight, text)] if weight <= limit else _parts(document, unit, counter, limit)
        out.append(tuple(measured))
    return out


def _whole(document: ParsedDocument, block: Block) -> list[tuple[Unit, str]]:
    """The block's units before any is cut, each with its reading text."""
    content = block.span.slice(document.text)
    silent = silent_within(document.silent, block.span)
    if silent or block.role in LINE_ROLES or as_read(content) != content:
        units = [Unit(span=s.shift(block.span.start), role=block.role) for s in _spans(content, silent, block.role)]
        return [(unit, _read(document, unit)) for unit in units]
    spans = [Span(0, len(content))] if block.role == "heading" else sentences(content)  # a paragraph that is read as it stands
    return [(Unit(span=s.shift(block.span.start), role=block.role), s.slice(content)) for s in spans]


def _spans(content: str, silent: Sequence[SilentRange], role: Role) -> list[Span]:
    if role in LINE_ROLES:
        return _lines(content, silent, role)
    if role == "heading":
        return trimmed(content, 0, len(content))
    return [s for p in paragraphs(content, silent) for s in _prose(content, silent, p)]


def _prose(content: str, silent: Sequence[SilentRange], paragraph: Span) -> list[Span]:
    own = paragraph.slice(content)
    reading = reading_text(own, silent_within(silent, paragraph))
    return [s.shift(paragraph.start) for s in to_source(own, reading, sentences(reading.text))]


def _read(document: ParsedDocument, unit: Unit) -> str:
    return as_read(unit.span.slice(document.text), _silent(document, unit))


def _silent(document: ParsedDocument, unit: Unit) -> tuple[SilentRange, ...]:
    """Markup is found by its own characters: nothing of it is silent."""
    return () if unit.role == "markup" else silent_within(document.silent, unit.span)


def _parts(document: ParsedDocument, unit: Unit, counter: TokenCounter, limit: int) -> Iterator[MeasuredUnit]:
    """A unit above the limit in parts within it."""
    content = unit.span.slice(document.text)
    reading = reading_text(content, _silent(document, unit))
    weighed = cut(reading, content, counter, limit)
    parts = to_source(content, reading, [s for s, _ in weighed])
    weights = [w for _, w in weighed]
    if len(parts) != len(weights):  # a cut fell inside one silent replacement and was dropped
        weights = weigh(counter, [reading.to_reading(p).slice(reading.text) for p in parts])
    for part, weight in zip(parts, weights, strict=True):
        own = replace(unit, span=part.shift(unit.span.start), partial=len(parts) > 1)
        yield MeasuredUnit(own, weight, _read(document, own))


def to_source(content: str, reading: ReadingText, spans: Sequence[Span]) -> list[Span]:
    """Neighbouring spans of the reading text as spans of `content` that cover all its non-space characters.

    Unread characters between two spans are cut at the white space that is read there; where there is none, closing marks go to
    the left, opening ones to the right.
    """
    out: list[Span] = []
    start = len(content) - len(content.lstrip())
    for left, right in pairwise(spans):
        end, following = _border(content, start, reading, left, right)
        if start < end <= following:
            out += trimmed(content, start, end)
            start = following
    return out + trimmed(content, start, len(content))


def _border(content: str, start: int, reading: ReadingText, left: Span, right: Span) -> tuple[int, int]:
    """The end of `left` and the start of `right` in the source; (0, 0) where no border can stand between them."""
    end, following = reading.ends[left.end - 1], reading.starts[right.start]
    if end > following:
        return 0, 0
    read_space = reading.starts[left.end] if left.end < right.start else end
    space = _SPACE.search(content, read_space, following)
    if space:
        return space.start(), space.end()
    between = content[end:following]
    closing = between.startswith("</") or content.count(between, start, end) % 2 == 1 if between else False
    return (following, following) if closing else (end, end)


def _lines(content: str, silent: Sequence[SilentRange], role: Role) -> list[Span]:
    """Lines without white space at their ends; one that says nothing (a fence, a delimiter row) joins its neighbour."""
    out: list[Span] = []
    pending: int | None = None  # where unread lines before the first read one begin
    for m in _LINE.finditer(content):
        for line in trimmed(content, m.start(), m.end()):
            if not _says_nothing(content, silent, role, line):
                out.append(line if pending is None else Span(pending, line.end))
                pending = None
            elif out:
                out[-1] = Span(out[-1].start, line.end)
            else:
                pending = line.start if pending is None else pending
    if pending is not None:
        out += trimmed(content, pending, len(content))
    return out


def _says_nothing(content: str, silent: Sequence[SilentRange], role: Role, line: Span) -> bool:
    own = line.slice(content)
    if role == "markup":
        return False
    form = _DELIMITER_ROW if role == "table" else _FENCE
    return bool(form.fullmatch(own)) or not as_read(own, silent_within(silent, line))
