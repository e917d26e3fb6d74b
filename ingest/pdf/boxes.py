"""Boxes that stand amid a paragraph: whole sentences, set in on both sides, between a full line and the rest of its sentence.

A displayed formula or quotation is no box: the line before it ends early or with a mark. Pure functions over blocks in reading
order.
"""

from __future__ import annotations

from collections.abc import Sequence

from ingest.pdf.blocks import TextBlock
from ingest.pdf.layout import ends_sentence

_MOST_BLOCKS = 6


def boxed(blocks: Sequence[TextBlock | None]) -> frozenset[int]:
    """Indexes of the blocks that stand in a box. None stands for what is neither body text nor a list."""
    found: set[int] = set()
    for i, block in enumerate(blocks):
        if block and _breaks_off(block):
            end = i + 1
            while end < min(len(blocks), i + 1 + _MOST_BLOCKS) and _is_set_in(blocks[end], block):
                end += 1
            if _is_whole(blocks[i + 1 : end]) and end < len(blocks) and _goes_on(block, blocks[end]):
                found.update(range(i + 1, end))
    return frozenset(found)


def _breaks_off(block: TextBlock) -> bool:
    """Whether the block's last line is full and ends amid a sentence."""
    em = block.size
    return len(block.rows) > 1 and block.last.text[-1:].isalnum() and block.last.x1 > max(row.x1 for row in block.rows) - 3 * em


def _is_set_in(block: TextBlock | None, around: TextBlock) -> bool:
    if not block or (block.page, block.first.column) != (around.page, around.last.column):
        return False
    em = around.size
    left, right = min(row.x0 for row in around.rows), max(row.x1 for row in around.rows)
    return min(row.x0 for row in block.rows) > left + 0.8 * em and max(row.x1 for row in block.rows) < right - 0.8 * em


def _is_whole(box: Sequence[TextBlock | None]) -> bool:
    """Whether the blocks begin and end as sentences do, and say more than a title."""
    if not box or not box[0] or not box[-1]:
        return False
    begins, ends = box[0].first.text[:1], box[-1].last.text
    return not begins.islower() and ends_sentence(ends) and sum(len(b.rows) for b in box if b) > 1


def _goes_on(block: TextBlock, rest: TextBlock | None) -> bool:
    """Whether `rest` is what the sentence that broke off goes on with."""
    if not rest or not rest.first.text[:1].islower() or abs(rest.size - block.size) > 0.08 * block.size:
        return False
    elsewhere = (rest.page, rest.first.column) != (block.page, block.last.column)
    return elsewhere or abs(rest.first.x0 - min(row.x0 for row in block.rows)) < 2
