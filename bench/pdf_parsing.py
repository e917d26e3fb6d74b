"""Pages per CPU-second of reading PDFs (parse and chunk), beside plain `get_text("dict")` on the same pages in the same run.

python bench/pdf_parsing.py FOLDER [ROUNDS]

Of each file the least of ROUNDS (5) is taken, for each figure: what else the machine does then counts least.
"""

from __future__ import annotations

import resource
import sys
from collections.abc import Sequence
from pathlib import Path
from time import process_time

import pymupdf

from index.tokens import ModelTokenCounter
from ingest.chunking import chunk_document
from ingest.pdf.parser import parse_pdf


def main(folder: Path, rounds: int = 5) -> None:
    files = sorted(folder.rglob("*.pdf"))
    runs = [one_round(files) for _ in range(rounds)]
    pages = [count for _, count in runs[0]]
    least = [[min(of) for of in zip(*(seconds for seconds, _ in per_file), strict=True)] for per_file in zip(*runs, strict=True)]
    print("| file | pages | plain dict | parse | parse + chunk | part of plain |")
    print("|---|---|---|---|---|---|")
    for path, count, seconds in zip(files, pages, least, strict=True):
        print(row(path.name, count, seconds))
    print(row("all", sum(pages), [sum(of) for of in zip(*least, strict=True)]))
    print(f"\npeak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MB")


def one_round(files: Sequence[Path]) -> list[tuple[list[float], int]]:
    """Of each file the seconds (plain, parse, parse and chunk) and the pages, with a token counter that begins without words."""
    counter = ModelTokenCounter()
    counter.count(["the tokenizer is loaded before the clock runs"])
    return [measured(path, counter) for path in files]


def measured(path: Path, counter: ModelTokenCounter) -> tuple[list[float], int]:
    start = process_time()
    with pymupdf.open(path) as document:
        for page in document:
            page.get_text("dict")
        count = len(document)
    plain = process_time()
    parsed = parse_pdf(path, shown=path.name)
    read = process_time()
    chunk_document(parsed, counter)
    return [plain - start, read - plain, process_time() - plain], count


def row(name: str, pages: int, seconds: list[float]) -> str:
    plain, parse, whole = seconds
    rates = " | ".join(f"{pages / s:.0f}" if s else "–" for s in (plain, parse, whole))
    return f"| {name} | {pages} | {rates} | {plain / whole:.2f} |"


if __name__ == "__main__":
    main(Path(sys.argv[1]), *map(int, sys.argv[2:3]))
