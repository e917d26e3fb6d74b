"""Commands that look after a library: `doctor`, `remove`, `purge`, `rebuild`."""

from __future__ import annotations

from typing import Annotated

import typer

from index.native_memory import give_back_large_blocks
from ingest.errors import UsageError
from pincite.cli.ingest import exit_code, print_report
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

NOT_WELL = 1

DocumentArgument = Annotated[str, typer.Argument(metavar="DOCUMENT", help="A path or glob.", show_default=False)]


def doctor(
    *,
    deep: Annotated[bool, typer.Option("--deep", help="Parse the sources again, and compare.")] = False,
    repair: Annotated[bool, typer.Option("--repair", help="Mend what can be: manifest, keyword index, left-overs.")] = False,
    wait: WaitOption = 0,
    password: PasswordOption = None,
    password_file: PasswordFileOption = None,
    library: LibraryOption = None,
    format_: FormatOption = Format.text,
) -> None:
    """Check the library against itself and its sources. Exits with 1 if something is wrong."""
    with open_library(library, repair=repair, passwords=passwords(password, password_file)) as lib:
        checks = lib.doctor(deep=deep, repair=repair, wait=wait)
    if format_ is Format.json:
        out_json([json_object(c) for c in checks])
    elif format_ is Format.jsonl:
        out_jsonl(json_object(c) for c in checks)
    else:
        for c in checks:
            out(f"{'ok   ' if c.passed else 'WRONG'}  {c.good:,} of {c.total:,} {c.name}{f' ({c.detail})' if c.detail else ''}")
            for problem in c.problems:
                note(f"       {one_line(problem)}")
    if not all(c.passed for c in checks):
        raise typer.Exit(NOT_WELL)


def remove(
    document: DocumentArgument, *, wait: WaitOption = 0, library: LibraryOption = None, format_: FormatOption = Format.text
) -> None:
    """Take documents out of the library. Their files stay; older generations still hold their text (see purge)."""
    with open_library(library) as lib:
        gone = lib.remove(document, wait=wait)
    if format_ is Format.json:
        out_json([json_object(d) for d in gone])
    elif format_ is Format.jsonl:
        out_jsonl(json_object(d) for d in gone)
    else:
        for d in gone:
            out(f"removed {one_line(d.root)}:{one_line(d.source_document)}")


def purge(
    document: DocumentArgument, *, wait: WaitOption = 0, library: LibraryOption = None, format_: FormatOption = Format.text
) -> None:
    """Take documents out, leave nothing of their text, prove it. Their files stay."""
    with open_library(library) as lib:
        done = lib.purge(document, wait=wait)
    if format_ is Format.json:
        out_json(json_object(done))
    elif format_ is Format.jsonl:
        out_jsonl([json_object(done)])
    else:
        for d in done.documents:
            out(f"purged {one_line(d.root)}:{one_line(d.source_document)}")
        s = done.scan
        out(f"looked through {s.files:,} files ({s.tables:,} decoded, with {s.texts:,} texts) and {s.segments:,} word segments")
        out(f"for the ids, {s.sentences:,} sentences and {s.terms:,} words that only these documents had: nothing found")


def rebuild(
    *,
    drop_missing: Annotated[bool, typer.Option("--drop-missing", help="Leave out documents whose files are gone.")] = False,
    drop_history: Annotated[
        bool, typer.Option("--drop-history", help="Go on where the old tables are damaged: sentences are learned anew.")
    ] = False,
    root: Annotated[
        list[str] | None, typer.Option("--root", metavar="NAME=FOLDER", help="Where the folder of a root is, if it has moved.")
    ] = None,
    jobs: JobsOption = None,
    wait: WaitOption = 0,
    password: PasswordOption = None,
    password_file: PasswordFileOption = None,
    library: LibraryOption = None,
    format_: FormatOption = Format.text,
) -> None:
    """Read all documents again; ids and history are kept. With this program's model, parsers and format."""
    give_back_large_blocks()
    with open_library(library, any_format=True, passwords=passwords(password, password_file)) as lib, progress() as watch:
        report = lib.rebuild(
            drop_missing=drop_missing,
            drop_history=drop_history,
            roots=_roots(root or []),
            jobs=jobs,
            wait=wait,
            progress=watch,
        )
    if format_ is Format.json:
        out_json(json_object(report))
    elif format_ is Format.jsonl:
        out_jsonl(json_object(f) for f in report.files)
    else:
        print_report(report)
    if code := exit_code(report):
        raise typer.Exit(code)


def _roots(given: list[str]) -> dict[str, str]:
    pairs = [text.partition("=") for text in given]
    if wrong := next((name or text for text, (name, _, folder) in zip(given, pairs, strict=True) if not name or not folder), None):
        raise UsageError(f"--root {wrong}: not NAME=FOLDER", next_step="pincite status lists the roots.")
    return {name: folder for name, _, folder in pairs}
