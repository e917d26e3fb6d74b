"""Text folded for comparison, with a map back: case, compatibility forms, accents, digits, quotes and hyphens.

Folded are: NFKC and case; marks that don't spell (accents, Hebrew and Arabic vowel signs); digits of any script
to 0-9; the kinds of apostrophe and hyphen to ' and -. Kept are marks that spell (Indic, Thai, Khmer, Burmese, kana, Cyrillic
breve). Joiners, variation selectors and soft hyphens vanish. A run of raised digits is set apart by a ^ ("protocol³" holds the word
"protocol", "10⁶" is "10^6"); lowered ones are digits ("H₂O" is "h2o").
"""

from __future__ import annotations

import re
import unicodedata
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

_ACCENTS = re.compile(
    "[\u0300-\u0305\u0307-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670"
    "\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe00-\ufe0f\ufe20-\ufe2f\U000e0100-\U000e01ef]"
    "|(?<![\u0400-\u052f])\u0306"  # the breve is part of Cyrillic й, ў
)
_RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾"
_INVISIBLE = "\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff"
_UNREAD = re.compile(f"[{_INVISIBLE}]")
_BEFORE = str.maketrans(
    dict.fromkeys("\u2018\u2019\u02bc\u02bb\u02b9\u2032\u00b4`", "'") | dict.fromkeys("\u2010\u2011\u2012\u2013\u2212", "-")
)
_AFTER = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i", "ς": "σ"})


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FoldedText:
    """`text`, and for each of its characters the half-open span of the source it stands for (`starts[i]:ends[i]`)."""

    text: str
    starts: Sequence[int]
    ends: Sequence[int]


def fold(text: str) -> FoldedText:
    """Never raises; linear."""
    if text.isascii():
        return FoldedText(text=text.lower().replace("`", "'"), starts=range(len(text)), ends=range(1, len(text) + 1))
    out: list[str] = []
    starts, ends = array("q"), array("q")
    for m in _clusters().finditer(text):
        start, end = m.span()
        piece = m.group()
        if piece.isascii():
            out.append(piece.lower().replace("`", "'"))
            starts.extend(range(start, end))
            ends.extend(range(start + 1, end + 1))
        else:
            folded = _fold_cluster(piece)
            out.append(folded)
            starts.extend([start] * len(folded))
            ends.extend([end] * len(folded))
    return FoldedText(text="".join(out), starts=starts, ends=ends)


@lru_cache(maxsize=8192)
def _fold_cluster(cluster: str) -> str:
    """One character with the marks on it, or a run of raised digits."""
    if cluster[0] in _RAISED:
        return "^" + unicodedata.normalize("NFKD", cluster).translate(_BEFORE)
    plain = unicodedata.normalize("NFKD", _UNREAD.sub("", cluster).translate(_BEFORE)).casefold()
    bare = _ACCENTS.sub("", unicodedata.normalize("NFKD", plain))
    folded = unicodedata.normalize("NFC", bare).translate(_AFTER).translate(_BEFORE)
    return "".join(_digit(c) for c in folded)


def _digit(character: str) -> str:
    value = unicodedata.decimal(character, None)
    return character if value is None else str(value)


@cache
def mark_class() -> str:
    """The inside of a character class of all combining marks (categories Mn, Mc, Me)."""
    ranges: list[list[int]] = []
    for code in (*range(0x300, 0x1F000), *range(0xE0100, 0xE01F0)):
        if unicodedata.category(chr(code))[0] == "M":
            if ranges and ranges[-1][1] == code - 1:
                ranges[-1][1] = code
            else:
                ranges.append([code, code])
    return "".join(f"\\U{a:08x}-\\U{b:08x}" for a, b in ranges)


@cache
def _clusters() -> re.Pattern[str]:
    """Runs of ASCII or of raised digits, else a character with its marks, vowel and final jamo, and invisible joiners.

    A character has at most 30 marks (UAX #15, "Stream-Safe Text Format"): putting a longer run in order takes quadratic time.
    """
    tail = f"[{mark_class()}{_INVISIBLE}\u1160-\u11ff]"
    return re.compile(rf"[\x00-\x7f]+(?!{tail})|[{_RAISED}]+|.{tail}{{0,30}}", re.DOTALL)
