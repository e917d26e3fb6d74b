"""The picture of one page, for `show`: with the quote highlighted, if there is one on it."""

from __future__ import annotations

from collections.abc import Sequence

from index.ports import LibraryReader
from ingest.errors import NotFound, UsageError
from query.export.sources import Resolve, checked_source
from query.showing import Shown

DPI = 150


def page_picture(reader: LibraryReader, shown: Shown, resolve: Resolve, *, passwords: Sequence[str] = ()) -> bytes:
    """PNG of the page of `shown`; `passwords` are tried where the file is encrypted.

    Raises UsageError for what is no PDF, SourceChanged, SourceMissing, EncryptedSource.
    """
    document = reader.documents[shown.document_id]
    if document.format != "pdf":
        raise UsageError(f"{shown.source_document} is no PDF, so its pages have no pictures", next_step="Leave --as png out.")
    if shown.page is None:
        raise NotFound(f"{shown.source_document} has no page with text", next_step="Say which page: --page N.")
    from ingest.pdf.engine import open_pdf
    from query.export.pictures import picture, plain_picture
    from query.export.recording import page_boxes

    with open_pdf(checked_source(document, resolve), shown.source_document, passwords=passwords) as file:
        boxes = page_boxes(reader, file, shown.place) if shown.place else ()
        here = next((place for place in boxes if place.page == shown.page), None)
        return picture(file, here, dpi=DPI) if here else plain_picture(file, shown.page, dpi=DPI)
