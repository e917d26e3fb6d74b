"""Which entity and namespace each document belongs to, and which of its properties are searchable.

Said by hand, else by the file's front matter, else by `pincite.toml`. Front matter never says the namespace: who writes a file must
not choose who reads it.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from index.entities import merged_properties
from index.models import DocumentRecord, changed
from index.record_draft import RecordDraft
from index.records import ENTITY_TYPE
from index.root_settings import RootSettings

_SAYS_NOTHING = RootSettings()


class Belonging:
    """What a run knows: the settings of the roots, by name; `entity` and `namespace` are said by hand ("" takes it back)."""

    def __init__(
        self,
        draft: RecordDraft,
        settings: Mapping[str, RootSettings],
        *,
        now: datetime,
        entity: str | None = None,
        namespace: str | None = None,
    ) -> None:
        self._draft, self._settings, self._now = draft, settings, now
        self._entity = None if entity is None else entity.strip()
        self._namespace = namespace

    def placed(self, record: DocumentRecord) -> DocumentRecord:
        """The record with what it belongs to; a group that isn't there yet is made in the draft."""
        said = self._settings.get(record.root, _SAYS_NOTHING).of(record.source_document)
        front = dict(record.properties)
        by_hand = record.entity_name if self._entity is None else self._entity or None
        name = by_hand or " ".join(front.get("entity", "").split()) or said.entity
        namespace = (self._namespace or None) if self._namespace is not None else said.namespace or record.namespace
        if name:
            entity_id = self._draft.group(namespace, name, self._now).entity_id
            if record.entity_id != entity_id and not self._draft.is_group(record.entity_id):
                self._draft.merged[record.entity_id] = entity_id
        elif self._draft.is_group(record.entity_id):
            entity_id = record.document_id
        else:
            entity_id = record.entity_id
        marked = {*said.searchable, *(n.strip() for n in front.get("searchable", "").split(","))}
        return changed(
            record,
            namespace=namespace,
            entity_id=entity_id,
            entity_type=front.get("type", "").strip() or said.type or ENTITY_TYPE,
            entity_name=by_hand,
            given=said.properties,
            searchable=tuple(sorted(marked & (front.keys() | dict(said.properties).keys()))),
        )


def searchable_properties(record: DocumentRecord) -> list[tuple[str, str]]:
    """The properties that are chunks, (name, value) in the order of their names."""
    values = merged_properties([record])
    return [(name, value) for name in record.searchable if (value := " ".join(values.get(name, "").split()))]
