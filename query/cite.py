"""Where is this quotation? Every place where the words stand, across chunks and pages; or an honest no, with the nearest passage.

Several quotations at once cost little more than one: the keyword index names the documents that may have each of them; only what
isn't found there is looked for in all texts, each read once for all quotations.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from index.analysis import analyse
from index.models import ChunkFilter, DocumentRecord, KeywordQuery
from index.ports import LibraryReader
from ingest.errors import NotFound, UsageError
from ingest.models import PAGED, WITH_LINES, Page, Span
from ingest.reading import reading_text, zero_width
from query.alignment import MAX_CHARACTERS
from query.citation import page_words
from query.filters import matching_documents
from query.forms import Form, ReadText
from query.matches import Place, QuoteMatch
from query.nearest import CANDIDATE, nearest
from query.places import build_places
from query.preference import preferred_place
from query.quotation import quotation
from query.words import occurrences

_MARKS = re.compile(r"[\[\]<>&`*_~|\\]")
_WHOLE_LIBRARY = ChunkFilter(without_roles=frozenset())
_FEW = 10_000
"""Chunks with the quote's rarest word: with more of them, reading all texts costs no more than looking them up."""


def cite(reader: LibraryReader, quote: str, document: str | None = None) -> QuoteMatch:
    """Every place of the quotation in the documents that the glob `document` fits (all, if None), hidden text included.

    `exact`: the words as a slice of a canonical text; then only such places are given. `normalized`: the same words as
    `query.quotation` compares them, note marks aside. `fuzzy`: not there, but a passage is near; it is a candidate, no more.
    `missing`: none of these; `excluded` then names the pages that hold the words only in what was left out (running heads …).
    Raises UsageError for a quote of nothing, NotFound where no document fits.
    """
    return cite_all(reader, [quote], document)[0]


def cite_all(reader: LibraryReader, quotes: Sequence[str], document: str | None = None) -> list[QuoteMatch]:
    """`cite` for several quotations, in their order."""
    for number, quote in enumerate(quotes, start=1):
        if not reading_text(quote, zero_width(quote)).text:
            raise UsageError("the quote is empty" if len(quotes) == 1 else f"quote {number} is empty")
    within = matching_documents(reader, document)
    if document is not None and not within:
        raise NotFound(f"no document is called “{document}”")
    searches = [_Search(reader, quote, within) for quote in quotes]
    for everywhere in (False, True):
        for look in (_Search.exactly, _Search.in_other_forms):
            _go_through(reader, [(s, s.within if everywhere else s.likely) for s in searches if not s.places], look)
    lost = [search for search in searches if not search.places]
    excluded = _excluded(reader, lost) if lost else {}
    return [search.answer(tuple(excluded.get(search.quote, ()))) for search in searches]


def _go_through(reader: LibraryReader, searches: Sequence[tuple[_Search, frozenset[str]]], look: _Look) -> None:
    """Each text is read once for all quotations that may be in it, in the order of (root, source_document)."""
    wanted = frozenset[str]().union(*(documents for _, documents in searches))
    if not wanted:
        return
    for text in reader.rows.texts([document_id for document_id in reader.documents if document_id in wanted]):
        read = ReadText(text)
        for search, documents in searches:
            if text.document_id in documents and (spans := look(search, read)):
                search.places += build_places(reader, text, spans)


class _Search:
    """One quotation on its way to an answer."""

    def __init__(self, reader: LibraryReader, quote: str, within: frozenset[str]) -> None:
        self.reader, self.quote, self.within = reader, quote, within
        self.stripped = quote.strip()
        self.wanted = quotation(quote)
        self.likely = _likely_documents(reader, self.stripped) & within
        self.places: list[Place] = []
        self.exact = False

    def exactly(self, read: ReadText) -> list[Span]:
        found = [Span(at, at + len(self.stripped)) for at in occurrences(read.text.text, self.stripped)]
        self.exact |= bool(found)
        return found

    def in_other_forms(self, read: ReadText) -> list[Span]:
        return read.places(self.wanted)

    def answer(self, excluded: tuple[str, ...]) -> QuoteMatch:
        if self.places:
            preferred, why = preferred_place(self.places)
            return QuoteMatch(
                quote=self.quote,
                status="exact" if self.exact else "normalized",
                ambiguous=len(self.places) > 1,
                places=tuple(self.places),
                preferred=preferred,
                preference=why,
            )
        near = nearest(self.reader, self.quote, self.within)
        candidates = tuple(c.place for c in near if c.similarity >= CANDIDATE)
        return QuoteMatch(
            quote=self.quote,
            status="fuzzy" if candidates else "missing",
            ambiguous=len(candidates) > 1,
            places=candidates,
            candidate=near[0] if near else None,
            excluded=excluded,
        )


_Look = Callable[[_Search, ReadText], list[Span]]


def _likely_documents(reader: LibraryReader, words: str) -> frozenset[str]:
    """The documents with the quote's rarest word: all that can have it exactly. Empty where that can't be told cheaply.

    The three rarest are looked up: one of them may be written otherwise there (broken over a line, with a note mark).

    The quote's first and last words may go on in the text (an elision, a code), so they count only where there are no others. A
    quote with marks in it may have words that nobody reads and no index knows.
    """
    if _MARKS.search(words):
        return frozenset()
    terms = [token.term for token in analyse(words[:MAX_CHARACTERS])]
    frequency = {t: n for t, n in reader.keyword.document_frequency(list(dict.fromkeys(terms[1:-1] or terms))).items() if n}
    if not frequency:
        return frozenset()
    rarest = sorted(frequency, key=lambda term: (frequency[term], term))[:3]
    if sum(frequency[term] for term in rarest) > _FEW:
        return frozenset()
    limit = 2 * _FEW
    hits = reader.keyword.search(KeywordQuery(words=tuple(rarest)), limit, _WHOLE_LIBRARY)
    if len(hits) >= limit:
        return frozenset()
    return frozenset(chunk.document_id for chunk in reader.rows.by_ids([hit.chunk_id for hit in hits]).values())


def _excluded(reader: LibraryReader, searches: Sequence[_Search]) -> dict[str, list[str]]:
    """By quotation: "agreement.pdf, p. 3, header", where its words stand only in what was left out of the canonical text."""
    found: dict[str, list[str]] = {search.quote: [] for search in searches}
    within = frozenset[str]().union(*(search.within for search in searches))
    for document_id, record in reader.documents.items():
        if document_id not in within or record.format in WITH_LINES:
            continue
        for page in reader.rows.pages(document_id):
            for reason in dict.fromkeys(e.reason for e in page.exclusions):
                text = " ".join(e.text for e in page.exclusions if e.reason == reason)
                form = Form(text, tuple(zero_width(text)))
                where = ", ".join([record.source_document, *_page_named(record, page), reason])
                for search in searches:
                    if form.places(search.wanted):
                        found[search.quote].append(where)
    return found


def _page_named(record: DocumentRecord, page: Page) -> list[str]:
    """What the page is called; nothing in a format without pages."""
    if record.format not in PAGED:
        return []
    return [page_words((page.number, page.number), (page.label, page.label), PAGED[record.format])]
