"""Pages per CPU-second of reading PDFs (parse and chunk), beside plain `get_text("dict")` on the same pages in the same run.

python bench/pdf_parsing.py FOLDER [ROUNDS]

Of each file the least of ROUNDS (5) is taken, for each figure: what else the machine does then counts least.
"""

from __future__ import annotations

import resource
import sys
from pathlib import Path
from time import process_time

import pymupdf

from index.tokens import ModelTokenCounter
from ingest.chunking import chunk_document
from ingest.pdf.parser import parse_pdf


def main(folder: Path, rounds: int = 5) -> None:
    totals = [0.0, 0.0, 0.0]
    pages = 0
    print("| file | pages | plain dict | parse | parse + chunk | part of plain |")
    print("|---|---|---|---|---|---|")
    for path in sorted(folder.rglob("*.pdf")):
        runs = [measured(path) for _ in range(rounds)]
        seconds, count = [min(of) for of in zip(*(run for run, _ in runs), strict=True)], runs[0][1]
        pages += count
        totals = [a + b for a, b in zip(totals, seconds, strict=True)]
        print(row(path.name, count, seconds), flush=True)
    print(row("all", pages, totals))
    print(f"\npeak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MB")


def measured(path: Path) -> tuple[list[float], int]:
    counter = ModelTokenCounter()  # knows no words yet
    counter.count(["the tokenizer is loaded before the clock runs"])
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
