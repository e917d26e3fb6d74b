"""What stands around a quote: its paragraph as a reader reads it. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from ingest.models import SilentRange, Span
from ingest.reading import reading_text, silent_within

_BLANK_LINE = re.compile(r"(?:\r\n|\r(?!\n)|\n)[^\S\r\n]*(?:\r\n|\r|\n)")
_REACH = 1200
"""Characters of the text looked at on each side of a quote for the ends of its paragraph."""
_SHOWN = 600
"""Characters of the paragraph shown on each side; a longer one is cut at a word."""


class Paragraph(NamedTuple):
    """Reading texts: what stands before the quote in its paragraph, the quote, what stands after it."""

    before: str
    quote: str
    after: str


def paragraph_of(text: str, silent: Sequence[SilentRange], span: Span) -> Paragraph:
    """The paragraph (or paragraphs) that `span` of the text stands in; `silent` counts in the text, sorted and disjoint."""
    floor, ceiling = max(span.start - _REACH, 0), min(span.end + _REACH, len(text))
    start = max((m.end() for m in _BLANK_LINE.finditer(text, floor, span.start)), default=floor)
    after = _BLANK_LINE.search(text, span.end, ceiling)
    around = Span(start, after.start() if after else ceiling)
    read = reading_text(around.slice(text), silent_within(silent, around))
    marked = read.to_reading(span.shift(-around.start))
    return Paragraph(_end_of(read.text[: marked.start]), marked.slice(read.text), _beginning_of(read.text[marked.end :]))


def _end_of(text: str) -> str:
    if len(text) <= _SHOWN:
        return text
    cut = text.find(" ", len(text) - _SHOWN, len(text) - _SHOWN + 40)
    return f"… {text[cut + 1 if cut >= 0 else len(text) - _SHOWN :]}"


def _beginning_of(text: str) -> str:
    if len(text) <= _SHOWN:
        return text
    cut = text.rfind(" ", _SHOWN - 40, _SHOWN)
    return f"{text[: cut if cut >= 0 else _SHOWN]} …"
