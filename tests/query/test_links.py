"""Links on hits: read from the hit's end, capped, and never more than an annotation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from index.entities import LinkRecord
from index.memory import HashingEmbedder, MemoryLibrary
from query.links import MOST
from query.models import SearchHit
from query.requests import SearchRequest
from query.search import search

WHEN = datetime(2026, 3, 1, tzinfo=UTC)
NAMES = ("a", "b", "c", "d")


def link(source: str, target: str, label: str = "supersedes", *, number: int = 0, **more) -> LinkRecord:
    return LinkRecord(link_id=f"{number:04}", source_id=source, target_id=target, label=label, created_at=WHEN, **more)


@pytest.fixture(scope="module")
def four(library, doc) -> MemoryLibrary:
    """Four documents about the same; their entities' ids by name."""
    return library(*(doc(path=f"{n}.md", title=n.upper(), sections=[((), [f"The late fee of clause {n}."])]) for n in NAMES))


def ids(reader: MemoryLibrary) -> dict[str, str]:
    return {d.source_document[0]: d.entity_id for d in reader.documents.values()}


def with_links(reader: MemoryLibrary, links: Sequence[LinkRecord]) -> MemoryLibrary:
    reader.rows.set_links(links)
    reader.commit()
    return reader


def ask(reader: MemoryLibrary, query: str = "late fee", **more) -> list[SearchHit]:
    return list(search(reader, HashingEmbedder(), SearchRequest(query=query, top_k=10, min_similarity=0, **more)))


def hit_of(reader: MemoryLibrary, name: str) -> SearchHit:
    return next(h for h in ask(reader) if h.source_document == f"{name}.md")


def test_each_end_reads_the_link_in_its_own_words(four):
    e = ids(four)
    with_links(four, [link(e["a"], e["b"], reverse_label="superseded by", reason="renegotiated after the Q2 review")])
    [there], [back] = hit_of(four, "a").links, hit_of(four, "b").links
    assert (there.relationship, there.target_label, there.target_id) == ("supersedes", "B", e["b"])
    assert (back.relationship, back.target_label, back.target_type) == ("superseded by", "A", "document")
    assert there.reason == back.reason == "renegotiated after the Q2 review"
    assert hit_of(four, "c").links == ()


def test_without_words_for_the_other_end_it_reads_as_the_inverse(four):
    e = ids(four)
    with_links(four, [link(e["a"], e["b"])])
    assert hit_of(four, "b").links[0].relationship == "inverse of “supersedes”"


def test_ten_are_told_heaviest_first_and_the_others_are_counted(four):
    e = ids(four)
    with_links(four, [link(e["a"], e["b"], f"label {n:02}", number=n, weight=n / 20) for n in range(13)])
    hit = hit_of(four, "a")
    assert len(hit.links) == MOST == 10
    assert hit.links_elided == 3
    assert hit.links[0].relationship == "label 12"
    assert hit_of(four, "c").links_elided == 0


def test_of_equal_weight_what_was_stated_stands_before_what_was_found(four):
    e = ids(four)
    found = link(e["a"], e["b"], "a word before all", origin="derived", number=1)
    with_links(four, [found, link(e["a"], e["c"], number=2)])
    assert [k.origin for k in hit_of(four, "a").links] == ["authored", "derived"]


LINKS = st.lists(
    st.builds(
        link,
        st.sampled_from(NAMES),
        st.sampled_from(NAMES),
        st.sampled_from(["supersedes", "cites", "late fee"]),
        number=st.integers(0, 9999),
        weight=st.floats(0, 1),
        reason=st.sampled_from([None, "the late fee of clause a"]),
    ),
    max_size=30,
    unique_by=lambda k: k.link_id,
)


@given(
    LINKS, st.sampled_from(["late fee", "clause a", "the fee of d", "nothing"]), st.sampled_from(["hybrid", "keyword", "semantic"])
)
def test_links_never_change_order_number_or_scores(four, links, query, mode):
    with_links(four, [])
    before = ask(four, query, mode=mode)
    e = ids(four)
    with_links(four, [replace(k, source_id=e[k.source_id], target_id=e[k.target_id]) for k in links])
    after = ask(four, query, mode=mode)
    assert [replace(h, links=(), links_elided=0) for h in after] == before
