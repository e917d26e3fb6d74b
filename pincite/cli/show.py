"""`pincite show` and `pincite open`: the place itself, in the terminal, as a picture, or in the program that shows such files."""

from __future__ import annotations

import sys
import webbrowser
from collections.abc import Iterator
from enum import StrEnum
from itertools import pairwise
from pathlib import Path
from typing import Annotated

import typer

from ingest.errors import NotFound, UsageError
from ingest.models import Span
from pincite.cli.last import id_of
from pincite.cli.options import (
    Format,
    FormatOption,
    LibraryOption,
    PasswordFileOption,
    PasswordOption,
    library_path,
    open_library,
    passwords,
)
from pincite.cli.terminal import BOLD_END, BOLD_START, Style, colours, note, one_line, out, out_json, out_jsonl, safe, wrapped
from query.showing import Part, Shown

ItemArgument = Annotated[
    str,
    typer.Argument(
        metavar="ID",
        help="N of the last search, the id of a passage, quote or document, or a document's path.",
        show_default=False,
    ),
]
PageOption = Annotated[int | None, typer.Option("--page", metavar="N", min=1, help="That page of the document.")]


class As(StrEnum):
    text = "text"
    png = "png"


def show(
    what: ItemArgument,
    *,
    page: PageOption = None,
    as_: Annotated[As, typer.Option("--as", help="As words, or as a picture of the page.")] = As.text,
    out_file: Annotated[Path | None, typer.Option("--out", metavar="FILE", help="Where to write the picture.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite what is there.")] = False,
    password: PasswordOption = None,
    password_file: PasswordFileOption = None,
    library: LibraryOption = None,
    format_: FormatOption = Format.text,
) -> None:
    """Show a passage, quote, page or document; or draw its page."""
    if (as_ is As.png) != (out_file is not None):
        raise UsageError("a picture needs a file, and a file a picture", next_step="pincite show ID --as png --out page.png")
    with open_library(library, passwords=passwords(password, password_file)) as lib:
        shown = lib.show(id_of(what, library_path(library)), page=page)
        if out_file is not None:
            from query.export.files import write_new

            out(str(write_new(out_file, lib.page_picture(shown), overwrite=force)))
            return
        address = lib.address(shown.document_id, page=shown.page)
    if format_ is Format.json:
        out_json(shown.to_dict())
    elif format_ is Format.jsonl:
        out_jsonl([shown.to_dict()])
    else:
        for line in shown_lines(shown, address, Style(on=colours(sys.stdout))):
            out(line)
    if not any(part.content.strip() for part in shown.parts):
        note("there is no text")


def open_(what: ItemArgument, *, page: PageOption = None, library: LibraryOption = None) -> None:
    """Open the file of a hit or document. At its page, if the program that shows it can do that."""
    with open_library(library) as lib:
        shown = lib.show(id_of(what, library_path(library)), page=page)
        address = lib.address(shown.document_id, page=shown.page)
    if address is None:
        raise NotFound(f"{shown.source_document} has no file on this machine")
    if not webbrowser.open(address):
        raise UsageError("there is no program here to open it with", next_step=f"It is at {address}")
    out(address)


def shown_lines(shown: Shown, address: str | None, style: Style) -> Iterator[str]:
    """The citation, a link where the terminal has such; the words, the quoted ones marked; small print."""
    yield style.link(style.bold(one_line(shown.citation)), address)
    if shown.place and len(shown.place.section_path) > 1:
        yield style.dim(" › ".join(map(one_line, shown.place.section_path)))
    for part in shown.parts:
        yield style.marked(wrapped(readable(part), indent=""))
    place = shown.place
    where = [f"{one_line(shown.source_document)} @{place.offset}" if place else one_line(shown.source_document)]
    if place:
        where += [place.id, *(f"caution: {caution.replace('_', ' ')}" for caution in place.cautions)]
    yield style.dim(" · ".join(where))


def readable(part: Part) -> str:
    """The words as they are read, line by line, the quoted ones between the bold marks."""
    borders = sorted({0, len(part.content), *(b for mark in part.marks for b in (mark.start, mark.end))})
    pieces = []
    for start, end in pairwise(borders):
        words = safe(_read(part, Span(start, end)))
        inside = any(mark.start <= start and end <= mark.end for mark in part.marks)
        pieces.append(f"{BOLD_START}{words}{BOLD_END}" if inside else words)
    return "".join(pieces).strip("\n")


def _read(part: Part, span: Span) -> str:
    """The span without its silent ranges, its white space as it is."""
    out_, at = "", span.start
    for r in part.silent:
        if span.start <= r.start < span.end:
            out_ += part.content[at : r.start] + r.replacement
            at = r.end
    return out_ + part.content[at : span.end] if at < span.end else out_
