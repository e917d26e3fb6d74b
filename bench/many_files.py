"""Many small files: how many generations a run makes of them, what it costs, and how much memory, which should not grow with them.

python bench/many_files.py [FILES...]      (2,000 and 20,000, if not given; each in a new process, embedded without a model)
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from unchanged import RoughCounter

from index.memory import HashingEmbedder
from index.native_memory import give_back_large_blocks
from index.store import LibraryStore
from pincite.library import Library

ONE = "import sys; sys.path[:0] = sys.argv[2:]; from many_files import run; run(int(sys.argv[1]))"


def run(files: int) -> None:
    give_back_large_blocks()  # as the command does
    with tempfile.TemporaryDirectory() as base:
        folder = Path(base, "documents")
        for n in range(files):
            file = folder / str(n // 500) / f"{n}.txt"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(f"Note {n} of the harbour office.\n\nBerth {n % 97} is let to vessel {n * 7919 % 10_007}.\n")
        lib = Library(LibraryStore(Path(base, "library")), embedder=HashingEmbedder(), counter=RoughCounter(), create=True)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        start, cpu = time.perf_counter(), time.process_time()
        report = lib.ingest(folder, jobs=1)
        wall, own = time.perf_counter() - start, time.process_time() - cpu
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        print(
            f"{files:,} files, {report.counts['chunks']:,} chunks: {report.index_generation.number} generations, {wall:.0f} s, "
            f"{own:.0f} CPU-s, memory {before / 1024:.0f} MB before, {peak / 1024:.0f} MB at most"
        )


def main(sizes: list[int]) -> None:
    here = Path(__file__).parent
    for files in sizes or [2_000, 20_000]:
        subprocess.run([sys.executable, "-c", ONE, str(files), str(here), str(here.parent)], check=True)


if __name__ == "__main__":
    main([int(n) for n in sys.argv[1:]])
