"""The passages of a library that are nearest to a quotation which isn't there as it stands.

The keyword index names the chunks that share its rarest words; the quotation is aligned with the text around each of them.
"""

from __future__ import annotations

from collections.abc import Iterator

from index.analysis import analyse
from index.models import ChunkFilter, ChunkRecord, DocumentText, KeywordQuery
from index.ports import LibraryReader
from ingest.models import Span
from ingest.reading import silent_within
from query.alignment import MAX_CHARACTERS, MAX_WORDS, Alignment, Wanted, align, wanted_words, words_in
from query.matches import Candidate
from query.places import build_places

CANDIDATE = 0.67
"""Least similarity of a passage that a quotation may be meant for: two words of three. A sentence made up from half of the words,
with common words in place by chance, has less."""

_TERMS = 16
_CHUNKS = 6
_REGION = 12_000
"""Characters of a text that are aligned at most around one chunk."""


def nearest(reader: LibraryReader, quote: str, within: frozenset[str]) -> list[Candidate]:
    """The nearest passages, equally near ones in order of document and place; empty where no word of the quotation is known."""
    wanted = wanted_words(quote)
    found: list[tuple[Alignment, DocumentText]] = []
    for text, region in _regions(reader, quote, within):
        near = aligned_in(text, region, wanted)
        if near and not any(t is text and near.span == other.span for other, t in found):
            found.append((near, text))
    if not found:
        return []
    best = max(near.similarity for near, _ in found)
    order = {document_id: n for n, document_id in enumerate(reader.documents)}
    nearest_ones = sorted(
        ((near, text) for near, text in found if near.similarity == best), key=lambda f: (order[f[1].document_id], f[0].span)
    )
    return [
        Candidate(place=build_places(reader, text, [near.span])[0], similarity=near.similarity, diff=near.diff)
        for near, text in nearest_ones
    ]


def aligned_in(text: DocumentText, region: Span, wanted: Wanted) -> Alignment | None:
    """The nearest run of the region; its span counts in the whole text."""
    part = region.slice(text.text)
    near = align(wanted, words_in(part, silent_within(text.silent, region)), part)
    return None if near is None else Alignment(span=near.span.shift(region.start), similarity=near.similarity, diff=near.diff)


def _regions(reader: LibraryReader, quote: str, within: frozenset[str]) -> Iterator[tuple[DocumentText, Span]]:
    texts: dict[str, DocumentText] = {}
    seen: dict[str, list[Span]] = {}
    reach = min(2 * len(quote) + 200, _REGION // 2)
    for chunk in _chunks(reader, quote, within):
        if any(region.start <= chunk.span.start and chunk.span.end <= region.end for region in seen.get(chunk.document_id, ())):
            continue
        if chunk.document_id not in texts:
            texts[chunk.document_id] = reader.rows.text(chunk.document_id)
        text = texts[chunk.document_id]
        region = Span(max(chunk.span.start - reach, 0), min(chunk.span.end + reach, len(text.text), chunk.span.start + _REGION))
        seen.setdefault(chunk.document_id, []).append(region)
        yield text, region


def _chunks(reader: LibraryReader, quote: str, within: frozenset[str]) -> list[ChunkRecord]:
    """Best first: those that share the quotation's rarest words."""
    terms = list(dict.fromkeys(token.term for token in analyse(quote[:MAX_CHARACTERS])))[:MAX_WORDS]
    frequency = reader.keyword.document_frequency(terms)
    known = sorted((term for term in terms if frequency[term]), key=lambda term: (frequency[term], term))[:_TERMS]
    if not known:
        return []
    where = ChunkFilter(document_ids=None if len(within) == len(reader.documents) else within, without_roles=frozenset())
    hits = reader.keyword.search(KeywordQuery(words=tuple(known)), _CHUNKS, where)
    chunks = reader.rows.by_ids([hit.chunk_id for hit in hits])
    return [chunks[hit.chunk_id] for hit in hits if hit.chunk_id in chunks and chunks[hit.chunk_id].kind == "section"]
