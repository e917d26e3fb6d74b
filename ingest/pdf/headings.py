"""Which blocks are headings, and of what level. Pure functions.

With an outline, its entries are matched to the words on their pages. Without one, evidence is weighed over the whole document:
size, weight, numbering. Levels follow the numbering ("4.2" is one below "4") and the looks, larger first.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from msgspec.structs import replace

from ingest.pdf.blocks import TextBlock
from ingest.pdf.layout import Row
from ingest.pdf.numbering import depth_of, depths_of, without_number
from ingest.pdf.page import OutlineEntry

Levels = dict[int, int]
"""Index of a block -> level of the section it opens."""

_ENDS_LIKE_TEXT = re.compile(r"[.;,:]\s*$")
_LIST_STEP = re.compile(r"^\s*(?:\(?\d{1,3}[.)]|[•◦▪‣●○■□–—*·-])\s")
_CAPTION = re.compile(
    r"^\s*(?i:figure|fig\.|table|tab\.|abbildung|abb\.|tabelle|listing|exhibit|scheme)\s*[A-Z]?\d+(?:[.-]\d+)*"
    r"\s*(?:[.:–—|)]|-\s|(?=[^\W\d_a-zß-ÿ])|$)"
)
"""What follows the number of a caption is a stop or a capital; "Figure 1 shows" begins a sentence of the text."""
_SIGN = re.compile(r"[=<>±×÷∀-⋿→←↔⟨⟩]")
_WORD = re.compile(r"[^\W\d_]{3}")
_NOT_ALPHANUMERIC = bytes(code for code in range(128) if not chr(code).isalnum())
_MOST_ROWS, _MOST_CHARACTERS = 3, 200
_SMALL_CAPITALS = 0.75
"""The size of small capitals as a part of that of the text, at least."""


def squash(text: str) -> str:
    """Letters and digits alone, folded: how titles are compared."""
    if text.isascii():
        return text.lower().encode().translate(None, _NOT_ALPHANUMERIC).decode()
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", text).casefold()))


def body_size(blocks: Sequence[TextBlock]) -> float:
    """The type size of most of the text, in points."""
    counts: Counter[float] = Counter()
    for block in blocks:
        if block.shape in ("text", "item"):
            counts[block.size] += sum(len(row.text) for row in block.rows)
    return counts.most_common(1)[0][0] if counts else 10.0


def is_caption(block: TextBlock) -> bool:
    return bool(_CAPTION.match(block.text)) and len(block.rows) <= 12


def split_at_outline(blocks: Sequence[TextBlock], entries: Sequence[OutlineEntry]) -> tuple[list[TextBlock], Levels]:
    """The blocks, with rows that are an outline entry's words made blocks of their own; and the level of each of these.

    An entry counts only where its words stand, whole rows of them, on its page or the one beside it.
    """
    titles = [_squashed_rows(block) for block in blocks]
    begins = _beginnings(blocks, titles)
    cuts: dict[int, list[tuple[int, int, int]]] = {}  # block -> (first row, end row, level)
    for entry in entries:
        names = {*_squashed(entry.title)} - {""}
        near = [begins[page] for page in (entry.page, entry.page + 1, entry.page - 1) if page in begins]
        spots = [(i, *spot) for at in near for i, row in _candidates(at, names) for spot in _spots(titles[i], row, names)]
        free = [s for s in spots if not any(a < s[2] and s[1] < b for a, b, _ in cuts.get(s[0], ()))]
        if free:
            best = max(free, key=lambda s: (_look(blocks[s[0]], s[1]), -abs(blocks[s[0]].page - entry.page)))
            cuts.setdefault(best[0], []).append((best[1], best[2], entry.level))
    out: list[TextBlock] = []
    levels: Levels = {}
    for i, block in enumerate(blocks):
        start = 0
        for first, end, level in sorted(cuts.get(i, ())):
            if first > start:
                out.append(replace(block, rows=block.rows[start:first]))
            levels[len(out)] = level
            out.append(replace(block, rows=block.rows[first:end], shape="text"))
            start = end
        if start < len(block.rows):
            out.append(replace(block, rows=block.rows[start:]) if start else block)
    return out, levels


_Beginnings = dict[str, list[tuple[int, int]]]
"""The first squashed characters of a row -> (block, row), in order."""
_BEGINNING = 4


def _beginnings(blocks: Sequence[TextBlock], titles: Sequence[Sequence[tuple[str, str]]]) -> dict[int, _Beginnings]:
    """By page, where rows begin with which characters, a number before them or not."""
    pages: dict[int, _Beginnings] = {}
    for i, (block, rows) in enumerate(zip(blocks, titles, strict=True)):
        at = pages.setdefault(block.page, {})
        for row, (whole, bare) in enumerate(rows):
            if whole:
                at.setdefault(whole[:_BEGINNING], []).append((i, row))
            if bare is not whole:
                at.setdefault(bare[:_BEGINNING], []).append((i, row))
    return pages


def _candidates(at: _Beginnings, names: set[str]) -> list[tuple[int, int]]:
    """The (block, row) whose characters may be the first ones of a name."""
    keys = {name[:n] for name in names for n in range(1, _BEGINNING + 1)}
    return sorted({place for key in keys for place in at.get(key, ())})


def _squashed_rows(block: TextBlock) -> list[tuple[str, str]]:
    """Each row's words squashed, with and without a number before them; nothing of a contents line, which is no heading."""
    if block.shape == "contents":
        return []
    return [_squashed(row.text) for row in block.rows]


def _squashed(title: str) -> tuple[str, str]:
    whole, words = squash(title), without_number(title)
    return whole, squash(words) if words is not title else whole


def _spots(rows: Sequence[tuple[str, str]], first: int, names: set[str]) -> list[tuple[int, int]]:
    """Runs of whole rows from `first` on whose words are one of the names, with or without a number before."""
    whole, bare = rows[first]
    if not any(name.startswith((whole, bare)) for name in names):
        return []
    found = []
    for end in range(first + 1, min(first + 5, len(rows)) + 1):
        rest = "".join([row for row, _ in rows[first + 1 : end]])
        if whole + rest in names or bare + rest in names:
            found.append((first, end))
    return found


def _look(block: TextBlock, row: int) -> tuple[float, bool]:
    main = block.rows[row].main
    return round(main.size), main.bold


def find_headings(blocks: Sequence[TextBlock]) -> Levels:
    """Headings by their look, their place and their numbering, where there is no outline."""
    size = body_size(blocks)
    bold_body = sum(len(b.text) for b in blocks if b.bold) > 0.5 * sum(len(b.text) for b in blocks)
    margins = _margins(blocks)
    found = {i for i, block in enumerate(blocks) if _is_heading(block, size, bold_body) and _is_in_place(block, margins)}
    return _levels(blocks, sorted(found | _centred_capitals(blocks, size, margins)))


def _centred_capitals(blocks: Sequence[TextBlock], size: float, margins: _Margins) -> set[int]:
    """Centred lines all in (small) capitals, where several of them are numbered: so papers and briefs set their headings."""
    found = {
        i: block
        for i, block in enumerate(blocks)
        if block.shape in ("text", "item") and len(block.rows) <= _MOST_ROWS and block.size >= _SMALL_CAPITALS * size
        if block.text.isupper() and _WORD.search(block.text) and not is_caption(block)
        if _is_centred(block, margins) and not _is_full(block, margins)
    }
    looks = Counter(_style(block) for block in found.values() if depth_of(block.text))
    return {i for i, block in found.items() if looks[_style(block)] > 1}


def _is_heading(block: TextBlock, size: float, bold_body: bool) -> bool:
    text = block.text.strip()
    if block.shape not in ("text", "item") or len(block.rows) > _MOST_ROWS or len(text) > _MOST_CHARACTERS:
        return False
    if sum(c.isalnum() for c in text) < 2 or not any(c.isalpha() for c in text) or is_caption(block):
        return False
    if _is_formula(text) or any(_is_table_head(row) for row in block.rows):
        return False
    numbered = depth_of(text) > 0
    larger = block.size >= (1.12 if block.first.main.painted else 1.2) * size and (numbered or not block.mono)
    if not larger and not _stands_out(block, size, bold_body, numbered):
        return False
    if _ENDS_LIKE_TEXT.search(text) and not numbered:
        return False
    return larger or numbered or not _LIST_STEP.match(text)


def _is_formula(text: str) -> bool:
    """Whether it has signs of mathematics and no word."""
    return bool(_SIGN.search(text)) and not _WORD.search(text)


def _is_table_head(row: Row) -> bool:
    """Whether three or more words stand far apart, as the heads of columns do."""
    return len(row.cells) > 2 and all(b.x0 - a.x1 > 1.5 * row.main.size for a, b in pairwise(row.cells))


def _stands_out(block: TextBlock, size: float, bold_body: bool, numbered: bool) -> bool:
    """Whether type of the text's own size is set as headings are: all bold, numbered and italic, or after a bold "4.2"."""
    if block.size < 0.95 * size or len(block.rows) > _MOST_ROWS:
        return False
    heavier = block.bold and not bold_body and not block.mono
    slanted = block.italic and numbered
    marked = depth_of(block.text) > 1 and block.first.cells[0].bold and not bold_body
    return heavier or slanted or marked


_Margins = tuple[frozenset[int], dict[tuple[int, int], tuple[float, float]]]


def _margins(blocks: Sequence[TextBlock]) -> _Margins:
    """Where rows of the text begin (in steps of 3 points), and the extent of each column of each page."""
    starts: Counter[int] = Counter()
    extents: dict[tuple[int, int], tuple[float, float]] = {}
    for block in blocks:
        for row in block.rows:
            starts[round(row.x0 / 3)] += 1
            left, right = extents.get((block.page, row.column), (row.x0, row.x1))
            extents[block.page, row.column] = (min(left, row.x0), max(right, row.x1))
    total = sum(starts.values())
    return frozenset(x for x, n in starts.items() if n >= 0.02 * total), extents


def _is_in_place(block: TextBlock, margins: _Margins) -> bool:
    """Whether it begins where text begins, or is centred or flush right in its column: words inside a figure do neither."""
    starts, extents = margins
    if starts & {round(block.first.x0 / 3) + d for d in (-1, 0, 1)} or depth_of(block.text):
        return True
    _, right = extents[block.page, block.first.column]
    return _is_centred(block, margins) or right - block.first.x1 < 3


def _is_centred(block: TextBlock, margins: _Margins) -> bool:
    """Whether its first row stands in the middle of its column."""
    left, right = margins[1][block.page, block.first.column]
    return abs((block.first.x0 + block.first.x1) - (left + right)) < 0.08 * (right - left)


def _is_full(block: TextBlock, margins: _Margins) -> bool:
    """Whether its first row fills its column."""
    left, right = margins[1][block.page, block.first.column]
    return block.first.x1 - block.first.x0 > 0.85 * (right - left)


def _levels(blocks: Sequence[TextBlock], found: Sequence[int]) -> Levels:
    """Levels from the looks, larger first; where a look has numbers, from their depth.

    A numbered heading is as many levels below the undivided numbers as its number has dots. A look without numbers is one level
    below the larger ones; within a look with numbers, a heading without one stands with the least divided.
    """
    depths = dict(zip(found, depths_of([blocks[i].text for i in found]), strict=True))
    looks: dict[tuple[float, bool], int] = {}
    base, lowest = 0, 0
    for look in sorted({_style(blocks[i]) for i in found}, reverse=True):
        depth = min((d for i, d in depths.items() if d and _style(blocks[i]) == look), default=0)
        if depth and not base:
            base = max(1, lowest + 2 - depth)
        looks[look] = base + depth - 1 if depth else lowest + 1
        lowest = max(lowest, looks[look])
    return {i: base + depths[i] - 1 if depths[i] else looks[_style(blocks[i])] for i in found}


def _style(block: TextBlock) -> tuple[float, bool]:
    return round(block.size * 2) / 2, block.bold
