"""What reading a file needs from outside."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class TokenCounter(Protocol):
    """Counts word pieces as the embedding model does, without loading the model."""

    @property
    def max_tokens(self) -> int:
        """Word pieces the model reads of one passage, its special tokens not counted."""
        ...

    @property
    def splits_at_spaces(self) -> bool:
        """Whether no word piece reaches over white space, so that texts joined by a space have the pieces of each."""
        ...

    def count(self, texts: Sequence[str]) -> list[int]:
        """Word pieces of each text, special tokens not counted."""
        ...
