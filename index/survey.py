"""The disk against the library: what an ingest run will do, decided before anything is written."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from index.belonging import Belonging, searchable_properties
from index.changes import Changes, Found, compare, key_of
from index.models import DocumentRecord, Failure, changed
from index.ports import LibraryReader
from index.record_draft import RecordDraft
from index.records import placed, stem
from index.report import Change, FileReport
from index.root_settings import read_settings
from ingest.discover import LeftOut, RootPlan, Scope, discover, plan_roots
from ingest.errors import OwnExport, SourceError, UnreadableSource
from ingest.formats import format_of, hash_file
from ingest.models import SourceFile

KEPT = "the version ingested before is kept"
GONE = "the file is gone, its text is kept (ingest with --prune to remove it)"

Unpack = Callable[[SourceFile], Iterable[SourceFile]]
"""The files in a file (the attachments of a mail) that are documents of their own."""

Skip = Callable[[Path], str | None]
"""Why a folder or file is none of the user's documents (the library itself, pincite's own exports), or None."""


class Job(NamedTuple):
    """A file to read: what it will be to the library, and the version there before."""

    change: Change
    previous: DocumentRecord | None
    found: Found


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """What is to be done: `jobs` are read, `updates` replace records, `removed` go; `reports` tell of all that isn't read.
    `belonging` says of what is read where it belongs."""

    roots: Mapping[str, Path]
    jobs: tuple[Job, ...]
    updates: tuple[DocumentRecord, ...]
    removed: tuple[DocumentRecord, ...]
    reports: tuple[FileReport, ...]
    failures: tuple[Failure, ...]
    belonging: Belonging


def survey(
    reader: LibraryReader,
    paths: Sequence[Path],
    *,
    draft: RecordDraft,
    namespace: str | None,
    entity: str | None,
    prune: bool,
    skip: Skip,
    now: datetime,
    reparse: bool = False,
    unpack: Unpack = lambda source: (),
) -> Survey:
    """Walks the paths, hashes every file (size and time can lie), and compares. With `reparse` what is unchanged or moved is read
    again too, and in any case where other properties are searchable now. New groups and templates go into the draft."""
    roots = plan_roots(paths, {name: Path(folder) for name, folder in reader.roots.items()})
    stored = reader.documents
    belonging = _belonging(draft, roots, now=now, entity=entity, namespace=namespace)
    known = [_taken_over(r, roots) for r in stored.values()]
    in_scope = [r for r in known if any(s.holds(*key_of(r)) for s in roots.scopes)]
    found, left_out, unread = _look(roots.scopes, skip, unpack)
    changes = compare(_seen(in_scope, left_out, unread), found)
    removed = changes.gone if prune else ()
    again = {
        r.document_id
        for r, f in (*changes.unchanged, *changes.moved)
        if reparse or r.format != f.format or searchable_properties(_update(r, f, belonging)) != searchable_properties(r)
    }
    stale = [(r, f) for r, f in changes.unchanged if r.document_id in again]
    unchanged = [(r, f) for r, f in changes.unchanged if r.document_id not in again]
    changes = replace(changes, unchanged=tuple(unchanged), updated=(*changes.updated, *stale))
    moved = [(r, f) for r, f in changes.moved if r.document_id not in again]
    wanted = {r.document_id: r for r in known}
    wanted |= {r.document_id: _update(r, f, belonging) for r, f in (*changes.unchanged, *moved)}
    for record in removed:
        del wanted[record.document_id]
    return Survey(
        roots=roots.roots,
        jobs=_jobs(changes, again),
        updates=tuple(r for i, r in wanted.items() if r != stored[i]),
        removed=removed,
        reports=(
            *map(_left_out_report, (*roots.missing, *left_out)),
            *_error_reports(unread, in_scope),
            *(file_report(f, "unchanged", r) for r, f in changes.unchanged),
            *(file_report(f, "moved", r) for r, f in moved),
            *(_gone_report(r, prune) for r in changes.gone),
            *_roots_not_there(roots, reader.roots),
        ),
        failures=(*_failures_elsewhere(reader, roots), *(failure(e.source, e.error, now) for e in unread)),
        belonging=belonging,
    )


def _belonging(draft: RecordDraft, roots: RootPlan, *, now: datetime, entity: str | None, namespace: str | None) -> Belonging:
    """With the settings of the roots looked at; what they say of types is the library's from now on."""
    settings = {s.root: read_settings(roots.roots[s.root]) for s in roots.scopes}
    for said in settings.values():
        draft.templates |= said.templates
    return Belonging(draft, settings, now=now, entity=entity, namespace=namespace)


class Unread(NamedTuple):
    """A file that can't even be hashed, or is not what its name says."""

    source: SourceFile
    error: SourceError


def _look(scopes: Iterable[Scope], skip: Skip, unpack: Unpack) -> tuple[list[Found], list[LeftOut], list[Unread]]:
    found: list[Found] = []
    left_out: list[LeftOut] = []
    unread: list[Unread] = []
    for scope in scopes:
        for entry in _with_unpacked(discover(scope, skip=skip), unpack):
            if isinstance(entry, LeftOut):
                left_out.append(entry)
                continue
            try:
                if (kind := format_of(entry)) is None:
                    left_out.append(_ignored(entry, f"no parser for {entry.file.suffix.lower() or 'files without a suffix'}"))
                elif why := skip(entry.file):
                    left_out.append(_ignored(entry, why))
                else:
                    found.append(Found(source=entry, format=kind, sha256=hash_file(entry)))
            except SourceError as e:
                unread.append(Unread(entry, e))
    return found, left_out, unread


def _with_unpacked(entries: Iterable[SourceFile | LeftOut], unpack: Unpack) -> Iterator[SourceFile | LeftOut]:
    for entry in entries:
        yield entry
        if isinstance(entry, SourceFile):
            yield from unpack(entry)


def _ignored(source: SourceFile, reason: str) -> LeftOut:
    return LeftOut(root=source.root, path=source.path, status="ignored", reason=reason)


def _taken_over(record: DocumentRecord, roots: RootPlan) -> DocumentRecord:
    """The record under the outer root that has taken its root over."""
    if record.root not in roots.taken_over:
        return record
    root, prefix = roots.taken_over[record.root]
    path = f"{prefix}/{record.source_document}"
    raw = None if record.raw_path is None else prefix.encode() + b"/" + record.raw_path
    return replace(record, root=root, source_document=path, raw_path=raw)


def _seen(records: Iterable[DocumentRecord], left_out: Iterable[LeftOut], unread: Iterable[Unread]) -> list[DocumentRecord]:
    """Without those whose file may well be there, but couldn't be seen or read this time: they are not gone."""
    unreadable = {(u.source.root, u.source.path) for u in unread}
    unseen = [entry for entry in left_out if entry.status == "error"]
    return [r for r in records if key_of(r) not in unreadable and not any(_below(key_of(r), entry) for entry in unseen)]


def _below(key: tuple[str, str], entry: LeftOut) -> bool:
    root, path = key
    return root == entry.root and (entry.path in (path, ".") or path.startswith(entry.path + "/"))


def _jobs(changes: Changes, again: Collection[str]) -> tuple[Job, ...]:
    jobs = [
        *(Job("updated", r, f) for r, f in changes.updated),
        *(Job("moved", r, f) for r, f in changes.moved if r.document_id in again),
        *(Job("added", None, f) for f in changes.added),
    ]
    return tuple(sorted(jobs, key=lambda job: job.found.key))


def rebuild_jobs(sources: Iterable[tuple[DocumentRecord, SourceFile]]) -> tuple[list[Job], list[Unread]]:
    """Every document is read again, as what it was or has become."""
    jobs, unread = [], []
    for record, source in sources:
        try:
            sha256, kind = hash_file(source), format_of(source)
        except SourceError as e:
            unread.append(Unread(source, e))
            continue
        change: Change = "unchanged" if sha256 == record.source_sha256 else "updated"
        jobs.append(Job(change, record, Found(source=source, format=kind or record.format, sha256=sha256)))
    return jobs, unread


def _update(record: DocumentRecord, found: Found, belonging: Belonging) -> DocumentRecord:
    """The record of the same bytes, where they are now, and what they belong to there; a title that came from the file's name goes
    with the name."""
    moved = placed(record, found.source)
    if record.titled_by_name:
        moved = changed(moved, title=stem(found.source.path))
    return belonging.placed(moved)


def _failures_elsewhere(reader: LibraryReader, roots: RootPlan) -> list[Failure]:
    """Those that this run does not look at again."""
    kept = []
    for f in reader.rows.failures():
        root, prefix = roots.taken_over.get(f.root, (f.root, ""))
        here = replace(f, root=root, source_document=f"{prefix}/{f.source_document}" if prefix else f.source_document)
        if not any(s.holds(here.root, here.source_document) for s in roots.scopes):
            kept.append(here)
    return kept


def strayed(source: SourceFile) -> SourceError | None:
    """A file that a link below its root leads to by now: no link was there when it was found."""
    depth = len(PurePosixPath(source.path).parts)
    root, below = source.file.parents[depth - 1], source.file.parts[-depth:]
    if Path(os.path.realpath(source.file)) == Path(os.path.realpath(root), *below):
        return None
    return UnreadableSource(source.path, "was replaced by a link while it was read")


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


def _error_reports(unread: Iterable[Unread], known: Iterable[DocumentRecord]) -> list[FileReport]:
    kept = {key_of(r): r for r in known}
    return [error_report(u.source, u.error, kept.get((u.source.root, u.source.path))) for u in unread]


def _left_out_report(entry: LeftOut) -> FileReport:
    return FileReport(root=entry.root, path=entry.path, change="none", status=entry.status, reason=entry.reason)


def _roots_not_there(plan: RootPlan, known: Mapping[str, str]) -> Iterator[FileReport]:
    """Said when another root is new: it may be the same one in a new place, and its documents now be there twice."""
    if not set(plan.roots) - set(known):
        return
    for name in sorted(set(plan.roots) & set(known)):
        if not plan.roots[name].is_dir():
            reason = f"{known[name]} is not there; if it has moved: pincite rebuild --root {name}=FOLDER keeps ids and times"
            yield FileReport(root=name, path=".", change="none", status="warning", reason=reason)


def _gone_report(record: DocumentRecord, prune: bool) -> FileReport:
    return FileReport(
        root=record.root,
        path=record.source_document,
        change="removed" if prune else "none",
        status="ok" if prune else "warning",
        reason=None if prune else GONE,
        chunks=0 if prune else record.chunk_count,
    )
