"""From records to those they are linked with: breadth first, fewest hops, in the words of the links as they are travelled. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from index.entities import LinkRecord

MAX_HOPS = 2
MIN_WEIGHT = 0.3
"""Links that weigh less are told on hits, but not followed."""
MOST = 50
"""Records that are looked at, of each hop: the most strongly linked ones."""
MOST_WAYS = 5
"""Ways to one record that are told."""
HOP = " → "


@dataclass(frozen=True, slots=True, kw_only=True)
class Reached:
    """A record, `depth` links away from the nearest seed. `via`: the words of all ways of that length, parted by "; "."""

    entity_id: str
    depth: int
    via: str


def reach(
    seeds: Iterable[str],
    links_of: Callable[[str], Sequence[LinkRecord]],
    *,
    max_hops: int = MAX_HOPS,
    min_weight: float = MIN_WEIGHT,
    allowed: Callable[[str], bool] = lambda entity_id: True,
) -> list[Reached]:
    """What the seeds are linked with, nearest first, without the seeds. No way leads over a record that isn't allowed."""
    level: dict[str, tuple[str, ...]] = dict.fromkeys(sorted(set(seeds)), ("",))
    seen = set(level)
    reached: list[Reached] = []
    for depth in range(1, max_hops + 1):
        level = _next(level, seen, links_of, min_weight, allowed)
        seen |= level.keys()
        reached += [Reached(entity_id=i, depth=depth, via="; ".join(ways)) for i, ways in level.items()]
    return reached


def _next(
    level: dict[str, tuple[str, ...]],
    seen: set[str],
    links_of: Callable[[str], Sequence[LinkRecord]],
    min_weight: float,
    allowed: Callable[[str], bool],
) -> dict[str, tuple[str, ...]]:
    """The records one link further that weren't seen, the most strongly linked first, with the ways there."""
    ways: dict[str, dict[str, None]] = {}
    strongest: dict[str, float] = {}
    for entity_id, before in level.items():
        for link in sorted(links_of(entity_id), key=lambda link: (-link.weight, link.label, link.link_id)):
            other = link.other_end(entity_id)
            if link.weight < min_weight or other in seen or not allowed(other):
                continue
            strongest[other] = max(strongest.get(other, 0.0), link.weight)
            step = words(link, entity_id)
            ways.setdefault(other, {}).update(dict.fromkeys(f"{way}{HOP}{step}" if way else step for way in before))
    nearest = sorted(ways, key=lambda i: (-strongest[i], i))[:MOST]
    return {i: tuple(ways[i])[:MOST_WAYS] for i in nearest}


def words(link: LinkRecord, entity_id: str) -> str:
    """ "superseded by — renegotiated after the Q2 review", read from the end that is left."""
    label = link.words_from(entity_id)
    return f"{label} — {link.reason}" if link.reason else label
