"""Stable names made of content: chunk ids and section keys."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator

from ingest.models import Passage


def digest(*parts: str) -> str:
    """32 hex digits of SHA-256 over the parts, each with its length, so that no two lists of parts collide by joining."""
    return digest_of(parts)


def digest_of(parts: Iterable[str]) -> str:
    """The `digest` of many parts."""
    h = hashlib.sha256()
    for part in parts:
        raw = part.encode("utf-8", "surrogatepass")
        h.update(len(raw).to_bytes(8, "big"))
        h.update(raw)
    return h.hexdigest()[:32]


def section_key(section_path: tuple[str, ...]) -> str:
    """Names a section path inside filters."""
    return digest(*section_path)


def passage_key(passage: Passage) -> str:
    """Names what the model reads and which units get vectors: the same key, the same vectors of the same model."""
    return digest(passage.text, *(f"{u.start}:{u.end}" for u in passage.units))


def chunk_ids(document_id: str, chunks: Iterable[tuple[tuple[str, ...], str]]) -> Iterator[str]:
    """The id of each chunk, given as (section path, content) in document order.

    An id is a hash of document, section path, text, and how many equal texts stood before under that path: it survives edits
    elsewhere.
    """
    seen: dict[str, int] = {}
    for path, content in chunks:
        base = digest(document_id, section_key(path), content)
        nth = seen.get(base, 0)
        seen[base] = nth + 1
        yield digest(base, str(nth))
