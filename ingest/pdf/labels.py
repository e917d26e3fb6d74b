"""Printed page labels from a PDF's rules (ISO 32000-1, 12.4.2). Pure functions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

_HEXADECIMAL = re.compile(r"^<([0-9A-Fa-f]+)>$")
_ROMAN = [
    ["", *"I II III IV V VI VII VIII IX".split()],
    ["", *"X XX XXX XL L LX LXX LXXX XC".split()],
    ["", *"C CC CCC CD D DC DCC DCCC CM".split()],
    ["", *"M MM MMM".split()],
]


class LabelRule(NamedTuple):
    """From the 0-based page `start` on: `prefix`, then a number in `style` (D, r, R, a, A; empty: none), beginning with `first`."""

    start: int
    prefix: str
    style: str
    first: int = 1


def printed_labels(rules: Sequence[LabelRule], pages: int) -> list[str | None]:
    """The label of each page, None where no rule gives one."""
    ordered = sorted(rules)
    labels: list[str | None] = [None] * pages
    ends = [*(rule.start for rule in ordered[1:]), pages]
    for rule, end in zip(ordered, ends, strict=False):
        prefix = _mended(rule.prefix)
        for page in range(max(0, rule.start), min(end, pages)):
            labels[page] = prefix + _numeral(page - rule.start + rule.first, rule.style) or None
    return labels


def _mended(prefix: str) -> str:
    """A damaged prefix (a hexadecimal string left undecoded) is decoded; what can't be printed goes."""
    hexadecimal = _HEXADECIMAL.match(prefix)
    if hexadecimal and len(hexadecimal[1]) % 2 == 0:
        raw = bytes.fromhex(hexadecimal[1])
        prefix = raw[2:].decode("utf-16-be", "replace") if raw.startswith(b"\xfe\xff") else raw.decode("latin-1")
    return "".join(c for c in prefix if c.isprintable()).strip()


def _numeral(number: int, style: str) -> str:
    if style in ("r", "R"):
        digits = map(int, f"{number % 4000:04d}")
        roman = "".join(_ROMAN[place][digit] for place, digit in zip((3, 2, 1, 0), digits, strict=True))
        return roman if style == "R" else roman.lower()
    if style in ("a", "A"):
        return chr(ord(style) + (number - 1) % 26) * ((number - 1) // 26 + 1)
    return str(number) if style == "D" else ""
