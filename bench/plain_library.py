"""A library without the embedding model: what looks up quotations, exports and verifies needs none."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from index.memory import HashingEmbedder
from index.store import LibraryStore
from pincite import Library


class _WordCounter:
    max_tokens = 256
    splits_at_spaces = False

    def count(self, texts: Sequence[str]) -> list[int]:
        return [max(len(text.split()), len(text) // 6) for text in texts]


def plain_library(folder: Path) -> Library:
    """Opens the library in the folder, or a new one."""
    store = LibraryStore.open(folder, create=True)
    return Library(store, embedder=HashingEmbedder(), counter=_WordCounter(), create=True)
