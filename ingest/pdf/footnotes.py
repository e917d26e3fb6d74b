"""Which blocks are footnotes: small type at the foot of a column, begun by the mark of a note. Pure functions."""

from __future__ import annotations

from collections.abc import Sequence

from ingest.pdf.blocks import TextBlock

_MARKS = "*†‡§¶⁰¹²³⁴⁵⁶⁷⁸⁹"
_SMALLER = 0.93
"""Notes are set smaller than this part of the body's size."""


def footnotes(blocks: Sequence[TextBlock], size: float) -> frozenset[int]:
    """Indexes of the blocks that are notes. `size` is the body's type size; blocks are in reading order, page by page."""
    found: set[int] = set()
    for start, end in _columns(blocks):
        foot = end
        while foot > start and _is_small(blocks[foot - 1], size):
            foot -= 1
        first = next((i for i in range(foot, end) if _is_marked(blocks[i])), end)
        if first > start or _stands_low(blocks, first, end):
            found.update(range(first, end))
    return frozenset(found)


def _columns(blocks: Sequence[TextBlock]) -> list[tuple[int, int]]:
    """Runs of blocks that stand in one column of one page."""
    runs: list[tuple[int, int]] = []
    start = 0
    for i in range(1, len(blocks) + 1):
        if i == len(blocks) or _place(blocks[i]) != _place(blocks[start]):
            runs.append((start, i))
            start = i
    return runs


def _place(block: TextBlock) -> tuple[int, int]:
    return block.page, block.first.column


def _is_small(block: TextBlock, size: float) -> bool:
    return block.size < _SMALLER * size and block.shape in ("text", "item")


def _is_marked(block: TextBlock) -> bool:
    text = block.text.lstrip()
    return bool(text) and (text[0].isdigit() or text[0] in _MARKS) and any(c.isalpha() for c in text)


def _stands_low(blocks: Sequence[TextBlock], first: int, end: int) -> bool:
    """Whether a note that stands alone in its column (spanning the columns above) is below the page's other text."""
    if first == end:
        return False
    page = blocks[first].page
    top = blocks[first].first.y0
    others = [b for b in blocks[max(0, first - 200) : end + 200] if b.page == page and not any(b is n for n in blocks[first:end])]
    return bool(others) and all(b.last.y1 <= top + 2 for b in others)
