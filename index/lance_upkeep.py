"""What a commit does for the tables' speed in LanceDB: files are compacted, large tables get indexes, which are kept up."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import Any

from lancedb.index import Bitmap, BTree, IvfRq

INDEXED_FROM = 20_000
"""Rows of a table from which look-ups by id get an index."""
NEAREST_FROM = 20_000
"""Chunks from which the nearest are found with an index. Below, all vectors are compared: exact, and as fast (12 ms at 10,000)."""
PARTS = 0.2
"""Of the square root of the rows: the parts of an index of vectors. A search looks into most of them, so few cost less: with .5, at
100,000 chunks, a search took 1.3 ms more and of the exact first ten .996 were found, not .995."""
MAX_UNINDEXED = 0.1
"""Share of a table's rows that may be new since its index of vectors was built: they are compared one by one."""
MAX_FRAGMENTS = 16
"""Files of a table that are not whole, from which a commit compacts it."""
ROWS_A_FRAGMENT = 20_000
"""Rows of a whole file, which is left alone: what a commit costs, in time and memory, must not grow with the table."""
_MULTIPLE = 8
"""RaBitQ packs a bit a dimension into bytes; other dimensions stay without an index."""


def maintain(
    table: Any,
    *,
    ids: Sequence[str] = (),
    kind: str | None = None,
    vector: str | None = None,
    dimension: int = 0,
    nearest_from: int = NEAREST_FROM,
) -> None:
    """Compacts a table of many files; indexes the id columns, the column `kind` of few values and the vectors of a large one."""
    rows = table.count_rows()
    if table.stats()["fragment_stats"]["num_fragments"] - rows // ROWS_A_FRAGMENT > MAX_FRAGMENTS:
        _compact(table)
    have = {column: index.name for index in table.list_indices() for column in index.columns}
    if rows >= INDEXED_FROM:
        for column in sorted(set(ids) - set(have)):
            table.create_index(column, config=BTree())
        if kind is not None and kind not in have:
            table.create_index(kind, config=Bitmap())
    if vector is not None and rows >= nearest_from and dimension % _MULTIPLE == 0 and _is_stale(table, have.get(vector), rows):
        table.create_index(vector, config=IvfRq(distance_type="cosine", num_partitions=max(int(PARTS * sqrt(rows)), 1)))


def _compact(table: Any) -> None:
    """What `table.optimize()` does, but for the size of a file, which it can't be told; in one thread, to bound the memory."""
    dataset = table.to_lance()
    dataset.optimize.compact_files(target_rows_per_fragment=ROWS_A_FRAGMENT, num_threads=1)
    dataset.optimize.optimize_indices()
    table.checkout_latest()


def _is_stale(table: Any, index: str | None, rows: int) -> bool:
    stats = None if index is None else table.index_stats(index)
    return stats is None or stats.num_unindexed_rows > MAX_UNINDEXED * rows
