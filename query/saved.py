"""Quotes that were saved, found again in the library: what a file claims (`query.claims`) becomes places to export."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from index.models import DocumentRecord
from index.ports import LibraryReader
from ingest.errors import SourceChanged, SourceMissing
from ingest.models import Span
from query.claims import Claim
from query.matches import Place
from query.places import build_places
from query.words import occurrences

_AGAIN = "Search again; `pincite verify FILE` says what became of each quote."


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedQuotes:
    """The places, in the order of the file. `unplaced` are quotations that stood nowhere (`cite` had not found them)."""

    places: tuple[Place, ...]
    unplaced: tuple[str, ...] = ()


def saved_quotes(reader: LibraryReader, claims: Sequence[Claim]) -> SavedQuotes:
    """Raises SourceMissing where a claim's document is not in the library, SourceChanged where it is another state of the file or
    has other words at the place."""
    placed = [(number, claim, _document(reader, claim)) for number, claim in enumerate(claims) if claim.source_document]
    made: dict[int, Place] = {}
    for document_id in dict.fromkeys(document.document_id for _, _, document in placed):
        text = reader.rows.text(document_id)
        spans = sorted((_span(claim, d, text.text), n) for n, claim, d in placed if d.document_id == document_id)
        for (_, number), place in zip(spans, build_places(reader, text, [span for span, _ in spans]), strict=True):
            made[number] = replace(place, query=claims[number].query)
    return SavedQuotes(
        places=tuple(made[number] for number in sorted(made)),
        unplaced=tuple(claim.quote for claim in claims if not claim.source_document),
    )


def _document(reader: LibraryReader, claim: Claim) -> DocumentRecord:
    """By root and path; else, the root having another name here, by the path and the file's hash."""
    named = [d for d in reader.documents.values() if d.source_document == claim.source_document]
    found = [d for d in named if d.root == claim.root] or [d for d in named if claim.source_sha256 in (None, d.source_sha256)]
    if len(found) != 1:
        raise SourceMissing(claim.source_document, "is not in the library", next_step="Ingest it first.")
    if claim.source_sha256 not in (None, found[0].source_sha256):
        raise SourceChanged(claim.source_document, "is not the file that the quotes were taken from", next_step=_AGAIN)
    return found[0]


def _span(claim: Claim, document: DocumentRecord, text: str) -> Span:
    starts = occurrences(text, claim.quote) if claim.offset is None else [claim.offset]
    if len(starts) == 1 and text.startswith(claim.quote, starts[0]):
        return Span(starts[0], starts[0] + len(claim.quote))
    raise SourceChanged(document.source_document, "has other words at the place of a quote", next_step=_AGAIN)
