"""Citation records made from the quotes of an export."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING

from index.models import DocumentText
from index.ports import LibraryReader
from ingest.errors import NotFound
from ingest.models import Box
from query.export.job import ExportJob, Quotable, query_of, quote_labels, quote_pages, quote_span
from query.record import AROUND, CitationRecord, PageBoxes

if TYPE_CHECKING:
    import pymupdf

Quads = Mapping[int, Sequence["pymupdf.Quad"]]


def records_of(job: ExportJob) -> list[CitationRecord]:
    """One for each quote, in their order. Raises SourceChanged where a page has other characters than at ingest."""
    texts: dict[str, DocumentText] = {}
    made: list[CitationRecord] = []
    with ExitStack() as files:
        open_files: dict[str, pymupdf.Document] = {}
        for quote in job.quotes:
            if quote.document_id not in texts:
                texts[quote.document_id] = job.reader.rows.text(quote.document_id)
                if job.document(quote).format == "pdf":
                    from ingest.pdf.engine import open_pdf

                    opened = open_pdf(job.sources[quote.document_id], quote.source_document, passwords=job.passwords)
                    open_files[quote.document_id] = files.enter_context(opened)
            file = open_files.get(quote.document_id)
            boxes = () if file is None else page_boxes(job.reader, file, quote)
            made.append(_record(job, quote, texts[quote.document_id].text, boxes))
    return made


def quads_of(reader: LibraryReader, file: pymupdf.Document, quote: Quotable) -> Quads:
    """Page number -> the quads of the quote there, one a line. Raises NotFound where no page is known of it."""
    from ingest.pdf.quads import locate

    touched = quote_pages(quote)
    if touched is None:
        raise NotFound(f"{quote.source_document}: no page is known of the quote", next_step="Ingest the file again.")
    first, last = touched
    pages = reader.rows.pages(quote.document_id, range(first, last + 1))
    return locate(file, pages, quote_span(quote), shown=quote.source_document)


def page_boxes(reader: LibraryReader, file: pymupdf.Document, quote: Quotable) -> tuple[PageBoxes, ...]:
    """Where the quote stands on each page. Raises NotFound, SourceChanged as `quads_of` does."""
    found = {number: quads for number, quads in quads_of(reader, file, quote).items() if quads}
    pages = {page.number: page for page in reader.rows.pages(quote.document_id, sorted(found))} if found else {}
    return tuple(
        PageBoxes(
            page=number,
            width=_points(pages[number].width),
            height=_points(pages[number].height),
            rotation=pages[number].rotation,
            boxes=tuple(_box(quad) for quad in quads),
        )
        for number, quads in sorted(found.items())
    )


def _box(quad: pymupdf.Quad) -> Box:
    rect = quad.rect
    return _points(rect.x0), _points(rect.y0), _points(rect.x1), _points(rect.y1)


def _points(value: float) -> float:
    """To a thousandth of a point."""
    return round(float(value), 3)


def _record(job: ExportJob, quote: Quotable, text: str, boxes: tuple[PageBoxes, ...]) -> CitationRecord:
    document, span = job.document(quote), quote_span(quote)
    pages, labels = quote_pages(quote), quote_labels(quote)
    return CitationRecord(
        id=quote.id,
        quote=span.slice(text),
        quote_text=quote.quote_text,
        prefix=text[max(span.start - AROUND, 0) : span.start],
        suffix=text[span.end : span.end + AROUND],
        citation=quote.citation(),
        source_label=quote.source_label,
        source_document=quote.source_document,
        root=quote.root,
        format=document.format,
        encoding=document.encoding,
        source_sha256=quote.source_sha256,
        text_sha256=document.text_sha256,
        parser=document.parser,
        section_path=quote.section_path,
        page_from=pages[0] if pages else None,
        page_to=pages[1] if pages else None,
        page_label_from=labels[0],
        page_label_to=labels[1],
        line_from=quote.line_from,
        line_to=quote.line_to,
        locator=quote.locator,
        offset=span.start,
        length=len(span),
        page_boxes=boxes,
        cautions=quote.cautions,
        query=query_of(quote),
        index_generation=job.reader.generation,
        read_at=document.ingested_at,
    )
