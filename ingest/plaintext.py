"""Plain text -> `ParsedDocument`: paragraphs parted by blank lines, no headings, nothing silent but zero-width characters."""

from __future__ import annotations

import re

from ingest.models import Block, ParsedDocument, Span
from ingest.reading import zero_width

_LINE_END = re.compile(r"\r\n?|\n")
"""What ends a line in a text file; form feed, NEL and U+2028 don't."""


def parse_text(text: str, *, encoding: str | None) -> ParsedDocument:
    """The paragraphs of a text file. `text` is kept as it is."""
    return ParsedDocument(
        text=text,
        format="text",
        blocks=paragraphs(text, 0, len(text)),
        parser="plain text",
        encoding=encoding,
        silent=tuple(zero_width(text)),
    )


def paragraphs(text: str, start: int, end: int) -> tuple[Block, ...]:
    """Runs of lines without a blank one between, from the first to the last character that is no white space."""
    blocks = []
    first = last = -1  # of the open paragraph: its first and one past its last character
    at = start
    while at < end:
        m = _LINE_END.search(text, at, end)
        line_end, next_line = (m.start(), m.end()) if m else (end, end)
        line = text[at:line_end]
        core = line.strip()
        if core:
            indent = len(line) - len(line.lstrip())
            first = at + indent if first < 0 else first
            last = at + indent + len(core)
        elif first >= 0:
            blocks.append(Block(span=Span(first, last)))
            first = -1
        at = next_line
    if first >= 0:
        blocks.append(Block(span=Span(first, last)))
    return tuple(blocks)
