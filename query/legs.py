"""The two look-ups that feed a search. A leg never raises: what went wrong is in its account."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

from index.models import ChunkFilter, KeywordQuery
from index.ports import Embedder, LibraryReader
from ingest.errors import LibraryIncompatible, PinciteError
from query.models import Leg, LegAccount

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

CANDIDATES = 80
"""Chunks that a leg looks at; where more hits are asked for, as many as are asked for. So the candidates hold .98 of the
ten best by comparing every sentence, on nine sets of ten (with 64, on eight). With 200 one hit in a thousand more was right, in
one of eight sets."""
FEW, CANDIDATES_OF_FEW = 20_000, 400
"""In a library of fewer chunks all passages are compared anyway, and the sentences of so many of the nearest: short sentences in
long passages are far from their passage (of the ten best by comparing all, 80 hold .95 in one set of manuals, 400 .99)."""
UNREAD_TRUST = 0.1
"""How much cosines count for a question in scripts that the model has no words for: little, but names and figures are seen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LegResult:
    """What a leg found: native scores by chunk id (cosine, BM25; higher is better), best first.

    `units` has the cosine of each of a chunk's units, where the leg knows them. `trust`, 0…1: how much the scores count beside
    those of the other leg.
    """

    account: LegAccount
    scores: Mapping[str, float] = field(default_factory=dict)
    units: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    trust: float = 1.0

    @property
    def complete(self) -> bool:
        return self.account.status == "complete"


def keyword_leg(reader: LibraryReader, query: KeywordQuery, *, limit: int, where: ChunkFilter) -> LegResult:
    """Chunks by BM25."""

    def look_up() -> LegResult:
        found = reader.keyword.search(query, limit, where) if query else []
        return _result("keyword", {hit.chunk_id: hit.native_score for hit in found})

    return _attempt("keyword", look_up)


def semantic_leg(
    reader: LibraryReader,
    embedder: Embedder | None,
    text: str,
    *,
    limit: int,
    where: ChunkFilter,
    also: Callable[[], Iterable[str]] = tuple,
) -> LegResult:
    """Chunks by the cosine of their best unit.

    Candidates are the nearest chunks by passage vector and the chunk ids that `also` gives (what the other leg found); each is then
    scored exactly by the vectors of its units.
    """

    def look_up() -> LegResult:
        model = _agreeing(reader, embedder)
        vector = model.embed_query(text)
        wide = max(limit, CANDIDATES_OF_FEW) if reader.rows.chunk_count() < FEW else limit
        nearest = [hit.chunk_id for hit in reader.rows.nearest(vector, wide, where)]
        units = unit_cosines(vector, reader.rows.unit_vectors(list(dict.fromkeys([*nearest, *also()]))))
        scores = {chunk_id: max(cosines, default=0.0) for chunk_id, cosines in units.items()}
        return replace(_result("semantic", scores), units=units, trust=max(UNREAD_TRUST, model.familiarity(text)))

    return _attempt("semantic", look_up)


def unit_cosines(query: NDArray[np.float32], chunks: Mapping[str, NDArray[np.float16]]) -> dict[str, tuple[float, ...]]:
    """The cosines of the query with each unit of each chunk, -1 … 1; 0 for a unit of which nothing is read.

    Each row is summed alone, so that a cosine does not depend on what else is asked for.
    """
    import numpy as np

    if not chunks:
        return {}
    units = np.concatenate(list(chunks.values())).astype(np.float32)
    norms = np.sqrt(np.einsum("ij,ij->i", units, units))
    cosines = np.einsum("ij,j->i", units, query) / np.where(norms > 0, norms, 1)
    flat = np.clip(np.nan_to_num(cosines, nan=0.0), -1, 1).tolist()
    ends = accumulate(map(len, chunks.values()), initial=0)
    return {chunk_id: tuple(flat[start:end]) for chunk_id, (start, end) in zip(chunks, pairwise(ends), strict=True)}


def _agreeing(reader: LibraryReader, embedder: Embedder | None) -> Embedder:
    if embedder is None:
        raise PinciteError("there is no embedding model to read the question with")
    ours, theirs = replace(embedder.settings, dtype=""), replace(reader.settings, dtype="")
    if ours != theirs:
        raise LibraryIncompatible(
            f"the library was made with the embedding model {theirs.model}, not with {ours.model} as it is here "
            "(use that model, or make the library anew: pincite rebuild)"
        )
    return embedder


def _result(leg: Leg, scores: Mapping[str, float]) -> LegResult:
    ordered = dict(sorted(scores.items(), key=lambda item: (-item[1], item[0])))
    return LegResult(account=LegAccount(leg=leg, status="complete", hits=len(ordered)), scores=ordered)


def _attempt(leg: Leg, look_up: Callable[[], LegResult]) -> LegResult:
    """An answer from one leg is worth more than none: whatever an engine throws is told, and the search goes on."""
    try:
        return look_up()
    except PinciteError as error:
        reason = error.message
    except Exception as error:
        reason = f"{type(error).__name__}: {error}"
    return LegResult(account=LegAccount(leg=leg, status="failed", reason=reason))
