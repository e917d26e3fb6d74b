"""From blocks to chunks.

Chunks tile the canonical text: in order, disjoint, with only white space between them. Each lies inside one section and begins
and ends with a unit; a section's first chunk begins at its heading. Footnotes, asides, captions, markup and hidden text share no
chunk with body text, nor with each other. A chunk's passage never has more word pieces than the model reads.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise

from ingest.collecting import without_cycle_search
from ingest.cutting import weigh
from ingest.models import BODY_ROLES, Block, Chunk, Flow, ParsedDocument, Passage, Role, Span
from ingest.packing import Item, pack
from ingest.passages import make_passage, missing_context, prefixes, read
from ingest.ports import TokenCounter
from ingest.sections import Section, sections
from ingest.units import MeasuredUnit, measured_units


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkSettings:
    """Sizes in word pieces. They are part of a library's identity: other settings, other chunks.

    `target_tokens`: what a chunk's content should come to; it may have more where the model's window allows and the paragraphs
    ask for it. With 175, against 200, more was found for 236 questions about five long texts (chunk recall .919 to .902, precision
    .057 to .051), and nearly as much for 775 about 49 papers. `prefix_tokens`: the most its heading path may take (and never more
    than a quarter of the window).
    """

    target_tokens: int = 175
    prefix_tokens: int = 40

    def __post_init__(self) -> None:
        if self.target_tokens < 1 or self.prefix_tokens < 0:
            raise ValueError("a chunk needs a size")


DEFAULT_SETTINGS = ChunkSettings()
_JOINT = 4
"""Word pieces that joining two texts adds at most: tokenizers part text into words, so that only the two that meet can change."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Run:
    """Neighbouring blocks of one section that may share chunks.

    `prefix` heads each chunk; `first_prefix` the one that begins with the section's heading. `rooms` are the word pieces the
    window leaves beside either.
    """

    path: tuple[str, ...]
    blocks: tuple[Block, ...]
    first_prefix: str
    prefix: str
    first_room: int
    room: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Draft:
    """A chunk to be: units `start:end` of a run."""

    run: _Run
    units: tuple[MeasuredUnit, ...]
    blocks: tuple[Block, ...]
    first: bool
    with_context: bool = True
    with_prefix: bool = True

    @property
    def room(self) -> int:
        """Word pieces the window leaves beside the prefix."""
        return self.run.first_room if self.first else self.run.room

    def weight(self, context: Iterable[Span], contexts: Mapping[Span, int]) -> int:
        """Word pieces of its units, and of this context of it."""
        return sum(m.weight for m in self.units) + sum(contexts[c] for c in context)


@without_cycle_search()
def chunk_document(document: ParsedDocument, counter: TokenCounter, *, settings: ChunkSettings = DEFAULT_SETTINGS) -> list[Chunk]:
    """The chunks of a document, in order."""
    runs = list(_runs(document, counter, settings))
    blocks = [b for run in runs for b in run.blocks]
    rooms = [run.room for run in runs for _ in run.blocks]
    measured = iter(measured_units(document, blocks, counter, rooms))
    contexts = _context_weights(document, blocks, counter)
    drafts: list[_Draft] = []
    for run in runs:
        drafts += _drafts(document.text, run, [next(measured) for _ in run.blocks], contexts, settings.target_tokens)
    return _chunks(document, counter, drafts, contexts)


def _runs(document: ParsedDocument, counter: TokenCounter, settings: ChunkSettings) -> Iterator[_Run]:
    found = sections(document.blocks)
    most = min(settings.prefix_tokens, counter.max_tokens // 4)
    paths = {p for s in found for p in (s.path, _first_path(s))}
    heads = prefixes(sorted(paths), counter, most)
    for section in found:
        first_prefix, first_weight = heads[_first_path(section)]
        prefix, weight = heads[section.path]
        for _, group in groupby(section.blocks, key=_company):
            blocks = tuple(group)
            opens = section.opened and blocks[0] is section.blocks[0]
            yield _Run(
                path=section.path,
                blocks=blocks,
                first_prefix=first_prefix if opens else prefix,
                prefix=prefix,
                first_room=counter.max_tokens - (first_weight if opens else weight),
                room=counter.max_tokens - weight,
            )


def _first_path(section: Section) -> tuple[str, ...]:
    """The path over a section's first chunk: its own title is read in the chunk."""
    return section.path[:-1] if section.opened else section.path


def _company(block: Block) -> tuple[Role, Flow]:
    """Blocks of the same company may share a chunk."""
    return ("body" if block.role in BODY_ROLES else block.role), block.flow


def _context_weights(document: ParsedDocument, blocks: Sequence[Block], counter: TokenCounter) -> dict[Span, int]:
    spans = sorted({c for b in blocks for c in b.context})
    return dict(zip(spans, weigh(counter, [read(document, s) for s in spans]), strict=True))


def _drafts(
    text: str, run: _Run, measured: Sequence[tuple[MeasuredUnit, ...]], contexts: Mapping[Span, int], target: int
) -> Iterator[_Draft]:
    items = []
    for n, (block, found) in enumerate(zip(run.blocks, measured, strict=True)):
        whole = sum(m.weight for m in found)
        context = tuple((c, contexts[c]) for c in block.context if contexts[c] * 3 <= run.room)
        for m in found:
            last = m is found[-1] and block.role == "heading"
            items.append(Item(span=m.unit.span, weight=m.weight, block=n, block_weight=whole, heading=last, context=context))
    flat = [m for found in measured for m in found]
    for start, end in pack(text, items, target, lambda i: run.room if i else run.first_room):
        yield _Draft(
            run=run,
            units=tuple(flat[start:end]),
            blocks=run.blocks[items[start].block : items[end - 1].block + 1],
            first=start == 0,
        )


def _chunks(document: ParsedDocument, counter: TokenCounter, drafts: Sequence[_Draft], contexts: Mapping[Span, int]) -> list[Chunk]:
    """Drafts made real. The weights that borders were chosen by are sums over units; here each passage that they bring near the
    model's limit is counted whole, and the rare one that is too long (a tokenizer that joins words) is made smaller."""
    made = [_chunk(document, draft, contexts) for draft in drafts]
    near = {
        i: chunk.passage.text
        for i, (draft, chunk) in enumerate(zip(drafts, made, strict=True))
        if chunk.passage and _is_near_limit(draft, chunk.passage, chunk.context, contexts, counter)
    }
    counts = counter.count(list(near.values())) if near else []
    too_long = {i for i, count in zip(near, counts, strict=True) if count > counter.max_tokens}
    out: list[Chunk] = []
    for i, (draft, chunk) in enumerate(zip(drafts, made, strict=True)):
        smaller = _smaller(draft) if i in too_long else []
        out += _chunks(document, counter, smaller, contexts) if smaller else [chunk]
    return out


def _is_near_limit(
    draft: _Draft, passage: Passage, context: Sequence[Span], contexts: Mapping[Span, int], counter: TokenCounter
) -> bool:
    """Whether the passage might be longer than the model's window, though its parts together are not."""
    spare = draft.room - draft.weight(context, contexts)
    joints = len(draft.units) + len(context)  # the prefix has one too
    if spare >= _JOINT * joints:
        return False
    without_space = sum(a.end == b.start for a, b in pairwise(passage.units))
    return not counter.splits_at_spaces or spare < _JOINT * without_space


def _smaller(draft: _Draft) -> list[_Draft]:
    """The draft without its context, else in halves, else without its prefix."""
    if draft.with_context:
        return [replace(draft, with_context=False)]
    if len(draft.units) > 1:
        middle = len(draft.units) // 2
        return [
            replace(draft, units=draft.units[:middle]),
            replace(draft, units=draft.units[middle:], first=False),
        ]
    return [replace(draft, with_prefix=False)] if draft.with_prefix else []


def _chunk(document: ParsedDocument, draft: _Draft, contexts: Mapping[Span, int]) -> Chunk:
    run = draft.run
    span = Span(draft.units[0].unit.span.start, draft.units[-1].unit.span.end)
    blocks = [b for b in draft.blocks if b.span.start < span.end and b.span.end > span.start]
    context = _context(draft, blocks, span, contexts) if draft.with_context else ()
    units = tuple(m.unit for m in draft.units)
    role = _role(blocks)
    passage = None
    if role != "markup":
        prefix = (run.first_prefix if draft.first else run.prefix) if draft.with_prefix else ""
        passage = make_passage(document.text, draft.units, [prefix, *(read(document, c) for c in context)])
    return Chunk(
        span=span,
        content=span.slice(document.text),
        section_path=run.path,
        role=role,
        units=units,
        context=context,
        passage=passage,
    )


def _context(draft: _Draft, blocks: Sequence[Block], span: Span, contexts: Mapping[Span, int]) -> tuple[Span, ...]:
    """The contexts that the chunk doesn't hold, if there is room for them all."""
    missing = [c for c in missing_context(blocks, span) if contexts[c] * 3 <= draft.run.room]
    return tuple(missing) if missing and draft.weight(missing, contexts) <= draft.room else ()


def _role(blocks: Sequence[Block]) -> Role:
    roles = {b.role for b in blocks if b.role != "heading"}
    if not roles:
        return "heading"
    return roles.pop() if len(roles) == 1 else "body"
