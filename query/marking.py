"""Which words of a chunk are the match.

The evidence for a unit is the cosine of its vector (if the semantic leg ran) + 1.2 * the share of the question's words in it (if
the keyword leg ran), each word weighed by how rare it is in the library and in the chunk. A longer unit has more words by chance,
so its length counts against it. Two adjoining units are taken together where that gains more than `SECOND_UNIT_COST`. A unit in
which the question, or what is quoted in it, stands literally wins. A heading repeats the words and says nothing, and so does a unit
that has no other words than the question's ("4.2 Late payment."): either is taken where nothing else comes near, the latter with
what follows it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from ingest.models import Span
from query.evidence import ReadChunk, cosines_of, share

WORDS_WEIGHT = 1.2
LENGTH_COST = 0.1
"""For each time the length grows e-fold. Only differences count, so the unit of length doesn't."""
SECOND_UNIT_COST = 0.1
"""These three were chosen on one half of the questions of five sets: marks got shorter (overlap with the answer .139 -> .157 on
that half, .123 -> .129 on the other) and were right as often."""
PHRASE_BONUS = 1.0
HEADING_COST = 0.5
REPEAT_COST = 1.0
_SAME = 1e-9


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


def mark(read: ReadChunk, cosines: Sequence[float] | None = None) -> Mark:
    """`cosines` are those of the chunk's units, None where the semantic leg didn't run."""
    units = read.chunk.units
    if len(units) <= 1:
        return Mark(span=None, partial=any(unit.partial for unit in units))
    candidates = _candidates(read, cosines)
    best = max(candidates, key=lambda c: (c.evidence, -c.first))
    return Mark(
        span=best.span,
        also=_equals(best, candidates),
        partial=any(unit.partial for unit in units[best.first : best.last + 1]),
    )


def _candidates(read: ReadChunk, cosines: Sequence[float] | None) -> list[_Candidate]:
    units, terms = read.chunk.units, read.terms
    literal = read.literal_spans()
    similarity = cosines_of(read.chunk, cosines)
    weights = read.telling_weights()
    worded = any(terms)

    def candidate(first: int, last: int) -> _Candidate:
        span = Span(units[first].span.start, units[last].span.end)
        held = max(
            (
                max(0, min(span.end, words.end) - max(span.start, words.start)) / len(words)
                for words in literal  # of two units, only words that need both
                if first == last or words.start < units[first].span.end < words.end
            ),
            default=0.0,
        )
        evidence = read.asked.trust * max(similarity[first : last + 1]) - SECOND_UNIT_COST * (last - first)
        if worded:
            found = frozenset[str]().union(*terms[first : last + 1])
            evidence += WORDS_WEIGHT * share(weights, found) - LENGTH_COST * math.log(max(len(span), 1))
        heading = units[first].role == "heading"
        if heading:
            evidence -= HEADING_COST
        elif not held and all(read.repeats[first : last + 1]):
            evidence -= REPEAT_COST
        else:
            evidence += PHRASE_BONUS * held  # a part of the words, where they run over more units than two
        return _Candidate(first=first, last=last, span=span, evidence=evidence, literal=held >= 1, heading=heading)

    singles = [candidate(i, i) for i in range(len(units))]
    pairs = [
        candidate(i, j) for i, j in pairwise(range(len(units))) if units[i].role == units[j].role and units[i].role != "heading"
    ]
    return singles + pairs


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
