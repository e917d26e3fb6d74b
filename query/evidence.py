"""What a chunk's words say for a question: which of them stand in each unit, and how much each counts."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property

from index.analysis import Token, analyse, identifiers, quoted, terms_in
from index.compounds import compound_parts
from index.folding import fold
from index.models import ChunkRecord, KeywordQuery
from index.ports import KeywordReader
from index.stopwords import STOP_WORDS
from ingest.models import Span, Unit
from ingest.reading import ReadingText, reading_text
from query.words import occurrences

_QUOTATION_MARKS = "\"'“”„‘’‚«»「」『』＂"


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is looked for in a sentence.

    `weights`: how much each analysed term counts, empty where the keyword leg didn't run. `phrases`: what counts as the question
    itself, folded: all of it, and what is quoted in it. `codes`: whether identifiers are among the terms. `trust`: how much a
    cosine counts.
    """

    weights: Mapping[str, float]
    phrases: tuple[str, ...]
    codes: bool = False
    trust: float = 1.0


def question(text: str, terms: KeywordQuery | None, keyword: KeywordReader | None, *, trust: float = 1.0) -> Question:
    """`text` is the reading text of the question; `terms` and `keyword` are None where the keyword leg didn't run."""
    weights: dict[str, float] = {}
    if terms is not None and keyword is not None:
        words = list(dict.fromkeys([*terms.words, *(term for phrase in terms.phrases for term in phrase)]))
        frequency, chunks = keyword.document_frequency(words), keyword.chunk_count()
        weights = {word: inverse_document_frequency(n, chunks) for word, n in frequency.items() if n}
        # Codes aren't counted by chunk: each weighs as a word that stands in one chunk.
        weights |= dict.fromkeys(terms.identifiers, inverse_document_frequency(1, chunks))
    phrases = (fold(phrase.strip(_QUOTATION_MARKS + " ")).text for phrase in (text, *quoted(text)))
    return Question(
        weights=weights,
        phrases=tuple(dict.fromkeys(p for p in phrases if p)),
        codes=bool(weights and terms and terms.identifiers),
        trust=trust,
    )


def inverse_document_frequency(frequency: int, chunks: int) -> float:
    """ln(1 + (N - n + 0.5) / (n + 0.5)), as in BM25; never negative."""
    return math.log1p(max(0.0, chunks - frequency + 0.5) / (frequency + 0.5))


@dataclass(frozen=True, kw_only=True, eq=False)
class ReadChunk:
    """A chunk with its reading text, and the question's terms that stand in each of its units."""

    chunk: ChunkRecord
    asked: Question

    @cached_property
    def reading(self) -> ReadingText:
        return reading_text(self.chunk.content, self.chunk.silent)

    @cached_property
    def terms(self) -> tuple[frozenset[str], ...]:
        asked = frozenset(self.asked.weights)
        if not (self.asked.codes or self.chunk.role == "code"):
            return tuple(every & asked for every in self._every)
        return tuple(asked & every.union(self._codes(unit)) for unit, every in zip(self.chunk.units, self._every, strict=True))

    @cached_property
    def _every(self) -> tuple[frozenset[str], ...]:
        """The terms of each unit, asked for or not; none where no words are looked for."""
        nothing: frozenset[str] = frozenset()
        return tuple(terms_in(self._words(unit.span)) if self.asked.weights else nothing for unit in self.chunk.units)

    @cached_property
    def repeats(self) -> tuple[bool, ...]:
        """Of each unit, whether it only repeats words of the question, and not all of them, as headings that run into the text do
        ("4.2 Late payment. If …"). An item of a list stands for itself."""
        asked = self.asked.weights.keys()
        return tuple(
            unit.role != "list"
            and bool(asked)
            and found != asked
            and not _says_more(every, found)
            and _telling(analyse(self._words(unit.span))) <= found
            for unit, every, found in zip(self.chunk.units, self._every, self.terms, strict=True)
        )

    def shares(self) -> list[float]:
        """Of each unit, the share of the question's words that it has, each weighed by how rare it is in the library."""
        return [share(self.asked.weights, found) for found in self.terms]

    def telling_weights(self) -> dict[str, float]:
        """The weights for choosing among the units: a word that several of them have tells them apart the less."""
        return {term: w / max(sum(term in found for found in self.terms), 1) for term, w in self.asked.weights.items()}

    def literal_spans(self) -> list[Span]:
        """Where the question's phrases stand as whole words, as spans of the canonical text, in order."""
        folded = fold(self.reading.text)
        spans = []
        for phrase in self.asked.phrases:
            for at in occurrences(folded.text, phrase):
                words = Span(folded.starts[at], folded.ends[at + len(phrase) - 1])
                spans.append(self.reading.to_source(words).shift(self.chunk.source_offset))
        return sorted(spans)

    def _words(self, unit: Span) -> str:
        return self.reading.to_reading(unit.shift(-self.chunk.source_offset)).slice(self.reading.text)

    def _codes(self, unit: Unit) -> Iterator[str]:
        """The codes asked for are looked for whole, the parts of compounds in source code."""
        if not self.asked.weights:
            return
        words = self._words(unit.span)
        if self.asked.codes:
            yield from (t.term for t in identifiers(words))
        if self.chunk.role == "code":
            yield from (t.term for t in compound_parts(words))


def _says_more(every: frozenset[str], found: frozenset[str]) -> bool:
    """Whether some term beside those found surely says something: true of most units, and cheaper than looking at their words."""
    return any(any(map(str.isalpha, term)) for term in every - found - _stop_terms())


@cache
def _stop_terms() -> frozenset[str]:
    return frozenset(term for word in STOP_WORDS for term in terms_in(word))


def _telling(tokens: Iterable[Token]) -> frozenset[str]:
    """The words that say something: no numbers, no stop words."""
    return frozenset(t.term for t in tokens if any(map(str.isalpha, t.term)) and t.word not in STOP_WORDS)


def share(weights: Mapping[str, float], found: frozenset[str]) -> float:
    """The weight of the terms found, in the order of `weights` (a sum of floats depends on its order), of all."""
    total = sum(weights.values())
    return sum(w for term, w in weights.items() if term in found) / total if total else 0.0


def cosines_of(chunk: ChunkRecord, cosines: Sequence[float] | None) -> Sequence[float]:
    """The cosines of the chunk's units; zeros where they aren't known."""
    return cosines if cosines is not None and len(cosines) == len(chunk.units) else [0.0] * len(chunk.units)
