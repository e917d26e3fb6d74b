"""The nouns of the index: what is stored, and what a leg of a search returns. Standard library only."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from ingest.models import Format, Page, PageRun, Role, SilentRange, Span, Unit
from ingest.references import Reference

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Kind = Literal["section", "property", "note", "turn"]
Origin = Literal["derived", "authored"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Generation:
    """A committed state of the library: `number` rises by one at each commit; `fingerprint` is a hash of content and settings
    (paths, file hashes, model, chunking, format), equal on every machine."""

    number: int
    fingerprint: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddingSettings:
    """Which model made the vectors. All but `dtype` (provenance) must agree between a library and its reader."""

    model: str
    weights_sha256: str
    dimension: int
    max_tokens: int
    pooled: bool
    dtype: str = "float32"


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentRecord:
    """One source document as the library knows it, without its text.

    (`root`, `source_document`) identifies it to people, `document_id` (a UUID) to the program. `title` names it in citations.
    `page_labels[n - 1]` is the printed label of page n, None where there is none; empty for formats without pages.
    `raw_path` holds the bytes of a name that is no UTF-8, else None. `entity_*` is the record it belongs to (by default its own).
    `reason` and `warning_pages` tell a `warning`. `titled_by_name`: the title is the file's stem, and goes with the name.
    `properties` are the file's own, `given` those that `pincite.toml` gives it, `searchable` the names of those that are chunks.
    `entity_name` is the entity that it was put into by hand. Of a note: `kind` and `authored_by`.
    """

    document_id: str
    root: str
    source_document: str
    title: str
    format: Format
    namespace: str | None
    source_sha256: str
    text_sha256: str
    size: int
    mtime_ns: int
    parser: str
    status: Literal["ok", "warning"]
    reason: str | None
    warning_pages: tuple[int, ...]
    encoding: str | None
    page_count: int | None
    page_labels: tuple[str | None, ...]
    cautions: tuple[str, ...]
    properties: tuple[tuple[str, str], ...]
    chunk_count: int
    entity_id: str
    entity_type: str
    ingested_at: datetime
    remembered_at: datetime
    raw_path: bytes | None = None
    titled_by_name: bool = False
    given: tuple[tuple[str, str], ...] = ()
    searchable: tuple[str, ...] = ()
    entity_name: str | None = None
    kind: Kind = "section"
    authored_by: str | None = None


_COMMON = ("root", "format", "parser", "status", "entity_type", "kind", "namespace", "encoding", "entity_name", "authored_by")


def shared_record(fields: dict[str, Any]) -> DocumentRecord:
    """The record of these fields; what it has twice, or in common with many, is in memory once: a library may have millions."""
    for name in _COMMON:
        if (value := fields.get(name)) is not None:
            fields[name] = sys.intern(value)
    for name, same in (("entity_id", "document_id"), ("text_sha256", "source_sha256")):
        if fields[name] == fields[same]:
            fields[name] = fields[same]
    return DocumentRecord(**fields)


def changed(record: DocumentRecord, **fields: Any) -> DocumentRecord:
    """The record with these fields; itself, where it has them already (a new one costs much more than a look)."""
    return record if all(getattr(record, name) == value for name, value in fields.items()) else replace(record, **fields)


class PageStart(NamedTuple):
    """From `offset` (in the chunk's content) on, the text lies on `page`."""

    offset: int
    page: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkRecord:
    """One chunk as stored. `source_document` and `root` are filled in from the document when it is read.

    Spans in `units`, `context` count in the canonical text; `silent` and `page_starts` count in `content`. `page_starts` is
    empty for formats without pages, else begins at offset 0. `line_from` is the 1-based line of the first character, in text
    formats. `ordinal` is the place among the document's chunks. `remembered_at` is when the newest of its sentences was first
    learned, `units_remembered_at` when each was; empty where all were at once.
    """

    chunk_id: str
    document_id: str
    ordinal: int
    section_path: tuple[str, ...]
    source_offset: int
    content: str
    role: Role
    units: tuple[Unit, ...]
    context: tuple[Span, ...] = ()
    silent: tuple[SilentRange, ...] = ()
    page_starts: tuple[PageStart, ...] = ()
    line_from: int | None = None
    cautions: tuple[str, ...] = ()
    kind: Kind = "section"
    origin: Origin = "derived"
    authored_by: str | None = None
    remembered_at: datetime | None = None
    units_remembered_at: tuple[datetime, ...] = ()
    source_document: str = ""
    root: str = ""

    @property
    def span(self) -> Span:
        return Span(self.source_offset, self.source_offset + len(self.content))

    @property
    def page_from(self) -> int | None:
        """Least page touched, 1-based; None for formats without pages."""
        return min((p.page for p in self.page_starts), default=None)

    @property
    def page_to(self) -> int | None:
        """Greatest page touched."""
        return max((p.page for p in self.page_starts), default=None)

    @property
    def section(self) -> str | None:
        """The path joined for reading, None without headings."""
        return " › ".join(self.section_path) or None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ChunkVectors:
    """The vectors of one passage, from one pass of the model, each normalised to length 1.

    `vector`: shape (dimension,), float32, the mean over the passage. `units`: shape (number of units, dimension), float16, in the
    order of the chunk's units; a row of zeros for a unit of which nothing is read.
    """

    vector: NDArray[np.float32]
    units: NDArray[np.float16]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class EmbeddedChunk:
    """A chunk as it goes into the index; `vectors` is None for chunks that aren't embedded (role `markup`).

    `passage_key` names what was embedded (`index.keys`), so that equal passages need not be embedded again.
    """

    chunk: ChunkRecord
    vectors: ChunkVectors | None = None
    passage_key: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentText:
    """The canonical text of a document and its maps."""

    document_id: str
    text: str
    silent: tuple[SilentRange, ...] = ()
    page_map: tuple[PageRun, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """A file that could not be read: it is tried again at the next run."""

    root: str
    source_document: str
    reason: str
    failed_at: datetime
    source_sha256: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkFilter:
    """Which chunks a leg may return. None means: no limit. Resolved before the legs run, so that all legs mean the same.

    `section_keys` are values of `section_key` below. `roles` lists what is left out. `since` and `before` (with a zone) bound the
    half-open time in which a chunk was remembered; one without a time lies in none.
    """

    document_ids: frozenset[str] | None = None
    section_keys: frozenset[str] | None = None
    kinds: frozenset[Kind] | None = None
    without_roles: frozenset[Role] = frozenset({"hidden", "markup"})
    since: datetime | None = None
    before: datetime | None = None


class LegHit(NamedTuple):
    """One result of one leg: `native_score` in the leg's own metric (cosine similarity, BM25), higher is better."""

    chunk_id: str
    native_score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class KeywordQuery:
    """A question, analysed: what the keyword leg looks for. Terms are as `index.analysis` makes them.

    `words`: stems (or character bigrams of unspaced scripts), any of which may occur. `identifiers`: codes kept whole
    ("msa-2024-11", "c++"). `phrases`: runs of stems that must occur, in order and adjoining (the quoted words of the question).
    `forms`: the words before stemming; a chunk that has a word in the form asked for scores a little more. `sequence`: all stems of
    the question in order, stop words too; a chunk in which it stands whole scores more (a quotation is found where it stands).
    """

    words: tuple[str, ...] = ()
    forms: tuple[str, ...] = ()
    identifiers: tuple[str, ...] = ()
    phrases: tuple[tuple[str, ...], ...] = ()
    sequence: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.words or self.identifiers or self.phrases)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NewDocument:
    """A document and all its chunks, as it goes into the index."""

    record: DocumentRecord
    text: DocumentText
    pages: tuple[Page, ...]
    chunks: tuple[EmbeddedChunk, ...]
    references: tuple[Reference, ...] = ()
