"""Pages: frames for text, letters at their places, footnotes, page labels, running heads and feet."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NamedTuple

import pymupdf
from lines import Line, Run, Style, Word, break_lines, font, width

A4 = pymupdf.paper_rect("a4")
MM = 72 / 25.4
BLACK, GREY, RED = (0.0, 0.0, 0.0), (0.35, 0.35, 0.35), (0.7, 0.1, 0.1)
INLINE = re.compile(r"(\*\*.+?\*\*|\*.+?\*|\^[^^\s]+\^)")  # **bold**, *italic*, ^raised^
TIED = re.compile(r"(?<=\d) (?=(?:m|mm|m²|m³|m³/s|m/s|mm/s|kg|g|bar|Hz|kHz|kW|Nm|°C)(?:\W|$))")  # no line end before a unit
TIE = "\u00a0"
ROMAN = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii")


class Heading(NamedTuple):
    level: int
    title: str
    page: int
    y: float


class Label(NamedTuple):
    """How pages are numbered from the 0-based page `start` on; `kind` is "D" (1, 2) or "r" (i, ii)."""

    start: int
    prefix: str
    kind: str
    first: int

    def of(self, page: int) -> str:
        n = self.first + page - self.start
        return self.prefix + (ROMAN[n - 1] if self.kind == "r" else str(n))

    def rule(self) -> dict[str, int | str]:
        return {"startpage": self.start, "prefix": self.prefix, "style": self.kind, "firstpagenum": self.first}


@dataclass
class Pages:
    """The pages of one document as they fill.

    `contents` are the headings of an earlier run and their page labels, for the table of contents.
    """

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

    def new_page(self) -> None:
        self.page = self.doc.new_page(width=A4.width, height=A4.height)
        self.writers.append({})
        self.set_columns(self.columns, top=self.style.margins[1] * MM)

    def set_columns(self, n: int, top: float) -> None:
        left, _, right, bottom = (m * MM for m in self.style.margins)
        gap = 6.5 * MM
        each = (A4.width - left - right - gap * (n - 1)) / n
        self.columns = n
        self.frames = [
            pymupdf.Rect(left + i * (each + gap), top, left + i * (each + gap) + each, A4.height - bottom) for i in range(n)
        ]
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

    def text_at(
        self, text: str, x: float, y: float, name: str, size: float, align: float = 0.0, color: tuple[float, ...] = BLACK
    ) -> None:
        """One line; `align` is the share of its width that lies left of `x`."""
        words = self.words(text, (name, name, name), size)
        blank = font(name).text_length(" ", size)
        self.draw(words, x - align * (sum(map(width, words)) + blank * (len(words) - 1)), y, color=color)

    def lines(
        self, text: str, left: float = 0.0, first: float = 0.0, fonts: tuple[str, str, str] | None = None, size: float = 0.0
    ) -> list[Line]:
        words = self.words(text, fonts or self.style.fonts, size or self.style.size)
        return break_lines(words, lambda n: self.frame.width - left - (0 if n else first), self.shape, self.style.justify)

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

    def label(self, page: int) -> str:
        found = [x for x in self.labels if x.start <= page]
        return found[-1].of(page) if found else str(page + 1)

    def running_heads(self) -> None:
        left, top, right, bottom = (m * MM for m in self.style.margins)
        name, size = self.style.fonts[0], 8.5
        x0, x1 = left, A4.width - right
        for page in self.doc:
            self.page = page
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
                self.text_at(feet[0], x0, y, name, size, color=GREY)
                self.text_at(
                    feet[1].replace("{page}", self.label(n)).replace("{pages}", str(len(self.doc))), x1, y, name, size, 1.0, GREY
                )

    def finish(self) -> None:
        """Writes the letters, heads, labels and outline that were gathered."""
        self.set_feet()
        self.running_heads()
        for page, writers in zip(self.doc, self.writers, strict=True):
            for color, writer in writers.items():
                writer.write_text(page, color=color)
        if self.labels:
            self.doc.set_page_labels([x.rule() for x in self.labels])
        if self.meta.get("outline") == "yes":
            to = {"kind": pymupdf.LINK_GOTO}
            self.doc.set_toc([[h.level, h.title, h.page + 1, {**to, "to": pymupdf.Point(0, h.y)}] for h in self.headings])
        self.doc.subset_fonts()
