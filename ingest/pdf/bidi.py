"""Lines of right-to-left script in the order they are read. Pure functions.

PDFs keep such lines in visual or in logical order, and engines mend it in part. Where each character stands tells: the line is read
from right to left, but numbers and words of left-to-right scripts in it from left to right (a small part of Unicode's UAX #9,
enough for one line of one embedding).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

_MAY_BE_RIGHT = re.compile("[\u0590-\u08ff\u200f\ufb1d-\ufdff\ufe70-\ufeff\U00010800-\U00010fff\U0001e800-\U0001efff]")
"""The blocks of Unicode that have all the characters of right-to-left scripts."""
_RIGHT = ("R", "AL")
_LEFT = ("L", "EN", "AN")


def may_be_right_to_left(stream: str) -> bool:
    """Whether a page may have right-to-left lines: most pages need not be looked at line by line."""
    return not stream.isascii() and bool(_MAY_BE_RIGHT.search(stream))


def is_right_to_left(text: str) -> bool:
    """Whether the letters of the line are mostly of a right-to-left script."""
    if text.isascii():
        return False
    classes = [unicodedata.bidirectional(c) for c in text]
    right = sum(c in _RIGHT for c in classes)
    return right > 0 and right >= classes.count("L")


def logical_order(text: str, middles: Sequence[float]) -> tuple[int, ...]:
    """The places in `text` in the order in which they are read. `middles` are the characters' x."""
    clusters: list[list[int]] = []
    for i, character in enumerate(text):
        if clusters and unicodedata.combining(character):
            clusters[-1].append(i)  # a mark stays with its letter
        else:
            clusters.append([i])
    clusters.sort(key=lambda cluster: -middles[cluster[0]])
    ordered: list[list[int]] = []
    run: list[list[int]] = []  # from the first left-to-right character on, as far as it may reach

    def close() -> None:
        reach = max((n for n, cluster in enumerate(run) if _class(text, cluster) in _LEFT), default=-1) + 1
        ordered.extend([*reversed(run[:reach]), *run[reach:]])
        run.clear()

    for cluster in clusters:
        kind = _class(text, cluster)
        if kind in _RIGHT:
            close()
            ordered.append(cluster)
        elif run or kind in _LEFT:
            run.append(cluster)
        else:
            ordered.append(cluster)
    close()
    return tuple(i for cluster in ordered for i in cluster)


def _class(text: str, cluster: Sequence[int]) -> str:
    return unicodedata.bidirectional(text[cluster[0]])
