"""A chunk's record as it lies in its row: the content, and all else as one JSON text; formats before 4 had a column for each field.

Reading a row takes Lance a quarter of a millisecond a column, whatever is in it, and every search reads sixteen rows. The other
columns of the table (`index.arrow_schemas`) are copies, for what looks rows up by them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, get_args

from index.models import ChunkRecord, PageStart
from ingest.models import Role, SilentRange, Span, Unit

Names = Mapping[str, tuple[str, str]]
"""(root, source document) by document id."""

_ROLES: tuple[Role, ...] = get_args(Role)
"""A unit is three numbers: start, end, and twice the place of its role here, plus one where it is partial."""
_PLAIN = ("chunk_id", "document_id", "ordinal", "section_path", "source_offset", "role", "line_from", "cautions", "kind", "origin",
          "authored_by", "page_starts")  # fmt: skip
"""Fields that JSON writes as they are, a page start as a pair."""


def record_json(chunk: ChunkRecord) -> str:
    """All but the content and what the document's record says; what is empty is left out."""
    fields: dict[str, Any] = {name: getattr(chunk, name) for name in _PLAIN}
    fields["context"] = [(s.start, s.end) for s in chunk.context]
    fields["units"] = [number for u in chunk.units for number in (u.span.start, u.span.end, 2 * _ROLES.index(u.role) + u.partial)]
    fields["silent"] = [(r.start, r.end, r.replacement) for r in chunk.silent]
    fields["remembered_at"] = None if chunk.remembered_at is None else _told(chunk.remembered_at)
    fields["units_remembered_at"] = list(map(_told, chunk.units_remembered_at))
    said = {name: value for name, value in fields.items() if value is not None and value not in ((), [])}
    return json.dumps(said, ensure_ascii=False, separators=(",", ":"))


def chunk_of(content: str, record: str, names: Names) -> ChunkRecord:
    """The chunk of `record_json`."""
    fields: dict[str, Any] = json.loads(record)
    fields["section_path"] = tuple(fields.get("section_path", ()))
    fields["units"] = tuple(_units(fields.get("units", ())))
    if "context" in fields:
        fields["context"] = tuple(Span(start, end) for start, end in fields["context"])
    if "silent" in fields:
        fields["silent"] = tuple(SilentRange(start=start, end=end, replacement=read) for start, end, read in fields["silent"])
    if "page_starts" in fields:
        fields["page_starts"] = tuple(PageStart(offset, page) for offset, page in fields["page_starts"])
    if "cautions" in fields:
        fields["cautions"] = tuple(fields["cautions"])
    if "remembered_at" in fields:
        fields["remembered_at"] = datetime.fromisoformat(fields["remembered_at"])
    if "units_remembered_at" in fields:
        fields["units_remembered_at"] = tuple(map(datetime.fromisoformat, fields["units_remembered_at"]))
    root, source_document = names.get(fields["document_id"], ("", ""))
    return ChunkRecord(content=content, root=root, source_document=source_document, **fields)


def chunk_of_columns(row: Mapping[str, Any], names: Names) -> ChunkRecord:
    """The chunk of a row of a format before 4, whose columns are the fields. Before 3, units were structs."""
    root, source_document = names.get(row["document_id"], ("", ""))
    fields = dict(row) | {
        "section_path": tuple(row["section_path"]),
        "units": tuple(_structs(row["units"]) if row["units"] and isinstance(row["units"][0], dict) else _units(row["units"])),
        "context": tuple(Span(s["start"], s["end"]) for s in row["context"]),
        "silent": tuple(SilentRange(**r) for r in row["silent"]),
        "page_starts": tuple(PageStart(s["offset"], s["page"]) for s in row["page_starts"]),
        "cautions": tuple(row["cautions"]),
        "remembered_at": row["remembered_at"] and row["remembered_at"].replace(tzinfo=UTC),
        "units_remembered_at": tuple(t.replace(tzinfo=UTC) for t in row.get("units_remembered_at") or ()),
    }
    return ChunkRecord(root=root, source_document=source_document, **fields)


def _units(numbers: Sequence[int]) -> Iterable[Unit]:
    for start, end, kind in zip(numbers[0::3], numbers[1::3], numbers[2::3], strict=True):
        yield Unit(span=Span(start, end), role=_ROLES[kind // 2], partial=bool(kind % 2))


def _structs(units: Sequence[Mapping[str, Any]]) -> Iterable[Unit]:
    return (Unit(span=Span(u["start"], u["end"]), role=u["role"], partial=u["partial"]) for u in units)


def _told(time: datetime) -> str:
    return time.astimezone(UTC).isoformat()
