"""Rows to blocks: paragraphs, list items, tables, code, contents lines. Pure functions.

A block here is still made of lines; `assemble` turns it into canonical text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from msgspec import Struct

from ingest.pdf.layout import Row, ends_sentence, usual_leading
from ingest.pdf.numbering import depth_of
from ingest.pdf.tables import has_leaders, table_runs

Shape = Literal["text", "item", "table", "code", "contents"]

_ITEM = re.compile(
    r"\s*(?:(?:[•◦▪‣●○■□*·]|[-–—](?=\s))\s*\S"  # a bullet
    r"|(?:\(?\d{1,3}[.)]|\(?[a-z][.)]|\(?[ivx]{1,5}[.)]|\([A-Z]\))\s+\S)"  # a number or letter
)
_PAGE_NUMBER = re.compile(r"^\s*(?:\d{1,4}|[ivxlcdm]{1,6})\s*$")


class TextBlock(Struct, frozen=True):
    """Rows that belong together on one page; `size`, `bold` and `mono` are the look of most of their characters,
    `italic` of all."""

    rows: tuple[Row, ...]
    page: int
    shape: Shape
    size: float
    bold: bool
    italic: bool
    mono: bool

    @property
    def text(self) -> str:
        return " ".join(row.text for row in self.rows)

    @property
    def first(self) -> Row:
        return self.rows[0]

    @property
    def last(self) -> Row:
        return self.rows[-1]


def text_blocks(rows: Sequence[Row], page: int) -> list[TextBlock]:
    """The blocks of a page, in the order of its rows."""
    leading = usual_leading(rows)
    size = _usual_size(rows)
    edges = _right_edges(rows)
    groups: list[tuple[Shape, list[Row]]] = []
    tables = {i: start for start, end in table_runs(rows) for i in range(start, end)}
    for i, row in enumerate(rows):
        shape = "table" if i in tables else _shape(row, size)
        if shape == "table":
            if tables[i] == i:
                groups.append((shape, []))
            groups[-1][1].append(row)
        elif groups and _joins(groups[-1], shape, row, leading, edges.get(row.column, row.x1)):
            groups[-1][1].append(row)
        else:
            groups.append((shape, [row]))
    return [_made(group, shape, page) for shape, group in groups]


def _made(rows: Sequence[Row], shape: Shape, page: int) -> TextBlock:
    looks: dict[tuple[float, bool, bool], int] = {}  # (size, bold, mono) -> characters
    main = rows[0].main
    if len({(cell.size, cell.bold, cell.mono) for row in rows for cell in row.cells}) == 1:
        italic = all(row.italic for row in rows)
        return TextBlock(tuple(rows), page, shape, main.size, main.bold, italic, main.mono)
    for row in rows:
        for cell in row.cells:
            look = cell.size, cell.bold, cell.mono
            looks[look] = looks.get(look, 0) + len(row.text if len(row.cells) == 1 else cell.text.strip())
    sizes: dict[float, int] = {}
    for (size, _, _), weight in looks.items():
        sizes[size] = sizes.get(size, 0) + weight
    every = sum(looks.values())
    return TextBlock(
        rows=tuple(rows),
        page=page,
        shape=shape,
        size=max(sizes, key=lambda s: (sizes[s], s)),
        bold=sum(weight for (_, bold, _), weight in looks.items() if bold) * 5 > 4 * every,
        italic=all(row.italic for row in rows),
        mono=sum(weight for (_, _, mono), weight in looks.items() if mono) * 2 > every,
    )


def _usual_size(rows: Sequence[Row]) -> float:
    counts: dict[float, int] = {}
    for row in rows:
        counts[row.main.size] = counts.get(row.main.size, 0) + len(row.text)
    return max(counts, key=lambda size: (counts[size], -size), default=10.0)


def _shape(row: Row, size: float) -> Shape:
    text = row.text
    if has_leaders(text) or _leads_to_page(row):
        return "contents"
    if row.mono and row.main.size < 1.12 * size:
        return "code"
    return "item" if _ITEM.match(text) else "text"


def _leads_to_page(row: Row) -> bool:
    """Whether the row is a title with a page number at the far right."""
    if len(row.cells) < 2 or not _PAGE_NUMBER.match(row.cells[-1].text):
        return False
    gap = row.cells[-1].x0 - row.cells[-2].x1
    return gap > 2 * row.main.size and any(c.isalpha() for c in row.cells[-2].text)


def _joins(group: tuple[Shape, list[Row]], shape: Shape, row: Row, leading: float, right: float) -> bool:
    """Whether `row` goes on with the group."""
    kind, rows = group
    above = rows[-1]
    step = row.baseline - above.baseline
    usual = max(leading, 1.05 * above.main.size)
    if row.column != above.column or step <= 0 or shape in ("item", "contents") or kind in ("table", "contents"):
        return False
    if step > 1.35 * max(usual, row.main.size) or (kind == "code") != (shape == "code"):
        return False
    if not _same_look(above, row):
        return kind != "code" and step <= 1.15 * usual and _goes_on(rows, row, right, item=kind == "item")
    if kind == "item":  # under the text of the item, or flush with its marker after a full line
        return row.x0 > rows[0].x0 + 2 or (row.x0 > rows[0].x0 - 2 and not _short(above, right, row))
    if kind == "code" or (above.bold and row.bold):
        return True  # bold lines one below the other are one heading, hanging or centred
    return not _indented(rows, row, right)


def _same_look(above: Row, row: Row) -> bool:
    return above.bold == row.bold and above.italic == row.italic and _same_size(above, row)


def _same_size(above: Row, row: Row) -> bool:
    a, b = above.main.size, row.main.size
    return abs(a - b) <= 0.08 * max(a, b)


def _goes_on(rows: Sequence[Row], row: Row, right: float, *, item: bool) -> bool:
    """Whether a row in another style than the one above it goes on with its sentence: a heading, all bold, does not."""
    above = rows[-1]
    if not _same_size(above, row) or ends_sentence(above.text):
        return False
    if above.bold == row.bold:
        below = row.x0 > rows[0].x0 + 2 if item else -3 * row.main.size < row.x0 - above.x0 < 2
        return below and not _short(above, right, row) and not depth_of(row.text)
    return row.text[:1].islower() and not all(other.bold for other in rows)


def _short(above: Row, right: float, row: Row) -> bool:
    """Whether the line above ended before it had to: the next word would have fitted."""
    word = row.main.text.split(maxsplit=1)[0] if row.main.text.strip() else ""
    return above.x1 + (len(word) + 1) * 0.45 * row.main.size < right


def _indented(rows: Sequence[Row], row: Row, right: float) -> bool:
    """Whether the row begins a paragraph: set in, or after a line that ended a sentence early."""
    above = rows[-1]
    em = row.main.size
    set_in = row.x0 - above.x0 > 0.8 * em
    if set_in and len(rows) == 1:
        return _short(above, right, row) or ends_sentence(above.text)
    if set_in:
        return True
    return _short(above, right, row) and ends_sentence(above.text) and row.text[:1].isupper()


def _right_edges(rows: Sequence[Row]) -> dict[int, float]:
    """Where the lines of each column end that are full."""
    ends: dict[int, list[float]] = {}
    for row in rows:
        ends.setdefault(row.column, []).append(row.x1)
    return {column: sorted(xs)[int(0.9 * (len(xs) - 1))] for column, xs in ends.items()}
