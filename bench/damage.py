"""Quotations cut out of texts, and what copying, typing and editing do to them, in every script. The same for the same seed."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from random import Random

from ingest.models import Span

Damage = Callable[[str, Random], str]

_UNSPACED = "\u0e00-\u0e4e\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
_CLUSTER = re.compile(rf"[{_UNSPACED}][\u0e31\u0e33-\u0e3a\u0e47-\u0e4e\u3099\u309a]*")
_PIECE = re.compile(rf"(?:{_CLUSTER.pattern}){{1,3}}|[^\s{_UNSPACED}]+|\s+")
_SENTENCE_END = re.compile(r"[.!?\u0964\u061f](?=\s)|[\u3002\uff01\uff1f]|(?<=[\u0e00-\u0e4e]{12}) (?=[\u0e00-\u0e4e])")
_MARKUP = re.compile(r"[#|`<>\[\]*_]")
_FILLERS = (("\u0e00", "\u0e7f", "แต่"), ("\u0400", "\u04ff", "однако"), ("\u0600", "\u06ff", "لكن"), ("\u0900", "\u097f", "परंतु"))


def cut(text: str, random: Random) -> Span | None:
    """One to three whole sentences of the text, 60 to 600 characters (half as many where two or more letters make no word)."""
    ends = [m.end() for m in _SENTENCE_END.finditer(text)]
    first = random.randrange(len(ends)) if ends else 0
    if not ends or first + 3 >= len(ends):
        return None
    start, end = ends[first], ends[first + random.randint(1, 3)]
    start += len(text[start:end]) - len(text[start:end].lstrip())
    end -= len(text[start:end]) - len(text[start:end].rstrip())
    quote = text[start:end]
    least = 25 if re.search(r"[\u3040-\u30ff\u3400-\u9fff]", quote) else 60
    if not least <= len(quote) <= 10 * least or len(words(quote)) < 8 or _MARKUP.search(quote) or "\n\n" in quote:
        return None
    return Span(start, end)


def pieces(quote: str) -> list[str]:
    """Words and white space in turn; up to three characters of a script without spaces are a word."""
    return _PIECE.findall(quote)


def words(quote: str) -> list[str]:
    return [piece for piece in pieces(quote) if not piece.isspace()]


def wrapped(quote: str, random: Random) -> str:
    """Other line breaks and spaces; in scripts without spaces a line may end after any word."""
    out = ""
    for before, piece in zip(["", *pieces(quote)], pieces(quote), strict=False):
        if piece.isspace():
            out += random.choice([" ", "\n", "  ", " \n "])
            continue
        if before and not before.isspace() and random.random() < 0.15:
            out += "\n"
        out += piece
    return out


def hyphenated(quote: str, random: Random) -> str:
    """Words broken with a hyphen at a line end, where the script does that."""
    broken = re.compile(r"(?<![^\W\d_])([a-zа-яё]{4})([a-zа-яё]{4,})(?![^\W\d_])")
    return broken.sub(lambda m: f"{m[1]}-\n{m[2]}" if random.random() < 0.2 else m[0], quote)


def typographic(quote: str, random: Random) -> str:
    """Other quotation marks and dashes, ligatures, full-width and half-width signs, a soft hyphen, Unicode taken apart."""
    shapes = str.maketrans({'"': "“", "'": "’", "“": "«", "”": "»", "，": ",", "：": ":", "（": "(", "）": ")"})
    text = quote.translate(shapes).replace(" - ", " – ").replace("fi", "ﬁ").replace("fl", "ﬂ")
    text = re.sub(r"([^\W\d_]{5})([^\W\d_]{4,})", "\\1\u00ad\\2", text, count=1)
    return unicodedata.normalize(random.choice(["NFC", "NFD"]), text)


def upper(quote: str, random: Random) -> str:
    del random
    return quote.upper()


def edited(quote: str, random: Random) -> str:
    """One to three words dropped, doubled, or another put in their place."""
    some = words(quote)
    filler = next((word for low, high, word in _FILLERS if re.search(f"[{low}-{high}]", quote)), "however")
    filler = "然而" if re.search(r"[\u4e00-\u9fff]", quote) else filler
    for _ in range(random.randint(1, 3)):
        at = random.randrange(1, len(some) - 1)
        some[at : at + 1] = random.choice([[], [some[at], some[at]], [filler]])
    return _joined(some)


def invented(quote: str, other: Sequence[str], random: Random) -> str:
    """Half of the words from another text."""
    some = words(quote)
    for at in random.sample(range(len(some)), max(4, len(some) // 2)):
        some[at] = random.choice(other)
    return _joined(some)


def _joined(some: Sequence[str]) -> str:
    spaced = "".join(
        word if re.match(f"[{_UNSPACED}]", word) and out and re.search(f"[{_UNSPACED}]$", out) else f" {word}"
        for out, word in zip(["", *some], some, strict=False)
    )
    return spaced.strip()


KINDS: Mapping[str, Damage] = {
    "exact": lambda quote, random: quote,
    "wrapped": wrapped,
    "hyphenated": hyphenated,
    "typographic": typographic,
    "case": upper,
    "edited": edited,
}


def squash(text: str) -> str:
    """Letters and digits alone, to compare words by."""
    return re.sub(r"[\W_]+", "", unicodedata.normalize("NFKC", text).casefold())
