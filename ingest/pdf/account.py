"""The account of a PDF's characters: each one that PyMuPDF gives for a page is in the canonical text, or in a named exclusion.

White space is not counted, nor a hyphen at a line's end, which is undone where the word is one word.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ingest.models import Page
from ingest.pdf import engine
from ingest.pdf.page import PageText

HYPHENS = "-\u00ad\u2010\u2011"


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """Characters `on_page`, and of these `in_text` and `excluded`; `lost` are the others, `other` a page that has other characters
    than at ingest (nothing of it is counted)."""

    page: int
    on_page: int = 0
    in_text: int = 0
    excluded: int = 0
    lost: str = ""
    other: bool = False


def accounts(path: Path, pages: Sequence[Page], *, shown: str, passwords: Sequence[str] = ()) -> list[Account]:
    """One for each of the `pages`, which are the records of an earlier reading. Raises SourceError."""
    with engine.open_pdf(path, shown, passwords=passwords) as document, engine.translated(shown):
        there = [page for page in pages if page.number <= document.page_count]
        return [account(page, engine.read_page(document[page.number - 1])) for page in there]


def account(page: Page, read: PageText) -> Account:
    """`read` is the page as the engine gives it now."""
    if engine.fingerprint(read.stream) != page.fingerprint:
        return Account(page=page.number, other=True)
    in_text = {i for run in page.runs for i in range(run.source_offset, run.source_offset + run.length)}
    excluded = {i for x in page.exclusions for i in range(x.source_offset, x.source_offset + x.length)} - in_text
    line_ends = {line.source_offset + len(line.text.rstrip()) - 1 for line in read.lines}
    counted = [i for i, c in enumerate(read.stream) if not c.isspace() and not (c in HYPHENS and i in line_ends)]
    return Account(
        page=page.number,
        on_page=len(counted),
        in_text=sum(i in in_text for i in counted),
        excluded=sum(i in excluded for i in counted),
        lost="".join(read.stream[i] for i in counted if i not in in_text and i not in excluded),
    )
