"""Entities in words: the label of a record, rendered from the template of its type and its properties as they are now. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from index.entities import Entity, RecordBook, is_note
from index.label_templates import render
from index.models import DocumentRecord
from query.citation import one_line


def label_of(entity: Entity, templates: Mapping[str, str]) -> str:
    """The entity in words; its title where its type has no template, or a property of the template is missing."""
    template = templates.get(entity.type)
    label = render(template, {"title": entity.title, **entity.properties}) if template else None
    return label or one_line(entity.title)


def cited_title(book: RecordBook, document: DocumentRecord) -> str:
    """What a citation calls a document: the label of its entity, and its own title where that is not enough to find it."""
    entity = book.of(document)
    label = label_of(entity, book.templates)
    several = len(entity.documents) + is_note(document) > 1 or (is_note(document) and bool(entity.documents))
    title = one_line(document.title)
    return f"{label}, {title}" if several and title not in label else label
