"""Where sentences begin and end.

`sentences(text)` gives half-open spans that begin and end at non-space characters and hold each of them exactly once. Rules and
word lists, no model: the same text always gives the same spans. Each candidate (a run of stops) is judged by the few characters
around it, so the time is linear. A line end ends no sentence; a blank line, a bullet at the start of a line and the end of a row
of cells do.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from ingest.abbreviations import BOUND, DATE_WORDS, NAMELIKE, NUMBERED, OPEN_ENDED, ORDINAL_ARTICLES, STARTERS
from ingest.models import SilentRange, Span

_HARD = "。．！？｡؟۔।॥։።፧፨។။།"
"""Stops of scripts that need no space after them, and are never part of a word or number."""
_STOPS = re.compile(rf"[.!?…‼⁇⁈⁉{_HARD}]+")
_CLOSING = re.compile(
    r"(?:[\"'”’“‘»›«‹)\]}*_†‡]"  # quotes and brackets (German closes with “ and «)
    r"|[⁰¹²³⁴-⁹]+"  # raised note number
    r"|\[[^\[\]\n]{1,24}\]"  # [12], [3, 4], [^note], [citation needed]
    r"|[ \u00a0\u202f][»›](?=\s|$))*"
)
_HARD_CLOSING = re.compile(r"[”’」』】）》〉〕］)\]}»]*(?:[⁰¹²³⁴-⁹]+|\[[^\[\]\n]{1,24}\])?[”’」』】）》〉〕］)\]}»]*")
_OPENING = re.compile(r"[\"'“‘”’«»‹›„‚(\[{¿¡*_–—•-]{0,6}[\s\u00a0\u202f]?")
_WORD_BACKWARDS = re.compile(r"\s?[\w.'’&°-]*")
_WORD = re.compile(r"\w+")
_PLACE = re.compile(r"\(?(?:\d|§|[IVXLC]+\b|[A-Za-z]\b)")
_DOTTED = re.compile(r"[^\W\d_](?:\.[^\W\d_]{1,2})+")
_ENUMERATOR = re.compile(r"[\s\"'“‘(\[*_•–—-]*(?:\(?(?:\d{1,3}|[a-zA-Z]|[ivxlIVXL]{1,6})[.)]\s*)+")
_SMALL_START = re.compile(r"\w{1,3}(?<![A-Z])[A-Z]|[a-z]\)|[ivx]{1,4}\)")
"""iPhone, mRNA; (a), iv)"""
_GLUED = re.compile(r"(?:^|[\s(\"“])[^\W\d_]*[a-zß-ÿ]{3}[)\"”]?[.?!][A-Z](?:[a-z]+(?=[\s,;])|(?=\s))")
_BREAK = re.compile(
    r"(?:\r\n?|\n)[^\S\r\n]*(?=[\r\n])"  # a blank line
    r"|(?:\r\n?|\n)(?=[^\S\r\n]*[•‣◦▪●*–-][^\S\r\n])"  # a bullet
    r"|(?<=\|)[^\S\r\n]*(?:\r\n?|\n)"  # the end of a row of cells
    r"|(?:\r\n?|\n)(?=[^\S\r\n]*[^\s|][^\r\n|\t]*(?: \| |\t\S))"  # before a row of cells
)
_JAPANESE = re.compile(r"[ぁ-ゟ]")
_UNMARKED = re.compile(r"[\u0e00-\u0eff]")
_UNMARKED_LENGTH = 300
"""Thai and Lao have no sentence mark: a longer run is cut at its spaces."""


def sentences(text: str) -> list[Span]:
    """The sentences of `text`, in order."""
    lower = _without_capitals(text)
    spans = []
    for part in paragraphs(text):
        start = part.start
        for end in _ends(text, part, lower):
            spans += _bounded(text, start, end)
            start = end
        spans += _bounded(text, start, part.end)
    return spans


def paragraphs(text: str, silent: Sequence[SilentRange] = ()) -> list[Span]:
    """The runs of `text` that no sentence crosses, without white space at their ends. A blank line, bullet … inside one of the
    silent ranges (sorted and disjoint) isn't read, and parts nothing."""
    if "\n" not in text and "\r" not in text:
        return trimmed(text, 0, len(text))
    spans, start = [], 0
    for m in _BREAK.finditer(text):
        if silent and _is_silent(silent, m):
            continue
        spans += trimmed(text, start, m.start())
        start = m.end()
    return spans + trimmed(text, start, len(text))


def _is_silent(silent: Sequence[SilentRange], found: re.Match[str]) -> bool:
    n = bisect_right(silent, found.start(), key=lambda r: r.start) - 1
    return n >= 0 and found.end() <= silent[n].end


def trimmed(text: str, start: int, end: int) -> list[Span]:
    """`start:end` without white space at its ends, if anything is left."""
    while start < end and text[start].isspace():
        start += 1
    while start < end and text[end - 1].isspace():
        end -= 1
    return [Span(start, end)] if start < end else []


def _without_capitals(text: str) -> bool:
    """Whether the text is written in lower case throughout, so that a small letter may begin a sentence."""
    first = next((c for c in text if c.isalpha()), "")
    if not first.islower():
        return False
    upper = sum(map(str.isupper, text))
    return upper * 200 <= len(text)


def _ends(text: str, part: Span, lower: bool) -> Iterator[int]:
    """Where sentences inside `part` end."""
    start, reached = part.start, part.start
    for m in _STOPS.finditer(text, part.start, part.end):
        if m.start() < reached:
            continue
        if not m.group().isascii() and any(c in _HARD for c in m.group()):
            end = _hard_end(text, start, m.end(), part.end)
        else:
            end = _soft_end(text, start, m, part.end, lower)
        if end is not None and end < part.end:
            yield end
            start = reached = end


def _hard_end(text: str, start: int, at: int, limit: int) -> int | None:
    end = _match_end(_HARD_CLOSING, text, at, limit)
    if text.startswith('"', end) and text.count('"', start, end) % 2:
        end += 1
    quoted_inside = end > at and _JAPANESE.match(text, end)  # 「行く。」と言った goes on
    return None if quoted_inside else end


def _soft_end(text: str, start: int, stop: re.Match[str], limit: int, lower: bool) -> int | None:
    """The end of a sentence at a stop that needs a space (or CJK text) after it, or None."""
    end = _match_end(_CLOSING, text, stop.end(), limit)
    if end >= limit:
        return None
    if not text[end].isspace():
        return _glued_end(text, stop, end, limit)
    at = end
    while at < limit and text[at].isspace():
        at += 1
    opening = _match_end(_OPENING, text, at, limit)
    if not _may_begin(text, opening, lower and end == stop.end()):
        return None
    if stop.group() == "." and end - stop.end() <= 1 and _is_no_end(text, start, stop.start(), opening, limit):
        return None
    return end


def _glued_end(text: str, stop: re.Match[str], end: int, limit: int) -> int | None:
    """ "…吗?是的" and "…of malaria.The parasite": no space at all, yet an end."""
    before, after = text[stop.start() - 1 : stop.start()], text[end : end + 1]
    if _is_cjk(before) and _is_cjk(after):
        return end
    token = text.rfind(" ", max(0, stop.start() - 40), stop.start()) + 1
    m = _GLUED.match(text, max(token - 1, 0), limit)
    if not m or not m.end() > end == stop.end():
        return None
    word, after = text[token : stop.start()], text[end : m.end()]
    return end if word.islower() or after.lower() in STARTERS else None  # not Media.Vision


def _match_end(pattern: re.Pattern[str], text: str, at: int, limit: int) -> int:
    m = pattern.match(text, at, limit)
    return m.end() if m else at


def _is_cjk(character: str) -> bool:
    return "\u3040" <= character <= "\u9fff" or "\uac00" <= character <= "\ud7af" or "\U00020000" <= character <= "\U0003ffff"


def _may_begin(text: str, at: int, lower: bool) -> bool:
    """Whether a sentence may begin with what stands at `at` (after its opening marks)."""
    c = text[at : at + 1]
    if c.islower():
        return lower or bool(_SMALL_START.match(text, at))
    return c.isalnum() or (c != "" and c in "$€£¥#@<§%…[")


def _is_no_end(text: str, start: int, stop: int, at: int, limit: int) -> bool:
    """Whether the full stop at `stop` belongs to the word before it; the next word begins at `at`."""
    m = _WORD_BACKWARDS.match(text[max(start, stop - 30) : stop][::-1])
    word = m.group()[::-1].strip().lstrip("'’-&.") if m else ""
    if not word:
        return False
    if _ENUMERATOR.fullmatch(text, start, min(stop + 1, start + 40)):
        return True
    following = _WORD.match(text, at, min(limit, at + 30))
    after = following.group().lower() if following else ""
    initial = len(after) == 1 and text.startswith(".", at + 1)
    if word.isdigit():
        return _is_ordinal(text, start, stop - len(word), word, after)
    measure = len(word) == 1 and text[max(start, stop - 4) : stop - 1].rstrip()[-1:].isdigit()  # 85 V
    return not (measure and not initial) and _is_abbreviation(word, text, at, "" if initial else after)


def _is_ordinal(text: str, start: int, number_at: int, number: str, after: str) -> bool:
    if len(number) > 2:
        return False
    before = text[max(start, number_at - 12) : number_at].split()
    article = bool(before) and before[-1].lower() in ORDINAL_ARTICLES and after not in STARTERS
    return after in DATE_WORDS or article


def _is_abbreviation(word: str, text: str, at: int, after: str) -> bool:
    known = word.lower().replace("’", "'")
    if known in BOUND:
        return True
    if known in NUMBERED and _PLACE.match(text, at):
        return True
    if known in OPEN_ENDED:
        return after in DATE_WORDS or not (text[at : at + 1].isupper() or after in STARTERS)
    single = len(word) == 1 and word.isalpha() and not _is_cjk(word)
    if known in NAMELIKE or single or _DOTTED.fullmatch(word):
        return after not in STARTERS
    return False


def _bounded(text: str, start: int, end: int) -> list[Span]:
    """The sentence `start:end` without white space at its ends; a long one in a script without marks cut at spaces."""
    whole = trimmed(text, start, end)
    if end - start <= _UNMARKED_LENGTH or len(_UNMARKED.findall(text, start, end)) * 2 < end - start:
        return whole
    out: list[Span] = []
    for m in re.finditer(r"\S+", text[start:end]):
        a, b = start + m.start(), start + m.end()
        if out and b - out[-1].start <= _UNMARKED_LENGTH:
            out[-1] = Span(out[-1].start, b)
        else:
            out.append(Span(a, b))
    return out
