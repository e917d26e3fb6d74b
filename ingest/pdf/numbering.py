"""Numbers before titles ("4.2", "Chapter IV", "§ 7", "B."): how deep each lies. Pure functions over titles."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

_PART = r"(?i:chapter|section|part|article|annex|appendix|schedule|kapitel|abschnitt|teil|artikel|anhang)"
_NUMBER = re.compile(
    rf"^\s*(?:(?P<part>{_PART})\s+(?P<named>\d{{1,3}}|[A-Z]|[IVXLC]{{1,6}})(?P<deeper>(?:\.\d{{1,3}}){{0,5}})"
    r"|(?:§+\s*)?(?P<plain>(?!0\s)\d{1,3}(?:\.\d{1,3}){0,5}|[IVXLC]{2,6}|[A-Z](?:\.\d{1,3}){1,5}|[A-Z](?=[.)])))[.):]?(?=\s+\S|\s*$)"
)
_ANY_NUMBER = re.compile(rf"^\s*(?:{_PART}\s+)?(?:§+\s*)?(?:\d{{1,3}}|[A-Z]|[IVXLC]{{1,6}})(?:\.\d{{1,3}}){{0,5}}[.):]?(?=\s+\S)")
_LOWER = frozenset("abcdefghijklmnopqrstuvwxyz")
_ROMAN = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100}
_FIGURES, _ROMANS, _LETTERS = "figures", "romans", "letters"


def depth_of(text: str) -> int:
    """How many parts the number before the title has ("4.2" has 2); 0 where there is none."""
    number = _NUMBER.match(text)
    return _parts(number) if number else 0


def without_number(title: str) -> str:
    """The words of a title that is known to be one: there, a lone letter counts as a number, too."""
    number = _ANY_NUMBER.match(title) if title[:1] not in _LOWER else None
    return title[number.end() :].lstrip() if number else title


class _Number(NamedTuple):
    """`kind`: its figures, or the word before it; `value` of its first part; how many `parts` it has."""

    kind: str
    value: int
    parts: int


def depths_of(titles: Sequence[str]) -> list[int]:
    """The depth of each title of a document, in order; 0 for those without a number.

    Kinds of numbers lie in one another ("II.", "A.", "B.", "III."): one that begins after another, and before that goes on.
    Appendices, lettered after the last chapter, lie in none.
    """
    numbers = list(_numbers(titles))
    within = _within([number for number in numbers if number and number.parts == 1])
    whole = dict[int, str]()  # value -> kind of the last undivided number: "1.1" lies in "Chapter 1" where no "1" stands alone
    depths = []
    for number in numbers:
        if not number:
            depths.append(0)
            continue
        if number.parts == 1:
            whole[number.value] = number.kind
        kind = number.kind if number.kind in within else whole.get(number.value, number.kind)
        depths.append(number.parts + within.get(kind, 0))
    return depths


def _within(undivided: Sequence[_Number]) -> dict[str, int]:
    """In how many other kinds each kind of number lies: those that count on, after it began at 1."""
    places: dict[str, list[int]] = {}
    values: dict[str, list[int]] = {}
    for place, number in enumerate(undivided):
        places.setdefault(number.kind, []).append(place)
        values.setdefault(number.kind, []).append(number.value)
    counting = [at for kind, at in places.items() if any(value + 1 in values[kind] for value in values[kind])]
    return {
        kind: sum(other[0] < at[0] < other[-1] for other in counting) if values[kind][0] == 1 else 0 for kind, at in places.items()
    }


def _numbers(titles: Sequence[str]) -> Iterator[_Number | None]:
    roman = letter = 0  # the last ones
    for title in titles:
        match = _NUMBER.match(title)
        if not match:
            yield None
            continue
        first = (match["named"] or match["plain"]).partition(".")[0]
        if first.isdigit():
            kind, value = _FIGURES, int(first)
        elif len(first) > 1 or (ord(first) - 64 != letter + 1 and _roman(first) == roman + 1):
            kind, value = _ROMANS, _roman(first)
            roman, letter = value, 0
        else:
            kind, value = _LETTERS, ord(first) - 64
            letter = value
        yield _Number(match["part"].casefold() if match["part"] else kind, value, _parts(match))


def _parts(number: re.Match[str]) -> int:
    return 1 + (number["plain"] or number["deeper"] or "").count(".")


def _roman(number: str) -> int:
    """The value of a Roman number up to 399; 0 where it is none."""
    values = [_ROMAN.get(letter, 0) for letter in number]
    return sum(-a if a < b else a for a, b in zip(values, [*values[1:], 0], strict=True)) if all(values) else 0
