"""`pincite search`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from itertools import zip_longest
from typing import Annotated

import typer

from pincite.cli.hits import hit_lines
from pincite.cli.last import remember
from pincite.cli.options import (
    DocumentOption,
    Format,
    FormatOption,
    HiddenOption,
    KeywordOption,
    KindOption,
    LibraryOption,
    ModeOption,
    NamespaceOption,
    SearchMode,
    SectionOption,
    ShapeName,
    ShapeOption,
    SimilarityOption,
    SinceOption,
    TopKOption,
    UntilOption,
    library_path,
    open_library,
)
from pincite.cli.terminal import Style, colours, note, one_line, out, out_json, out_jsonl
from query.models import SearchHit, SearchResponse
from query.requests import DEFAULT_MIN_SIMILARITY, DEFAULT_TOP_K

ContextOption = Annotated[
    int | None,
    typer.Option("--context", metavar="N", min=0, help="Show the match with N sentences on either side, not its paragraph."),
]
NOTHING_FOUND, DEGRADED = 1, 4


def search(
    query: Annotated[str, typer.Argument(metavar="QUERY", help="A question, or words.", show_default=False)],
    *,
    top_k: TopKOption = DEFAULT_TOP_K,
    mode: ModeOption = SearchMode.hybrid,
    min_similarity: SimilarityOption = DEFAULT_MIN_SIMILARITY,
    keyword: KeywordOption = None,
    document: DocumentOption = None,
    section: SectionOption = None,
    namespace: NamespaceOption = None,
    kind: KindOption = None,
    since: SinceOption = None,
    until: UntilOption = None,
    include_hidden_text: HiddenOption = False,
    context: ContextOption = None,
    explain: Annotated[bool, typer.Option("--explain", help="Say how each hit was found.")] = False,
    fail_on_degraded: Annotated[bool, typer.Option("--fail-on-degraded", help="Exit with 4 if a leg failed.")] = False,
    shape: ShapeOption = None,
    library: LibraryOption = None,
    format_: FormatOption = Format.text,
) -> None:
    """Find the passages that answer, and the sentence in each."""
    with open_library(library) as lib:
        response = lib.search(
            query,
            top_k=top_k,
            mode=mode.value,
            min_similarity=min_similarity,
            keyword=keyword,
            document=document,
            section=section,
            namespace=namespace,
            kinds=[k.value for k in kind] if kind else None,
            since=since,
            until=until,
            include_hidden_text=include_hidden_text,
        )
        addresses = [lib.address(hit.document_id, page=hit.match_page_from) for hit in response]
    if shape is not None:
        print_shaped(response, shape, format_)
    elif format_ is Format.json:
        out_json(response.to_dict())
    elif format_ is Format.jsonl:
        out_jsonl(hit.to_dict() for hit in response)
    else:
        print_hits(response, explain=explain, context=context, addresses=addresses)
        remember([hit.chunk_id if hit.kind == "property" else hit.id for hit in response], library_path(library))
    tell_about(response)
    if fail_on_degraded and response.status == "degraded":
        raise typer.Exit(DEGRADED)
    if not response:
        raise typer.Exit(NOTHING_FOUND)


def print_shaped(response: SearchResponse, shape: ShapeName, format_: Format) -> None:
    """The hits in another system's form, as JSON whatever the format."""
    shaped = response.as_shape(shape.value)
    if format_ is Format.jsonl:
        out_jsonl(shaped)
    else:
        out_json(list(shaped))
    if len(shaped) < len(response):
        note(f"the shape {shape} has {len(shaped)} hits at most; {len(response) - len(shaped)} more were found")


def print_hits(
    hits: Sequence[SearchHit], *, explain: bool = False, context: int | None = None, addresses: Sequence[str | None] = ()
) -> None:
    """`addresses` are those of the hits' files, in their order."""
    style = Style(on=colours(sys.stdout))
    for number, (hit, address) in enumerate(zip_longest(hits, addresses), start=1):
        if number > 1:
            out()
        for line in hit_lines(number, hit, style, explain=explain, context=context, address=address):
            out(line)


def tell_about(response: SearchResponse) -> None:
    """What the person should know beside the hits."""
    if response.message:
        note(one_line(response.message))
    elif not response:
        note("nothing found")
