"""What can't be made again from the files, as JSON: entities, links, notes, pins and templates; and back again.

Links that documents make themselves are left out: they come back with the documents. A document is named by root, path and SHA-256,
so that a library that was made anew knows it again. Restoring merges: what is there already stays, and doing it twice changes
nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from datetime import datetime
from typing import Any

from index.entities import EntityRecord, LinkRecord, RecordBook, is_note
from index.models import DocumentRecord
from index.ports import LibraryReader
from index.record_draft import RecordDraft
from ingest.errors import UsageError

FORMAT = "pincite-backup"
VERSION = 1

Plain = dict[str, Any]


def backup(reader: LibraryReader) -> Plain:
    """The backup of a generation, ready for JSON; times are ISO 8601."""
    book = reader.book
    return {
        "format": FORMAT,
        "version": VERSION,
        "templates": dict(sorted(book.templates.items())),
        "entities": [_entity(book, entity_id) for entity_id in sorted(book.members) if _is_worth_it(book, entity_id)],
        "links": [_plain(asdict(k)) for k in book.links if k.origin == "authored"],
        "notes": [_note(reader, d) for d in reader.documents.values() if is_note(d)],
    }


def _is_worth_it(book: RecordBook, entity_id: str) -> bool:
    """Whether anything would be lost without it."""
    return entity_id in book.rows or bool(book.links_of(entity_id)) or len(book.members[entity_id]) > 1


def _entity(book: RecordBook, entity_id: str) -> Plain:
    entity, row = book.get(entity_id), book.rows.get(entity_id)
    documents = entity.documents if entity else ()
    known = _plain(asdict(row)) if row else None
    files = [{"root": d.root, "path": d.source_document, "sha256": d.source_sha256, "by_hand": d.entity_name} for d in documents]
    return {"entity_id": entity_id, "row": known, "documents": files}


def _note(reader: LibraryReader, record: DocumentRecord) -> Plain:
    names = ("document_id", "source_document", "title", "namespace", "entity_id", "kind", "authored_by", "remembered_at")
    return _plain({n: getattr(record, n) for n in names}) | {"text": reader.rows.text(record.document_id).text}


def _plain(row: Plain) -> Plain:
    return {
        k: v.isoformat() if isinstance(v, datetime) else [list(p) for p in v] if isinstance(v, tuple) else v for k, v in row.items()
    }


class Restoring:
    """A backup on its way into a library. `documents` are those of the library, by id. Raises UsageError for what is no backup."""

    def __init__(self, raw: object, documents: Mapping[str, DocumentRecord]) -> None:
        if not isinstance(raw, dict) or raw.get("format") != FORMAT or raw.get("version") != VERSION:
            raise UsageError(f"this is no backup of version {VERSION}", next_step="pincite backup writes one.")
        self._raw, self._documents = raw, documents
        self._by_place = {(d.root, d.source_document): d for d in documents.values()}
        self._by_hash: dict[str, list[DocumentRecord]] = {}
        for d in documents.values():
            self._by_hash.setdefault(d.source_sha256, []).append(d)
        self._ids: dict[str, str] = {}  # of entities: in the backup -> here

    def into(self, draft: RecordDraft) -> list[DocumentRecord]:
        """Puts entities, links and templates into the draft; returns the documents that belong to another entity now."""
        try:
            moved = {d.document_id: d for entity in self._raw["entities"] for d in self._entity(draft, entity)}
            for link in map(_link, self._raw["links"]):
                there = replace(link, source_id=self._here(link.source_id), target_id=self._here(link.target_id))
                draft.links.setdefault(there.link_id, there)
            draft.templates |= {k: v for k, v in self._raw["templates"].items() if k not in draft.templates}
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise UsageError(f"the backup is damaged: {error!r}") from error
        return list(moved.values())

    def notes(self) -> Iterator[tuple[Plain, str]]:
        """The notes that the library hasn't, each with the id of the entity it is about here."""
        for note in self._raw["notes"]:
            if note["document_id"] not in self._documents:
                yield note, self._here(note["entity_id"])

    def _here(self, entity_id: str) -> str:
        return self._ids.get(entity_id, entity_id)

    def _entity(self, draft: RecordDraft, raw: Plain) -> Iterator[DocumentRecord]:
        """The record that the library has instead takes its id, unless somebody has named, linked or changed that one since."""
        entity_id, row = str(raw["entity_id"]), _row(raw["row"])
        found = [(d, f) for f in raw["documents"] if (d := self._document(f))]
        here: str | None
        if row and row.name is not None:
            here = draft.named(row.namespace, row.name)
        else:
            here = next((d.entity_id for d, _ in found if not draft.is_group(d.entity_id)), None)
        members = [d for d in self._documents.values() if d.entity_id == here]
        if here is None or here == entity_id:
            pass
        elif self._is_touched(draft, here, members):
            self._ids[entity_id] = here
        else:
            draft.entities.pop(here, None)
            yield from (replace(d, entity_id=entity_id) for d in members)
        there = self._here(entity_id)
        if row is not None:
            known = draft.entities.get(there)
            draft.put(_merged(known, row) if known else row)
        for record, file in found:
            if record.entity_id not in (here, there) and not draft.is_group(record.entity_id):
                yield replace(record, entity_id=there, entity_name=record.entity_name or file["by_hand"])

    @staticmethod
    def _is_touched(draft: RecordDraft, entity_id: str, members: Sequence[DocumentRecord]) -> bool:
        row = draft.entities.get(entity_id)
        linked = any(entity_id in (k.source_id, k.target_id) for k in draft.links.values() if k.origin == "authored")
        return linked or any(map(is_note, members)) or (row is not None and bool(row.properties or row.pinned_at))

    def _document(self, file: Plain) -> DocumentRecord | None:
        """By place, else the only one of the same bytes."""
        same = self._by_hash.get(file["sha256"], [])
        return self._by_place.get((file["root"], file["path"])) or (same[0] if len(same) == 1 else None)


def _merged(known: EntityRecord, row: EntityRecord) -> EntityRecord:
    """What is here already stays."""
    properties = tuple((dict(row.properties) | dict(known.properties)).items())
    return replace(known, properties=properties, pinned_at=known.pinned_at or row.pinned_at)


def _row(raw: Plain | None) -> EntityRecord | None:
    if raw is None:
        return None
    times = {n: _time(raw[n]) for n in ("pinned_at", "created_at")}
    return EntityRecord(**raw | times | {"properties": tuple((str(n), str(v)) for n, v in raw["properties"])})


def _link(raw: Plain) -> LinkRecord:
    return LinkRecord(**raw | {"created_at": _time(raw["created_at"])})


def _time(text: str | None) -> Any:
    return None if text is None else datetime.fromisoformat(text)
