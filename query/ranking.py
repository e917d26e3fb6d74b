"""Legs to one order of candidates, with the account of how each was found. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

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
        return -self.score, -(self.cosine or 0.0)


def rank_candidates(legs: list[LegResult], *, min_similarity: float, max_distance: float | None) -> list[Candidate]:
    """All that the legs which ran found, best first.

    `min_similarity` is a floor for what only the semantic leg found; `max_distance` a ceiling for all whose distance is known.
    """
    ran = [leg for leg in legs if leg.complete]
    found = _fused(ran, min_similarity) if len(ran) > 1 else [c for leg in ran for c in _alone(leg, min_similarity)]
    near = [c for c in found if max_distance is None or c.cosine is None or 1 - c.cosine <= max_distance]
    return sorted(near, key=lambda c: (c.order, c.chunk_id))


def _alone(leg: LegResult, min_similarity: float) -> list[Candidate]:
    name = leg.account.leg
    floor = min_similarity if name == "semantic" else float("-inf")
    return [
        Candidate(
            chunk_id=chunk_id,
            score=score,
            cosine=score if name == "semantic" else None,
            matched_on=name,
            rank=rank,
            native_score=score,
            native_metric=METRICS[name],
        )
        for rank, (chunk_id, score) in enumerate(leg.scores.items())
        if score >= floor
    ]


def _fused(legs: list[LegResult], min_similarity: float) -> list[Candidate]:
    by_leg = {leg.account.leg: leg for leg in legs}
    cosines, bm25 = by_leg["semantic"].scores, by_leg["keyword"].scores
    places = {leg.account.leg: ranks(leg.scores) for leg in legs}
    candidates = []
    for chunk_id, parts in score_fusion(cosines, bm25, trust=by_leg["semantic"].trust).items():
        near, worded = cosines.get(chunk_id, 0.0) >= min_similarity, chunk_id in bm25
        if not near and not worded:
            continue
        said = {"semantic": parts.semantic, "keyword": parts.keyword}
        candidates.append(
            Candidate(
                chunk_id=chunk_id,
                score=parts.score,
                cosine=cosines.get(chunk_id, 0.0),
                matched_on="both" if near and worded else "semantic" if near else "keyword",
                contributions=tuple(
                    Contribution(
                        leg=leg.account.leg,
                        rank=places[leg.account.leg][chunk_id],
                        native_score=leg.scores[chunk_id],
                        native_metric=METRICS[leg.account.leg],
                        adds=said[leg.account.leg],
                    )
                    for leg in legs
                    if chunk_id in leg.scores
                ),
            )
        )
    return candidates


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
