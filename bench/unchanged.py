"""What an ingest costs in which nothing changed: CPU seconds of a new process, for a folder of many text files.

python bench/unchanged.py [FILES]      (10,000 of 8 KB, if not given; made in a temporary folder, embedded without a model)
"""

from __future__ import annotations

import random
import resource
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from index.memory import HashingEmbedder
from index.store import LibraryStore
from pincite.library import Library

BYTES = 8_192
AGAIN = """
import sys
from pathlib import Path
sys.path[:0] = sys.argv[3:]
from unchanged import run
run(*map(Path, sys.argv[1:3]))
"""


class RoughCounter:
    """About three chunks a file."""

    max_tokens = 254
    splits_at_spaces = False

    def count(self, texts: Sequence[str]) -> list[int]:
        return [len(t) // 20 for t in texts]


def write(folder: Path, files: int) -> None:
    dice = random.Random(1)
    words = [f"word{n}" for n in range(2_000)]
    for n in range(files):
        file = folder / str(n // 100) / f"{n}.txt"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("\n\n".join(" ".join(dice.choices(words, k=100)) for _ in range(11))[:BYTES])


def run(library: Path, folder: Path) -> None:
    lib = Library(LibraryStore(library), embedder=HashingEmbedder(), counter=RoughCounter(), create=True)
    print(dict(lib.ingest(folder, jobs=1).counts))


def main(files: int) -> None:
    with tempfile.TemporaryDirectory() as base:
        folder, library = Path(base, "documents"), Path(base, "library")
        write(folder, files)
        run(library, folder)
        here = Path(__file__).parent
        subprocess.run([sys.executable, "-c", AGAIN, library, folder, str(here), str(here.parent)], check=True)
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        print(f"{files:,} unchanged files: {used.ru_utime + used.ru_stime:.1f} s CPU, {used.ru_maxrss / 1024:.0f} MB at most")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
