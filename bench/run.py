"""Quality and speed as one Markdown page: python bench/run.py [--data FOLDER] [--sizes 10000 100000] [--out FILE]."""

from __future__ import annotations

import argparse
import platform
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import latency
import quality
import torch


def page(data: Path | None, sizes: list[int]) -> Iterator[str]:
    yield f"# Benchmark\n\nPython {platform.python_version()}, torch {torch.__version__}, {torch.get_num_threads()} threads."
    yield from chain(quality.table(data), latency.tables(sizes))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, help="a folder of corpora and questions (see quality.py); else the sample documents")
    parser.add_argument("--sizes", type=int, nargs="*", default=[10_000, 100_000], help="chunks of the made-up libraries")
    parser.add_argument("--out", type=Path, help="the Markdown file to write, besides printing")
    options = parser.parse_args()
    lines = []
    for line in page(options.data, options.sizes):
        print(line, flush=True)
        lines.append(line)
    if options.out:
        options.out.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
