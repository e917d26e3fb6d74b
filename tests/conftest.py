"""What tests of several parts share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import pytest

from index.memory import HashingEmbedder, MemoryLibrary
from index.models import DocumentRecord, Failure, Generation, NewDocument


class WordCounter:
    """TokenCounter without a model: one token a word."""

    max_tokens = 256

    def count(self, texts: Sequence[str]) -> list[int]:
        return [len(t.split()) for t in texts]


class MemoryWriter:
    """LibraryWriter over a MemoryLibrary; `commits` counts what was made durable."""

    def __init__(self, library: MemoryLibrary) -> None:
        self.reader = library
        self.commits = 0
        self._failures: Sequence[Failure] = ()
        self._roots: Mapping[str, str] = {}

    def set_roots(self, roots: Mapping[str, str]) -> None:
        self._roots = dict(roots)

    def delete(self, document_ids: Iterable[str]) -> None:
        ids = list(document_ids)
        self.reader.rows.delete(ids)
        self.reader.keyword.delete(ids)

    def add(self, documents: Sequence[NewDocument]) -> None:
        self.reader.rows.add(documents)
        for d in documents:
            self.reader.keyword.add(d.record.title, d.chunks)

    def update(self, records: Sequence[DocumentRecord]) -> None:
        self.reader.rows.update(records)

    def set_failures(self, failures: Sequence[Failure]) -> None:
        self._failures = failures

    def commit(self) -> Generation:
        self.commits += 1
        self.reader.roots = self._roots or self.reader.roots
        return self.reader.commit(failures=self._failures)


@pytest.fixture
def writer() -> MemoryWriter:
    return MemoryWriter(MemoryLibrary(settings=HashingEmbedder().settings))


@pytest.fixture
def counter() -> WordCounter:
    return WordCounter()
