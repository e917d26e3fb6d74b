"""Which words of a chunk are the match.

The evidence for a unit is the cosine of its vector (if the semantic leg ran) + 0.8 * the share of the question's words in it,
weighted by how rare they are (if the keyword leg ran). Two adjoining units are taken together where that gains more than
`SECOND_UNIT_COST`. A unit in which the question stands literally wins. A heading repeats the words and says nothing: it is taken
where nothing else comes near.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from index.analysis import analyse_whole
from index.folding import fold
from index.models import ChunkRecord, KeywordQuery
from index.ports import KeywordReader
from ingest.models import Span
from ingest.reading import ReadingText, reading_text
from query.words import occurrences

WORDS_WEIGHT = 0.8
PHRASE_BONUS = 1.0
SECOND_UNIT_COST = 0.15
"""Chosen on 472 questions with known answers: the match of the first hit overlaps the answer in .555 of them, and in .517 with half
the weight of words."""
HEADING_COST = 0.5
_SAME = 1e-9
_QUOTATION_MARKS = "\"'“”„‘’‚«»「」『』＂"


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What marking looks for.

    `weights`: how much each analysed term counts, empty where the keyword leg didn't run. `phrases`: what counts as the question
    itself, folded.
    """

    weights: Mapping[str, float]
    phrases: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """The match and its equals, as spans of the canonical text. `span` None: the chunk is one unit and is its own match."""

    span: Span | None
    also: tuple[Span, ...] = ()
    partial: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class _Candidate:
    """One unit, or two adjoining ones (`first`, `last` are their places), and what speaks for it."""

    first: int
    last: int
    span: Span
    evidence: float
    literal: bool
    heading: bool


def question(text: str, terms: KeywordQuery | None, keyword: KeywordReader | None) -> Question:
    """`text` is the reading text of the question; `terms` and `keyword` are None where the keyword leg didn't run."""
    weights: dict[str, float] = {}
    if terms is not None and keyword is not None:
        words = list(dict.fromkeys([*terms.words, *(term for phrase in terms.phrases for term in phrase)]))
        frequency, chunks = keyword.document_frequency(words), keyword.chunk_count()
        weights = {word: inverse_document_frequency(n, chunks) for word, n in frequency.items() if n}
        # Codes aren't counted by chunk: each weighs as a word that stands in one chunk.
        weights |= dict.fromkeys(terms.identifiers, inverse_document_frequency(1, chunks))
    phrase = fold(text.strip(_QUOTATION_MARKS + " ")).text
    return Question(weights=weights, phrases=(phrase,) if phrase else ())


def inverse_document_frequency(frequency: int, chunks: int) -> float:
    """ln(1 + (N - n + 0.5) / (n + 0.5)), as in BM25; never negative."""
    return math.log1p(max(0.0, chunks - frequency + 0.5) / (frequency + 0.5))


def mark(chunk: ChunkRecord, asked: Question, cosines: Sequence[float] | None = None) -> Mark:
    """`cosines` are those of the chunk's units, None where the semantic leg didn't run."""
    if len(chunk.units) <= 1:
        return Mark(span=None, partial=any(unit.partial for unit in chunk.units))
    candidates = _candidates(chunk, asked, cosines)
    best = max(candidates, key=lambda c: (c.evidence, -c.first))
    return Mark(
        span=best.span,
        also=_equals(best, candidates),
        partial=any(unit.partial for unit in chunk.units[best.first : best.last + 1]),
    )


def _candidates(chunk: ChunkRecord, asked: Question, cosines: Sequence[float] | None) -> list[_Candidate]:
    reading = reading_text(chunk.content, chunk.silent)
    literal = literal_spans(chunk, reading, asked.phrases)
    similarity = cosines if cosines is not None and len(cosines) == len(chunk.units) else [0.0] * len(chunk.units)
    terms = [_terms(chunk, reading, unit.span) if asked.weights else frozenset[str]() for unit in chunk.units]
    total = sum(asked.weights.values()) or 1.0

    def candidate(first: int, last: int) -> _Candidate:
        span = Span(chunk.units[first].span.start, chunk.units[last].span.end)
        found = frozenset[str]().union(*terms[first : last + 1])
        holds = any(span.start <= words.start and words.end <= span.end for words in literal)
        share = sum(weight for term, weight in asked.weights.items() if term in found) / total
        evidence = max(similarity[first : last + 1]) + WORDS_WEIGHT * share
        heading = chunk.units[first].role == "heading"
        if heading:
            evidence -= HEADING_COST
        elif holds:
            evidence += PHRASE_BONUS
        evidence -= SECOND_UNIT_COST * (last - first)
        return _Candidate(first=first, last=last, span=span, evidence=evidence, literal=holds, heading=heading)

    singles = [candidate(i, i) for i in range(len(chunk.units))]
    pairs = [
        candidate(i, j)
        for i, j in pairwise(range(len(chunk.units)))
        if chunk.units[i].role == chunk.units[j].role and chunk.units[i].role != "heading"
    ]
    return singles + pairs


def _terms(chunk: ChunkRecord, reading: ReadingText, unit: Span) -> frozenset[str]:
    words = reading.to_reading(unit.shift(-chunk.source_offset)).slice(reading.text)
    analysis = analyse_whole(words)
    return frozenset(token.term for token in (*analysis.tokens, *analysis.identifiers))


def literal_spans(chunk: ChunkRecord, reading: ReadingText, phrases: Sequence[str]) -> list[Span]:
    """Where the folded phrases stand in the chunk as whole words, as spans of the canonical text, in order."""
    folded = fold(reading.text)
    spans = []
    for phrase in phrases:
        for at in occurrences(folded.text, phrase):
            words = Span(folded.starts[at], folded.ends[at + len(phrase) - 1])
            spans.append(reading.to_source(words).shift(chunk.source_offset))
    return sorted(spans)


def _equals(best: _Candidate, candidates: Sequence[_Candidate]) -> tuple[Span, ...]:
    """Other units that are as good as the match: the same words stand in them, or nothing tells them apart."""
    return tuple(
        c.span
        for c in candidates
        if c.first == c.last
        and c.heading == best.heading
        and (c.first > best.last or c.last < best.first)
        and ((best.literal and c.literal) or abs(c.evidence - best.evidence) < _SAME)
    )
