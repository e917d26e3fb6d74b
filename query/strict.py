"""Strict mode: the words as they stand, inside one chunk. No vectors, no analysis, no ranking."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from index.models import ChunkFilter, ChunkRecord
from index.ports import RowReader
from ingest.models import Span
from query.marking import Mark

_BATCH = 64


def find(rows: RowReader, text: str, where: ChunkFilter, *, limit: int, fold: bool = False) -> list[tuple[ChunkRecord, Mark]]:
    """The first `limit` chunks that hold `text`, in document order, with its first place marked and the others beside it.

    `fold` disregards case and the amount of white space.
    """
    return list(islice(_found(rows, text, where, fold=fold), limit))


def _found(rows: RowReader, text: str, where: ChunkFilter, *, fold: bool) -> Iterator[tuple[ChunkRecord, Mark]]:
    words = text.split()
    needle = max(words, key=len) if fold else text
    pattern = re.compile(r"\s+".join(map(re.escape, words)), re.IGNORECASE) if fold else re.compile(re.escape(text))
    ids = rows.containing(needle, where, fold_case=fold)
    for start in range(0, len(ids), _BATCH):
        batch = ids[start : start + _BATCH]
        chunks = rows.by_ids(batch)
        for chunk in (chunks[chunk_id] for chunk_id in batch if chunk_id in chunks):
            spans = [Span(*m.span()).shift(chunk.source_offset) for m in pattern.finditer(chunk.content)]
            if spans:
                yield chunk, Mark(span=spans[0], also=tuple(spans[1:]), partial=_is_partial(chunk, spans[0]))


def _is_partial(chunk: ChunkRecord, span: Span) -> bool:
    return any(u.partial and u.span.start < span.end and span.start < u.span.end for u in chunk.units)
