"""The disk against the library: what an ingest run will do, decided before anything is written."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path, PurePosixPath

from index.batches import batched
from index.belonging import Belonging
from index.changes import AT_ONCE, Found, KnownDocuments
from index.file_reports import error_report, failure, left_out_report, roots_not_there
from index.models import DocumentRecord, Failure
from index.planning import Job, Plan, Planner, Unread
from index.ports import LibraryReader
from index.record_draft import RecordDraft
from index.report import Change
from index.root_settings import read_settings
from ingest.attachments import MAIL, attachments_of
from ingest.discover import LeftOut, RootPlan, Scope, discover, plan_roots
from ingest.errors import SourceError, UnreadableSource
from ingest.formats import format_of, hash_file
from ingest.models import SourceFile

Skip = Callable[[Path], str | None]
"""Why a folder or file is none of the user's documents (the library itself, pincite's own exports), or None."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """The roots that the library will have, what is to be done, and where each file that is read belongs."""

    roots: Mapping[str, Path]
    plan: Plan
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
    attachments: bool = False,
) -> Survey:
    """Walks the paths, hashes every file (size and time can lie), and compares. `reparse` as in `Planner`. With `attachments` the
    files in mails are found too; those of a mail whose attachments the library has, in any case. New groups and templates go into
    the draft."""
    roots = plan_roots(paths, {name: Path(folder) for name, folder in reader.roots.items()})
    belonging = _belonging(draft, roots, now=now, entity=entity, namespace=namespace)
    known = KnownDocuments(reader.rows, roots)
    planner = Planner(known, belonging, now=now, prune=prune, reparse=reparse)
    for report in (*map(left_out_report, roots.missing), *roots_not_there(roots, reader.roots)):
        planner.plan.report(report)
    planner.plan.failures += _failures_elsewhere(reader, roots)
    for entries in batched(_look(roots.scopes, skip, lambda source: attachments or known.any_inside(source)), AT_ONCE):
        planner.take(entries)
    return Survey(roots=roots.roots, plan=planner.finish(roots.scopes), belonging=belonging)


def _belonging(draft: RecordDraft, roots: RootPlan, *, now: datetime, entity: str | None, namespace: str | None) -> Belonging:
    """With the settings of the roots looked at; what they say of types is the library's from now on."""
    settings = {s.root: read_settings(roots.roots[s.root]) for s in roots.scopes}
    for said in settings.values():
        draft.templates |= said.templates
    return Belonging(draft, settings, now=now, entity=entity, namespace=namespace)


def _look(scopes: Iterable[Scope], skip: Skip, opened: Callable[[SourceFile], bool]) -> Iterator[Found | LeftOut | Unread]:
    """Everything below the scopes, and the attachments of those mails that are to be opened."""
    for scope in scopes:
        for entry in discover(scope, skip=skip):
            yield _judged(entry, skip)
            if isinstance(entry, SourceFile) and entry.file.suffix.lower() in MAIL and opened(entry):
                yield from (_judged(attachment, skip) for attachment in attachments_of(entry))


def _judged(entry: SourceFile | LeftOut, skip: Skip) -> Found | LeftOut | Unread:
    """The file with its hash, or why it is not read."""
    if isinstance(entry, LeftOut):
        return entry
    try:
        if (kind := format_of(entry)) is None:
            return _ignored(entry, f"no parser for {entry.file.suffix.lower() or 'files without a suffix'}")
        if why := skip(entry.file):
            return _ignored(entry, why)
        return Found(source=entry, format=kind, sha256=hash_file(entry))
    except SourceError as e:
        return Unread(entry, e)


def _ignored(source: SourceFile, reason: str) -> LeftOut:
    return LeftOut(root=source.root, path=source.path, status="ignored", reason=reason)


def _failures_elsewhere(reader: LibraryReader, roots: RootPlan) -> list[Failure]:
    """Those that this run does not look at again."""
    kept = []
    for f in reader.rows.failures():
        root, path = roots.place_now(f.root, f.source_document)
        here = replace(f, root=root, source_document=path)
        if not any(s.holds(here.root, here.source_document) for s in roots.scopes):
            kept.append(here)
    return kept


def rebuild_plan(sources: Iterable[tuple[DocumentRecord, SourceFile]], failures: Iterable[Failure], now: datetime) -> Plan:
    """Every document is read again, as what it was or has become."""
    plan = Plan(failures=list(failures))
    for record, source in sources:
        try:
            found = Found(source=source, format=format_of(source) or record.format, sha256=hash_file(source))
        except SourceError as e:
            plan.report(error_report(source, e, None))
            plan.failures.append(failure(source, e, now))
            continue
        change: Change = "unchanged" if found.sha256 == record.source_sha256 else "updated"
        plan.jobs.put(found.key, Job(change, record, found))
    return plan


def strayed(source: SourceFile) -> SourceError | None:
    """A file that a link below its root leads to by now: no link was there when it was found."""
    depth = len(PurePosixPath(source.path).parts)
    root, below = source.file.parents[depth - 1], source.file.parts[-depth:]
    if Path(os.path.realpath(source.file)) == Path(os.path.realpath(root), *below):
        return None
    return UnreadableSource(source.path, "was replaced by a link while it was read")
