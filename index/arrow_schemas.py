"""The columns of every table of documents that a library has.

Times are UTC without a zone. Runs of pages are flat lists of numbers, three each: structs of a list are read a third as fast.
Nothing here knows LanceDB.
"""

from __future__ import annotations

import pyarrow as pa


def schema_of(**columns: pa.DataType) -> pa.Schema:
    """A schema of nullable columns."""
    return pa.schema([pa.field(name, kind) for name, kind in columns.items()])


def _structs(**columns: pa.DataType) -> pa.DataType:
    return pa.list_(pa.struct(list(schema_of(**columns))))


_TEXT, _INT, _INT64, _FLOAT, _TIME = pa.string(), pa.int32(), pa.int64(), pa.float64(), pa.timestamp("us")
_TEXTS, _INTS, _INTS64 = pa.list_(_TEXT), pa.list_(_INT), pa.list_(_INT64)
_SILENT = _structs(start=_INT64, end=_INT64, replacement=_TEXT)

DOCUMENTS = schema_of(
    document_id=_TEXT,
    root=_TEXT,
    source_document=_TEXT,
    title=_TEXT,
    format=_TEXT,
    namespace=_TEXT,
    source_sha256=_TEXT,
    text_sha256=_TEXT,
    size=_INT64,
    mtime_ns=_INT64,
    parser=_TEXT,
    status=_TEXT,
    reason=_TEXT,
    warning_pages=_INTS,
    encoding=_TEXT,
    page_count=_INT,
    page_labels=_TEXTS,
    cautions=_TEXTS,
    properties=_structs(name=_TEXT, value=_TEXT),
    chunk_count=_INT,
    entity_id=_TEXT,
    entity_type=_TEXT,
    ingested_at=_TIME,
    remembered_at=_TIME,
    raw_path=pa.binary(),
    titled_by_name=pa.bool_(),
    given=_structs(name=_TEXT, value=_TEXT),
    searchable=_TEXTS,
    entity_name=_TEXT,
    kind=_TEXT,
    authored_by=_TEXT,
)
TEXTS = schema_of(document_id=_TEXT, text=pa.large_string(), silent=_SILENT, page_map=_INTS64)
PAGES = schema_of(
    document_id=_TEXT,
    number=_INT,
    label=_TEXT,
    width=_FLOAT,
    height=_FLOAT,
    rotation=_INT,
    fingerprint=_TEXT,
    runs=_INTS64,
    exclusions=_structs(
        page=_INT, source_offset=_INT64, length=_INT64, text=_TEXT, reason=_TEXT, x0=_FLOAT, y0=_FLOAT, x1=_FLOAT, y1=_FLOAT
    ),
)
FAILURES = schema_of(root=_TEXT, source_document=_TEXT, reason=_TEXT, failed_at=_TIME, source_sha256=_TEXT)
CHUNKS = schema_of(
    chunk_id=_TEXT,
    document_id=_TEXT,
    ordinal=_INT,
    section_key=_TEXT,
    section_path=_TEXTS,
    role=_TEXT,
    kind=_TEXT,
    remembered_at=_TIME,
    content=_TEXT,
    record=_TEXT,
)
"""`record` is what `index.chunk_records` writes; the columns before `content` are copies, to look rows up by."""
CHUNK_RECORD = ["content", "record"]
"""The columns that a ChunkRecord is read from."""
OLD_CHUNK_RECORD = [
    "chunk_id", "document_id", "ordinal", "section_path", "source_offset", "content", "role", "units", "context", "silent",
    "page_starts", "line_from", "cautions", "kind", "origin", "authored_by", "remembered_at", "units_remembered_at",
]  # fmt: skip
"""Those of formats before 4; the last was not in all."""


def chunks_schema(dimension: int) -> pa.Schema:
    """`vector` and `passage_key` are null and `unit_vectors` empty for chunks that aren't embedded."""
    vectors = schema_of(
        passage_key=_TEXT, vector=pa.list_(pa.float32(), dimension), unit_vectors=pa.list_(pa.list_(pa.float16(), dimension))
    )
    return pa.schema([*CHUNKS, *vectors])


BY_DOCUMENT = ("documents", "texts", "pages", "chunks", "references")
"""The tables whose rows go with the document of their `document_id`."""


def schemas(dimension: int) -> dict[str, pa.Schema]:
    """The schemas of the tables that hold documents, by name."""
    return {"documents": DOCUMENTS, "texts": TEXTS, "pages": PAGES, "chunks": chunks_schema(dimension), "failures": FAILURES}
