"""Where a run of the canonical text stands for a reader: pages, printed labels, lines, section. Pure."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence

from index.models import DocumentRecord
from index.ports import LibraryReader
from ingest.models import Span
from query.citation import cited_section

_LINE_END = re.compile(r"\r\n|\r|\n")


def pages_of(starts: Sequence[tuple[int, int]], span: Span) -> tuple[int, int] | None:
    """Least and greatest page that the span touches. `starts` are (offset, page), rising, in the span's own count."""
    if not starts:
        return None
    first = max(bisect_right(starts, span.start, key=lambda s: s[0]) - 1, 0)
    last = max(bisect_left(starts, span.end, key=lambda s: s[0]), first + 1)
    pages = [page for _, page in starts[first:last]]
    return min(pages), max(pages)


def labels_of(document: DocumentRecord, pages: tuple[int, int] | None) -> tuple[str | None, str | None]:
    """The printed labels of the first and last page; None where nothing is printed, or it isn't known."""
    if pages is None:
        return None, None
    first, last = (document.page_labels[n - 1] if n <= len(document.page_labels) else None for n in pages)
    return first, last


def lines_of(text: str, span: Span, first_line: int) -> tuple[int, int]:
    """The 1-based lines of a span of `text`, whose first character is on `first_line`. Line ends are LF, CR LF and CR."""
    begin = first_line + line_ends(text, 0, span.start)
    return begin, begin + line_ends(text, span.start, span.end)


def line_ends(text: str, start: int, end: int) -> int:
    return sum(1 for _ in _LINE_END.finditer(text, start, end))


def citation_section(reader: LibraryReader, document_id: str, path: tuple[str, ...]) -> str | None:
    """The section as a citation names it. The document's own headings are read only where the library has a rival at all."""
    if not path:
        return None
    if not any(other[-1:] == path[-1:] and other != path for other in _sections(reader).values()):
        return path[-1]
    return cited_section(path, {chunk.section_path for chunk in reader.rows.chunks(document_id)})


def _sections(reader: LibraryReader) -> Mapping[str, tuple[str, ...]]:
    return reader.rows.sections()
