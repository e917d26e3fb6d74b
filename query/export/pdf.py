"""Quotes as highlights: a copy of each PDF with /Highlight annotations (ISO 32000-1, 12.5.6.10) exactly on the quotes' characters.

The source is opened, never written. A quote over several pages has one annotation a page, with quads along each of its lines. Each
annotation carries the citation, the questions and the record's id (also as /NM); each question has a colour. Outline entries lead
to the quotes. The copy is marked as ours (/PieceInfo), so that ingest leaves it out. Bytes are the same for the same quotes (but
for encrypted files, whose encryption is random).

A file whose owner allows no annotations is refused. A digital signature holds for the original alone; the copy says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pymupdf

from ingest.errors import ExportError, NotFound
from ingest.pdf.engine import OWN_EXPORT_KEY, open_pdf, translated
from query.citation import one_line
from query.export.files import safe_name, write_new
from query.export.job import ExportJob, Quotable, query_of
from query.export.pdf_outline import Entry, add_entries
from query.export.recording import quads_of

_COLOURS = ((1.0, 0.88, 0.3), (0.6, 0.9, 0.55), (0.6, 0.82, 1.0), (1.0, 0.72, 0.78), (0.85, 0.75, 1.0), (1.0, 0.78, 0.5))
"""Yellow, green, blue, pink, violet, orange: one a question, in their order, then again from the first."""
_TITLE = 80
"""Characters of a quote in an outline entry."""
_SIGNED = "The original is digitally signed; its signature does not cover this annotated copy."


def export_pdf(job: ExportJob) -> list[Path]:
    """One annotated copy for each PDF that is quoted; quotes of other formats are left out.

    Raises ExportError where no quote is of a PDF or a file allows no annotations, SourceChanged where a page has other characters
    than at ingest.
    """
    quoted: dict[str, list[Quotable]] = {}
    for quote in job.quotes:
        if job.document(quote).format == "pdf":
            quoted.setdefault(quote.document_id, []).append(quote)
    if not quoted:
        named = ", ".join(sorted({quote.source_document for quote in job.quotes}))
        raise ExportError(f"none of the quotes is of a PDF ({named})", next_step="Export them to html, md or json.")
    copies = [(_name(quotes), _annotated(job, document_id, quotes)) for document_id, quotes in quoted.items()]
    return [write_new(job.out / name, content, overwrite=job.overwrite) for name, content in copies]


def _name(quotes: Sequence[Quotable]) -> str:
    return safe_name(quotes[0].source_document, "\n".join(quote.id for quote in quotes), ".pdf")


def _annotated(job: ExportJob, document_id: str, quotes: Sequence[Quotable]) -> bytes:
    """The bytes of the copy."""
    shown = quotes[0].source_document
    colours = {query: _COLOURS[n % len(_COLOURS)] for n, query in enumerate(dict.fromkeys(map(query_of, job.quotes)))}
    same: dict[str, list[Quotable]] = {}
    for quote in quotes:
        same.setdefault(quote.id, []).append(quote)
    with open_pdf(job.sources[document_id], shown, passwords=job.passwords) as document:
        if not document.permissions & pymupdf.PDF_PERM_ANNOTATE:
            raise ExportError(f"{shown}: its owner allows no annotations", next_step="Export its quotes to html, md or json.")
        signed = document.get_sigflags() > 0
        entries = [
            _highlight(job, document, group, number, colours[query_of(group[0])], signed=signed)
            for number, group in enumerate(same.values(), start=1)
        ]
        with translated(shown):
            add_entries(document, "Quotes (pincite)", entries)
            document.xref_set_key(document.pdf_catalog(), OWN_EXPORT_KEY, "<</Private(annotated copy)>>")
            return bytes(document.tobytes(no_new_id=True, deflate=True, encryption=pymupdf.PDF_ENCRYPT_KEEP))


def _highlight(
    job: ExportJob,
    document: pymupdf.Document,
    same: Sequence[Quotable],
    number: int,
    colour: Sequence[float],
    *,
    signed: bool,
) -> Entry:
    """Draws one quote, which several questions may have found, and returns its outline entry."""
    quote, shown = same[0], same[0].source_document
    found = {page: quads for page, quads in quads_of(job.reader, document, quote).items() if quads}
    if not found:
        raise NotFound(f"{shown}: the quote stands on no page", next_step="Ingest the file again.")
    note = "\n".join([quote.citation(), *filter(None, map(query_of, same)), quote.id, *([_SIGNED] if signed else [])])
    for page_number, quads in found.items():
        with translated(shown):
            page = document[page_number - 1]  # held: an annotation lives as long as its page
            annotation = page.add_highlight_annot(quads=quads)
            annotation.set_colors(stroke=colour)
            annotation.set_info(title="pincite", content=note)
            annotation.update()
            document.xref_set_key(annotation.xref, "NM", pymupdf.get_pdf_str(f"{quote.id}-{page_number}"))
            document.xref_set_key(annotation.xref, "M", "null")  # the date of writing would make other bytes each time
            document.xref_set_key(annotation.xref, "CreationDate", "null")
    words = one_line(quote.quote_text)
    title = words if len(words) <= _TITLE else f"{words[:_TITLE]}…"
    first = min(found)
    return Entry(f"{number} {title}", first, min(quad.rect.y0 for quad in found[first]))
