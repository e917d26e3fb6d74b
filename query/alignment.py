"""The words of a text nearest to a quotation that isn't there as it stands: where, how near, and what differs, word by word.

The quotation's words are aligned with the text's by least edits, beginning and ending anywhere in the text (Sellers 1980). What an
editor leaves out ("…", "[...]") or puts in ("[the Customer]") may stand for any run of the text. Words are compared folded, as
`query.quotation` does; characters of scripts written without spaces are words of their own.

Similarity is 2 · equal words / (words of the quotation + words of the passage), elided runs aside: 1 for equal words, 0 for none
(Dice 1945). A word with a slip of the pen counts half.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import groupby
from typing import Literal, NamedTuple

from ingest.models import SilentRange, Span
from ingest.reading import ReadingText, reading_text, zero_width
from query.quotation import fold_letter, in_canonical_order
from query.words import ends_phrases_with_spaces

MAX_WORDS, MAX_CHARACTERS = 400, 40_000
"""Of a quotation that is not there as it stands: what is compared; the rest of a longer one is not looked at."""

DiffKind = Literal["same", "quote", "source", "elided"]

_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u2fff\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f"
    "\U00020000-\U0003fffd"
)
_MARKS = "\u0300-\u036f\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ece\u102b-\u103e\u17b6-\u17d3\u3099\u309a"
_WORD = re.compile(rf"[{_UNSPACED}][{_MARKS}]*|[^\s{_UNSPACED}]+")
_ELISION = re.compile(
    r"\[\s*(?:\u2026|\.\s?\.\s?\.)\s*\]|\(\s*(?:\u2026|\.\s?\.\s?\.)\s*\)|\u2026|\.{3,}|\. \. \.|\[[^\[\]]{1,200}\]"
)
_LETTER_BRACKETS = re.compile(r"\[(\w{1,12})\](?=\w)|(?<=\w)\[(\w{0,12})\]")
_EDGES = re.compile(r"^[\W_]+|[\W_]+$")
_SENTENCE_END = re.compile(r"[.!?\u0964\u061f\u3002][\W_]*$")
_SLIP = 0.5
_PUNCTUATION = 0.05
_AMID = 2.5
"""Edits that it is worth to begin or end a sentence where the text does: as much as two words left out."""
_DIAGONAL, _QUOTE, _SOURCE, _FREE, _START = range(5)


class Word(NamedTuple):
    """`term` is compared, `whole` has its punctuation too; it stands at `start:end` of its text."""

    term: str
    whole: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """A run of words: the `same` in both, only in the `quote`, only in the `source`, or `elided` by the quotation's editor.

    `quote` and `source` are the words as they stand there, "" where there are none.
    """

    kind: DiffKind
    quote: str
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Alignment:
    """The nearest run of a text; `span` counts in that text."""

    span: Span
    similarity: float
    diff: tuple[Difference, ...]


class Wanted(NamedTuple):
    """A quotation ready to align: its text, and its words; None stands for a run that was left out or put in."""

    text: str
    words: tuple[Word | None, ...]
    elided: tuple[str, ...]


def wanted_words(quote: str) -> Wanted:
    text = _LETTER_BRACKETS.sub(lambda m: m[1] or m[2] or "", quote.strip()[:MAX_CHARACTERS])
    words: list[Word | None] = []
    elided: list[str] = []
    at = 0
    for m in (*_ELISION.finditer(text), None):
        piece_end = m.start() if m else len(text)
        piece = text[at:piece_end]
        words += [w._replace(start=w.start + at, end=w.end + at) for w in words_in(piece, zero_width(piece))]
        if m:
            words.append(None)
            elided.append(m.group())
            at = m.end()
    return Wanted(text, tuple(words[:MAX_WORDS]), tuple(elided))


def words_in(text: str, silent: Sequence[SilentRange] = ()) -> list[Word]:
    """The words of a text as it is read; `silent` counts in the text, sorted and disjoint."""
    reading = reading_text(text, silent)
    return [_word(m.group(), reading, m) for m in _WORD.finditer(reading.text)]


def _word(shown: str, reading: ReadingText, m: re.Match[str]) -> Word:
    whole = _folded(shown)
    return Word(_EDGES.sub("", whole) or whole, whole, reading.starts[m.start()], reading.ends[m.end() - 1])


@lru_cache(maxsize=50_000)
def _folded(word: str) -> str:
    return in_canonical_order("".join(map(fold_letter, word)))


def align(wanted: Wanted, source: Sequence[Word], text: str) -> Alignment | None:
    """The run of `source` (the words of `text`) that is nearest to the quotation; None where no word of it is there."""
    if not source or not any(wanted.words):
        return None
    steps, end = _least_edits(wanted, source, text)
    path = list(_back(steps, len(wanted.words), end))[::-1]
    matched = [(i, j) for step, i, j in path if step == _DIAGONAL and _cost(wanted.words[i], source[j]) < 1]
    if not matched:
        return None
    first, last = matched[0][1], matched[-1][1]
    within = [at for step, i, j in path if (at := _inside(step, i, j, first, last))]
    return Alignment(
        span=_trimmed(text, source[first], source[last]),
        similarity=_similarity(wanted.words, source, within, last - first + 1),
        diff=tuple(_differences(wanted, source, within, text)),
    )


def _least_edits(wanted: Wanted, source: Sequence[Word], text: str) -> tuple[list[bytearray], int]:
    """The step taken into each cell (row: words of the quotation read), and the column where the best alignment ends.

    A quotation that is a whole sentence had rather begin and end where sentences do: its first and last words then count more
    than one that an editor left out beside them.
    """
    width = len(source) + 1
    borders = [0.0, *(0.0 if ends else _AMID for ends in _sentence_ends(source, text))]
    begins, ends = _is_sentence(wanted)
    above = borders if begins else [0.0] * width
    steps = [bytearray([_START]) * width]
    for word in wanted.words:
        step = bytearray(width)
        free = word is None
        row = [above[0] + (0.0 if free else 1.0)] * width
        step[0] = _QUOTE
        for j in range(1, width):
            if free:
                row[j], step[j] = (above[j], _QUOTE) if above[j] <= row[j - 1] else (row[j - 1], _FREE)
                continue
            diagonal = above[j - 1] + _cost(word, source[j - 1])
            up, left = above[j] + 1.0, row[j - 1] + 1.0
            if diagonal <= up and diagonal <= left:
                row[j], step[j] = diagonal, _DIAGONAL
            elif up <= left:
                row[j], step[j] = up, _QUOTE
            else:
                row[j], step[j] = left, _SOURCE
        steps.append(step)
        above = row
    if ends:
        above = [cost + border for cost, border in zip(above, borders, strict=True)]
    return steps, min(range(width), key=above.__getitem__)


def _sentence_ends(source: Sequence[Word], text: str) -> Iterator[bool]:
    """Whether a sentence, item or paragraph ends after each word."""
    for word, following in zip(source, [*source[1:], None], strict=True):
        gap = text[word.end : following.start] if following else "\n\n"
        yield gap.count("\n") > 1 or _ends_sentence(word) or (bool(gap) and ends_phrases_with_spaces(word.whole[-1:]))


def _ends_sentence(word: Word) -> bool:
    return bool(_SENTENCE_END.search(word.whole))


def _is_sentence(wanted: Wanted) -> tuple[bool, bool]:
    """Whether the quotation begins, and ends, as a sentence does."""
    first, last = wanted.words[0], wanted.words[-1]
    ends = last is not None and (_ends_sentence(last) or ends_phrases_with_spaces(last.whole[-1:]))
    return first is not None and ends and not wanted.text[first.start].islower(), ends


def _back(steps: Sequence[bytearray], i: int, j: int) -> Iterator[tuple[int, int, int]]:
    """(step, index in the quotation, index in the source), from the end; the index that a step doesn't use is the next one's."""
    while i > 0:
        step = steps[i][j]
        if step == _DIAGONAL:
            i, j = i - 1, j - 1
        elif step == _QUOTE:
            i -= 1
        else:
            j -= 1
            yield step, i - 1, j
            continue
        yield step, i, j


def _cost(word: Word | None, other: Word) -> float:
    if word is None:
        return 1.0
    if word.whole == other.whole:
        return 0.0
    if word.term == other.term:
        return _PUNCTUATION
    return _SLIP if _slip(word.term, other.term) else 1.0


@lru_cache(maxsize=100_000)
def _slip(one: str, other: str) -> bool:
    """Whether two words are one word with a slip in it: a letter or two of a longer word."""
    if min(len(one), len(other)) < 4 or abs(len(one) - len(other)) > 2 or (one[0] != other[0] and one[-1] != other[-1]):
        return False
    if one.isdecimal() or other.isdecimal():
        return False
    return SequenceMatcher(None, one, other, autojunk=False).ratio() > 0.8


def _inside(step: int, i: int, j: int, first: int, last: int) -> tuple[int, int, int] | None:
    """A step of the passage from `first` to `last`: what replaces a word outside of it is no part of it, the word replaced is."""
    if step == _QUOTE or first <= j <= last:
        return step, i, j
    return (_QUOTE, i, j) if step == _DIAGONAL else None


def _trimmed(text: str, first: Word, last: Word) -> Span:
    """From the first word to the last, without the punctuation outside of them."""
    start, end = first.start, last.end
    while start < first.end - 1 and not text[start].isalnum():
        start += 1
    while end > max(last.start, start) + 1 and not text[end - 1].isalnum():
        end -= 1
    return Span(start, end) if start < end else Span(first.start, last.end)


Path = Sequence[tuple[int, int, int]]


def _similarity(quote: Sequence[Word | None], source: Sequence[Word], path: Path, passage: int) -> float:
    equal = sum(1 - _cost(quote[i], source[j]) for step, i, j in path if step == _DIAGONAL)
    elided = sum(step == _FREE for step, _, _ in path)
    told = sum(word is not None for word in quote)
    return round(min(max(2 * equal / (told + passage - elided), 0.0), 1.0), 4)


def _differences(wanted: Wanted, source: Sequence[Word], path: Path, text: str) -> Iterator[Difference]:
    """Runs of the path as words; neighbours that are not the same are told as one run of the quotation and one of the source."""
    elided = iter(wanted.elided)
    for kind, run in groupby(path, key=lambda step: _kind(wanted, source, step)):
        steps = list(run)
        quoted = [w for step, i, _ in steps if step in (_DIAGONAL, _QUOTE) and (w := wanted.words[i])]
        sourced = [source[j] for step, _, j in steps if step != _QUOTE]
        here = text[sourced[0].start : sourced[-1].end] if sourced else ""
        there = wanted.text[quoted[0].start : quoted[-1].end] if quoted else ""
        if kind == "elided":
            yield Difference(kind="elided", quote=next(elided, ""), source=here)
        elif kind == "same":
            yield Difference(kind="same", quote=there, source=here)
        else:
            if there:
                yield Difference(kind="quote", quote=there, source="")
            if here:
                yield Difference(kind="source", quote="", source=here)


def _kind(wanted: Wanted, source: Sequence[Word], at: tuple[int, int, int]) -> str:
    step, i, j = at
    if step == _FREE or (step == _QUOTE and wanted.words[i] is None):
        return "elided"
    return "same" if step == _DIAGONAL and _cost(wanted.words[i], source[j]) == 0 else "other"
