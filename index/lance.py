"""Rows and vectors in LanceDB: the only module that knows it. Its errors leave as EngineError or LibraryDamaged.

A library's `rows` folder holds the tables of `index.arrow_rows`. A reader sees exactly the versions it was given; a writer takes
back what a dead writer left after the versions it was given, then appends.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import timedelta
from functools import cached_property
from itertools import groupby, islice
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

os.environ.setdefault("LANCEDB_LOG", "error")  # read when it is imported; it would warn of each table that it makes

import lancedb
import numpy as np

from index.arrow_rows import (
    CHUNK_RECORD,
    chunks_of,
    chunks_table,
    documents_of,
    documents_table,
    failures_of,
    failures_table,
    page_of,
    pages_table,
    schemas,
    sections_of,
    text_of,
    texts_table,
    vectors_of,
)
from index.lance_upkeep import NEAREST_FROM, maintain
from index.models import ChunkFilter, ChunkRecord, ChunkVectors, DocumentRecord, DocumentText, Failure, LegHit, NewDocument
from ingest.errors import EngineError, LibraryDamaged, LibraryError, NotFound, PinciteError
from ingest.models import Page

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

T = TypeVar("T")

ENGINE = "LanceDB"
PROBES = 20
REFINE = 2
"""Of an index of vectors: parts that are looked into (more, while a filter leaves too few), and how many times the rows asked for
are compared exactly. At 100,000 chunks the first ten of the exact order were all found."""
FLUSH_CHUNKS = 2_000
FLUSH_CHARACTERS = 16_000_000
PURGED = "this generation was removed (a document was purged, or the library made anew)"
ASK_AGAIN = "Ask again: the next call reads the newest generation (if it says the same, the library is damaged)."
TIES = 32
"""Rows asked for beyond the limit, so that equal passages at the border are chosen by id."""
_SURROGATE = re.compile("[\ud800-\udfff]")  # never in a table, and no SQL
_BY_DOCUMENT = ("documents", "texts", "pages", "chunks")


@contextmanager
def _translated(doing: str) -> Iterator[None]:
    try:
        yield
    except PinciteError:
        raise
    except Exception as error:  # LanceDB raises ValueError, RuntimeError, OSError and Arrow's own
        raise EngineError(ENGINE, f"{doing}: {error}") from error


def _batched(items: Iterable[T], size: int) -> Iterator[list[T]]:
    rest = iter(items)
    while some := list(islice(rest, size)):
        yield some


def _quoted(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def _among(column: str, values: Iterable[str]) -> str:
    return f"{column} IN ({', '.join(map(_quoted, sorted(values)))})"


def _nothing(where: ChunkFilter) -> bool:
    """Whether a filter lets no chunk through (an empty IN list is no SQL)."""
    return any(chosen is not None and not chosen for chosen in (where.document_ids, where.section_keys, where.kinds))


def _conditions(where: ChunkFilter) -> list[str]:
    chosen = (("document_id", where.document_ids), ("section_key", where.section_keys), ("kind", where.kinds))
    conditions = [_among(column, values) for column, values in chosen if values is not None]
    return [*conditions, f"NOT {_among('role', where.without_roles)}"] if where.without_roles else conditions


class LanceRows:
    """RowReader of the versions given. Tables are opened when first needed. Safe for threads."""

    def __init__(self, folder: Path, versions: Mapping[str, int]) -> None:
        self._folder = folder
        self._versions = versions
        self._tables: dict[str, Any] = {}

    def documents(self) -> list[DocumentRecord]:
        return sorted(documents_of(self._select("documents")), key=lambda d: (d.root, d.source_document))

    def text(self, document_id: str) -> DocumentText:
        rows = self._select("texts", f"document_id = {_quoted(document_id)}").to_pylist()
        if not rows:
            raise NotFound(f"no document {document_id}")
        return text_of(rows[0])

    def texts(self, document_ids: Iterable[str] | None = None) -> Iterator[DocumentText]:
        for condition in [None] if document_ids is None else [_among("document_id", ids) for ids in _batched(document_ids, 200)]:
            for batch in self.stream("texts", condition, rows=8):
                yield from map(text_of, batch.to_pylist())

    def pages(self, document_id: str, numbers: Sequence[int] | None = None) -> list[Page]:
        if document_id not in self._names:
            raise NotFound(f"no document {document_id}")
        condition = f"document_id = {_quoted(document_id)}"
        if numbers is not None:
            condition += f" AND number IN ({', '.join(str(int(n)) for n in numbers) or 'NULL'})"
        return sorted(map(page_of, self._select("pages", condition).to_pylist()), key=lambda p: p.number)

    def chunks(self, document_id: str) -> Iterator[ChunkRecord]:
        if document_id not in self._names:
            raise NotFound(f"no document {document_id}")
        table = self._select("chunks", f"document_id = {_quoted(document_id)}", CHUNK_RECORD)
        return chunks_of(table.sort_by("ordinal"), self._names)

    def all_chunks(self) -> Iterator[ChunkRecord]:
        """Those of all documents, in no order."""
        for batch in self.stream("chunks", None, CHUNK_RECORD, rows=1_000):
            yield from chunks_of(batch, self._names)

    def by_ids(self, chunk_ids: Sequence[str]) -> dict[str, ChunkRecord]:
        if not chunk_ids:
            return {}
        table = self._select("chunks", _among("chunk_id", set(chunk_ids)), CHUNK_RECORD)
        return {c.chunk_id: c for c in chunks_of(table, self._names)}

    def vectors(self, chunk_ids: Sequence[str]) -> dict[str, ChunkVectors]:
        if not chunk_ids:
            return {}
        condition = f"{_among('chunk_id', set(chunk_ids))} AND vector IS NOT NULL"
        return vectors_of(self._select("chunks", condition, ["chunk_id", "vector", "unit_vectors"]))

    def vectors_of_passages(self, passage_keys: Sequence[str]) -> dict[str, ChunkVectors]:
        found: dict[str, ChunkVectors] = {}
        if "passage_key" not in self._table("chunks").schema.names or not self.chunk_count():  # an older format; nothing yet
            return found
        for keys in _batched(sorted(set(passage_keys)), 500):
            condition = f"{_among('passage_key', keys)} AND vector IS NOT NULL"
            found |= vectors_of(self._select("chunks", condition, ["passage_key", "vector", "unit_vectors"]), "passage_key")
        return found

    def nearest(self, vector: NDArray[np.float32], limit: int, where: ChunkFilter) -> list[LegHit]:
        if limit <= 0 or _nothing(where):
            return []
        with _translated("the nearest passages cannot be found"):
            query = self._table("chunks").search(vector, vector_column_name="vector").distance_type("cosine")
            query = query.minimum_nprobes(PROBES).maximum_nprobes(0).refine_factor(REFINE)
            if conditions := _conditions(where):
                query = query.where(" AND ".join(conditions))
            table = query.select(["chunk_id", "_distance"]).limit(limit + TIES).to_arrow()
        distances = table.column("_distance").to_numpy()
        hits = zip(table.column("chunk_id").to_pylist(), distances, strict=True)
        ranked = sorted((d, i) for i, d in hits if not np.isnan(d))
        return [LegHit(i, 1.0 - float(d)) for d, i in ranked[:limit]]

    def containing(self, text: str, where: ChunkFilter, *, fold_case: bool = False) -> list[str]:
        if not text or _nothing(where) or _SURROGATE.search(text):
            return []
        conditions = _conditions(where)
        if not fold_case:  # SQL's lower() is not case folding: ß, ſ, K (Kelvin)
            conditions.append(f"contains(content, {_quoted(text)})")
        columns = ["chunk_id", "document_id", "ordinal"] + (["content"] if fold_case else [])
        needle = text.casefold()
        found: list[tuple[str, int, str]] = []
        for batch in self.stream("chunks", " AND ".join(conditions) or None, columns, rows=2_000):
            rows = zip(*(batch.column(c).to_pylist() for c in columns), strict=True)
            found += [(row[1], row[2], row[0]) for row in rows if not fold_case or needle in row[3].casefold()]
        order = {document_id: i for i, document_id in enumerate(self._names)}
        return [chunk_id for _, _, chunk_id in sorted(found, key=lambda f: (order[f[0]], f[1]))]

    def sections(self) -> Mapping[str, tuple[str, ...]]:
        return self._sections

    def sections_called(self, title: str) -> frozenset[tuple[str, ...]]:
        return self._paths_by_title.get(title, frozenset())

    def failures(self) -> list[Failure]:
        return failures_of(self._select("failures"))

    def chunk_count(self) -> int:
        with _translated("the chunks cannot be counted"):
            return int(self._table("chunks").count_rows())

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

    def _table(self, name: str) -> Any:
        if name not in self._tables:
            if not self._folder.exists():  # opening it would make it
                raise LibraryError(f"{self._folder}: {PURGED}", next_step=ASK_AGAIN)
            try:
                table = lancedb.connect(self._folder).open_table(name)
                table.checkout(self._versions[name])
            except Exception as error:
                raise LibraryDamaged(f"{self._folder}: table {name} cannot be read: {error}", next_step="pincite doctor") from error
            self._tables[name] = table
        return self._tables[name]

    @contextmanager
    def _reading(self, name: str) -> Iterator[None]:
        try:
            with _translated(f"{name} cannot be read"):
                yield
        except EngineError as error:
            if self._folder.exists():
                raise
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


class LanceRowsWriter:
    """RowWriter. One at a time in a library: the caller holds the lock. `versions` are those of the last generation, if any.

    A document that is there must be deleted before it is added. From `nearest_from` chunks on their vectors get an index.
    """

    def __init__(self, folder: Path, versions: Mapping[str, int], dimension: int, *, nearest_from: int = NEAREST_FROM) -> None:
        self._dimension = dimension
        self._nearest_from = nearest_from
        self._documents: list[NewDocument] = []
        with _translated(f"{folder} cannot be opened for writing"):
            database = lancedb.connect(folder)
            if versions:
                self._tables = {name: database.open_table(name) for name in schemas(dimension)}
            else:
                left = {n: "overwrite" if (folder / f"{n}.lance").exists() else "create" for n in schemas(dimension)}
                self._tables = {n: database.create_table(n, schema=s, mode=left[n]) for n, s in schemas(dimension).items()}
            for name, version in versions.items():
                if self._tables[name].version != version:
                    self._tables[name].restore(version)

    def copy(self, source: LanceRows, *, without: Iterable[str]) -> None:
        """Takes over the rows of another folder, but for those of some documents. The tables must be empty."""
        condition = f"NOT {_among('document_id', gone)}" if (gone := list(without)) else None
        with _translated("rows cannot be copied"):
            for name in _BY_DOCUMENT:
                for batch in source.stream(name, condition, rows=FLUSH_CHUNKS if name == "chunks" else 100):
                    self._tables[name].add(batch)

    def delete(self, document_ids: Iterable[str]) -> None:
        self._flush()
        with _translated("documents cannot be deleted"):
            for ids in _batched(document_ids, 500):
                for name in _BY_DOCUMENT:
                    self._tables[name].delete(_among("document_id", ids))

    def add(self, documents: Sequence[NewDocument]) -> None:
        for document in documents:
            self._documents.append(document)
            chunks = sum(len(d.chunks) for d in self._documents)
            if chunks >= FLUSH_CHUNKS or sum(len(d.text.text) for d in self._documents) >= FLUSH_CHARACTERS:
                self._flush()

    def update(self, records: Sequence[DocumentRecord]) -> None:
        self._flush()
        with _translated("documents cannot be updated"):
            for some in _batched(records, 500):
                self._tables["documents"].delete(_among("document_id", [r.document_id for r in some]))
                self._tables["documents"].add(documents_table(some))

    def set_failures(self, failures: Sequence[Failure]) -> None:
        table = self._tables["failures"]
        with _translated("failures cannot be written"):
            if failures_of(table.search().to_arrow()) != list(failures):
                table.delete("true")
                self._append("failures", failures_table(failures))

    def commit(self) -> dict[str, int]:
        self._flush()
        with _translated("rows cannot be committed"):
            for name, table in self._tables.items():
                if name == "chunks":
                    maintain(
                        table,
                        ids=("chunk_id", "document_id", "passage_key"),
                        vector="vector",
                        dimension=self._dimension,
                        nearest_from=self._nearest_from,
                    )
                else:
                    maintain(table)
            return {name: int(table.version) for name, table in self._tables.items()}

    def tag(self, number: int) -> None:
        """Keeps what was committed last from being cleaned up, under the number of its generation."""
        with _translated("a generation cannot be kept"):
            for table in self._tables.values():
                tag = _tag(number)
                (table.tags.update if tag in table.tags.list() else table.tags.create)(tag, table.version)

    def prune(self, kept: Iterable[int]) -> None:
        """Removes all versions but the newest and those of the generations named. What can't be removed goes the next time."""
        tags = {_tag(n) for n in kept}
        for table in self._tables.values():
            with suppress(Exception):  # a file that is open can't be deleted on Windows; nothing is lost by keeping it
                for tag in set(table.tags.list()) - tags:
                    table.tags.delete(tag)
                table.to_lance().cleanup_old_versions(timedelta(0), delete_unverified=True, error_if_tagged_old_versions=False)

    def _flush(self) -> None:
        documents, self._documents = self._documents, []
        with _translated("documents cannot be written"):
            self._append("documents", documents_table(d.record for d in documents))
            self._append("texts", texts_table(d.text for d in documents))
            self._append("pages", pages_table((d.record.document_id, p) for d in documents for p in d.pages))
            chunks = [c for d in documents for c in d.chunks]
            for some in _batched(chunks, FLUSH_CHUNKS):
                self._append("chunks", chunks_table(some, self._dimension))

    def _append(self, name: str, rows: pa.Table) -> None:
        if rows.num_rows:
            self._tables[name].add(rows)


def _tag(number: int) -> str:
    return f"generation-{number}"
