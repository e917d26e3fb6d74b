"""What a caller asks of a search, checked before anything is looked up."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import get_args

from index.models import Kind
from ingest.errors import UsageError
from query.models import Mode

DEFAULT_TOP_K = 5
DEFAULT_MIN_SIMILARITY = 0.35
MAX_QUERY_CHARACTERS = 10_000
"""The rest of a longer query is not looked for: no model reads it, and its first words say what it is about."""

_UNUSABLE = re.compile("[\x00\ud800-\udfff]")


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchRequest:
    """One search.

    `keyword` are other words for the keyword leg. `min_similarity` (0…1) is a floor for hits that only the semantic leg found;
    `max_distance` (0…2) is a ceiling for every hit that has a distance. `document` is a glob over `source_document` or
    `root:source_document`; `section` is text in any title of the section path, whatever its case. `kinds` None means all.
    `since` and `until` bound when the text was first remembered: ISO dates, or times (UTC, if no zone is given), both included.
    `fold` makes strict mode blind to case and to the amount of white space.
    """

    query: str
    top_k: int = DEFAULT_TOP_K
    mode: Mode = "hybrid"
    keyword: str | None = None
    min_similarity: float = DEFAULT_MIN_SIMILARITY
    max_distance: float | None = None
    document: str | None = None
    section: str | None = None
    namespace: str | None = None
    kinds: Sequence[Kind] | None = None
    since: str | None = None
    until: str | None = None
    include_hidden_text: bool = False
    fold: bool = False


def check(request: SearchRequest) -> None:
    """Raises UsageError for an argument that makes no sense."""
    if request.mode not in get_args(Mode):
        raise UsageError(f"no such search mode: {request.mode}", next_step=f"Modes: {', '.join(get_args(Mode))}.")
    if request.top_k < 1:
        raise UsageError(f"top_k must be at least 1, not {request.top_k}")
    if not 0 <= request.min_similarity <= 1:
        raise UsageError(f"min_similarity is a number from 0 to 1, not {request.min_similarity}")
    if request.max_distance is not None and not (math.isfinite(request.max_distance) and request.max_distance >= 0):
        raise UsageError(f"max_distance is a number from 0 to 2, not {request.max_distance}")
    remembered_within(request)
    unknown = sorted(set(request.kinds or ()) - set(get_args(Kind)))
    if unknown:
        raise UsageError(f"no such kind: {', '.join(unknown)}", next_step=f"Kinds: {', '.join(get_args(Kind))}.")


def remembered_within(request: SearchRequest) -> tuple[datetime | None, datetime | None]:
    """The half-open time that `since` and `until` include. Raises UsageError for what is no ISO date or time."""
    first = None if request.since is None else _moment("since", request.since)
    last = None if request.until is None else _moment("until", request.until)
    if last is None or request.until is None:
        return first, None
    try:
        return first, last + (timedelta(days=1) if _is_day(request.until) else timedelta(microseconds=1))
    except OverflowError:  # the end of time
        return first, None


def _moment(name: str, text: str) -> datetime:
    try:
        given = datetime.fromisoformat(text)
        return (given if given.tzinfo else given.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        raise UsageError(f"{name} is a date or time like 2026-01-31 or 2026-01-31T12:00, not “{text}”") from None


def _is_day(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def usable(text: str) -> str:
    """The text as engines can take it: NUL and lone surrogates become spaces, what is beyond the limit is cut off."""
    return _UNUSABLE.sub(" ", text[:MAX_QUERY_CHARACTERS])
