"""How long a search takes, stage by stage, in libraries of made-up chunks (`synthetic`)."""

from __future__ import annotations

import tempfile
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np
import synthetic

from index.embedding import SentenceTransformerEmbedder
from index.models import ChunkFilter
from index.store import LibraryStore
from query.legs import CANDIDATES
from query.requests import SearchRequest
from query.search import search

QUESTIONS = 100
STAGES = {
    "embed_query": "the question's vector",
    "search": "keyword leg (BM25)",
    "nearest": "semantic leg: nearest passages",
    "unit_vectors": "semantic leg: vectors of their units",
    "by_ids": "the chunks of the best",
    "document_frequency": "how rare the words are",
}


class Timed:
    """A port whose calls are timed, into lists of milliseconds by the method's name."""

    def __init__(self, port: Any, times: dict[str, list[float]]) -> None:
        self._port, self._times = port, times

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._port, name)
        if name in ("rows", "keyword"):
            return Timed(value, self._times)
        if name not in STAGES:
            return value

        def timed(*args: Any, **kwargs: Any) -> Any:
            start, cpu = perf_counter(), process_time()
            try:
                return value(*args, **kwargs)
            finally:
                self._times[name].append((perf_counter() - start) * 1000)
                self._times[f"{name} cpu"].append((process_time() - cpu) * 1000)

        return timed


class Given:
    """The embedder, with the question's vector ready."""

    def __init__(self, embedder: Any, vector: Any) -> None:
        self.settings, self.familiarity, self._vector = embedder.settings, embedder.familiarity, vector

    def embed_query(self, text: str) -> Any:
        return self._vector


def tables(sizes: list[int]) -> Iterator[str]:
    """A Markdown table for each size, in chunks."""
    embedder = SentenceTransformerEmbedder()
    embedder.embed_query("loads the model")
    for size in sizes:
        with tempfile.TemporaryDirectory() as folder:
            start = perf_counter()
            vectors = synthetic.build(Path(folder) / "library", size, embedder.settings)
            built = perf_counter() - start
            reader = LibraryStore.open(Path(folder) / "library").reader()
            yield from _table(size, built, reader, embedder, vectors)


def _table(size: int, built: float, reader: Any, embedder: Any, vectors: Any) -> Iterator[str]:
    random = np.random.default_rng(1)
    questions = [synthetic.question(vectors, random) for _ in range(QUESTIONS)]
    times: dict[str, list[float]] = defaultdict(list)
    start = perf_counter()
    search(reader, embedder, SearchRequest(query="opens what is read but once"))
    first = (perf_counter() - start) * 1000
    for text, _ in questions:
        start, cpu = perf_counter(), process_time()
        search(Timed(reader, times), Timed(embedder, times), SearchRequest(query=text))
        times["whole"].append((perf_counter() - start) * 1000)
        times["whole cpu"].append((process_time() - cpu) * 1000)
    for text, _ in questions:
        given = Given(embedder, embedder.embed_query(text))
        start, cpu = perf_counter(), process_time()
        found = search(reader, given, SearchRequest(query=text))
        times["given"].append((perf_counter() - start) * 1000)
        times["given cpu"].append((process_time() - cpu) * 1000)
        if found.status != "complete":
            raise SystemExit(found.message)
    rows = [
        *STAGES.values(),
        "fusion, marking, the hits (less the keyword leg, which runs beside the others)",
        "**whole search**",
        "**the same with the question's vector given**",
    ]
    yield f"\n## {size:,} chunks (built in {built:.0f} s; the first search took {first:.0f} ms)\n"
    yield "| stage | p50 ms | p99 ms | CPU p50 ms |\n|---|---|---|---|"
    for row, wall, cpu_ms in zip(rows, _apart(times, ""), _apart(times, " cpu"), strict=True):
        yield f"| {row} | {np.percentile(wall, 50):.1f} | {np.percentile(wall, 99):.1f} | {np.percentile(cpu_ms, 50):.1f} |"
    recall = _recall(reader, questions, vectors)
    yield f"\nOf the ten passages that are nearest by comparing all, {recall:.3f} are among the semantic leg's {CANDIDATES}."


def _apart(times: dict[str, list[float]], unit: str) -> list[Any]:
    """The milliseconds of each stage, of the rest, of the whole, and of the whole with the question's vector given."""
    named, whole = np.array([times[name + unit] for name in STAGES]), np.array(times["whole" + unit])
    return [*named, whole - named.sum(axis=0), whole, np.array(times["given" + unit])]


def _recall(reader: Any, questions: Any, vectors: Any) -> float:
    found = 0
    ids = np.array(synthetic.ids(len(vectors)))
    for _, vector in questions:
        nearest = {hit.chunk_id for hit in reader.rows.nearest(vector, CANDIDATES, ChunkFilter())}
        found += len(nearest & set(ids[np.argpartition(vectors @ vector, -10)[-10:]]))
    return found / (10 * len(questions))
