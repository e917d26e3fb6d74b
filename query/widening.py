"""A search widened along links: the passages of linked records nearest to the question, after the direct hits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from index.models import ChunkFilter
from index.ports import LibraryReader
from query.models import SearchHit
from query.related import reach
from query.requests import SearchRequest

LookUp = Callable[[SearchRequest, ChunkFilter], tuple[SearchHit, ...]]
LOOKED_AT = 64
"""Passages of linked records among which the best of each is chosen."""


def related_hits(
    reader: LibraryReader, request: SearchRequest, direct: tuple[SearchHit, ...], where: ChunkFilter, look_up: LookUp
) -> tuple[SearchHit, ...]:
    """At most `top_k` hits, one a record, by their own scores in a search of the linked records alone (the hop counts for nothing);
    none that is a direct hit. The links of the named records are followed, else those of the direct hits' records."""
    book = reader.book
    seeds = request.related or [hit.source_entity_id for hit in direct]

    def allowed(entity_id: str) -> bool:
        entity = book.get(entity_id)
        return entity is not None and (request.namespace is None or entity.namespace == request.namespace)

    reached = {
        r.entity_id: r
        for r in reach(seeds, book.links_of, max_hops=request.max_hops, min_weight=request.min_weight, allowed=allowed)
    }
    documents = frozenset(i for entity_id in reached for i in book.members[entity_id])
    if not documents:
        return ()
    wider = replace(request, top_k=LOOKED_AT, min_similarity=0.0, max_distance=None)
    known = {hit.chunk_id for hit in direct}
    best: dict[str, SearchHit] = {}
    for hit in look_up(wider, replace(where, document_ids=documents, section_keys=None)):
        if hit.chunk_id not in known:
            best.setdefault(hit.source_entity_id, hit)
    found = [replace(h, via=reached[i].via, graph_depth=reached[i].depth) for i, h in best.items()]
    return tuple(found[: request.top_k])
