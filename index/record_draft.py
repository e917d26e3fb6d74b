"""Entities, links and templates as they will be after the next commit."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from index.derived_links import StoredReference, derived_links
from index.entities import EntityRecord, LinkRecord, RecordBook, is_note
from index.models import DocumentRecord
from index.records import ENTITY_TYPE

if TYPE_CHECKING:
    from index.catalog import Catalog
    from index.ports import LibraryReader


class RecordDraft:
    """What a writer changes: put and take rows in `entities`, `links` (by id) and `templates` (by type), then `settle`."""

    def __init__(
        self,
        entities: Iterable[EntityRecord] = (),
        links: Iterable[LinkRecord] = (),
        templates: Mapping[str, str] | None = None,
    ) -> None:
        self.entities = {e.entity_id: e for e in entities}
        self.links = {link.link_id: link for link in links}
        self.templates = dict(templates or {})
        self.merged: dict[str, str] = {}
        """The group that a document's own entity has gone into, by the id of the one that was."""
        self.committed()
        self._by_name = {(e.namespace, e.name): e.entity_id for e in self.entities.values() if e.name is not None}

    @classmethod
    def of(cls, reader: LibraryReader) -> RecordDraft:
        """A draft that begins with what a generation has."""
        return cls(reader.rows.entities(), reader.rows.links(), reader.templates)

    @property
    def changed(self) -> bool:
        return (self.entities, self.links, self.templates) != self._before

    def committed(self) -> None:
        """What is here has been written."""
        self._before = dict(self.entities), dict(self.links), dict(self.templates)

    def take_over(self, book: RecordBook) -> None:
        """Begins with what another generation has; it counts as changed."""
        self.entities |= book.rows
        self.links |= {link.link_id: link for link in book.links}
        self.templates |= book.templates
        self._by_name |= {(e.namespace, e.name): e.entity_id for e in book.rows.values() if e.name is not None}

    def group(self, namespace: str | None, name: str, now: datetime) -> EntityRecord:
        """The entity of that name, made if there is none."""
        known = self.entities.get(self._by_name.get((namespace, name), ""))
        if known is not None:
            return known
        made = EntityRecord(entity_id=str(uuid.uuid4()), name=name, type=ENTITY_TYPE, namespace=namespace, created_at=now)
        self.put(made)
        return made

    def named(self, namespace: str | None, name: str) -> str | None:
        """The id of the entity of that name."""
        entity_id = self._by_name.get((namespace, name))
        return entity_id if entity_id in self.entities else None

    def put(self, entity: EntityRecord) -> None:
        self.entities[entity.entity_id] = entity
        if entity.name is not None:
            self._by_name[entity.namespace, entity.name] = entity.entity_id

    def is_group(self, entity_id: str) -> bool:
        row = self.entities.get(entity_id)
        return row is not None and row.name is not None

    def join(self, into: Mapping[str, str], notes: Iterable[DocumentRecord]) -> list[DocumentRecord]:
        """Documents' own entities went into groups: so do their links, pins, the properties set by hand, and what was said about
        them. `into` has the group of each by its id. Returns those of the notes that were about them, as they are then."""
        links = {i: _repointed(link, into) for i, link in self.links.items()}
        self.links = {i: new for i, new in links.items() if new is self.links[i] or new.source_id != new.target_id}
        for own_id, group_id in into.items():
            old, row = self.entities.pop(own_id, None), self.entities.get(group_id)
            if old is not None and row is not None:
                properties = tuple((dict(old.properties) | dict(row.properties)).items())
                self.entities[group_id] = replace(row, properties=properties, pinned_at=row.pinned_at or old.pinned_at)
        return [replace(d, entity_id=into[d.entity_id]) for d in notes if d.entity_id in into]

    def settle(self, documents: Catalog, references: Iterable[StoredReference] | None, now: datetime) -> None:
        """Rows follow their documents in type and namespace; a row with nothing in it goes, unless it was named; a link goes of
        which one end is nowhere. With `references` (what all documents refer to), the links they make are made anew."""
        if references is not None:
            stated = {i: link for i, link in self.links.items() if link.origin == "authored"}
            self.links = stated | derived_links(documents, references, self.links, now)
        for entity_id, row in list(self.entities.items()):
            first = next(documents.members(entity_id), None)
            if first is not None:
                self.entities[entity_id] = _following(row, first, documents.members(entity_id))
            elif row.name is None:
                del self.entities[entity_id]
        ends = {end for link in self.links.values() for end in (link.source_id, link.target_id)}
        there = {end for end in ends if end in self.entities or documents.has_entity(end)}
        self.links = {i: link for i, link in self.links.items() if link.source_id in there and link.target_id in there}


def _repointed(link: LinkRecord, into: Mapping[str, str]) -> LinkRecord:
    """The link between the groups that its ends went into; itself, where none did."""
    source, target = (into.get(end, end) for end in (link.source_id, link.target_id))
    return link if (source, target) == (link.source_id, link.target_id) else replace(link, source_id=source, target_id=target)


def _following(row: EntityRecord, first: DocumentRecord, members: Iterable[DocumentRecord]) -> EntityRecord:
    stated = next((d.entity_type for d in members if not is_note(d) and d.entity_type != ENTITY_TYPE), None)
    own_type = first.entity_type if row.name is None else ENTITY_TYPE
    return replace(row, type=stated or own_type, namespace=first.namespace if row.name is None else row.namespace)
