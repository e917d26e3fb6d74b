"""`pincite cite`: is this quotation in the documents, and where?"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from ingest.errors import UsageError
from pincite.cli.hits import place_lines
from pincite.cli.options import DocumentOption, Format, FormatOption, LibraryOption, open_library
from pincite.cli.terminal import Style, colours, note, one_line, out, out_json, out_jsonl, wrapped
from pincite.cli.verify import difference
from query.matches import QuoteMatch

NOT_FOUND = 1
_NEIGHBOURS = 40
"""Characters shown beside each of several places."""


def cite(
    quote: Annotated[str | None, typer.Argument(metavar="[QUOTE]", help="The words of the quotation.", show_default=False)] = None,
    *,
    file: Annotated[
        str | None, typer.Option("--file", metavar="FILE", help="Quotations: one a line, or JSON. - is standard input.")
    ] = None,
    document: DocumentOption = None,
    library: LibraryOption = None,
    format_: FormatOption = Format.text,
) -> None:
    """Tell whether a quotation is in the documents, and where. Exit code 0 only if the words of every quotation are there."""
    if (quote is None) == (file is None):
        raise UsageError("say either a quotation or --file", next_step="pincite cite QUOTE, or pincite cite --file FILE")
    quotes = [quote] if quote is not None else read_quotes(file or "")
    with open_library(library) as lib:
        matches = lib.cite_all(quotes, document=document)
    if format_ is Format.text:
        _print_all(matches, numbered=file is not None)
    elif file is not None:
        (out_json if format_ is Format.json else out_jsonl)([match.to_dict() for match in matches])
    elif format_ is Format.json:
        out_json(matches[0].to_dict())
    else:
        out_jsonl(place.to_dict() for place in matches[0].places)
    if not all(match.found for match in matches):
        raise typer.Exit(NOT_FOUND)


def read_quotes(name: str) -> list[str]:
    """The quotations of a file (`-`: standard input): JSON (an array, or an object with `quotes`, of strings or objects with a
    `quote`), else one a line, empty lines left out. Raises UsageError."""
    try:
        text = sys.stdin.read() if name == "-" else Path(name).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{name}: cannot be read ({getattr(error, 'strerror', None) or 'not UTF-8'})") from error
    quotes = _from_json(text)
    if quotes is None:
        quotes = [line.strip() for line in text.splitlines() if line.strip()]
    if not quotes:
        raise UsageError(f"{name}: there are no quotations in it")
    return quotes


def _from_json(text: str) -> list[str] | None:
    """None where the text is no JSON array or object."""
    if text.lstrip()[:1] not in ("[", "{"):
        return None
    try:
        value = json.loads(text)
    except ValueError:
        return None
    items = value.get("quotes", [value]) if isinstance(value, dict) else value
    given = [item.get("quote") if isinstance(item, dict) else item for item in items]
    quotes = [quote for quote in given if isinstance(quote, str)]
    if len(quotes) < len(given):
        raise UsageError("the JSON has no quotations", next_step='Give an array of strings, or of objects with "quote".')
    return quotes


def _print_all(matches: list[QuoteMatch], *, numbered: bool) -> None:
    style = Style(on=colours(sys.stdout))
    for number, match in enumerate(matches, start=1):
        if numbered:
            out(f"{style.bold(f'[{number}]')} {one_line(match.quote)}")
        for line in match_lines(match, style):
            out(line)
        for where in match.excluded:
            note(f"left out of the text, but printed there: {one_line(where)}")
    if numbered:
        out(f"{sum(match.found for match in matches)} of {len(matches)} found")


def match_lines(match: QuoteMatch, style: Style) -> Iterator[str]:
    """What a person is told of one quotation."""
    several = f", in {len(match.places)} places" if match.ambiguous else ""
    if match.status == "fuzzy" and match.candidate:
        yield f"fuzzy{several}: not there as it stands; similar ({match.candidate.similarity:.0%}) is"
        yield from place_lines(1, match.candidate.place, style)
        yield wrapped(difference(match.candidate.diff, style))
        for number, place in enumerate(match.places[1:], start=2):
            yield from place_lines(number, place, style)
        return
    yield f"{match.status}{several}"
    for number, place in enumerate(match.places, start=1):
        yield from place_lines(number, place, style)
        if match.ambiguous:
            before, after = one_line(place.prefix[-_NEIGHBOURS:]), one_line(place.suffix[:_NEIGHBOURS])
            yield style.dim(f"   …{before}[…]{after}…")
    if match.preferred is not None:
        yield f"preferred: {match.preferred + 1}, {match.preference}"
    if match.status == "missing" and match.candidate:
        yield f"nearest ({match.candidate.similarity:.0%} of the words):"
        yield from place_lines(1, match.candidate.place, style)
