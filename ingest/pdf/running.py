"""Text that runs on: over columns, over pages, past a table or a figure. Pure functions."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from ingest.models import Flow, Role
from ingest.pdf.assemble import Piece
from ingest.pdf.blocks import TextBlock
from ingest.pdf.boxes import boxed
from ingest.pdf.layout import ends_sentence
from ingest.pdf.words import HYPHENS

_ASIDES: frozenset[Role] = frozenset({"footnote", "aside", "caption"})


class Part(Struct, frozen=True, kw_only=True):
    """A block of one page and what it is."""

    block: TextBlock
    role: Role
    flow: Flow = "body"
    level: int | None = None


def run_on(parts: Sequence[Part], pages: Sequence[int]) -> list[Piece]:
    """The pieces of the canonical text in order. `parts` are in reading order, page by page; `pages` are all page numbers.

    A paragraph that was interrupted is whole again; what interrupted it follows it. Hidden text follows the last block of its page.
    """
    pieces: list[Piece] = []
    open_part: list[Part] = []  # the parts of a paragraph that may still run on
    waiting: list[Part] = []  # what came between
    passed = 0  # how many of these the paragraph has run past

    def close() -> None:
        nonlocal passed
        if open_part:
            first = open_part[0]
            pieces.append(_piece(open_part, first.role, first.flow, first.level))
            open_part.clear()
        between = [_piece([part], part.role, _flow_of(part, i < passed), None) for i, part in enumerate(waiting)]
        pieces.extend(sorted(between, key=lambda piece: piece.flow == "hidden"))
        waiting.clear()
        passed = 0

    boxes = boxed([part.block if part.role in ("body", "list") and part.flow == "body" else None for part in parts])
    for i, part in enumerate(parts):
        if i in boxes:
            waiting.append(replace(part, role="aside", flow="aside"))
        elif part.role in _ASIDES or part.flow != "body":
            waiting.append(part)
        elif open_part and _runs_on(open_part[-1], part, bool(waiting)):
            open_part.append(part)
            passed = len(waiting)
        elif part.role == "table" and open_part and not _ended(open_part[-1].block) and open_part[-1].role == "body":
            waiting.append(part)
        else:
            close()
            open_part.append(part)
    close()
    return pieces


def _piece(parts: Sequence[Part], role: Role, flow: Flow, level: int | None) -> Piece:
    return Piece(parts=tuple(part.block for part in parts), role=role, flow=flow, level=level)


def _flow_of(part: Part, interrupts: bool) -> Flow:
    if part.flow == "hidden":
        return "hidden"
    return "aside" if interrupts or part.role not in ("table", "caption") else "body"


def _runs_on(last: Part, part: Part, interrupted: bool) -> bool:
    """Whether `part` is the rest of the paragraph, list item, code or table that `last` began."""
    a, b = last.block, part.block
    if a.page == b.page and a.last.column == b.first.column and not interrupted:
        return False
    if last.role == "code" and part.role == "code":
        return a.page != b.page and abs(a.size - b.size) < 0.5
    if last.role not in ("body", "list") or part.role != "body" or abs(a.size - b.size) > 0.08 * a.size or a.bold != b.bold:
        return False
    if b.page > a.page + 1:
        return False
    return not _ended(a) and (_begins_inside(b) or _is_full(a))


def _ended(block: TextBlock) -> bool:
    text = block.last.text.rstrip()
    return ends_sentence(text) and not text.endswith(tuple(HYPHENS))


def _begins_inside(block: TextBlock) -> bool:
    first = block.first.text.lstrip()[:1]
    return bool(first) and (first.islower() or first.isdigit() or first in "(“\"'[" or not first.isupper())


def _is_full(block: TextBlock) -> bool:
    """Whether the last row fills its column as the others do."""
    widest = max(row.x1 for row in block.rows)
    return len(block.rows) > 1 and block.last.x1 > widest - 2.5 * block.size
