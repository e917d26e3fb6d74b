"""What is said of each file that an ingest run met, or failed to meet."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime

from index.changes import Found
from index.models import DocumentRecord, Failure
from index.report import Change, FileReport
from ingest.discover import LeftOut, RootPlan
from ingest.errors import OwnExport, SourceError
from ingest.models import SourceFile

KEPT = "the version ingested before is kept"
GONE = "the file is gone, its text is kept (ingest with --prune to remove it)"


def failure(source: SourceFile, error: SourceError, now: datetime, sha256: str | None = None) -> Failure:
    return Failure(root=source.root, source_document=source.path, reason=error.reason, failed_at=now, source_sha256=sha256)


def file_report(found: Found, change: Change, record: DocumentRecord) -> FileReport:
    """A document that is in the library as it is on the disk."""
    return FileReport(
        root=found.source.root,
        path=found.source.path,
        change=change,
        status=record.status,
        reason=record.reason,
        pages=record.warning_pages,
        chunks=record.chunk_count,
    )


def error_report(source: SourceFile, error: SourceError, kept: DocumentRecord | None) -> FileReport:
    """A file that could not be read; what the library had of it stays. A copy of our own making is ignored."""
    return FileReport(
        root=source.root,
        path=source.path,
        change="none",
        status="ignored" if isinstance(error, OwnExport) else "error",
        reason=f"{error.reason}; {KEPT}" if kept else error.reason,
        pages=error.pages,
        chunks=kept.chunk_count if kept else 0,
    )


def left_out_report(entry: LeftOut) -> FileReport:
    return FileReport(root=entry.root, path=entry.path, change="none", status=entry.status, reason=entry.reason)


def gone_report(record: DocumentRecord, prune: bool) -> FileReport:
    return FileReport(
        root=record.root,
        path=record.source_document,
        change="removed" if prune else "none",
        status="ok" if prune else "warning",
        reason=None if prune else GONE,
        chunks=0 if prune else record.chunk_count,
    )


def roots_not_there(plan: RootPlan, known: Mapping[str, str]) -> Iterator[FileReport]:
    """Said when another root is new: it may be the same one in a new place, and its documents now be there twice."""
    if not set(plan.roots) - set(known):
        return
    for name in sorted(set(plan.roots) & set(known)):
        if not plan.roots[name].is_dir():
            reason = f"{known[name]} is not there; if it has moved: pincite rebuild --root {name}=FOLDER keeps ids and times"
            yield FileReport(root=name, path=".", change="none", status="warning", reason=reason)
