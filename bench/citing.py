"""How long quotations take: a hundred looked up in a library of made-up chunks, and a hundred exported from twenty PDFs.

    python bench/citing.py [--chunks 100000] [--library FOLDER] [--pdfs FOLDER]

Seconds of processor time and of the clock, as a Markdown table. `--library` is one that was made before; `--pdfs` a folder of PDFs,
the sample documents otherwise, and the first twenty are taken.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from shutil import copyfile
from time import perf_counter, process_time
from typing import TypeVar

import synthetic
from damage import KINDS, invented, words
from plain_library import plain_library

from index.memory import HashingEmbedder
from index.store import LibraryStore
from pincite import Library
from query.cite import cite_all
from query.export.table import EXPORTERS
from query.matches import Place

T = TypeVar("T")

QUOTES, PDFS = 100, 20


def looked_up(folder: Path, size: int) -> Iterator[str]:
    reader = LibraryStore.open(folder).reader()
    random = Random(1)
    texts = [reader.rows.text(document_id).text for document_id in random.sample(list(reader.documents), 40)]
    sentences = [sentence.strip() + "." for text in texts for sentence in random.sample(text.split(".")[:-1], 10)]
    yield f"\n## A hundred quotations in {size:,} chunks\n\n| quotations | CPU s | s | found |\n|---|---|---|---|"
    for kind, damage in {**KINDS, "invented": lambda q, r: invented(q, words(r.choice(texts)), r)}.items():
        if kind == "hyphenated":  # the made-up words are none that would be broken
            continue
        asked = [damage(sentence, random) for sentence in random.sample(sentences, QUOTES)]
        found, cpu, wall = timed(lambda asked=asked: cite_all(reader, asked))  # type: ignore[misc]
        yield f"| {kind} | {cpu:.1f} | {wall:.1f} | {sum(match.found for match in found)} |"


def exported(folder: Path, pdfs: Path) -> Iterator[str]:
    sources = folder / "pdfs"
    sources.mkdir()
    given = sorted(pdfs.rglob("*.pdf"))
    for number in range(2 * PDFS):
        copyfile(given[number % len(given)], sources / f"{number:02}.pdf")
    with plain_library(folder / "library") as library:
        library.ingest(sources)
        quoted = [some for document in library.documents() if (some := list(_some(library, document.source_document)))]
        places = [place for some in quoted[:PDFS] for place in some]
        places = Random(1).sample(places, min(QUOTES, len(places)))
        files = len({place.source_document for place in places})
        yield f"\n## {len(places)} quotes exported from {files} PDFs\n\n| to | CPU s | s |\n|---|---|---|"
        for to in sorted(EXPORTERS):
            _, cpu, wall = timed(lambda to=to: library.export(places, to=to, out=folder / "out" / to))  # type: ignore[misc]
            yield f"| {to} | {cpu:.1f} | {wall:.1f} |"


def _some(library: Library, document: str) -> Iterator[Place]:
    """Sentences of a document, at their places."""
    sentences = [
        unit.span.shift(-chunk.source_offset).slice(chunk.content)
        for chunk in library.chunks(document)
        for unit in chunk.units
        if len(unit.span) > 40
    ]
    for match in library.cite_all(sentences[:: max(1, len(sentences) // 8)][:8], document=document) if sentences else ():
        yield from match.places[:1]


def timed(work: Callable[[], T]) -> tuple[T, float, float]:
    cpu, start = process_time(), perf_counter()
    done = work()
    return done, process_time() - cpu, perf_counter() - start


def tables(chunks: int, library: Path | None, pdfs: Path) -> Iterator[str]:
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        yield from exported(folder, pdfs)
        if library is None:
            synthetic.build(folder / "made-up", chunks, HashingEmbedder().settings)
        yield from looked_up(library or folder / "made-up", chunks)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chunks", type=int, default=100_000)
    parser.add_argument("--library", type=Path)
    parser.add_argument("--pdfs", type=Path, default=Path(__file__).parents[1] / "sample_docs")
    options = parser.parse_args()
    for line in tables(options.chunks, options.library, options.pdfs):
        print(line, flush=True)


if __name__ == "__main__":
    main()
