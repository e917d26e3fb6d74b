"""sqlite-graphrag's `RecallItem`: each sentence of its description is a test, in the order of the description."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from making_hits import make_hit

from index.keys import chunk_ids
from query.shapes import memory_id, score_from_distance

FIELDS = ["memory_id", "name", "namespace", "type", "description", "snippet", "distance", "score", "source"]


def test_01_the_struct_has_these_fields_of_these_types(hit):
    item = hit(graph_depth=1, via="cites").as_shape("recall")
    assert list(item) == [*FIELDS, "graph_depth"]
    kinds = {int: ["memory_id", "graph_depth"], float: ["distance", "score"]}
    assert all(type(item[name]) is kind for kind, names in kinds.items() for name in names)
    assert all(type(item[name]) is str for name in ("name", "namespace", "type", "description", "snippet", "source"))


def test_02_it_is_an_individual_item_returned_by_the_recall_query(ask):
    response = ask("limit of seats")
    assert response.as_shape("recall") == [found.as_shape("recall") for found in response]


def test_03_the_memory_type_is_serialised_as_type(hit):
    item = hit().as_shape("recall")
    assert item["type"] == "section"
    assert "memory_type" not in item


def test_04_the_example_a_direct_item_has_distance_and_score_and_no_memory_type_in_its_json(hit):
    text = json.dumps(hit(namespace=None, distance=0.12).as_shape("recall"))
    assert '"namespace": "global"' in text
    assert '"type": "section"' in text
    assert '"distance": 0.12' in text
    assert '"score": 0.88' in text
    assert '"source": "direct"' in text
    assert "memory_type" not in text


@given(st.lists(st.text(min_size=1), min_size=2, unique=True))
def test_05_memory_id_is_a_stable_signed_64_bit_integer(contents):
    ids = [memory_id(i) for i in chunk_ids("document", (((), content) for content in contents))]
    assert all(-(2**63) <= i < 2**63 for i in ids)
    assert len(set(ids)) == len(ids)


def test_06_memory_id_is_the_same_in_every_process(hit):
    assert hit(chunk_id="c0ffee").as_shape("recall")["memory_id"] == -3153837603502135221


def test_07_name_is_the_file_and_of_a_memory_without_one_its_record(hit):
    assert hit().as_shape("recall")["name"] == "contracts/msa.pdf"
    assert hit(kind="note", source_document="notes/1").as_shape("recall")["name"] == "Contract MSA-2024-11"


def test_08_namespace_is_the_documents_or_global(hit):
    assert hit(namespace="legal").as_shape("recall")["namespace"] == "legal"
    assert hit(namespace=None).as_shape("recall")["namespace"] == "global"


def test_09_description_says_in_words_what_it_is(hit):
    assert hit().as_shape("recall")["description"] == "Contract MSA-2024-11, § 4.2 Late payment, p. 45"


@given(st.text(max_size=900), st.integers(min_value=0, max_value=400))
def test_10_snippet_is_300_characters_around_the_match(text, at):
    content = f"{text[:at]} interest {text[at:]}"
    start = content.index(" interest ") + 1
    snippet = make_hit(content=content, match_offset=start, match_length=8).as_shape("recall")["snippet"]
    assert len(snippet) <= 300
    assert "interest" in snippet


def test_11_distance_is_the_cosine_distance_and_null_where_no_vector_was_compared(hit, ask):
    assert hit().as_shape("recall")["distance"] == 0.18
    assert {i["distance"] for i in ask("seats", mode="keyword").as_shape("recall")} == {None}


@given(st.one_of(st.none(), st.floats()))
def test_12_score_is_1_minus_distance_clamped_to_0_1_and_always_populated(distance):
    score = score_from_distance(distance)
    assert 0.0 <= score <= 1.0
    if distance is not None and 0 <= distance <= 1:
        assert score == 1.0 - distance


def test_13_a_higher_score_means_more_similar(ask):
    items = ask("a limit of two hundred seats", mode="semantic", min_similarity=0.0).as_shape("recall")
    assert [i["score"] for i in items] == sorted((i["score"] for i in items), reverse=True)


def test_14_the_score_of_a_graph_hit_is_a_cosine_similarity_like_any_other_the_hop_stands_in_graph_depth(hit):
    item = hit(via="cites → about", graph_depth=2, distance=0.4).as_shape("recall")
    assert (item["score"], item["graph_depth"]) == (pytest.approx(0.6), 2)


def test_15_graph_depth_is_the_number_of_hops_between_this_match_and_the_seeds(hit):
    assert hit(via="cites", graph_depth=1).as_shape("recall")["graph_depth"] == 1


def test_16_graph_depth_is_none_for_direct_matches_where_distance_is_meaningful(hit):
    item = hit(graph_depth=None).as_shape("recall")
    assert (item["source"], item.get("graph_depth")) == ("direct", None)
    assert item["distance"] is not None


def test_17_a_traversal_result_of_unknown_depth_has_depth_0(hit):
    item = hit(via="cites", graph_depth=None).as_shape("recall")
    assert (item["source"], item["graph_depth"]) == ("graph", 0)


def test_18_a_graph_result_has_no_placeholder_for_a_distance(hit):
    item = hit(via="cites", graph_depth=1, distance=None, similarity=None).as_shape("recall")
    assert (item["distance"], item["score"]) == (None, 0.0)


def test_19_graph_depth_is_omitted_from_json_when_none(hit):
    assert "graph_depth" not in json.loads(json.dumps(hit().as_shape("recall")))


def test_20_score_from_distance_computes_the_similarity_clamped(hit):
    assert [score_from_distance(d) for d in (0.0, 0.25, 1.0, 1.5, 2.0, -0.1)] == [1.0, 0.75, 0.0, 0.0, 0.0, 1.0]
    assert score_from_distance(math.nan) == 0.0


def test_21_distances_lie_in_0_to_2_and_those_of_units_alike_near_0(ask):
    distances = [i["distance"] for i in ask("seats", min_similarity=0.0, top_k=50).as_shape("recall")]
    assert all(0 <= d <= 2 for d in distances)
    assert ask("A vessel over forty metres needs a pilot.")[0].as_shape("recall")["distance"] == pytest.approx(0, abs=1e-3)


def test_22_every_constructor_keeps_the_contract(ask):
    for mode in ("hybrid", "semantic", "keyword", "strict"):
        for item in ask("berth", mode=mode, min_similarity=0.0).as_shape("recall"):
            assert item["score"] == score_from_distance(item["distance"])


def test_23_a_clone_is_equal_and_independent(hit):
    found = hit()
    first, second = found.as_shape("recall"), found.as_shape("recall")
    first["name"] = "changed"
    assert second["name"] == "contracts/msa.pdf"


@given(distance=st.one_of(st.none(), st.floats()), score=st.floats())
def test_24_it_is_serialised_to_json_whatever_the_numbers_are(distance, score):
    json.dumps(make_hit(distance=distance, score=score).as_shape("recall"), allow_nan=False)


def test_25_a_limit_on_distance_leaves_out_every_item_beyond_it(ask):
    items = ask("limit of seats", min_similarity=0.0, top_k=50, max_distance=0.5).as_shape("recall")
    assert items
    assert all(item["distance"] <= 0.5 for item in items)
    assert len(items) < len(ask("limit of seats", min_similarity=0.0, top_k=50))
