"""Where a match is, in the unit that its format has. Standard library only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

LocatorKind = Literal["page", "slide", "sheet", "line", "time"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Locator:
    """Where the match is, in the unit that its format has; both ends included. Pages, slides, sheets and lines count from 1; times
    are seconds from the beginning, to a thousandth."""

    kind: LocatorKind
    start: float
    end: float


def times_in(locator: Locator | None) -> tuple[float, float] | None:
    """The times of a place in a source that has a time line, in seconds."""
    return (locator.start, locator.end) if locator and locator.kind == "time" else None
