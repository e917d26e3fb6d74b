"""Which of several equal places to cite first, and why. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from query.matches import Place

_RANKS = {
    "body": 0,
    "list": 0,
    "table": 0,
    "code": 0,
    "heading": 1,
    "caption": 1,
    "footnote": 2,
    "aside": 2,
    "markup": 3,
    "hidden": 4,
}
_NAMES = ("running text", "a heading or caption", "a note", "markup", "hidden text")


def preferred_place(places: Sequence[Place]) -> tuple[int | None, str | None]:
    """(index, reason): the one place in running text where the others are headings, notes, markup or hidden; else the one
    that is a whole sentence where the others go on. (None, None) where nothing tells them apart."""
    if len(places) < 2:
        return None, None
    ranks = [_RANKS[place.role] for place in places]
    best = min(ranks)
    if ranks.count(best) == 1:
        others = " or ".join(dict.fromkeys(_NAMES[rank] for rank in sorted(ranks) if rank != best))
        return ranks.index(best), f"the only one in {_NAMES[best]}; the others are in {others}"
    whole = [index for index, place in enumerate(places) if ranks[index] == best and _is_whole(place)]
    if len(whole) == 1:
        return whole[0], "the only one that is a whole sentence"
    return None, None


def _is_whole(place: Place) -> bool:
    before, after = place.prefix.rstrip(), place.suffix.lstrip()
    begins = not before or before[-1] in ".!?:\u3002\u0964" or place.prefix.endswith("\n\n")
    ends = not after or place.quote.rstrip()[-1:] in ".!?\u3002\u0964" or place.suffix.startswith("\n\n")
    return begins and ends
