"""Builds the PDFs of the sample documents from `sources/*.txt`: `python build.py [OUTPUT FOLDER]`.

The same PyMuPDF gives the same bytes each time: dates are fixed, no random identifiers are written. README.md describes the markup.
"""

from __future__ import annotations

import random
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pymupdf

HERE = Path(__file__).parent
DATE = "D:20250616090000Z"
A4 = pymupdf.paper_rect("a4")
MM = 72 / 25.4
BLACK, GREY, RED = (0.0, 0.0, 0.0), (0.35, 0.35, 0.35), (0.7, 0.1, 0.1)
INLINE = re.compile(r"(\*\*.+?\*\*|\*.+?\*|\^[^^\s]+\^)")  # **bold**, *italic*, ^raised^
TIED = re.compile(r"(?<=\d) (?=(?:m|mm|m²|m³|m³/s|m/s|mm/s|kg|g|bar|Hz|kHz|kW|Nm|°C)(?:\W|$))")  # no line end before a unit
TIE = "\u00a0"
LABEL_KINDS = {"r": "i ii iii iv v vi vii viii".split()}


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
    "contract": Style(fonts=TIMES, heading=("tibo", "tibo"), size=11.5, leading=16.2, sizes=(26, 14, 11.5), margins=(31, 31, 31, 26)),
    "letter": Style(fonts=TIMES, heading=("tibo", "tibo"), size=11.5, leading=15.5, sizes=(17, 12.5, 11.5), ligatures=True),
    "paper": Style(fonts=TIMES, heading=("tibo", "tiit"), size=10, leading=12.8, sizes=(18, 11, 10), margins=(22, 27, 22, 31), indent=True, ligatures=True),
    "manual": Style(fonts=HELVETICA, size=9.5, leading=13, sizes=(26, 15, 11), margins=(32, 27, 24, 22), justify=False),
    "policy": Style(fonts=HELVETICA, size=10, leading=14, sizes=(18, 13, 10), margins=(25, 25, 30, 25), justify=False),
    "form": Style(fonts=("cour", "cobo", "coit"), heading=("hebo", "hebo"), size=10.5, leading=15, sizes=(17, 12, 11), justify=False),
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
    words = (HERE / "sources" / "hyphens.lst").read_text(encoding="utf-8").split()
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


class Heading(NamedTuple):
    level: int
    title: str
    page: int
    y: float


class Label(NamedTuple):
    start: int
    prefix: str
    kind: str
    first: int

    def of(self, page: int) -> str:
        n = self.first + page - self.start
        return self.prefix + (LABEL_KINDS["r"][n - 1] if self.kind == "r" else str(n))


@dataclass
class Typesetter:
    """Sets blocks of markup on pages. `contents` are the headings of an earlier run and their page labels, for the table of contents."""

    meta: dict[str, str]
    style: Style
    notes: dict[str, str]
    contents: list[tuple[Heading, str]] = field(default_factory=list)
    doc: pymupdf.Document = field(default_factory=pymupdf.open)
    headings: list[Heading] = field(default_factory=list)
    labels: list[Label] = field(default_factory=list)
    writers: list[dict[tuple[float, ...], pymupdf.TextWriter]] = field(default_factory=list)
    bare: set[int] = field(default_factory=set)  # pages without running head
    columns: int = 1
    after_heading: bool = True

    def __post_init__(self) -> None:
        self.new_page()

    # -- places ---------------------------------------------------------------------------------------------------------

    def new_page(self) -> None:
        self.page = self.doc.new_page(width=A4.width, height=A4.height)
        self.writers.append({})
        self.set_columns(self.columns, top=self.style.margins[1] * MM)

    def set_columns(self, n: int, top: float) -> None:
        left, _, right, bottom = (m * MM for m in self.style.margins)
        gap = 6.5 * MM
        each = (A4.width - left - right - gap * (n - 1)) / n
        self.columns = n
        self.frames = [pymupdf.Rect(left + i * (each + gap), top, left + i * (each + gap) + each, A4.height - bottom) for i in range(n)]
        self.start_frame()

    def start_frame(self) -> None:
        self.frame = self.frames.pop(0)
        self.y = self.frame.y0
        self.feet: list[list[Line]] = []

    def next_frame(self) -> None:
        self.set_feet()
        if self.frames:
            self.start_frame()
        else:
            self.new_page()

    @property
    def at_top(self) -> bool:
        return self.y <= self.frame.y0 + 0.01

    def feet_height(self, feet: list[list[Line]]) -> float:
        return sum(len(f) for f in feet) * (self.style.size - 1.2) * 1.2 + 10 if feet else 0.0

    def make_room(self, height: float, feet: list[list[Line]] | None = None) -> None:
        if self.y + height > self.frame.y1 - self.feet_height(self.feet + (feet or [])) and not self.at_top:
            self.next_frame()

    def skip(self, points: float) -> None:
        if not self.at_top:
            self.y += points

    # -- letters --------------------------------------------------------------------------------------------------------

    def shape(self, text: str) -> str:
        text = text.replace(TIE, " ")
        return text.replace("fi", "ﬁ").replace("fl", "ﬂ") if self.style.ligatures else text

    def words(self, text: str, fonts: tuple[str, str, str], size: float) -> list[Word]:
        regular, bold, italic = fonts
        words: list[list[Run]] = [[]]
        for piece in INLINE.split(text):
            run = Run(piece, regular, size)
            if piece.startswith("**"):
                run = Run(piece[2:-2], bold, size)
            elif piece.startswith("*") and piece.endswith("*") and len(piece) > 2:
                run = Run(piece[1:-1], italic, size)
            elif INLINE.fullmatch(piece):
                run = Run(piece[1:-1], regular, size * 0.66, size * 0.36)
            for n, part in enumerate(TIED.sub(TIE, run.text).split(" ")):
                if n:
                    words.append([])
                if part:
                    words[-1].append(run._replace(text=self.shape(part)))
        return [tuple(w) for w in words if w]

    def draw(self, words: list[Word], x: float, y: float, room: float | None = None, color: tuple[float, ...] = BLACK) -> None:
        """Words from `x` on the base line `y`, stretched to `room` where given."""
        writer = self.writers[self.page.number].setdefault(color, pymupdf.TextWriter(A4))
        spaces = [font(w[-1].font).text_length(" ", w[-1].size if not w[-1].rise else self.style.size) for w in words]
        extra = 0.0
        if room is not None and len(words) > 1:
            extra = min((room - sum(map(width, words)) - sum(spaces[:-1])) / (len(words) - 1), self.style.size * 0.7)
        for n, word in enumerate(words):
            for r in word:
                last = r is word[-1] and n < len(words) - 1
                writer.append((x, y - r.rise), r.text + (" " if last else ""), font=font(r.font), fontsize=r.size)
                x += width((r,))
            x += spaces[n] + extra

    def text_at(self, text: str, x: float, y: float, name: str, size: float, align: float = 0.0, color: tuple[float, ...] = BLACK) -> None:
        """One line; `align` is the share of its width that lies left of `x`."""
        words = self.words(text, (name, name, name), size)
        blank = font(name).text_length(" ", size)
        self.draw(words, x - align * (sum(map(width, words)) + blank * (len(words) - 1)), y, color=color)

    # -- blocks ---------------------------------------------------------------------------------------------------------

    def lines(self, text: str, left: float = 0.0, first: float = 0.0, fonts: tuple[str, str, str] | None = None, size: float = 0.0) -> list[Line]:
        words = self.words(text, fonts or self.style.fonts, size or self.style.size)
        return break_lines(words, lambda n: self.frame.width - left - (0 if n else first), self.shape, self.style.justify)

    def paragraph(self, text: str, left: float = 0.0, hang: str = "", space: float | None = None, fonts: tuple[str, str, str] | None = None) -> None:
        s = self.style
        first = s.size * 1.2 if s.indent and not hang and not self.after_heading else 0.0
        lines = self.lines(text, left, first, fonts)
        for n, line in enumerate(lines):
            marks = [m for w in line.words for r in w if r.rise > 0 for m in [r.text] if m in self.notes]
            feet = [self.foot(m) for m in marks]
            keep = 2 if n in (0, len(lines) - 2) and len(lines) > 1 else 1
            self.make_room(s.leading * keep, feet)
            self.feet += feet
            self.y += s.leading
            x = self.frame.x0 + left + (0 if n else first)
            base = self.y - s.leading * 0.25
            if hang and not n:
                self.draw(self.words(hang, s.fonts, s.size), self.frame.x0 + left - s.size * (1.9 if hang != "•" else 1.3), base)
            stretch = s.justify and line.stretch
            self.draw(line.words, x, base, self.frame.x1 - x if stretch else None)
        self.y += (0.0 if s.indent else s.leading * 0.5) if space is None else space
        self.after_heading = False

    def foot(self, mark: str) -> list[Line]:
        return self.lines(f"^{mark}^ {self.notes[mark]}", size=self.style.size - 1.2)

    def set_feet(self) -> None:
        """The footnotes of the frame, below a short rule."""
        if not self.feet:
            return
        size = self.style.size - 1.2
        y = self.frame.y1 - self.feet_height(self.feet) + 6
        self.page.draw_line((self.frame.x0, y), (self.frame.x0 + 60, y), width=0.4)
        y += 2
        for line in (line for foot in self.feet for line in foot):
            y += size * 1.2
            self.draw(line.words, self.frame.x0, y - 2, self.frame.width if line.stretch else None)
        self.feet = []

    def heading(self, level: int, title: str) -> None:
        s, size = self.style, self.style.sizes[level]
        name = s.heading[level - 1]
        self.skip(size * (1.3 if level == 1 else 0.9))
        self.make_room(size * 1.6 + s.leading * (4.5 if level == 1 else 2.5))
        if s is STYLES["manual"] and level == 1 and not self.at_top:
            self.page.draw_line((self.frame.x0, self.y), (self.frame.x1, self.y), width=0.8, color=GREY)
            self.y += 8
        self.headings.append(Heading(level, title, self.page.number, self.y))
        number, _, rest = title.partition(" ")
        tab = 0.0
        if number[:1].isdigit() and not s.indent:
            self.text_at(number, self.frame.x0, self.y + size, name, size)
            tab, title = max(30.0, font(name).text_length(number, size) + 10), rest
        lines = self.lines(title, tab, fonts=(name, name, name), size=size)
        for line in lines:
            self.draw(line.words, self.frame.x0 + tab, self.y + size)
            self.y += size * 1.2
        self.y += s.leading * 0.3
        self.after_heading = True

    def display(self, text: str, kind: str) -> None:
        """Centred or large lines outside the numbered text: @title, @subtitle, @center, @left."""
        s = self.style
        regular = s.fonts[0]
        name, size = {"title": (s.heading[0], s.sizes[0]), "subtitle": (regular, s.size * 1.3), "head": (s.heading[0], s.sizes[1])}.get(kind, (regular, s.size))
        centred = s.justify and kind != "left"
        for line in self.lines(text, fonts=(name, s.fonts[1], s.fonts[2]), size=size):
            self.make_room(size * 1.3)
            room = sum(map(width, line.words)) + font(name).text_length(" ", size) * (len(line.words) - 1)
            self.draw(line.words, self.frame.x0 + ((self.frame.width - room) / 2 if centred else 0), self.y + size)
            self.y += size * 1.3
        self.y += s.leading * 0.35

    def items(self, block: list[str]) -> None:
        for line in block:
            mark, _, text = line.partition(" ")
            deep = mark in {"(i)", "(ii)", "(iii)"}
            self.paragraph(text, self.style.size * (4.4 if deep else 2.3), "•" if mark == "-" else mark, self.style.leading * 0.2)
        self.y += self.style.leading * 0.3

    def table(self, block: list[str], shares: list[float], ruled: bool, head: bool) -> None:
        """Rows of cells; the head row comes again on each page."""
        size = self.style.size - 1
        lead = size * 1.32
        edges = [self.frame.x0]
        for share in shares:
            edges.append(edges[-1] + self.frame.width * share / sum(shares))
        rows = [[c.strip() for c in line.strip("|").split("|")] for line in block]

        def set_row(row: list[str], bold: bool) -> None:
            regular, strong, italic = self.style.fonts
            fonts = (strong, strong, italic) if bold else (regular, strong, italic)
            cells = [
                break_lines(self.words(c, fonts, size), lambda _, w=b - a - 8: w, self.shape, False)  # type: ignore[misc]
                for c, a, b in zip(row, edges, edges[1:], strict=False)
            ]
            height = max(map(len, cells)) * lead + 7
            if self.y + height > self.frame.y1:
                self.next_frame()
                if head and not bold:
                    set_row(rows[0], True)
            if bold and ruled:
                self.page.draw_rect(pymupdf.Rect(edges[0], self.y, edges[-1], self.y + height), fill=(0.9, 0.92, 0.94), color=None)
            for cell, x in zip(cells, edges, strict=False):
                for n, line in enumerate(cell):
                    self.draw(line.words, x + 4, self.y + lead * (n + 1) + 0.5)
            if ruled:
                for x in edges:
                    self.page.draw_line((x, self.y), (x, self.y + height), width=0.5)
                for y in (self.y, self.y + height):
                    self.page.draw_line((edges[0], y), (edges[-1], y), width=0.5)
            self.y += height

        self.skip(3)
        for n, row in enumerate(rows):
            set_row(row, head and n == 0)
        self.y += self.style.leading * 0.8

    def box(self, block: list[str]) -> None:
        """A framed warning: its first line is the title."""
        s = self.style
        title, *body = [line[2:] for line in block]
        lines = self.lines(" ".join(body), 24)
        height = (len(lines) + 1) * s.leading + 14
        self.make_room(height + 4)
        area = pymupdf.Rect(self.frame.x0, self.y + 2, self.frame.x1, self.y + 2 + height)
        self.page.draw_rect(area, color=RED, fill=(1, 0.96, 0.94), width=1)
        self.page.draw_rect(pymupdf.Rect(area.x0, area.y0, area.x0 + 5, area.y1), color=RED, fill=RED)
        y = area.y0 + 6 + s.leading * 0.75
        self.text_at(title, area.x0 + 14, y, s.fonts[1], s.size, color=RED)
        for line in lines:
            y += s.leading
            self.draw(line.words, area.x0 + 14, y)
        self.y = area.y1 + s.leading * 0.7

    def toc(self) -> None:
        regular, bold, _ = self.style.fonts
        size = 9.5
        for h, label in self.contents:
            name, left, tab = (bold, 0.0, 24.0) if h.level == 1 else (regular, 24.0, 30.0)
            self.y += 15 if h.level == 1 else 11.8
            x = self.frame.x0 + left
            number, _, rest = h.title.partition(" ")
            self.text_at(number, x, self.y, name, size)
            self.text_at(rest, x + tab, self.y, name, size)
            self.text_at(label, self.frame.x1, self.y, name, size, 1.0)
            free = self.frame.x1 - 26 - x - tab - font(name).text_length(rest, size)
            self.text_at("." * int(free / font(regular).text_length(".", 9)), self.frame.x1 - 20, self.y, regular, 9, 1.0, GREY)

    def signatures(self, block: list[str]) -> None:
        """Two signature blocks side by side: each line `left | right`."""
        self.make_room(len(block) * 24 + 20)
        for line in block:
            self.y += 24
            for text, x in zip(line.strip("|").split("|"), (self.frame.x0, self.frame.x0 + self.frame.width / 2 + 8), strict=True):
                self.text_at(text.strip(), x, self.y, self.style.fonts[0], self.style.size)
        self.y += 14

    def figure(self, caption: str) -> None:
        """A plot of measured depths over the gate discharge, and its caption."""
        s, w = self.style, self.frame.width
        self.skip(8)
        lines = self.lines(caption, size=s.size - 0.8)
        self.make_room(150 + len(lines) * s.leading)
        x0, y0, x1, y1 = self.frame.x0 + 30, self.y + 6, self.frame.x0 + w - 6, self.y + 118
        self.page.draw_line((x0, y0), (x0, y1), width=0.7)
        self.page.draw_line((x0, y1), (x1, y1), width=0.7)
        points = [(5, 0.31), (12, 0.52), (18, 0.74), (25, 1.12), (31, 1.38), (38, 1.83), (44, 2.1), (52, 2.41)]
        spots = [pymupdf.Point(x0 + q / 60 * (x1 - x0), y1 - d / 3 * (y1 - y0)) for q, d in points]
        self.page.draw_polyline(spots, width=0.8)
        for p in spots:
            self.page.draw_circle(p, 1.8, fill=BLACK, width=0.3)
        for q in range(0, 61, 20):
            self.text_at(str(q), x0 + q / 60 * (x1 - x0), y1 + 9, "helv", 6.5, 0.5)
        for d in range(4):
            self.text_at(str(d), x0 - 6, y1 - d / 3 * (y1 - y0) + 2, "helv", 6.5, 1.0)
        self.text_at("Sluice discharge (m³/s)", (x0 + x1) / 2, y1 + 19, "helv", 6.5, 0.5)
        self.text_at("Depth (m)", x0 + 4, y0 + 4, "helv", 6.5)
        self.y = y1 + 28
        for line in lines:
            self.draw(line.words, self.frame.x0, self.y + s.size * 0.8, w if line.stretch else None)
            self.y += s.leading
        self.y += s.leading * 0.7

    # -- the whole ------------------------------------------------------------------------------------------------------

    def label(self, page: int) -> str:
        found = [x for x in self.labels if x.start <= page]
        return found[-1].of(page) if found else str(page + 1)

    def directive(self, name: str, rest: str, block: list[str]) -> None:
        if name == "newpage":
            self.next_frame() if not self.frames else None
            while self.frames:
                self.next_frame()
        elif name == "columns":
            self.set_columns(int(rest), self.y)
        elif name == "space":
            self.y += float(rest)
        elif name == "label":
            prefix, kind, first = rest.split()
            self.labels.append(Label(self.page.number, prefix.strip("'"), kind, int(first)))
        elif name == "bare":
            self.bare.add(self.page.number)
        elif name == "rule":
            self.page.draw_line((self.frame.x0, self.y), (self.frame.x1, self.y), width=0.8)
            self.y += 8
        elif name == "contents":
            self.toc()
        elif name == "figure":
            self.figure(rest)
        elif name == "abstract":
            bold = self.style.fonts[1]
            self.paragraph(f"**Abstract.** {rest}", 30, fonts=(self.style.fonts[0], bold, self.style.fonts[2]), space=10)
        elif name == "signatures":
            self.signatures(block)
        elif name in {"table", "fields"}:
            self.table(block, [float(x) for x in rest.split()], name == "table", name == "table")
        else:
            self.display(rest, name)

    def set_block(self, block: list[str]) -> None:
        first = block[0]
        if first.startswith("@"):
            name, _, rest = first[1:].partition(" ")
            return self.directive(name, rest, block[1:])
        if m := re.match(r"(#+) (.+)", first):
            return self.heading(len(m[1]), m[2])
        if first.startswith("! "):
            return self.box(block)
        if re.match(r"(-|\d+\.|\(\w+\)|\[\d+\]) ", first):
            return self.items(block)
        return self.paragraph(" ".join(block))

    def running_heads(self) -> None:
        left, top, right, bottom = (m * MM for m in self.style.margins)
        name, size = self.style.fonts[0], 8.5
        x0, x1 = left, A4.width - right
        for self.page in self.doc:
            n = self.page.number
            heads = self.meta.get("head", "").split(" | ")
            if heads != [""] and n not in self.bare:
                if self.style.indent:  # a journal: the authors on even pages, the title on odd ones
                    self.text_at(heads[n % 2], (x0 + x1) / 2, top - 20, self.style.fonts[2], size, 0.5)
                else:
                    self.text_at(heads[0], x0, top - 26, name, size, color=GREY)
                    self.text_at(heads[1], x1, top - 26, name, size, 1.0, GREY)
                    self.page.draw_line((x0, top - 21), (x1, top - 21), width=0.4, color=GREY)
            feet = self.meta.get("foot", "").split(" | ")
            if feet != [""]:
                y = A4.height - bottom + 32
                label = "" if self.label(n) == "-" else self.label(n)
                self.text_at(feet[0], x0, y, name, size, color=GREY)
                self.text_at(feet[1].replace("{page}", label).replace("{pages}", str(len(self.doc))), x1, y, name, size, 1.0, GREY)

    def finish(self) -> bytes:
        self.set_feet()
        self.running_heads()
        for page, writers in zip(self.doc, self.writers, strict=True):
            for color, writer in writers.items():
                writer.write_text(page, color=color)
        if self.labels:
            self.doc.set_page_labels([{"startpage": x.start, "prefix": x.prefix, "style": x.kind, "firstpagenum": x.first} for x in self.labels])
        if self.meta.get("outline") == "yes":
            self.doc.set_toc([[h.level, h.title, h.page + 1, {"kind": 1, "to": pymupdf.Point(0, h.y)}] for h in self.headings])
        self.doc.subset_fonts()
        return save(self.doc, self.meta)


def save(doc: pymupdf.Document, meta: dict[str, str]) -> bytes:
    fields = {k: meta[k] for k in ("title", "author", "subject", "creator") if k in meta}
    doc.set_metadata({**fields, "producer": f"PyMuPDF {pymupdf.__version__}", "creationDate": DATE, "modDate": DATE})
    return doc.tobytes(garbage=4, deflate=True, deflate_fonts=True, use_objstms=1, no_new_id=True)


def scan(pdf: bytes) -> bytes:
    """The pages as a scanner gives them: a slightly turned grey picture with specks, and no text."""
    out = pymupdf.open()
    dice = random.Random(204)
    for page in pymupdf.open(stream=pdf):
        picture = page.get_pixmap(matrix=pymupdf.Matrix(1.6, 1.6).prerotate(0.8), colorspace=pymupdf.csGRAY)
        picture.gamma_with(0.8)
        for _ in range(900):
            x, y, shade = dice.randrange(picture.width), dice.randrange(picture.height), dice.randrange(90, 230)
            picture.set_pixel(x, y, (shade,))
        out.new_page(width=A4.width, height=A4.height).insert_image(A4, stream=picture.tobytes("jpg", jpg_quality=55), keep_proportion=False)
    return save(out, {"creator": "ScanStation 450"})


def read_source(path: Path) -> tuple[dict[str, str], list[list[str]], dict[str, str]]:
    """The head (name: value), the blocks of lines, and the footnotes by their mark."""
    head, _, body = path.read_text(encoding="utf-8").partition("\n---\n")
    meta = dict(line.split(": ", 1) for line in head.splitlines())
    blocks = [re.sub(r"\n +", " ", b).splitlines() for b in re.split(r"\n{2,}", body.strip("\n"))]
    notes = {m[1]: m[2] for b in blocks if (m := re.match(r"\^(\d+)\^ (.+)", " ".join(b)))}
    return meta, [b for b in blocks if not re.match(r"\^\d+\^ ", b[0])], notes


def typeset(path: Path) -> tuple[str, bytes]:
    """The name and the bytes of the PDF of one source."""
    meta, blocks, notes = read_source(path)
    contents: list[tuple[Heading, str]] = []
    for _ in range(2):  # the second run knows the pages for the table of contents
        setter = Typesetter(meta=meta, style=STYLES[meta["style"]], notes=notes, contents=contents)
        for block in blocks:
            setter.set_block(block)
        contents = [(h, setter.label(h.page)) for h in setter.headings]
    pdf = setter.finish()
    return meta["file"], scan(pdf) if meta.get("scan") == "yes" else pdf


def build(folder: Path) -> list[Path]:
    """Writes every PDF below `folder`; returns what was written."""
    written = []
    for source in sorted((HERE / "sources").glob("*.txt")):
        name, pdf = typeset(source)
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(pdf)
        written.append(target)
    return written


if __name__ == "__main__":
    for path in build(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE.parent):
        print(path, path.stat().st_size)
