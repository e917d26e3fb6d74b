"""Sentence vectors in the row of their chunk, against a row a sentence: python bench/sentence_rows.py [SENTENCES].

Made-up vectors around a thousand centres, six sentences a chunk; both tables get the index of vectors that a library has. A chunk's
row: the nearest passages, then their sentences compared exactly (what a search does). A sentence's row: the nearest sentences, as
many as those passages have, without and with a second look at the whole vectors. `recall`: how many of the ten chunks with the
nearest sentences by comparing all are among those found.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import lancedb
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from index.lance_lookup import PROBES
from index.lance_upkeep import maintain
from query.legs import CANDIDATES

DIMENSION, UNITS, BLOCK, QUESTIONS = 384, 6, 20_000, 100
Search = Callable[[NDArray[np.float32]], list[int]]
"""The numbers of the chunks found, best first."""


class Made(NamedTuple):
    """The same made-up vectors on every run, block by block: of passages, and of the sentences of each."""

    chunks: int

    def blocks(self) -> Iterator[tuple[int, NDArray[np.float32], NDArray[np.float16]]]:
        random = np.random.default_rng(0)
        centres = random.normal(size=(1_000, DIMENSION)).astype(np.float32)
        for start in range(0, self.chunks, BLOCK):
            count = min(BLOCK, self.chunks - start)
            own = random.normal(size=(count, DIMENSION)).astype(np.float32)
            passages = _unit(own + 1.2 * centres[random.integers(len(centres), size=count)])
            noise = random.normal(size=(count, UNITS, DIMENSION)).astype(np.float32) * 0.04
            yield start, passages, _unit(passages[:, None] + noise).astype(np.float16)


def main(sentences: int) -> None:
    made = Made(sentences // UNITS)
    random = np.random.default_rng(1)
    near = next(made.blocks())[1]
    questions = _unit(near[random.integers(len(near), size=QUESTIONS)] + random.normal(size=(QUESTIONS, DIMENSION)) * 0.03)
    exact = _exact(made, questions)
    print("| layout | rows | built s | MB on disk | p50 ms | p99 ms | recall |\n|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        table, built = _timed(lambda: _chunk_rows(lancedb.connect(folder), made))
        _row("a chunk's row", table, built, Path(folder), _of_chunks(table.to_lance()), questions, exact)
    with tempfile.TemporaryDirectory() as folder:
        table, built = _timed(lambda: _sentence_rows(lancedb.connect(folder), made))
        dataset = table.to_lance()
        _row("a sentence's row", table, built, Path(folder), _of_sentences(dataset, None), questions, exact)
        _row("a sentence's row, refined", table, built, Path(folder), _of_sentences(dataset, 1), questions, exact)


def _chunk_rows(database: Any, made: Made) -> Any:
    vector, unit = pa.list_(pa.float32(), DIMENSION), pa.list_(pa.float16(), DIMENSION)
    schema = pa.schema([("chunk", pa.int64()), ("vector", vector), ("unit_vectors", pa.list_(unit))])
    table = database.create_table("chunks", schema=schema)
    for start, passages, units in made.blocks():
        each = pa.FixedSizeListArray.from_arrays(pa.array(units.ravel()), DIMENSION)
        columns = [
            pa.array(np.arange(start, start + len(passages))),
            pa.FixedSizeListArray.from_arrays(pa.array(passages.ravel()), DIMENSION),
            pa.ListArray.from_arrays(pa.array(np.arange(0, UNITS * len(passages) + 1, UNITS, dtype=np.int32)), each),
        ]
        table.add(pa.Table.from_arrays(columns, schema=schema))
    maintain(table, vector="vector", dimension=DIMENSION)
    return table


def _sentence_rows(database: Any, made: Made) -> Any:
    schema = pa.schema([("chunk", pa.int64()), ("vector", pa.list_(pa.float16(), DIMENSION))])
    table = database.create_table("sentences", schema=schema)
    for start, passages, units in made.blocks():
        columns = [
            pa.array(np.repeat(np.arange(start, start + len(passages)), UNITS)),
            pa.FixedSizeListArray.from_arrays(pa.array(units.ravel()), DIMENSION),
        ]
        table.add(pa.Table.from_arrays(columns, schema=schema))
    maintain(table, vector="vector", dimension=DIMENSION)
    return table


def _of_chunks(dataset: Any) -> Search:
    def search(question: NDArray[np.float32]) -> list[int]:
        wanted = {"column": "vector", "q": question, "k": CANDIDATES, "metric": "cosine", "minimum_nprobes": PROBES}
        rows = dataset.scanner(columns=["chunk", "_distance"], nearest=wanted).to_table().column("chunk").to_pylist()
        taken = dataset.take(rows, columns=["unit_vectors"]).column(0).combine_chunks()
        units = taken.flatten().flatten().to_numpy().reshape(-1, UNITS, DIMENSION).astype(np.float32)
        best = (units @ question).max(axis=1)
        return [rows[i] for i in np.argsort(-best)]

    return search


def _of_sentences(dataset: Any, refine: int | None) -> Search:
    def search(question: NDArray[np.float32]) -> list[int]:
        wanted = {"column": "vector", "q": question, "k": CANDIDATES * UNITS, "metric": "cosine", "minimum_nprobes": PROBES}
        wanted |= {"refine_factor": refine} if refine else {}
        found = dataset.scanner(columns=["chunk", "_distance"], nearest=wanted).to_table().column("chunk").to_pylist()
        return list(dict.fromkeys(found))

    return search


def _exact(made: Made, questions: NDArray[np.float32]) -> list[set[int]]:
    scores = np.concatenate([(u.astype(np.float32) @ questions.T).max(axis=1) for _, _, u in made.blocks()])
    return [set(np.argpartition(column, -10)[-10:].tolist()) for column in scores.T]


def _row(
    name: str, table: Any, built: float, folder: Path, search: Search, questions: NDArray[np.float32], exact: list[set[int]]
) -> None:
    search(questions[0])
    found, times = [], []
    for question in questions:
        result, seconds = _timed(lambda question=question: search(question))  # type: ignore[misc]
        found.append(result)
        times.append(seconds * 1000)
    recall = np.mean([len(best & set(chunks)) / len(best) for best, chunks in zip(exact, found, strict=True)])
    size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) / 1e6
    p50, p99 = np.percentile(times, [50, 99])
    print(f"| {name} | {table.count_rows():,} | {built:.0f} | {size:,.0f} | {p50:.1f} | {p99:.1f} | {recall:.3f} |", flush=True)


def _timed(work: Callable[[], Any]) -> tuple[Any, float]:
    start = perf_counter()
    return work(), perf_counter() - start


def _unit(vectors: NDArray[np.floating]) -> NDArray[np.float32]:
    normalised: NDArray[np.float32] = (vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)).astype(np.float32)
    return normalised


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
