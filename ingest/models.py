"""The nouns of reading a file. Importing this loads no engine.

What a document has by the thousand is a `Struct`: made in C, many times faster than a frozen dataclass, and as strict.

All offsets count Unicode code points of the document's canonical text, from 0; spans are half-open.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

from msgspec import Struct

Role = Literal["body", "heading", "list", "table", "code", "footnote", "aside", "caption", "markup", "hidden"]
"""Their places are stored: new ones go to the end."""
Flow = Literal["body", "aside", "hidden"]
Format = Literal[
    "pdf",
    "markdown",
    "text",
    "subtitles",
    "code",
    "docx",
    "pptx",
    "xlsx",
    "csv",
    "html",
    "email",
    "epub",
    "odt",
    "rtf",
    "rst",
    "note",
]
"""`note` is what was said, not read from a file."""
PageKind = Literal["page", "slide", "sheet"]

BODY_ROLES: frozenset[Role] = frozenset({"body", "heading", "list", "table", "code"})
"""Roles that may share a chunk; every other role has chunks of its own."""
PAGED: Mapping[Format, PageKind] = {"pdf": "page", "pptx": "slide", "xlsx": "sheet"}
"""The formats with pages, and what a page of theirs is called."""
WITH_LINES: frozenset[Format] = frozenset({"markdown", "text", "subtitles", "code"})
"""The formats whose canonical text is the file itself, so that its lines are the file's."""


class Span(Struct, frozen=True, order=True):
    """A half-open run of code points, `start <= end`."""

    start: int
    end: int

    def __post_init__(self) -> None:
        if not 0 <= self.start <= self.end:
            raise ValueError(f"not a span: {self.start}..{self.end}")

    def __len__(self) -> int:
        return self.end - self.start

    def slice(self, text: str) -> str:
        return text[self.start : self.end]

    def shift(self, by: int) -> Span:
        return Span(self.start + by, self.end + by)


@dataclass(frozen=True, slots=True, kw_only=True)
class SilentRange:
    """A run of the canonical text that a reader doesn't read as it stands (marks, link targets, entities).

    In the reading text it is replaced by `replacement` (mostly "").
    """

    start: int
    end: int
    replacement: str = ""

    def __post_init__(self) -> None:
        if not 0 <= self.start < self.end:
            raise ValueError(f"not a silent range: {self.start}..{self.end}")


class Block(Struct, frozen=True, kw_only=True):
    """A paragraph, heading, list item, table, code block …: blocks are in order, disjoint, with only white space between.

    `level` and `title` belong to headings that open a section (level 1 is the highest rank; `title` is the plain text with its
    number, never empty). A heading with `level` None opens none. `scope_end` is where a heading's section must end at the
    latest (a heading inside a quote or list item), None where only a later heading ends it. `context` are spans shown and
    embedded with each chunk of this block that doesn't hold them (a table's head row).
    """

    span: Span
    role: Role = "body"
    flow: Flow = "body"
    level: int | None = None
    title: str | None = None
    scope_end: int | None = None
    context: tuple[Span, ...] = ()

    def __post_init__(self) -> None:
        if self.level is not None and (self.level < 1 or not self.title):
            raise ValueError("a heading that opens a section needs a level from 1 and a title")


class PageRun(NamedTuple):
    """`start:end` of the canonical text lies on `page` (1-based). Runs partition the canonical text of a paged document."""

    start: int
    end: int
    page: int


class SourceRun(NamedTuple):
    """`length` characters of canonical text at `offset` come from as many at `source_offset` of the page's character stream.

    The stream of a page is every character the engine gives for it, in the engine's order, with the pinned flags. Characters
    of the canonical text in no run were put in (the space where lines are joined).
    """

    offset: int
    source_offset: int
    length: int


Box = tuple[float, float, float, float]
"""x0, y0, x1, y1 in PDF points, origin at the top left of the page as it is shown unrotated."""


class Exclusion(Struct, frozen=True, kw_only=True):
    """Characters of a page that were left out of the canonical text, and why.

    `source_offset` and `length` count in the page's character stream. Reasons: "header", "footer", "page number",
    "line number", "overprint", "no unicode", "control character", …
    """

    page: int
    source_offset: int
    length: int
    text: str
    reason: str
    box: Box


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One page of a paged source: where its characters stand in the canonical text.

    `fingerprint` is the SHA-256 of the page's character stream: the same engine and flags give the same at export.
    """

    number: int
    label: str | None
    width: float
    height: float
    rotation: int
    fingerprint: str
    runs: tuple[SourceRun, ...]
    exclusions: tuple[Exclusion, ...] = ()

    def __post_init__(self) -> None:
        if self.number < 1:
            raise ValueError(f"pages count from 1, not {self.number}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """Something about a file that the user should know though it went in. `pages` are 1-based."""

    reason: str
    pages: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedDocument:
    """What a parser makes of a file.

    `text` is the canonical text. `title` comes from front matter or metadata, or is None. `page_map` and `pages` are empty for
    formats without pages. `cautions` hold for the whole document ("ocr", "repaired_file"); `parser` names engine and version.
    `properties` is front matter or metadata, as (name, value) pairs of plain text. `targets` are where its links lead, as written.
    """

    text: str
    format: Format
    blocks: tuple[Block, ...]
    parser: str
    title: str | None = None
    encoding: str | None = None
    silent: tuple[SilentRange, ...] = ()
    page_map: tuple[PageRun, ...] = ()
    pages: tuple[Page, ...] = ()
    warnings: tuple[Notice, ...] = ()
    cautions: tuple[str, ...] = ()
    properties: tuple[tuple[str, str], ...] = ()
    targets: tuple[str, ...] = ()


class Unit(Struct, frozen=True, kw_only=True):
    """The smallest thing that is matched and quoted: a sentence, heading, list item, table row or code line.

    `partial` marks a part of a sentence that is longer than the model's window.
    """

    span: Span
    role: Role
    partial: bool = False


class Passage(Struct, frozen=True, kw_only=True):
    """What the embedding model reads for a chunk, and where in it each unit stands.

    `text` is the heading prefix, the context and the chunk's reading text; `units[i]` is the span in `text` of the chunk's i-th
    unit (empty where nothing of the unit is read).
    """

    text: str
    units: tuple[Span, ...]


class Chunk(Struct, frozen=True, kw_only=True):
    """A run of the canonical text inside one section, small enough for the embedding model to read whole.

    `content` is exactly the slice of the canonical text; `units` cover its non-space characters once, in order. `passage` is None
    for chunks that aren't embedded (role `markup`).
    """

    span: Span
    content: str
    section_path: tuple[str, ...]
    role: Role
    units: tuple[Unit, ...]
    context: tuple[Span, ...] = ()
    passage: Passage | None = None

    def __post_init__(self) -> None:
        if len(self.content) != len(self.span):
            raise ValueError("a chunk's content is the slice of its span")


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFile:
    """A file that was found: `file` to open it, `path` relative to its root and `/`-separated, as shown to people."""

    file: Path
    root: str
    path: str
    size: int
    mtime_ns: int
