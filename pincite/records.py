"""What `Library` does with records, notes and links: the part of it that changes no file's text."""

from __future__ import annotations

import uuid
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from index.entities import EntityRecord, LinkRecord
from ingest.errors import NotFound, UsageError

if TYPE_CHECKING:
    from index.models import DocumentRecord
    from index.notes import NoteKind
    from index.ports import Embedder, LibraryReader
    from index.writer import LibraryWriter
    from ingest.ports import TokenCounter
    from pincite.keeping import RestoreReport
    from query.digest import Digest
    from query.listing import ListedEntity


class RecordsOfLibrary(ABC):
    """Each call that changes something is one generation. A record is named by an id, a label, a name or a path; NotFound and
    UsageError say that none or several fit."""

    _embedder: Embedder
    _counter: TokenCounter

    @abstractmethod
    def _reader(self) -> LibraryReader: ...

    @abstractmethod
    def _writer(self, *, wait: float = 0, afresh: bool = False) -> AbstractContextManager[LibraryWriter]: ...

    def remember(
        self,
        text: str,
        *,
        kind: NoteKind = "note",
        about: str | None = None,
        by: str | None = None,
        at: datetime | None = None,
        namespace: str | None = None,
        wait: float = 0,
    ) -> DocumentRecord:
        """Keeps what somebody said: a note or a turn of a conversation, found by search and `cite` like any text.

        `about` is the record it belongs to (its own, if None), whose namespace it has unless one is given. `by` is who said it,
        `at` when (now, if None; a time without a zone is UTC). Returns the note's record. Raises LibraryLocked.
        """
        from index.new_documents import DocumentMaker, ReadDocument
        from index.notes import note_record, read_note
        from query.addressing import find_entity

        now = datetime.now(UTC)
        with self._writer(wait=wait) as writer:
            reader = self._reader()
            entity = None if about is None else find_entity(reader, about)
            record = note_record(
                text,
                kind=kind,
                by=by,
                at=now if at is None else at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC),
                namespace=entity.namespace if entity and namespace is None else namespace,
                entity_id=entity.entity_id if entity else None,
                now=now,
            )
            reading = read_note(record, text, self._counter)
            record = replace(record, chunk_count=len(reading.chunks))
            maker = DocumentMaker(reader=reader, embedder=self._embedder, now=now)
            writer.add(maker.make([ReadDocument(record, reading, known=False)]))
            writer.commit()
        return record

    def entities(self) -> list[ListedEntity]:
        """All records with their labels, documents, notes and links."""
        from query.listing import listed

        return list(listed(self._reader()))

    def entity(self, entity: str) -> ListedEntity:
        """One record, as `entities` gives it."""
        from query.addressing import find_entity

        return self._listed(find_entity(self._reader(), entity).entity_id)

    def set_properties(self, entity: str, properties: Mapping[str, str | None], *, wait: float = 0) -> ListedEntity:
        """Sets properties of a record by hand (None takes one back): its label is another from the next search on, and nothing is
        indexed again. Raises LibraryLocked."""
        given = {name.strip(): value for name, value in properties.items()}
        if "" in given:
            raise UsageError("a property needs a name")

        def with_properties(row: EntityRecord) -> EntityRecord:
            kept = dict(row.properties) | given
            return replace(row, properties=tuple((name, value) for name, value in kept.items() if value is not None))

        return self._change(entity, wait, with_properties)

    def set_label_template(self, type: str, template: str | None, *, wait: float = 0) -> None:
        """How records of a type are called: "Contract {number}". None takes it back. Raises UsageError, LibraryLocked."""
        from index.label_templates import check_template

        if template is not None:
            check_template(template)
        with self._writer(wait=wait) as writer:
            if template is None:
                writer.records.templates.pop(type, None)
            else:
                writer.records.templates[type] = template
            writer.commit()

    def label_templates(self) -> dict[str, str]:
        """The templates of labels, by type."""
        return dict(sorted(self._reader().book.templates.items()))

    def pin(self, entity: str, *, wait: float = 0) -> ListedEntity:
        """Puts a record at the head of the digest; one that is pinned keeps its place."""
        return self._change(entity, wait, lambda row: replace(row, pinned_at=row.pinned_at or datetime.now(UTC)))

    def unpin(self, entity: str, *, wait: float = 0) -> ListedEntity:
        """Takes a pin back."""
        return self._change(entity, wait, lambda row: replace(row, pinned_at=None))

    def link(
        self,
        a: str,
        b: str,
        *,
        label: str,
        reverse_label: str | None = None,
        reason: str | None = None,
        weight: float = 1.0,
        wait: float = 0,
    ) -> LinkRecord:
        """Joins two records: "a `label` b", and read from b, `reverse_label`. The same two with the same label are one link, whose
        other words are replaced. Raises UsageError, LibraryLocked."""
        from query.addressing import find_entity
        from query.citation import one_line

        label, reverse, why = one_line(label), one_line(reverse_label or "") or None, one_line(reason or "") or None
        if not label:
            raise UsageError("a link needs words: what a is to b")
        if not 0 <= weight <= 1:
            raise UsageError(f"a weight is a number from 0 to 1, not {weight}")
        with self._writer(wait=wait) as writer:
            reader = self._reader()
            source, target = find_entity(reader, a).entity_id, find_entity(reader, b).entity_id
            if source == target:
                raise UsageError(f"“{a}” and “{b}” are one record: a link joins two")
            known = next((k for k in _stated(reader, source, target) if (k.source_id, k.label) == (source, label)), None)
            made = LinkRecord(
                link_id=known.link_id if known else str(uuid.uuid4()),
                source_id=source,
                target_id=target,
                label=label,
                reverse_label=reverse,
                reason=why,
                weight=float(weight),
                created_at=known.created_at if known else datetime.now(UTC),
            )
            writer.records.links[made.link_id] = made
            writer.commit()
        return made

    def unlink(self, a: str, b: str, *, label: str | None = None, wait: float = 0) -> list[LinkRecord]:
        """Takes back what was stated between two records, in either direction; with `label` (as it reads from a) that alone.

        Returns what is gone. Raises NotFound where nothing was stated (what documents say themselves can't be taken back).
        """
        from query.addressing import find_entity

        with self._writer(wait=wait) as writer:
            reader = self._reader()
            source, target = find_entity(reader, a).entity_id, find_entity(reader, b).entity_id
            gone = [k for k in _stated(reader, source, target) if label is None or k.words_from(source) == label]
            if not gone:
                raise NotFound(f"no link was stated between “{a}” and “{b}”", next_step="pincite entities lists them.")
            for link in gone:
                del writer.records.links[link.link_id]
            writer.commit()
        return gone

    def digest(self, max_chars: int = 4_000) -> Digest:
        """The library at a glance: pinned records, then the most linked, then the most recent. Raises UsageError."""
        from query.digest import digest

        return digest(self._reader(), max_chars)

    def backup(self) -> dict[str, Any]:
        """Entities, links, notes, pins and templates, ready for JSON: what can't be made again from the files."""
        from index.backup import backup

        return backup(self._reader())

    def restore(self, backup: object, *, wait: float = 0) -> RestoreReport:
        """Merges what `backup` gave (read from its JSON) into the library; twice is once. Raises UsageError, LibraryLocked."""
        from pincite.keeping import restore

        with self._writer(wait=wait) as writer:
            return restore(self._reader(), writer, self._embedder, self._counter, backup)

    def _listed(self, entity_id: str) -> ListedEntity:
        from query.listing import listed_entity

        return listed_entity(self._reader(), entity_id)

    def _change(self, entity: str, wait: float, change: Callable[[EntityRecord], EntityRecord]) -> ListedEntity:
        """Writes the row of an entity, made if it has none, as `change` makes it."""
        from index.entities import row_of
        from query.addressing import find_entity

        with self._writer(wait=wait) as writer:
            found = find_entity(self._reader(), entity)
            row = writer.records.entities.get(found.entity_id) or row_of(found, datetime.now(UTC))
            writer.records.put(change(row))
            writer.commit()
        return self._listed(found.entity_id)


def _stated(reader: LibraryReader, one: str, other: str) -> list[LinkRecord]:
    """The links that somebody stated between two entities."""
    links = reader.book.links_of(one)
    return [link for link in links if link.origin == "authored" and {link.source_id, link.target_id} == {one, other}]
