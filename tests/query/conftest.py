"""Small libraries in memory, built from sentences."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

import pytest

from index.keys import chunk_ids
from index.memory import HashingEmbedder, MemoryLibrary
from index.models import ChunkRecord, DocumentRecord, DocumentText, EmbeddedChunk, NewDocument, PageStart
from ingest.models import Exclusion, Page, PageRun, Passage, Role, SilentRange, Span, Unit
from ingest.reading import reading_text, silent_within, zero_width

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


@dataclass(frozen=True, kw_only=True)
class Doc:
    """A document to be: sections of sentences. A sentence that begins with a form feed begins a page (of a PDF)."""

    path: str
    sections: Sequence[tuple[tuple[str, ...], Sequence[str]]]
    root: str = "docs"
    title: str | None = None
    namespace: str | None = None
    labels: tuple[str | None, ...] = ()
    exclusions: tuple[Exclusion, ...] = ()
    cautions: tuple[str, ...] = ()
    role: Role = "body"
    joiner: str = " "
    partial: bool = False
    silent: tuple[SilentRange, ...] | None = None
    sha256: str = "0" * 64
    extra: dict[str, str] = field(default_factory=dict)

    @property
    def paged(self) -> bool:
        return self.path.endswith(".pdf")


class _Builder:
    def __init__(self, doc: Doc) -> None:
        self.doc, self.text, self.breaks, self.chunks = doc, "", [0], []

    def put(self, words: str) -> Span:
        if words.startswith("\f"):
            self.breaks.append(len(self.text))
            words = words[1:]
        start = len(self.text)
        self.text += words
        return Span(start, len(self.text))

    def section(self, path: tuple[str, ...], sentences: Sequence[str]) -> None:
        if self.text:
            self.text += "\n\n"
        units: list[Unit] = []
        if path:
            units.append(Unit(span=self.put(path[-1] if self.doc.paged else f"# {path[-1]}"), role="heading"))
        for n, sentence in enumerate(sentences):
            if units:
                self.text += "\n\n" if n == 0 else self.doc.joiner
            units.append(Unit(span=self.put(sentence), role=self.doc.role, partial=self.doc.partial))
        self.chunks.append((path, Span(units[0].span.start, units[-1].span.end), tuple(units)))

    def page_map(self) -> tuple[PageRun, ...]:
        if not self.doc.paged:
            return ()
        ends = [*self.breaks[1:], len(self.text)]
        return tuple(PageRun(a, b, n) for n, (a, b) in enumerate(zip(self.breaks, ends, strict=True), start=1) if a < b)


def build(doc: Doc) -> NewDocument:
    b = _Builder(doc)
    for path, sentences in doc.sections:
        b.section(path, sentences)
    text, page_map = b.text, b.page_map()
    silent = doc.silent
    if silent is None:
        marks = (
            [] if doc.paged else [SilentRange(start=m.start(), end=m.end()) for m in re.finditer(r"^# |\*\*", text, re.MULTILINE)]
        )
        silent = tuple(sorted([*zero_width(text), *marks], key=lambda r: r.start))
    document_id = hashlib.sha256(f"{doc.root}:{doc.path}".encode("utf-8", "surrogatepass")).hexdigest()[:32]
    ids = chunk_ids(document_id, [(path, span.slice(text)) for path, span, _ in b.chunks])
    chunks = tuple(
        _chunk(doc, text, silent, page_map, chunk_id, document_id, n, part)
        for n, (chunk_id, part) in enumerate(zip(ids, b.chunks, strict=True))
    )
    pages = tuple(
        Page(
            number=n, label=doc.labels[n - 1] if doc.labels else None, width=100, height=100, rotation=0, fingerprint="", runs=(),
            exclusions=tuple(e for e in doc.exclusions if e.page == n),
        )
        for n in range(1, len(b.breaks) + 1)
    )  # fmt: skip
    record = DocumentRecord(
        document_id=document_id,
        root=doc.root,
        source_document=doc.path,
        title=doc.title or doc.path.rsplit(".", 1)[0],
        format="pdf" if doc.paged else "markdown",
        namespace=doc.namespace,
        source_sha256=doc.sha256,
        text_sha256=hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest(),
        size=0,
        mtime_ns=0,
        parser="test",
        status="ok",
        reason=None,
        warning_pages=(),
        encoding=None,
        page_count=len(pages) if doc.paged else None,
        page_labels=doc.labels,
        cautions=doc.cautions,
        properties=(),
        chunk_count=len(chunks),
        entity_id=document_id,
        entity_type="document",
        ingested_at=NOW,
        remembered_at=NOW,
    )
    return NewDocument(
        record=record,
        text=DocumentText(document_id=document_id, text=text, silent=silent, page_map=page_map),
        pages=pages if doc.paged else (),
        chunks=tuple(_embedded(chunk) for chunk in chunks),
    )


def _chunk(doc, text, silent, page_map, chunk_id, document_id, ordinal, part) -> ChunkRecord:  # type: ignore[no-untyped-def]
    path, span, units = part
    return ChunkRecord(
        chunk_id=chunk_id,
        document_id=document_id,
        ordinal=ordinal,
        section_path=path,
        source_offset=span.start,
        content=span.slice(text),
        role=doc.role,
        units=units,
        silent=silent_within(silent, span),
        page_starts=tuple(
            PageStart(max(r.start - span.start, 0), r.page) for r in page_map if r.end > span.start and r.start < span.end
        ),
        line_from=None if doc.paged else 1 + len(re.findall(r"\r\n|\r|\n", text[: span.start])),
        remembered_at=NOW,
    )


def _embedded(chunk: ChunkRecord) -> EmbeddedChunk:
    if chunk.role == "markup":
        return EmbeddedChunk(chunk=chunk)
    reading = reading_text(chunk.content, chunk.silent)
    spans = tuple(reading.to_reading(unit.span.shift(-chunk.source_offset)) for unit in chunk.units)
    [vectors] = HashingEmbedder().embed_passages([Passage(text=reading.text, units=spans)])
    return EmbeddedChunk(chunk=chunk, vectors=vectors)


def make(docs: Iterable[Doc]) -> MemoryLibrary:
    return MemoryLibrary([build(doc) for doc in docs], settings=HashingEmbedder().settings)


AGREEMENT = Doc(
    path="agreement.pdf",
    title="Master Services Agreement",
    labels=("i", "1", "2"),
    sections=[
        (("Preamble",), ["This agreement is made between Alder Ltd. and Birch plc."]),
        (
            ("4 Fees", "4.2 Late payment"),
            [
                "\fThe Customer pays each invoice within thirty days.",
                "Interest accrues at 1.5% per month on late payment.",
                "\fThe Supplier may suspend the services while an invoice is open.",
            ],
        ),
        (("5 Term", "Notice"), ["Either party may end this agreement with sixty days' notice."]),
        (("9 Lease", "Notice"), ["Either party may end this agreement with sixty days' notice."]),
    ],
)
HANDBOOK = Doc(
    path="handbook.md",
    title="Handbook",
    sections=[
        ((), ["Welcome to the harbour office."]),
        (("Codes",), ["The code foo_bar() clears the hopper queue.", "The code foo_baz() fills the hopper queue."]),
        (("Versions",), ["Release v2.10.3 adds the tide table.", "Release v2.1.03 removes the tide table.", "Valve K-77 leaks."]),
        (
            ("Pumps",),
            ["Valve K-7 is sound.", "Open the bleed screw **left** of the pump.", "Prime the pump.", "Open the bleed screw again."],
        ),
    ],
)


@pytest.fixture(scope="session")
def doc() -> type[Doc]:
    return Doc


@pytest.fixture(scope="session")
def new_document() -> Callable[[Doc], NewDocument]:
    """Makes a document, ready for an index."""
    return build


@pytest.fixture(scope="session")
def library() -> Callable[..., MemoryLibrary]:
    """Makes a library of the documents given; of an agreement (PDF) and a handbook (Markdown) if none is."""
    return lambda *docs: make(docs or (AGREEMENT, HANDBOOK))


@pytest.fixture(scope="session")
def embedder() -> HashingEmbedder:
    return HashingEmbedder()
