"""The links of a hit's record, as an annotation: they never change which hits there are, or their order. Pure."""

from __future__ import annotations

from index.entities import LinkRecord, RecordBook
from query.labels import label_of
from query.models import Link

MOST = 10
"""Links that are told of a record; of the others, how many there are."""


def links_of(book: RecordBook, entity_id: str, most: int = MOST) -> tuple[tuple[Link, ...], int]:
    """The record's links read from its end, heaviest and stated ones first, and how many more there are."""
    found = sorted(book.links_of(entity_id), key=lambda link: (-link.weight, link.origin == "derived", link.label, link.link_id))
    told = tuple(link for record in found[:most] for link in _told(book, record, entity_id))
    return told, max(len(found) - most, 0)


def _told(book: RecordBook, link: LinkRecord, entity_id: str) -> list[Link]:
    target = book.get(link.other_end(entity_id))
    if target is None:
        return []
    return [
        Link(
            target_type=target.type,
            target_id=target.entity_id,
            target_label=label_of(target, book.templates),
            relationship=link.words_from(entity_id),
            reason=link.reason,
            origin=link.origin,
        )
    ]
