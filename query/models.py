"""The nouns of a search's answer: the hit and the response. Standard library only."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Literal, overload

from index.models import Generation, Kind, Origin
from ingest.models import Role, SilentRange, Span
from ingest.reading import reading_text, silent_within
from query.citation import citation, pair
from query.excerpts import Excerpt, excerpt, neighbourhood
from query.locator import Locator, page_kind, times_in
from query.record import record_id
from query.serialise import Json, json_object

if TYPE_CHECKING:
    from query.shapes import Shape

SCHEMA_VERSION = 1

Mode = Literal["hybrid", "semantic", "keyword", "strict"]
Leg = Literal["semantic", "keyword"]
HIT_INTERNALS = frozenset({"silent", "units", "cited_section", "cited_title"})
"""Fields of a hit that are not in its JSON."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contribution:
    """What one leg said of a hit: its 0-based rank there, its score in its own metric, and what it adds to the hit's `score`, which
    is the sum."""

    leg: Leg
    rank: int
    native_score: float
    native_metric: str
    adds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A connection of a hit's record to another record, read from the hit's end. `origin`: stated, or found in a document."""

    target_type: str
    target_id: str
    target_label: str
    relationship: str
    reason: str | None = None
    origin: Origin = "authored"


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchHit:
    """One passage that answers, the sentence in it that does, and where both stand in the source document.

    Offsets count Unicode code points: `source_offset` in the document's canonical text, `match_offset` in `content`. `match_*` of
    a hit that is one unit is null: it is its own match. `source_label` is the record in words (`query.labels`). `via` and
    `graph_depth` are null for a direct hit. The fields after `provenance` take no part in equality or hash.
    """

    # what matched
    content: str
    score: float
    distance: float | None
    similarity: float | None
    kind: Kind = "section"
    via: str | None = None
    # which record
    source_entity_id: str
    source_entity_type: str
    source_label: str
    source_document: str
    root: str
    namespace: str | None = None
    document_id: str
    chunk_id: str
    # where
    role: Role
    section: str | None
    section_path: tuple[str, ...]
    page_from: int | None
    page_to: int | None
    page_label_from: str | None
    page_label_to: str | None
    source_offset: int
    match_offset: int | None
    match_length: int | None
    match_page_from: int | None
    match_page_to: int | None
    match_page_label_from: str | None
    match_page_label_to: str | None
    line_from: int | None
    line_to: int | None
    locator: Locator | None
    context: tuple[Span, ...] = ()
    also_matched: tuple[Span, ...] = ()
    # when, on whose word
    remembered_at: datetime | None = None
    origin: Origin = "derived"
    authored_by: str | None = None
    # connections
    links: tuple[Link, ...] = ()
    links_elided: int = 0
    graph_depth: int | None = None
    # what to be careful about
    cautions: tuple[str, ...] = ()
    # how it was found
    matched_on: Literal["both", "semantic", "keyword"] | None = None
    match_mode: Mode
    contributions: tuple[Contribution, ...] = ()
    rank: int | None = None
    native_score: float | None = None
    native_metric: str | None = None
    # provenance
    backend: str = field(default="", compare=False)
    index_generation: Generation | None = field(default=None, compare=False)
    query: str = field(default="", compare=False)
    source_sha256: str = field(default="", compare=False)
    # what `quote_text`, `excerpt` and `citation` are made from, as spans of `content`; not in JSON
    silent: tuple[SilentRange, ...] = field(default=(), compare=False, repr=False)
    units: tuple[Span, ...] = field(default=(), compare=False, repr=False)
    cited_section: str | None = field(default=None, compare=False, repr=False)
    cited_title: str | None = field(default=None, compare=False, repr=False)

    @property
    def match(self) -> Span:
        """The match as a span of `content`: all of it when the hit is its own match."""
        if self.match_offset is None or self.match_length is None:
            return Span(0, len(self.content))
        return Span(self.match_offset, self.match_offset + self.match_length)

    @property
    def id(self) -> str:
        """Names the match: the id of its citation record (`query.record`)."""
        return record_id(self.source_sha256, self.source_offset + self.match.start, len(self.match))

    @property
    def quote(self) -> str:
        """The matched words, exactly as the slice of the canonical text."""
        return self.match.slice(self.content)

    @property
    def quote_text(self) -> str:
        """The matched words as a reader reads them."""
        return reading_text(self.quote, silent_within(self.silent, self.match)).text

    def excerpt(self, max_chars: int = 500) -> Excerpt:
        """The reading text around the match, cut at the ends of words to `max_chars` characters, and where the match is in it."""
        return excerpt(self.content, self.silent, self.match, max_chars)

    def neighbourhood(self, sentences: int) -> Excerpt:
        """The reading text of the match with so many sentences (items, rows) of its passage on either side."""
        return neighbourhood(self.content, self.silent, self.units, self.match, sentences)

    def citation(self) -> str:
        """ "Master Services Agreement, § 4.2 Late payment, p. 7": the place of the match."""
        return citation(
            title=self.cited_title or self.source_label,
            section=self.cited_section,
            pages=pair(self.match_page_from, self.match_page_to),
            labels=(self.match_page_label_from, self.match_page_label_to),
            times=times_in(self.locator),
            lines=pair(self.line_from, self.line_to),
            kind=page_kind(self.locator),
        )

    def to_dict(self) -> dict[str, Json]:
        """The JSON form, as `query.schema` describes it: the fields, `id`, `quote_text`, `citation` and `schema_version`."""
        extras: dict[str, Json] = {"id": self.id, "quote_text": self.quote_text, "citation": self.citation()}
        return json_object(self, without=HIT_INTERNALS) | extras | {"schema_version": SCHEMA_VERSION}

    def as_shape(self, shape: Shape) -> dict[str, Json]:
        """The JSON form of another system's hit: "osyrin", "recall", "brain", "retrieval" (docs/SHAPES.md). Raises UsageError."""
        from query.shapes import hit_shape

        return hit_shape(self, shape)


@dataclass(frozen=True, slots=True, kw_only=True)
class LegAccount:
    """What became of one leg of a search: how many chunks it gave, or why it gave none."""

    leg: Leg
    status: Literal["complete", "failed", "skipped"]
    hits: int = 0
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchResponse(Sequence[SearchHit]):
    """The hits of a search, best first, and how it went. `elapsed_ms` takes no part in equality."""

    hits: tuple[SearchHit, ...]
    query: str
    mode: Mode
    status: Literal["complete", "degraded"]
    legs: tuple[LegAccount, ...]
    index_generation: Generation
    message: str | None = None
    elapsed_ms: float = field(default=0.0, compare=False)

    def __len__(self) -> int:
        return len(self.hits)

    def __iter__(self) -> Iterator[SearchHit]:
        return iter(self.hits)

    @overload
    def __getitem__(self, index: int) -> SearchHit: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[SearchHit, ...]: ...
    def __getitem__(self, index: int | slice) -> SearchHit | tuple[SearchHit, ...]:
        return self.hits[index]

    def to_dict(self) -> dict[str, Json]:
        """The JSON form: the fields, each hit as its own JSON form."""
        return json_object(self, without={"hits"}) | {
            "hits": [hit.to_dict() for hit in self.hits],
            "schema_version": SCHEMA_VERSION,
        }

    def as_shape(self, shape: Shape) -> list[dict[str, Json]]:
        """The hits as `SearchHit.as_shape` gives them, in their order; of "brain" the first 20."""
        from query.shapes import hits_shape

        return hits_shape(self.hits, shape)
