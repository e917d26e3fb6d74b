"""What the readers of office formats hand to `assemble`: the document's pieces, in reading order. Standard library only."""

from __future__ import annotations

from dataclasses import dataclass, field

from ingest.models import Notice, Role

Rows = tuple[tuple[str, ...], ...]
"""The cells of a table, row by row; an empty cell is ""."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Element:
    """A block as unstructured sees it: its `category` ("Title", "ListItem", "Table" …), and `rows` of a table.

    `number` is what unstructured calls the page number: a slide's, or the number that was written on an HTML block.
    """

    category: str
    text: str
    number: int | None = None
    rows: Rows = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A block of the canonical text to be: `text`, or `rows` of a table.

    `level` is a heading's rank, 1 the highest. `page` is the 1-based slide or sheet. A heading holds for pieces of its `scope`
    alone, where it has one. `head`: the first row names the columns.
    """

    text: str = ""
    rows: Rows = ()
    role: Role = "body"
    level: int | None = None
    page: int | None = None
    scope: int | None = None
    head: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Omission:
    """Text of the file that was left out of the canonical text, and why ("navigation", "page header" …)."""

    text: str
    reason: str
    page: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """All that a reader found in a file. `parser` names the engines and their versions. `labels` are the names of pages (sheets),
    None for one without; empty for formats without pages."""

    pieces: tuple[Piece, ...]
    parser: str
    title: str | None = None
    properties: tuple[tuple[str, str], ...] = ()
    encoding: str | None = None
    omissions: tuple[Omission, ...] = ()
    labels: tuple[str | None, ...] = ()
    notices: tuple[Notice, ...] = ()
    cautions: tuple[str, ...] = field(default=())


def table_has_head(rows: Rows) -> bool:
    """Whether the first row is taken to name the columns: there must be others to name, and nothing in it unnamed."""
    return len(rows) > 2 and len(rows[0]) > 1 and all(cell.strip() for cell in rows[0])
