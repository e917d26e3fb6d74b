"""Search widened along links: fewest hops, the words as travelled, nothing in the score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from index.entities import LinkRecord
from index.memory import HashingEmbedder, MemoryLibrary
from index.walls import WalledReader
from query.models import SearchHit
from query.related import reach
from query.requests import SearchRequest
from query.search import search

WHEN = datetime(2026, 3, 1, tzinfo=UTC)
NODES = "abcdefg"


def link(
    source: str, target: str, label: str = "to", weight: float = 1.0, reason: str | None = None, back: str | None = "from"
) -> LinkRecord:
    return LinkRecord(
        link_id=f"{source}{target}{label}", source_id=source, target_id=target, label=label, reverse_label=back, reason=reason,
        weight=weight, created_at=WHEN,
    )  # fmt: skip


def follow(links: Sequence[LinkRecord], *seeds: str, **more):
    return {r.entity_id: r for r in reach(seeds, lambda i: [k for k in links if i in (k.source_id, k.target_id)], **more)}


def test_the_words_are_those_of_the_direction_travelled_with_the_reason():
    links = [link("deal", "draft", "supersedes", reason="renegotiated after the Q2 review", back="superseded by")]
    assert follow(links, "draft")["deal"].via == "superseded by — renegotiated after the Q2 review"
    assert follow(links, "deal")["draft"].via == "supersedes — renegotiated after the Q2 review"


def test_two_hops_read_as_a_path_and_several_links_give_each_reason():
    links = [link("a", "b", "one"), link("a", "b", "two", reason="why"), link("b", "c", "three")]
    found = follow(links, "a")
    assert found["b"].via == "one; two — why"
    assert (found["c"].via, found["c"].depth) == ("one → three; two — why → three", 2)


def test_a_third_hop_is_not_travelled_unless_it_is_asked_for():
    links = [link("a", "b"), link("b", "c"), link("c", "d")]
    assert set(follow(links, "a")) == {"b", "c"}
    assert follow(links, "a", max_hops=3)["d"].depth == 3


GRAPH = st.lists(
    st.builds(
        link, st.sampled_from(NODES), st.sampled_from(NODES), st.sampled_from(["x", "y"]), st.sampled_from([0.1, 0.3, 0.5, 1.0])
    ),
    max_size=14,
    unique_by=lambda k: k.link_id,
)


@given(
    GRAPH,
    st.sets(st.sampled_from(NODES), min_size=1, max_size=3),
    st.integers(1, 4),
    st.sampled_from([0.0, 0.3, 0.6]),
    st.sets(st.sampled_from(NODES)),
)
def test_what_is_reached_is_reached_by_the_fewest_allowed_hops_and_is_never_a_seed(links, seeds, hops, floor, outside):
    found = follow(links, *seeds, max_hops=hops, min_weight=floor, allowed=lambda i: i not in outside)
    depth = dict.fromkeys(seeds, 0)
    for n in range(1, hops + 1):
        for k in links:
            for a, b in ((k.source_id, k.target_id), (k.target_id, k.source_id)):
                if k.weight >= floor and depth.get(a) == n - 1 and b not in depth and b not in outside:
                    depth[b] = n
    assert {i: r.depth for i, r in found.items()} == {i: d for i, d in depth.items() if d}
    assert all(r.via.split("; ")[0].count(" → ") == r.depth - 1 for r in found.values())


@pytest.fixture
def linked(library, doc) -> MemoryLibrary:
    """agreement -> amendment -> annex, of which the first alone answers; the annex is in another namespace."""
    reader = library(
        doc(path="agreement.md", title="Agreement", namespace="a", sections=[((), ["Late fees accrue monthly."])]),
        doc(
            path="amendment.md",
            title="Amendment",
            namespace="a",
            sections=[((), ["The rate is lowered."]), (("B",), ["Nothing here."])],
        ),
        doc(path="annex.md", title="Annex", namespace="b", sections=[((), ["A table of rates."])]),
    )
    e = {d.title: d.entity_id for d in reader.documents.values()}
    reader.rows.set_links([link(e["Agreement"], e["Amendment"], "superseded by"), link(e["Amendment"], e["Annex"], "has")])
    reader.commit()
    return reader


def ask(reader, query: str = "late fees rate", **more) -> list[SearchHit]:
    options = {"min_similarity": 0.99, "mode": "hybrid", **more}
    return list(search(reader, HashingEmbedder(), SearchRequest(query=query, **options)))


def test_linked_records_come_after_the_direct_hits_and_say_why(linked):
    plain = ask(linked, "late fees accrue")
    wide = ask(linked, "late fees accrue", related=())
    assert wide[: len(plain)] == plain
    assert [(h.via, h.graph_depth) for h in plain] == [(None, None)]
    assert {(h.source_label, h.via, h.graph_depth) for h in wide[len(plain) :]} == {
        ("Amendment", "superseded by", 1),
        ("Annex", "superseded by → has", 2),
    }
    assert [h.score for h in wide[1:]] == sorted((h.score for h in wide[1:]), reverse=True)


def test_the_hop_is_not_in_the_score(linked):
    far = {h.source_label: h.score for h in ask(linked, "late fees accrue table rate", related=())}
    e = {d.title: d.entity_id for d in linked.documents.values()}
    linked.rows.set_links([link(e["Agreement"], e["Amendment"], "x"), link(e["Agreement"], e["Annex"], "y")])
    linked.commit()
    assert {h.source_label: h.score for h in ask(linked, "late fees accrue table rate", related=())} == far


def test_the_records_that_are_named_are_followed_and_are_not_among_what_is_related(linked):
    e = {d.title: d.entity_id for d in linked.documents.values()}
    wide = ask(linked, "late fees accrue", related=[e["Annex"]])
    assert [h.source_label for h in wide if h.via] == ["Amendment"]
    assert "Annex" not in [h.source_label for h in wide]


def test_no_way_leads_out_of_the_namespace_asked_for_nor_through_a_wall(linked):
    assert [h.source_label for h in ask(linked, "late fees accrue", related=(), namespace="a")] == ["Agreement", "Amendment"]
    assert [h.source_label for h in ask(WalledReader(linked, {"a"}), "late fees accrue", related=())] == ["Agreement", "Amendment"]


def test_light_links_are_told_but_not_followed(linked):
    links = [replace(k, weight=0.1) for k in linked.rows.links()]
    linked.rows.set_links(links)
    linked.commit()
    [hit] = ask(linked, "late fees accrue", related=())
    assert len(hit.links) == 1
    assert len(ask(linked, "late fees accrue", related=(), min_weight=0.1)) == 3
