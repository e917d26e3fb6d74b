"""A library at a glance, for a reader or an agent: pinned records, then the most linked, then the most recent. Deterministic."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from index.entities import Entity
from index.models import DocumentRecord
from index.ports import LibraryReader
from ingest.errors import UsageError
from ingest.models import Span
from ingest.reading import reading_text, silent_within
from query.citation import one_line
from query.labels import label_of

MAX_CHARS = 4_000
SMALLEST = 200
_SUMMARY_CHARS = 300
_SECTIONS = 8
_STATED = ("summary", "description", "abstract")
_OLDEST = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class DigestEntry:
    """A record: its label, one sentence about it, the titles of its outermost sections; `links` counts its links."""

    entity_id: str
    type: str
    label: str
    summary: str | None
    sections: tuple[str, ...]
    documents: int
    notes: int
    links: int
    pinned: bool

    @property
    def text(self) -> str:
        """A few lines."""
        counts = [
            f"{n} {word}{'' if n == 1 else 's'}"
            for n, word in ((self.documents, "file"), (self.notes, "note"), (self.links, "link"))
            if n
        ]
        told = f"{'* ' if self.pinned else '- '}{self.label} ({', '.join([self.type, *counts])})"
        lines = [told, self.summary, f"Sections: {'; '.join(self.sections)}" if self.sections else None]
        return "\n".join(line if n == 0 else f"  {line}" for n, line in enumerate(lines) if line)


@dataclass(frozen=True, slots=True, kw_only=True)
class Digest:
    """As many records as there was room for, and how many there are."""

    entries: tuple[DigestEntry, ...]
    records: int
    documents: int
    notes: int
    max_chars: int

    @property
    def text(self) -> str:
        """At most `max_chars` characters."""
        left_out = self.records - len(self.entries)
        tail = [f"… and {left_out} more"] if left_out else []
        return "\n".join([_head(self.records, self.documents, self.notes), *(e.text for e in self.entries), *tail])


def digest(reader: LibraryReader, max_chars: int = MAX_CHARS) -> Digest:
    """The digest of a generation. Raises UsageError where there is no room at all."""
    if max_chars < SMALLEST:
        raise UsageError(f"a digest has at least {SMALLEST} characters, not {max_chars}")
    book = reader.book
    notes = sum(d.format == "note" for d in reader.documents.values())
    ids = sorted((_rank(reader, e), i) for i in book.members if (e := book.get(i)))
    documents = len(reader.documents) - notes
    room = max_chars - len(_head(len(ids), documents, notes)) - len(f"\n… and {len(ids)} more")
    entries = []
    for entry in (_entry(reader, i) for _, i in ids):
        room -= len(entry.text) + 1
        if room < 0:
            break
        entries.append(entry)
    return Digest(entries=tuple(entries), records=len(ids), documents=documents, notes=notes, max_chars=max_chars)


def _head(records: int, documents: int, notes: int) -> str:
    return f"{records} records, {documents} files, {notes} notes"


def _rank(reader: LibraryReader, entity: Entity) -> tuple[float, int, float, str]:
    """Pinned ones first, in the order in which they were pinned; then by the number of links, then by what was learned last."""
    pinned = entity.pinned_at.timestamp() if entity.pinned_at else float("inf")
    latest = max((d.remembered_at for d in (*entity.documents, *entity.notes)), default=_OLDEST)
    recent = -latest.timestamp() if latest > _OLDEST else 0.0
    return pinned, -len(reader.book.links_of(entity.entity_id)), recent, label_of(entity, reader.book.templates)


def _entry(reader: LibraryReader, entity_id: str) -> DigestEntry:
    book = reader.book
    entity = book.get(entity_id)
    if entity is None:
        raise KeyError(entity_id)
    first = next(iter((*entity.documents, *entity.notes)), None)
    stated = next((one_line(entity.properties[n]) for n in _STATED if entity.properties.get(n, "").strip()), None)
    return DigestEntry(
        entity_id=entity_id,
        type=entity.type,
        label=label_of(entity, book.templates),
        summary=_short(stated or (_first_sentence(reader, first) if first else None)),
        sections=tuple(_sections(reader, entity.documents)),
        documents=len(entity.documents),
        notes=len(entity.notes),
        links=len(book.links_of(entity_id)),
        pinned=entity.pinned_at is not None,
    )


def _first_sentence(reader: LibraryReader, document: DocumentRecord) -> str | None:
    """The first sentence that is running text."""
    for chunk in reader.rows.chunks(document.document_id):
        if chunk.kind == "property" or chunk.role not in ("body", "list"):
            continue
        for unit in chunk.units:
            span: Span = unit.span.shift(-chunk.source_offset)
            read = reading_text(span.slice(chunk.content), silent_within(chunk.silent, span)).text
            if unit.role != "heading" and any(c.isalpha() for c in read):
                return read
    return None


def _sections(reader: LibraryReader, documents: tuple[DocumentRecord, ...]) -> Iterator[str]:
    """The outermost titles of the first document that has any; where there is but one, those below it."""
    for document in documents:
        paths = [c.section_path for c in reader.rows.chunks(document.document_id) if c.section_path and c.kind == "section"]
        outer = list(dict.fromkeys(path[0] for path in paths))
        titles = outer if len(outer) > 1 else list(dict.fromkeys(path[1] for path in paths if len(path) > 1)) or outer
        if titles:
            yield from titles[:_SECTIONS]
            return


def _short(text: str | None) -> str | None:
    if text is None or len(text) <= _SUMMARY_CHARS:
        return text
    return f"{text[: text.rfind(' ', 0, _SUMMARY_CHARS) if ' ' in text[:_SUMMARY_CHARS] else _SUMMARY_CHARS]} …"
