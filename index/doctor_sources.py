"""Does a library still say what its files say? Their hashes; and, in depth, files parsed anew and characters counted."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from index.checks import Check
from index.entities import is_note
from index.models import DocumentRecord
from index.ports import LibraryReader
from index.workers import Reading, read_one
from ingest.errors import SourceError
from ingest.formats import hash_file
from ingest.models import SourceFile
from ingest.ports import TokenCounter


@dataclass(frozen=True, slots=True, kw_only=True)
class Depth:
    """What reading files again takes."""

    counter: TokenCounter
    passwords: Sequence[str] = ()


def examine_sources(
    reader: LibraryReader, source_of: Callable[[DocumentRecord], SourceFile], depth: Depth | None
) -> Iterator[Check]:
    """The checks against the files; with `depth` they are parsed again."""
    unchanged = Check(name="sources as they were ingested")
    again = Check(name="sources read again with the same text and chunks")
    characters = Check(name="characters on the pages that are in the text or in named exclusions")
    in_text = excluded = 0
    for record in reader.documents.values():
        if is_note(record):
            continue
        source = source_of(record)
        if not _as_ingested(source, record, unchanged) or depth is None:
            continue
        _same_again(reader, record, read_one(source, depth.counter, depth.passwords), again)
        if record.format == "pdf":
            found = _characters(reader, record, source, depth.passwords, characters)
            in_text, excluded = in_text + found[0], excluded + found[1]
    yield unchanged
    if depth is not None:
        yield again
        characters.detail = f"{in_text:,} in the text, {excluded:,} in named exclusions"
        yield characters


def _name(record: DocumentRecord) -> str:
    return f"{record.root}:{record.source_document}"


def _as_ingested(source: SourceFile, record: DocumentRecord, check: Check) -> bool:
    try:
        same = hash_file(source) == record.source_sha256
    except SourceError as e:
        check.count(False, f"{_name(record)}: {e.reason}")
        return False
    check.count(same, f"{_name(record)}: changed since it was ingested")
    return same


def _same_again(reader: LibraryReader, record: DocumentRecord, read: Reading | SourceError, check: Check) -> None:
    name = _name(record)
    if isinstance(read, SourceError):
        check.count(False, f"{name}: {read.reason}")
        return
    before = [(c.source_offset, c.content, c.section_path) for c in reader.rows.chunks(record.document_id) if c.kind == "section"]
    now = [(c.span.start, c.content, c.section_path) for c in read.chunks]
    same = read.document.text == reader.rows.text(record.document_id).text
    reason = "other chunks" if same else "another text"
    check.count(same and before == now, f"{name}: {reason} now ({read.document.parser}; then {record.parser})")


def _characters(
    reader: LibraryReader, record: DocumentRecord, source: SourceFile, passwords: Sequence[str], check: Check
) -> tuple[int, int]:
    """Counts the characters of every page; how many are in the text, and how many in exclusions."""
    from ingest.pdf.account import accounts

    try:
        pages = accounts(source.file, reader.rows.pages(record.document_id), shown=source.path, passwords=passwords)
    except SourceError as e:
        check.count(False, f"{_name(record)}: {e.reason}")
        return 0, 0
    for page in pages:
        check.total += page.on_page + page.other
        check.good += page.in_text + page.excluded
        if page.other:
            check.complain(f"{_name(record)}: page {page.page} has other characters than at ingest")
        elif page.lost:
            check.complain(f"{_name(record)}: page {page.page}: {len(page.lost)} are in neither: {page.lost[:40]}")
    return sum(p.in_text for p in pages), sum(p.excluded for p in pages)
