"""Hits to put into shapes: made by hand with the fields that a test is about, or found in a small library."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from making_hits import make_hit
from making_pdfs import Drawing

from index.memory import HashingEmbedder, MemoryLibrary
from index.pipeline import IngestOptions, ingest
from query.models import SearchHit, SearchResponse
from query.requests import SearchRequest
from query.search import search


@pytest.fixture
def hit() -> Callable[..., SearchHit]:
    """A hit of hybrid mode in a PDF, with what a test changes."""
    return make_hit


HANDBOOK = """\
# Harbour handbook

The harbour office is open from eight to five.

## Seats

The enterprise plan has a limit of two hundred seats.

## Mooring

A vessel over forty metres needs a pilot.

## Fuel

Fuel is sold at the east quay. Card payment only.
"""
NOTES = "Plain notes on the tide table.\n\nThe limit of the crane is four tonnes.\n"


@pytest.fixture(scope="session")
def reader(tmp_path_factory, new_writer, counter) -> MemoryLibrary:
    """A PDF of two pages, a Markdown file with headings, a text file without any."""
    folder: Path = tmp_path_factory.mktemp("docs")
    pdf = Drawing().heading("1 Berths").lines(["A berth is booked a week ahead.", "The fee for a berth is due on the first day,"])
    pdf.page().lines(["and a late fee is charged after that.", "Nobody may sublet a berth."])
    pdf.save(folder / "berths.pdf")
    (folder / "handbook.md").write_text(HANDBOOK, encoding="utf-8")
    (folder / "notes.txt").write_text(NOTES, encoding="utf-8")
    writer = new_writer()
    ingest(writer.reader, writer, HashingEmbedder(), counter, [folder], IngestOptions(jobs=1))
    return writer.reader


@pytest.fixture
def ask(reader) -> Callable[..., SearchResponse]:
    def ask(query: str, **options: object) -> SearchResponse:
        return search(reader, HashingEmbedder(), SearchRequest(query=query, **options), backend="lancedb")  # type: ignore[arg-type]

    return ask
