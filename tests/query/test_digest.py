"""The library at a glance."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from index.entities import EntityRecord, LinkRecord
from index.memory import MemoryLibrary
from index.walls import WalledReader
from ingest.errors import UsageError
from query.digest import SMALLEST, digest

WHEN = datetime(2026, 3, 1, tzinfo=UTC)


@pytest.fixture(scope="module")
def reader(library, doc) -> MemoryLibrary:
    reader = library(
        doc(
            path="a.md",
            title="Agreement",
            namespace="x",
            sections=[(("Fees",), ["Late fees accrue. They add up."]), (("Term",), ["Long."])],
        ),
        doc(path="b.md", title="Birds", sections=[((), ["Terns nest on gravel."])]),
        doc(path="c.md", title="Clauses", sections=[(("Clauses", "One"), ["First."]), (("Clauses", "Two"), ["Second."])]),
        doc(path="d.md", title="Deed", sections=[((), ["Signed."])]),
    )
    e = {d.title: d.entity_id for d in reader.documents.values()}
    pinned = EntityRecord(entity_id=e["Deed"], name=None, type="Deed", namespace=None, pinned_at=WHEN, created_at=WHEN)
    reader.rows.set_entities([pinned])
    reader.rows.set_links([LinkRecord(link_id="l", source_id=e["Clauses"], target_id=e["Agreement"], label="to", created_at=WHEN)])
    reader.commit()
    return reader


def test_pinned_records_stand_first_then_the_most_linked(reader):
    assert [e.label for e in digest(reader).entries] == ["Deed", "Agreement", "Clauses", "Birds"]


def test_each_has_its_first_sentence_and_its_outermost_sections(reader):
    by_label = {e.label: e for e in digest(reader).entries}
    assert (by_label["Agreement"].summary, by_label["Agreement"].sections) == ("Late fees accrue. They add up.", ("Fees", "Term"))
    assert by_label["Clauses"].sections == ("One", "Two")
    assert by_label["Birds"].text == "- Birds (document, 1 file)\n  Terns nest on gravel."
    assert by_label["Deed"].text.startswith("* Deed (Deed, 1 file)")


def test_behind_a_wall_it_tells_and_counts_what_is_readable(reader):
    inside = digest(WalledReader(reader, {"x"}))
    assert (inside.records, [e.label for e in inside.entries], inside.entries[0].links) == (1, ["Agreement"], 0)


@given(st.integers(SMALLEST, 1200))
def test_it_is_never_longer_than_asked_for_and_says_how_many_are_left_out(reader, most):
    made = digest(reader, most)
    assert len(made.text) <= most
    assert made == digest(reader, most)
    assert (f"… and {4 - len(made.entries)} more" in made.text) == (len(made.entries) < 4)


def test_a_digest_without_room_is_refused(reader):
    with pytest.raises(UsageError):
        digest(reader, 10)
