"""Quotes as highlights: a copy of each PDF with /Highlight annotations (ISO 32000-1, 12.5.6.10) exactly on the quotes' characters.

The source is opened, never written. A quote over several pages has one annotation a page, with quads along each of its lines. Each
annotation carries the citation and the question, and a stable id (/NM). The copy is marked as ours (/PieceInfo), so that ingest
leaves it out. Bytes are the same for the same quotes.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pymupdf

from ingest.errors import ExportError, NotFound
from ingest.pdf.engine import OWN_EXPORT_KEY, open_pdf, translated
from query.export.files import safe_name, write_new
from query.export.job import ExportJob, Quotable, query_of, quote_span
from query.export.recording import quads_of
from query.record import record_id

_YELLOW = (1.0, 0.88, 0.3)


def export_pdf(job: ExportJob) -> list[Path]:
    """One annotated copy for each PDF that is quoted; quotes of other formats are left out.

    Raises ExportError where no quote is of a PDF, SourceChanged where a page has other characters than at ingest.
    """
    quoted: dict[str, list[Quotable]] = {}
    for quote in job.quotes:
        if job.document(quote).format == "pdf":
            quoted.setdefault(quote.document_id, []).append(quote)
    if not quoted:
        named = ", ".join(sorted({quote.source_document for quote in job.quotes}))
        raise ExportError(f"none of the quotes is of a PDF ({named})", next_step="Export them to md or json.")
    copies = [(_name(quotes), _annotated(job, document_id, quotes)) for document_id, quotes in quoted.items()]
    return [write_new(job.out / name, content, overwrite=job.overwrite) for name, content in copies]


def _name(quotes: Sequence[Quotable]) -> str:
    return safe_name(quotes[0].source_document, "\n".join(map(_id, quotes)), ".pdf")


def _id(quote: Quotable) -> str:
    span = quote_span(quote)
    return record_id(quote.source_sha256, span.start, len(span))


def _annotated(job: ExportJob, document_id: str, quotes: Sequence[Quotable]) -> bytes:
    """The bytes of the copy."""
    shown = quotes[0].source_document
    with open_pdf(job.sources[document_id], shown) as document:
        for quote in quotes:
            _highlight(job, document, quote, shown)
        with translated(shown):
            document.xref_set_key(document.pdf_catalog(), OWN_EXPORT_KEY, "<</Private(annotated copy)>>")
            return bytes(document.tobytes(no_new_id=True, deflate=True, encryption=pymupdf.PDF_ENCRYPT_KEEP))


def _highlight(job: ExportJob, document: pymupdf.Document, quote: Quotable, shown: str) -> None:
    found = quads_of(job, document, quote)
    if not any(found.values()):
        raise NotFound(f"{shown}: the quote stands on no page", next_step="Ingest the file again.")
    for number, quads in found.items():
        if not quads:
            continue
        with translated(shown):
            page = document[number - 1]
            annotation = page.add_highlight_annot(quads=quads)
            annotation.set_colors(stroke=_YELLOW)
            annotation.set_info(title="pincite", content=_note(quote))
            annotation.update()
            document.xref_set_key(annotation.xref, "NM", pymupdf.get_pdf_str(f"{_id(quote)}-{number}"))
            document.xref_set_key(annotation.xref, "M", "null")  # the date of writing would make other bytes each time
            document.xref_set_key(annotation.xref, "CreationDate", "null")


def _note(quote: Quotable) -> str:
    query = query_of(quote)
    return f"{quote.citation()}\n{query}" if query else quote.citation()
