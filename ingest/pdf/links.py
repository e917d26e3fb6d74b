"""Where the links of a PDF lead: web addresses and other files. Places in the same file are no references."""

from __future__ import annotations

from ingest.pdf import engine

MOST = 2_000
"""Targets kept of a file."""


def link_targets(document: engine.Document) -> tuple[str, ...]:
    """Each target once, in the order of the pages. Pages without annotations are not loaded; damaged ones have none."""
    found: dict[str, None] = {}
    for number in range(document.page_count):
        try:
            if document.xref_get_key(document.page_xref(number), "Annots")[0] == "null":
                continue
            found |= dict.fromkeys(engine.links(document[number]))
        except engine.PAGE_ERRORS:
            continue
        if len(found) >= MOST:
            break
    return tuple(found)[:MOST]
