"""Is what a bundle claims still so? Each quote is looked for in its file as it is now, without a library.

`verified`   the words are at their place
`moved`      the same words are elsewhere in the file, or in the same file under another name
`changed`    the words are not there, but a passage near them is
`ambiguous`  the words are in several places, and their neighbours don't tell which is meant
`missing`    neither the words nor anything near
`no source`  the file isn't there, or can't be read
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from ingest.cues import times_of
from ingest.errors import SourceError
from ingest.models import WITH_LINES, Span
from query.alignment import Alignment, Difference
from query.claims import Claim
from query.locator import Locator, locator_of
from query.nearest import CANDIDATE
from query.placing import line_starts, lines_of, pages_of
from query.quotation import quotation
from query.serialise import Json, json_object
from query.verify_sources import Source, Sources
from query.windows import nearest_run
from query.words import occurrences

Status = Literal["verified", "moved", "changed", "ambiguous", "missing", "no source"]
STATUSES: tuple[Status, ...] = ("verified", "moved", "changed", "ambiguous", "missing", "no source")


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundPlace:
    """Where words stand in a file as it is now: offsets in its canonical text, pages and lines from 1."""

    source_document: str
    offset: int
    length: int
    quote: str
    page_from: int | None
    page_to: int | None
    line_from: int | None
    line_to: int | None
    locator: Locator | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What became of one quote. `places`: where its words stand now (`changed`, `missing`: where the nearest stand); `similarity`
    and `diff` (`query.alignment`) compare it with the nearest. `reason` says what there is to say."""

    id: str
    status: Status
    quote: str
    source_document: str
    places: tuple[FoundPlace, ...] = ()
    similarity: float | None = None
    diff: tuple[Difference, ...] = ()
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifyReport:
    """All verdicts, in the order of the bundle, and how many there are of each status."""

    verdicts: tuple[Verdict, ...]
    schema_version: Literal[1] = 1

    @property
    def counts(self) -> dict[Status, int]:
        """By status, those that occur."""
        counted = Counter(verdict.status for verdict in self.verdicts)
        return {status: counted[status] for status in STATUSES if counted[status]}

    @property
    def ok(self) -> bool:
        """Whether every quote is verified."""
        return all(verdict.status == "verified" for verdict in self.verdicts)

    def summary(self) -> str:
        """ "4 verified, 1 moved"."""
        return ", ".join(f"{number} {status}" for status, number in self.counts.items())

    def to_dict(self) -> dict[str, Json]:
        """The JSON form: the fields, `counts` and `ok`."""
        return json_object(self) | {"counts": dict(self.counts.items()), "ok": self.ok}


def verify(claims: Iterable[Claim], sources: Sources) -> VerifyReport:
    """The verdict of each claim. A file that can't be read is a verdict, not an error."""
    return VerifyReport(verdicts=tuple(_verdict(claim, sources) for claim in claims))


def _verdict(claim: Claim, sources: Sources) -> Verdict:
    error: SourceError | None = None
    try:
        verdict = _judged(claim, sources.of(claim))
        if verdict.status in ("verified", "moved", "ambiguous"):
            return verdict
    except SourceError as caught:
        error, verdict = caught, _say(claim, "no source", reason=caught.reason)
    try:
        renamed = sources.renamed(claim)
    except SourceError:
        renamed = None
    if renamed is None:
        return verdict
    there = _judged(claim, renamed)
    why = "now called" if error else "its file has changed; the words are in"
    return _say(claim, "moved", there.places, reason=f"{why} {renamed.name}") if there.status == "verified" else verdict


def _judged(claim: Claim, source: Source) -> Verdict:
    spans = _spans(claim, source)
    if not spans:
        return _nearest(claim, source)
    text = source.read.text.text
    same_file = source.sha256 == claim.source_sha256
    at_place = [span for span in spans if span.start == claim.offset]
    if same_file and at_place:
        return _say(claim, "verified", _found(source, at_place))
    context = [_context(claim, text, span) for span in spans]
    best = [span for span, score in zip(spans, context, strict=True) if score == max(context)]
    if at_place and at_place[0] in best:
        return _say(claim, "verified", _found(source, at_place))
    if len(best) > 1:
        return _say(claim, "ambiguous", _found(source, best), reason=f"the words stand in {len(best)} places")
    if same_file or claim.offset is None:
        return _say(claim, "verified", _found(source, best), reason=None if claim.offset is None else "read by another parser")
    return _say(claim, "moved", _found(source, best))


def _spans(claim: Claim, source: Source) -> list[Span]:
    """Where the words stand: as they are written; else as `cite` compares them."""
    starts = occurrences(source.read.text.text, claim.quote)
    return [Span(at, at + len(claim.quote)) for at in starts] or source.read.places(quotation(claim.quote))


def _context(claim: Claim, text: str, span: Span) -> int:
    """How many characters beside the span are those that the claim says: the neighbours tell equal words apart."""
    before = text[max(span.start - len(claim.prefix), 0) : span.start]
    after = text[span.end : span.end + len(claim.suffix)]
    return _common(before[::-1], claim.prefix[::-1]) + _common(after, claim.suffix)


def _common(one: str, other: str) -> int:
    return next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def _nearest(claim: Claim, source: Source) -> Verdict:
    text = source.read.text
    near: Alignment | None = nearest_run(claim.quote, text.text, text.silent)
    unchanged = "the file is the same, but is read otherwise" if source.sha256 == claim.source_sha256 else None
    if near is None:
        return _say(claim, "missing", reason=unchanged)
    return Verdict(
        id=claim.id,
        status="changed" if near.similarity >= CANDIDATE else "missing",
        quote=claim.quote,
        source_document=claim.source_document,
        places=_found(source, [near.span]),
        similarity=near.similarity,
        diff=near.diff,
        reason=unchanged,
    )


def _found(source: Source, spans: Sequence[Span]) -> tuple[FoundPlace, ...]:
    text = source.read.text
    starts = [(run.start, run.page) for run in text.page_map]
    lines = line_starts(text.text) if source.format in WITH_LINES else []
    places = []
    for span in spans:
        pages = pages_of(starts, span)
        at = lines_of(lines, span) if lines else None
        places.append(
            FoundPlace(
                source_document=source.name,
                offset=span.start,
                length=len(span),
                quote=span.slice(text.text),
                page_from=pages[0] if pages else None,
                page_to=pages[1] if pages else None,
                line_from=at[0] if at else None,
                line_to=at[1] if at else None,
                locator=locator_of(source.format, pages, times_of(source.cues, span), at),
            )
        )
    return tuple(places)


def _say(claim: Claim, status: Status, places: tuple[FoundPlace, ...] = (), *, reason: str | None = None) -> Verdict:
    return Verdict(
        id=claim.id, status=status, quote=claim.quote, source_document=claim.source_document, places=places, reason=reason
    )
