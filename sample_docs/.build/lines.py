"""Letters and lines: styles, hyphenation, and the breaking of paragraphs into lines."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pymupdf

HYPHENS = Path(__file__).parent / "sources" / "hyphens.lst"


@dataclass(frozen=True, kw_only=True)
class Style:
    """Fonts are PyMuPDF's names of (regular, bold, italic); sizes in points, margins (left, top, right, bottom) in millimetres."""

    fonts: tuple[str, str, str]
    heading: tuple[str, str] = ("hebo", "hebo")
    size: float = 10.5
    leading: float = 14.5
    sizes: tuple[float, float, float] = (20, 14, 11)  # title, first and second heading
    margins: tuple[float, float, float, float] = (28, 27, 28, 26)
    justify: bool = True
    indent: bool = False  # first lines indented, instead of space between paragraphs
    ligatures: bool = False


TIMES, HELVETICA = ("tiro", "tibo", "tiit"), ("helv", "hebo", "heit")
STYLES = {
    "contract": Style(
        fonts=TIMES, heading=("tibo", "tibo"), size=11.5, leading=16.2, sizes=(26, 14, 11.5), margins=(31, 31, 31, 26)
    ),
    "letter": Style(fonts=TIMES, heading=("tibo", "tibo"), size=11.5, leading=15.5, sizes=(17, 12.5, 11.5), ligatures=True),
    "paper": Style(
        fonts=TIMES,
        heading=("tibo", "tiit"),
        size=10,
        leading=12.8,
        sizes=(18, 11, 10),
        margins=(22, 27, 22, 31),
        indent=True,
        ligatures=True,
    ),
    "manual": Style(fonts=HELVETICA, size=9.5, leading=13, sizes=(26, 15, 11), margins=(32, 27, 24, 22), justify=False),
    "policy": Style(fonts=HELVETICA, size=10, leading=14, sizes=(18, 13, 10), margins=(25, 25, 30, 25), justify=False),
    "form": Style(
        fonts=("cour", "cobo", "coit"), heading=("hebo", "hebo"), size=10.5, leading=15, sizes=(17, 12, 11), justify=False
    ),
}


class Run(NamedTuple):
    """Letters in one font; `rise` lifts them above the base line."""

    text: str
    font: str
    size: float
    rise: float = 0.0


Word = tuple[Run, ...]


class Line(NamedTuple):
    words: list[Word]
    stretch: bool  # may be justified: not the last of its paragraph


@cache
def font(name: str) -> pymupdf.Font:
    return pymupdf.Font(name)


@cache
def hyphenation() -> dict[str, str]:
    words = HYPHENS.read_text(encoding="utf-8").split()
    return {w.lower().replace("-", ""): w for w in words}


def width(word: Word) -> float:
    return sum(font(r.font).text_length(r.text, r.size) for r in word)


def split_points(text: str) -> Iterator[tuple[str, str]]:
    """Ways to break a word over a line end, longest first part first; the first part ends with its hyphen."""
    core = re.search(r"[A-Za-z][A-Za-z-]*", text)
    if not core:
        return
    before, letters, after = text[: core.start()], core.group(), text[core.end() :]
    if "-" in letters:
        for m in reversed(list(re.finditer("-", letters))):
            if 1 < m.end() < len(letters) - 1:
                yield before + letters[: m.end()], letters[m.end() :] + after
        return
    parts = hyphenation().get(letters.lower(), letters).split("-")
    for n in range(len(parts) - 1, 0, -1):
        cut = len("".join(parts[:n]))
        if cut < 2 or len(letters) - cut < 3:
            continue
        yield before + letters[:cut] + "-", letters[cut:] + after


def break_word(word: Word, room: float, shape: Callable[[str], str]) -> tuple[Word, Word] | None:
    head, *rest = word
    for first, second in split_points(head.text.replace("ﬁ", "fi").replace("ﬂ", "fl")):
        piece = (head._replace(text=shape(first)),)
        if width(piece) <= room:
            return piece, (head._replace(text=shape(second)), *rest)
    return None


def break_lines(words: list[Word], room: Callable[[int], float], shape: Callable[[str], str], hyphens: bool) -> list[Line]:
    """Fills lines greedily; `room(n)` is the width of the n-th line."""
    lines: list[Line] = []
    current: list[Word] = []
    used = 0.0
    queue = list(reversed(words))
    while queue:
        word = queue.pop()
        gap = font(word[0].font).text_length(" ", word[0].size) if current else 0.0
        free = room(len(lines)) - used - gap
        if width(word) <= free or not current:
            current.append(word)
            used += gap + width(word)
            continue
        cut = break_word(word, free, shape) if hyphens and free > 18 else None
        if cut:
            current.append(cut[0])
            word = cut[1]
        lines.append(Line(current, True))
        current, used = [], 0.0
        queue.append(word)
    return [*lines, Line(current, False)] if current else lines
