"""Quotes as one HTML page to read, print and pass on: no script, nothing from the network, every picture in the file itself.

Whatever comes from documents, file names and queries is escaped and never in a place where it could be more than text; a link's
address is percent-encoded. The styles follow the reader's light or dark setting, a narrow screen and a printer.
"""

from __future__ import annotations

import base64
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from html import escape
from importlib.resources import files
from pathlib import Path
from urllib.parse import quote as percent_encoded

from ingest.models import Span
from query.citation import SECTION_JOINER, one_line
from query.export.files import safe_name, write_new
from query.export.job import ExportJob, bundle_key
from query.export.recording import records_of
from query.record import CitationRecord
from query.surroundings import paragraph_of

_UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")
_LINE_END = re.compile(r"\r\n?")
_PLACE = re.compile(r"(\bpp?\.|\blines?|§) (?=\S)")
_BIDI_ISOLATE = ' dir="auto"'
_CAUTIONS = {"hidden_text": "A reader of the document can’t see this text", "ocr": "Read from a picture by OCR"}


def export_html(job: ExportJob) -> list[Path]:
    """One page."""
    records = records_of(job)
    pictures = _pictures(job, records)
    head = _head(records)
    articles = [
        _article(job, n, record, picture) for n, (record, picture) in enumerate(zip(records, pictures, strict=True), start=1)
    ]
    content = "\n".join([head, *articles, "</main>", _foot(records), "</body>", "</html>", ""])
    name = safe_name(job.quotes[0].source_document, bundle_key(job), ".html")
    return [write_new(job.out / name, content.encode(), overwrite=job.overwrite)]


def text(words: str) -> str:
    """Words as text of HTML or the value of a quoted attribute; what HTML can't hold becomes the replacement character."""
    return escape(_UNPRINTABLE.sub("\ufffd", _LINE_END.sub("\n", words)), quote=True)


def _pictures(job: ExportJob, records: Sequence[CitationRecord]) -> list[list[tuple[int, bytes]]]:
    """For each record its (page, PNG) pairs; each file is opened once."""
    made: list[list[tuple[int, bytes]]] = [[] for _ in records]
    by_document: dict[str, list[int]] = {}
    for index, quote in enumerate(job.quotes):
        if records[index].page_boxes:
            by_document.setdefault(quote.document_id, []).append(index)
    for document_id, indexes in by_document.items():
        from ingest.pdf.engine import open_pdf
        from query.export.pictures import picture

        with ExitStack() as stack:
            shown = records[indexes[0]].source_document
            file = stack.enter_context(open_pdf(job.sources[document_id], shown, passwords=job.passwords))
            for index in indexes:
                made[index] = [(place.page, picture(file, place)) for place in records[index].page_boxes]
    return made


def _head(records: Sequence[CitationRecord]) -> str:
    asked = [one_line(query) for query in dict.fromkeys(record.query for record in records) if query]
    style = (files("query.export") / "page.css").read_text(encoding="utf-8")
    count = f"{len(records)} quote{'' if len(records) == 1 else 's'}"
    documents = len({(record.root, record.source_document) for record in records})
    title = f"Quotes: {asked[0]}" if len(asked) == 1 else "Quotes"
    questions = "".join(f"<p class=asked{_BIDI_ISOLATE}>{text(question)}</p>\n" for question in asked)
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<meta name="referrer" content="no-referrer">
<title>{text(title)}</title>
<style>
{style}</style>
</head>
<body>
<header>
<h1>Quotes</h1>
{questions}<p class=count>{count} from {documents} document{"" if documents == 1 else "s"}</p>
</header>
<main>"""


def _article(job: ExportJob, number: int, record: CitationRecord, pictures: Sequence[tuple[int, bytes]]) -> str:
    where = _PLACE.sub("\\1\u00a0", text(record.citation))
    address = text(_address(job, number, record))
    return "\n".join(
        [
            f'<article id="{text(record.id)}-{number}" aria-labelledby="q{number}">',
            f'<h2 id="q{number}"{_BIDI_ISOLATE}><span class=number>{number}</span> <a href="{address}">{where}</a></h2>',
            *_path(record),
            f'<div class="{"with-picture" if pictures else "alone"}">',
            "<div>",
            _quotation(job, number, record),
            *_cautions(record),
            "</div>",
            *(_figure(record, page, png) for page, png in pictures),
            "</div>",
            _provenance(record, address),
            "</article>",
        ]
    )


def _path(record: CitationRecord) -> Iterator[str]:
    if len(record.section_path) > 1:
        yield f"<p class=path{_BIDI_ISOLATE}>{text(SECTION_JOINER.join(map(one_line, record.section_path)))}</p>"


def _quotation(job: ExportJob, number: int, record: CitationRecord) -> str:
    source = job.reader.rows.text(job.quotes[number - 1].document_id)
    before, words, after = paragraph_of(source.text, source.silent, Span(record.offset, record.offset + record.length))
    return f"<blockquote{_BIDI_ISOLATE}><p>{text(before)}<mark>{text(words)}</mark>{text(after)}</p></blockquote>"


def _cautions(record: CitationRecord) -> Iterator[str]:
    for caution in record.cautions:
        yield f"<p class=caution role=note>Caution: {text(_CAUTIONS.get(caution, caution.replace('_', ' ')))}.</p>"


def _figure(record: CitationRecord, page: int, png: bytes) -> str:
    """A small picture that opens to the page's full width: a `details` element needs no script and works from the keyboard."""
    data = base64.b64encode(png).decode("ascii")
    alternative = text(f"Page {page} of {one_line(record.source_label)}, with the quote highlighted")
    return (
        f'<details class=page><summary><img alt="{alternative}" src="data:image/png;base64,{data}">'
        f"<span>Page {page}<span class=hint> · larger or smaller</span></span></summary></details>"
    )


def _provenance(record: CitationRecord, address: str) -> str:
    """What it takes to check the quote: the file, the place, the exact slice where it reads otherwise than it is written."""
    rows = [
        ("File", f'<a href="{address}"{_BIDI_ISOLATE}>{text(one_line(record.source_document))}</a>'),
        ("Place", f"characters {record.offset} to {record.offset + record.length} of its text ({text(record.parser)})"),
        ("SHA-256", f"<code>{text(record.source_sha256)}</code>"),
    ]
    if record.quote != record.quote_text:
        rows.append(("As it stands in the text", f"<pre{_BIDI_ISOLATE}>{text(record.quote)}</pre>"))
    items = "".join(f"<dt>{name}</dt><dd>{value}</dd>" for name, value in rows)
    return f"<details class=check><summary>Check it</summary><dl>{items}</dl></details>"


def _address(job: ExportJob, number: int, record: CitationRecord) -> str:
    """Of the source file, relative to the page's folder where both are on one drive; a PDF's page is opened (RFC 8118)."""
    if (file := job.sources.get(job.quotes[number - 1].document_id)) is None:  # a note has no file
        return ""
    source, folder = file.resolve(), job.out.resolve()
    try:
        relative = os.path.relpath(source, folder)
    except ValueError:  # another drive
        address = source.as_uri()
    else:
        address = "/".join(percent_encoded(os.fsencode(part), safe="") for part in Path(relative).parts)
    return f"{address}#page={record.page_from}" if record.page_from and record.format == "pdf" else address


def _foot(records: Sequence[CitationRecord]) -> str:
    generation = records[0].index_generation
    return (
        "<footer><p>Each quote is a slice of its document’s text, taken from the file with the SHA-256 that stands with it. "
        f"Library generation {generation.number} ({text(generation.fingerprint)}).</p></footer>"
    )
