"""Words of a text, and what a question looks for: the one analysis that both sides of the keyword leg share.

A word is a run of letters, marks and digits, folded (`index.folding`) and stemmed by the Snowball stemmer of its script (English
for Latin, Russian for Cyrillic, Arabic for Arabic). Scripts written without spaces, and Korean, give overlapping pairs of letters
(with their marks). An identifier is a code kept whole. Texts are reading texts; offsets count in the text given.

Nothing here raises on any text; all is linear in its length.
"""

from __future__ import annotations

import re
import threading
import unicodedata
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from index.folding import FoldedText, fold, mark_class
from index.models import KeywordQuery
from index.stopwords import STOP_WORDS

if TYPE_CHECKING:
    from Stemmer import Stemmer

T = TypeVar("T")

MAX_WORDS = 64
"""Distinct words of a question that are looked for: the first ones."""
MAX_IDENTIFIERS = 16
MAX_PHRASES = 8
MAX_PHRASE_TERMS = 32
MAX_TERM = 128
"""Characters of a term; the rest of a longer one is not looked at."""

_ASCII_WORD = re.compile(r"[a-z0-9]+(?:(?<=[a-z])'(?=[a-z])[a-z0-9]+)*")
_ELISION = re.compile(r"(?:l|d|j|m|n|s|t|c|qu|jusqu|lorsqu|puisqu|un|all|dall|dell|nell|sull)'(?=[^\W\d_]{2})")
_POSSESSIVE = re.compile(r"'s$")
# Thai, Lao, Burmese, Khmer; kana, bopomofo, Han; Hangul; without their digits and punctuation.
_UNSPACED = (
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ece\u0edc-\u0edf\u1000-\u103f\u1050-\u108f\u109a-\u109f\u1780-\u17d3\u17dc\u17dd\uaa60-\uaa7f"
    "\u3005-\u3007\u3021-\u3029\u3041-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3105-\u312f\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\uac00-\ud7a3\U00020000-\U0003fffd"
)
_UNSPACED_RUN = re.compile(f"[{_UNSPACED}]+")
_QUOTED = re.compile(
    r'(?<!\w)["＂]([^"＂]{1,400})["＂](?!\w)|“([^”“]{1,400})”|„([^“”„]{1,400})[“”]|«([^»«]{1,400})»|»([^«»]{1,400})«'
    r"|「([^」「]{1,400})」|『([^』『]{1,400})』"
)
_CODE = r"""
    (?: (?<![^\s(\[{"'<\0]) (?:--?|[.#@$]) )?               # --jobs  .net  #top  @name  $path
    W+
    (?: [-.:/\\@#&+=~%$!?*^|]{1,3} W+                         # node.js  a/b  c:\forms  https://x.y/z?q=1
      | (?<=\d),(?=\d) W+                                      # 1,000
      | \(W*\)W* | \[W*\]W* )*                                # foo_bar()  12(3)(b)
    (?: \+{1,2} | \# | % )?                                   # c++  c#  50%
"""


class Token(NamedTuple):
    """A word: `term` is what is indexed, `word` its form before stemming; it stands at `start:end` of the text analysed."""

    term: str
    start: int
    end: int
    word: str


class Analysis(NamedTuple):
    """What is indexed of a text, in the order of the text."""

    tokens: list[Token]
    identifiers: list[Token]


def analyse(text: str) -> list[Token]:
    """The words of a text, in order; pairs of unspaced scripts overlap."""
    return _words(fold(text))


def terms_in(text: str) -> frozenset[str]:
    """The terms of the words that `analyse` finds, without their places: a third of the time for ASCII."""
    if not text.isascii():
        return frozenset(t.term for t in analyse(text))
    words = set(_ASCII_WORD.findall(fold(text).text))
    joined = {word for word in words if "'" in word}
    terms = {_stem(word[:MAX_TERM]) for word in words - joined}
    return frozenset(terms.union(t.term for word in joined for t in analyse(word)))


def identifiers(text: str) -> list[Token]:
    """The codes of a text, whole and in lower case, in order: words with digits, joining signs or brackets inside ("msa-2024-11",
    "foo_bar()", "node.js", "c++", "10.1000/xyz123", "12(3)(b)"), and a word with the number after it ("rfc 9110", "§ 12(3)(b)").
    """
    return _identifiers(fold(text))


def analyse_whole(text: str) -> Analysis:
    """Words and identifiers, folding once."""
    folded = fold(text)
    return Analysis(_words(folded), _identifiers(folded))


def keyword_query(question: str) -> KeywordQuery:
    """What the keyword leg looks for.

    Words are the distinct ones, without English stop words unless nothing else is asked for. What stands in balanced double quotes
    is a phrase too. Of a long question the first `MAX_WORDS` words, `MAX_IDENTIFIERS` identifiers and `MAX_PHRASES` phrases (of
    `MAX_PHRASE_TERMS` terms each) count. A question of up to `MAX_PHRASE_TERMS` terms is a sequence too.
    """
    phrases = _first(MAX_PHRASES, (tuple(t.term for t in analyse(q))[:MAX_PHRASE_TERMS] for q in quoted(question)))
    tokens, codes = analyse_whole(question)
    told = [t for t in tokens if t.word not in STOP_WORDS]
    if not told and not codes and not phrases:
        told = tokens
    return KeywordQuery(
        words=_first(MAX_WORDS, (t.term for t in told)),
        forms=_first(MAX_WORDS, (t.word for t in told)),
        identifiers=_first(MAX_IDENTIFIERS, (t.term for t in codes)),
        phrases=phrases,
        sequence=tuple(t.term for t in tokens) if 2 <= len(tokens) <= MAX_PHRASE_TERMS else (),
    )


def quoted(question: str) -> list[str]:
    """What stands in balanced double quotes, in order."""
    return [next((g for g in m.groups() if g is not None), "") for m in _QUOTED.finditer(question)]


def _first(limit: int, items: Iterable[T]) -> tuple[T, ...]:
    """The first `limit` distinct items that aren't empty."""
    return tuple(dict.fromkeys(item for item in items if item))[:limit]


def _words(folded: FoldedText) -> list[Token]:
    text = folded.text
    pattern = _ASCII_WORD
    tokens: list[Token] = []
    if not text.isascii():
        pattern = _any_word()
        for m in _UNSPACED_RUN.finditer(text):
            tokens += _pairs(folded, m.start(), m.end())
        text = _without_unspaced(text)
    starts, ends = folded.starts, folded.ends
    for m in pattern.finditer(text):
        word = m.group()
        start, end = m.span()
        if "'" in word:
            word = _POSSESSIVE.sub("", word)
            end = start + len(word)
            if elided := _ELISION.match(word):
                start, word = start + elided.end(), word[elided.end() :]
            word = word.replace("'", "")
        word = word[:MAX_TERM]
        tokens.append(Token(_stem(word), starts[start], ends[end - 1], word))
    if pattern is not _ASCII_WORD:
        tokens.sort(key=lambda t: (t.start, t.end))
    return tokens


def _pairs(folded: FoldedText, start: int, end: int) -> Iterator[Token]:
    """Overlapping pairs of the letters in a run of an unspaced script; a letter alone where there is but one."""
    letters = [m.span() for m in _letters().finditer(folded.text, start, end)]
    for (first, middle), (_, last) in zip(letters, letters[1:] or letters, strict=False):
        stop = max(middle, last)
        term = folded.text[first:stop][:MAX_TERM]
        yield Token(term, folded.starts[first], folded.ends[stop - 1], term)


def _identifiers(folded: FoldedText) -> list[Token]:
    found: list[Token] = []
    text = folded.text if folded.text.isascii() else _without_unspaced(folded.text)
    before, before_end = "", -1  # the word or code before this one
    for m in _code(text.isascii()).finditer(text):
        code, start, end = m.group(), m.start(), m.end()
        if _is_code(code):
            found.append(_code_token(folded, code, start, end))
        if code[0].isdigit():
            if before.isalnum() and before[0].isalpha() and before not in STOP_WORDS and text[before_end:start] in (" ", ". "):
                found.append(_code_token(folded, f"{before} {code}", before_end - len(before), end))
            elif text.endswith(("§", "§ "), 0, start):
                found.append(_code_token(folded, f"§ {code}", text.rindex("§", 0, start), end))
        before, before_end = code, end
    return found


def _is_code(run: str) -> bool:
    """Whether a run has both letters and digits, or a sign among them; a plain word or number has neither."""
    if run.isalnum():
        return not run.isalpha() and not run.isdigit()
    return any(c.isalnum() for c in run) and any(not c.isalnum() and unicodedata.category(c)[0] != "M" for c in run)


def _code_token(folded: FoldedText, code: str, start: int, end: int) -> Token:
    term = code[:MAX_TERM]
    return Token(term, folded.starts[start], folded.ends[end - 1], term)


def _without_unspaced(text: str) -> str:
    """The text with a mark that is neither word nor space in the place of each unspaced letter."""
    return _UNSPACED_RUN.sub(lambda m: "\0" * len(m.group()), text)


@cache
def _any_word() -> re.Pattern[str]:
    w = rf"(?:[^\W_]|[{mark_class()}])"
    return re.compile(rf"{w}+(?:(?<=[^\W\d_])'(?=[^\W\d_]){w}+)*")


@cache
def _letters() -> re.Pattern[str]:
    return re.compile(rf".[{mark_class()}]*")


@cache
def _code(ascii_only: bool) -> re.Pattern[str]:
    w = "[a-z0-9_]" if ascii_only else rf"(?:\w|[{mark_class()}])"
    return re.compile(_CODE.replace("W", w), re.VERBOSE)


_local = threading.local()  # Snowball stemmers must not be shared by threads


@lru_cache(maxsize=65_536)
def _stem(word: str) -> str:
    language = _language(word)
    if language is None:
        return word
    stemmer: Stemmer | None = getattr(_local, language, None)
    if stemmer is None:
        from Stemmer import Stemmer

        stemmer = Stemmer(language)
        setattr(_local, language, stemmer)
    stem: str = stemmer.stemWord(word)
    return stem or word


def _language(word: str) -> str | None:
    """The stemmer for a folded word, by its script; None for other scripts and for words with digits."""
    if not word.isalpha():
        return None
    first = word[0]
    if first < "\u0250":
        return "english"
    if "\u0400" <= first <= "\u052f":
        return "russian"
    return "arabic" if "\u0600" <= first <= "\u06ff" or "\u0750" <= first <= "\u077f" else None
