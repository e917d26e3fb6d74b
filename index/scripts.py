"""Which scripts a model has words for, told by its vocabulary. An English model sees other scripts as single letters, and how
near two such texts lie says little. Pure; standard library only."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

ENOUGH_PIECES = 1_000
"""Pieces of a script from which a vocabulary has words in it: English models have under 500 in any script but Latin, multilingual
ones several thousand in each they were trained on. Of a vocabulary of less than ten times that, a tenth is enough."""


def known_scripts(pieces: Iterable[str]) -> frozenset[str]:
    """The scripts in which a vocabulary (its pieces as text) has enough pieces."""
    found = [script(letters[0]) for piece in pieces if (letters := [c for c in piece if c.isalpha()])]
    enough = min(ENOUGH_PIECES, len(found) / 10)
    return frozenset(name for name, count in Counter(found).items() if count >= enough)


def known_share(text: str, scripts: frozenset[str]) -> float:
    """The share of the text's letters that belong to the scripts; 1 for a text without letters."""
    letters = [c for c in text if c.isalpha()]
    return sum(script(c) in scripts for c in letters) / len(letters) if letters else 1.0


@lru_cache(maxsize=8192)
def script(letter: str) -> str:
    """The first word of the letter's Unicode name, which is that of its script ("LATIN", "CYRILLIC", "CJK")."""
    return unicodedata.name(letter, "?").partition(" ")[0]
