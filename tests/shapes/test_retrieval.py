"""scikitplot's `RetrievalHit`: each sentence of its description is a test, in the order of the description."""

from __future__ import annotations

import dataclasses
import json

import pytest
from making_hits import CONTENT, KEYWORD, SEMANTIC

from index.models import Generation
from query.shapes import RetrievalHit, retrieval_hit

PARAMETERS = {
    *("doc", "score", "match_mode", "backend", "index_generation", "native_score", "native_metric", "contributions", "rank"),
}


def test_01_the_class_has_these_parameters(hit):
    assert {f.name for f in dataclasses.fields(RetrievalHit)} == PARAMETERS
    assert set(hit().as_shape("retrieval")) == PARAMETERS


def test_02_it_is_a_single_search_result(ask):
    response = ask("limit of seats")
    assert response.as_shape("retrieval") == [found.as_shape("retrieval") for found in response]


def test_03_doc_is_the_matched_document(hit):
    doc = hit().as_shape("retrieval")["doc"]
    assert (doc["doc_id"], doc["text"], doc["source_file"]) == ("c0ffee", CONTENT, "contracts/msa.pdf")
    assert (doc["char_start"], doc["char_end"] - doc["char_start"]) == (1200, len(CONTENT))


def test_04_score_is_the_relevance_higher_is_better(ask):
    for mode in ("keyword", "semantic", "hybrid"):
        scores = [h["score"] for h in ask("limit of seats", mode=mode, min_similarity=0.0).as_shape("retrieval")]
        assert scores == sorted(scores, reverse=True)


def test_05_strict_scores_1_for_a_match_and_what_is_none_is_not_returned(ask):
    assert [h["score"] for h in ask("needs a pilot", mode="strict").as_shape("retrieval")] == [1.0]
    assert ask("Needs a Pilot", mode="strict").as_shape("retrieval") == []


def test_06_keyword_scores_are_bm25(ask):
    [found] = ask("pilot", mode="keyword").as_shape("retrieval")
    assert (found["native_metric"], found["score"]) == ("bm25", found["native_score"])
    assert found["score"] > 0


def test_07_semantic_scores_are_cosine_similarities_from_minus_1_to_1(ask):
    for found in ask("limit of seats", mode="semantic", min_similarity=0.0).as_shape("retrieval"):
        assert found["native_metric"] == "cosine"
        assert -1 <= found["score"] == found["native_score"] <= 1


def test_08_hybrid_scores_are_fused_and_can_be_recomputed(ask):
    for found in ask("limit of seats").as_shape("retrieval"):
        assert found["score"] == pytest.approx(sum(c["adds"] for c in found["contributions"]))


@pytest.mark.parametrize("mode", ["strict", "keyword", "semantic", "hybrid"])
def test_09_match_mode_is_the_mode_that_produced_this_result(ask, mode):
    assert {h["match_mode"] for h in ask("pilot", mode=mode, min_similarity=0.0).as_shape("retrieval")} == {mode}


def test_10_backend_is_the_name_of_the_dense_engine_none_for_strict_and_keyword(ask):
    named = {mode: ask("pilot", mode=mode, min_similarity=0.0).as_shape("retrieval")[0]["backend"] for mode in MODES}
    assert named == {"semantic": "lancedb", "hybrid": "lancedb", "strict": None, "keyword": None}


MODES = ("semantic", "hybrid", "strict", "keyword")


def test_11_backend_is_provenance_only_excluded_from_equality_and_hashing(hit):
    one, other = retrieval_hit(hit(backend="lancedb")), retrieval_hit(hit(backend="numpy"))
    assert one == other
    assert len({one, other}) == 1


def test_12_index_generation_is_the_generation_that_produced_this_result(ask, reader):
    found = ask("pilot")[0].as_shape("retrieval")
    assert found["index_generation"] == {"number": reader.generation.number, "fingerprint": reader.generation.fingerprint}


def test_13_it_increments_so_that_a_caller_can_detect_results_of_an_older_index(hit):
    before, after = (hit(index_generation=Generation(number=n, fingerprint="x")).as_shape("retrieval") for n in (3, 4))
    assert before["index_generation"]["number"] < after["index_generation"]["number"]


def test_14_index_generation_is_excluded_from_equality_and_hashing(hit):
    one, other = (retrieval_hit(hit(index_generation=Generation(number=n, fingerprint=str(n)))) for n in (3, 4))
    assert one == other
    assert hash(one) == hash(other)


def test_15_two_results_for_the_same_document_score_and_mode_are_equal_regardless_of_how_they_came_about(hit):
    assert retrieval_hit(hit()) == retrieval_hit(hit(contributions=(), rank=4, native_score=0.3, native_metric="cosine"))
    for change in ({"content": CONTENT + "!"}, {"score": 0.1}, {"match_mode": "semantic"}):
        assert retrieval_hit(hit()) != retrieval_hit(hit(**change))


def test_16_the_identity_of_the_embedding_model_is_not_in_a_hit(hit):
    assert "model" not in json.dumps(hit().as_shape("retrieval"))


def test_17_contributions_are_empty_for_a_single_leg_hit(ask):
    for mode in ("keyword", "semantic", "strict"):
        assert all(h["contributions"] == [] for h in ask("pilot", mode=mode, min_similarity=0.0).as_shape("retrieval"))


def test_18_each_contribution_says_which_leg_at_what_rank_with_what_native_score_and_metric(hit):
    assert hit().as_shape("retrieval")["contributions"] == [
        {"leg": "semantic", "rank": 0, "native_score": 0.82, "native_metric": "cosine", "adds": 0.82},
        {"leg": "keyword", "rank": 39, "native_score": 7.5, "native_metric": "bm25", "adds": 0.4},
    ]


def test_19_a_hit_first_in_both_legs_is_told_from_one_that_is_first_and_fortieth(hit):
    alike = dataclasses.replace(KEYWORD, rank=0)
    one, other = (hit(contributions=(SEMANTIC, c)).as_shape("retrieval") for c in (alike, KEYWORD))
    assert one["score"] == other["score"]
    assert one["contributions"] != other["contributions"]


def test_20_native_metric_is_the_scale_of_native_score(ask):
    scales = {m: ask("pilot", mode=m, min_similarity=0.0).as_shape("retrieval")[0]["native_metric"] for m in MODES}
    assert scales == {"semantic": "cosine", "keyword": "bm25", "strict": "exact", "hybrid": None}


def test_21_scores_of_different_scales_are_never_put_under_one_name(hit):
    metrics = {c["leg"]: c["native_metric"] for c in hit().as_shape("retrieval")["contributions"]}
    assert metrics["semantic"] != metrics["keyword"]


def test_22_native_score_is_what_the_engine_returned_before_any_fusion(ask):
    fused = ask("pilot for a vessel")[0]
    alone = ask("pilot for a vessel", mode="semantic", min_similarity=0.0)
    native = {c.leg: c.native_score for c in fused.contributions}["semantic"]
    assert native == pytest.approx({h.chunk_id: h.native_score for h in alone}[fused.chunk_id])


def test_23_score_is_the_value_it_was_ranked_by_and_no_engines_output_where_it_is_fused(ask):
    found = ask("pilot for a vessel")[0].as_shape("retrieval")
    assert (found["native_score"], found["native_metric"], found["rank"]) == (None, None, None)
    assert found["score"] not in [c["native_score"] for c in found["contributions"]]


def test_24_rank_is_the_zero_based_position_within_the_leg(ask):
    ranks = [h["rank"] for h in ask("limit of seats", mode="semantic", min_similarity=0.0).as_shape("retrieval")]
    assert sorted(ranks) == list(range(len(ranks)))  # equal scores stand in the order of their documents


def test_25_a_rank_is_never_given_out_as_a_score_or_a_distance(ask):
    for found in ask("limit of seats", min_similarity=0.0):
        for c in found.contributions:
            assert type(c.rank) is int
            assert type(c.native_score) is float


def test_26_score_is_a_float(hit):
    assert type(hit().as_shape("retrieval")["score"]) is float
    assert json.dumps(hit(score=float("nan")).as_shape("retrieval"), allow_nan=False)
