"""Lines to words: what stands between two lines, which characters are raised, which cannot be read. Pure functions."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Container, Iterable, Iterator
from itertools import groupby

from ingest.pdf.page import ACCENTS, LeftOut, Line
from ingest.reading import is_unspaced

SOFT_HYPHEN = "\u00ad"
HYPHENS = "-\u2010\u00ad"
LEADER = "leader"
_BROKEN = "\ufffe"
"""Holds the halves of a broken word together; a noncharacter, which stands in no text."""
PUT_IN = -1
"""In place of an offset: the characters stand on no page."""
_LEADER = re.compile(r"(?:\.\s*){4,}\.|(?:…\s*){2,}…|(?:·\s*){4,}·")
_TWO_DOTS = re.compile(r"[.…·]\s*[.…·]")
_LEAST_DOTS = 5
_RAISED = str.maketrans("0123456789+-−=()n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿ")
_LOWERED = str.maketrans("0123456789+-−=()", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎")
_MAPPABLE = set("0123456789+-−=(),.; ")
_SMALL = 0.85
"""A raised or lowered digit is set smaller than this part of its line."""
_WORD_AT_END = re.compile(r"([^\W\d_]+)[-\u2010\u00ad]$")
_WORDS = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_WORD_AT_START = re.compile(r"[^\W\d_]+")
_COMPOUND_HEADS = frozenset(
    "all cross double eighty far fast fifty first five forty four full good half hard high ill large long low mid near new nine "
    "ninety non old one open pseudo quasi real second self seven seventy short single six sixty slow small south third thirty "
    "three time top twenty two well wide world year zero".split()
)
"""Words that mostly head a compound ("long-term", "self-service"): a break after one of them keeps its hyphen …"""
_SUFFIXES = frozenset(
    "able age al ance ant ation ed ement en ence ened ening ent er ern ers ery est ful hood ing ings ion ish ism ist ity ive "
    "ization ize land less ling ly ment ments ness or ous ship some th tion ward ware way ways wise y".split()
)
"""… unless what follows is no word of its own ("short-age", "high-er")."""


def readable(line: Line) -> list[tuple[str, int]]:
    """The line's characters that are read, as (characters, offset in the page's stream) runs; raised digits in Unicode forms.

    Where dots lead from one word to another, a space stands for them, with the offset `PUT_IN`. An accent drawn over the letter
    after it follows that letter, as a combining mark.
    """
    text = _with_raised(line) if line.styles else line.text
    if line.order:
        silent = {i for x in line.left_out for i in range(x.start, x.end)}
        return [(text[i], line.source_offset + i) for i in line.order if i not in silent]
    if not line.left_out and not line.accents:
        return [(text, line.source_offset)]
    runs: list[tuple[str, int]] = []
    start = 0
    for left_out in [*line.left_out, LeftOut(len(text), len(text), "")]:
        runs += _runs(text, start, left_out.start, line)
        if left_out.reason == LEADER:
            runs.append((" ", PUT_IN))
        start = left_out.end
    return runs


def _runs(text: str, start: int, end: int, line: Line) -> Iterator[tuple[str, int]]:
    for i in sorted(i for i in line.accents if start <= i < end - 1):
        if i > start:
            yield text[start:i], line.source_offset + start
        yield text[i + 1], line.source_offset + i + 1
        yield ACCENTS[text[i]], line.source_offset + i
        start = i + 2
    if start < end:
        yield text[start:end], line.source_offset + start


def may_be_unread(stream: str) -> bool:
    """Whether anything of a page might not be read: most pages need not be looked at line by line."""
    return not stream.isprintable() or "\ufffd" in stream or bool(_TWO_DOTS.search(stream))


def unread(text: str, mono: bool) -> tuple[LeftOut, ...]:
    """What of a line is not read, in order: controls, glyphs without Unicode, dots that lead to a page number (not in code)."""
    if text.isascii() and text.isprintable() and (mono or text.count(".") < _LEAST_DOTS):
        return ()
    found = [] if mono or not _TWO_DOTS.search(text) else [LeftOut(m.start(), m.end(), LEADER) for m in _LEADER.finditer(text)]
    if not text.isprintable() or "\ufffd" in text:
        runs = groupby(enumerate(text), key=lambda pair: unreadable(pair[1]))
        for out, run in runs:
            if out:
                places = [i for i, _ in run]
                found.append(LeftOut(places[0], places[-1] + 1, "no unicode"))
    return tuple(sorted(found))


def unreadable(character: str) -> bool:
    """Whether the character is a control, or stands for a glyph of which no Unicode is known."""
    if character == "\ufffd":
        return True
    return not character.isprintable() and unicodedata.category(character) in ("Cc", "Co", "Cn", "Cs")


def _with_raised(line: Line) -> str:
    out = []
    for style in line.styles:
        text = line.text[style.start : style.end]
        lift = line.baseline - style.baseline
        if (style.raised or style.size < _SMALL * line.size) and text.strip() and set(text) <= _MAPPABLE:
            if lift > (0.05 if style.raised else 0.15) * line.size:  # MuPDF calls raised what is above the line's first character
                text = text.translate(_RAISED)
            elif lift < -0.05 * line.size:
                text = text.translate(_LOWERED)
        out.append(text)
    return "".join(out)


def keeps_hyphen(before: str, after: str, vocabulary: Container[str]) -> bool:
    """Whether the hyphen that ends `before` belongs to the word, when `after` begins the next line.

    A soft hyphen never does. Otherwise, in this order: digits and capitals keep it; the document's own use decides (the word
    without hyphen, or with it, stands elsewhere in `vocabulary`, lower case); heads of compounds keep it; else it goes.
    """
    if before.endswith(SOFT_HYPHEN):
        return False
    head, tail = _WORD_AT_END.search(before), _WORD_AT_START.match(after)
    if not head or not tail or not after[0].islower():
        return True
    first, second = head[1].lower(), tail[0].lower()
    if first + second in vocabulary:
        return False
    if f"{first}-{second}" in vocabulary or before[: head.start()].endswith(tuple(HYPHENS)):
        return True
    return (first in _COMPOUND_HEADS and second not in _SUFFIXES) or (first == "re" and second[0] == "e")


def needs_space(before: str, after: str) -> bool:
    """Whether two joined lines need a space between them: not between Chinese or Japanese characters."""
    if not before or not after or before[-1].isspace() or after[0].isspace():
        return False
    return not (is_unspaced(before[-1]) and is_unspaced(after[0]))


def words_of(pages: Iterable[Iterable[Line]]) -> set[str]:
    """Lower-case words of the pages' lines, hyphenated ones whole; words broken at a line's end are left out."""
    every: set[str] = set()
    for lines in pages:
        text = "".join([f"{line.text.strip()}\n" for line in lines])
        for hyphen in HYPHENS:
            text = text.replace(f"{hyphen}\n", _BROKEN)
        every.update(text.split())
    plain = {word.lower() for word in every if word.isalpha()}
    others = [word for word in every if not word.isalpha() and _BROKEN not in word[1:]]
    return plain.union(_WORDS.findall(" ".join(others).lower()))
