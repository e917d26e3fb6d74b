"""What a rename costs in a library of many made-up chunks (`synthetic`), and what it rewrites: nothing of the chunks and the words.

python bench/rename.py [CHUNKS]
"""

from __future__ import annotations

import sys
import tempfile
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter

import synthetic

from index.entities import row_of
from index.memory import HashingEmbedder
from index.store import LibraryStore
from query.requests import SearchRequest
from query.search import search


def main(chunks: int) -> None:
    embedder = HashingEmbedder()
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "library"
        synthetic.build(library, chunks, embedder.settings)
        store = LibraryStore.open(library)
        ask = SearchRequest(query="w0 w63z", mode="keyword", top_k=1)
        [hit] = search(store.reader(), embedder, ask)
        before, versions = files(library), store.reader().manifest.tables
        started = perf_counter()
        entity = store.reader().book.get(hit.source_entity_id)
        assert entity is not None
        with store.writer(embedder.settings, chunking={}) as writer:
            row = row_of(entity, datetime.now(UTC))
            writer.records.put(replace(row, properties=(("title", "Renamed"),)))
            writer.commit()
        renamed = perf_counter() - started
        started = perf_counter()
        [again] = search(store.reader(), embedder, ask)
        asked = perf_counter() - started
        after, now = files(library), store.reader().manifest.tables
        rewritten = sorted(name for name in now if now[name] != versions[name])
        new = {path: size for (path, inode), size in after.items() if inode not in {i for _, i in before}}
        print(f"{chunks:,} chunks: “{hit.source_label}” is called “{again.source_label}” after {renamed:.2f} s,")
        print(f"the next search took {asked:.2f} s. Tables with a new version: {', '.join(rewritten)}.")
        print(f"Data of chunks and words written: {sum(size for path, size in new.items() if is_data(path)):,} bytes.")


def files(library: Path) -> dict[tuple[str, int], int]:
    """Size by (path, inode): a hard link is the same file under another name."""
    found = (f for f in library.rglob("*") if f.is_file())
    return {(f.relative_to(library).as_posix(), (stat := f.stat()).st_ino): stat.st_size for f in found}


def is_data(path: str) -> bool:
    """Rows of chunks, or a segment of words."""
    return "/chunks.lance/data/" in path or (path.startswith("keyword/") and not path.endswith((".json", ".lock")))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
