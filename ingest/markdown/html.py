"""HTML inside Markdown: which characters of it are read, and which headings it holds. Linear in the length of its input."""

from __future__ import annotations

import html
import re
from typing import NamedTuple

_INLINE_TAG = re.compile(
    r"</?(?:a|abbr|acronym|b|bd[io]|big|cite|code|data|del|dfn|em|font|i|img|ins|kbd|label|mark|q|s|samp|small|span|strike|strong"
    r"|su[bp]|time|tt|u|var|wbr)(?![A-Za-z0-9-])",
    re.IGNORECASE,
)
"""Words go on through these; every other tag parts words."""
_TAG = re.compile(r"</?[A-Za-z]")
_UNREAD = r"""
  <!--.*?(?:-->|\Z)
| <\?.*?(?:\?>|\Z)
| <!\[CDATA\[ | \]\]>
| <![A-Za-z][^<>]*>
| <(script|style)\b[^<>]*>.*?(?:</\1\s*>|\Z)
"""
_MARKUP = re.compile(
    _UNREAD
    + r"""
| </?[A-Za-z][^<>"']*+(?:"[^"<]*+"[^<>"']*+|'[^'<]*+'[^<>"']*+)*+>
| &(?:\#[0-9]{1,7}|\#[xX][0-9A-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});
""",
    re.VERBOSE | re.DOTALL | re.IGNORECASE,
)  # every part but the closed ones stops at the next "<", so that no start is scanned from far twice
_NEVER_READ = re.compile(_UNREAD, re.VERBOSE | re.DOTALL | re.IGNORECASE)
_HEADING_TAG = re.compile(r"<(/?)h([1-6])(?![A-Za-z0-9-])", re.IGNORECASE)


class HtmlMark(NamedTuple):
    """Characters `start:end` of an HTML block that are read as `replacement`."""

    start: int
    end: int
    replacement: str


class HtmlHeading(NamedTuple):
    """`<h2>` to `</h2>`, tags included."""

    start: int
    end: int
    level: int


def tag_replacement(tag: str) -> str:
    """What a tag (or comment) in running text is read as: white space where it parts words."""
    return "\n" if _TAG.match(tag) and not _INLINE_TAG.match(tag) else ""


def html_marks(content: str) -> list[HtmlMark]:
    """Tags, comments, scripts, styles and entities of an HTML block, in order, disjoint."""
    marks = []
    for m in _MARKUP.finditer(content):
        if m.group().startswith("&"):
            decoded = html.unescape(m.group())
            if decoded != m.group():
                marks.append(HtmlMark(m.start(), m.end(), decoded))
        else:
            marks.append(HtmlMark(m.start(), m.end(), tag_replacement(m.group())))
    return marks


def html_headings(content: str, marks: list[HtmlMark]) -> list[HtmlHeading]:
    """The headings among the tags of `html_marks`, in order, disjoint; one that isn't closed is none."""
    headings = []
    opened: tuple[int, int] | None = None
    for mark in marks:
        m = _HEADING_TAG.match(content, mark.start)
        if m is None:
            continue
        level = int(m.group(2))
        if not m.group(1):
            opened = (mark.start, level)
        elif opened and opened[1] == level:
            headings.append(HtmlHeading(opened[0], mark.end, level))
            opened = None
    return headings


def holds_unread(content: str) -> bool:
    """Whether there is a comment, instruction, script or style, not mere tags."""
    return _NEVER_READ.search(content) is not None
