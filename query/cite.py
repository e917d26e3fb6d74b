"""Where is this quotation? Every place where the words stand, across chunks and pages; or an honest no."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from index.analysis import analyse
from index.models import ChunkFilter, DocumentText, KeywordQuery
from index.ports import LibraryReader
from ingest.errors import NotFound, UsageError
from ingest.models import SilentRange, Span
from ingest.reading import reading_text, zero_width
from query.citation import page_words
from query.filters import matching_documents
from query.models import Place, QuoteMatch
from query.places import build_places
from query.quotation import Words, letters_of, places, quotation, words_of
from query.words import occurrences

_MARKS = re.compile(r"[\[\]<>&`*_~|\\]")
_WHOLE_LIBRARY = ChunkFilter(without_roles=frozenset())
_FEW = 10_000
"""Chunks with the quote's rarest word: with more of them, reading all texts costs no more than looking them up."""


def cite(reader: LibraryReader, quote: str, document: str | None = None) -> QuoteMatch:
    """Every place of the quotation in the documents that the glob `document` fits (all, if None), hidden text included.

    `exact`: the words as a slice of a canonical text; then only such places are given. `normalized`: the same words as
    `query.quotation` compares them.
    `missing`: neither; `excluded` then names the pages that hold the words only in what was left out (running heads …).
    Raises UsageError for a quote of nothing, NotFound where no document fits.
    """
    if not reading_text(quote, zero_width(quote)).text:
        raise UsageError("the quote is empty")
    within = matching_documents(reader, document)
    if document is not None and not within:
        raise NotFound(f"no document is called “{document}”")
    words = quote.strip()
    found = _exact(reader, words, _likely_documents(reader, words) & within) or _exact(reader, words, within)
    if found:
        return _answer(quote, "exact", found)
    wanted = quotation(quote)
    found = _normalized(reader, wanted, within)
    if found:
        return _answer(quote, "normalized", found)
    return QuoteMatch(quote=quote, status="missing", ambiguous=False, places=(), excluded=tuple(_excluded(reader, wanted, within)))


def _answer(quote: str, status: str, found: list[Place]) -> QuoteMatch:
    return QuoteMatch(
        quote=quote, status="exact" if status == "exact" else "normalized", ambiguous=len(found) > 1, places=tuple(found)
    )


def _exact(reader: LibraryReader, words: str, within: frozenset[str]) -> list[Place]:
    found: list[Place] = []
    for text in _texts(reader, within):
        spans = [Span(at, at + len(words)) for at in occurrences(text.text, words)]
        found += build_places(reader, text, spans)
    return found


def _normalized(reader: LibraryReader, wanted: Words, within: frozenset[str]) -> list[Place]:
    found: list[Place] = []
    for text in _texts(reader, within):
        found += build_places(reader, text, _places_in(text, text.silent, wanted) or _places_in(text, (), wanted))
    return found


def _places_in(text: DocumentText, silent: Sequence[SilentRange], wanted: Words) -> list[Span]:
    """In the text as it is read; without `silent`, as it is written, for a quotation that was copied with its marks."""
    if not wanted.letters or wanted.letters not in letters_of(text.text, silent):
        return []
    return list(places(words_of(text.text, silent), wanted))


def _texts(reader: LibraryReader, within: frozenset[str]) -> Iterator[DocumentText]:
    """Streamed, asked for in the order of (root, source_document)."""
    return reader.rows.texts([document_id for document_id in reader.documents if document_id in within])


def _likely_documents(reader: LibraryReader, words: str) -> frozenset[str]:
    """The documents with the quote's rarest word: all that can have it exactly. Empty where that can't be told cheaply.

    The quote's first and last words may go on in the text (an elision, a code), so they count only where there are no others. A
    quote with marks in it may have words that nobody reads and no index knows.
    """
    if _MARKS.search(words):
        return frozenset()
    terms = [token.term for token in analyse(words)]
    frequency = {t: n for t, n in reader.keyword.document_frequency(list(dict.fromkeys(terms[1:-1] or terms))).items() if n}
    if not frequency:
        return frozenset()
    rarest = min(frequency, key=lambda term: (frequency[term], term))
    if frequency[rarest] > _FEW:
        return frozenset()
    limit = 2 * _FEW
    hits = reader.keyword.search(KeywordQuery(words=(rarest,)), limit, _WHOLE_LIBRARY)
    if len(hits) >= limit:
        return frozenset()
    return frozenset(chunk.document_id for chunk in reader.rows.by_ids([hit.chunk_id for hit in hits]).values())


def _excluded(reader: LibraryReader, wanted: Words, within: frozenset[str]) -> Iterator[str]:
    """ "agreement.pdf, p. 3, header": where the words stand only in what was left out of the canonical text."""
    for document_id, record in reader.documents.items():
        if document_id not in within or record.page_count is None:
            continue
        for page in reader.rows.pages(document_id):
            for reason in dict.fromkeys(e.reason for e in page.exclusions):
                text = " ".join(e.text for e in page.exclusions if e.reason == reason)
                if any(places(words_of(text, zero_width(text)), wanted)):
                    yield f"{record.source_document}, {page_words((page.number, page.number), (page.label, page.label))}, {reason}"
