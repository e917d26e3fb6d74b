"""Pieces to the canonical text and its blocks.

Between blocks stands `\\n\\n`; between list items, table rows and code lines `\\n`; between cells `\\t` (an empty cell leaves
its tab, so that columns stay countable). White space at the ends of a piece is left out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec.structs import replace

from ingest.elements.pieces import Content, Omission, Piece, Rows
from ingest.models import Block, Exclusion, Flow, Format, Notice, Page, PageRun, ParsedDocument, Role, Span
from ingest.reading import merge_silent, zero_width

MAX_CHARACTERS = 64 * 2**20
"""Characters of one document's canonical text: more would not fit in a worker's memory with its chunks."""

_FLOWS: dict[Role, Flow] = {"footnote": "aside", "aside": "aside", "hidden": "hidden"}
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")
_LINE_END = re.compile(r"\r\n?")
_SPACE = re.compile(r"\s+")
_NO_BOX = (0.0, 0.0, 0.0, 0.0)


class TooMuchText(Exception):
    """The pieces come to more than `MAX_CHARACTERS`."""


def assemble(content: Content, kind: Format) -> ParsedDocument:
    """The document. Raises TooMuchText."""
    parts: list[str] = []
    blocks: list[tuple[Piece, Block]] = []
    length = 0
    for piece, text, head in _written(content.pieces):
        gap = _gap(blocks[-1][0] if blocks else None, piece)
        start = length + len(gap)
        length = start + len(text)
        if length > MAX_CHARACTERS:
            raise TooMuchText
        parts += [gap, text]
        blocks.append((piece, _block(piece, text, Span(start, length), head)))
    text = "".join(parts)
    notices = content.notices if text else (*content.notices, Notice(reason="empty: no text in it"))
    return ParsedDocument(
        text=text,
        format=kind,
        blocks=_with_scopes(blocks),
        parser=content.parser,
        title=content.title,
        encoding=content.encoding,
        silent=merge_silent(zero_width(text)),
        page_map=_page_map(blocks, length) if content.labels and blocks else (),
        pages=_pages(content),
        warnings=notices,
        cautions=content.cautions,
        properties=content.properties,
    )


def row_text(row: Sequence[str]) -> str:
    """A row's line: its cells without line ends, tabs between."""
    return "\t".join(_SPACE.sub(" ", cell).strip() for cell in row).rstrip()


def _written(pieces: Sequence[Piece]) -> list[tuple[Piece, str, int]]:
    """Each piece that says something, its text, and how long its head row is (0 without one)."""
    out = []
    for piece in pieces:
        text, head = _table(piece.rows, piece.head) if piece.rows else (_clean(piece.text), 0)
        if text:
            out.append((piece, text, head))
    return out


def _table(rows: Rows, has_head: bool) -> tuple[str, int]:
    lines = [line for row in rows if (line := row_text(row)).strip()]
    text = _CONTROL.sub("", "\n".join(lines).strip())
    return text, len(text.partition("\n")[0]) if has_head and len(lines) > 1 else 0


def _clean(text: str) -> str:
    return _CONTROL.sub("", _LINE_END.sub("\n", text)).strip()


def _gap(before: Piece | None, piece: Piece) -> str:
    if before is None:
        return ""
    return "\n" if before.role == piece.role == "list" and before.page == piece.page else "\n\n"


def _block(piece: Piece, text: str, span: Span, head: int) -> Block:
    title = " ".join(text.split()) if piece.level else None
    context = (Span(span.start, span.start + head),) if head else ()
    return Block(
        span=span, role=piece.role, flow=_FLOWS.get(piece.role, "body"), level=piece.level, title=title or None, context=context
    )


def _with_scopes(blocks: Sequence[tuple[Piece, Block]]) -> tuple[Block, ...]:
    """A heading with a scope ends where the run of its scope's pieces does."""
    out: list[Block] = []
    scope: int | None = None
    end = 0
    for piece, block in reversed(blocks):
        if piece.scope != scope:
            scope, end = piece.scope, block.span.end
        out.append(replace(block, scope_end=end) if block.level and scope is not None else block)
    return tuple(reversed(out))


def _page_map(blocks: Sequence[tuple[Piece, Block]], length: int) -> tuple[PageRun, ...]:
    """Partitions the text; the gap after a page's last block counts to that page."""
    starts: list[tuple[int, int]] = []
    for piece, block in blocks:
        page = piece.page or 1
        if not starts or starts[-1][1] != page:
            starts.append((block.span.start, page))
    ends = [start for start, _ in starts[1:]] + [length]
    return tuple(PageRun(start, end, page) for (start, page), end in zip(starts, ends, strict=True))


def _pages(content: Content) -> tuple[Page, ...]:
    """The slides or sheets. A format without pages that leaves something out has one record, to hold the exclusions."""
    labels = content.labels or ((None,) if content.omissions else ())
    return tuple(
        Page(
            number=number,
            label=label,
            width=0.0,
            height=0.0,
            rotation=0,
            fingerprint="",
            runs=(),
            exclusions=_exclusions(number, [o for o in content.omissions if (o.page or 1) == number]),
        )
        for number, label in enumerate(labels, start=1)
    )


def _exclusions(page: int, omissions: Sequence[Omission]) -> tuple[Exclusion, ...]:
    """Offsets count in the omitted texts of the page, joined."""
    out, offset = [], 0
    for omission in omissions:
        text = omission.text
        out.append(Exclusion(page=page, source_offset=offset, length=len(text), text=text, reason=omission.reason, box=_NO_BOX))
        offset += len(text)
    return tuple(out)
