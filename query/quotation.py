"""Quotations compared the way a careful reader compares them, with exact maps back to the source.

Two texts are the same words if they are the same after folding: compatibility forms (ligatures, raised digits, full width), case,
the order of a letter's marks, the shapes of quotation marks, apostrophes and dashes, runs of white space, invisible characters, and
a hyphen with white space after it inside a word (a line end that was copied along). Everything else counts: accents, punctuation,
where words begin and end.

Each text becomes its *letters* (all but white space and hyphens, folded) and the *gap* before each letter. Letters are found by
plain string search; then the gaps are compared. Linear in the text.
"""

from __future__ import annotations

import re
import unicodedata
from array import array
from collections.abc import Iterator, MutableSequence, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby

from ingest.models import SilentRange, Span
from ingest.reading import ZERO_WIDTH, ReadingText, reading_text, zero_width
from query.words import is_written_without_spaces, runs_on

_NONE, _SPACE, _HYPHEN, _LINE_HYPHEN, _DASH = range(5)
_SHAPES = dict.fromkeys("\u2018\u2019\u201a\u201b\u02bc\u2032\u00b4`", "'") | dict.fromkeys(
    "\u201c\u201d\u201e\u201f\u00ab\u00bb\u2033", '"'
)
_HYPHENS = "\\-\u2010-\u2015\u2212\ufe58\ufe63\uff0d"
_GAP = re.compile(rf"[\s{_HYPHENS}]+")
_LETTERS = re.compile(rf"[^\s{_HYPHENS}]+")
_ASCII_RUNS = re.compile(r"[\x00-\x7f]+|[^\x00-\x7f]+")
_INVISIBLE = ZERO_WIDTH + "\u200c\u200d\u200e\u200f\u202a-\u202e"


class _Folding(dict[int, str]):
    """A table for `str.translate`, filled as characters come. Each character folds by itself, so that maps stay exact."""

    def __missing__(self, code: int) -> str:
        folded = "" if _GAP.match(chr(code)) else fold_letter(chr(code))
        self[code] = folded
        return folded


def fold_letter(character: str) -> str:
    """The folded form of one character, which may be none or several."""
    if character in _INVISIBLE:
        return ""
    shaped = _SHAPES.get(character, character)
    folded = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", shaped).casefold())
    return "".join(_SHAPES.get(c, c) for c in folded if not c.isspace())


_FOLDING = _Folding()


def in_canonical_order(letters: str) -> str:
    """Folded letters with the marks of each in their canonical order (Unicode Standard, 3.11), whatever order they were typed in.

    Sorted here, since `unicodedata.normalize` takes quadratic time for a long run of marks.
    """
    if unicodedata.is_normalized("NFD", letters):
        return letters
    runs = groupby(letters, key=lambda letter: unicodedata.combining(letter) > 0)
    return "".join("".join(sorted(run, key=unicodedata.combining) if marks else run) for marks, run in runs)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Words:
    """A text ready to compare: its letters, the kind of gap before each, and where each stands in the source."""

    letters: str
    gaps: bytes
    starts: Sequence[int]
    ends: Sequence[int]
    hyphen_starts: dict[int, int]


def letters_of(text: str, silent: Sequence[SilentRange] = ()) -> str:
    """The letters alone, quickly: for a first look whether words can be in a text at all."""
    pieces, at = [], 0
    for r in silent:
        pieces += [text[at : r.start], r.replacement]
        at = r.end
    pieces.append(text[at:])
    kept, dropped = _ascii_folding()
    letters = "".join(
        run.encode().translate(kept, dropped).decode() if run.isascii() else run.translate(_FOLDING)
        for run in _ASCII_RUNS.findall("".join(pieces))
    )
    return in_canonical_order(letters)


@cache
def _ascii_folding() -> tuple[bytes, bytes]:
    """The same folding for `bytes.translate`, which is many times faster: what each byte becomes, and which are dropped."""
    folded = [_FOLDING[code] for code in range(128)]
    kept = bytes(ord(f) if f else code for code, f in enumerate(folded)) + bytes(range(128, 256))
    return kept, bytes(code for code, f in enumerate(folded) if not f)


def words_of(text: str, silent: Sequence[SilentRange] = ()) -> Words:
    """`silent` counts in `text`, sorted and disjoint."""
    reading = reading_text(text, silent)
    letters: list[str] = []
    gaps, starts, ends = bytearray(), array("q"), array("q")
    hyphens: dict[int, int] = {}
    at = 0
    for m in _LETTERS.finditer(reading.text):
        gap, at = reading.text[at : m.start()], m.end()
        first = len(gaps)
        for folded, start, end in _pieces(reading, m.start(), m.end()):
            letters.append(folded)
            gaps.extend(bytes(len(folded)))
            starts.extend(range(start, end) if len(folded) == end - start else [start] * len(folded))
            ends.extend(range(start + 1, end + 1) if len(folded) == end - start else [end] * len(folded))
        if len(gaps) > first:
            gaps[first] = kind = _gap(gap)
            if kind not in (_NONE, _SPACE):
                hyphens[first] = reading.starts[m.start() - len(gap.lstrip())]
    folded_letters = "".join(letters)
    ordered = in_canonical_order(folded_letters)
    if ordered != folded_letters:
        _join_reordered(folded_letters, ordered, starts, ends)
    return Words(letters=ordered, gaps=bytes(gaps), starts=starts, ends=ends, hyphen_starts=hyphens)


def _join_reordered(letters: str, ordered: str, starts: MutableSequence[int], ends: MutableSequence[int]) -> None:
    """Marks that changed places stand each for the whole run of marks."""
    after = 0
    for at, (one, other) in enumerate(zip(letters, ordered, strict=True)):
        if one == other or at < after:
            continue
        after = at + 1
        while after < len(letters) and unicodedata.combining(letters[after]):
            after += 1
        start, end = min(starts[at:after]), max(ends[at:after])
        for i in range(at, after):
            starts[i], ends[i] = start, end


def quotation(text: str) -> Words:
    """What is looked for: a text from outside, whose invisible characters nobody recorded."""
    return words_of(text, zero_width(text))


def places(source: Words, wanted: Words) -> Iterator[Span]:
    """Where the wanted words stand in the source, as spans of the source's text, in order, not overlapping."""
    size, at = len(wanted.letters), source.letters.find(wanted.letters) if wanted.letters else -1
    while at >= 0:
        if _whole(source, at, at + size) and _gaps_agree(source, at, wanted):
            start = source.hyphen_starts.get(at, source.starts[at]) if wanted.gaps[0] in (_HYPHEN, _DASH) else source.starts[at]
            yield Span(start, source.ends[at + size - 1])
            at = source.letters.find(wanted.letters, at + size)
        else:
            at = source.letters.find(wanted.letters, at + 1)


def _pieces(reading: ReadingText, start: int, end: int) -> Iterator[tuple[str, int, int]]:
    """Folded letters with the span of the source they stand for: one piece where each letter is one character."""
    text = reading.text[start:end]
    if text.isascii() and reading.ends[end - 1] - reading.starts[start] == end - start:
        yield text.translate(_FOLDING), reading.starts[start], reading.ends[end - 1]
        return
    for i, character in enumerate(text, start):
        yield _FOLDING[ord(character)], reading.starts[i], reading.ends[i]


def _gap(gap: str) -> int:
    hyphen = gap.strip()
    if not hyphen:
        return _SPACE if gap else _NONE
    if gap[0].isspace():
        return _DASH
    return _LINE_HYPHEN if gap[-1].isspace() else _HYPHEN


def _whole(source: Words, start: int, end: int) -> bool:
    """Whether the letters are whole words, not a part of longer ones."""
    before = source.letters[start - 1 : start] if start and not source.gaps[start] else ""
    after = source.letters[end : end + 1] if end < len(source.gaps) and not source.gaps[end] else ""
    return not (runs_on(before, source.letters[start]) or runs_on(source.letters[end - 1], after))


def _gaps_agree(source: Words, at: int, wanted: Words) -> bool:
    if wanted.gaps[0] in (_HYPHEN, _DASH) and source.gaps[at] in (_NONE, _SPACE):
        return False
    inside, wanted_inside = memoryview(source.gaps)[at + 1 : at + len(wanted.gaps)], memoryview(wanted.gaps)[1:]
    if inside == wanted_inside:
        return True
    pairs = enumerate(zip(inside, wanted_inside, strict=True), at)
    return all(a == b or _same_gap(a, b, source.letters[i : i + 2]) for i, (a, b) in pairs)


def _same_gap(one: int, other: int, letters: str) -> bool:
    """A hyphen at a line end may be the word's own, or only the line's. Beside a character of a script without spaces a space may
    be a line's end, or only a habit (between Chinese and Latin letters)."""
    if any(map(is_written_without_spaces, letters)):
        return {one, other} in ({_NONE, _SPACE}, {_NONE, _LINE_HYPHEN}) or {one, other} <= {_HYPHEN, _LINE_HYPHEN, _DASH}
    return _LINE_HYPHEN in (one, other) and {one, other} <= {_NONE, _HYPHEN, _LINE_HYPHEN}
