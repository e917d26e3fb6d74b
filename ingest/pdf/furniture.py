"""Running heads, footers and page numbers: told by repetition over the pages. Pure functions.

A row at the outer edge of a page is furniture where (1) it is nothing but a page number, or (2) the same words, digits aside, stand
there on several pages, or (3) most pages have a row apart from the text at exactly that height (chapter titles that change), or
(4), where there are too few pages to compare, it lies at the very edge, far from the text, and is set no larger than that, or is a
head with the page's number at its end.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice, pairwise

from ingest.pdf.layout import Row
from ingest.pdf.page import Line

_EDGE, _DEEP_EDGE = 3, 6
"""How many rows from the top and from the bottom may be furniture; and if most pages have their words (a letterhead)."""
_BAND, _DEEP_BAND = 0.14, 0.2
"""Which part of the page's height counts as its edge; and as its foot, if only the page's number stands there."""
_LINE_NUMBER = re.compile(r"^\s*\d{1,3}\s*$")
_LEAST_NUMBERED = 6
_FEW_PAGES = 3
_ENOUGH = 12
"""Rows of each page that tell how far apart rows stand."""
_APART, _FAR = 1.5, 2.5
"""How many times its size a row is away from the text if it stands apart; and to be furniture by its look alone."""
_NOTE = re.compile(r"^\s*(?:\d{1,3}|[*†‡§¶⁰¹²³⁴⁵⁶⁷⁸⁹]+)\s*\S")
_DIGITS = re.compile(r"\d+")
_ROMAN = re.compile(r"\b[ivxlcdm]+\b", re.IGNORECASE)
PAGE_NUMBER = re.compile(
    r"^\W*(?:(?:page|seite|p\.|стр\.|página|pagina)\s*)?(?:\d{1,4}|[ivxlcdm]{1,7}|[A-Z]-?\d{1,3})"
    r"(?:\s*(?:of|/|von|de|sur|из)\s*\d{1,4})?\W*$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Compared:
    """What the pages have in common; a page that is there twice counts once.

    `number`: of pages; `words` and `looks`: how many have them at an edge; `size`: of most type, in points; `apart`: how far what
    changes from page to page stands from the text, farther than the text's own lines, in sizes of its type.
    """

    number: int
    words: Counter[tuple[str, str, float]]
    looks: Counter[tuple[str, int, str, float]]
    size: float
    apart: float

    def repeated(self, rows: Sequence[Row], i: int, where: str) -> bool:
        """Whether several pages have the row's words there; most pages, where it lies deep."""
        least: float = 2 if self.number < 4 else 3
        if _is_deep(rows, i):
            least = max(4, 0.5 * self.number) if len(rows[i].cells) == 1 else self.number + 1
        return self.number > 1 and self.words[where, _masked(rows[i].text), rows[i].main.size] >= least

    def in_place(self, rows: Sequence[Row], i: int, where: str) -> bool:
        """Whether most pages have a row just there, in the same type."""
        row = rows[i]
        _, place, font, own = _look(row, where)
        there = sum(self.looks[where, place + d, font, own] for d in (-1, 0, 1))
        least = max(2 if row.main.size < 0.95 * self.size else 4, 0.5 * self.number)
        return there >= least and row.main.size <= 1.02 * self.size and _gap(rows, i, where) > self.apart


def furniture(pages: Sequence[tuple[Sequence[Row], float]]) -> list[dict[int, str]]:
    """For each page: index of a furniture row -> "header", "footer" or "page number".

    A page is given as (its rows from top to bottom, its height in the reading frame).
    """
    edges = [_edge_rows(rows, height) for rows, height in pages]
    compared = _compared([rows for rows, _ in pages], edges)
    few = compared.number < _FEW_PAGES
    found = []
    for (rows, height), edge in zip(pages, edges, strict=True):
        at_edge = {i for i, where in edge.items() if few and _at_edge(rows, i, where, height, compared)}
        found.append(_on_page(rows, edge, compared, at_edge))
    if all(len(here) == len(rows) for here, (rows, _) in zip(found, pages, strict=True)):
        return [{} for _ in pages]  # nothing would be left: these rows are the text
    return found


def _compared(pages: Sequence[Sequence[Row]], edges: Sequence[dict[int, str]]) -> _Compared:
    different = {tuple(row.text for row in rows): (rows, edge) for rows, edge in zip(pages, edges, strict=True) if rows}
    apart = max(_APART, 1.15 * _usual_step(pages))
    words: Counter[tuple[str, str, float]] = Counter()
    looks: Counter[tuple[str, int, str, float]] = Counter()
    for rows, edge in different.values():
        words.update({(where, _masked(rows[i].text), rows[i].main.size) for i, where in edge.items()})
        looks.update({_look(rows[i], where) for i, where in edge.items() if _gap(rows, i, where) > apart})
    return _Compared(len(different), words, looks, _usual_size(pages), apart)


def line_numbers(rows: Sequence[Row]) -> list[Line]:
    """The numbers that count the lines of a page, as in pleadings and statutes: they stand in one column left of the text, by ones
    or by fives. Empty where there are fewer than `_LEAST_NUMBERED`."""
    first = [row.cells[0] for row in rows if _LINE_NUMBER.match(row.cells[0].text)]
    if len(first) < _LEAST_NUMBERED:
        return []
    edge, _ = Counter(round(cell.x1) for cell in first).most_common(1)[0]
    numbers = [cell for cell in first if abs(cell.x1 - edge) <= 2]
    text = [cell.x0 for row in rows for cell in row.cells if not _LINE_NUMBER.match(cell.text)]
    values = [int(cell.text) for cell in numbers]
    steps = {b - a for a, b in pairwise(values)}
    apart = bool(text) and sum(x0 > edge for x0 in text) > 0.9 * len(text)
    return numbers if len(numbers) >= _LEAST_NUMBERED and steps in ({1}, {5}) and apart else []


def _on_page(rows: Sequence[Row], edge: dict[int, str], compared: _Compared, at_edge: set[int]) -> dict[int, str]:
    """The furniture of one page: from each edge inward, as far as rows are furniture and the last of them is set apart."""
    found: dict[int, str] = {}
    for where in ("header", "footer"):
        run: list[int] = []
        kept = 0
        for i in (i for i, at in edge.items() if at == where):  # outermost first
            numbered = bool(PAGE_NUMBER.match(rows[i].text))
            apart = _apart(rows, i, where)
            alone = not _is_deep(rows, i) and (i in at_edge or (apart and numbered) or compared.in_place(rows, i, where))
            if not (alone or compared.repeated(rows, i, where)):
                break
            run.append(i)
            if apart or _looks_other(rows, i, where):
                kept = len(run)
        found |= {i: "page number" if PAGE_NUMBER.match(rows[i].text) else where for i in run[:kept]}
    return found


def _edge_rows(rows: Sequence[Row], height: float) -> dict[int, str]:
    """Rows near the top ("header") and the bottom ("footer"), outermost first."""
    order = range(len(rows))
    top = {i: "header" for i in order[:_DEEP_EDGE] if rows[i].y1 < _BAND * height}
    bottom = {i: "footer" for i in reversed(order[-_DEEP_EDGE:]) if rows[i].y0 > (1 - _BAND) * height and i not in top}
    last = len(rows) - 1
    if rows and last not in top and _is_last_number(rows, height):
        bottom = {last: "footer"} | bottom
    return top | bottom


def _is_deep(rows: Sequence[Row], i: int) -> bool:
    """Whether a row lies further in than furniture does that only one page has."""
    return _EDGE <= i < len(rows) - _EDGE


def _is_last_number(rows: Sequence[Row], height: float) -> bool:
    """Whether the last row of a page with a deep foot is its number, far below the text."""
    row = rows[-1]
    numbered = bool(PAGE_NUMBER.match(row.text)) and any(map(str.isdigit, row.text))
    return numbered and row.y0 > (1 - _DEEP_BAND) * height and _gap(rows, len(rows) - 1, "footer") >= _FAR


def _apart(rows: Sequence[Row], i: int, where: str) -> bool:
    """Whether the row stands apart from the text: the next row inward is farther away than lines of text are."""
    return _gap(rows, i, where) > _APART


def _gap(rows: Sequence[Row], i: int, where: str) -> float:
    """The distance to the next row inward, in sizes of the row's type."""
    row, step = rows[i], 1 if where == "header" else -1
    while 0 <= (i := i + step) < len(rows):
        distance = abs(rows[i].baseline - row.baseline)
        if distance > 0.5 * row.main.size:
            return distance / row.main.size
    return 1e9


def _at_edge(rows: Sequence[Row], i: int, where: str, height: float, compared: _Compared) -> bool:
    """Whether a row is furniture by its place and look alone: no title, no note of the text."""
    row, size = rows[i], compared.size
    depth = (row.y1 if where == "header" else height - row.y0) / height
    gap = _gap(rows, i, where)
    largest = 1.05 if where == "header" else 1.3  # a title stands at the top; at the foot nothing does that is larger than the text
    if row.main.size > largest * size or (where == "footer" and _NOTE.match(row.text) and not PAGE_NUMBER.match(row.text)):
        return False
    spread = len(row.cells) > 1 and row.cells[-1].x0 - row.cells[0].x1 > 0.3 * (row.x1 - row.x0)
    if gap >= max(_FAR, compared.apart) and (depth < 0.5 * _BAND or (depth < _BAND and row.main.size < 0.95 * size)):
        return True
    if not spread or depth >= _BAND or gap < _APART:
        return False
    if where == "footer":
        return i == 0 or len(rows[i - 1].cells) == 1  # no row of a table
    return _has_number(row) and not (i + 1 < len(rows) and _has_number(rows[i + 1]))


def _has_number(row: Row) -> bool:
    """Whether a figure stands at one end of the row."""
    return any(cell.text.strip().isdigit() for cell in (row.cells[0], row.cells[-1]))


def _looks_other(rows: Sequence[Row], i: int, where: str) -> bool:
    """Whether the next row inward has another type or size."""
    inward = i + 1 if where == "header" else i - 1
    if not 0 <= inward < len(rows):
        return True
    a, b = rows[i].main, rows[inward].main
    return a.font != b.font or abs(a.size - b.size) > 0.5


def _look(row: Row, where: str) -> tuple[str, int, str, float]:
    """Where a row stands (in steps of 2 points) and in which type."""
    return where, round(row.baseline / 2), row.main.font, row.main.size


def _usual_size(pages: Sequence[Sequence[Row]]) -> float:
    counts: Counter[float] = Counter()
    for rows in pages:
        for row in rows:
            counts[row.main.size] += len(row.main.text)
    return counts.most_common(1)[0][0] if counts else 10.0


def _usual_step(pages: Sequence[Sequence[Row]]) -> float:
    """How far apart rows of one look mostly stand, in sizes of their type; 0 where there are none."""
    steps: Counter[float] = Counter()
    for rows in pages:
        for above, below in islice(pairwise(rows), _ENOUGH):
            if above.main.size == below.main.size and 0.5 * below.main.size < below.baseline - above.baseline < 8 * below.main.size:
                steps[round((below.baseline - above.baseline) / below.main.size, 1)] += 1
    return max(steps, key=lambda step: (steps[step], -step), default=0.0)


def _masked(text: str) -> str:
    return _ROMAN.sub("#", _DIGITS.sub("#", " ".join(text.split()).casefold()))
