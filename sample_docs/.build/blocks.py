"""Blocks: headings, paragraphs, lists, tables, boxes and directives of the markup, set on pages."""

from __future__ import annotations

import re

import pymupdf
from lines import STYLES, break_lines, font, width
from pages import BLACK, GREY, RED, Heading, Label, Pages


class Typesetter(Pages):
    """Sets the blocks of a source on pages, one after the other, with `set_block`."""

    def paragraph(
        self, text: str, left: float = 0.0, hang: str = "", space: float | None = None, fonts: tuple[str, str, str] | None = None
    ) -> None:
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
        large = {"title": (s.heading[0], s.sizes[0]), "subtitle": (regular, s.size * 1.3), "head": (s.heading[0], s.sizes[1])}
        name, size = large.get(kind, (regular, s.size))
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
            self.y += 14.2 if h.level == 1 else 11.4
            x = self.frame.x0 + left
            number, _, rest = h.title.partition(" ") if h.title[0].isdigit() else ("", "", h.title)
            tab = tab if number else 0.0
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

    def directive(self, name: str, rest: str, block: list[str]) -> None:
        if name == "newpage":
            self.frames = []
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
