"""From headings to sections.

A section is a run of blocks under one heading path. Each heading that opens a section begins a new one, even where its title
equals the one before; text after a scoped heading's end (one in a quote or list item) goes back to the path around it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ingest.models import Block


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """Blocks in order, all under `path` (titles, outermost first; () before the first heading).

    `opened` tells that the first block is the heading that opens the section and whose title ends the path.
    """

    path: tuple[str, ...]
    blocks: tuple[Block, ...]
    opened: bool = False


def sections(blocks: Sequence[Block]) -> tuple[Section, ...]:
    """The sections of a document, in order; every block is in one."""
    out: list[Section] = []
    run: list[Block] = []
    active: list[Block] = []
    path: tuple[str, ...] = ()
    opened = False
    for block in blocks:
        closed = [h for h in active if h.scope_end is not None and h.scope_end <= block.span.start]
        if (closed or block.level is not None) and run:
            out.append(Section(path=path, blocks=tuple(run), opened=opened))
            run, opened = [], False
        if closed:
            active = [h for h in active if h not in closed]
            path = _path(active)
        if block.level is not None:
            active = [*_not_superseded(active, block, block.level), block]
            path, opened = _path(active), True
        run.append(block)
    if run:
        out.append(Section(path=path, blocks=tuple(run), opened=opened))
    return tuple(out)


def _not_superseded(active: Sequence[Block], heading: Block, level: int) -> list[Block]:
    """The earlier headings that can still be a parent once `heading` stands: higher ones, and those that outlive it."""
    end = heading.scope_end
    return [h for h in active if (h.level or 0) < level or (end is not None and (h.scope_end is None or h.scope_end > end))]


def _path(active: Sequence[Block]) -> tuple[str, ...]:
    """From the last heading outwards: each parent is the nearest earlier heading of higher rank."""
    titles: list[str] = []
    rank: int | None = None
    for heading in reversed(active):
        if heading.level is not None and heading.title and (rank is None or heading.level < rank):
            titles.append(heading.title)
            rank = heading.level
    return tuple(reversed(titles))
