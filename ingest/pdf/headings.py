"""Which blocks are headings, and of what level. Pure functions.

With an outline, its entries are matched to the words on their pages. Without one, evidence is weighed over the whole document:
size, weight, numbering. Levels follow the numbering ("4.2" is one below "4") and the looks, larger first.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from ingest.pdf.blocks import TextBlock
from ingest.pdf.page import OutlineEntry

Levels = dict[int, int]
"""Index of a block -> level of the section it opens."""

_NUMBER = re.compile(
    r"^\s*(?:(?:chapter|section|part|article|annex|appendix|kapitel|abschnitt|teil|artikel|anhang)\s+)?"
    r"(?:§+\s*)?((?:\d{1,3}|[A-Z]|[IVXLC]{1,6})(?:\.\d{1,3}){0,5})[.):]?(?=\s+\S)",
    re.IGNORECASE,
)
_ENDS_LIKE_TEXT = re.compile(r"[.;,:]\s*$")
_LIST_STEP = re.compile(r"^\s*(?:\(?\d{1,3}[.)]|[•◦▪‣●○■□–—*·-])\s")
_CAPTION = re.compile(r"^\s*(?:figure|fig\.|table|tab\.|abbildung|abb\.|tabelle|listing|exhibit|scheme)\s*[A-Z]?\d", re.IGNORECASE)
_MOST_ROWS, _MOST_CHARACTERS = 3, 200


def squash(text: str) -> str:
    """Letters and digits alone, folded: how titles are compared."""
    return "".join(c for c in unicodedata.normalize("NFKC", text).casefold() if c.isalnum())


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
    at: dict[int, list[int]] = {}
    for i, block in enumerate(blocks):
        at.setdefault(block.page, []).append(i)
    cuts: dict[int, list[tuple[int, int, int]]] = {}  # block -> (first row, end row, level)
    for entry in entries:
        names = {squash(entry.title), squash(_NUMBER.sub("", entry.title))} - {""}
        near = [i for page in (entry.page, entry.page + 1, entry.page - 1) for i in at.get(page, ())]
        spots = [(i, *spot) for i in near for spot in _spots(blocks[i], names)]
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
            out.append(replace(block, rows=block.rows[start:]))
    return out, levels


def _spots(block: TextBlock, names: set[str]) -> list[tuple[int, int]]:
    """Runs of whole rows whose words are one of the names, with or without a number before."""
    if block.shape == "contents":
        return []
    longest = max(map(len, names), default=0)
    found = []
    for first in range(len(block.rows)):
        text = ""
        for end in range(first + 1, min(first + 5, len(block.rows)) + 1):
            text += " " + block.rows[end - 1].text
            whole = squash(text)
            if whole in names or squash(_NUMBER.sub("", text)) in names:
                found.append((first, end))
            if len(whole) > longest + 12:
                break
    return found


def _look(block: TextBlock, row: int) -> tuple[float, bool]:
    main = block.rows[row].main
    return round(main.size), main.bold


def find_headings(blocks: Sequence[TextBlock]) -> Levels:
    """Headings by their look and numbering, where there is no outline."""
    size = body_size(blocks)
    bold_body = sum(len(b.text) for b in blocks if b.bold) > 0.5 * sum(len(b.text) for b in blocks)
    found = [i for i, block in enumerate(blocks) if _is_heading(block, size, bold_body)]
    return _levels(blocks, found)


def _is_heading(block: TextBlock, size: float, bold_body: bool) -> bool:
    text = block.text.strip()
    if block.shape not in ("text", "item") or len(block.rows) > _MOST_ROWS or len(text) > _MOST_CHARACTERS:
        return False
    if not any(c.isalpha() for c in text) or is_caption(block) or block.mono:
        return False
    larger = block.size >= 1.12 * size
    heavier = block.bold and not bold_body and block.size >= 0.95 * size
    numbered = _NUMBER.match(text) is not None
    slanted = block.italic and numbered and len(block.rows) < _MOST_ROWS and block.size >= 0.95 * size
    if not (larger or heavier or slanted):
        return False
    if _ENDS_LIKE_TEXT.search(text) and not numbered:
        return False
    return larger or numbered or not _LIST_STEP.match(text)


def _levels(blocks: Sequence[TextBlock], found: Sequence[int]) -> Levels:
    """Levels by look, larger first; numbered ones by the depth of their number below the look of the undivided numbers."""
    looks = sorted({_style(blocks[i]) for i in found}, reverse=True)
    rank = {style: n for n, style in enumerate(looks, start=1)}
    depth = {i: number[1].count(".") + 1 for i in found if (number := _NUMBER.match(blocks[i].text))}
    top = min((rank[_style(blocks[i])] for i, d in depth.items() if d == 1), default=0)
    levels: Levels = {}
    for i in found:
        own = rank[_style(blocks[i])]
        levels[i] = max(own, top) + depth[i] - 1 if i in depth and top and depth[i] > 1 and own <= top else own
        if i in depth and top and own > top:
            levels[i] = top + depth[i] - 1 if depth[i] > 1 else own
    return levels


def _style(block: TextBlock) -> tuple[float, bool]:
    return round(block.size * 2) / 2, block.bold
