"""Chunk borders: the division taken is the cheapest there is."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.models import Span
from ingest.packing import AFTER_HEADING, INSIDE_BLOCK, Item, pack

TARGET, LIMIT = 20, 30


@st.composite
def runs(draw: st.DrawFn) -> list[Item]:
    """Items in blocks, without contexts."""
    blocks = draw(st.lists(st.lists(st.integers(1, 12), min_size=1, max_size=3), min_size=1, max_size=4))
    return [
        Item(span=Span(0, 0), weight=weight, block=n, block_weight=sum(block), heading=heading)
        for n, block in enumerate(blocks)
        for heading in [draw(st.booleans())]
        for weight in block
    ]


def cost(items: Sequence[Item], chunks: Sequence[tuple[int, int]], first_limit: int) -> float:
    """By the words of `ingest.packing`: squared relative deviations, and what borders cost by their place."""
    total = 0.0
    for start, end in chunks:
        goal = min(TARGET, LIMIT if start else first_limit)
        total += ((sum(i.weight for i in items[start:end]) - goal) / goal) ** 2
        before, after = items[start - 1], items[start]
        if start:
            inside = before.block == after.block and after.block_weight <= LIMIT
            total += AFTER_HEADING if before.heading else INSIDE_BLOCK if inside else 0.0
    return total


@given(runs(), st.sampled_from([14, LIMIT]))
def test_no_division_into_chunks_is_cheaper_than_the_one_taken(items: list[Item], first_limit: int) -> None:
    taken = pack("", items, TARGET, lambda i: LIMIT if i else first_limit)
    others = [
        list(pairwise((0, *borders, len(items)))) for n in range(len(items)) for borders in combinations(range(1, len(items)), n)
    ]
    fitting = [c for c in others if all(sum(i.weight for i in items[a:b]) <= (LIMIT if a else first_limit) for a, b in c)]
    assert taken in others
    assert cost(items, taken, first_limit) == pytest.approx(min(cost(items, c, first_limit) for c in fitting))
