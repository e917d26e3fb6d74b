"""Records, notes and links end to end: what a hit belongs to, who said it, what it is connected to, in each shape."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID

import pytest
from test_incremental import library

pytestmark = pytest.mark.real
SAID = datetime(2025, 3, 20, 9, 30, tzinfo=UTC)
SETTINGS = '[types]\nContract = "Contract {number}"\n'
AGREEMENT = """\
---
type: Contract
number: MSA-1
searchable: owner
owner: Harbour Master
---

# Fees

Late fees accrue at two per cent a month.
"""


@pytest.fixture
def lib(tmp_path):
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "pincite.toml").write_text(SETTINGS, encoding="utf-8")
    (docs / "agreement.md").write_text(AGREEMENT, encoding="utf-8")
    (docs / "amendment.md").write_text("# Amendment\n\nThe rate is now one per cent.\n", encoding="utf-8")
    (docs / "terns.txt").write_text("Terns nest on gravel.\n", encoding="utf-8")
    made = library(tmp_path / "library")
    made.ingest(docs)
    made.link("amendment.md", "Contract MSA-1", label="supersedes", reverse_label="superseded by", reason="renegotiated")
    made.remember("Anna says late fees are paid in oysters.", about="Contract MSA-1", by="Anna", at=SAID)
    return made


def fees(lib, **options):
    return lib.search("late fees accrue", mode="keyword", document="agreement.md", **options)


# Osyrin


def test_the_label_is_read_fresh_so_renaming_a_record_renames_its_citations_immediately(lib):
    assert fees(lib).as_shape("osyrin")[0]["SourceLabel"] == "Contract MSA-1"
    lib.set_properties("Contract MSA-1", {"number": "MSA-2"})
    [hit, *_] = fees(lib).as_shape("osyrin")
    assert (hit["SourceLabel"], hit["SourceEntityType"]) == ("Contract MSA-2", "Contract")
    assert UUID(hit["SourceEntityId"])


def test_a_note_is_authored_by_somebody_at_a_time_and_is_in_no_file(lib):
    [note] = lib.search("oysters", mode="keyword").as_shape("osyrin")
    assert (note["Kind"], note["Origin"], note["AuthoredBy"]) == ("Note", "Authored", "Anna")
    assert (note["SourceDocument"], note["SourceLabel"]) == (None, "Contract MSA-1")
    assert datetime.fromisoformat(note["RememberedAt"]) == SAID
    section = fees(lib).as_shape("osyrin")[0]
    assert (section["Kind"], section["Origin"], section["AuthoredBy"]) == ("Section", "Derived", None)


def test_a_searchable_property_is_a_chunk_of_its_own(lib):
    [hit] = lib.search("harbour master", mode="keyword", kinds=["property"]).as_shape("osyrin")
    assert (hit["Kind"], hit["Origin"], hit["SourceDocument"]) == ("Property", "Derived", "agreement.md")


def test_what_superseded_a_record_is_told_in_the_right_direction_at_either_end(lib):
    [link] = fees(lib).as_shape("osyrin")[0]["Links"]
    assert (link["Label"], link["Reason"], link["TargetLabel"]) == ("superseded by", "renegotiated", "Amendment")
    [link] = lib.search("the rate is now", mode="keyword", document="amendment.md").as_shape("osyrin")[0]["Links"]
    assert (link["Label"], link["TargetType"], link["TargetLabel"]) == ("supersedes", "Contract", "Contract MSA-1")


def test_links_never_change_the_ranking_nor_crowd_out_a_result(lib):
    before = lib.search("late fees rate", mode="keyword").as_shape("osyrin")
    lib.link("terns.txt", "Contract MSA-1", label="mentions")
    after = lib.search("late fees rate", mode="keyword").as_shape("osyrin")
    assert [(h["Content"], h["Score"]) for h in before] == [(h["Content"], h["Score"]) for h in after]


def test_the_list_is_capped_and_what_is_left_out_is_counted(lib):
    for number in range(12):
        lib.link("terns.txt", "Contract MSA-1", label=f"mentions {number}")
    hit = fees(lib).as_shape("osyrin")[0]
    assert (len(hit["Links"]), hit["LinksElided"]) == (10, 3)


def test_related_reaches_a_hit_by_a_link_and_via_is_the_links_words_as_they_are_travelled(lib):
    shaped = lib.search("late fees accrue", top_k=1, related="Contract MSA-1", min_similarity=0.0).as_shape("osyrin")
    assert [h["SourceDocument"] for h in shaped if h["Via"] is None] == ["agreement.md"]
    assert [(h["SourceDocument"], h["Via"]) for h in shaped if h["Via"]] == [("amendment.md", "superseded by — renegotiated")]


# sqlite-graphrag


def test_a_hit_reached_along_a_link_is_a_graph_item_with_its_depth_and_the_score_of_its_distance(lib):
    direct, graph = lib.search("late fees accrue", top_k=1, related="Contract MSA-1", min_similarity=0.0).as_shape("recall")
    assert (direct["source"], "graph_depth" in direct) == ("direct", False)
    assert (graph["source"], graph["graph_depth"], graph["name"]) == ("graph", 1, "amendment.md")
    assert graph["score"] == pytest.approx(max(1 - graph["distance"], 0))


def test_a_note_is_called_by_its_record_and_its_type_is_note(lib):
    [item] = lib.search("oysters", mode="keyword").as_shape("recall")
    assert (item["name"], item["type"], item["namespace"]) == ("Contract MSA-1", "note", "global")


# Living Brain


def test_the_prompt_index_is_a_short_digest_of_the_most_important_pages_pinned_pages_first(lib):
    lib.pin("terns.txt")
    entries = lib.digest(max_chars=1000).entries
    assert entries[0].label == "terns"
    assert {"Contract MSA-1", "Amendment"} <= {entry.label for entry in entries}
