"""Records to Arrow tables (`index.arrow_schemas`) and back. Nothing here knows LanceDB."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import accumulate, islice, pairwise
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from index.arrow_schemas import CHUNK_RECORD, CHUNKS, DOCUMENTS, FAILURES, PAGES, TEXTS, chunks_schema
from index.chunk_records import Names, chunk_of, chunk_of_columns, record_json
from index.keys import section_key
from index.models import (
    ChunkRecord,
    ChunkVectors,
    DocumentRecord,
    DocumentText,
    EmbeddedChunk,
    Failure,
)
from ingest.models import Exclusion, Page, PageRun, SilentRange, SourceRun

Row = dict[str, Any]
Run = TypeVar("Run", PageRun, SourceRun)


# Records to tables


def documents_table(records: Iterable[DocumentRecord]) -> pa.Table:
    names = DOCUMENTS.names
    return pa.Table.from_pylist([plain_row({n: getattr(r, n) for n in names}) for r in records], DOCUMENTS)


def texts_table(texts: Iterable[DocumentText]) -> pa.Table:
    rows = [
        {"document_id": t.document_id, "text": t.text, "silent": _silent_rows(t.silent), "page_map": _flat(t.page_map)}
        for t in texts
    ]
    return pa.Table.from_pylist(rows, TEXTS)


def pages_table(pages: Iterable[tuple[str, Page]]) -> pa.Table:
    """Of (document id, page)."""
    plain = ("number", "label", "width", "height", "rotation", "fingerprint")
    rows = [
        {
            "document_id": document_id,
            **{n: getattr(p, n) for n in plain},
            "runs": _flat(p.runs),
            "exclusions": [(e.page, e.source_offset, e.length, e.text, e.reason, *e.box) for e in p.exclusions],
        }
        for document_id, p in pages
    ]
    return pa.Table.from_pylist(rows, PAGES)


def failures_table(failures: Iterable[Failure]) -> pa.Table:
    return pa.Table.from_pylist([plain_row({n: getattr(f, n) for n in FAILURES.names}) for f in failures], FAILURES)


def chunks_table(chunks: Sequence[EmbeddedChunk], dimension: int) -> pa.Table:
    records = pa.Table.from_pylist([_chunk_row(e.chunk) for e in chunks], CHUNKS)
    return pa.Table.from_arrays([*records.columns, *_vector_columns(chunks, dimension)], schema=chunks_schema(dimension))


def _chunk_row(chunk: ChunkRecord) -> Row:
    copies = plain_row({n: getattr(chunk, n) for n in CHUNKS.names if n not in ("section_key", "record")})
    return copies | {"section_key": section_key(chunk.section_path), "record": record_json(chunk)}


def _vector_columns(chunks: Sequence[EmbeddedChunk], dimension: int) -> list[pa.Array[Any]]:
    nothing = ChunkVectors(vector=np.zeros(dimension, np.float32), units=np.zeros((0, dimension), np.float16))
    vectors = [e.vectors or nothing for e in chunks]
    whole = pa.array(np.concatenate([v.vector for v in vectors]).astype(np.float32, copy=False))
    units = pa.array(np.concatenate([v.units for v in vectors]).astype(np.float16, copy=False).ravel())
    offsets: Any = pa.array(np.cumsum([0, *(len(v.units) for v in vectors)], dtype=np.int32))
    missing: Any = pa.array([e.vectors is None for e in chunks])
    each_unit: Any = pa.FixedSizeListArray.from_arrays(units, dimension)
    keys: Any = pa.array([e.passage_key for e in chunks], pa.string())
    return [keys, pa.FixedSizeListArray.from_arrays(whole, dimension, mask=missing), pa.ListArray.from_arrays(offsets, each_unit)]


# Tables to records


def document_fields(batch: pa.RecordBatch) -> Iterator[Row]:
    """The fields of each DocumentRecord."""
    columns = [_document_column(name, batch.column(name)) for name in batch.schema.names]
    return (dict(zip(batch.schema.names, values, strict=True)) for values in zip(*columns, strict=True))


def _document_column(name: str, column: pa.Array[Any]) -> list[Any]:
    values: list[Any] = column.to_pylist()
    if name in ("properties", "given"):
        return [tuple(map(row_values, value)) for value in values]
    if pa.types.is_list(column.type):
        return [tuple(value) for value in values]
    if pa.types.is_timestamp(column.type):
        return [value.replace(tzinfo=UTC) for value in values]
    return values


def text_of(row: Row) -> DocumentText:
    return DocumentText(
        document_id=row["document_id"], text=row["text"], silent=_silent_of(row["silent"]), page_map=_runs(PageRun, row["page_map"])
    )


def page_of(row: Row) -> Page:
    exclusions = tuple(
        Exclusion(page=page, source_offset=offset, length=length, text=text, reason=reason, box=(x0, y0, x1, y1))
        for page, offset, length, text, reason, x0, y0, x1, y1 in map(row_values, row["exclusions"])
    )
    return Page(
        **{k: v for k, v in row.items() if k != "document_id"} | {"runs": _runs(SourceRun, row["runs"]), "exclusions": exclusions}
    )


def failures_of(table: pa.Table) -> list[Failure]:
    return [Failure(**record_row(row)) for row in table.to_pylist()]


def chunks_of(table: pa.Table | pa.RecordBatch, names: Names) -> Iterator[ChunkRecord]:
    """From the columns CHUNK_RECORD or OLD_CHUNK_RECORD."""
    if "record" not in table.schema.names:
        return (chunk_of_columns(row, names) for row in table.to_pylist())
    columns: list[list[Any]] = [table.column(name).to_pylist() for name in CHUNK_RECORD]
    return (chunk_of(content, record, names) for content, record in zip(*columns, strict=True))


def vectors_of(table: pa.Table, key: str = "chunk_id") -> dict[str, ChunkVectors]:
    """From the columns `key`, `vector`, `unit_vectors`, without rows whose vector is null; by the values of `key`."""
    found: dict[str, ChunkVectors] = {}
    dimension = table.schema.field("vector").type.list_size
    for batch in table.to_batches():
        whole: Any = batch.column("vector")
        units: Any = batch.column("unit_vectors")
        counts = units.value_lengths().to_numpy()
        parts = np.split(units.flatten().flatten().to_numpy().reshape(-1, dimension), np.cumsum(counts)[:-1])
        wholes = whole.flatten().to_numpy().reshape(-1, dimension)
        for name, vector, part in zip(batch.column(key).to_pylist(), wholes, parts, strict=True):
            found[str(name)] = ChunkVectors(vector=vector, units=part)
    return found


def units_of(table: pa.Table, ids: Sequence[str]) -> dict[str, NDArray[np.float16]]:
    """From the column `unit_vectors`, without rows that have none; `ids` gives the key of each row."""
    found: dict[str, NDArray[np.float16]] = {}
    dimension = table.schema.field("unit_vectors").type.value_type.list_size
    keys = iter(ids)
    for batch in table.to_batches():
        units: Any = batch.column("unit_vectors")
        rows = units.flatten().flatten().to_numpy().reshape(-1, dimension)
        ends = accumulate(units.value_lengths().to_pylist(), initial=0)
        found |= {
            key: rows[start:end] for key, (start, end) in zip(islice(keys, len(units)), pairwise(ends), strict=True) if start < end
        }
    return found


def sections_of(table: pa.Table) -> dict[str, tuple[str, ...]]:
    """Each section path once, from the columns `section_key`, `section_path`."""
    _, first = np.unique(table.column("section_key").to_numpy(), return_index=True)
    once = table.take(np.sort(first))
    return {row["section_key"]: tuple(row["section_path"]) for row in once.to_pylist()}


# Values


def plain_row(row: Row) -> Row:
    return {k: _naive(v) if isinstance(v, datetime) else v for k, v in row.items()}


def _naive(time: datetime) -> datetime:
    return time.astimezone(UTC).replace(tzinfo=None)


def record_row(row: Row) -> Row:
    return {k: v.replace(tzinfo=UTC) if isinstance(v, datetime) else tuple(v) if isinstance(v, list) else v for k, v in row.items()}


def row_values(struct: Row) -> tuple[Any, ...]:
    return tuple(struct.values())


def _silent_rows(silent: Iterable[SilentRange]) -> list[tuple[int, int, str]]:
    return [(r.start, r.end, r.replacement) for r in silent]


def _silent_of(rows: Iterable[Row]) -> tuple[SilentRange, ...]:
    return tuple(SilentRange(**r) for r in rows)


def _flat(runs: Iterable[PageRun] | Iterable[SourceRun]) -> list[int]:
    return [number for run in runs for number in run]


def _runs(kind: type[Run], flat: list[int]) -> tuple[Run, ...]:
    return tuple(map(kind, flat[0::3], flat[1::3], flat[2::3]))
