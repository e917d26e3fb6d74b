"""Leaves -> blocks and silent ranges.

Every line that isn't blank becomes part of exactly one block: lines that markdown-it has no token for (lone quote marks, empty list
items) get blocks of their own or join the block they lead to.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from ingest.markdown.engine import Mark, Markdown
from ingest.markdown.html import holds_unread, html_headings, html_marks
from ingest.markdown.leaves import Container, Leaf, leaves
from ingest.markdown.lines import Aligned, Lines, align, aligned_at, aligned_pieces
from ingest.markdown.tables import cell_pieces, split_row
from ingest.models import Block, Role, SilentRange, Span
from ingest.reading import merge_silent, reading_text, silent_within, zero_width

_WORD = re.compile(r"\S+")
_CONTAINER_MARKS = re.compile(r"[>*+-]+")  # an ordered item's number is read
_RULE_MARKS = re.compile(r"[>*+_-]+")
_ONLY_MARKS = re.compile(r"(?:\s*(?:>|[-+*](?!\S)|\d{1,9}[.)](?!\S)))+\s*")
_ITEM_MARKS = re.compile(r"[-+*\d]")
_FOOTNOTE = re.compile(r"\[\^[^\]\s]+\]:")
_ADMONITION = re.compile(r"^\s*(?:!!!|\?\?\?\+?|:{3,})(?:\s|\{|\w|$)", re.MULTILINE)
_ATTRIBUTES = re.compile(r"\{[#.:][^{}]*\}")


class Builder:
    """Collects the blocks and silent ranges of one document, of which `text[start:]` is Markdown."""

    def __init__(self, text: str, start: int) -> None:
        self.blocks: list[Block] = []
        self.silent: list[SilentRange] = []
        self._text = text
        self._lines = Lines(text, start)
        self._markdown = Markdown(text[start:])
        self._spans: dict[int, Span] = {}  # of the paragraphs, by the index of the leaf
        self._open: tuple[Role, Container | None] | None = None  # indented text belongs to this footnote or admonition

    @property
    def targets(self) -> tuple[str, ...]:
        """Where links lead, as written."""
        return tuple(self._markdown.targets)

    def build(self) -> None:
        cursor = 0
        for index, leaf in enumerate(leaves(self._markdown.tokens)):
            first = self._strays(cursor, leaf)
            if leaf.kind == "paragraph":
                self._paragraph(index, leaf, first)
            elif leaf.kind == "indented" and self._open and self._open[1] is leaf.container:
                self._continuation(leaf, first, self._open[0])
            else:
                self._other(leaf, first)
                self._open = None
            cursor = leaf.last
        self._strays(cursor, None)

    def _other(self, leaf: Leaf, first: int) -> None:
        match leaf.kind:
            case "heading":
                self._heading(leaf, first)
            case "table":
                self._table(leaf, first)
            case "html":
                self._html(leaf, first)
            case "fence":
                self._fence(leaf, first)
            case "indented":
                self._silence(align(self._lines, leaf.first, leaf.last, leaf.token.content))
                self._emit(first, leaf.last, "code")
            case "rule":
                self._silence_lines(_RULE_MARKS, leaf.first, leaf.last)
                self._emit(first, leaf.last, "body")
            case _:
                self._emit(first, leaf.last, "markup")

    def _paragraph(self, index: int, leaf: Leaf, first: int) -> None:
        content = leaf.inlines[0].content
        self._silence(align(self._lines, leaf.first, leaf.last, content), self._markdown.marks(content))
        role: Role = "list" if leaf.container and leaf.container.kind == "item" else "body"
        context = (self._spans[leaf.lead],) if role == "list" and leaf.lead in self._spans else ()
        notes = self._footnotes(leaf, content)
        if not notes or notes[0] > leaf.first:
            self._emit(first, notes[0] if notes else leaf.last, role, context=context)
        for note, end in zip(notes, [*notes[1:], leaf.last], strict=False):
            self._emit(first if note == leaf.first else note, end, "footnote")
        if not notes and self.blocks:
            self._spans[index] = self.blocks[-1].span
        self._open = ("footnote", leaf.container) if notes else (role, leaf.container) if _ADMONITION.search(content) else None

    def _footnotes(self, leaf: Leaf, content: str) -> list[int]:
        """The lines at which footnote definitions begin in a paragraph."""
        rows = content.split("\n") if "[^" in content else []
        if len(rows) != leaf.last - leaf.first:
            return []
        return [leaf.first + n for n, row in enumerate(rows) if _FOOTNOTE.match(row.strip())]

    def _continuation(self, leaf: Leaf, first: int, role: Role) -> None:
        """Indented text below a footnote or admonition: no code, but paragraphs of it. `first` is where its block begins."""
        rows = leaf.token.content.removesuffix("\n").split("\n")
        begin = 0
        for n, row in enumerate([*rows, ""]):
            if row.strip():
                continue
            if n > begin:
                content = "\n".join(rows[begin:n])
                self._silence(align(self._lines, leaf.first + begin, leaf.first + n, content), self._markdown.marks(content))
                self._emit(first, leaf.first + n, role)
                first = leaf.first + n  # quote marks of blank lines lead to the next paragraph
            if n < len(rows):
                self._silence_lines(_CONTAINER_MARKS, leaf.first + n, leaf.first + n + 1)
            begin = n + 1

    def _heading(self, leaf: Leaf, first: int) -> None:
        content, level = leaf.inlines[0].content, int(leaf.token.tag[1:])
        marks = self._markdown.marks(content)
        attributes = content.rfind("{") if content.endswith("}") else -1
        if attributes >= 0 and _ATTRIBUTES.fullmatch(content, attributes):
            marks.append(Mark(attributes, len(content)))
        if leaf.token.markup in ("=", "-"):
            aligned = align(self._lines, leaf.first, leaf.last - 1, content)
            self._silence_lines(_WORD, leaf.last - 1, leaf.last)
        else:
            aligned = self._atx(leaf, content)
        self._silence(aligned, marks)
        if leaf.token.markup in ("=", "-") and _ADMONITION.match(content):
            self._emit(first, leaf.last, "body")
            return
        title = _read(content, (SilentRange(start=m.start, end=m.end, replacement=m.replacement) for m in marks))
        self._emit_heading(self._lines.start(first), self._lines.end(leaf.last - 1), level, title, leaf.container)

    def _atx(self, leaf: Leaf, content: str) -> Aligned:
        """Where the content of `# content #` stands; the hashes become silent."""
        start, end = self._lines.start(leaf.first), self._lines.end(leaf.first)
        hashes = self._text.index("#", start)
        after = hashes + len(leaf.token.markup)
        raw = self._text[after:end]
        begin = after + len(raw) - len(raw.lstrip())
        self.silent.append(SilentRange(start=hashes, end=after))
        self._silence_run(_WORD, begin + len(content), end)
        return aligned_at(begin, len(content), Span(start, hashes))

    def _table(self, leaf: Leaf, first: int) -> None:
        cells: dict[int, list[str]] = {}
        for token in leaf.inlines:
            cells.setdefault(token.map[0] if token.map else leaf.first, []).append(token.content)
        for line, contents in cells.items():
            self._row(leaf, line, contents)
        self._silence_lines(_WORD, leaf.first + 1, leaf.first + 2)
        head = self._trimmed(self._lines.start(first), self._lines.end(leaf.first))
        self._emit(first, leaf.last, "table", context=(head,) if head else ())

    def _row(self, leaf: Leaf, line: int, contents: list[str]) -> None:
        start, raw = self._lines.start(line), self._lines.slice(line)
        prefix = leaf.container.prefix_length(raw, line) if leaf.container else 0
        row = split_row(raw, prefix)
        for cell, content in zip(row.cells, contents, strict=False):
            pieces = [(at, start + source, length) for at, source, length in cell_pieces(raw, cell)]
            if "".join(self._text[s : s + n] for _, s, n in pieces).replace("\0", "\ufffd") != content.strip():
                return  # split otherwise than markdown-it does: better to read too much
            self._silence(aligned_pieces(pieces), self._markdown.marks(content))
            self.silent += [SilentRange(start=s - 1, end=s) for at, s, _ in pieces if self._text.startswith("|", s)]
        self._silence_run(_CONTAINER_MARKS, start, start + prefix)
        self.silent += [SilentRange(start=start + p, end=start + p + 1, replacement="\t") for p in row.pipes]

    def _fence(self, leaf: Leaf, first: int) -> None:
        token, last = leaf.token, leaf.last
        fence = (token.markup + token.info).rstrip()
        opening = self._lines.slice(leaf.first).rstrip().replace("\0", "\ufffd")
        if opening.endswith(fence):
            end = self._lines.start(leaf.first) + len(opening)
            self._silence_run(_CONTAINER_MARKS, self._lines.start(leaf.first), end - len(fence))
            self.silent.append(SilentRange(start=end - len(fence), end=end))
        rows = token.content.count("\n") + (not token.content.endswith("\n") and token.content != "")
        if rows == last - leaf.first - 2 and self._lines.slice(last - 1).rstrip().endswith(token.markup):
            last -= 1
            self._silence_lines(_WORD, last, last + 1)
        if last > leaf.first + 1:
            self._silence(align(self._lines, leaf.first + 1, last, token.content))
        self._emit(first, leaf.last, "code")

    def _html(self, leaf: Leaf, first: int) -> None:
        content = leaf.token.content
        aligned = align(self._lines, leaf.first, leaf.last, content)
        if not aligned:
            self._emit(first, leaf.last, "body")
            return
        marks = html_marks(content)
        silent = merge_silent(
            [*(SilentRange(start=m.start, end=m.end, replacement=m.replacement) for m in marks), *zero_width(content)]
        )
        self._silence(aligned, (Mark(*m) for m in marks))
        at, end = self._lines.start(first), self._lines.end(leaf.last - 1)
        headings = html_headings(content, marks)
        for heading in headings:
            span = aligned.span(heading.start, heading.end)
            if span is None:
                continue
            start = self._lines.start(self._lines.line_of(span.start)) if aligned.begins_row(heading.start) else span.start
            inner = Span(heading.start, heading.end)
            title = reading_text(inner.slice(content), silent_within(silent, inner)).text
            self._emit_span(at, max(at, start), "body")
            self._emit_heading(max(at, start), span.end, heading.level, title, leaf.container)
            at = span.end
        unread = not headings and holds_unread(content) and not reading_text(content, silent).text
        self._emit_span(at, end, "markup" if unread else "body")

    def _strays(self, cursor: int, leaf: Leaf | None) -> int:
        """Blocks for the lines from `cursor` to the leaf that no token stands for. Returns where the leaf's own block begins."""
        end = first = leaf.first if leaf else len(self._lines)
        while first > cursor and leaf and leaf.kind != "heading" and self._leads_to(first - 1, leaf):
            first -= 1
        self._silence_lines(_CONTAINER_MARKS, first, end)
        begin = cursor
        for n in range(cursor, first + 1):
            if n < first and not self._lines.is_blank(n):
                continue
            if n > begin:
                self._stray(begin, n)
            begin = n + 1
        return first

    def _leads_to(self, line: int, leaf: Leaf) -> bool:
        """Whether the line holds nothing but marks of quotes and items that the leaf stands in."""
        inside = leaf.container is not None and any(c.first <= line < c.last for c in leaf.container.chain())
        return inside and _ONLY_MARKS.fullmatch(self._lines.slice(line)) is not None

    def _stray(self, first: int, last: int) -> None:
        text = self._text[self._lines.start(first) : self._lines.end(last - 1)]
        if _ONLY_MARKS.fullmatch(text):
            self._silence_lines(_CONTAINER_MARKS, first, last)
        self._emit(first, last, "list" if _ITEM_MARKS.search(text) else "body")

    def _silence(self, aligned: Aligned | None, marks: Iterable[Mark] = ()) -> None:
        if aligned is None:
            return
        for prefix in aligned.prefixes:
            self._silence_run(_CONTAINER_MARKS, prefix.start, prefix.end)
        for mark in marks:
            span = aligned.span(mark.start, mark.end)
            if span:
                self.silent.append(SilentRange(start=span.start, end=span.end, replacement=mark.replacement))

    def _silence_lines(self, pattern: re.Pattern[str], first: int, last: int) -> None:
        for n in range(first, last):
            self._silence_run(pattern, self._lines.start(n), self._lines.end(n))

    def _silence_run(self, pattern: re.Pattern[str], start: int, end: int) -> None:
        self.silent += [SilentRange(start=m.start(), end=m.end()) for m in pattern.finditer(self._text, start, end)]

    def _emit(self, first: int, last: int, role: Role, *, context: tuple[Span, ...] = ()) -> None:
        self._emit_span(self._lines.start(first), self._lines.end(last - 1), role, context=context)

    def _emit_span(self, start: int, end: int, role: Role, *, context: tuple[Span, ...] = ()) -> None:
        span = self._trimmed(start, end)
        if span:
            self.blocks.append(Block(span=span, role=role, context=context))

    def _emit_heading(self, start: int, end: int, level: int, title: str, container: Container | None) -> None:
        span = self._trimmed(start, end)
        if span and title:
            self.blocks.append(Block(span=span, role="heading", level=level, title=title, scope_end=self._scope_end(container)))
        elif span:
            self.blocks.append(Block(span=span, role="heading"))

    def _scope_end(self, container: Container | None) -> int | None:
        """Behind the last character of the quote or item."""
        if container is None:
            return None
        last = min(container.last, len(self._lines)) - 1
        while last > container.first and self._lines.is_blank(last):
            last -= 1
        return self._lines.start(last) + len(self._lines.slice(last).rstrip())

    def _trimmed(self, start: int, end: int) -> Span | None:
        text = self._text[start:end]
        core = text.strip()
        start += len(text) - len(text.lstrip())
        return Span(start, start + len(core)) if core else None


def _read(content: str, silent: Iterable[SilentRange]) -> str:
    return reading_text(content, merge_silent([*silent, *zero_width(content)])).text
