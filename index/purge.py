"""Proof that nothing of a document is left in a library: every file is read, tables decoded, and the words of every segment looked
up.

A scan of raw bytes would prove nothing, since tables and word lists are compressed: a live document isn't found in them either.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from index.fields import chunk_terms
from index.ports import LibraryReader

KEYWORD = "keyword"
NEEDLES = 64
"""Sentences looked for, spread over a document."""
SHORTEST = 12
"""Characters of the shortest sentence looked for: a shorter one may stand anywhere."""
TERMS = 2_000
"""Words looked for: those of no other document, the first ones."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """By what documents would be known: their ids, sentences and words that no other document has."""

    document_ids: tuple[str, ...]
    sentences: tuple[str, ...]
    terms: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scan:
    """What was looked at, and what was found: a line for each file that has something of the documents."""

    files: int
    tables: int
    texts: int
    segments: int
    sentences: int
    terms: int
    found: tuple[str, ...]


def trace_of(reader: LibraryReader, document_ids: Sequence[str]) -> Trace:
    """To be taken while the documents are still there."""
    inside: Counter[str] = Counter()
    sentences: dict[str, None] = {}
    for document_id in document_ids:
        title = reader.documents[document_id].title
        for chunk in reader.rows.chunks(document_id):
            inside.update(set(chunk_terms(title, chunk).body))
            parts = (u.span.shift(-chunk.source_offset).slice(chunk.content).strip() for u in chunk.units)
            sentences |= dict.fromkeys(p for p in parts if len(p) >= SHORTEST)
    everywhere = reader.keyword.document_frequency(list(inside)[:TERMS])
    own = _in_no_other(reader, set(document_ids), _spread(list(sentences), 4 * NEEDLES))
    return Trace(
        document_ids=tuple(document_ids),
        sentences=tuple(_spread(own, NEEDLES)),
        terms=tuple(t for t, n in everywhere.items() if n == inside[t]),
    )


def _in_no_other(reader: LibraryReader, ids: set[str], sentences: Sequence[str]) -> list[str]:
    shared: set[str] = set()
    for text in reader.rows.texts(i for i in reader.documents if i not in ids):
        shared |= {s for s in sentences if s in text.text}
    return [s for s in sentences if s not in shared]


def _spread(items: Sequence[str], most: int) -> list[str]:
    step = max(1, -(-len(items) // most))
    return list(items[::step])


def scan(library: Path, trace: Trace) -> Scan:
    """Reads every file below the library."""
    needles = (*trace.document_ids, *trace.sentences)
    files = tables = texts = segments = 0
    found: list[str] = []
    for file in sorted(f for f in library.rglob("*") if f.is_file()):
        files += 1
        if file.suffix == ".lance":
            tables += 1
            count, hit = _first_hit(_decoded(file), needles)
            texts += count
        else:
            _, hit = _first_hit([file.read_bytes().decode("utf-8", "surrogateescape")], trace.sentences)
        if hit is not None:
            found.append(f"{file.relative_to(library).as_posix()}: {hit[:60]}")
    for folder in sorted((library / KEYWORD).iterdir()):
        number, left = _words_left(folder, trace)
        segments += number
        found += [f"{folder.relative_to(library).as_posix()}: {what}" for what in left]
    return Scan(
        files=files,
        tables=tables,
        texts=texts,
        segments=segments,
        sentences=len(trace.sentences),
        terms=len(trace.terms),
        found=tuple(found),
    )


def _decoded(file: Path) -> Iterator[str]:
    from index.lance_files import texts_in

    return texts_in(file)


def _first_hit(texts: Iterable[str], needles: Sequence[str]) -> tuple[int, str | None]:
    """How many texts were looked at, and the first needle found in them."""
    count, found = 0, None
    for text in texts:
        count += 1
        found = found or next((n for n in needles if n in text), None)
    return count, found


def _words_left(folder: Path, trace: Trace) -> tuple[int, list[str]]:
    """The segments of a folder of words, and what in them is of the documents; files of no segment can't be looked into."""
    from index.tantivy_index import occurring, stray_files

    segments, terms = occurring(folder, {"body": trace.terms, "document_id": trace.document_ids})
    return segments, [*(f"the word {t}" for t in terms[:1]), *(f"{name} belongs to no segment" for name in stray_files(folder))]
