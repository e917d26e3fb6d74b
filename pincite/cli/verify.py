"""`pincite verify`: is what an exported bundle claims still so?"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from ingest.errors import LibraryError
from pincite.cli.options import Format, FormatOption, LibraryOption, PasswordFileOption, PasswordOption, library_path, passwords
from pincite.cli.terminal import Style, colours, one_line, out, out_json, out_jsonl, safe, wrapped
from query.alignment import Difference
from query.citation import clock, page_words
from query.locator import page_kind, times_in
from query.serialise import json_object
from query.verify import FoundPlace, Verdict, VerifyReport

NOT_VERIFIED = 1
_SHOWN = 90
"""Characters of a quote on its line."""


def verify(
    files: Annotated[list[Path], typer.Argument(metavar="FILE…", help="Bundles: json, jsonl or w3c exports.", show_default=False)],
    *,
    root: Annotated[
        Path | None, typer.Option("--root", metavar="DIR", help="The folder that the files' paths are relative to.")
    ] = None,
    against: Annotated[
        Path | None, typer.Option("--against", metavar="FILE", help="Check every quote with this file: another edition, say.")
    ] = None,
    password: PasswordOption = None,
    password_file: PasswordFileOption = None,
    library: LibraryOption = None,
    format_: FormatOption = Format.text,
) -> None:
    """Check exported quotes with their files as they are now. No library is needed. Exit code 0 only if every quote is verified."""
    from pincite.verifying import verify_bundle

    roots = {} if root or against else _known_roots(library)
    keys = passwords(password, password_file)
    reports = [verify_bundle(file, root=root, against=against, roots=roots, passwords=keys) for file in files]
    report = VerifyReport(verdicts=tuple(verdict for each in reports for verdict in each.verdicts))
    if format_ is Format.json:
        out_json(report.to_dict())
    elif format_ is Format.jsonl:
        out_jsonl(json_object(verdict) for verdict in report.verdicts)
    else:
        style = Style(on=colours(sys.stdout))
        for verdict in report.verdicts:
            for line in verdict_lines(verdict, style):
                out(line)
        out(report.summary())
    if not report.ok:
        raise typer.Exit(NOT_VERIFIED)


def _known_roots(library: Path | None) -> dict[str, str]:
    """The folders that a library knows, where there is one; one that was named must be there."""
    path = library_path(library)
    if library is None and not path.is_dir():
        return {}
    from pincite.library import Library

    try:
        with Library.open(path) as lib:
            return dict(lib.status().roots)
    except LibraryError:
        if library is not None:
            raise
        return {}


def verdict_lines(verdict: Verdict, style: Style) -> Iterator[str]:
    """One line for a quote that is verified; for others, what is there instead."""
    words = one_line(" ".join(verdict.quote.split()))
    shown = words if len(words) <= _SHOWN else f"{words[:_SHOWN]}…"
    mark = style.added if verdict.status == "verified" else style.removed
    yield f"{mark(verdict.status.ljust(9))}  {one_line(verdict.source_document)}: “{shown}”"
    if verdict.status == "verified":
        return
    if verdict.reason:
        yield f"           {one_line(verdict.reason)}"
    for place in verdict.places:
        yield f"           {'now' if verdict.status in ('moved', 'ambiguous') else 'nearest'}: {_where(place)}"
    if verdict.similarity is not None:
        yield wrapped(f"{verdict.similarity:.0%} the same: {difference(verdict.diff, style)}", indent=" " * 11)


def _where(place: FoundPlace) -> str:
    kind = page_kind(place.locator)
    pages = page_words((place.page_from, place.page_to), kind=kind) if place.page_from and place.page_to else None
    times = times_in(place.locator)
    lines = f"at {clock(times[0])}" if times else f"line {place.line_from}" if place.line_from else None
    return ", ".join(part for part in (one_line(place.source_document), pages or lines, f"@{place.offset}") if part)


def difference(diff: tuple[Difference, ...], style: Style) -> str:
    """The quotation with [-words that aren't there-], {+words that are there instead+} and (elided runs)."""
    shown = []
    for part in diff:
        match part.kind:
            case "same":
                shown.append(safe(part.source))
            case "quote":
                shown.append(style.removed(f"[-{safe(part.quote)}-]"))
            case "source":
                shown.append(style.added(f"{{+{safe(part.source)}+}}"))
            case "elided":
                shown.append(style.dim(f"{safe(part.quote)}({safe(part.source)})" if part.source else safe(part.quote)))
    return " ".join(" ".join(shown).split())
