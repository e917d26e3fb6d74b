"""`pincite demo`: the whole way, on the sample documents."""

from __future__ import annotations

import shutil
import sys
from importlib.resources import as_file, files
from pathlib import Path

from ingest.errors import SourceMissing
from pincite.cli.cite import match_lines
from pincite.cli.ingest import print_report
from pincite.cli.progress import progress
from pincite.cli.search import print_hits
from pincite.cli.terminal import Style, colours, note, one_line, out

FOLDER = Path("pincite-demo")
QUESTION = "late payment interest"
QUOTATION = "The shaft was aligned with a laser"


def demo() -> None:
    """Ingest the sample documents, ask, cite, highlight. Writes a highlighted PDF, and finds a quotation in a Word file."""
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
    for path in paths:
        out(f"\nhighlighted: {one_line(str(path.resolve()))}")
    note(f'\nask yourself: pincite search "…" --library {FOLDER / "library"}')


def _copy_samples(to: Path) -> None:
    """From the installed package, or from the checkout this runs in. Files that are equal are left alone."""
    checkout = Path(__file__).parents[2] / "sample_docs"
    with as_file(files("pincite") / "sample_docs") as packaged:
        source = packaged if packaged.is_dir() else checkout
        if not source.is_dir():
            raise SourceMissing(str(source), "the sample documents are not there", next_step="Install pincite again.")
        shutil.copytree(source, to, dirs_exist_ok=True, ignore=shutil.ignore_patterns(".*", "*.py", "README*"))
