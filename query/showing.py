"""A place in the library to look at: a passage, a quote in its passage, a page, a whole document. Reads, never ranks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from index.models import ChunkRecord, DocumentRecord, DocumentText
from index.ports import LibraryReader
from ingest.errors import NotFound, UsageError
from ingest.models import PAGED, SilentRange, Span
from ingest.reading import silent_within
from query.citation import citation
from query.filters import matching_documents
from query.matches import Place
from query.models import SCHEMA_VERSION
from query.places import build_places
from query.placing import labels_of
from query.record import place_of_id
from query.serialise import Json, json_object

ShownKind = Literal["chunk", "quote", "page", "document"]
PART_INTERNALS = frozenset({"silent"})
"""Fields of a part that are not in its JSON."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A run of the canonical text: `content` is the slice from `offset` on; `marks` are the quoted words in it, as spans of it."""

    offset: int
    content: str
    marks: tuple[Span, ...] = ()
    silent: tuple[SilentRange, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What there is to see. `place` is where the quoted words or the chunk stand, null for a page or document as such.

    `page` is the page that a picture would be of, null for formats without pages. A page's text may be in several parts: notes
    and hidden text follow the running text.
    """

    kind: ShownKind
    document_id: str
    source_document: str
    root: str
    citation: str
    place: Place | None
    page: int | None
    parts: tuple[Part, ...]

    def to_dict(self) -> dict[str, Json]:
        """The JSON form, as `query.schema` describes it."""
        parts: list[Json] = [json_object(part, without=PART_INTERNALS) for part in self.parts]
        return json_object(self, without={"place", "parts"}) | {
            "place": self.place.to_dict() if self.place else None,
            "parts": parts,
            "schema_version": SCHEMA_VERSION,
        }


def show(reader: LibraryReader, what: str, page: int | None = None) -> Shown:
    """What `what` names: a chunk, a citation record or hit (by id), or a document (by id, path, `root:path` or a glob for one).

    With `page`, that page of its document; quoted words stay marked there. Raises NotFound, and UsageError where several documents
    fit or the format has no pages.
    """
    chunk = reader.rows.by_ids([what]).get(what)
    if chunk is not None and chunk.kind != "property":
        return _chunk(reader, chunk, page)
    if place := place_of_id(what):
        return _quote(reader, what, *place, page)
    document = one_document(reader, what)
    text = reader.rows.text(document.document_id)
    if page is not None:
        return _page(reader, document, text, page)
    first = text.page_map[0].page if text.page_map else None
    return _shown("document", document, citation(title=document.title), page=first, parts=[_part(text, Span(0, len(text.text)))])


def one_document(reader: LibraryReader, name: str) -> DocumentRecord:
    """The document of that id, path, `root:path` or glob. Raises NotFound, UsageError where several fit."""
    if name in reader.documents:
        return reader.documents[name]
    fitting = matching_documents(reader, name)
    found = [document for document_id, document in reader.documents.items() if document_id in fitting]
    if not found:
        raise NotFound(
            f"there is no passage, quote or document “{name}”",
            next_step="`pincite documents` and `pincite chunks` list what there is.",
        )
    if len(found) > 1:
        names = ", ".join(f"{d.root}:{d.source_document}" for d in found[:5])
        raise UsageError(f"{len(found)} documents are called “{name}”", next_step=f"Say which: {names}")
    return found[0]


def _chunk(reader: LibraryReader, chunk: ChunkRecord, page: int | None) -> Shown:
    document, text = reader.documents[chunk.document_id], reader.rows.text(chunk.document_id)
    if page is not None:
        return _page(reader, document, text, page)
    place = _place(reader, text, chunk.span)
    return _shown("chunk", document, place.citation(), page=place.page_from, parts=[_part(text, chunk.span)], place=place)


def _quote(reader: LibraryReader, what: str, digits: str, span: Span, page: int | None) -> Shown:
    """The quoted words in the passages that they touch."""
    document = next((d for d in reader.documents.values() if d.source_sha256.startswith(digits)), None)
    if document is None:
        raise NotFound(
            f"{what}: no file that the library knows is the one of this quote",
            next_step="It may have changed since: `pincite verify` says what became of a bundle's quotes.",
        )
    text = reader.rows.text(document.document_id)
    if not len(span) or span.end > len(text.text):
        raise NotFound(f"{what}: {document.source_document} has no such place")
    if page is not None:
        return _page(reader, document, text, page, span)
    sections = [c.span for c in reader.rows.chunks(document.document_id) if c.kind != "property"]
    touched = [span, *(s for s in sections if s.start < span.end and span.start < s.end)]
    around = Span(min(s.start for s in touched), max(s.end for s in touched))
    place = _place(reader, text, span)
    return _shown("quote", document, place.citation(), page=place.page_from, parts=[_part(text, around, span)], place=place)


def _page(reader: LibraryReader, document: DocumentRecord, text: DocumentText, page: int, quote: Span | None = None) -> Shown:
    if document.page_count is None:
        raise UsageError(f"{document.source_document} has no pages", next_step="Leave --page out.")
    if not 1 <= page <= document.page_count:
        raise NotFound(f"{document.source_document} has no page {page}; it has {document.page_count}")
    parts = [_part(text, Span(run.start, run.end), quote) for run in text.page_map if run.page == page]
    place = _place(reader, text, quote) if quote else None
    kind = PAGED.get(document.format, "page")
    cited = citation(title=document.title, pages=(page, page), labels=labels_of(document, (page, page)), kind=kind)
    return _shown("page", document, cited, page=page, parts=parts, place=place)


def _shown(
    kind: ShownKind, document: DocumentRecord, cited: str, *, page: int | None, parts: Sequence[Part], place: Place | None = None
) -> Shown:
    return Shown(
        kind=kind,
        document_id=document.document_id,
        source_document=document.source_document,
        root=document.root,
        citation=cited,
        place=place,
        page=page,
        parts=tuple(parts),
    )


def _place(reader: LibraryReader, text: DocumentText, span: Span) -> Place:
    return build_places(reader, text, [span])[0]


def _part(text: DocumentText, span: Span, quote: Span | None = None) -> Part:
    marks: Sequence[Span] = ()
    if quote and (start := max(span.start, quote.start)) < (end := min(span.end, quote.end)):
        marks = (Span(start, end).shift(-span.start),)
    return Part(offset=span.start, content=span.slice(text.text), marks=tuple(marks), silent=silent_within(text.silent, span))
