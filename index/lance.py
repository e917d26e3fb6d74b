"""Rows and vectors in LanceDB, read. Its errors leave as EngineError or LibraryDamaged.

A library's `rows` folder holds the tables of `index.arrow_rows`. A reader sees exactly the versions it was given.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from itertools import chain, groupby
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

os.environ.setdefault("LANCEDB_LOG", "error")  # read when it is imported; it would warn of each table that it makes
os.environ.setdefault("LANCE_LOG", "error")

import lancedb

from index.arrow_records import entities_of, links_of
from index.arrow_rows import (
    chunks_of,
    document_fields,
    failures_of,
    page_of,
    sections_of,
    text_of,
    units_of,
    vectors_of,
)
from index.arrow_schemas import CHUNK_RECORD, OLD_CHUNK_RECORD
from index.batches import batched
from index.entities import EntityRecord, LinkRecord
from index.lance_lookup import ChunkLookup
from index.lance_sql import among, instant, quoted, told, translated
from index.manifest import ANEW, DAMAGED
from index.models import ChunkFilter, ChunkRecord, ChunkVectors, DocumentRecord, DocumentText, Failure, LegHit, shared_record
from ingest.errors import EngineError, LibraryDamaged, LibraryError, NotFound
from ingest.models import Page

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

PURGED = "this generation was removed (a document was purged, or the library made anew)"
ASK_AGAIN = "Ask again: the next call reads the newest generation (if it says the same, the library is damaged)."
TIES = 32
"""Rows asked for beyond the limit, so that equal passages at the border are chosen by id."""
_SURROGATE = re.compile("[\ud800-\udfff]")  # never in a table, and no SQL


def _nothing(where: ChunkFilter) -> bool:
    """Whether a filter lets no chunk through (an empty IN list is no SQL)."""
    return any(chosen is not None and not chosen for chosen in (where.document_ids, where.section_keys, where.kinds))


def _way_out(table: str) -> str:
    """Documents alone are what a rebuild can't do without."""
    return ANEW if table == "documents" else DAMAGED


def _conditions(where: ChunkFilter) -> list[str]:
    chosen = (("document_id", where.document_ids), ("section_key", where.section_keys), ("kind", where.kinds))
    conditions = [among(column, values) for column, values in chosen if values is not None]
    bounds = ((">=", where.since), ("<", where.before))
    conditions += [f"remembered_at {sign} {instant(time)}" for sign, time in bounds if time is not None]
    return [*conditions, f"NOT {among('role', where.without_roles)}"] if where.without_roles else conditions


def connect(folder: Path) -> Any:
    """The database of a folder, which is made if it isn't there."""
    return lancedb.connect(folder)


class LanceRows:
    """RowReader of the versions given. Tables are opened when first needed. Safe for threads."""

    def __init__(self, folder: Path, versions: Mapping[str, int]) -> None:
        self._folder = folder
        self._versions = versions
        self._tables: dict[str, Any] = {}

    def documents(self) -> list[DocumentRecord]:
        return sorted(map(shared_record, self._document_fields()), key=lambda d: (d.root, d.source_document))

    def each_document(self) -> Iterator[DocumentRecord]:
        """All, in no order: streamed, never all in memory."""
        return (DocumentRecord(**fields) for fields in self._document_fields())

    def document_names(self) -> Iterator[tuple[str, str]]:
        for batch in self.stream("documents", None, ["root", "source_document"], rows=10_000):
            yield from zip(*(batch.column(name).to_pylist() for name in ("root", "source_document")), strict=True)

    def documents_at(self, offsets: Sequence[int]) -> list[DocumentRecord]:
        with self._reading("documents"):
            batches = self._table("documents").to_lance().take(list(offsets)).to_batches()
        return [DocumentRecord(**fields) for batch in batches for fields in document_fields(batch)]

    def _document_fields(self) -> Iterator[dict[str, Any]]:
        return chain.from_iterable(map(document_fields, self.stream("documents", None, rows=1_000)))

    def text(self, document_id: str) -> DocumentText:
        rows = self._select("texts", f"document_id = {quoted(document_id)}").to_pylist()
        if not rows:
            raise NotFound(f"no document {document_id}")
        return text_of(rows[0])

    def texts(self, document_ids: Iterable[str] | None = None) -> Iterator[DocumentText]:
        for condition in [None] if document_ids is None else [among("document_id", ids) for ids in batched(document_ids, 200)]:
            for batch in self.stream("texts", condition, rows=8):
                yield from map(text_of, batch.to_pylist())

    def pages(self, document_id: str, numbers: Sequence[int] | None = None) -> list[Page]:
        if document_id not in self._names:
            raise NotFound(f"no document {document_id}")
        condition = f"document_id = {quoted(document_id)}"
        if numbers is not None:
            condition += f" AND number IN ({', '.join(str(int(n)) for n in numbers) or 'NULL'})"
        return sorted(map(page_of, self._select("pages", condition).to_pylist()), key=lambda p: p.number)

    def chunks(self, document_id: str, *, named: bool = True) -> Iterator[ChunkRecord]:
        if named and document_id not in self._names:
            raise NotFound(f"no document {document_id}")
        columns = list(dict.fromkeys(["ordinal", *self._chunk_record]))
        table = self._select("chunks", f"document_id = {quoted(document_id)}", columns)
        return chunks_of(table.sort_by("ordinal"), self._names if named else {})

    def all_chunks(self) -> Iterator[ChunkRecord]:
        """Those of all documents, in no order, without the names of their documents."""
        for batch in self.stream("chunks", None, self._chunk_record, rows=1_000):
            yield from chunks_of(batch, {})

    def by_ids(self, chunk_ids: Sequence[str]) -> dict[str, ChunkRecord]:
        _, table = self._take(chunk_ids, self._chunk_record)
        return {c.chunk_id: c for c in chunks_of(table, self._names)}

    def vectors(self, chunk_ids: Sequence[str]) -> dict[str, ChunkVectors]:
        _, table = self._take(chunk_ids, ["chunk_id", "vector", "unit_vectors"])
        return vectors_of(table.filter(table.column("vector").is_valid()))

    def unit_vectors(self, chunk_ids: Sequence[str]) -> dict[str, NDArray[np.float16]]:
        known, table = self._take(chunk_ids, ["unit_vectors"])
        found = units_of(table, known)
        return {chunk_id: found[chunk_id] for chunk_id in chunk_ids if chunk_id in found}

    def vectors_of_passages(self, passage_keys: Sequence[str]) -> dict[str, ChunkVectors]:
        found: dict[str, ChunkVectors] = {}
        if "passage_key" not in self._table("chunks").schema.names or not self.chunk_count():  # an older format; nothing yet
            return found
        for keys in batched(sorted(set(passage_keys)), 500):
            condition = f"{among('passage_key', keys)} AND vector IS NOT NULL"
            found |= vectors_of(self._select("chunks", condition, ["passage_key", "vector", "unit_vectors"]), "passage_key")
        return found

    def nearest(self, vector: NDArray[np.float32], limit: int, where: ChunkFilter) -> list[LegHit]:
        if limit <= 0 or _nothing(where):
            return []
        with translated("the nearest passages cannot be found"):
            ranked = self._lookup.nearest(vector, limit + TIES, " AND ".join(_conditions(where)) or None)
        return [LegHit(i, 1.0 - d) for d, i in ranked[:limit]]

    def containing(self, text: str, where: ChunkFilter, *, fold_case: bool = False) -> list[str]:
        if not text or _nothing(where) or _SURROGATE.search(text):
            return []
        conditions = _conditions(where)
        if not fold_case:  # SQL's lower() is not case folding: ß, ſ, K (Kelvin)
            conditions.append(f"contains(content, {quoted(text)})")
        columns = ["chunk_id", "document_id", "ordinal"] + (["content"] if fold_case else [])
        needle = text.casefold()
        found: list[tuple[str, int, str]] = []
        for batch in self.stream("chunks", " AND ".join(conditions) or None, columns, rows=2_000):
            rows = zip(*(batch.column(c).to_pylist() for c in columns), strict=True)
            found += [(row[1], row[2], row[0]) for row in rows if not fold_case or needle in row[3].casefold()]
        order = {document_id: i for i, document_id in enumerate(self._names)}
        return [chunk_id for _, _, chunk_id in sorted(found, key=lambda f: (order[f[0]], f[1]))]

    def sections(self, document_ids: Collection[str] | None = None) -> Mapping[str, tuple[str, ...]]:
        if document_ids is None:
            return self._sections
        found: dict[str, tuple[str, ...]] = {}
        for ids in batched(document_ids, 500):
            found |= sections_of(self._select("chunks", among("document_id", ids), ["section_key", "section_path"]))
        return found

    def sections_called(self, title: str) -> frozenset[tuple[str, ...]]:
        return self._paths_by_title.get(title, frozenset())

    def failures(self) -> list[Failure]:
        return failures_of(self._select("failures"))

    def entities(self) -> list[EntityRecord]:
        return entities_of(self._select("entities")) if "entities" in self._versions else []  # older formats have none

    def links(self) -> list[LinkRecord]:
        return links_of(self._select("links")) if "links" in self._versions else []

    def chunk_count(self, where: ChunkFilter | None = None) -> int:
        if where is None:
            return self._chunk_count
        if _nothing(where):
            return 0
        with self._reading("chunks"):
            return int(self._table("chunks").count_rows(" AND ".join(_conditions(where)) or None))

    def row_count(self, name: str) -> int:
        with self._reading(name):
            return int(self._table(name).count_rows())

    @cached_property
    def _chunk_count(self) -> int:
        return self.row_count("chunks")

    @cached_property
    def _chunk_record(self) -> list[str]:
        """The columns that hold a chunk: an older format has others."""
        there = set(self._table("chunks").schema.names)
        return CHUNK_RECORD if "record" in there else [name for name in OLD_CHUNK_RECORD if name in there]

    @cached_property
    def _sections(self) -> Mapping[str, tuple[str, ...]]:
        return sections_of(self._select("chunks", None, ["section_key", "section_path"]))

    @cached_property
    def _paths_by_title(self) -> Mapping[str, frozenset[tuple[str, ...]]]:
        paths = sorted((path for path in self._sections.values() if path), key=itemgetter(-1))
        return {title: frozenset(same) for title, same in groupby(paths, key=itemgetter(-1))}

    @cached_property
    def _names(self) -> dict[str, tuple[str, str]]:
        """(root, source document) by document id, in their order."""
        rows = self._select("documents", None, ["root", "source_document", "document_id"]).to_pylist()
        by_name = sorted((r["root"], r["source_document"], r["document_id"]) for r in rows)
        return {document_id: (root, path) for root, path, document_id in by_name}

    @cached_property
    def _lookup(self) -> ChunkLookup:
        return ChunkLookup(self._table("chunks").to_lance())

    def _take(self, chunk_ids: Sequence[str], columns: list[str]) -> tuple[list[str], pa.Table]:
        """The chunks that are known, each once, and their rows."""
        with self._reading("chunks"):
            return self._lookup.take(chunk_ids, columns)

    def _table(self, name: str) -> Any:
        if name not in self._tables:
            if not self._folder.exists():  # opening it would make it
                raise LibraryError(f"{self._folder}: {PURGED}", next_step=ASK_AGAIN)
            try:
                table = connect(self._folder).open_table(name)
                table.checkout(self._versions[name])
            except Exception as error:
                raise LibraryDamaged(
                    f"{self._folder}: table {name} cannot be read: {told(error)}", next_step=_way_out(name)
                ) from error
            self._tables[name] = table
        return self._tables[name]

    @contextmanager
    def _reading(self, name: str) -> Iterator[None]:
        try:
            with translated(f"{name} cannot be read"):
                yield
        except EngineError as error:
            if self._folder.exists():
                raise LibraryDamaged(f"{self._folder}: {error.message}", next_step=_way_out(name)) from error
            raise LibraryError(f"{self._folder}: {PURGED}", next_step=ASK_AGAIN) from error

    def _query(self, name: str, condition: str | None, columns: list[str] | None) -> Any:
        query = self._table(name).search()
        if columns is not None:
            query = query.select(columns)
        return query if condition is None else query.where(condition)

    def _select(self, name: str, condition: str | None = None, columns: list[str] | None = None) -> pa.Table:
        with self._reading(name):
            table: pa.Table = self._query(name, condition, columns).to_arrow()
            return table

    def stream(self, name: str, condition: str | None, columns: list[str] | None = None, *, rows: int) -> Iterator[pa.RecordBatch]:
        """The rows of a table as they are stored."""
        with self._reading(name):
            yield from self._query(name, condition, columns).to_batches(batch_size=rows)
