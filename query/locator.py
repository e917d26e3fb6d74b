"""Where a match is, in the unit that its format has: page, slide, sheet, line, time. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ingest.models import PAGED, Format, PageKind

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


def locator_of(
    format_: Format, pages: tuple[int, int] | None, times: tuple[float, float] | None, lines: tuple[int, int] | None
) -> Locator | None:
    """Pages (slides, sheets) where the format has them, else times, else lines, else none."""
    if pages:
        return Locator(kind=PAGED.get(format_, "page"), start=pages[0], end=pages[1])
    if times:
        return Locator(kind="time", start=times[0], end=times[1])
    return Locator(kind="line", start=lines[0], end=lines[1]) if lines else None


def page_kind(locator: Locator | None) -> PageKind:
    """What the pages of a place are called in its citation."""
    return locator.kind if locator and locator.kind in ("slide", "sheet") else "page"
