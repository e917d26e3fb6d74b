"""Entities and links to Arrow tables and back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import fields

import pyarrow as pa

from index.arrow_rows import plain_row, record_row, row_values
from index.arrow_schemas import schema_of
from index.derived_links import StoredReference
from index.entities import EntityRecord, LinkRecord

_TEXT, _TIME = pa.string(), pa.timestamp("us")
RECORD_SCHEMAS = {
    "entities": schema_of(
        entity_id=_TEXT,
        name=_TEXT,
        type=_TEXT,
        namespace=_TEXT,
        properties=pa.list_(pa.struct([("name", _TEXT), ("value", _TEXT)])),
        pinned_at=_TIME,
        created_at=_TIME,
    ),
    "links": schema_of(
        link_id=_TEXT,
        source_id=_TEXT,
        target_id=_TEXT,
        label=_TEXT,
        reverse_label=_TEXT,
        reason=_TEXT,
        weight=pa.float64(),
        origin=_TEXT,
        document_id=_TEXT,
        created_at=_TIME,
    ),
    "references": schema_of(document_id=_TEXT, kind=_TEXT, target=_TEXT),
}
"""The schemas of the tables, by name."""


def entities_table(records: Iterable[EntityRecord]) -> pa.Table:
    names = [f.name for f in fields(EntityRecord)]
    return pa.Table.from_pylist([plain_row({n: getattr(r, n) for n in names}) for r in records], RECORD_SCHEMAS["entities"])


def links_table(records: Iterable[LinkRecord]) -> pa.Table:
    names = [f.name for f in fields(LinkRecord)]
    return pa.Table.from_pylist([plain_row({n: getattr(r, n) for n in names}) for r in records], RECORD_SCHEMAS["links"])


def references_table(references: Iterable[StoredReference]) -> pa.Table:
    return pa.Table.from_pylist([r._asdict() for r in references], RECORD_SCHEMAS["references"])


def references_of(table: pa.Table | pa.RecordBatch) -> Iterator[StoredReference]:
    columns = (table.column(name).to_pylist() for name in StoredReference._fields)
    return map(StoredReference._make, zip(*columns, strict=True))


def entities_of(table: pa.Table) -> list[EntityRecord]:
    """In the order of their ids."""
    rows = sorted(table.to_pylist(), key=lambda row: str(row["entity_id"]))
    return [EntityRecord(**record_row(row) | {"properties": tuple(map(row_values, row["properties"]))}) for row in rows]


def links_of(table: pa.Table) -> list[LinkRecord]:
    """In the order of their ids."""
    rows = sorted(table.to_pylist(), key=lambda row: str(row["link_id"]))
    return [LinkRecord(**record_row(row)) for row in rows]
