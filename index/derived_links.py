"""Links that documents make themselves: what they refer to, found among the documents of the library. Pure."""

from __future__ import annotations

import posixpath
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from index.entities import LinkRecord
from index.keys import digest
from index.models import DocumentRecord

if TYPE_CHECKING:
    from index.catalog import Catalog

WEIGHT = 0.5
"""A document that names another says less than somebody who joins two."""
_LINKS = ("links to", "linked from")
_CITES = ("cites", "cited by")


class StoredReference(NamedTuple):
    """What a document refers to (`ingest.references`), as stored."""

    document_id: str
    kind: str
    target: str


def derived_links(
    documents: Catalog, references: Iterable[StoredReference], before: Mapping[str, LinkRecord], now: datetime
) -> dict[str, LinkRecord]:
    """The links by id, one for each pair of documents and label. Those that were there before are as old as they were."""
    found = list(references)
    places = _Places(documents, found)
    made: dict[str, LinkRecord] = {}
    for reference in found:
        source = documents.get(reference.document_id)
        if source is None or reference.kind == "own doi":
            continue
        label, reverse = _CITES if reference.kind == "doi" else _LINKS
        for target in places.of(source, reference):
            if target.entity_id == source.entity_id:
                continue
            link_id = digest("derived", source.document_id, target.document_id, label)
            known = before.get(link_id)
            made[link_id] = LinkRecord(
                link_id=link_id,
                source_id=source.entity_id,
                target_id=target.entity_id,
                label=label,
                reverse_label=reverse,
                weight=WEIGHT,
                origin="derived",
                document_id=source.document_id,
                created_at=known.created_at if known else now,
            )
    return made


class _Places:
    """The documents by all that they can be referred to by."""

    def __init__(self, documents: Catalog, references: Iterable[StoredReference]) -> None:
        self._documents = documents
        self._by_doi: defaultdict[str, list[DocumentRecord]] = defaultdict(list)
        for r in references:
            if r.kind == "own doi" and r.document_id in documents:
                self._by_doi[r.target].append(documents[r.document_id])

    def of(self, source: DocumentRecord, reference: StoredReference) -> Iterator[DocumentRecord]:
        match reference.kind:
            case "doi":
                yield from self._by_doi.get(reference.target, ())
            case "path":
                if (path := _below(source, reference.target)) and (found := self._documents.at(source.root, path)):
                    yield found
            case "wiki":
                yield from self._page(source, reference.target)

    def _page(self, source: DocumentRecord, name: str) -> Iterator[DocumentRecord]:
        """The page of that name: beside the document or below its root, else the only file of that name in the root."""
        for path in (_below(source, name), name):
            for suffix in ("", ".md"):
                if path and (found := self._documents.at(source.root, path + suffix)):
                    yield found
                    return
        if called := self._documents.only_called(source.root, PurePosixPath(name).name):
            yield called


def _below(source: DocumentRecord, target: str) -> str | None:
    """The path below the root that a target stands for, None where it leads out of it."""
    folder = "" if target.startswith("/") else posixpath.dirname(source.source_document)
    path = posixpath.normpath(posixpath.join(folder, target.lstrip("/")))
    return None if path in (".", "..") or path.startswith("../") else path
