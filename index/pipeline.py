"""The one place where the order of the steps of ingest is read: survey -> read -> embed -> write -> commit.

Everything is streamed: memory holds one batch of documents, however many there are. What is known, planned and reported of each
file lies on disk (`index.spool`, `index.catalog`).
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import tee
from pathlib import Path
from time import perf_counter

from index.batches import batched
from index.belonging import Belonging, searchable_properties
from index.entities import is_note
from index.file_reports import error_report, failure, file_report
from index.manifest import same_vectors
from index.models import DocumentRecord, Generation
from index.new_documents import EMBED_BATCH, DocumentMaker, ReadDocument
from index.notes import read_note
from index.planning import Job, Plan
from index.ports import Embedder, LibraryReader, LibraryWriter
from index.record_draft import RecordDraft
from index.records import document_record
from index.report import FileReport, IngestReport, NoProgress, Progress, count
from index.root_settings import read_settings
from index.spool import Spool
from index.survey import Skip, Survey, rebuild_plan, strayed, survey
from index.workers import Limits, Reading, default_jobs, read_all
from ingest.errors import LibraryError, OwnExport, SourceError
from ingest.models import SourceFile
from ingest.ports import TokenCounter

COMMIT_CHUNKS = 20_000
"""Chunks between two commits: what is lost, at most, when the machine goes down."""
RECORDS = 2_000
"""Records that are written at once, where nothing is read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestOptions:
    """How to ingest. `namespace` and `entity` None keep what documents have; `reparse` reads unchanged files too; `jobs` None means
    one for each processor; `passwords` are tried on encrypted files, and kept nowhere."""

    namespace: str | None = None
    entity: str | None = None
    prune: bool = False
    reparse: bool = False
    jobs: int | None = None
    limits: Limits = field(default_factory=Limits)
    passwords: tuple[str, ...] = field(default=(), repr=False)
    skip: Skip = lambda path: None
    attachments: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class _Read:
    """A document that was read, before its passages are embedded."""

    job: Job
    reading: Reading
    record: DocumentRecord

    @property
    def whole(self) -> ReadDocument:
        return ReadDocument(self.record, self.reading, known=self.job.previous is not None)


@dataclass(slots=True, kw_only=True)
class _Run:
    """What a run has gathered so far, and what it works with."""

    reader: LibraryReader
    writer: LibraryWriter
    maker: DocumentMaker
    belonging: Belonging
    watch: Progress
    now: datetime
    plan: Plan
    uncommitted: int = 0
    commit_chunks: int = field(default_factory=lambda: COMMIT_CHUNKS)


def ingest(  # noqa: PLR0917
    reader: LibraryReader,
    writer: LibraryWriter,
    embedder: Embedder,
    counter: TokenCounter,
    paths: Sequence[Path],
    options: IngestOptions,
    *,
    progress: Progress | None = None,
) -> IngestReport:
    """Brings the library up to what is on the disk below `paths`. A bad file is reported, and the others go in.

    `reader` is what was committed last before `writer` took the lock or while it holds it.
    """
    started, now = perf_counter(), datetime.now(UTC)
    surveyed = _survey(reader, writer.records, paths, options, now)
    run = _Run(
        reader=reader,
        writer=writer,
        maker=DocumentMaker(reader=reader, embedder=embedder, now=now),
        belonging=surveyed.belonging,
        watch=progress or NoProgress(),
        now=now,
        plan=surveyed.plan,
    )
    if run.plan.jobs:
        writer.expect_documents()
    changed = _write_records(run, surveyed.roots)
    for batch in _batches(_read(run, counter, options)):
        _write_batch(run, batch)
        changed = True
    return _finish(run, started, changed)


def rebuild(  # noqa: PLR0917
    reader: LibraryReader,
    writer: LibraryWriter,
    embedder: Embedder,
    counter: TokenCounter,
    sources: Sequence[tuple[DocumentRecord, SourceFile]],
    options: IngestOptions,
    *,
    drop_missing: bool = False,
    drop_history: bool = False,
    progress: Progress | None = None,
) -> IngestReport:
    """Reads every document again, into a `writer` that begins afresh. Ids and times are those of `reader`, whose model, chunking
    and format may be others. Commits once, at the end.

    Raises LibraryError, and commits nothing, where a document can't be read again and so would be lost; with `drop_missing` it is
    left out and reported. Raises LibraryDamaged where the old chunks can't be read; with `drop_history` they are not needed, and
    all sentences are learned anew.
    """
    started, now = perf_counter(), datetime.now(UTC)
    writer.records.take_over(reader.book)
    settings = {name: read_settings(Path(folder)) for name, folder in reader.roots.items()}
    reuse = not drop_history and same_vectors(reader.settings, embedder.settings)
    run = _Run(
        reader=reader,
        writer=writer,
        maker=DocumentMaker(reader=reader, embedder=embedder, now=now, reuse=reuse, history=not drop_history),
        belonging=Belonging(writer.records, settings, now=now),
        watch=progress or NoProgress(),
        now=now,
        plan=rebuild_plan(sources, reader.rows.failures(), now),
        commit_chunks=sys.maxsize,
    )
    _write_notes(run, counter)
    for batch in _batches(_read(run, counter, options)):
        _write_batch(run, batch)
    lost = [r for r in run.plan.reports if r.status == "error"]
    if lost and not drop_missing:
        first = f"{lost[0].path}: {lost[0].reason}"
        raise LibraryError(
            f"{len(lost)} documents can't be read again and would be lost ({first})",
            next_step="Bring the files back, say where their folder is (--root NAME=FOLDER), or leave them out (--drop-missing).",
        )
    return _finish(run, started, True)


def _survey(reader: LibraryReader, draft: RecordDraft, paths: Sequence[Path], options: IngestOptions, now: datetime) -> Survey:
    return survey(
        reader,
        paths,
        draft=draft,
        namespace=options.namespace,
        entity=options.entity,
        prune=options.prune,
        reparse=options.reparse,
        skip=options.skip,
        attachments=options.attachments,
        now=now,
    )


def dry_run(reader: LibraryReader, paths: Sequence[Path], options: IngestOptions) -> IngestReport:
    """What `ingest` would do, as far as it shows without parsing; nothing is written."""
    started = perf_counter()
    plan = _survey(reader, RecordDraft.of(reader), paths, options, datetime.now(UTC)).plan
    for job in plan.jobs:
        plan.report(FileReport(root=job.found.source.root, path=job.found.source.path, change=job.change, status="ok"))
    return _report(plan.reports, reader.generation, started)


def _write_records(run: _Run, folders: Mapping[str, Path]) -> bool:
    """What changes without reading a file; whether anything did."""
    roots, plan = {name: str(folder) for name, folder in folders.items()}, run.plan
    changed = roots != dict(run.reader.roots)
    if changed:
        run.writer.set_roots(roots)
    for ids in batched(plan.removed, RECORDS):
        run.writer.delete(ids)
    for records in batched(plan.updates, RECORDS):
        run.writer.update(records)
    return bool(changed or plan.removed or plan.updates or run.writer.records.changed)


def _read(run: _Run, counter: TokenCounter, options: IngestOptions) -> Iterator[_Read]:
    """The documents that could be read, in order; errors go into the report."""
    run.watch.start(files=len(run.plan.jobs))
    jobs, ahead = tee(run.plan.jobs)
    results = read_all(
        (job.found.source for job in ahead),
        counter,
        jobs=options.jobs or default_jobs(),
        limits=options.limits,
        passwords=options.passwords,
    )
    for read, job in zip(results, jobs, strict=True):
        result = strayed(job.found.source) or read
        if isinstance(result, SourceError):
            if not isinstance(result, OwnExport):
                run.plan.failures.append(failure(job.found.source, result, run.now, job.found.sha256))
            run.plan.report(error_report(job.found.source, result, job.previous))
            run.watch.advance(files=1)
            continue
        record = run.belonging.placed(document_record(result, previous=job.previous, now=run.now))
        count_of_chunks = len(result.chunks) + len(searchable_properties(record))
        yield _Read(job=job, reading=result, record=replace(record, chunk_count=count_of_chunks))


def _write_notes(run: _Run, counter: TokenCounter) -> None:
    """What was said has no file: it is read again from its stored text."""
    for record in filter(is_note, run.reader.documents.values()):
        reading = read_note(record, run.reader.rows.text(record.document_id).text, counter)
        note = replace(record, chunk_count=len(reading.chunks))
        run.writer.add(run.maker.make([ReadDocument(note, reading, known=True)]))


def _batches(documents: Iterable[_Read]) -> Iterator[list[_Read]]:
    """Documents with some `EMBED_BATCH` chunks together."""
    batch: list[_Read] = []
    chunks = 0
    for document in documents:
        batch.append(document)
        chunks += len(document.reading.chunks)
        if chunks >= EMBED_BATCH:
            yield batch
            batch, chunks = [], 0
    if batch:
        yield batch


def _write_batch(run: _Run, batch: Sequence[_Read]) -> None:
    run.writer.delete([d.record.document_id for d in batch if d.job.previous])
    run.writer.add(run.maker.make([d.whole for d in batch]))
    for d in batch:
        run.plan.report(file_report(d.job.found, d.job.change, d.record))
        run.watch.advance(files=1, pages=len(d.reading.document.pages), chunks=len(d.reading.chunks))
        run.uncommitted += len(d.reading.chunks)
    if run.uncommitted >= run.commit_chunks:
        run.writer.commit()
        run.uncommitted = 0


def _finish(run: _Run, started: float, changed: bool) -> IngestReport:
    """Commits, if there is anything new, and reports. A failure that was known before is nothing new."""
    failures = [replace(f, failed_at=run.now) for f in run.plan.failures]
    before = [replace(f, failed_at=run.now) for f in run.reader.rows.failures()]
    generation = run.reader.generation
    if changed or set(failures) != set(before):
        run.writer.set_failures(run.plan.failures)
        generation = run.writer.commit()
    return _report(run.plan.reports, generation, started, embedded=run.maker.embedded)


def _report(files: Spool[FileReport], generation: Generation, started: float, embedded: int = 0) -> IngestReport:
    return IngestReport(
        files=files,
        counts=count(files, embedded=embedded),
        index_generation=generation,
        elapsed_ms=(perf_counter() - started) * 1000,
    )
