"""Commands for records, notes and links."""

from __future__ import annotations

import json
import sys
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ingest.errors import ExportError, UsageError
from pincite.cli.hits import link_words
from pincite.cli.options import Format, FormatOption, LibraryOption, WaitOption, open_library
from pincite.cli.terminal import note, one_line, out, out_json, out_jsonl, safe
from query.serialise import Json, json_object, json_text, json_value

if TYPE_CHECKING:
    from index.entities import LinkRecord
    from query.listing import ListedEntity

RecordArgument = Annotated[
    str, typer.Argument(metavar="RECORD", help="An id, a label, a name, or a document's path.", show_default=False)
]
LabelOption = Annotated[str | None, typer.Option("--label", metavar="WORDS", help="Only the link that reads so from A.")]


def remember(
    text: Annotated[str, typer.Argument(metavar="TEXT", help="What was said; - reads it from stdin.", show_default=False)],
    *,
    kind: Annotated[str, typer.Option("--kind", metavar="KIND", help="note, or turn of a conversation.")] = "note",
    about: Annotated[str | None, typer.Option("--about", metavar="RECORD", help="The record that it is about.")] = None,
    by: Annotated[str | None, typer.Option("--by", metavar="NAME", help="Who said it.")] = None,
    at: Annotated[str | None, typer.Option("--at", metavar="TIME", help="When (ISO 8601, else now).")] = None,
    namespace: Annotated[
        str | None, typer.Option("--namespace", metavar="N", help="Put it into this namespace, not that of its record.")
    ] = None,
    wait: WaitOption = 0,
    library: LibraryOption = None,
    format_: FormatOption = Format.text,
) -> None:
    """Keep what somebody said, to be found and cited. Hits say whose word it is."""
    from index.notes import KINDS

    chosen = next((k for k in KINDS if k == kind), None)
    if chosen is None:
        raise UsageError(f"no such kind of memory: {kind}", next_step=f"Kinds: {', '.join(KINDS)}.")
    said = sys.stdin.read() if text == "-" else text
    with open_library(library, create=True) as lib:
        record = lib.remember(said, kind=chosen, about=about, by=by, at=_time(at), namespace=namespace, wait=wait)
    if format_ is Format.text:
        out(f"remembered {record.root}:{record.source_document}")
    else:
        _print(format_, json_object(record))


def _time(text: str | None) -> datetime | None:
    if text is None:
        return None
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        raise UsageError(f"no time: {text}", next_step="Write 2025-03-20 or 2025-03-20T14:30+01:00.") from None


def link(
    a: Annotated[str, typer.Argument(metavar="A", help="A record.", show_default=False)],
    b: Annotated[str, typer.Argument(metavar="B", help="Another record.", show_default=False)],
    *,
    label: Annotated[str, typer.Option("--label", metavar="WORDS", help="What A is to B: supersedes.", show_default=False)],
    reverse_label: Annotated[
        str | None, typer.Option("--reverse-label", metavar="WORDS", help="What B is to A: superseded by.")
    ] = None,
    reason: Annotated[str | None, typer.Option("--reason", metavar="TEXT", help="Why.")] = None,
    weight: Annotated[float, typer.Option("--weight", metavar="X", min=0.0, max=1.0, help="How much it counts.")] = 1.0,
    wait: WaitOption = 0,
    library: LibraryOption = None,
    format_: FormatOption = Format.text,
) -> None:
    """Join two records, with words for each end. The same two with the same label are one link."""
    with open_library(library) as lib:
        made = lib.link(a, b, label=label, reverse_label=reverse_label, reason=reason, weight=weight, wait=wait)
    if format_ is Format.text:
        out(f"linked {one_line(a)} — {one_line(made.label)} — {one_line(b)}")
    else:
        _print(format_, json_object(made))


def unlink(
    a: Annotated[str, typer.Argument(metavar="A", help="A record.", show_default=False)],
    b: Annotated[str, typer.Argument(metavar="B", help="Another record.", show_default=False)],
    *,
    label: LabelOption = None,
    wait: WaitOption = 0,
    library: LibraryOption = None,
    format_: FormatOption = Format.text,
) -> None:
    """Take back what was stated between two records. Links found in documents stay."""
    with open_library(library) as lib:
        gone: list[LinkRecord] = lib.unlink(a, b, label=label, wait=wait)
    if format_ is Format.text:
        out(f"{len(gone)} link{'' if len(gone) == 1 else 's'} taken back")
    elif format_ is Format.json:
        out_json([json_object(k) for k in gone])
    else:
        out_jsonl(json_object(k) for k in gone)


def entities(library: LibraryOption = None, format_: FormatOption = Format.text) -> None:
    """List the records: labels, documents, notes, links."""
    with open_library(library) as lib:
        found = lib.entities()
    if format_ is Format.json:
        out_json([json_object(e) for e in found])
    elif format_ is Format.jsonl:
        out_jsonl(json_object(e) for e in found)
    else:
        for number, entity in enumerate(found):
            if number:
                out()
            _print_entity(entity)


def _print_entity(entity: ListedEntity) -> None:
    pinned = " (pinned)" if entity.pinned_at else ""
    out(f"{one_line(entity.label)}  [{one_line(entity.type)} {entity.entity_id}]{pinned}")
    for path in (*entity.documents, *entity.notes):
        out(f"  {one_line(path)}")
    for k in entity.links:
        out(f"  {link_words(k.relationship, k.target_label, k.reason)}")


def properties(
    record: RecordArgument,
    changes: Annotated[list[str] | None, typer.Argument(metavar="[NAME=VALUE]…", help="NAME= takes one back.")] = None,
    *,
    wait: WaitOption = 0,
    library: LibraryOption = None,
    format_: FormatOption = Format.text,
) -> None:
    """Show or set a record's properties. Its label, and so its citations, follow at once."""
    with open_library(library) as lib:
        entity = lib.set_properties(record, dict(map(_assignment, changes or [])), wait=wait) if changes else lib.entity(record)
    if format_ is Format.text:
        out(one_line(entity.label))
        for name, value in entity.properties.items():
            out(f"  {one_line(name)} = {one_line(value)}")
    else:
        _print(format_, json_object(entity))


def _assignment(text: str) -> tuple[str, str | None]:
    name, equals, value = text.partition("=")
    if not equals:
        raise UsageError(f"no NAME=VALUE: {text}")
    return name, value or None


def entity_type(
    type_: Annotated[str | None, typer.Argument(metavar="[TYPE]", help="A type of records.")] = None,
    template: Annotated[str | None, typer.Argument(metavar="[TEMPLATE]", help='"Contract {number}"; "" takes it back.')] = None,
    *,
    wait: WaitOption = 0,
    library: LibraryOption = None,
    format_: FormatOption = Format.text,
) -> None:
    """Show how records of each type are called, or say how."""
    with open_library(library) as lib:
        if type_ is not None and template is not None:
            lib.set_label_template(type_, template or None, wait=wait)
        templates = {t: words for t, words in lib.label_templates().items() if type_ in (None, t)}
    if format_ is Format.text:
        for name, words in templates.items():
            out(f"{one_line(name)}: {one_line(words)}")
        if not templates:
            note("no templates: records are called by their titles")
    else:
        _print(format_, json_value(templates))


def digest(
    max_chars: Annotated[int, typer.Option("--max-chars", metavar="N", min=200, help="No more characters than these.")] = 4000,
    library: LibraryOption = None,
    format_: FormatOption = Format.text,
) -> None:
    """Show the library at a glance. Pinned records come first, then the most linked, then the most recent."""
    with open_library(library) as lib:
        made = lib.digest(max_chars)
    if format_ is Format.text:
        out(safe(made.text))
    else:
        _print(format_, json_object(made) | {"text": made.text})


def backup(
    out_file: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="The file to write, else stdout; never overwritten.")
    ] = None,
    library: LibraryOption = None,
) -> None:
    """Write records, links, notes and pins as JSON. They are what can't be made again from the files."""
    with open_library(library) as lib:
        text = json_text(json_value(lib.backup()), indent=2)
    if out_file is None:
        out(text)
        return
    try:
        with out_file.open("x", encoding="utf-8") as stream:
            stream.write(f"{text}\n")
    except FileExistsError:
        raise ExportError(f"{out_file} is there already", next_step="Name another file.") from None
    except OSError as error:
        raise ExportError(f"{out_file} cannot be written: {(error.strerror or str(error)).lower()}") from error
    out(str(out_file))


def restore(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="What backup wrote; - reads stdin.", show_default=False)],
    *,
    wait: WaitOption = 0,
    library: LibraryOption = None,
    format_: FormatOption = Format.text,
) -> None:
    """Merge a backup into the library. Ingest the documents first; doing it twice changes nothing."""
    try:
        raw = json.loads(sys.stdin.read() if str(file) == "-" else file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(f"{file} cannot be read: {error}") from error
    with open_library(library, create=True) as lib:
        report = lib.restore(raw, wait=wait)
    if format_ is Format.text:
        out(f"restored {report.notes} notes and {report.links} links")
        if report.left_out:
            note(f"{report.left_out} links left out: a document at one end is not in the library")
    else:
        _print(format_, json_object(report))


def pin(
    record: RecordArgument, *, wait: WaitOption = 0, library: LibraryOption = None, format_: FormatOption = Format.text
) -> None:
    """Put a record at the head of the digest."""
    with open_library(library) as lib:
        _print_pinned(format_, lib.pin(record, wait=wait))


def unpin(
    record: RecordArgument, *, wait: WaitOption = 0, library: LibraryOption = None, format_: FormatOption = Format.text
) -> None:
    """Take a pin back."""
    with open_library(library) as lib:
        _print_pinned(format_, lib.unpin(record, wait=wait))


def _print_pinned(format_: Format, entity: ListedEntity) -> None:
    if format_ is Format.text:
        out(f"{'pinned' if entity.pinned_at else 'unpinned'} {one_line(entity.label)}")
    else:
        _print(format_, json_object(entity))


def _print(format_: Format, value: Json) -> None:
    if format_ is Format.json:
        out_json(value)
    else:
        out_jsonl([value])
