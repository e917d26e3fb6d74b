"""Where a run of the canonical text stands for a reader: pages, printed labels, lines, section. Pure."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence

from index.models import DocumentRecord, DocumentText
from index.ports import LibraryReader
from ingest.cues import Cue, Remark, read_cues
from ingest.models import Format, Span
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


def cues_of(format_: Format, text: Callable[[], DocumentText]) -> Sequence[Cue | Remark]:
    """The cues of a source with a time line, read out of its text; none of another, whose text isn't asked for."""
    return read_cues(text().text) if format_ == "subtitles" else ()


def line_starts(text: str) -> list[int]:
    """The offset of each line's first character. Line ends are LF, CR LF and CR, nothing else."""
    return [0, *(m.end() for m in _LINE_END.finditer(text))]


def lines_of(starts: Sequence[int], span: Span, first_line: int = 1) -> tuple[int, int]:
    """The 1-based first and last line of a span; `starts` are the line starts of the text that the span counts in, which begins on
    `first_line`."""
    last = max(span.end - 1, span.start)
    return first_line + bisect_right(starts, span.start) - 1, first_line + bisect_right(starts, last) - 1


def citation_section(reader: LibraryReader, document_id: str, path: tuple[str, ...]) -> str | None:
    """The section as a citation names it. The document's own headings are read only where the library has a rival at all."""
    if not path:
        return None
    if not reader.rows.sections_called(path[-1]) - {path}:
        return path[-1]
    return cited_section(path, {chunk.section_path for chunk in reader.rows.chunks(document_id)})
