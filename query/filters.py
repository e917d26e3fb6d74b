"""What a request leaves out, resolved once to document ids and section keys, so that all legs mean the same."""

from __future__ import annotations

import re
import unicodedata
from fnmatch import translate

from index.models import ChunkFilter, DocumentRecord
from index.ports import LibraryReader
from ingest.models import Role
from query.requests import SearchRequest, remembered_within

_OUT_OF_SEARCH: frozenset[Role] = frozenset({"hidden", "markup"})


def resolve(reader: LibraryReader, request: SearchRequest) -> ChunkFilter | str:
    """The filter, or a message that says which argument nothing in the library fits."""
    documents = None
    if request.document is not None or request.namespace is not None:
        documents = matching_documents(reader, request.document, request.namespace)
        if not documents:
            return _nothing_fits(reader, request)
    sections = None
    if request.section is not None:
        sections = _matching_sections(reader, request.section)
        if not sections:
            return f"no section has “{request.section}” in its title"
    since, before = remembered_within(request)
    return ChunkFilter(
        document_ids=documents,
        section_keys=sections,
        kinds=None if request.kinds is None else frozenset(request.kinds),
        since=since,
        before=before,
        without_roles=_OUT_OF_SEARCH - {"hidden"} if request.include_hidden_text else _OUT_OF_SEARCH,
    )


def empty(reader: LibraryReader, request: SearchRequest, where: ChunkFilter) -> str | None:
    """A message, if the filter lets no text through at all; None if the question found nothing in what it does."""
    asked: dict[str, str | None] = {
        "document": request.document,
        "section": request.section,
        "namespace": request.namespace,
        "kind": None if request.kinds is None else ", ".join(request.kinds) or "none",
        "since": request.since,
        "until": request.until,
    }
    given = [f"{name} {value}" for name, value in asked.items() if value is not None]
    return f"no text fits the filter ({'; '.join(given)})" if given and not reader.rows.chunk_count(where) else None


def matching_documents(reader: LibraryReader, glob: str | None, namespace: str | None = None) -> frozenset[str]:
    """Ids of the documents that the glob and the namespace fit; None fits all. A name is found as it stands, too, so that one
    with brackets in it needs no escapes."""
    pattern = re.compile(translate(_composed(glob))) if glob is not None else None
    return frozenset(
        document_id
        for document_id, record in reader.documents.items()
        if (namespace is None or record.namespace == namespace)
        and (glob is None or pattern is None or _is_named(record, _composed(glob), pattern))
    )


def _is_named(record: DocumentRecord, glob: str, pattern: re.Pattern[str]) -> bool:
    path = _composed(record.source_document)
    names = (path, f"{_composed(record.root)}:{path}")
    return glob in names or any(pattern.match(name) for name in names)


def _matching_sections(reader: LibraryReader, text: str) -> frozenset[str]:
    wanted = _folded(text)
    return frozenset(key for key, path in reader.rows.sections().items() if any(wanted in _folded(title) for title in path))


def _nothing_fits(reader: LibraryReader, request: SearchRequest) -> str:
    if request.document is not None and not matching_documents(reader, request.document):
        return f"no document is called “{request.document}”"
    if request.namespace is not None and not matching_documents(reader, None, request.namespace):
        return f"no document is in the namespace “{request.namespace}”"
    return f"no document called “{request.document}” is in the namespace “{request.namespace}”"


def _composed(name: str) -> str:
    """Some file systems hand out names with their accents as marks of their own."""
    return unicodedata.normalize("NFC", name)


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())
