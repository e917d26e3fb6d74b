"""What is indexed of a chunk for the keyword leg: one definition for every implementation."""

from __future__ import annotations

from dataclasses import dataclass

from index.analysis import analyse, analyse_whole
from index.compounds import compound_parts
from index.models import ChunkRecord
from ingest.reading import reading_text

TITLE_BOOST = 0.25
SECTION_BOOST = 0.5
FORM_BOOST = 0.1
IDENTIFIER_BOOST = 1.0
SEQUENCE_BOOST = 1.0
"""Weights against a stem in the body, which weighs 1. On questions over five corpora more for forms or identifiers found less."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkTerms:
    """`title`, `section`, `body`: stems in order. `forms`: words before stemming and whole identifiers, of section and body."""

    title: tuple[str, ...]
    section: tuple[str, ...]
    body: tuple[str, ...]
    forms: tuple[str, ...]


def chunk_terms(title: str, chunk: ChunkRecord) -> ChunkTerms:
    """The terms of a chunk's reading text, its section path and its document's title. The parts of compound names in code stand
    behind the words, so that these stay neighbours."""
    text = reading_text(chunk.content, chunk.silent).text
    body = analyse_whole(text)
    parts = compound_parts(text) if chunk.role == "code" else []
    section = analyse_whole("\n".join(chunk.section_path))
    return ChunkTerms(
        title=tuple(t.term for t in analyse(title)),
        section=tuple(t.term for t in section.tokens),
        body=tuple(t.term for t in (*body.tokens, *parts)),
        forms=tuple(t.word for part in (section, body) for tokens in part for t in tokens),
    )
