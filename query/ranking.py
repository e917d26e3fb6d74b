"""Legs to one order of candidates, with the account of how each was found. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from query.fusion import Parts, ranks, score_fusion, sentence_fusion
from query.legs import LegResult
from query.models import Contribution, Leg

METRICS: dict[Leg, str] = {"semantic": "cosine", "keyword": "bm25"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A chunk that was found, and how. `cosine` is unclamped; None where the semantic leg didn't run."""

    chunk_id: str
    score: float
    cosine: float | None = None
    matched_on: Literal["both", "semantic", "keyword"] | None = None
    rank: int | None = None
    native_score: float | None = None
    native_metric: str | None = None
    contributions: tuple[Contribution, ...] = ()

    @property
    def order(self) -> tuple[float, float]:
        """Sorts best first; ties are broken further by root, path and offset."""
        return _order(self.score, self.cosine)


def _order(score: float, cosine: float | None) -> tuple[float, float]:
    return -score, -(cosine or 0.0)


def rank_candidates(
    legs: list[LegResult],
    *,
    min_similarity: float,
    max_distance: float | None,
    among: Collection[str] | None = None,
    head: int | None = None,
) -> list[Candidate]:
    """What the legs which ran found, best first: all, or the first `head` with all that tie with the last of them.

    `min_similarity` is a floor for what only the semantic leg found; `max_distance` a ceiling for all whose distance is known. Only
    chunks `among` these ids are taken.
    """
    by_leg: dict[Leg, LegResult] = {leg.account.leg: leg for leg in legs if leg.complete}
    words = by_leg["keyword"].scores if "keyword" in by_leg else {}
    found = [
        f
        for f in _scored(by_leg)
        if (among is None or f.chunk_id in among)
        and (f.chunk_id in words or f.cosine is None or f.cosine >= min_similarity)
        and (max_distance is None or f.cosine is None or 1 - f.cosine <= max_distance)
    ]
    found.sort()
    if head is not None and len(found) > head:
        last = found[head - 1].order
        found = [f for f in found if f.order <= last]
    places = {name: ranks(leg.scores) for name, leg in by_leg.items()}
    if len(by_leg) > 1:
        return [_fused(f, by_leg, places, min_similarity) for f in found]
    return [_alone(f, name, ranked) for name, ranked in places.items() for f in found]


class _Scored(NamedTuple):
    """A chunk with its score, before the account of it is written; sorts best first, ties by id."""

    order: tuple[float, float]
    chunk_id: str
    parts: Parts
    cosine: float | None


def _scored(by_leg: Mapping[Leg, LegResult]) -> Iterator[_Scored]:
    meaning, words = by_leg.get("semantic"), by_leg.get("keyword")
    if meaning and words:
        for chunk_id, parts in score_fusion(meaning.scores, words.scores, trust=meaning.trust).items():
            cosine = meaning.scores.get(chunk_id, 0.0)
            yield _Scored(_order(parts.score, cosine), chunk_id, parts, cosine)
    elif meaning:
        for chunk_id, cosine in meaning.scores.items():
            yield _Scored(_order(cosine, cosine), chunk_id, Parts(cosine, 0.0), cosine)
    elif words:
        for chunk_id, bm25 in words.scores.items():
            yield _Scored(_order(bm25, None), chunk_id, Parts(0.0, bm25), None)


def _alone(f: _Scored, name: Leg, ranked: Mapping[str, int]) -> Candidate:
    return Candidate(
        chunk_id=f.chunk_id,
        score=f.parts.score,
        cosine=f.cosine,
        matched_on=name,
        rank=ranked[f.chunk_id],
        native_score=f.parts.score,
        native_metric=METRICS[name],
    )


def _fused(
    f: _Scored, by_leg: Mapping[Leg, LegResult], places: Mapping[Leg, Mapping[str, int]], min_similarity: float
) -> Candidate:
    near, worded = (f.cosine or 0.0) >= min_similarity, f.chunk_id in by_leg["keyword"].scores
    adds = {"semantic": f.parts.semantic, "keyword": f.parts.keyword}
    return Candidate(
        chunk_id=f.chunk_id,
        score=f.parts.score,
        cosine=f.cosine,
        matched_on="both" if near and worded else "semantic" if near else "keyword",
        contributions=tuple(
            Contribution(
                leg=name,
                rank=places[name][f.chunk_id],
                native_score=leg.scores[f.chunk_id],
                native_metric=METRICS[name],
                adds=adds[name],
            )
            for name, leg in by_leg.items()
            if f.chunk_id in leg.scores
        ),
    )


def by_sentence(found: Candidate, shares: Sequence[float], cosines: Sequence[float], trust: float) -> Candidate:
    """A fused candidate ranked by its best sentence: `shares` of the question's words and `cosines` of its units.

    What only one leg found stays as it is.
    """
    if len(found.contributions) < 2:
        return found
    said = {c.leg: c.adds for c in found.contributions}
    parts = sentence_fusion(Parts(said["semantic"], said["keyword"]), cosines, shares, trust=trust)
    adds = {"semantic": parts.semantic, "keyword": parts.keyword}
    return replace(found, score=parts.score, contributions=tuple(replace(c, adds=adds[c.leg]) for c in found.contributions))
