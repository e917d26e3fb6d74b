"""Entities and links: what documents belong to, and how that is connected. Standard library only.

An entity has a row of its own only where somebody named, changed or pinned it: any other is read off its document.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from index.models import DocumentRecord, Origin

NOTES_ROOT = "@notes"
"""The root of what was remembered: no folder, so no ingest looks into it."""
NOTE_TYPE = "Note"


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityRecord:
    """An entity as stored. `name` finds it in its namespace, None for a document's own. `properties` are those set by hand."""

    entity_id: str
    name: str | None
    type: str
    namespace: str | None
    properties: tuple[tuple[str, str], ...] = ()
    pinned_at: datetime | None = None
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkRecord:
    """Two entities joined. `label` reads from the source to the target, `reverse_label` back. `document_id` is the document that a
    derived link was found in. `weight` is 0…1."""

    link_id: str
    source_id: str
    target_id: str
    label: str
    reverse_label: str | None = None
    reason: str | None = None
    weight: float = 1.0
    origin: Origin = "authored"
    document_id: str | None = None
    created_at: datetime

    def words_from(self, entity_id: str) -> str:
        """How the link reads from one of its ends."""
        return self.label if entity_id == self.source_id else self.reverse_label or f"inverse of “{self.label}”"

    def other_end(self, entity_id: str) -> str:
        return self.target_id if entity_id == self.source_id else self.source_id


@dataclass(frozen=True, slots=True, kw_only=True)
class Entity:
    """An entity with what belongs to it. `title` is what it is called where its type has no template. `documents` are its files,
    `notes` what was said about it, both in the order of the library."""

    entity_id: str
    type: str
    namespace: str | None
    name: str | None
    title: str
    properties: Mapping[str, str]
    documents: tuple[DocumentRecord, ...]
    notes: tuple[DocumentRecord, ...]
    pinned_at: datetime | None = None


def row_of(entity: Entity, now: datetime) -> EntityRecord:
    """The row of an entity that had none."""
    return EntityRecord(entity_id=entity.entity_id, name=entity.name, type=entity.type, namespace=entity.namespace, created_at=now)


def is_note(document: DocumentRecord) -> bool:
    return document.format == "note"


class RecordBook:
    """The entities and links of one generation. Made quickly; entities are put together when they are asked for."""

    def __init__(
        self,
        documents: Mapping[str, DocumentRecord],
        entities: Iterable[EntityRecord] = (),
        links: Iterable[LinkRecord] = (),
        templates: Mapping[str, str] | None = None,
    ) -> None:
        self._documents = documents
        self.rows: Mapping[str, EntityRecord] = {e.entity_id: e for e in entities}
        self.links: Sequence[LinkRecord] = tuple(links)
        self.templates: Mapping[str, str] = dict(templates or {})

    @cached_property
    def members(self) -> Mapping[str, Sequence[str]]:
        """The documents and notes of each entity, by id, in the order of the first documents; entities that have none come last."""
        found: dict[str, list[str]] = {}
        for document_id, record in sorted(self._documents.items(), key=lambda item: is_note(item[1])):
            found.setdefault(record.entity_id, []).append(document_id)
        return found | {entity_id: [] for entity_id in self.rows if entity_id not in found}

    @cached_property
    def _links(self) -> Mapping[str, Sequence[LinkRecord]]:
        found: dict[str, list[LinkRecord]] = {}
        for link in self.links:
            for end in dict.fromkeys((link.source_id, link.target_id)):
                found.setdefault(end, []).append(link)
        return found

    def links_of(self, entity_id: str) -> Sequence[LinkRecord]:
        """Those that begin or end there."""
        return self._links.get(entity_id, ())

    def get(self, entity_id: str) -> Entity | None:
        """The entity of that id, if there is one."""
        if entity_id not in self.members:
            return None
        found = [self._documents[i] for i in self.members[entity_id]]
        documents, notes = tuple(d for d in found if not is_note(d)), tuple(d for d in found if is_note(d))
        row = self.rows.get(entity_id)
        first = next(iter((*documents, *notes)), None)
        by_hand = dict(row.properties) if row else {}
        title = by_hand.get("title") or (row and row.name) or (first and first.title) or entity_id
        return Entity(
            entity_id=entity_id,
            type=row.type if row else first.entity_type if first else NOTE_TYPE,
            namespace=row.namespace if row else first.namespace if first else None,
            name=row.name if row else None,
            title=title,
            properties=merged_properties(documents or notes) | by_hand,
            documents=documents,
            notes=notes,
            pinned_at=row.pinned_at if row else None,
        )

    def of(self, document: DocumentRecord) -> Entity:
        """The entity that a document of this generation belongs to. Raises KeyError for a document of another."""
        entity = self.get(document.entity_id)
        if entity is None:
            raise KeyError(document.document_id)
        return entity


def merged_properties(documents: Iterable[DocumentRecord]) -> dict[str, str]:
    """What the documents say of themselves, before what `pincite.toml` says of them; the first document's word counts."""
    merged: dict[str, str] = {}
    for document in documents:
        for name, value in (*document.properties, *document.given):
            merged.setdefault(name, value)
    return merged
