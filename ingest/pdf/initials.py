"""Initials: the large first letter of a text that reaches down over its next lines, or up above its first. Pure functions.

A PDF has the letter as a line of its own, on the baseline of the last line beside it; it is read before the first.
"""

from __future__ import annotations

from collections.abc import Container, Sequence

from msgspec.structs import replace

from ingest.pdf.margins import usual_size
from ingest.pdf.page import Line
from ingest.pdf.words import words_of

_LARGER = 1.6
"""An initial is at least this many times as large as its text."""
_MOST = 30
"""More letters of that size on one page are no initials, but a puzzle, a drawing, an attack."""
_CAPITAL = 0.7
"""The height of a capital as a part of its type size, about."""
_WORDS = frozenset("AIOÀEYÓÉ")
"""Letters that are words (English, French, Italian, Spanish, Portuguese)."""


def with_initials(pages: Sequence[Sequence[Line]]) -> list[Sequence[Line]]:
    """The lines of each page, initials on the line they begin."""
    found = [[(one, first) for one in _large_letters(lines) if (first := _begun_by(one, lines))] for lines in pages]
    if not any(found):
        return list(pages)
    begun = [{first.source_offset for _, first in on_page} for on_page in found]
    words = words_of([x for x in lines if x.source_offset not in at] for lines, at in zip(pages, begun, strict=True))
    return [_placed(lines, on_page, words) if on_page else lines for lines, on_page in zip(pages, found, strict=True)]


def _large_letters(lines: Sequence[Line]) -> list[Line]:
    letters = [line for line in lines if len(line.text) <= 2 and line.text.strip().isupper()]
    least = _LARGER * usual_size(lines) if letters else 0.0
    large = [line for line in letters if line.size >= least]
    return large if len(large) <= _MOST else []


def _placed(lines: Sequence[Line], initials: Sequence[tuple[Line, Line]], words: Container[str]) -> list[Line]:
    placed: dict[int, Line] = {}
    for initial, first in initials:
        beside = [line for line in lines if abs(line.x0 - first.x0) < 2 and first.baseline < line.baseline < initial.baseline + 2]
        placed |= {line.source_offset: replace(line, x0=initial.x0) for line in beside}  # the text runs around the letter
        placed[first.source_offset] = replace(first, script=_goes_on(initial.text.strip(), first.text, words))
        look = {"y0": first.y0, "y1": first.y1, "baseline": first.baseline, "size": first.size}
        placed[initial.source_offset] = replace(initial, x1=first.x0, styles=(), **look)
    return [placed.get(line.source_offset, line) for line in lines]


def _begun_by(initial: Line, lines: Sequence[Line]) -> Line | None:
    """The line that the initial begins: the first one beside its upper end."""
    beside = [
        line
        for line in lines
        if initial.size >= _LARGER * line.size
        and initial.x1 - 0.5 * line.size < line.x0 < initial.x1 + 1.5 * line.size
        and abs((initial.baseline - _CAPITAL * initial.size) - (line.baseline - _CAPITAL * line.size)) < 0.7 * line.size
        and line.text[:1].isalpha()
    ]
    raised = [
        line
        for line in lines
        if initial.size >= _LARGER * line.size
        and abs(line.baseline - initial.baseline) < 0.1 * line.size
        and -0.5 * line.size < line.x0 - initial.x1 < 0.3 * line.size
        and line.text[:1].islower()
    ]
    return min(beside or raised, key=lambda line: (line.baseline, line.x0), default=None)


def _goes_on(initial: str, text: str, words: Container[str]) -> bool:
    """Whether the word goes on after its initial, which may be a word itself."""
    rest = text.split(maxsplit=1)[0].strip(".,;:!?’'\"").casefold()
    return not (initial in _WORDS and rest in words and initial.casefold() + rest not in words)
