"""`pincite export`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ingest.errors import UsageError
from pincite.cli.options import (
    DocumentOption,
    Format,
    FormatOption,
    KeywordOption,
    LibraryOption,
    ModeOption,
    NamespaceOption,
    PasswordFileOption,
    PasswordOption,
    SearchMode,
    SectionOption,
    SimilarityOption,
    TopKOption,
    open_library,
    passwords,
)
from pincite.cli.search import NOTHING_FOUND, tell_about
from pincite.cli.terminal import note, one_line, out, out_json, out_jsonl
from query.matches import Place
from query.models import SearchHit
from query.requests import DEFAULT_MIN_SIMILARITY, DEFAULT_TOP_K

if TYPE_CHECKING:
    from pincite.library import Library


def export(
    queries: Annotated[list[str] | None, typer.Argument(metavar="[QUERY…]", help="What to search for.", show_default=False)] = None,
    *,
    to: Annotated[str, typer.Option("--to", metavar="FORMAT", help="pdf, html, md, csv, json, jsonl or w3c.", show_default=False)],
    out_dir: Annotated[Path, typer.Option("--out", metavar="DIR", help="The folder to write into.", show_default=False)],
    saved: Annotated[
        Path | None,
        typer.Option(
            "--hits", metavar="FILE", help="Instead of a search: what search, cite or export has saved as JSON. - is stdin."
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite what is there.")] = False,
    top_k: TopKOption = DEFAULT_TOP_K,
    mode: ModeOption = SearchMode.hybrid,
    min_similarity: SimilarityOption = DEFAULT_MIN_SIMILARITY,
    keyword: KeywordOption = None,
    document: DocumentOption = None,
    section: SectionOption = None,
    namespace: NamespaceOption = None,
    password: PasswordOption = None,
    password_file: PasswordFileOption = None,
    library: LibraryOption = None,
    format_: FormatOption = Format.text,
) -> None:
    """Write the quotes that searches find, or that were saved. Into highlighted copies of the PDFs, a page to read, or records."""
    if bool(queries) == (saved is not None):
        raise UsageError(
            "say either what to search for or --hits", next_step="pincite export QUERY…, or pincite export --hits FILE"
        )
    with open_library(library, passwords=passwords(password, password_file)) as lib:
        hits: list[SearchHit | Place] = [] if saved is None else _saved(lib, saved)
        for query in queries or ():
            response = lib.search(
                query,
                top_k=top_k,
                mode=mode.value,
                min_similarity=min_similarity,
                keyword=keyword,
                document=document,
                section=section,
                namespace=namespace,
                kinds=("section",),  # what stands in a file; notes and properties have none to check them with
            )
            tell_about(response)
            hits += response
        if not hits:
            raise typer.Exit(NOTHING_FOUND)
        paths = lib.export(hits, to=to, out=out_dir, overwrite=force)
    if format_ is Format.json:
        out_json([str(p) for p in paths])
    elif format_ is Format.jsonl:
        out_jsonl(str(p) for p in paths)
    else:
        for path in paths:
            out(str(path))


def _saved(lib: Library, file: Path) -> list[SearchHit | Place]:
    quotes = lib.saved_quotes(file)
    for words in quotes.unplaced:
        note(f"left out, since it stands nowhere: “{one_line(words[:80])}”")
    return list(quotes.places)
