"""Source code -> `ParsedDocument`: blocks of code whose units are lines. No language is parsed.

A block is a run of lines without a blank one; a run that begins indented, or with a closing bracket, belongs to the definition
before it, as long as the two are short enough to be read together.
"""

from __future__ import annotations

import re

from ingest.models import Block, ParsedDocument, Span
from ingest.plaintext import paragraphs
from ingest.reading import zero_width

SUFFIXES = frozenset(
    ".py .pyi .pyx .js .mjs .cjs .jsx .ts .mts .cts .tsx .vue .svelte .java .kt .kts .scala .groovy .clj .cljs .c .h .cc .cpp .cxx "
    ".hh .hpp .hxx .m .mm .cs .fs .vb .go .rs .swift .zig .nim .d .dart .rb .php .pl .pm .lua .tcl .r .jl .hs .ml .mli .elm .erl "
    ".ex .exs .lisp .el .scm .rkt .f .f90 .f95 .pas .ada .adb .ads .cob .cbl .asm .s .v .sv .vhd .vhdl .sol .sh .bash .zsh .fish "
    ".ps1 .bat .cmd .sql .proto .graphql .tf .cmake .gradle .awk".split()
)
"""Of programming and query languages; no markup, styles, data or settings."""
BLOCK_CHARACTERS = 600
"""About what a passage holds: a longer definition is parted at its blank lines."""

_CLOSING = re.compile(r"[})\]]|end\b")


def parse_code(text: str, *, encoding: str | None) -> ParsedDocument:
    """The blocks of a source file. `text` is kept as it is."""
    return ParsedDocument(
        text=text,
        format="code",
        blocks=tuple(Block(span=span, role="code") for span in _definitions(text)),
        parser="source code",
        encoding=encoding,
        silent=tuple(zero_width(text)),
    )


def _definitions(text: str) -> list[Span]:
    spans: list[Span] = []
    for block in paragraphs(text, 0, len(text)):
        span = block.span
        short = bool(spans) and span.end - spans[-1].start <= BLOCK_CHARACTERS
        if short and _belongs_to_the_one_before(text, span.start):
            spans[-1] = Span(spans[-1].start, span.end)
        else:
            spans.append(span)
    return spans


def _belongs_to_the_one_before(text: str, start: int) -> bool:
    indented = start > 0 and text[start - 1] in " \t"
    return indented or _CLOSING.match(text, start) is not None
