"""What has changed between the library and the disk. Pure: records and files in, a plan out."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from index.models import DocumentRecord
from ingest.models import Format, SourceFile


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A file that can be read: the parser for it, and the SHA-256 (hex) of its bytes."""

    source: SourceFile
    format: Format
    sha256: str

    @property
    def key(self) -> tuple[str, str]:
        return self.source.root, self.source.path


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """Every found file is in exactly one of the first four, every document of the scope in one of all but `added`."""

    unchanged: tuple[tuple[DocumentRecord, Found], ...]
    moved: tuple[tuple[DocumentRecord, Found], ...]
    updated: tuple[tuple[DocumentRecord, Found], ...]
    added: tuple[Found, ...]
    gone: tuple[DocumentRecord, ...]


def key_of(record: DocumentRecord) -> tuple[str, str]:
    return record.root, record.source_document


def compare(known: Sequence[DocumentRecord], found: Sequence[Found]) -> Changes:
    """`known` are the documents of the walked scope. A move is exactly one path gone and one new with the same bytes."""
    by_key = {key_of(r): r for r in known}
    here = {f.key for f in found}
    unchanged: list[tuple[DocumentRecord, Found]] = []
    updated: list[tuple[DocumentRecord, Found]] = []
    gone_by_hash: defaultdict[str, list[DocumentRecord]] = defaultdict(list)
    new_by_hash: defaultdict[str, list[Found]] = defaultdict(list)
    for record in known:
        if key_of(record) not in here:
            gone_by_hash[record.source_sha256].append(record)
    for file in found:
        old = by_key.get(file.key)
        if old is None:
            new_by_hash[file.sha256].append(file)
        else:
            (unchanged if old.source_sha256 == file.sha256 else updated).append((old, file))
    moved = [
        (gone[0], new_by_hash[sha][0])
        for sha, gone in gone_by_hash.items()
        if len(gone) == 1 and len(new_by_hash.get(sha, ())) == 1
    ]
    moved_hashes = {record.source_sha256 for record, _ in moved}
    return Changes(
        unchanged=tuple(unchanged),
        moved=tuple(moved),
        updated=tuple(updated),
        added=tuple(f for f in found if f.key not in by_key and f.sha256 not in moved_hashes),
        gone=tuple(r for r in known if key_of(r) not in here and r.source_sha256 not in moved_hashes),
    )
