"""The reading text of a span: what a reader reads, without silent ranges, white space folded; with a map back.

Tokens, embeddings, quotation look-up and display use reading texts; offsets never do.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

from ingest.models import SilentRange, Span

_FOLDED = re.compile(r"\s{2,}|[^\S ]")
ZERO_WIDTH = "\u00ad\u200b\u2060\ufeff"
"""Soft hyphen, zero-width space, word joiner, zero-width no-break space: never read. (Joiners of emoji and Indic letters are.)"""
_SHORT = 4096
"""Shorter texts (in characters) have their maps copied from numbers that are kept."""
_UNREAD = re.compile(f"[{ZERO_WIDTH}]+")
_UNSPACED = re.compile(r"[\u2e80-\u303f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff00-\uffef\U00020000-\U0003fffd]")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ReadingText:
    """`text`, and for each of its characters the half-open span of the source it stands for (`starts[i]:ends[i]`, both rising)."""

    text: str
    starts: Sequence[int]
    ends: Sequence[int]

    def to_source(self, span: Span) -> Span:
        """The least run of the source that the reading span stands for. Raises ValueError for an empty span."""
        if not len(span):
            raise ValueError("an empty span stands nowhere")
        return Span(self.starts[span.start], self.ends[span.end - 1])

    def to_reading(self, span: Span) -> Span:
        """The reading characters that stand for anything inside the source span; empty where nothing of it is read."""
        if isinstance(self.starts, range):  # every character is read as it stands
            return Span(min(span.start, len(self.text)), min(span.end, len(self.text)))
        start = bisect_right(self.ends, span.start)
        end = bisect_left(self.starts, span.end)
        return Span(start, max(start, end))


def is_unspaced(character: str) -> bool:
    """Whether lines are joined without a space beside this character (Chinese, Japanese)."""
    return bool(_UNSPACED.match(character))


def joint(before: str, gap: str, after: str) -> str:
    """What is read between the characters `before` and `after` where white space (or nothing) stands: nothing between Chinese or
    Japanese characters at a line end."""
    if not any(map(str.isspace, gap)):
        return ""
    return "" if ("\n" in gap or "\r" in gap) and is_unspaced(before) and is_unspaced(after) else " "


def zero_width(text: str) -> list[SilentRange]:
    """The silent ranges of characters that are never read, for every format."""
    return [SilentRange(start=m.start(), end=m.end()) for m in _UNREAD.finditer(text)]


def merge_silent(ranges: Iterable[SilentRange]) -> tuple[SilentRange, ...]:
    """Sorted and disjoint: of two that overlap, the one that begins first (then the longer) stays, the other is cut or dropped."""
    out: list[SilentRange] = []
    for r in sorted(ranges, key=lambda r: (r.start, -r.end)):
        start = max(r.start, out[-1].end) if out else r.start
        if start < r.end:
            out.append(r if start == r.start else SilentRange(start=start, end=r.end, replacement=r.replacement))
    return tuple(out)


def silent_within(silent: Sequence[SilentRange], span: Span) -> tuple[SilentRange, ...]:
    """The silent ranges that touch the span, cut to it, counted from its start. `silent` is sorted and disjoint."""
    if not silent:
        return ()
    out = []
    first = bisect_right(silent, span.start, key=lambda r: r.end)
    last = bisect_left(silent, span.end, lo=first, key=lambda r: r.start)
    for r in silent[first:last]:
        start, end = max(r.start, span.start) - span.start, min(r.end, span.end) - span.start
        out.append(SilentRange(start=start, end=end, replacement=r.replacement if r.start >= span.start else ""))
    return tuple(out)


def as_read(text: str, silent: Sequence[SilentRange] = ()) -> str:
    """The reading text without its map."""
    return " ".join(text.split()) if not silent and text.isascii() else reading_text(text, silent).text


def reading_text(text: str, silent: Sequence[SilentRange] = ()) -> ReadingText:
    """The reading text of `text`; `silent` counts in `text`, sorted and disjoint.

    White space is folded to one space (to nothing between Chinese or Japanese characters, where it holds a line end) and
    dropped at both ends.
    """
    if not silent and " ".join(text.split()) == text:  # nothing to leave out, nothing to fold: most sentences of a PDF
        return ReadingText(text=text, starts=range(len(text)), ends=range(1, len(text) + 1))
    if not silent and text.isascii():
        return _with_folded_space(text)
    pieces: list[tuple[str, int, int]] = []  # (characters, source start, source end): 1:1 where the lengths agree
    at = 0
    for r in (*silent, SilentRange(start=len(text), end=len(text) + 1)):
        pieces += _plain(text, at, min(r.start, len(text)))
        if r.replacement:
            pieces.append((r.replacement, r.start, r.end))
        at = r.end
    out, starts, ends = [], array("q"), array("q")
    pending: tuple[int, int] | None = None  # source of white space not yet written
    line_end = False
    last = ""
    for characters, start, end in pieces:
        if characters.isspace():
            pending = (pending[0] if pending else start, end)
            line_end |= "\n" in characters or "\r" in characters
            continue
        if pending and last and not (line_end and is_unspaced(last) and is_unspaced(characters[0])):
            out.append(" ")
            starts.append(pending[0])
            ends.append(pending[1])
        pending, line_end = None, False
        out.append(characters)
        last = characters[-1]
        if len(characters) == end - start:
            starts.extend(range(start, end))
            ends.extend(range(start + 1, end + 1))
        else:
            starts.extend([start] * len(characters))
            ends.extend([end] * len(characters))
    return ReadingText(text="".join(out), starts=starts, ends=ends)


def _with_folded_space(text: str) -> ReadingText:
    """The reading text where runs of white space are all that is not read as it stands."""
    numbers = _few_numbers() if len(text) < _SHORT else _numbers(len(text) + 1)
    out, starts, ends = [], array("q"), array("q")
    at = len(text) - len(text.lstrip())
    last = len(text.rstrip())
    for m in _FOLDED.finditer(text, at, last):
        start, end = m.span()
        out.append(text[at:start])
        starts += numbers[at : start + 1]
        ends += numbers[at + 1 : start + 1]
        ends.append(end)
        at = end
    out.append(text[at:last])
    starts += numbers[at:last]
    ends += numbers[at + 1 : last + 1]
    return ReadingText(text=" ".join(out), starts=starts, ends=ends)


def _numbers(end: int) -> array[int]:
    """0, 1, … `end` - 1, to be copied from: many times faster than counting."""
    return array("q", range(end))


@cache
def _few_numbers() -> array[int]:
    return _numbers(_SHORT)


def _plain(text: str, start: int, end: int) -> list[tuple[str, int, int]]:
    """The text in pieces: what is read as it stands, and white space that may have to be folded."""
    pieces, at = [], start
    for m in _FOLDED.finditer(text, start, end):
        pieces += _words(text, at, m.start())
        pieces.append((m.group(), m.start(), m.end()))
        at = m.end()
    return pieces + _words(text, at, end)


def _words(text: str, start: int, end: int) -> list[tuple[str, int, int]]:
    """Words with single spaces between; a space at either end apart, since it may meet another."""
    if start >= end:
        return []
    first = start + (text[start] == " ")
    last = max(first, end - (text[end - 1] == " "))
    return [(text[a:b], a, b) for a, b in ((start, first), (first, last), (last, end)) if a < b]
