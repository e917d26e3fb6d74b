"""The entities of a library as people and programs list them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from index.ports import LibraryReader
from query.labels import label_of
from query.links import links_of
from query.models import Link


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedEntity:
    """An entity with its label as it is now, the paths of its documents and notes (`root:path`), and all its links."""

    entity_id: str
    type: str
    label: str
    name: str | None
    namespace: str | None
    properties: dict[str, str]
    documents: tuple[str, ...]
    notes: tuple[str, ...]
    links: tuple[Link, ...]
    pinned_at: datetime | None


def listed(reader: LibraryReader) -> Iterator[ListedEntity]:
    """All, in the order of their first documents; those without a document last."""
    for entity_id in reader.book.members:
        yield listed_entity(reader, entity_id)


def listed_entity(reader: LibraryReader, entity_id: str) -> ListedEntity:
    """One of them. Raises KeyError for an unknown id."""
    book = reader.book
    entity = book.get(entity_id)
    if entity is None:
        raise KeyError(entity_id)
    return ListedEntity(
        entity_id=entity_id,
        type=entity.type,
        label=label_of(entity, book.templates),
        name=entity.name,
        namespace=entity.namespace,
        properties=dict(entity.properties),
        documents=tuple(f"{d.root}:{d.source_document}" for d in entity.documents),
        notes=tuple(f"{d.root}:{d.source_document}" for d in entity.notes),
        links=links_of(book, entity_id, most=len(book.links_of(entity_id)))[0],
        pinned_at=entity.pinned_at,
    )
