"""What goes to the terminal: data on stdout, messages on stderr; words of documents are data, never commands to the terminal."""

from __future__ import annotations

import os
import re
import shutil
import sys
import textwrap
from collections.abc import Iterable, Mapping
from typing import TextIO

from query.serialise import Json, json_text

_UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_LINE_ENDS = re.compile(r"\r\n?|[\v\f\x85\u2028\u2029]")

BOLD_START, BOLD_END = "\x02", "\x03"
"""Stand for the ends of a bold run while text is wrapped: words made safe never hold them."""


def safe(text: str) -> str:
    """The text with control characters (escape sequences, backspaces, direction overrides) written out; lines stay lines."""
    return _UNSAFE.sub(lambda m: m.group().encode("unicode_escape").decode("ascii"), _LINE_ENDS.sub("\n", text))


def one_line(text: str) -> str:
    """A name or title on one line, its line ends written out."""
    return safe(text).replace("\n", "\\n").replace("\t", "\\t")


def colours(stream: TextIO) -> bool:
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


_LINKING = ("WT_SESSION", "KITTY_WINDOW_ID", "KONSOLE_VERSION", "DOMTERM", "FORCE_HYPERLINK")
_LINKING_PROGRAMS = ("iTerm.app", "WezTerm", "vscode", "ghostty", "Hyper", "rio", "WarpTerminal")
_FIRST_LINKING_VTE = 5000


def links(environment: Mapping[str, str]) -> bool:
    """Whether the terminal is known to have clickable links (OSC 8); it can't be asked."""
    vte = environment.get("VTE_VERSION", "")
    return (
        any(environment.get(name) for name in _LINKING)
        or environment.get("TERM_PROGRAM") in _LINKING_PROGRAMS
        or environment.get("TERM", "").startswith(("xterm-kitty", "foot", "alacritty"))
        or (vte.isdecimal() and int(vte) >= _FIRST_LINKING_VTE)
    )


class Style:
    """Bold and dim on a terminal; on anything else, bold is put between `**`."""

    def __init__(self, *, on: bool, linking: bool | None = None) -> None:
        self.on = on
        self.linking = on and (links(os.environ) if linking is None else linking)

    def link(self, text: str, address: str | None) -> str:
        """Text that leads to an address when it is clicked, on terminals that have that. The address is an ASCII URI."""
        if not self.linking or address is None or not address.isascii() or not address.isprintable():
            return text
        return f"\x1b]8;;{address}\x1b\\{text}\x1b]8;;\x1b\\"

    def bold(self, text: str) -> str:
        return f"\x1b[1m{text}\x1b[22m" if self.on else text

    def dim(self, text: str) -> str:
        return f"\x1b[2m{text}\x1b[22m" if self.on else text

    def removed(self, text: str) -> str:
        return f"\x1b[31m{text}\x1b[39m" if self.on else text

    def added(self, text: str) -> str:
        return f"\x1b[32m{text}\x1b[39m" if self.on else text

    def marked(self, text: str) -> str:
        """Puts the bold runs in, coloured."""
        start, end = ("\x1b[1;33m", "\x1b[22;39m") if self.on else ("**", "**")
        return text.replace(BOLD_START, start).replace(BOLD_END, end)


def width() -> int:
    return min(shutil.get_terminal_size((100, 24)).columns, 110)


def wrapped(text: str, indent: str = "   ") -> str:
    lines = (textwrap.wrap(line, width(), initial_indent=indent, subsequent_indent=indent) or [""] for line in text.split("\n"))
    return "\n".join(line for part in lines for line in part)


def out(text: str = "") -> None:
    """One piece of the answer."""
    print(text, file=sys.stdout)


def note(text: str) -> None:
    """A message for the person at the terminal."""
    sys.stdout.flush()
    print(text, file=sys.stderr, flush=True)


def out_json(value: Json) -> None:
    out(json_text(value, indent=2))


def out_jsonl(values: Iterable[Json]) -> None:
    for value in values:
        out(json_text(value))


def table(rows: Iterable[Mapping[str, str]], right: frozenset[str] = frozenset()) -> list[str]:
    """Rows of equal keys as aligned lines, a head line first; columns named in `right` stand to the right."""
    rows = [{k: one_line(v) for k, v in row.items()} for row in rows]
    if not rows:
        return []
    names = list(rows[0])
    widths = {n: max(len(n), *(len(r[n]) for r in rows)) for n in names}
    lines = [{n: n for n in names}, *rows]
    return ["  ".join(r[n].rjust(widths[n]) if n in right else r[n].ljust(widths[n]) for n in names).rstrip() for r in lines]
