"""Where words end, for look-ups that compare characters. Pure; standard library only."""

from __future__ import annotations

import re
import unicodedata

from ingest.reading import is_unspaced

_SOUTH_EAST_ASIAN = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]")
"""Thai, Lao, Burmese, Khmer."""
_KOREAN = re.compile("[\uac00-\ud7af]")
"""Its particles follow a word without a space."""


def runs_on(before: str, after: str) -> bool:
    """Whether a word (or a character with its marks) goes on over the border between two neighbouring characters.

    Never between characters of scripts written without spaces; there a border of words can't be seen.
    """
    if not before or not after:
        return False
    if unicodedata.combining(after):
        return True
    return before.isalnum() and after.isalnum() and not (_unspaced(before) or _unspaced(after))


def ends_phrases_with_spaces(character: str) -> bool:
    """Whether the script of the character has a space where others have a comma or a full stop (Thai, Lao, Burmese, Khmer)."""
    return bool(_SOUTH_EAST_ASIAN.match(character))


def is_written_without_spaces(character: str) -> bool:
    """Whether a line may end after this character, inside a run of words, without a space there."""
    return is_unspaced(character) or ends_phrases_with_spaces(character)


def _unspaced(character: str) -> bool:
    return is_written_without_spaces(character) or bool(_KOREAN.match(character))


def occurrences(text: str, words: str) -> list[int]:
    """Where `words` begin in `text`, whole: not as a part of longer words. Occurrences don't overlap."""
    found, at = [], text.find(words) if words else -1
    while at >= 0:
        end = at + len(words)
        if runs_on(text[at - 1 : at], words[0]) or runs_on(words[-1], text[end : end + 1]):
            at = text.find(words, at + 1)
        else:
            found.append(at)
            at = text.find(words, end)
    return found
