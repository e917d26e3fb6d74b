"""What the embedding model reads for a chunk: heading path, context, reading text; and where in it each unit stands."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ingest.cutting import weigh
from ingest.models import Block, ParsedDocument, Passage, Span, Unit
from ingest.ports import TokenCounter
from ingest.reading import reading_text, silent_within

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
    return reading_text(span.slice(document.text), silent_within(document.silent, span)).text


def make_passage(document: ParsedDocument, span: Span, units: Sequence[Unit], lines: Iterable[str]) -> Passage | None:
    """The passage of the chunk at `span`; `lines` (prefix, contexts) come before it. None where nothing of the chunk is read."""
    reading = reading_text(span.slice(document.text), silent_within(document.silent, span))
    if not reading.text:
        return None
    head = "".join(f"{line}\n" for line in lines if line)
    places = []
    for unit in units:
        found = reading.to_reading(unit.span.shift(-span.start))
        own = found.slice(reading.text)
        start = found.start + len(own) - len(own.lstrip())
        places.append(Span(start, max(start, found.start + len(own.rstrip()))).shift(len(head)))
    return Passage(text=head + reading.text, units=tuple(places))


def missing_context(blocks: Sequence[Block], span: Span) -> list[Span]:
    """The contexts of the blocks that the chunk at `span` doesn't hold, in order, each once."""
    every = {c for b in blocks for c in b.context}
    return sorted(c for c in every if not span.start <= c.start <= c.end <= span.end)
