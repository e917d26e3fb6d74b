"""Where chunk borders fall in a run of units.

Borders are chosen by content, not by a running total, so that an edit moves only those nearby: some units are *anchors* (their
hash is the least within `REACH` word pieces on either side), each anchor begins a chunk, and between two anchors the cheapest
division is taken (chunks near the target weight, whole paragraphs, headings with their text).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from functools import lru_cache
from hashlib import blake2b
from itertools import accumulate, pairwise
from math import inf

from msgspec import Struct

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


class Item(Struct, frozen=True):
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
        ends = [start + n for n in _divide(items[start:end], target, [limit(i) for i in range(start, end)])]
        out += pairwise([start, *ends])
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


def _divide(items: Sequence[Item], target: int, limits: Sequence[int]) -> list[int]:
    """Where the chunks of the cheapest division end (dynamic programming from the end); `limits[i]` is the most that a chunk from
    item i may weigh."""
    rest = [0.0] * (len(items) + 1)  # what items[i:] cost at least, the border before item i included
    ends = [0] * len(items)
    left, plain, least_goal = 0, True, target  # of items[i:]: what they weigh, whether none has a context
    for i in reversed(range(len(items))):
        goal = min(target, limits[i])
        left += items[i].weight
        plain = plain and not items[i].context
        least_goal = min(least_goal, goal)
        if plain and left <= goal == least_goal:  # two chunks below their goals always cost more than one
            ends[i], cost = len(items), _deviation(left, goal)
        else:
            ends[i], cost = _best_end(items, i, rest, goal, limits[i])
        rest[i] = cost + (_border(items, i, limits[i]) if i else 0.0)
    out, i = [], 0
    while i < len(items):
        i = ends[i]
        out.append(i)
    return out


def _best_end(items: Sequence[Item], first: int, rest: Sequence[float], goal: int, limit: int) -> tuple[int, float]:
    """Where the chunk that begins with items[first] best ends (the first of equals), and what it and all after it cost.

    `rest[n]` is the cost of items[n:].
    """
    costs = _deviations(goal, limit)
    best, least = first + 1, inf
    weight, extra = 0, 0
    seen: set[Span] = set()
    start = items[first].span.start
    for n in range(first, len(items)):
        item = items[n]
        weight += item.weight
        if weight > limit and n > first:
            break
        if item.context:
            new = [(span, size) for span, size in item.context if span.start < start and span not in seen]
            seen.update(span for span, _ in new)
            extra += sum(size for _, size in new)
        own = costs[weight] if weight <= limit else _deviation(weight, goal)
        if weight > goal and own > least:
            break  # from here on it only grows
        if extra:
            own = costs[weight + extra] if weight + extra <= limit else own + WITHOUT_CONTEXT
        elif weight > limit:
            own += WITHOUT_CONTEXT
        if own + rest[n + 1] < least:
            best, least = n + 1, own + rest[n + 1]
    return best, least


@lru_cache(maxsize=256)
def _deviations(goal: int, limit: int) -> list[float]:
    """What a chunk costs by its weight, from 0 to `limit`."""
    return [_deviation(weight, goal) for weight in range(limit + 1)]


def _deviation(weight: int, goal: int) -> float:
    """The squared relative deviation from the goal."""
    return float(((weight - goal) / goal) ** 2)


def _border(items: Sequence[Item], j: int, limit: int) -> float:
    """What a border before item j costs by its place."""
    before, after = items[j - 1], items[j]
    if before.heading:
        return AFTER_HEADING
    if before.block == after.block and after.block_weight <= limit:
        return INSIDE_BLOCK
    return 0.0
