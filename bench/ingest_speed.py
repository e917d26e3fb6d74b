"""How fast a folder is ingested and searched, in a fresh library: python bench/ingest_speed.py FOLDER."""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

from pincite import Library

QUESTIONS = ("late payment interest", "how long is the notice period", "who may change the agreement")


def main(folder: str) -> None:
    with tempfile.TemporaryDirectory() as work, Library.open(Path(work) / "library", create=True) as library:
        start, cpu = time.perf_counter(), time.process_time()
        report = library.ingest(folder)
        wall, own = time.perf_counter() - start, time.process_time() - cpu
        chunks = report.counts["chunks"]
        print(f"ingest: {chunks} chunks, {wall:.1f} s, {own:.1f} CPU-s of this process, {chunks / max(wall, 1e-9):.0f} chunks/s")
        library.search(QUESTIONS[0])  # the model is warm
        start, cpu = time.perf_counter(), time.process_time()
        for question in QUESTIONS:
            library.search(question)
        wall, own = time.perf_counter() - start, time.process_time() - cpu
        print(f"search: {1000 * wall / len(QUESTIONS):.0f} ms, {1000 * own / len(QUESTIONS):.0f} CPU-ms a question")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "sample_docs")
