"""Where the links of a PDF lead: web addresses and other files. Places in the same file are no references."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field

from ingest.pdf import engine

MOST = 2_000
"""Targets kept of a file."""


@dataclass(slots=True)
class LinkTargets:
    """Collects targets page by page: each once, in the order of the pages. Damaged pages have none."""

    _found: dict[str, None] = field(default_factory=dict)

    def take(self, page: engine.Page) -> None:
        if len(self._found) < MOST:
            with suppress(*engine.PAGE_ERRORS):
                self._found |= dict.fromkeys(engine.links(page))

    def all(self) -> tuple[str, ...]:
        return tuple(self._found)[:MOST]
