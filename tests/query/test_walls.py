"""A wall, as an attacker would try it: behind it, a library looks like one that never had what is outside."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from index.catalog import Catalog
from index.entities import EntityRecord, LinkRecord
from index.memory import HashingEmbedder, MemoryLibrary
from index.models import Failure, NewDocument
from index.ports import LibraryReader
from index.record_draft import RecordDraft
from index.walls import WalledReader
from ingest.errors import PinciteError
from query.cite import cite
from query.filters import matching_documents
from query.listing import listed
from query.requests import SearchRequest
from query.search import search

WHEN = datetime(2026, 3, 1, tzinfo=UTC)
NAMESPACES = ("public", "legal", None)
WORDS = ("tern", "fee", "grace", "walrus", "oyster", "gravel")


@dataclass(frozen=True)
class Planned:
    """A document to be: its words, its namespace, the group or document that it belongs to, whether it is a note."""

    words: tuple[str, ...]
    section: str
    namespace: str | None
    group: str | None
    about: int | None


PLANS = st.lists(
    st.builds(
        Planned,
        words=st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(tuple),
        section=st.sampled_from(["Fees", "Grace"]),
        namespace=st.sampled_from(NAMESPACES),
        group=st.sampled_from([None, None, "Lease", "Deed"]),
        about=st.one_of(st.none(), st.integers(0, 5)),
    ),
    min_size=1,
    max_size=7,
)
LINKS = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6), st.sampled_from(["supersedes", "cites"])), max_size=8)


def plan(
    doc: type, build: Any, plans: Sequence[Planned], links: Sequence[tuple[int, int, str]]
) -> tuple[list[NewDocument], RecordDraft]:
    draft, made = RecordDraft(), []
    for n, p in enumerate(plans):
        new = build(
            doc(
                path=f"{n}.md",
                title=f"Title {n}",
                namespace=p.namespace,
                sections=[(("Top", p.section), [" ".join(p.words) + f" {n}."])],
            )
        )
        record = new.record
        if p.group is not None:
            entity = next((e for e in draft.entities.values() if (e.namespace, e.name) == (p.namespace, p.group)), None)
            if entity is None:
                entity = EntityRecord(entity_id=f"group-{n}", name=p.group, type="Contract", namespace=p.namespace, created_at=WHEN)
                draft.put(entity)
            record = replace(record, entity_id=entity.entity_id)
        elif p.about is not None and p.about < len(made):
            record = replace(
                record, format="note", kind="note", authored_by="Ada", entity_type="Note", entity_id=made[p.about].record.entity_id
            )
        made.append(replace(new, record=record))
    for n, (a, b, label) in enumerate(links):
        if a < len(made) and b < len(made) and made[a].record.entity_id != made[b].record.entity_id:
            ends = made[a].record.entity_id, made[b].record.entity_id
            link = LinkRecord(link_id=f"{n:02}", source_id=ends[0], target_id=ends[1], label=label, created_at=WHEN)
            draft.links[link.link_id] = link
    return made, draft


def reader_of(documents: Iterable[NewDocument], draft: RecordDraft) -> MemoryLibrary:
    reader = MemoryLibrary(
        settings=HashingEmbedder().settings, templates={"Contract": "Contract {title}", "Secret": "Project {title}"}
    )
    reader.rows.set_entities(list(draft.entities.values()))
    reader.rows.set_links(list(draft.links.values()))
    reader.commit(list(documents), failures=[Failure(root="docs", source_document="secret.pdf", reason="x", failed_at=WHEN)])
    return reader


def alone(documents: list[NewDocument], draft: RecordDraft, readable: frozenset[str | None]) -> MemoryLibrary:
    """A library that never had what is outside: a note about something outside is about itself."""
    inside = [d for d in documents if d.record.namespace in readable]
    rows = {i: e for i, e in draft.entities.items() if e.namespace in readable}
    there = rows.keys() | {
        d.record.entity_id for d in inside if d.record.format != "note" and d.record.entity_id not in draft.entities
    }
    own = [
        d if d.record.entity_id in there or d.record.entity_id == d.record.document_id
        else replace(d, record=replace(d.record, entity_id=d.record.document_id))
        for d in inside
    ]  # fmt: skip
    ids = there | {d.record.entity_id for d in own}
    links = [k for k in draft.links.values() if k.source_id in ids and k.target_id in ids]
    return reader_of(own, RecordDraft(rows.values(), links))


STATISTICS = {
    "id",
    "score",
    "native_score",
    "contributions",
    "rank",
    "matched_on",
    "also_matched",
    "quote_text",
    "citation",
    "locator",
}
UNTOLD = STATISTICS | {"index_generation", "elapsed_ms", "legs", "line_from", "line_to"}
"""What depends on how rare words are in the whole library (scores, so which sentence is marked), or on the number of commits."""


def told(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: told(v) for k, v in value.items() if k not in UNTOLD and not k.startswith("match_")}
    return [told(v) for v in value] if isinstance(value, list) else value


def everything(reader: LibraryReader) -> list[Any]:
    """Whatever can be asked of a library, as JSON."""
    answers: list[Any] = []
    for mode in ("keyword", "hybrid", "semantic"):
        for request in (
            SearchRequest(query="tern fee grace walrus", top_k=50, min_similarity=0, mode=mode),
            SearchRequest(query="oyster", top_k=50, section="grace", mode=mode),
            SearchRequest(query="oyster", document="[0-3].md", mode=mode),
            SearchRequest(query="fee", namespace="legal", mode=mode),
            SearchRequest(query="fee", section="Fees", namespace="public", mode=mode),
        ):
            response = search(reader, HashingEmbedder(), request)
            answers.append(told(response.to_dict() | {"hits": None}))
            answers.append(sorted(([told(h.to_dict()), h.cited_title, h.cited_section] for h in response), key=json.dumps))
    for quote in [*(f"{w} {n}" for w in WORDS for n in range(3)), "Grace", "walrus"]:
        try:
            answers.append(told(cite(reader, quote).to_dict()))
        except PinciteError as error:
            answers.append(str(error))
    answers += [
        [(e.entity_id, e.label, e.documents, e.notes, e.links, e.namespace, e.type) for e in listed(reader)],
        [(d.source_document, d.namespace) for d in reader.rows.documents()],
        [t.text for t in reader.rows.texts()],
        reader.rows.chunk_count(),
        reader.keyword.chunk_counts(sorted(reader.documents)),
        sorted(reader.rows.sections().values()),
        reader.rows.sections_called("Fees"),
        sorted(matching_documents(reader, "*")),
        len(reader.rows.links()),
        len(reader.rows.entities()),
    ]
    return answers


@given(PLANS, LINKS, st.sets(st.sampled_from(NAMESPACES), min_size=1, max_size=2))
@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
def test_behind_a_wall_a_library_is_one_that_never_had_what_is_outside(doc, new_document, plans, links, readable):
    documents, draft = plan(doc, new_document, plans, links)
    draft.settle(Catalog(d.record for d in documents), None, WHEN)
    walled = WalledReader(reader_of(documents, draft), readable)
    assert everything(walled) == everything(alone(documents, draft, frozenset(readable)))


def test_what_is_outside_and_what_was_never_there_are_told_in_the_same_words(library, doc):
    reader = library(
        doc(path="a.md", namespace="public", sections=[((), ["A."])]), doc(path="b.md", namespace="legal", sections=[((), ["B."])])
    )
    walled = WalledReader(reader, {"public"})
    outside = next(d.document_id for d in reader.documents.values() if d.namespace == "legal")
    for ask in (walled.rows.text, walled.rows.chunks, walled.rows.pages):
        with pytest.raises(PinciteError) as hidden:
            list(ask(outside))
        with pytest.raises(PinciteError) as unknown:
            list(ask("never-there"))
        assert str(hidden.value).replace(outside, "X") == str(unknown.value).replace("never-there", "X")


def test_the_fingerprint_tells_nothing_of_what_is_outside(library, doc):
    inside = doc(path="a.md", namespace="public", sections=[((), ["A."])])
    one = WalledReader(library(inside, doc(path="b.md", namespace="legal", sections=[((), ["B."])])), {"public"})
    other = WalledReader(library(inside, doc(path="b.md", namespace="legal", sha256="1" * 64, sections=[((), ["C."])])), {"public"})
    assert one.generation.fingerprint == other.generation.fingerprint


def test_templates_of_types_that_are_outside_are_outside(library, doc):
    reader = reader_of([], RecordDraft())
    assert WalledReader(reader, {"public"}).book.templates == {}


def test_documents_without_a_namespace_are_outside_unless_they_are_named(library, doc):
    reader = library(doc(path="a.md", sections=[((), ["A."])]))
    assert not WalledReader(reader, {"public"}).documents
    assert WalledReader(reader, {""}).documents.keys() == WalledReader(reader, {None}).documents.keys() == reader.documents.keys()
