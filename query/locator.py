"""Where a match is, in the unit that its format has: page, slide, sheet, line, time. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ingest.models import PAGED, Format, PageKind

LocatorKind = Literal["page", "slide", "sheet", "line", "time"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Locator:
    """Where the match is, in the unit that its format has; both ends included, 1-based (times in seconds)."""

    kind: LocatorKind
    start: float
    end: float


def locator_of(format_: Format, pages: tuple[int, int] | None, lines: tuple[int, int] | None) -> Locator | None:
    """Pages (slides, sheets) where the format has them, else lines, else none."""
    if pages:
        return Locator(kind=PAGED.get(format_, "page"), start=pages[0], end=pages[1])
    return Locator(kind="line", start=lines[0], end=lines[1]) if lines else None


def page_kind(locator: Locator | None) -> PageKind:
    """What the pages of a place are called in its citation."""
    return locator.kind if locator and locator.kind in ("slide", "sheet") else "page"
