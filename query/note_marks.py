"""Note marks in a text: raised figures and daggers that send the reader elsewhere, and are no part of the words. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ingest.models import SilentRange
from ingest.reading import merge_silent

_RAISED = "\u00b9\u00b2\u00b3\u2070\u2074-\u2079"
_MARK = re.compile(rf"(?:[{_RAISED}]+(?:[,\u02d2\u207b][{_RAISED}]+)*|[\u2020\u2021]+)")
_MARKS = "\u00b9\u00b2\u00b3\u2070\u2074\u2075\u2076\u2077\u2078\u2079\u2020\u2021"
_WORD_BEFORE = re.compile(r"[^\W\d_]+$")
_FUNCTIONS = frozenset({"sin", "cos", "tan", "cot", "sec", "csc", "log", "sinh", "cosh", "tanh"})
_SHORTEST_WORD = 3
"""Letters of a word that a raised figure is taken for a note mark after: shorter ones are symbols and units (x², km²)."""


def without_note_marks(text: str, silent: Sequence[SilentRange]) -> tuple[SilentRange, ...]:
    """The silent ranges, and the note marks as well."""
    if not any(mark in text for mark in _MARKS):
        return tuple(silent)
    marks = [SilentRange(start=m.start(), end=m.end()) for m in _MARK.finditer(text) if _is_note(text, m)]
    return merge_silent([*silent, *marks])


def _is_note(text: str, mark: re.Match[str]) -> bool:
    before = text[max(mark.start() - 40, 0) : mark.start()].rstrip("*_~")  # the marks of Markdown
    if not before or before[-1].isspace() or before[-1].isdigit():
        return False
    word = _WORD_BEFORE.search(before)
    if word is None:
        return before[-1] in ".,;:!?\u2026)]\u201d\u2019\u00bb\"'\u3002\uff0c"
    return len(word.group()) >= _SHORTEST_WORD and word.group().lower() not in _FUNCTIONS
