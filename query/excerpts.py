"""A passage cut down around its match, for display. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ingest.errors import UsageError
from ingest.models import SilentRange, Span
from ingest.reading import reading_text, silent_within

ELLIPSIS = "…"
LEAST = 20
_NEARBY = 30
"""Characters to look back for the end of a word; text without spaces is cut where it must be."""


class Excerpt(NamedTuple):
    """`text` as a reader reads it, with an ellipsis where it was cut; the match is `text[start:end]`."""

    text: str
    start: int
    end: int


def excerpt(content: str, silent: Sequence[SilentRange], match: Span, max_chars: int) -> Excerpt:
    """At most `max_chars` characters of the reading text, the match in their middle, cut at the ends of words.

    A match that is longer is cut at its end. `silent` and `match` count in `content`. Raises UsageError for less than `LEAST`
    characters.
    """
    if max_chars < LEAST:
        raise UsageError(f"an excerpt has at least {LEAST} characters, not {max_chars}")
    read = reading_text(content, silent)
    inside = read.to_reading(match)
    if len(read.text) <= max_chars:
        return Excerpt(read.text, inside.start, inside.end)
    most = max_chars - 2 * (len(ELLIPSIS) + 1)  # an ellipsis and a space on either side
    room = max(most - len(inside), 0)
    before = min(inside.start, max(room // 2, room - (len(read.text) - inside.end)))
    start = _word_start(read.text, inside.start - before, inside.start)
    last = min(inside.end + room - before, start + most)
    end = _word_end(read.text, last, inside.end if last >= inside.end else inside.start)
    head = f"{ELLIPSIS} " if start else ""
    tail = f" {ELLIPSIS}" if end < len(read.text) else ""
    shift = len(head) - start
    return Excerpt(f"{head}{read.text[start:end]}{tail}", inside.start + shift, min(inside.end, end) + shift)


def with_neighbours(units: Sequence[Span], match: Span, count: int) -> Span:
    """The match with `count` units (sentences, items, rows) before and after it, as far as there are any; spans of one text."""
    touched = [i for i, unit in enumerate(units) if unit.start < match.end and match.start < unit.end]
    if not touched:
        return match
    first, last = units[max(touched[0] - count, 0)], units[min(touched[-1] + count, len(units) - 1)]
    return Span(min(first.start, match.start), max(last.end, match.end))


def neighbourhood(content: str, silent: Sequence[SilentRange], units: Sequence[Span], match: Span, count: int) -> Excerpt:
    """The reading text of the match with `count` units on either side."""
    around = with_neighbours(units, match, count)
    read = reading_text(around.slice(content), silent_within(silent, around))
    inside = read.to_reading(match.shift(-around.start))
    return Excerpt(read.text, inside.start, inside.end)


def _word_start(text: str, at: int, limit: int) -> int:
    """The first beginning of a word from `at` on, not past `limit`; `at` itself where there is none nearby."""
    if at <= 0 or text[at - 1].isspace():
        return max(at, 0)
    space = text.find(" ", at, min(at + _NEARBY, limit))
    return at if space < 0 else space + 1


def _word_end(text: str, at: int, limit: int) -> int:
    """The last end of a word up to `at`, not before `limit`; `at` itself where there is none nearby."""
    if at >= len(text) or text[at].isspace():
        return min(at, len(text))
    space = text.rfind(" ", max(at - _NEARBY, limit), at)
    return at if space < 0 else space
