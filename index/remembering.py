"""Since when each sentence of a document is known. Pure.

A sentence is known by its text (white space folded) and its n-th occurrence in the document: so it keeps its time when the text
around it is edited, when it is moved to another section, and when the document is moved or read again. One that was taken out, and
comes back in a later version, is learned anew.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import NamedTuple

from index.models import ChunkRecord


class Occurrence(NamedTuple):
    """The `nth` (from 0) sentence of a document with this text."""

    text: str
    nth: int


class SentenceCounter:
    """Names the sentences of one document, which must come in its order."""

    def __init__(self) -> None:
        self._seen: Counter[str] = Counter()

    def next(self, sentence: str) -> Occurrence:
        text = " ".join(sentence.split())
        self._seen[text] += 1
        return Occurrence(text, self._seen[text] - 1)


def known_since(chunks: Iterable[ChunkRecord]) -> dict[Occurrence, datetime]:
    """When each sentence of a stored document was first learned; its chunks in order."""
    counter = SentenceCounter()
    known: dict[Occurrence, datetime] = {}
    for chunk in chunks:
        if chunk.remembered_at is None:
            continue
        times = chunk.units_remembered_at or (chunk.remembered_at,) * len(chunk.units)
        for unit, time in zip(chunk.units, times, strict=True):
            known[counter.next(unit.span.shift(-chunk.source_offset).slice(chunk.content))] = time
    return known


def remembered(
    sentences: Iterable[str], counter: SentenceCounter, known: Mapping[Occurrence, datetime], now: datetime
) -> tuple[datetime, tuple[datetime, ...]]:
    """Of the sentences of a new chunk: the newest time, and the time of each (empty where all are the same)."""
    times = tuple(known.get(counter.next(s), now) for s in sentences)
    newest = max(times, default=now)
    return newest, () if all(t == newest for t in times) else times
