"""What the embedding model reads for a chunk: heading path, context, reading text; and where in it each unit stands."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ingest.cutting import weigh
from ingest.models import Block, ParsedDocument, Passage, Span
from ingest.ports import TokenCounter
from ingest.reading import as_read, joint, silent_within
from ingest.units import MeasuredUnit

SEPARATOR = " › "
_DEEPEST = 16
"""Titles of a path that are considered, from the innermost: more than any prefix holds."""


def prefixes(paths: Iterable[tuple[str, ...]], counter: TokenCounter, most: int) -> dict[tuple[str, ...], tuple[str, int]]:
    """The heading prefix of each path and its weight, at most `most`: outer titles go first, then the end of the last one."""
    tails = {path: [SEPARATOR.join(path[i:]) for i in range(max(0, len(path) - _DEEPEST), len(path))] for path in paths}
    weights = iter(weigh(counter, [tail for group in tails.values() for tail in group]))
    out = {}
    for path, group in tails.items():
        weighed = [(tail, next(weights)) for tail in group]
        fitting = [t for t in weighed if t[1] <= most]
        out[path] = fitting[0] if fitting else _shortened(path, counter, most)
    return out


def _shortened(path: tuple[str, ...], counter: TokenCounter, most: int) -> tuple[str, int]:
    """As many first words of the last title as fit."""
    words = path[-1].split()[:most] if path else []
    starts = [" ".join(words[:n]) for n in range(1, len(words) + 1)]
    fitting = [t for t in zip(starts, weigh(counter, starts), strict=True) if t[1] <= most]
    return fitting[-1] if fitting else ("", 0)


def read(document: ParsedDocument, span: Span) -> str:
    """The reading text of a span."""
    return as_read(span.slice(document.text), silent_within(document.silent, span))


def make_passage(text: str, units: Sequence[MeasuredUnit], lines: Iterable[str]) -> Passage | None:
    """The passage of a chunk: its units as they are read, joined as reading texts are; `lines` (prefix, contexts) come before.

    `text` is the document's. None where nothing of the chunk is read.
    """
    parts = [f"{line}\n" for line in lines if line]
    head = at = sum(map(len, parts))
    places: list[Span] = []
    last = ""  # the character read last
    end = units[0].unit.span.start  # where it ends in the document
    for measured in units:
        unit, own = measured.unit, measured.text
        if own and last:
            between = joint(last, text[end : unit.span.start], own[0])
            parts.append(between)
            at += len(between)
        places.append(Span(at, at + len(own)))
        parts.append(own)
        at += len(own)
        if own:
            last, end = own[-1], unit.span.end
    return Passage(text="".join(parts), units=tuple(places)) if at > head else None


def missing_context(blocks: Sequence[Block], span: Span) -> list[Span]:
    """The contexts of the blocks that the chunk at `span` doesn't hold, in order, each once."""
    every = {c for b in blocks for c in b.context}
    return sorted(c for c in every if not span.start <= c.start <= c.end <= span.end)
