"""The nouns of a quotation's answer: the place, the candidate, the match. Standard library only."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from ingest.models import Role
from query.alignment import Difference
from query.citation import citation, pair
from query.locator import Locator, page_kind, times_in
from query.models import SCHEMA_VERSION
from query.record import record_id
from query.serialise import Json, json_object

PLACE_INTERNALS = frozenset({"cited_section", "cited_title", "query"})
"""Fields of a place that are not in its JSON."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a quotation stands. `quote` is the slice of the canonical text, `quote_text` its reading text.

    `query` is the question that found it first, where there was one; it takes no part in equality, and is not in JSON.
    """

    document_id: str
    source_document: str
    root: str
    source_label: str
    source_sha256: str
    offset: int
    length: int
    quote: str
    quote_text: str
    section_path: tuple[str, ...]
    cited_section: str | None
    role: Role
    prefix: str
    suffix: str
    page_from: int | None
    page_to: int | None
    page_label_from: str | None
    page_label_to: str | None
    line_from: int | None
    line_to: int | None
    locator: Locator | None = None
    cautions: tuple[str, ...] = ()
    query: str | None = field(default=None, compare=False)
    cited_title: str | None = field(default=None, compare=False, repr=False)

    @property
    def id(self) -> str:
        """Names the place: the id of its citation record (`query.record`)."""
        return record_id(self.source_sha256, self.offset, self.length)

    def citation(self) -> str:
        """ "Master Services Agreement, § 4.2 Late payment, p. 7"."""
        return citation(
            title=self.cited_title or self.source_label,
            section=self.cited_section,
            pages=pair(self.page_from, self.page_to),
            labels=(self.page_label_from, self.page_label_to),
            times=times_in(self.locator),
            lines=pair(self.line_from, self.line_to),
            kind=page_kind(self.locator),
        )

    def to_dict(self) -> dict[str, Json]:
        """The JSON form: the fields, `id`, `citation` and `schema_version`."""
        extras: dict[str, Json] = {"id": self.id, "citation": self.citation(), "schema_version": SCHEMA_VERSION}
        return json_object(self, without=PLACE_INTERNALS) | extras


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """The passage nearest to a quotation that isn't there as it stands: how near (`query.alignment`), and what differs."""

    place: Place
    similarity: float
    diff: tuple[Difference, ...]

    def to_dict(self) -> dict[str, Json]:
        """The JSON form: the fields, the place as its own JSON form."""
        return json_object(self, without={"place"}) | {"place": self.place.to_dict()}


@dataclass(frozen=True, slots=True, kw_only=True)
class QuoteMatch:
    """Every place of a quotation: found (`exact`, `normalized`), or places that may be meant (`fuzzy`: candidates, no more).

    `ambiguous`: more than one place. `preferred` is the index in `places` of the one to take first, `preference` why; null where
    nothing tells them apart, or there is only one. `candidate` is the nearest passage of a quotation that was not found.
    `excluded` are places in text that was left out of the canonical text (running heads …).
    """

    quote: str
    status: Literal["exact", "normalized", "fuzzy", "missing"]
    ambiguous: bool
    places: tuple[Place, ...]
    preferred: int | None = None
    preference: str | None = None
    candidate: Candidate | None = None
    excluded: tuple[str, ...] = ()

    @property
    def found(self) -> bool:
        """Whether the words are there: only then may they be quoted."""
        return self.status in ("exact", "normalized")

    def to_dict(self) -> dict[str, Json]:
        """The JSON form: the fields, each place as its own JSON form."""
        return json_object(self, without={"places", "candidate"}) | {
            "places": [place.to_dict() for place in self.places],
            "candidate": self.candidate.to_dict() if self.candidate else None,
            "schema_version": SCHEMA_VERSION,
        }
