"""Commands that look inside: `chunks`, `documents`, `status`, `schema`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pincite.cli.options import Format, FormatOption, LibraryOption, open_library
from pincite.cli.terminal import note, one_line, out, out_json, out_jsonl, safe, table
from query.serialise import chunk_object, json_object


def chunks(
    document: Annotated[str | None, typer.Argument(metavar="[DOCUMENT]", help="A path or glob; all, if left out.")] = None,
    library: LibraryOption = None,
    format_: FormatOption = Format.text,
) -> None:
    """Print the chunks, in document order."""
    with open_library(library) as lib:
        found = lib.chunks(document)
        if format_ is Format.json:
            out_json([chunk_object(c) for c in found])
        elif format_ is Format.jsonl:
            out_jsonl(chunk_object(c) for c in found)
        else:
            for c in found:
                where = f", p. {c.page_from}" if c.page_from else f", line {c.line_from}" if c.line_from else ""
                out(f"[{one_line(c.source_document)} @{c.source_offset}{where}] {one_line(c.section or '')} ({c.role})")
                out(safe(c.content))
                out()


def documents(library: LibraryOption = None, format_: FormatOption = Format.text) -> None:
    """List the documents."""
    with open_library(library) as lib:
        records = lib.documents()
    if format_ is Format.json:
        out_json([json_object(r) for r in records])
    elif format_ is Format.jsonl:
        out_jsonl(json_object(r) for r in records)
    else:
        rows = [
            {
                "document": f"{r.root}:{r.source_document}",
                "title": r.title,
                "format": r.format,
                "pages": "" if r.page_count is None else str(r.page_count),
                "chunks": str(r.chunk_count),
                "status": r.status,
            }
            for r in records
        ]
        for line in table(rows, right=frozenset({"pages", "chunks"})):
            out(line)


def status(library: LibraryOption = None, format_: FormatOption = Format.text) -> None:
    """Say what the library holds, and which files failed."""
    with open_library(library) as lib:
        state = lib.status()
    if format_ is not Format.text:
        value = json_object(state, without={"path"}) | {"path": str(state.path)}
        (out_json if format_ is Format.json else out_jsonl)(value if format_ is Format.json else [value])
        return
    out(f"library     {one_line(str(state.path))}")
    out(f"generation  {state.index_generation.number} ({state.index_generation.fingerprint})")
    out(f"documents   {state.documents}")
    out(f"chunks      {state.chunks}")
    out(f"model       {one_line(state.settings.model)} ({state.settings.dimension} dimensions, {state.settings.dtype})")
    for name, folder in state.roots.items():
        out(f"root        {one_line(name)} = {one_line(folder)}")
        if not Path(folder).is_dir():
            note(f"root {one_line(name)} is not there; if it has moved: pincite rebuild --root {one_line(name)}=FOLDER")
    if state.older_parsers:
        note(f"{state.older_parsers} documents were read by another version of their parser; ingest --reparse reads them again")
    for f in state.failures:
        note(f"failed: {one_line(f.source_document)}: {one_line(f.reason)}")


def schema(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME", help="hit, response, chunk, quote-match, place, shown, record, bundle, w3c …", show_default=False
        ),
    ],
) -> None:
    """Print the JSON Schema of what pincite writes."""
    from query.schema import schema as schema_of

    out_json(schema_of(name))
