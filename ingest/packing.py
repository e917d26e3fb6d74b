"""Where chunk borders fall in a run of units.

Borders are chosen by content, not by a running total, so that an edit moves only those nearby: some units are *anchors* (their
hash is the least within `REACH` word pieces on either side), each anchor begins a chunk, and between two anchors the cheapest
division is taken (chunks near the target weight, whole paragraphs, headings with their text).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import accumulate, pairwise

from ingest.models import Span

REACH = 1000
"""Word pieces on either side among which an anchor's hash is the least: anchors lie about two REACHes apart."""
INSIDE_BLOCK = 2.0
"""Cost of a border inside a block that would fit in a chunk whole, in squared relative deviations from the target: more than any
two chunks can save, so such a block is cut only to keep a heading with its text."""
AFTER_HEADING = 4.0
"""Cost of a border between a heading and what follows."""
WITHOUT_CONTEXT = 0.5
"""Cost of a chunk that has no room for its context."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """A unit to be packed: its text's span and weight, the number of its block, the block's weight.

    `heading` tells that a border right after it parts a heading from its text; `context` are the spans, each with its weight,
    that go with a chunk of this block that doesn't hold them.
    """

    span: Span
    weight: int
    block: int
    block_weight: int
    heading: bool = False
    context: tuple[tuple[Span, int], ...] = ()


def pack(text: str, items: Sequence[Item], target: int, limit: Callable[[int], int]) -> list[tuple[int, int]]:
    """The chunks of one run, as half-open ranges of `items`; `limit(i)` is the most that a chunk from item i may weigh.

    A single item is never cut: it may be heavier than the limit only if it came so.
    """
    borders = [0, *anchors(text, items), len(items)]
    out: list[tuple[int, int]] = []
    for start, end in pairwise(borders):
        out += _divide(items, start, end, target, limit)
    return out


def anchors(text: str, items: Sequence[Item]) -> list[int]:
    """The items that begin a chunk whatever the rest of the run is, but for `REACH` word pieces on either side."""
    at = [0, *accumulate(i.weight for i in items)]
    if at[-1] < 2 * REACH:
        return []
    marks = {i: _hash(text, items[i]) for i in range(1, len(items)) if _may_anchor(items, i)}
    window: deque[int] = deque()  # candidates within reach, their hashes rising
    order = list(marks)
    out, ahead = [], 0
    for i in order:
        while ahead < len(order) and at[order[ahead]] - at[i] <= REACH:
            new = order[ahead]
            while window and marks[window[-1]] > marks[new]:
                window.pop()
            window.append(new)
            ahead += 1
        while at[i] - at[window[0]] > REACH:
            window.popleft()
        if window[0] == i and REACH <= at[i] <= at[-1] - REACH:
            out.append(i)
    return out


def _may_anchor(items: Sequence[Item], i: int) -> bool:
    """A block's first unit, or any unit of a giant block; never the text right after a heading."""
    before, item = items[i - 1], items[i]
    return not before.heading and (item.block != before.block or item.block_weight > REACH)


def _hash(text: str, item: Item) -> bytes:
    return blake2b(item.span.slice(text).encode("utf-8", "surrogatepass"), digest_size=8).digest()


def _divide(items: Sequence[Item], first: int, last: int, target: int, limit: Callable[[int], int]) -> list[tuple[int, int]]:
    """The cheapest division of items[first:last] into chunks (dynamic programming from the end)."""
    rest = {last: 0.0}  # what items[i:last] cost at least, the border before item i included
    ends: dict[int, int] = {}
    for i in range(last - 1, first - 1, -1):
        cost, ends[i] = min((own + rest[j], j) for j, own in _chunks_from(items, i, last, target, limit(i)))
        rest[i] = cost + (_border(items, i, limit(i)) if i > first else 0.0)
    out, i = [], first
    while i < last:
        out.append((i, ends[i]))
        i = ends[i]
    return out


def _chunks_from(items: Sequence[Item], i: int, last: int, target: int, limit: int) -> list[tuple[int, float]]:
    """Where a chunk that begins at item i may end, and what it costs by its weight."""
    out: list[tuple[int, float]] = []
    weight, extra = 0, 0
    seen: set[Span] = set()
    goal = min(target, limit)
    for j in range(i, last):
        item = items[j]
        weight += item.weight
        for span, size in item.context:
            if span not in seen and span.start < items[i].span.start:
                seen.add(span)
                extra += size
        if weight > limit and j > i:
            break
        if weight + extra <= limit:
            out.append((j + 1, ((weight + extra - goal) / goal) ** 2))
        else:
            out.append((j + 1, ((weight - goal) / goal) ** 2 + WITHOUT_CONTEXT))
    return out


def _border(items: Sequence[Item], j: int, limit: int) -> float:
    """What a border before item j costs by its place."""
    before, after = items[j - 1], items[j]
    if before.heading:
        return AFTER_HEADING
    if before.block == after.block and after.block_weight <= limit:
        return INSIDE_BLOCK
    return 0.0
