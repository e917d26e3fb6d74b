"""Which entity is meant by what somebody wrote: an id, a path, a name or a label."""

from __future__ import annotations

from collections.abc import Iterable

from index.entities import Entity, RecordBook
from index.ports import LibraryReader
from ingest.errors import NotFound, UsageError
from query.citation import one_line
from query.filters import is_called
from query.labels import label_of

_SHOWN = 5


def find_entity(reader: LibraryReader, who: str) -> Entity:
    """The entity with that id, of the document with that id or path (`root:path` too), with that name or label.

    Raises NotFound where there is none, UsageError where several fit.
    """
    book, wanted = reader.book, who.strip()
    for found in (_by_id(reader, wanted), _by_path(reader, wanted), _by_words(book, one_line(wanted))):
        ids = list(dict.fromkeys(found))
        if len(ids) > 1:
            named = "; ".join(f"{i} ({label_of(e, book.templates)})" for i in ids[:_SHOWN] if (e := book.get(i)))
            raise UsageError(f"{len(ids)} records are called “{who}”", next_step=f"Say which, by its id: {named}")
        if ids and (entity := book.get(ids[0])):
            return entity
    raise NotFound(f"no record is called “{who}”", next_step="pincite entities lists them.")


def _by_id(reader: LibraryReader, wanted: str) -> Iterable[str]:
    if wanted in reader.book.members:
        yield wanted
    elif wanted in reader.documents:
        yield reader.documents[wanted].entity_id


def _by_path(reader: LibraryReader, wanted: str) -> Iterable[str]:
    return (record.entity_id for record in reader.documents.values() if is_called(record, wanted))


def _by_words(book: RecordBook, wanted: str) -> Iterable[str]:
    for entity_id in book.members:
        entity = book.get(entity_id)
        if entity is not None and wanted and wanted in (entity.name, label_of(entity, book.templates)):
            yield entity_id
