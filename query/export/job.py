"""What every exporter is given, and the shape of an exporter."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from index.models import DocumentRecord
from index.ports import LibraryReader
from ingest.models import Span
from query.matches import Place
from query.models import SearchHit

Quotable = SearchHit | Place


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportJob:
    """`sources` are the files by document id; their SHA-256 is that of the quotes and of the library. `quotes` is never empty.
    `passwords` are tried on encrypted sources."""

    reader: LibraryReader
    quotes: tuple[Quotable, ...]
    sources: Mapping[str, Path]
    out: Path
    overwrite: bool
    passwords: tuple[str, ...] = field(default=(), repr=False)

    def document(self, quote: Quotable) -> DocumentRecord:
        return self.reader.documents[quote.document_id]


class Exporter(Protocol):
    """Writes files into `job.out` and returns them. Raises ExportError (nothing to write, a name is taken), SourceError."""

    def __call__(self, job: ExportJob) -> list[Path]: ...


def query_of(quote: Quotable) -> str | None:
    """The question that found it; a place of a quotation has none."""
    return quote.query or None


def quote_span(quote: Quotable) -> Span:
    """The quoted words as a span of the canonical text."""
    if isinstance(quote, SearchHit):
        return quote.match.shift(quote.source_offset)
    return Span(quote.offset, quote.offset + quote.length)


def quote_pages(quote: Quotable) -> tuple[int, int] | None:
    """First and last page of the quoted words, None where the format has no pages."""
    if isinstance(quote, SearchHit):
        first, last = quote.match_page_from, quote.match_page_to
    else:
        first, last = quote.page_from, quote.page_to
    return None if first is None or last is None else (first, last)


def quote_labels(quote: Quotable) -> tuple[str | None, str | None]:
    """The printed labels of these pages."""
    if isinstance(quote, SearchHit):
        return quote.match_page_label_from, quote.match_page_label_to
    return quote.page_label_from, quote.page_label_to


def bundle_key(job: ExportJob) -> str:
    """Names a bundle by what is in it: the same quotes give the same file name."""
    spans = [(q.document_id, quote_span(q)) for q in job.quotes]
    return repr([(document_id, s.start, s.end) for document_id, s in spans])
