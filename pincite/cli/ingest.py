"""`pincite ingest`."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from index.native_memory import give_back_large_blocks
from index.report import FileReport, IngestReport
from pincite.cli.options import (
    Format,
    FormatOption,
    JobsOption,
    LibraryOption,
    PasswordFileOption,
    PasswordOption,
    WaitOption,
    open_library,
    passwords,
)
from pincite.cli.progress import progress
from pincite.cli.terminal import note, one_line, out, out_json, out_jsonl
from query.serialise import json_object

NOTHING_WENT_IN, SOME_FAILED = 2, 3


def ingest(
    paths: Annotated[list[Path], typer.Argument(metavar="PATH...", help="Files and folders.", show_default=False)],
    *,
    namespace: Annotated[
        str | None, typer.Option("--namespace", metavar="N", help="Put the documents into this namespace.")
    ] = None,
    entity: Annotated[str | None, typer.Option("--entity", metavar="NAME", help="Make the files one record of that name.")] = None,
    prune: Annotated[bool, typer.Option("--prune", help="Remove documents whose files are gone from below PATH.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be done, and do nothing.")] = False,
    reparse: Annotated[bool, typer.Option("--reparse", help="Read unchanged files too, with the parsers of today.")] = False,
    attachments: Annotated[
        bool, typer.Option("--attachments", help="Make the files in mails documents of their own, mail.eml/offer.pdf.")
    ] = False,
    jobs: JobsOption = None,
    wait: WaitOption = 0,
    password: PasswordOption = None,
    password_file: PasswordFileOption = None,
    library: LibraryOption = None,
    format_: FormatOption = Format.text,
) -> None:
    """Add files and folders, or bring the library up to date."""
    give_back_large_blocks()
    with open_library(library, create=True, passwords=passwords(password, password_file)) as lib, progress() as watch:
        report = lib.ingest(
            paths,
            namespace=namespace,
            entity=entity,
            prune=prune,
            jobs=jobs,
            dry_run=dry_run,
            reparse=reparse,
            attachments=attachments,
            wait=wait,
            progress=watch,
        )
    if format_ is Format.json:
        out_json(json_object(report))
    elif format_ is Format.jsonl:
        out_jsonl(json_object(f) for f in report.files)
    else:
        print_report(report, dry_run=dry_run)
    if code := exit_code(report):
        raise typer.Exit(code)


def exit_code(report: IngestReport) -> int:
    if not report.failures:
        return 0
    return NOTHING_WENT_IN if report.nothing_went_in else SOME_FAILED


def print_report(report: IngestReport, *, dry_run: bool = False) -> None:
    """What needs attention, file by file; then the sums."""
    ignored: Counter[str] = Counter()
    for f in report.files if report.counts.keys() & {"warning", "error", "ignored"} else ():
        if f.status in ("warning", "error"):
            note(f"{f.status}: {one_line(f.path)}: {one_line(f.reason or '')}{_pages(f)}")
        elif f.status == "ignored":
            ignored[f.reason or ""] += 1
    for reason, number in sorted(ignored.items()):
        note(f"ignored: {number} × {one_line(reason)}")
    changes = [f"{report.counts[c]} {c}" for c in ("added", "updated", "moved", "unchanged", "removed") if report.counts.get(c)]
    failed = [f"{report.failures} failed"] if report.failures else []
    verb = "would be: " if dry_run else ""
    chunks = "" if dry_run else f" · {report.counts['chunks']} chunks"
    out(f"{verb}{', '.join([*changes, *failed]) or 'nothing to read'}{chunks} · {report.elapsed_ms / 1000:.1f} s")


def _pages(f: FileReport) -> str:
    if not f.pages:
        return ""
    shown = ", ".join(map(str, f.pages[:10]))
    return f" (page{'s' if len(f.pages) > 1 else ''} {shown}{' …' if len(f.pages) > 10 else ''})"
