"""How the legs' results become one order. Pure functions of scores by chunk id; no records, no engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

KEYWORD_WEIGHT = 0.5
RRF_K = 60


def reciprocal_rank_fusion(rankings: Sequence[Sequence[str]], k: int = RRF_K) -> dict[str, float]:
    """Sum of 1 / (k + rank) over the rankings, rank counted from 1 (Cormack, Clarke and Büttcher, SIGIR 2009)."""
    scores: dict[str, float] = {}
    for ranking in rankings:
        for place, chunk_id in enumerate(ranking, start=1):
            scores[chunk_id] = scores.get(chunk_id, 0.0) + 1 / (k + place)
    return scores


def score_fusion(similarities: Mapping[str, float], bm25: Mapping[str, float], weight: float = KEYWORD_WEIGHT) -> dict[str, float]:
    """similarity + `weight` * BM25 / (the greatest BM25), so that a similarity keeps its meaning whatever the words weigh.

    A chunk missing from one of the two counts 0 there. It found more of the wanted passages than reciprocal ranks in our
    measurements, which drag the first place down.
    """
    greatest = max(bm25.values(), default=0.0)
    scores = dict(similarities)
    for chunk_id, score in bm25.items():
        share = score / greatest if greatest > 0 else 0.0
        scores[chunk_id] = scores.get(chunk_id, 0.0) + weight * share
    return scores


def ranks(scores: Mapping[str, float]) -> dict[str, int]:
    """The 0-based rank of each id by its score, greatest first, ties by id."""
    return {chunk_id: rank for rank, chunk_id in enumerate(sorted(scores, key=lambda c: (-scores[c], c)))}
