"""Chunks looked up by vector and by id, straight in Lance: by way of LanceDB's query engine each look-up takes 2–3 ms more."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

PROBES = 20
"""Of an index of vectors: parts that are looked into; more, while a filter leaves too few."""


class _Places(NamedTuple):
    """Where each chunk stands: reading by place costs a third of looking for ids."""

    ids: dict[int, str]
    """By the number that Lance gives a row."""
    offsets: dict[str, int]
    """By id: the how-manieth row, from 0."""


class ChunkLookup:
    """Look-ups in one version of the table of chunks, a Lance dataset. Safe for threads. Raises what Lance raises."""

    def __init__(self, dataset: Any) -> None:
        self._dataset = dataset

    def take(self, chunk_ids: Sequence[str], columns: list[str]) -> tuple[list[str], pa.Table]:
        """The ids that are known, each once, and their rows, both in the order of the table, which is read the fastest."""
        offsets = self._places.offsets
        known = sorted({i for i in chunk_ids if i in offsets}, key=offsets.__getitem__)
        return known, self._dataset.take([offsets[i] for i in known], columns=columns)

    def nearest(self, vector: NDArray[np.float32], limit: int, condition: str | None) -> list[tuple[float, str]]:
        """(cosine distance, chunk id) of the passages nearest to the vector, nearest first, equals by id."""
        wanted = {"column": "vector", "q": vector, "k": limit, "metric": "cosine", "minimum_nprobes": PROBES}
        table = self._dataset.scanner(
            columns=["_distance"], nearest=wanted, filter=condition, prefilter=True, with_row_id=True
        ).to_table()
        hits = zip(table.column("_distance").to_numpy(), table.column("_rowid").to_pylist(), strict=True)
        ids = self._places.ids
        return sorted((float(distance), ids[row]) for distance, row in hits if not np.isnan(distance))

    @cached_property
    def _places(self) -> _Places:
        table = self._dataset.scanner(columns=["chunk_id"], with_row_id=True).to_table()
        ids = table.column("chunk_id").to_pylist()
        return _Places(
            ids=dict(zip(table.column("_rowid").to_pylist(), ids, strict=True)),
            offsets={chunk_id: offset for offset, chunk_id in enumerate(ids)},
        )
