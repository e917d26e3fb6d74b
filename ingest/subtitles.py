"""Subtitles (WebVTT, SubRip) -> `ParsedDocument`.

The canonical text is the decoded file itself. What is said is body text; identifiers, time lines and tags are silent, and the
text is read on over them, so that a sentence over several cues is one. Header, comments, styles and regions are markup. Times
aren't stored: `ingest.cues` reads them out of the text.
"""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from itertools import pairwise

from ingest.cues import Cue, Remark, is_webvtt, read_cues
from ingest.models import Block, Notice, ParsedDocument, SilentRange, Span
from ingest.reading import merge_silent, reading_text, silent_within, zero_width
from ingest.sentences import sentences

PAUSE = 4.0
"""Seconds of silence that end a paragraph."""
LONGEST_SENTENCE = 300
"""Characters that a sentence over several cues may have: text without full stops (automatic captions) stays parted by cues."""

_TAG = re.compile(
    r"</?(?:[bcisuv]|ruby|rt|lang|font)(?:[.\s][^<>]*)?>"  # <v Name>, <c.loud>, <font color="#fff">
    r"|<(?:[0-9]{1,6}:)?[0-9]{2}:[0-9]{2}\.[0-9]{3}>"  # the time of a word
    r"|\{\\[^{}\r\n]*\}",  # {\an8}, of SubStation Alpha
    re.IGNORECASE,
)
_VOICE = re.compile(r"<v(?:\.[^\s<>]*)?[ \t]+([^<>]*)>", re.IGNORECASE)
_ENTITY = re.compile(r"&(?:[a-zA-Z]{2,8}|#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6});")
_DIRECTION_MARKS = ("\u200e", "\u200f")
_TURN = re.compile(r"(?:<[^<>]*>)*(?:[-–—][^\S\r\n]|>>|&gt;&gt;)")
"""What begins the words of another speaker."""
_PROPERTY = re.compile(r"([A-Za-z][A-Za-z-]*)[ \t]*:[ \t]*(\S.*)")
_SHOWN_LINES = 5


def parse_subtitles(text: str, *, encoding: str | None) -> ParsedDocument:
    """The paragraphs of a subtitle file. `text` is kept as it is; what can't be read as a cue is a paragraph, with a notice."""
    webvtt = is_webvtt(text)
    cues = read_cues(text)
    marks = merge_silent([*_marks(text, webvtt=webvtt), *zero_width(text)])
    blocks: list[Block] = []
    silent = list(marks)
    for group in _groups(text, cues, marks):
        head, last = group[0], group[-1]
        if isinstance(head, Cue) and _said(text, head, marks):
            silent += _unread(text, [c for c in group if isinstance(c, Cue)], marks)
            blocks.append(Block(span=Span(head.span.start, last.span.end)))
        else:
            loose = isinstance(head, Remark) and head.kind == "loose"
            blocks.append(Block(span=head.span, role="body" if loose else "markup"))
    return ParsedDocument(
        text=text,
        format="subtitles",
        blocks=tuple(blocks),
        parser="WebVTT" if webvtt else "SubRip",
        encoding=encoding,
        silent=merge_silent(silent),
        warnings=_warnings(text, cues),
        properties=_properties(text, cues),
    )


def _said(text: str, cue: Cue, marks: Sequence[SilentRange]) -> str:
    """The words of a cue as they are read."""
    return reading_text(cue.words.slice(text), silent_within(marks, cue.words)).text


def _groups(text: str, cues: Sequence[Cue | Remark], marks: Sequence[SilentRange]) -> list[list[Cue | Remark]]:
    """Cues that make one paragraph; whatever is no cue, or says nothing, alone."""
    groups: list[list[Cue | Remark]] = []
    before: Cue | None = None
    for cue in cues:
        speaks = isinstance(cue, Cue) and bool(_said(text, cue, marks))
        if isinstance(cue, Cue) and speaks and before is not None and _goes_on(text, before, cue):
            groups[-1].append(cue)
        else:
            groups.append([cue])
        before = cue if isinstance(cue, Cue) and speaks else None
    return groups


def _goes_on(text: str, before: Cue, cue: Cue) -> bool:
    """Whether the same voice speaks on, as far as the file tells."""
    paused = cue.seconds_from - before.seconds_to >= PAUSE
    first, second = (_VOICE.search(text, c.words.start, c.words.end) for c in (before, cue))
    other = (first.group(1) if first else None) != (second.group(1) if second else None)
    return not (paused or other or _TURN.match(text, cue.words.start, cue.words.end))


def _marks(text: str, *, webvtt: bool) -> list[SilentRange]:
    """Tags; in WebVTT, entities too."""
    marks = [SilentRange(start=m.start(), end=m.end()) for m in _TAG.finditer(text)]
    for m in _ENTITY.finditer(text) if webvtt else ():
        character = html.unescape(m.group())
        if character != m.group():
            read = "" if character in _DIRECTION_MARKS else " " if character.isspace() else character
            marks.append(SilentRange(start=m.start(), end=m.end(), replacement=read))
    return marks


def _unread(text: str, cues: Sequence[Cue], marks: Sequence[SilentRange]) -> list[SilentRange]:
    """Identifiers and time lines of a paragraph's cues. Where a sentence goes on into the next cue, the blank line before that is
    unread too: it parts nothing."""
    over = _run_over(text, cues, marks)
    starts = [cues[0].span.start]
    starts += [a.words.end if runs else b.span.start for (a, b), runs in zip(pairwise(cues), over, strict=True)]
    return [
        SilentRange(start=start, end=cue.words.start, replacement="\n" if runs else "")
        for cue, start, runs in zip(cues, starts, [False, *over], strict=True)
    ]


def _run_over(text: str, cues: Sequence[Cue], marks: Sequence[SilentRange]) -> list[bool]:
    """Of each border between two cues, whether a sentence that isn't too long stands across it."""
    said = [_said(text, cue, marks) for cue in cues]
    borders: list[int] = []
    at = -1
    for words in said[:-1]:
        at += len(words) + 1
        borders.append(at)
    across = [False] * len(borders)
    n = 0
    for sentence in sentences(" ".join(said)):
        while n < len(borders) and borders[n] < sentence.end:
            across[n] = sentence.start < borders[n] and len(sentence) <= LONGEST_SENTENCE
            n += 1
    return across


def _warnings(text: str, cues: Sequence[Cue | Remark]) -> tuple[Notice, ...]:
    loose = [cue for cue in cues if isinstance(cue, Remark) and cue.kind == "loose"]
    if not any(isinstance(cue, Cue) for cue in cues):
        return (Notice(reason="no cue with a time that can be read"),) if cues else ()
    if not loose:
        return ()
    lines = [str(len(re.findall(r"\r\n?|\n", text[: cue.span.start])) + 1) for cue in loose[:_SHOWN_LINES]]
    more = f" and {len(loose) - _SHOWN_LINES} more" if len(loose) > _SHOWN_LINES else ""
    return (Notice(reason=f"text without a time that can be read: line {', '.join(lines)}{more}"),)


def _properties(text: str, cues: Sequence[Cue | Remark]) -> tuple[tuple[str, str], ...]:
    """`Kind: captions` and the like, of the header."""
    if not cues or not isinstance(cues[0], Remark) or cues[0].kind == "loose":
        return ()
    lines = cues[0].span.slice(text).splitlines()[1:]
    return tuple((m.group(1), m.group(2).strip()) for line in lines if (m := _PROPERTY.fullmatch(line.strip())))
