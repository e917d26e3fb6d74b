"""A spreadsheet cell's value as the sheet shows it, for plain number formats; others as they are stored.

Number formats: ECMA-376, part 1, 18.8.30. Understood: digits, thousands, decimals, per cent, words before and after, dates.
"""

from __future__ import annotations

import re
from datetime import date, datetime, time

_FORMAT = re.compile(
    r"""(?P<before>(?:"[^"]*"|\\.|\[\$[^\]]*\]|[$€£¥ (-])*)
        (?P<number>[#0,]+(?:\.[0#]+)?)
        (?P<percent>\s*%)?
        (?P<after>(?:"[^"]*"|\\.|\[\$[^\]]*\]|_.|[$€£¥ )])*)$""",
    re.VERBOSE,
)
_LITERAL = re.compile(r'"([^"]*)"|\\(.)|\[\$([^\]-]*)(?:-[^\]]*)?\]|_.|([$€£¥ ])')


def shown_value(value: object, number_format: str = "General") -> str:
    """The text of a cell; "" for an empty one. Dates are ISO 8601, whatever the format."""
    match value:
        case None:
            text = ""
        case bool():
            text = "TRUE" if value else "FALSE"
        case datetime():
            text = value.date().isoformat() if value.time() == time() else value.isoformat(sep=" ", timespec="seconds")
        case date() | time():
            text = value.isoformat()
        case int() | float():
            text = _formatted(value, number_format) or (str(value) if isinstance(value, int) else f"{value:.15g}")
        case _:
            text = " ".join(str(value).split())
    return text


def _formatted(value: float, number_format: str) -> str | None:
    """None for a format that is not understood."""
    found = _FORMAT.fullmatch(number_format.partition(";")[0].strip())
    if not found or not abs(value) < 1e15:
        return None
    pattern, percent = found["number"], found["percent"] or ""
    if ",." in pattern or pattern.endswith(","):  # in thousands
        return None
    decimals = pattern.partition(".")[2]
    places = min(len(decimals), 15)
    comma = "," if "," in pattern else ""
    figures = f"{value * 100 if percent else value:{comma}.{places}f}"
    if decimals.endswith("#"):
        figures = figures.rstrip("0").rstrip(".")
    if "," not in pattern:
        figures = figures.zfill(pattern.partition(".")[0].count("0") + len(figures) - len(figures.partition(".")[0]))
    return f"{_words(found['before'])}{figures}{percent.strip()}{_words(found['after'])}".strip()


def _words(part: str) -> str:
    return "".join(a or b or c or d or "" for a, b, c, d in _LITERAL.findall(part))
