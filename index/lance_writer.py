"""Rows and vectors in LanceDB, written. Its errors leave as EngineError.

A writer takes back what a dead writer left after the versions it was given, then appends.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from index.arrow_records import (
    RECORD_SCHEMAS,
    entities_of,
    entities_table,
    links_of,
    links_table,
    references_of,
    references_table,
)
from index.arrow_rows import (
    chunks_table,
    documents_table,
    failures_of,
    failures_table,
    pages_table,
    texts_table,
)
from index.arrow_schemas import BY_DOCUMENT, schemas
from index.batches import batched
from index.derived_links import StoredReference
from index.entities import EntityRecord, LinkRecord
from index.lance import LanceRows, connect
from index.lance_sql import among, translated
from index.lance_upkeep import NEAREST_FROM, maintain
from index.manifest import DAMAGED
from index.models import DocumentRecord, Failure, NewDocument
from ingest.errors import EngineError, LibraryDamaged

if TYPE_CHECKING:
    import pyarrow as pa

FLUSH_CHUNKS = 2_000
FLUSH_CHARACTERS = 16_000_000


class LanceRowsWriter:
    """RowWriter. One at a time in a library: the caller holds the lock. `versions` are those of the last generation, if any.

    A document that is there must be deleted before it is added. From `nearest_from` chunks on their vectors get an index.
    """

    def __init__(self, folder: Path, versions: Mapping[str, int], dimension: int, *, nearest_from: int = NEAREST_FROM) -> None:
        self._dimension = dimension
        self._nearest_from = nearest_from
        self._versions = dict(versions)
        self._documents: list[NewDocument] = []
        with _opening(folder):
            database, wanted = connect(folder), schemas(dimension) | RECORD_SCHEMAS
            if versions:
                self._tables = {name: database.open_table(name) for name in wanted}
            else:
                left = {n: "overwrite" if (folder / f"{n}.lance").exists() else "create" for n in wanted}
                self._tables = {n: database.create_table(n, schema=s, mode=left[n]) for n, s in wanted.items()}
            for name, version in versions.items():
                if self._tables[name].version != version:
                    self._tables[name].restore(version)

    def copy(self, source: LanceRows, *, without: Iterable[str]) -> None:
        """Takes over the rows of another folder, of every table, but for those of some documents. The tables must be empty."""
        condition = f"NOT {among('document_id', gone)}" if (gone := list(without)) else None
        with translated("rows cannot be copied"):
            for name in sorted(self._tables.keys() - {"entities", "links"}):  # they are set whole before each commit
                only = condition if name in BY_DOCUMENT else None
                for batch in source.stream(name, only, rows=FLUSH_CHUNKS if name == "chunks" else 100):
                    self._tables[name].add(batch)

    def delete(self, document_ids: Iterable[str]) -> None:
        self._flush()
        with translated("documents cannot be deleted"):
            for ids in batched(document_ids, 500):
                for name in BY_DOCUMENT:
                    self._tables[name].delete(among("document_id", ids))

    def add(self, documents: Sequence[NewDocument]) -> None:
        for document in documents:
            self._documents.append(document)
            chunks = sum(len(d.chunks) for d in self._documents)
            if chunks >= FLUSH_CHUNKS or sum(len(d.text.text) for d in self._documents) >= FLUSH_CHARACTERS:
                self._flush()

    def update(self, records: Sequence[DocumentRecord]) -> None:
        self._flush()
        with translated("documents cannot be updated"):
            for some in batched(records, 500):
                self._tables["documents"].delete(among("document_id", [r.document_id for r in some]))
                self._tables["documents"].add(documents_table(some))

    def set_failures(self, failures: Sequence[Failure]) -> None:
        table = self._tables["failures"]
        with translated("failures cannot be written"):
            if failures_of(table.search().to_arrow()) != list(failures):
                table.delete("true")
                self._append("failures", failures_table(failures))

    def set_entities(self, entities: Sequence[EntityRecord]) -> None:
        table = self._tables["entities"]
        with translated("entities cannot be written"):
            if entities_of(table.search().to_arrow()) != list(entities):
                table.delete("true")
                self._append("entities", entities_table(entities))

    def set_links(self, links: Sequence[LinkRecord]) -> None:
        table = self._tables["links"]
        with translated("links cannot be written"):
            if links_of(table.search().to_arrow()) != list(links):
                table.delete("true")
                self._append("links", links_table(links))

    def references(self) -> Iterator[StoredReference]:
        self._flush()
        with translated("references cannot be read"):
            for batch in self._tables["references"].search().to_batches(batch_size=10_000):
                yield from references_of(batch)

    def commit(self) -> dict[str, int]:
        self._flush()
        with translated("rows cannot be committed"):
            for name, table in self._tables.items():
                if table.version == self._versions.get(name):
                    continue
                if name == "chunks":
                    maintain(
                        table,
                        ids=("chunk_id", "document_id", "passage_key"),
                        kind="role",  # every search leaves roles out
                        vector="vector",
                        dimension=self._dimension,
                        nearest_from=self._nearest_from,
                    )
                else:
                    maintain(table)
            return {name: int(table.version) for name, table in self._tables.items()}

    def tag(self, number: int) -> None:
        """Keeps what was committed last from being cleaned up, under the number of its generation."""
        with translated("a generation cannot be kept"):
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
        with translated("documents cannot be written"):
            self._append("documents", documents_table(d.record for d in documents))
            self._append("texts", texts_table(d.text for d in documents))
            self._append("pages", pages_table((d.record.document_id, p) for d in documents for p in d.pages))
            references = (StoredReference(d.record.document_id, *r) for d in documents for r in d.references)
            self._append("references", references_table(references))
            chunks = [c for d in documents for c in d.chunks]
            for some in batched(chunks, FLUSH_CHUNKS):
                self._append("chunks", chunks_table(some, self._dimension))

    def _append(self, name: str, rows: pa.Table) -> None:
        if rows.num_rows:
            self._tables[name].add(rows)


@contextmanager
def _opening(folder: Path) -> Iterator[None]:
    try:
        with translated(f"{folder} cannot be opened for writing"):
            yield
    except EngineError as error:
        raise LibraryDamaged(error.message, next_step=DAMAGED) from error


def _tag(number: int) -> str:
    return f"generation-{number}"
