"""A hit in the forms of four other systems, for programs that read those. Pure; docs/SHAPES.md has the table, field by field.

Each form is a dict of JSON values that always has the same names (but for `graph_depth` of `recall`). What is unknown is null,
never a number or word put in its place, and no number is NaN. Offsets count Unicode code points, as everywhere.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Literal, get_args

from index.models import Generation
from ingest.errors import UsageError
from query.locator import times_in
from query.models import Contribution, Link, Mode, SearchHit
from query.serialise import Json, json_object

Shape = Literal["osyrin", "recall", "brain", "retrieval"]
SHAPES: tuple[Shape, ...] = get_args(Shape)

DEFAULT_NAMESPACE = "global"
"""What `recall` calls the namespace of what is in none."""
SNIPPET_CHARACTERS = 300
EXCERPT_CHARACTERS = 500
MOST_EXCERPT_CHARACTERS = 2000
MOST_EXCERPTS = 20


def hit_shape(hit: SearchHit, shape: Shape) -> dict[str, Json]:
    """The hit in one of `SHAPES`. Raises UsageError for another name."""
    if shape not in _SHAPES:
        raise UsageError(f"no such shape: {shape}", next_step=f"Shapes: {', '.join(SHAPES)}.")
    return _SHAPES[shape](hit)


def hits_shape(hits: Sequence[SearchHit], shape: Shape) -> list[dict[str, Json]]:
    """The hits in one of `SHAPES`, in their order. `brain` has excerpts and so `MOST_EXCERPTS` at most; the others have all."""
    return [hit_shape(hit, shape) for hit in (hits[:MOST_EXCERPTS] if shape == "brain" else hits)]


# Osyrin: SearchHit


def osyrin(hit: SearchHit) -> dict[str, Json]:
    """`SearchHit` of Osyrin's `Memory.Search`: names in PascalCase, null where there is nothing."""
    return {
        "Content": hit.content,
        "Score": _number(hit.score),
        "Distance": _number(hit.distance),
        "Kind": hit.kind.capitalize(),
        "Via": hit.via or None,
        "SourceEntityId": hit.source_entity_id,
        "SourceEntityType": hit.source_entity_type,
        "SourceLabel": hit.source_label or None,
        "SourceDocument": _file(hit),
        "Section": hit.section or None,
        "PageFrom": hit.page_from,
        "PageTo": hit.page_to,
        "SourceOffset": hit.source_offset,
        "MatchOffset": hit.match_offset,
        "MatchLength": hit.match_length,
        "RememberedAt": hit.remembered_at.isoformat() if hit.remembered_at else None,
        "Origin": hit.origin.capitalize(),
        "AuthoredBy": hit.authored_by if hit.origin == "authored" else None,
        "Links": [_osyrin_link(link) for link in hit.links],
        "LinksElided": hit.links_elided or None,
    }


def _osyrin_link(link: Link) -> dict[str, Json]:
    return {
        "TargetType": link.target_type,
        "TargetId": link.target_id,
        "TargetLabel": link.target_label,
        "Label": link.relationship,
        "Reason": link.reason,
    }


# sqlite-graphrag: RecallItem


def recall(hit: SearchHit) -> dict[str, Json]:
    """`RecallItem` of sqlite-graphrag. `name` is the file (of a note: its record), `description` the citation."""
    direct = hit.graph_depth is None and not hit.via
    item: dict[str, Json] = {
        "memory_id": memory_id(hit.chunk_id),
        "name": _file(hit) or hit.source_label,
        "namespace": hit.namespace if hit.namespace is not None else DEFAULT_NAMESPACE,
        "type": hit.kind,
        "description": hit.citation(),
        "snippet": hit.excerpt(SNIPPET_CHARACTERS).text,
        "distance": _number(hit.distance),
        "score": score_from_distance(hit.distance),
        "source": "direct" if direct else "graph",
    }
    return item if direct else item | {"graph_depth": hit.graph_depth or 0}


def memory_id(chunk_id: str) -> int:
    """A signed 64-bit integer, the same for the same chunk everywhere: the first 8 bytes of the BLAKE2b hash of its id."""
    return int.from_bytes(blake2b(chunk_id.encode(), digest_size=8).digest(), "big", signed=True)


def score_from_distance(distance: float | None) -> float:
    """1 - distance, clamped to 0…1; 0 where no distance is known."""
    return 0.0 if distance is None or math.isnan(distance) else min(max(1.0 - distance, 0.0), 1.0)


# Living Brain: a result of its search


def brain(hit: SearchHit, *, excerpt_chars: int = EXCERPT_CHARACTERS) -> dict[str, Json]:
    """A result of Living Brain's search, whose page is the document. The combined rank is left out; `excerpt` has at most
    `MOST_EXCERPT_CHARACTERS` characters, whatever is asked for."""
    return {
        "id": hit.document_id,
        "title": hit.source_label,
        "path": _file(hit),
        "excerpt": hit.excerpt(min(excerpt_chars, MOST_EXCERPT_CHARACTERS)).text,
        "similarity": _number(hit.similarity),
        "matchedOn": hit.matched_on,
    }


# scikitplot: RetrievalHit


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievedDocument:
    """The passage that was found, and where it stands: offsets in the canonical text, half-open; pages and lines from 1; the time
    line in seconds."""

    doc_id: str
    text: str
    source_file: str | None
    source_title: str
    section: str | None
    char_start: int
    char_end: int
    page_number: int | None
    line_number: int | None
    timecode_start: float | None
    timecode_end: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalHit:
    """`RetrievalHit` of scikitplot: equal where document, score and mode are; how it came about takes no part in that."""

    doc: RetrievedDocument
    score: float
    match_mode: Mode
    backend: str | None = field(default=None, compare=False)
    index_generation: Generation | None = field(default=None, compare=False)
    native_score: float | None = field(default=None, compare=False)
    native_metric: str | None = field(default=None, compare=False)
    contributions: tuple[Contribution, ...] = field(default=(), compare=False)
    rank: int | None = field(default=None, compare=False)


def retrieval_hit(hit: SearchHit) -> RetrievalHit:
    """The typed record; `retrieval` is its JSON form."""
    times = times_in(hit.locator)
    dense = hit.match_mode in ("semantic", "hybrid")
    return RetrievalHit(
        doc=RetrievedDocument(
            doc_id=hit.chunk_id,
            text=hit.content,
            source_file=_file(hit),
            source_title=hit.source_label,
            section=hit.section,
            char_start=hit.source_offset,
            char_end=hit.source_offset + len(hit.content),
            page_number=hit.match_page_from,
            line_number=hit.line_from,
            timecode_start=times[0] if times else None,
            timecode_end=times[1] if times else None,
        ),
        score=hit.score,
        match_mode=hit.match_mode,
        backend=hit.backend or None if dense else None,
        index_generation=hit.index_generation,
        native_score=_number(hit.native_score),
        native_metric=hit.native_metric,
        contributions=hit.contributions,
        rank=hit.rank,
    )


def retrieval(hit: SearchHit) -> dict[str, Json]:
    """`RetrievalHit` of scikitplot as JSON."""
    return json_object(retrieval_hit(hit)) | {"score": _number(hit.score)}


_SHAPES: Mapping[str, Callable[[SearchHit], dict[str, Json]]] = {
    "osyrin": osyrin,
    "recall": recall,
    "brain": brain,
    "retrieval": retrieval,
}


def _file(hit: SearchHit) -> str | None:
    """The file that the words are in; what somebody said is in none."""
    return hit.source_document if hit.kind in ("section", "property") else None


def _number(value: float | None) -> float | None:
    """The number where it is one: JSON knows neither NaN nor infinity."""
    return value if value is not None and math.isfinite(value) else None
