"""Entities in words: the label of a record, rendered from the template of its type and its properties as they are now.

A template is text with `{property}` in it; `{{` and `}}` are braces. Nothing else means anything: no attribute, index, format or
call, so a template can't run code.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from index.entities import Entity, RecordBook, is_note
from index.models import DocumentRecord
from ingest.errors import UsageError
from query.citation import one_line

MAX_CHARACTERS = 300
"""Of a label; the rest of a longer one is cut off."""
_PARTS = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")


def check_template(template: str) -> None:
    """Raises UsageError for a template that can't be rendered."""
    if not template.strip():
        raise UsageError("the template is empty")
    for part in _PARTS.finditer(template):
        if part.group() in ("{", "}"):
            raise UsageError(f"a brace without its partner in “{template}”", next_step="Write {{ or }} for the character.")
        if part.group(1) is not None and not part.group(1).strip():
            raise UsageError(f"no property is named between the braces in “{template}”")


def render(template: str, properties: Mapping[str, str]) -> str | None:
    """The template with its properties filled in, on one line; None where one of them is missing or empty."""
    missing = False

    def filled(part: re.Match[str]) -> str:
        nonlocal missing
        name = part.group(1)
        if name is None:
            return part.group()[:1]
        value = one_line(properties.get(name.strip(), ""))
        missing |= not value
        return value

    label = one_line(_PARTS.sub(filled, template))
    return None if missing or not label else label[:MAX_CHARACTERS]


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
