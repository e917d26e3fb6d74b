"""The adapter of markdown-it-py: block tokens of a text, and the exact places of the inline marks in a paragraph.

CommonMark with tables and strikethrough. markdown-it gives lines for blocks but no positions for inline tokens, so its inline
rules are wrapped: each notes which characters of its input are marks, not text. Nothing is searched for or guessed.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock, blockquote, list_block, reference
from markdown_it.rules_inline import (
    StateInline,
    autolink,
    backtick,
    emphasis,
    entity,
    escape,
    html_inline,
    image,
    link,
    strikethrough,
)
from markdown_it.token import Token

from ingest.markdown.html import tag_replacement
from ingest.reading import ZERO_WIDTH

_MAX_BLOCK_NESTING = 60  # quotes and lists inside each other; a list counts twice
_MAX_INLINE_NESTING = 20  # brackets; time on hostile input grows with it
"""What is nested deeper is taken as text. Bounds the recursion."""
_MAY_HOLD_MARKS = re.compile(r"[\\`*_~\[!<&]")
_DROP_ZERO_WIDTH = dict.fromkeys(map(ord, ZERO_WIDTH))


class Mark(NamedTuple):
    """Characters `start:end` of a content string that are read as `replacement` (mostly nothing)."""

    start: int
    end: int
    replacement: str = ""


@dataclass(slots=True)
class _Trace:
    """What the wrapped rules note. `base` is where the text being parsed (an image's description) stands in the whole content."""

    marks: list[Mark] = field(default_factory=list)
    targets: list[str] = field(default_factory=list)
    base: int = 0
    delimiters: list[tuple[Token, int, int]] = field(default_factory=list)

    def note(self, start: int, end: int, replacement: str = "") -> None:
        self.marks.append(Mark(self.base + start, self.base + end, replacement.translate(_DROP_ZERO_WIDTH)))


class Markdown:
    """The block tokens of `text`, and its paragraphs' inline marks, for which its link definitions count.

    Line numbers of the tokens count `\\n`, `\\r\\n` and `\\r`. Raises RecursionError where the caller's stack is nearly full.
    """

    def __init__(self, text: str) -> None:
        self._env: dict[str, object] = {}
        self.targets: dict[str, None] = {}
        """Where the links of all contents whose marks were asked for lead, each once."""
        self.tokens: Sequence[Token] = _block_parser().parse(text, self._env)

    def marks(self, content: str) -> list[Mark]:
        """The inline marks of an inline token's content, in no order; disjoint or nested."""
        if not _MAY_HOLD_MARKS.search(content):
            return []
        trace = _Trace()
        self._env["trace"] = trace
        _inline_parser().inline.parse(content, _inline_parser(), self._env, [])
        self.targets.update(dict.fromkeys(trace.targets))
        return trace.marks


def engine_name() -> str:
    return f"markdown-it-py {version('markdown-it-py')}"


_BlockRule = Callable[[StateBlock, int, int, bool], bool]
_Rule = Callable[[StateInline, bool], bool]
_Note = Callable[[_Trace, StateInline, int, int], None]


@functools.cache
def _block_parser() -> MarkdownIt:
    md = MarkdownIt("commonmark", {"maxNesting": 2 * _MAX_BLOCK_NESTING, "inline_definitions": True})
    md.enable("table")
    md.disable(["inline", "text_join"])
    md.block.ruler.at("blockquote", _shallow(blockquote), {"alt": ["paragraph", "reference", "blockquote", "list"]})
    md.block.ruler.at("list", _shallow(list_block), {"alt": ["paragraph", "reference", "blockquote"]})
    md.block.ruler.at("reference", _reference, {"alt": []})
    return md


@functools.cache
def _inline_parser() -> MarkdownIt:
    md = MarkdownIt("commonmark", {"maxNesting": _MAX_INLINE_NESTING})
    md.enable("strikethrough")
    rules: tuple[tuple[str, _Rule, _Note], ...] = (
        ("escape", escape, _note_escape),
        ("backticks", backtick, _note_code),
        ("strikethrough", strikethrough.tokenize, _note_delimiters),
        ("emphasis", emphasis.tokenize, _note_delimiters),
        ("link", link, _note_link),
        ("image", _image, _note_image),
        ("autolink", autolink, _note_autolink),
        ("html_inline", html_inline, _note_html),
        ("entity", entity, _note_entity),
    )
    for name, rule, note in rules:
        md.inline.ruler.at(name, _traced(rule, note))
    md.inline.ruler2.before("fragments_join", "note_delimiters", _note_used_delimiters)
    return md


def _traced(rule: _Rule, note: _Note) -> _Rule:
    def run(state: StateInline, silent: bool) -> bool:
        start, before = state.pos, len(state.tokens)
        if not rule(state, silent):
            return False
        if not silent and len(state.tokens) > before:
            note(_trace(state), state, start, state.pos)
        return True

    return run


def _trace(state: StateInline) -> _Trace:
    trace = state.env["trace"]
    assert isinstance(trace, _Trace)
    return trace


def _shallow(rule: _BlockRule) -> _BlockRule:
    """markdown-it drops the rest of the text where nesting is too deep; this keeps it, as paragraphs: nothing is lost."""

    def run(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
        return state.level < _MAX_BLOCK_NESTING and rule(state, start_line, end_line, silent)

    return run


def _reference(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    """`[^1]: text` defines a footnote, which is read, not a link."""
    if state.src.startswith("[^", state.bMarks[start_line] + state.tShift[start_line]):
        return False
    return reference(state, start_line, end_line, silent)


def _image(state: StateInline, silent: bool) -> bool:
    """The description is parsed as a text of its own, from behind `![`."""
    trace = _trace(state)
    base, delimiters = trace.base, trace.delimiters
    trace.base, trace.delimiters = base + state.pos + 2, []
    try:
        return image(state, silent)
    finally:
        trace.base, trace.delimiters = base, delimiters


def _note_escape(trace: _Trace, state: StateInline, start: int, end: int) -> None:
    token = state.tokens[-1]
    if token.content != token.markup or token.type == "hardbreak":
        trace.note(start, start + 1)


def _note_code(trace: _Trace, state: StateInline, start: int, end: int) -> None:
    ticks = len(state.tokens[-1].markup)
    trace.note(start, start + ticks)
    trace.note(end - ticks, end)


def _note_delimiters(trace: _Trace, state: StateInline, start: int, end: int) -> None:
    """Whether they mark anything is known at the end only."""
    at = end
    for token in reversed(state.tokens):
        if at <= start:
            break
        trace.delimiters.append((token, at - len(token.content), at))
        at -= len(token.content)


def _note_used_delimiters(state: StateInline) -> None:
    """Runs when emphasis is settled: markdown-it has emptied the tokens of delimiters that mark something."""
    trace = _trace(state)
    for token, start, end in trace.delimiters:
        if not token.content:
            trace.note(start, end)
    trace.delimiters = []


def _note_link(trace: _Trace, state: StateInline, start: int, end: int) -> None:
    label_end = state.md.helpers.parseLinkLabel(state, start, True)
    trace.note(start, start + 1)
    trace.note(label_end, end)
    opening = next((token for token in reversed(state.tokens) if token.type == "link_open"), None)
    if opening is not None:
        trace.targets.append(str(opening.attrs.get("href", "")))


def _note_image(trace: _Trace, state: StateInline, start: int, end: int) -> None:
    label_start = start + 2
    trace.note(start, label_start)
    trace.note(label_start + len(state.tokens[-1].content), end)


def _note_autolink(trace: _Trace, state: StateInline, start: int, end: int) -> None:
    trace.note(start, start + 1)
    trace.note(end - 1, end)


def _note_html(trace: _Trace, state: StateInline, start: int, end: int) -> None:
    trace.note(start, end, tag_replacement(state.tokens[-1].content))


def _note_entity(trace: _Trace, state: StateInline, start: int, end: int) -> None:
    trace.note(start, end, state.tokens[-1].content)
