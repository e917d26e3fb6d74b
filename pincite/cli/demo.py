"""`pincite demo`: the whole way, on the sample documents."""

from __future__ import annotations

import shutil
import sys
from datetime import UTC, datetime
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING

from ingest.errors import SourceMissing
from pincite.cli.cite import match_lines
from pincite.cli.ingest import print_report
from pincite.cli.progress import progress
from pincite.cli.search import print_hits
from pincite.cli.terminal import Style, colours, note, one_line, out

if TYPE_CHECKING:
    from pincite.library import Library

FOLDER = Path("pincite-demo")
QUESTION = "late payment interest"
QUOTATION = "The shaft was aligned with a laser"
AGREEMENT, AMENDMENT = "contracts/MSA-2024-11.pdf", "contracts/MSA-2024-11-amendment-1.pdf"
REASON = "clause 4.2: ten days of grace, and a lower rate"
SAID = "Anna agreed on the phone that the lower rate of interest holds for invoices from April on."
SAID_AT = datetime(2025, 3, 20, tzinfo=UTC)
ABOUT_IT = "from when does the lower rate hold?"


def demo() -> None:
    """Ingest the sample documents, ask, cite, and export. Shows the cited hits, writes a highlighted PDF, finds a quotation in a
    Word file, and joins an amendment to its agreement."""
    from pincite.library import Library

    documents, quotes = FOLDER / "documents", FOLDER / "quotes"
    _copy_samples(documents)
    with Library.open(FOLDER / "library", create=True) as lib:
        note(f"ingesting {documents} …")
        with progress() as watch:
            print_report(lib.ingest(documents, prune=True, progress=watch))
        out(f"\nsearch: {QUESTION}\n")
        hits = lib.search(QUESTION, top_k=3)
        print_hits(hits)
        pdfs = [h for h in hits if h.source_document.endswith(".pdf")]
        paths = lib.export(pdfs, to="pdf", out=quotes, overwrite=True) if pdfs else []
        out(f"\ncite: {QUOTATION}\n")
        style = Style(on=colours(sys.stdout))
        for line in match_lines(lib.cite(QUOTATION), style):
            out(line)
        _connect(lib)
        out(f"\nsearch, now that the amendment is linked and a note is kept: {ABOUT_IT}\n")
        print_hits(lib.search(ABOUT_IT, top_k=1))
    for path in paths:
        out(f"\nhighlighted: {one_line(str(path.resolve()))}")
    note(f'\nask yourself: pincite search "…" --library {FOLDER / "library"}')


def _connect(lib: Library) -> None:
    """The amendment supersedes a clause of the agreement; and something was said about it. Twice is once."""
    lib.link(AMENDMENT, AGREEMENT, label="supersedes", reverse_label="superseded by", reason=REASON)
    if not lib.cite(SAID).found:
        lib.remember(SAID, about=AGREEMENT, by="Zoé", at=SAID_AT)


def _copy_samples(to: Path) -> None:
    """From the installed package, or from the checkout this runs in. Files that are equal are left alone."""
    checkout = Path(__file__).parents[2] / "sample_docs"
    with as_file(files("pincite") / "sample_docs") as packaged:
        source = packaged if packaged.is_dir() else checkout
        if not source.is_dir():
            raise SourceMissing(str(source), "the sample documents are not there", next_step="Install pincite again.")
        shutil.copytree(source, to, dirs_exist_ok=True, ignore=shutil.ignore_patterns(".*", "*.py", "README*"))
