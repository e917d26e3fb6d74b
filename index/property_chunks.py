"""A document's searchable properties as chunks: "author: Ada Lovelace". They are no places in its text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime

from index.belonging import searchable_properties
from index.keys import digest
from index.models import ChunkRecord, DocumentRecord
from ingest.models import Passage, Span, Unit

MAX_CHARACTERS = 1_000
"""Of a value that is searched; the rest of a longer one is left out (the model reads no more of it)."""


def property_chunks(
    record: DocumentRecord, *, after: int, remembered: Mapping[str, datetime], now: datetime
) -> Iterator[tuple[ChunkRecord, Passage]]:
    """Each with what the model reads of it; their ordinals begin at `after`."""
    for ordinal, (name, value) in enumerate(searchable_properties(record), start=after):
        content = f"{name}: {value}"[:MAX_CHARACTERS]
        whole = Span(0, len(content))
        chunk_id = digest(record.document_id, "property", content)
        chunk = ChunkRecord(
            chunk_id=chunk_id,
            document_id=record.document_id,
            ordinal=ordinal,
            section_path=(),
            source_offset=0,
            content=content,
            role="body",
            units=(Unit(span=whole, role="body"),),
            kind="property",
            remembered_at=remembered.get(chunk_id, now),
        )
        yield chunk, Passage(text=content, units=(whole,))
