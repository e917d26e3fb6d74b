"""Legs to one order of candidates, with the account of how each was found. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from query.fusion import ranks, score_fusion
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
    by_leg = {leg.account.leg: leg.scores for leg in legs}
    cosines, bm25 = by_leg["semantic"], by_leg["keyword"]
    places = {leg: ranks(scores) for leg, scores in by_leg.items()}
    candidates = []
    for chunk_id, score in score_fusion(cosines, bm25).items():
        near, worded = cosines.get(chunk_id, 0.0) >= min_similarity, chunk_id in bm25
        if not near and not worded:
            continue
        candidates.append(
            Candidate(
                chunk_id=chunk_id,
                score=score,
                cosine=cosines.get(chunk_id, 0.0),
                matched_on="both" if near and worded else "semantic" if near else "keyword",
                contributions=tuple(
                    Contribution(leg=leg, rank=places[leg][chunk_id], native_score=scores[chunk_id], native_metric=METRICS[leg])
                    for leg, scores in by_leg.items()
                    if chunk_id in scores
                ),
            )
        )
    return candidates
