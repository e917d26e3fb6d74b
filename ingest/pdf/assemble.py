"""Blocks of lines to the canonical text, with the map from each of its characters back to the page it came from.

Text runs on over columns and pages. What interrupts it (footnotes, captions, tables inside a paragraph) follows the paragraph as a
block of its own; text that cannot be seen follows the page's last block.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass, field

from msgspec import Struct

from ingest.models import Block, Flow, PageRun, Role, SourceRun, Span
from ingest.pdf.blocks import Shape, TextBlock
from ingest.pdf.layout import Row
from ingest.pdf.page import Line
from ingest.pdf.tables import cells_of
from ingest.pdf.words import HYPHENS, PUT_IN, keeps_hyphen, needs_space, readable


class Piece(Struct, frozen=True, kw_only=True):
    """A block of the canonical text to be: text blocks that run on into one another, with what they are."""

    parts: tuple[TextBlock, ...]
    role: Role
    flow: Flow = "body"
    level: int | None = None


@dataclass(slots=True)
class TextBuilder:
    """Collects canonical text, the runs of each page, and where pages change."""

    parts: list[str] = field(default_factory=list)
    length: int = 0
    runs: dict[int, list[SourceRun]] = field(default_factory=dict)
    page_starts: list[tuple[int, int]] = field(default_factory=list)

    def take(self, text: str, page: int, source_offset: int) -> None:
        """Appends characters of a page."""
        if not self.page_starts or self.page_starts[-1][1] != page:
            self.page_starts.append((self.length, page))
        runs = self.runs.setdefault(page, [])
        at, length = self.length, len(text)
        if runs:
            offset, source, before = runs[-1]
            if offset + before == at and source + before == source_offset:
                runs[-1] = SourceRun(offset, source, before + length)
                self.put(text)
                return
        runs.append(SourceRun(at, source_offset, length))
        self.put(text)

    def put(self, text: str) -> None:
        """Appends characters that stand on no page (a space between lines, a line end between blocks)."""
        if text:
            self.parts.append(text)
            self.length += len(text)

    def text_since(self, part: int) -> str:
        return "".join(self.parts[part:])

    def page_map(self) -> tuple[PageRun, ...]:
        """Partitions the text; what stands on no page counts to the page before it."""
        if not self.page_starts:
            return ()
        starts = [(0 if i == 0 else start, page) for i, (start, page) in enumerate(self.page_starts)]
        ends = [start for start, _ in starts[1:]] + [self.length]
        return tuple(PageRun(start, end, page) for (start, page), end in zip(starts, ends, strict=True) if end > start)


def assemble(pieces: Sequence[Piece], vocabulary: Container[str]) -> tuple[TextBuilder, tuple[Block, ...]]:
    """The canonical text and its blocks. Pieces without a readable character are left out."""
    builder = TextBuilder()
    blocks: list[Block] = []
    before: Piece | None = None
    for piece in pieces:
        rows = _rows_of(piece)
        if not rows:
            continue
        if before:
            builder.put("\n" if before.role == piece.role == "list" else "\n\n")
        begin, part = builder.length, len(builder.parts)
        first_row_end = _write(builder, rows, piece.parts[0].shape, vocabulary)
        title = " ".join(builder.text_since(part).split()) if piece.level else ""
        context = (Span(begin, first_row_end),) if piece.role == "table" and len(rows) > 2 else ()
        span = Span(begin, builder.length)
        level = piece.level if title else None
        blocks.append(Block(span=span, role=piece.role, flow=piece.flow, level=level, title=title or None, context=context))
        before = piece
    return builder, tuple(blocks)


_Segments = list[tuple[str, int]]
"""Readable characters of one line, as (characters, offset in the page's stream)."""
_Row = tuple[int, list[list[_Segments]]]
"""The page of a row, and its cells, each with its lines."""


def _rows_of(piece: Piece) -> list[_Row]:
    """The readable rows of a piece; empty lines, cells and rows are left out."""
    out: list[_Row] = []
    for part in piece.parts:
        rows = cells_of(part.rows) if part.shape == "table" else map(_runs_of, part.rows)
        for row in rows:
            cells = [lines for cell in row if (lines := _readable_lines(cell))]
            if cells:
                out.append((part.page, cells))
    return out


def _runs_of(row: Row) -> list[list[Line]]:
    """Each line of the row a cell of its own, but for scripts (exponents, indices), and Chinese and Japanese characters set side by
    side one by one (as vertical text mostly is)."""
    if len(row.cells) == 1:
        return [[row.main]]
    cells: list[list[Line]] = []
    for line in row.cells:
        last = cells[-1][-1] if cells else None
        beside = last is not None and line.x0 - last.x1 < 0.5 * line.size
        if last and beside and (line.script or not needs_space(last.text.rstrip(), line.text.lstrip())):
            cells[-1].append(line)
        else:
            cells.append([line])
    return cells


def _readable_lines(cell: Sequence[Line]) -> list[_Segments]:
    out: list[_Segments] = []
    for line in cell:
        segments = _trimmed(readable(line))
        if segments and line.script and out:
            out[-1] += segments
        elif segments:
            out.append(segments)
    return out


def _trimmed(segments: _Segments) -> _Segments:
    """Without white space at both ends."""
    if len(segments) == 1 and not segments[0][0][:1].isspace() and not segments[0][0][-1:].isspace():
        return segments
    while segments and not segments[0][0].strip():
        segments.pop(0)
    while segments and not segments[-1][0].strip():
        segments.pop()
    if segments:
        text, offset = segments[0]
        if text[0].isspace():
            segments[0] = (text.lstrip(), offset + len(text) - len(text.lstrip()))
        text, offset = segments[-1]
        if text[-1].isspace():
            segments[-1] = (text.rstrip(), offset)
    return segments


def _write(builder: TextBuilder, rows: Sequence[_Row], shape: Shape, vocabulary: Container[str]) -> int:
    """Writes the rows of a piece; returns where the first one ends."""
    within = "\t" if shape == "table" else " "
    wraps = shape in ("text", "item")
    first_row_end = 0
    for number, (page, cells) in enumerate(rows):
        following = rows[number + 1][1][0][0][0][0] if number + 1 < len(rows) else ""
        for place, lines in enumerate(cells):
            if place:
                builder.put(within)
            last = place == len(cells) - 1
            _write_lines(builder, page, lines, following if last and wraps else "", vocabulary)
        if number == 0:
            first_row_end = builder.length
        if following and not wraps:
            builder.put("\n")
    return first_row_end


def _write_lines(builder: TextBuilder, page: int, lines: Sequence[_Segments], following: str, vocabulary: Container[str]) -> None:
    """Lines that wrap, and what stands between them and before `following`, the line after (empty where nothing follows)."""
    for i, segments in enumerate(lines):
        after = lines[i + 1][0][0] if i + 1 < len(lines) else following
        joined = _without_hyphen(segments, after, vocabulary) if after else segments
        for text, offset in joined:
            if offset == PUT_IN:
                builder.put(text)
            else:
                builder.take(text, page, offset)
        if after:
            builder.put(_gap(segments, joined, after))


def _without_hyphen(segments: _Segments, after: str, vocabulary: Container[str]) -> _Segments:
    """The line, its last hyphen left out where the word goes on without it."""
    text, offset = segments[-1]
    if text[-1] in HYPHENS and not keeps_hyphen("".join(t for t, _ in segments), after, vocabulary):
        return [*segments[:-1], (text[:-1], offset)] if len(text) > 1 else segments[:-1]
    return segments


def _gap(segments: _Segments, joined: _Segments, after: str) -> str:
    """What stands between two lines of a paragraph: nothing after a hyphen (kept or not), else a space if the script has them."""
    before = segments[-1][0]
    if joined is not segments:
        return ""
    if before[-1] in HYPHENS and len(before) > 1 and before[-2].isalnum() and after[0].isalnum():
        return ""
    return " " if needs_space(before, after) else ""
