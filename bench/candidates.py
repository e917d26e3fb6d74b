"""How much of an exact scan of all sentences the candidates of a search hold: python bench/candidates.py FOLDER [QUESTIONS.jsonl].

A search compares the sentences of the nearest passages and of those that the words found; here every sentence of the library is
compared. `recall@10`: of the ten passages with the nearest sentences by comparing all, how many are among the candidates. A
question is a line {"question": "…"}; without a file, every second word of a sentence is one.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from index.analysis import keyword_query
from index.embedding import SentenceTransformerEmbedder
from index.models import ChunkFilter
from index.ports import Embedder, LibraryReader
from index.store import LibraryStore
from pincite import Library
from query.legs import CANDIDATES, keyword_leg, semantic_leg, unit_cosines

MOST = 300
"""Questions asked, evenly spread."""


def main(folder: Path, questions: Path | None) -> None:
    embedder = SentenceTransformerEmbedder()
    with tempfile.TemporaryDirectory() as work:
        with Library.open(Path(work) / "library", create=True) as library:
            library.ingest(folder)
            texts = list(_made_up(library) if questions is None else _given(questions))
        reader = LibraryStore.open(Path(work) / "library").reader()
        asked = texts[:: max(1, len(texts) // MOST)][:MOST]
        nearest, both = recall(reader, embedder, asked)
        chunks = reader.rows.chunk_count()
    print(f"| {folder.name} | {chunks:,} | {len(asked)} | {nearest:.3f} | {both:.3f} |")


def recall(reader: LibraryReader, embedder: Embedder, questions: list[str]) -> tuple[float, float]:
    """Of the nearest passages alone, and with those that the words found."""
    searched = [c.chunk_id for c in reader.rows.all_chunks() if c.role not in ChunkFilter().without_roles]
    units = reader.rows.unit_vectors(sorted(searched))
    found = np.zeros(2)
    for text in questions:
        cosines = unit_cosines(embedder.embed_query(text), units)
        tenth = sorted((max(c) for c in cosines.values()), reverse=True)[:10][-1]
        best = {chunk_id for chunk_id, c in cosines.items() if max(c) >= tenth}
        words = keyword_leg(reader, keyword_query(text), limit=CANDIDATES, where=ChunkFilter()).scores
        alone = semantic_leg(reader, embedder, text, limit=CANDIDATES, where=ChunkFilter()).scores
        found += len(best & set(alone)) / len(best), len(best & {*alone, *words}) / len(best)
    nearest, both = found / len(questions)
    return float(nearest), float(both)


def _given(questions: Path) -> Iterator[str]:
    return (json.loads(line)["question"] for line in questions.read_text(encoding="utf-8").splitlines())


def _made_up(library: Library) -> Iterator[str]:
    for chunk in library.chunks():
        words = chunk.units[-1].span.shift(-chunk.source_offset).slice(chunk.content).split()
        if len(words) >= 10:
            yield " ".join(words[::2])


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]) if len(sys.argv) > 2 else None)
