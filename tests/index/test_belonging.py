"""What documents belong to: by hand, by their front matter, by pincite.toml."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from index.belonging import Belonging, searchable_properties
from index.entities import LinkRecord
from index.models import DocumentRecord
from index.record_draft import RecordDraft
from index.root_settings import SETTINGS, RootSettings, read_settings
from ingest.errors import UsageError

WHEN = datetime(2026, 3, 1, tzinfo=UTC)
TOML = """
namespace = "public"
searchable = ["author"]
[types]
Contract = "Contract {number}"
[[groups]]
files = "contracts/*"
entity = "MSA"
type = "Contract"
namespace = "legal"
searchable = ["number"]
properties = { number = 7, author = "Registry" }
[[groups]]
files = ["contracts/b*"]
type = "Annex"
"""


@pytest.fixture
def record(new_document) -> DocumentRecord:
    return replace(new_document("d", "Text.", path="contracts/b.md", title="B").record, properties=(), namespace=None)


@pytest.fixture
def settings(tmp_path: Path) -> RootSettings:
    (tmp_path / SETTINGS).write_text(TOML, encoding="utf-8")
    return read_settings(tmp_path)


def belonging(settings: RootSettings, draft: RecordDraft | None = None, **by_hand: str) -> Belonging:
    return Belonging(RecordDraft() if draft is None else draft, {"docs": settings}, now=WHEN, **by_hand)


def test_the_settings_say_group_type_namespace_and_properties(settings, record):
    draft = RecordDraft()
    placed = belonging(settings, draft).placed(record)
    assert draft.entities[placed.entity_id].name == "MSA"
    assert (placed.entity_type, placed.namespace) == ("Contract", "legal")
    assert dict(placed.given) == {"number": "7", "author": "Registry"}
    assert searchable_properties(placed) == [("author", "Registry"), ("number", "7")]


def test_front_matter_goes_before_the_settings_but_never_says_the_namespace(settings, record):
    draft = RecordDraft()
    front = (("entity", "Lease"), ("type", "Deed"), ("namespace", "secret"), ("author", "Ada"))
    placed = belonging(settings, draft).placed(replace(record, properties=front))
    assert draft.entities[placed.entity_id].name == "Lease"
    assert (placed.entity_type, placed.namespace) == ("Deed", "legal")
    assert ("author", "Ada") in searchable_properties(placed)


def test_what_is_said_by_hand_goes_before_all_and_sticks_until_it_is_taken_back(settings, record):
    draft = RecordDraft()
    front = replace(record, properties=(("entity", "Lease"),))
    by_hand = belonging(settings, draft, entity="Mine", namespace="private").placed(front)
    assert draft.entities[by_hand.entity_id].name == "Mine"
    assert by_hand.namespace == "private"
    again = belonging(RootSettings(), draft).placed(by_hand)
    assert (again.entity_id, again.namespace) == (by_hand.entity_id, "private")
    back = belonging(RootSettings(), draft, entity="", namespace="").placed(again)
    assert draft.entities[back.entity_id].name == "Lease"
    assert back.namespace is None


def test_a_document_that_leaves_its_group_is_its_own_again(settings, record):
    draft = RecordDraft()
    placed = belonging(settings, draft).placed(record)
    left = belonging(RootSettings(), draft).placed(placed)
    assert (left.entity_id, left.entity_type) == (record.document_id, "Document")


def test_a_group_never_spans_two_namespaces(settings, record):
    draft = RecordDraft()
    one = belonging(settings, draft, namespace="a").placed(record)
    two = belonging(settings, draft, namespace="b").placed(replace(record, document_id="e"))
    assert one.entity_id != two.entity_id
    assert belonging(settings, draft, namespace="a").placed(replace(record, document_id="f")).entity_id == one.entity_id


def test_without_a_file_nothing_is_said(tmp_path, record):
    placed = belonging(read_settings(tmp_path)).placed(record)
    assert (placed.entity_id, placed.entity_type, placed.searchable) == (record.entity_id, "Document", ())


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[", "cannot be read"),
        ("names = 1", "nothing is known of “names”"),
        ("namespace = 1", "namespace is no text"),
        ("searchable = [1]", "searchable is a list of texts"),
        ("[[groups]]\nentity = 'x'", "a group needs files"),
        ("groups = [1]", "groups are tables"),
        ("[types]\nA = 1", "types are strings"),
        ("properties = { a = [] }", "properties are texts"),
        ("[types]\nA = '{'", "brace"),
    ],
)
def test_settings_that_make_no_sense_are_refused_and_named(tmp_path, text, told):
    (tmp_path / SETTINGS).write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match=told) as error:
        read_settings(tmp_path)
    assert SETTINGS in error.value.message


@given(raw=st.binary(max_size=80))
def test_no_settings_file_is_worse_than_refused(tmp_path_factory, raw):
    folder = tmp_path_factory.mktemp("settings")
    (folder / SETTINGS).write_bytes(raw)
    with suppress(UsageError):
        read_settings(folder)


def test_a_document_that_belongs_where_it_did_keeps_its_very_record(record: DocumentRecord, settings: RootSettings) -> None:
    placed = belonging(settings).placed(record)
    draft = RecordDraft()
    first = belonging(settings, draft).placed(placed)
    assert belonging(settings, draft).placed(first) is first


def test_links_between_what_goes_into_one_group_go_and_those_to_others_follow() -> None:
    link = LinkRecord(link_id="1", source_id="one", target_id="two", label="cites", created_at=WHEN)
    draft = RecordDraft(links=[link, replace(link, link_id="2", target_id="far")])
    group = draft.group(None, "MSA", WHEN).entity_id
    draft.join({"one": group, "two": group}, ())
    assert {i: (k.source_id, k.target_id) for i, k in draft.links.items()} == {"2": (group, "far")}
