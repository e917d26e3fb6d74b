"""Document records on disk: looked up by id, by the place of their file, by what they belong to."""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator, MutableMapping
from dataclasses import fields
from operator import attrgetter
from pathlib import PurePosixPath
from typing import Any

from index.entities import is_note
from index.models import DocumentRecord
from index.scratch import Scratch

_SCHEMA = """
CREATE TABLE documents (
    document_id TEXT PRIMARY KEY, root TEXT, path TEXT, sha256 TEXT, entity_id TEXT, note INTEGER, stem TEXT, record BLOB
);
CREATE INDEX by_place ON documents (root, path);
CREATE INDEX by_entity ON documents (entity_id) WHERE entity_id != document_id
"""
_INSERT = "INSERT OR REPLACE INTO documents VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
_NAMES = [field.name for field in fields(DocumentRecord)]
_values = attrgetter(*_NAMES)  # pickled faster than the record itself


class Catalog(MutableMapping[str, DocumentRecord]):
    """Records by document id. Iterates in the order of (root, source_document), and must not be changed meanwhile."""

    def __init__(self, records: Iterable[DocumentRecord] = ()) -> None:
        self._scratch = Scratch(_SCHEMA)
        self._scratch.fill(_INSERT, ((r.document_id, *_row(r)) for r in records))

    def __getitem__(self, document_id: str) -> DocumentRecord:
        found = self._scratch.row("SELECT record FROM documents WHERE document_id = ?", (document_id,))
        if found is None:
            raise KeyError(document_id)
        return _record(found)

    def __setitem__(self, document_id: str, record: DocumentRecord) -> None:
        self._scratch.run(_INSERT, (document_id, *_row(record)))

    def __delitem__(self, document_id: str) -> None:
        if not self._scratch.run("DELETE FROM documents WHERE document_id = ?", (document_id,)):
            raise KeyError(document_id)

    def __iter__(self) -> Iterator[str]:
        return (i for (i,) in self._scratch.rows("SELECT document_id FROM documents ORDER BY root, path"))

    def __len__(self) -> int:
        return int(self._scratch.row("SELECT count(*) FROM documents")[0])

    def __contains__(self, document_id: object) -> bool:
        return self._scratch.row("SELECT 1 FROM documents WHERE document_id = ?", (document_id,)) is not None

    def files(self) -> Iterator[tuple[str, str, str]]:
        """(root, source_document, source_sha256) of all, in order."""
        return self._scratch.rows("SELECT root, path, sha256 FROM documents ORDER BY root, path, sha256")

    def at(self, root: str, path: str) -> DocumentRecord | None:
        """The document of the file there."""
        found = self._scratch.row("SELECT record FROM documents WHERE root = ? AND path = ?", (root, path))
        return None if found is None else _record(found)

    def only_called(self, root: str, stem: str) -> DocumentRecord | None:
        """The document below the root whose file has that stem, case aside; None where several have it."""
        self._scratch.run("CREATE INDEX IF NOT EXISTS by_stem ON documents (root, stem)")  # most libraries have no use for it
        query = "SELECT record FROM documents WHERE root = ? AND stem = ? LIMIT 2"
        found = list(self._scratch.rows(query, (root, stem.casefold())))
        return _record(found[0]) if len(found) == 1 else None

    def members(self, entity_id: str) -> Iterator[DocumentRecord]:
        """The documents of an entity in the order of (root, source_document), then its notes."""
        others = "entity_id = ?1 AND entity_id != document_id"
        query = f"""SELECT record FROM (
            SELECT * FROM documents WHERE {others} UNION ALL SELECT * FROM documents WHERE document_id = ?1 AND entity_id = ?1
        ) ORDER BY note, root, path"""
        return map(_record, self._scratch.rows(query, (entity_id,)))

    def has_entity(self, entity_id: str) -> bool:
        """Whether any document belongs to it."""
        return next(self.members(entity_id), None) is not None


def _record(row: tuple[bytes]) -> DocumentRecord:
    return DocumentRecord(**dict(zip(_NAMES, pickle.loads(row[0]), strict=True)))


def _row(record: DocumentRecord) -> tuple[Any, ...]:
    """The columns but for the id."""
    stem = PurePosixPath(record.source_document).stem.casefold()
    packed = pickle.dumps(_values(record), pickle.HIGHEST_PROTOCOL)
    return record.root, record.source_document, record.source_sha256, record.entity_id, is_note(record), stem, packed
