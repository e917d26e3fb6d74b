"""Is a library what it says it is? Every check counts what was looked at and what was right; nothing is changed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path

from index.checks import Check
from index.doctor_sources import Depth, examine_sources
from index.manifest import MANIFEST, MANIFESTS, REBUILD, Manifest, rows_number
from index.models import ChunkRecord, DocumentRecord, DocumentText
from index.ports import LibraryReader
from index.records import page_starts
from ingest.errors import EngineError, LibraryError
from ingest.models import BODY_ROLES, PageRun, Role, SourceFile, Span

PAGE_ORDERS: tuple[frozenset[Role], ...] = (
    BODY_ROLES - {"table"},
    frozenset({"table"}),
    frozenset({"footnote", "aside", "caption"}),
    frozenset({"hidden"}),
)
"""Roles whose chunks stand in the order of their pages: the body; what stands apart follows the paragraph that it interrupts, which
may end on a later page; hidden text follows its page. A table may be in either place, but tables keep their order."""
_OWN_FILES = frozenset({MANIFEST, MANIFESTS, "keyword", "lock", "lock.json", "leases"})


def examine(
    reader: LibraryReader,
    manifest: Manifest,
    library: Path,
    source_of: Callable[[DocumentRecord], SourceFile],
    depth: Depth | None = None,
) -> Iterator[Check]:
    """All checks. With `depth` sources are parsed anew and compared. What can't be read at all is a check that failed."""
    yield from _guarded("tables of this generation", lambda: _tables(reader, manifest))
    yield from _guarded("texts and chunks", lambda: _content(reader))
    yield from _guarded("words", lambda: [_words(reader)])
    yield from _guarded("vectors", lambda: [_vectors(reader)])
    yield from _guarded("sources", lambda: examine_sources(reader, source_of, depth))
    yield _orphans(manifest, library)


def _guarded(what: str, checks: Callable[[], Iterable[Check]]) -> Iterator[Check]:
    try:
        yield from checks()
    except (EngineError, LibraryError) as error:
        yield Check(name=f"{what} that can be read", total=1, problems=[f"{error.message} ({error.next_step or REBUILD})"])


def _tables(reader: LibraryReader, manifest: Manifest) -> Iterator[Check]:
    """Each table can be opened at the version that the manifest names."""
    check = Check(name="tables of this generation")
    for name in manifest.tables:
        try:
            reader.rows.row_count(name)
        except (EngineError, LibraryError) as error:
            check.count(False, error.message)
        else:
            check.count(True, name)
    yield check


def _content(reader: LibraryReader) -> Iterator[Check]:
    counts, exact = (
        Check(name="documents with all their chunks"),
        Check(name="chunks exact (the text at their offset)"),
    )
    units = Check(name="chunks whose sentences cover them"), Check(name="documents covered by chunks, each character once")
    pages = Check(name="documents whose pages follow each other")
    texts = dict.fromkeys(reader.documents, False)
    for text in reader.rows.texts():
        record = reader.documents.get(text.document_id)
        if record is None:
            counts.count(False, f"{text.document_id}: a text without a document")
            continue
        texts[record.document_id] = True
        every = list(reader.rows.chunks(record.document_id))
        chunks = [c for c in every if c.kind != "property"]
        name = f"{record.root}:{record.source_document}"
        right = len(every) == record.chunk_count and len(chunks) == len({c.source_offset for c in chunks})
        counts.count(right, f"{name}: {len(every)} chunks, {record.chunk_count} expected")
        for c in chunks:
            where = f"{name} @{c.source_offset}"
            exact.count(c.span.slice(text.text) == c.content, where)
            units[0].count(_covered(text.text, c.span, [u.span for u in c.units]), where)
        units[1].count(_covered(text.text, Span(0, len(text.text)), [c.span for c in chunks]), name)
        wrong = next(page_problems(text, chunks, record), None)
        pages.count(wrong is None, f"{name}: {wrong}")
    for missing in (i for i, there in texts.items() if not there):
        counts.count(False, f"{reader.documents[missing].source_document}: no text")
    yield from (counts, exact, *units, pages)


def _covered(text: str, whole: Span, parts: Iterable[Span]) -> bool:
    """Whether the parts are in order, inside, disjoint, and only white space stands outside them."""
    at = whole.start
    for part in parts:
        if part.start < at or part.end > whole.end or text[at : part.start].strip():
            return False
        at = part.end
    return not text[at : whole.end].strip()


def page_problems(text: DocumentText, chunks: Sequence[ChunkRecord], record: DocumentRecord) -> Iterator[str]:
    """The page map partitions the text, pages exist, chunks say the same as the map, and pages never fall within an order."""
    runs, last = text.page_map, record.page_count
    if last is None:
        if runs:
            yield "pages, in a format that has none"
        return
    for a, b in pairwise((PageRun(start=0, end=0, page=1), *runs)):
        if a.end != b.start:
            yield f"no page, or two, between offsets {a.end} and {b.start}"
        if not 1 <= b.page <= last:
            yield f"page {b.page} of {last}"
    if runs and runs[-1].end < len(text.text.rstrip()):
        yield f"no page from offset {runs[-1].end} on"
    for c in chunks:
        if c.page_starts != page_starts(runs, c.span):
            yield f"other pages @{c.source_offset} than the text has there"
    for roles in PAGE_ORDERS:
        pages = [(p.page, c.source_offset) for c in chunks if c.role in roles for p in c.page_starts]
        for (a_page, _), (b_page, offset) in pairwise(pages):
            if b_page < a_page:
                yield f"page {b_page} after page {a_page} @{offset}"


def _words(reader: LibraryReader) -> Check:
    check = Check(name="documents whose chunks are all in the keyword index")
    found = reader.keyword.chunk_counts(list(reader.documents))
    for i, d in reader.documents.items():
        check.count(found[i] == d.chunk_count, f"{d.root}:{d.source_document}: {found[i]} of {d.chunk_count} chunks")
    rows, words = reader.rows.chunk_count(), reader.keyword.chunk_count()
    check.count(rows == words, f"{rows} chunks in the tables, {words} in the keyword index")
    return check


def _vectors(reader: LibraryReader) -> Check:
    import numpy as np

    check = Check(name="chunks with sound vectors (but for markup, which has none)")
    for record in reader.documents.values():
        chunks = {c.chunk_id: c for c in reader.rows.chunks(record.document_id)}
        vectors = reader.rows.vectors(list(chunks))
        for i, c in chunks.items():
            v = vectors.get(i)
            sound = c.role == "markup" if v is None else bool(np.isfinite(v.vector).all() and np.isfinite(v.units).all())
            sound = sound and (v is None or (len(v.units) == len(c.units) and v.vector.shape == (reader.settings.dimension,)))
            check.count(sound, f"{record.root}:{record.source_document} @{c.source_offset}")
    return check


def _at_most(folder: str, current: str) -> bool:
    """Whether it holds the tables of this generation, or of an older one (a reader may be in it)."""
    return folder.startswith("rows") and rows_number(folder) <= rows_number(current)


def _orphans(manifest: Manifest, library: Path) -> Check:
    """Whatever lies in the folder belongs to a generation."""
    check = Check(name="files and folders that belong to the library")
    for path in sorted(library.iterdir()):
        own = path.name in _OWN_FILES or _at_most(path.name, manifest.rows)
        check.count(own, f"{path.name}: left behind")
    for folder in (library / "keyword").glob("*"):
        check.count(folder.name.isdigit(), f"keyword/{folder.name}: words of a writer that died")
    return check
