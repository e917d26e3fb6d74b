"""Quotes as highlights: a copy of each PDF with /Highlight annotations (ISO 32000-1, 12.5.6.10) exactly on the quotes' characters.

The source is opened, never written. A quote over several pages has one annotation a page, with quads along each of its lines. Each
annotation carries the citation and the question, and a stable id (/NM). The copy is marked as ours (/PieceInfo), so that ingest
leaves it out. Bytes are the same for the same quotes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import pymupdf

from ingest.errors import ExportError, NotFound
from ingest.pdf.engine import OWN_EXPORT_KEY, open_pdf, translated
from ingest.pdf.quads import locate
from query.export.files import safe_name, write_new
from query.export.job import ExportJob, Quotable, query_of, quote_span
from query.models import SearchHit

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
    """The same for the same words at the same place of the same file."""
    span = quote_span(quote)
    raw = f"{quote.source_sha256}:{span.start}:{span.end}"
    return "pincite-" + hashlib.sha256(raw.encode()).hexdigest()[:16]


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
    first, last = _pages(quote)
    pages = job.reader.rows.pages(quote.document_id, range(first, last + 1))
    found = locate(document, pages, quote_span(quote), shown=shown)
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


def _pages(quote: Quotable) -> tuple[int, int]:
    """First and last page of the quoted words."""
    if isinstance(quote, SearchHit):
        first, last = quote.match_page_from, quote.match_page_to
    else:
        first, last = quote.page_from, quote.page_to
    if first is None or last is None:
        raise NotFound(f"{quote.source_document}: no page is known of the quote", next_step="Ingest the file again.")
    return first, last


def _note(quote: Quotable) -> str:
    query = query_of(quote)
    return f"{quote.citation()}\n{query}" if query else quote.citation()
