"""The one place where the order of the steps of a search is read."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from time import perf_counter

from index.analysis import keyword_query
from index.models import ChunkFilter, ChunkRecord, KeywordQuery
from index.ports import Embedder, LibraryReader
from ingest.reading import reading_text, zero_width
from query import strict
from query.evidence import Question, ReadChunk, cosines_of, question
from query.filters import empty, resolve
from query.hits import Scope, build_hit
from query.legs import CANDIDATES, LegResult, keyword_leg, semantic_leg
from query.marking import mark
from query.models import LegAccount, SearchHit, SearchResponse
from query.ranking import Candidate, by_sentence, rank_candidates
from query.requests import SearchRequest, check, usable
from query.widening import related_hits

HEAD = 16
"""Candidates whose words are read, if no more hits are asked for. Reading all found one in a thousand more, in two of eight
sets."""


def search(reader: LibraryReader, embedder: Embedder | None, request: SearchRequest, *, backend: str = "") -> SearchResponse:
    """Check -> filter -> legs -> one order -> mark -> hits (-> links -> the same again for what is linked).

    No query raises; an argument that makes no sense raises UsageError. A leg that fails is told in the response, and the other's
    hits are given. `embedder` may be None where the mode needs none.
    """
    started = perf_counter()
    check(request)
    scope = Scope(reader=reader, mode=request.mode, query=request.query, backend=backend)
    if not asked(request.query):
        return _response(scope, started, message="the query is empty")
    where = resolve(reader, request)
    if isinstance(where, str):
        return _response(scope, started, message=where)
    hits, legs = _look_up(scope, embedder, request, where)
    if request.related is not None:
        hits += related_hits(reader, request, hits, where, lambda wider, there: _look_up(scope, embedder, wider, there)[0])
    return _response(scope, started, hits, legs, message=None if hits else _why_nothing(reader, request, where))


def _look_up(
    scope: Scope, embedder: Embedder | None, request: SearchRequest, where: ChunkFilter
) -> tuple[tuple[SearchHit, ...], list[LegResult]]:
    """The hits that the filter lets through, and what became of each leg."""
    reader = scope.reader
    if request.mode == "strict":
        return _strict_hits(scope, request, where), []
    terms = keyword_query(asked(request.query if request.keyword is None else request.keyword))
    legs = _run_legs(reader, embedder, request, terms, where)
    ran = {leg.account.leg: leg for leg in legs if leg.complete}
    candidates = rank_candidates(
        legs,
        min_similarity=request.min_similarity,
        max_distance=request.max_distance,
        among=ran["keyword"].scores if terms.phrases and "keyword" in ran else None,  # it found only what has the quoted words
        head=max(HEAD, 2 * request.top_k),
    )
    trust = ran["semantic"].trust if "semantic" in ran else 1.0
    wanted = question(asked(request.query), terms, reader.keyword if "keyword" in ran else None, trust=trust)
    cosines = ran["semantic"].units if "semantic" in ran else {}
    best = _best(reader, candidates, wanted, cosines, request)
    return tuple(build_hit(scope, read.chunk, found, mark(read, cosines.get(found.chunk_id))) for read, found in best), legs


def _why_nothing(reader: LibraryReader, request: SearchRequest, where: ChunkFilter) -> str | None:
    """Why there is no hit, where that can be said."""
    if nothing := empty(reader, request, where):
        return nothing
    words = asked(request.query if request.keyword is None else request.keyword)
    quoted = request.mode in ("hybrid", "keyword") and keyword_query(words).phrases
    return "the words in quotes stand nowhere together" if quoted else None


def asked(text: str) -> str:
    """The reading text of a question: what is left when nothing can't be read is left out."""
    clean = usable(text)
    return reading_text(clean, zero_width(clean)).text


def _run_legs(
    reader: LibraryReader, embedder: Embedder | None, request: SearchRequest, terms: KeywordQuery, where: ChunkFilter
) -> list[LegResult]:
    """In hybrid mode both at once: what the keyword leg finds, the semantic leg scores too, once it has found its own."""
    limit, text = max(CANDIDATES, request.top_k), asked(request.query)
    if request.mode == "keyword":
        return [keyword_leg(reader, terms, limit=limit, where=where)]
    if request.mode == "semantic":
        return [semantic_leg(reader, embedder, text, limit=limit, where=where)]
    words = _beside(os.getpid()).submit(keyword_leg, reader, terms, limit=limit, where=where)
    meaning = semantic_leg(reader, embedder, text, limit=limit, where=where, also=lambda: words.result().scores)
    return [words.result(), meaning]


@cache
def _beside(process: int) -> ThreadPoolExecutor:
    """The threads for keyword legs, kept: starting one takes half a millisecond. A forked process has none of its parent's."""
    return ThreadPoolExecutor(8, thread_name_prefix=f"pincite-{process}")


def _best(
    reader: LibraryReader,
    candidates: list[Candidate],
    wanted: Question,
    cosines: Mapping[str, Sequence[float]],
    request: SearchRequest,
) -> list[tuple[ReadChunk, Candidate]]:
    """The best `top_k` with their chunks.

    The candidates are ranked again by their best sentence where both legs ran: that lifts a score and never lowers it, so what
    isn't among them stays behind. Equals stand in the order of root, path, offset and place in the document.
    """
    head = {c.chunk_id: c for c in candidates}
    chunks = reader.rows.by_ids(list(head))
    found = []
    for chunk_id, chunk in chunks.items():
        read, candidate = ReadChunk(chunk=chunk, asked=wanted), head[chunk_id]
        if candidate.contributions:
            candidate = by_sentence(candidate, read.shares(), cosines_of(chunk, cosines.get(chunk_id)), wanted.trust)
        found.append((read, candidate))
    found.sort(
        key=lambda f: (f[1].order, f[0].chunk.root, f[0].chunk.source_document, f[0].chunk.source_offset, f[0].chunk.ordinal)
    )
    if request.newest_first:
        found.sort(key=lambda f: (f[1].order, -_learned(f[0].chunk)))
    return found[: request.top_k]


def _learned(chunk: ChunkRecord) -> float:
    """When, in seconds; what nobody knows the time of is the oldest."""
    return chunk.remembered_at.timestamp() if chunk.remembered_at else float("-inf")


def _strict_hits(scope: Scope, request: SearchRequest, where: ChunkFilter) -> tuple[SearchHit, ...]:
    found = strict.find(scope.reader.rows, usable(request.query), where, limit=request.top_k, fold=request.fold)
    return tuple(
        build_hit(
            scope,
            chunk,
            Candidate(chunk_id=chunk.chunk_id, score=1.0, rank=rank, native_score=1.0, native_metric="exact"),
            marked,
        )
        for rank, (chunk, marked) in enumerate(found)
    )


def _response(
    scope: Scope, started: float, hits: tuple[SearchHit, ...] = (), legs: list[LegResult] | None = None, message: str | None = None
) -> SearchResponse:
    accounts = tuple(leg.account for leg in legs or ())
    failed = [account for account in accounts if account.status == "failed"]
    return SearchResponse(
        hits=hits,
        query=scope.query,
        mode=scope.mode,
        status="degraded" if failed else "complete",
        legs=accounts,
        index_generation=scope.reader.generation,
        message=message or _told(failed, accounts),
        elapsed_ms=(perf_counter() - started) * 1000,
    )


def _told(failed: list[LegAccount], accounts: tuple[LegAccount, ...]) -> str | None:
    if not failed:
        return None
    reasons = "; ".join(f"the {account.leg} leg failed: {account.reason}" for account in failed)
    return reasons if len(failed) < len(accounts) else f"nothing could be searched: {reasons}"
