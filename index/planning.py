"""The plan of an ingest run: what is found on the disk, file by file, against what the library has."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from index.belonging import Belonging, searchable_properties
from index.changes import Found, Known, KnownDocuments, key_of, moves
from index.file_reports import error_report, failure, file_report, gone_report, left_out_report
from index.models import DocumentRecord, Failure, changed
from index.records import placed, stem
from index.report import Change, FileReport
from index.spool import Spool
from ingest.discover import LeftOut, Scope
from ingest.errors import SourceError
from ingest.models import SourceFile


class Job(NamedTuple):
    """A file to read: what it will be to the library, and the version there before."""

    change: Change
    previous: DocumentRecord | None
    found: Found


class Unread(NamedTuple):
    """A file that can't even be hashed, or is not what its name says."""

    source: SourceFile
    error: SourceError


@dataclass(slots=True, kw_only=True)
class Plan:
    """What is to be done: `jobs` are read, `updates` replace records, the documents `removed` (ids) go; `reports` tell of all that
    isn't read. Each by root and path, on disk: there may be millions. `failures` are as many as can't be read."""

    jobs: Spool[Job] = field(default_factory=Spool)
    updates: Spool[DocumentRecord] = field(default_factory=Spool)
    removed: Spool[str] = field(default_factory=Spool)
    reports: Spool[FileReport] = field(default_factory=Spool)
    failures: list[Failure] = field(default_factory=list)

    def report(self, report: FileReport) -> None:
        self.reports.put((report.root, report.path), report)


class Planner:
    """Fills a plan: `take` everything that is found, then `finish`. With `reparse` what is unchanged or moved is read again too; in
    any case what another parser reads now, or of which other properties are searchable."""

    def __init__(self, known: KnownDocuments, belonging: Belonging, *, now: datetime, prune: bool, reparse: bool) -> None:
        self.plan = Plan()
        self._known, self._belonging = known, belonging
        self._now, self._prune, self._reparse = now, prune, reparse
        self._new: Spool[Found] = Spool()
        self._unseen: list[LeftOut] = []

    def take(self, entries: Iterable[Found | LeftOut | Unread]) -> None:
        """Things that are there."""
        files: list[Found | Unread] = []
        for entry in entries:
            if isinstance(entry, LeftOut):
                self.plan.report(left_out_report(entry))
                if entry.status == "error":
                    self._unseen.append(entry)
            else:
                files.append(entry)
        for file, known in zip(files, self._known.met([f.source for f in files]), strict=True):
            self._take_file(file, known)

    def finish(self, scopes: Iterable[Scope]) -> Plan:
        """All that is there has been taken: what was not met below `scopes` is gone or moved."""

        def looked_at(root: str, path: str) -> bool:
            return any(s.holds(root, path) for s in scopes) and not any(_below(root, path, entry) for entry in self._unseen)

        gone: Spool[Known] = Spool()
        for known in self._known.left(looked_at):
            if looked_at(*key_of(known.here)):
                gone.put((known.here.source_sha256,), known)
            else:
                self._keep(known)
        for old, new in moves(gone, self._new):
            if old and new:
                self._take_same("moved", old, new)
            elif new:
                self._read("added", None, new)
            elif old:
                self._take_gone(old)
        return self.plan

    def _take_file(self, file: Found | Unread, known: Known | None) -> None:
        if isinstance(file, Unread):
            self.plan.report(error_report(file.source, file.error, known.here if known else None))
            self.plan.failures.append(failure(file.source, file.error, self._now))
            self._keep(known)
        elif known is None:
            self._new.put((file.sha256,), file)
        elif known.here.source_sha256 == file.sha256:
            self._take_same("unchanged", known, file)
        else:
            self._read("updated", known, file)

    def _take_same(self, change: Change, known: Known, found: Found) -> None:
        """The same bytes, wherever they are now."""
        there = _update(known.here, found, self._belonging)
        if self._reparse or there.format != found.format or searchable_properties(there) != searchable_properties(known.here):
            self._read("moved" if change == "moved" else "updated", known, found)
            return
        self.plan.report(file_report(found, change, known.here))
        self._keep(Known(known.stored, there))

    def _read(self, change: Change, known: Known | None, found: Found) -> None:
        self.plan.jobs.put(found.key, Job(change, known.here if known else None, found))
        self._keep(known)

    def _take_gone(self, known: Known) -> None:
        self.plan.report(gone_report(known.here, self._prune))
        if self._prune:
            self.plan.removed.put(key_of(known.here), known.here.document_id)
        else:
            self._keep(known)

    def _keep(self, known: Known | None) -> None:
        """The document stays, with its record of now."""
        if known and known.here != known.stored:
            self.plan.updates.put(key_of(known.here), known.here)


def _below(root: str, path: str, entry: LeftOut) -> bool:
    return root == entry.root and (entry.path in (path, ".") or path.startswith(entry.path + "/"))


def _update(record: DocumentRecord, found: Found, belonging: Belonging) -> DocumentRecord:
    """The record of the same bytes, where they are now, and what they belong to there; a title that came from the file's name goes
    with the name."""
    moved = placed(record, found.source)
    if record.titled_by_name:
        moved = changed(moved, title=stem(found.source.path))
    return belonging.placed(moved)
