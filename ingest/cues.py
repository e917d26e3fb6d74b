"""The cues of a subtitle file: where each stands in the text, and its times. Pure; nothing of the text is lost on the way.

WebVTT is read as https://www.w3.org/TR/webvtt1/ says, but for what it would drop; SubRip, which no standard describes, as WebVTT
without its header, its comma for a point. Runs of lines without a blank one between are parted again at each time line.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from ingest.models import Span

_TIME = r"(?:([0-9]{1,6}):)?([0-9]{1,2}):([0-9]{1,2})[.,]([0-9]{1,3})"
_TIMING = re.compile(rf"[ \t]*{_TIME}[ \t]*-->[ \t]*{_TIME}(?![0-9.,:])")
_LINE_END = re.compile(r"\r\n?|\n")
_SIGNATURE = re.compile(r"WEBVTT(?=[ \t\r\n]|\Z)")
_NUMBER = re.compile(r"[ \t]*[0-9]{1,9}[ \t]*")
_COMMENT = re.compile(r"NOTE(?:[ \t].*)?|(?:STYLE|REGION)[ \t]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Cue:
    """`span` is all of it, without white space at its ends: identifier, time line, words. `words` is what is said (empty at the
    end of `span` where nothing is). Seconds from the beginning; `seconds_to` is never less than `seconds_from`."""

    span: Span
    words: Span
    seconds_from: float
    seconds_to: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Remark:
    """A run of lines that is no cue: `markup` is a header, comment, style or region; `loose` are lines without a time."""

    span: Span
    kind: Literal["markup", "loose"]


class _Line(NamedTuple):
    start: int
    end: int


def is_webvtt(text: str) -> bool:
    """Whether the text has the signature of WebVTT."""
    return _SIGNATURE.match(text) is not None


def read_cues(text: str) -> list[Cue | Remark]:
    """All that is in the file, in order, disjoint, with only white space between."""
    webvtt = is_webvtt(text)
    return [part for run in _runs(text) for part in _parts(text, run, webvtt=webvtt)]


def times_of(cues: Sequence[Cue | Remark], span: Span) -> tuple[float, float] | None:
    """From when to when, in seconds, the cues last that a span of the text touches. None where it touches none."""
    first = bisect_right(cues, span.start, key=lambda c: c.span.end)
    last = bisect_left(cues, span.end, lo=first, key=lambda c: c.span.start)
    touched = [cue for cue in cues[first:last] if isinstance(cue, Cue)]
    if not touched:
        return None
    return min(cue.seconds_from for cue in touched), max(cue.seconds_to for cue in touched)


def _runs(text: str) -> Iterator[list[_Line]]:
    """Neighbouring lines that aren't blank, each without white space at its ends."""
    run: list[_Line] = []
    at = 0
    while at < len(text):
        m = _LINE_END.search(text, at)
        end, following = m.span() if m else (len(text), len(text))
        line = text[at:end]
        if core := line.strip():
            start = at + len(line) - len(line.lstrip())
            run.append(_Line(start, start + len(core)))
        elif run:
            yield run
            run = []
        at = following
    if run:
        yield run


def _parts(text: str, run: list[_Line], *, webvtt: bool) -> Iterator[Cue | Remark]:
    timings = {n: m for n, line in enumerate(run) if (m := _TIMING.match(text, *line))}
    starts = [_first_line(text, run, n, timings, webvtt=webvtt) for n in timings]
    ends = [*starts, len(run)][1:]
    if leading := run[: starts[0] if starts else len(run)]:
        first = leading[0]
        markup = webvtt and (first.start == 0 or _COMMENT.fullmatch(text, *first) is not None)
        yield Remark(span=Span(first.start, leading[-1].end), kind="markup" if markup else "loose")
    for (n, timing), start, end in zip(timings.items(), starts, ends, strict=True):
        said = run[n + 1 : end]
        last = run[end - 1].end
        begin, finish = _seconds(timing.groups()[:4]), _seconds(timing.groups()[4:])
        yield Cue(
            span=Span(run[start].start, last),
            words=Span(said[0].start, last) if said else Span(last, last),
            seconds_from=begin,
            seconds_to=max(begin, finish),
        )


def _first_line(text: str, run: list[_Line], timing: int, timings: dict[int, re.Match[str]], *, webvtt: bool) -> int:
    """Where the cue of a time line begins: the line before is its identifier where a run begins with it, or it is a number."""
    before = timing - 1
    if before < 0 or before in timings:
        return timing
    opens = before == 0 and not (webvtt and run[0].start == 0)
    return before if opens or _NUMBER.fullmatch(text, *run[before]) else timing


def _seconds(parts: Sequence[str | None]) -> float:
    hours, minutes, seconds, fraction = parts
    whole = int(hours or 0) * 3600 + int(minutes or 0) * 60 + int(seconds or 0)
    return round(whole + float(f"0.{fraction or 0}"), 3)
