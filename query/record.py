"""The citation record: a quote with all that it takes to check it again, on another machine, without pincite's library.

Standard library only. Offsets count Unicode code points of the canonical text; boxes are PDF points from the top left of the page.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from index.models import Generation
from ingest.models import Box, Format, Span
from query.locator import Locator
from query.serialise import Json, json_object

AROUND = 64
"""Characters of the canonical text kept before and after a quote, to tell it from equal words elsewhere."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageBoxes:
    """Where a quote stands on one page: a box for each of its lines, (x0, y0, x1, y1) in PDF points (1/72 inch), x to the right and
    y down from the top left corner of the page's crop box before the page is rotated. `width` and `height` are that box's size."""

    page: int
    width: float
    height: float
    rotation: int
    boxes: tuple[Box, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CitationRecord:
    """A quote, where it stands, and what the file was when it stood there.

    `quote` is the slice `offset : offset + length` of the canonical text; `prefix` and `suffix` are the slices beside it.
    `read_at` is when the file of that hash was read into the library. `id` is the same for the same place of the same file.
    """

    id: str
    quote: str
    quote_text: str
    prefix: str
    suffix: str
    citation: str
    source_label: str
    source_document: str
    root: str
    format: Format
    encoding: str | None
    source_sha256: str
    text_sha256: str
    parser: str
    section_path: tuple[str, ...]
    page_from: int | None
    page_to: int | None
    page_label_from: str | None
    page_label_to: str | None
    line_from: int | None
    line_to: int | None
    locator: Locator | None
    offset: int
    length: int
    page_boxes: tuple[PageBoxes, ...] = ()
    cautions: tuple[str, ...] = ()
    query: str | None
    index_generation: Generation
    read_at: datetime
    schema_version: Literal[1] = 1

    def to_dict(self) -> dict[str, Json]:
        """The JSON form, as `query.schema` describes it."""
        return json_object(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bundle:
    """Records as they are passed on. `query` is the question of all of them, null where they have none or several."""

    schema_version: Literal[1] = 1
    query: str | None
    index_generation: Generation
    quotes: tuple[CitationRecord, ...]

    def to_dict(self) -> dict[str, Json]:
        """The JSON form, as `query.schema` describes it."""
        return json_object(self)


_ID = re.compile(r"pincite-([0-9a-f]{16})-(\d{1,15})-(\d{1,15})")


def record_id(source_sha256: str, offset: int, length: int) -> str:
    """Names the words at a place of a file, and tells where that is: "pincite-<16 digits of the file's hash>-<offset>-<length>".

    The same for the same place of the same file, on every machine.
    """
    return f"pincite-{source_sha256[:16]}-{offset}-{length}"


def place_of_id(text: str) -> tuple[str, Span] | None:
    """What a record's id says: the first digits of the file's hash, and the span; None for what is no such id."""
    m = _ID.fullmatch(text)
    return (m[1], Span(int(m[2]), int(m[2]) + int(m[3]))) if m else None


def bundle_of(records: Sequence[CitationRecord], generation: Generation) -> Bundle:
    queries = {record.query for record in records}
    return Bundle(query=queries.pop() if len(queries) == 1 else None, index_generation=generation, quotes=tuple(records))
