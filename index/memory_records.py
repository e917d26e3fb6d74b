"""Entities and links in memory: the part of `index.memory` that knows no document."""

from __future__ import annotations

from collections.abc import Sequence

from index.entities import EntityRecord, LinkRecord


class MemoryRecords:
    """Readers see what `commit_records` was called for."""

    def __init__(self) -> None:
        self._records: tuple[tuple[EntityRecord, ...], tuple[LinkRecord, ...]] = ((), ())
        self._entities: tuple[EntityRecord, ...] = ()
        self._links: tuple[LinkRecord, ...] = ()

    def set_entities(self, entities: Sequence[EntityRecord]) -> None:
        self._entities = tuple(entities)

    def set_links(self, links: Sequence[LinkRecord]) -> None:
        self._links = tuple(links)

    def commit_records(self) -> None:
        self._records = self._entities, self._links

    def entities(self) -> list[EntityRecord]:
        return list(self._records[0])

    def links(self) -> list[LinkRecord]:
        return list(self._records[1])
