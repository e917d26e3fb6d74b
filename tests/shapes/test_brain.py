"""Living Brain's search result: each sentence of its description is a test, in the order of the description."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from making_hits import make_hit

from ingest.models import Span
from query.requests import DEFAULT_MIN_SIMILARITY, DEFAULT_TOP_K
from query.shapes import MOST_EXCERPT_CHARACTERS, brain, hits_shape

# How search ranks pages


def test_01_each_search_runs_two_lookups_and_merges_them(ask):
    response = ask("limit of seats")
    assert [(leg.leg, leg.status) for leg in response.legs] == [("keyword", "complete"), ("semantic", "complete")]
    assert {c.leg for hit in response for c in hit.contributions} == {"semantic", "keyword"}


def test_02_semantic_search_finds_pages_whose_meaning_is_close_even_when_the_wording_differs(ask):
    results = ask("a limit of two hundred seats", keyword="nothingofthekind").as_shape("brain")
    assert (results[0]["title"], results[0]["matchedOn"]) == ("Harbour handbook", "semantic")


def test_03_keyword_search_finds_names_codes_and_identifiers_that_semantic_search_can_miss(ask):
    results = ask("zzz", keyword="pilot", min_similarity=1.0).as_shape("brain")
    assert [r["matchedOn"] for r in results] == ["keyword"]
    assert "pilot" in results[0]["excerpt"]


# How results are ordered


def test_04_a_page_ranks_higher_when_it_is_closer_in_meaning_and_when_the_words_appear_in_it(ask):
    best = ask("a limit of two hundred seats")[0]
    assert {c.leg: c.adds > 0 for c in best.contributions} == {"semantic": True, "keyword": True}
    assert best.score == pytest.approx(sum(c.adds for c in best.contributions))


def test_05_words_in_the_title_count_too(ask):
    assert "keyword" in {r["matchedOn"] for r in ask("handbook", mode="keyword").as_shape("brain")}


def test_06_a_page_found_only_by_semantic_search_ranks_by_similarity_alone(ask):
    found = ask("limit of seats", keyword="nothingofthekind", min_similarity=0.0, top_k=50)
    assert {h.matched_on for h in found} == {"semantic"}
    assert [h.similarity for h in found] == sorted((h.similarity for h in found), reverse=True)


def test_07_similarity_holds_the_vector_score_only(ask):
    with_words, without = ask("seats limit"), ask("seats limit", keyword="nothingofthekind", min_similarity=0.0)
    alone = {h.chunk_id: h.similarity for h in without}
    assert all(h.as_shape("brain")["similarity"] == pytest.approx(alone[h.chunk_id]) for h in with_words if h.chunk_id in alone)


def test_08_two_results_can_appear_out_of_similarity_order_when_one_also_matched_on_keywords(ask):
    results = ask("limit of the crane", keyword="pilot", min_similarity=0.1, top_k=50).as_shape("brain")
    similarities = [r["similarity"] for r in results]
    assert similarities != sorted(similarities, reverse=True)


def test_09_the_combined_rank_is_not_returned(hit):
    assert not {"score", "rank", "combined"} & set(hit().as_shape("brain"))


# The similarity floor


def test_10_min_similarity_drops_semantic_matches_below_it_and_keeps_keyword_matches(ask):
    results = ask("limit of seats", keyword="pilot", min_similarity=0.6, top_k=50).as_shape("brain")
    assert all(r["similarity"] >= 0.6 for r in results if r["matchedOn"] == "semantic")
    assert [r["matchedOn"] for r in results if r["similarity"] < 0.6] == ["keyword"]


def test_11_the_illustration_the_third_is_kept_for_its_words_the_fourth_has_neither(ask):
    results = ask("enterprise seat limit").as_shape("brain")
    assert "enterprise plan" in results[0]["excerpt"]
    assert any("crane" in r["excerpt"] for r in results)  # it has the word
    assert not any("quay" in r["excerpt"] for r in results)


# Defaults and limits


def test_12_top_k_is_5_and_how_many_results_to_return(ask):
    assert DEFAULT_TOP_K == 5
    assert len(ask("limit of seats", min_similarity=0.0, top_k=2).as_shape("brain")) == 2


def test_13_min_similarity_is_a_floor_of_0_35_for_semantic_matches(ask):
    assert DEFAULT_MIN_SIMILARITY == 0.35
    assert all(h.similarity >= 0.35 for h in ask("limit of seats") if h.matched_on == "semantic")


def test_14_text_further_into_a_long_page_is_found_too(ask):
    assert "quay" in ask("fuel at the east quay").as_shape("brain")[0]["excerpt"]


def test_15_an_excerpt_has_500_characters_around_the_match(hit):
    long = hit(content="word " * 300 + "Interest accrues. " + "word " * 300, match_offset=1500, match_length=17)
    excerpt = long.as_shape("brain")["excerpt"]
    assert "Interest accrues." in excerpt
    assert 400 < len(excerpt) <= 500


def test_16_there_are_up_to_20_results_where_a_response_includes_excerpts(hit):
    assert len(hits_shape([hit()] * 50, "brain")) == 20


@given(st.integers(min_value=20, max_value=10_000), st.integers(min_value=0, max_value=5000))
def test_17_an_excerpt_has_up_to_2000_characters(asked, length):
    content = "word " * (length // 5) + "end."
    excerpt = brain(make_hit(content=content, match_offset=None, match_length=None), excerpt_chars=asked)["excerpt"]
    assert len(str(excerpt)) <= min(asked, MOST_EXCERPT_CHARACTERS)


# Reading a result


@pytest.mark.parametrize("matched_on", ["both", "semantic", "keyword", None])
def test_18_matched_on_says_why_a_page_came_back(hit, matched_on):
    assert hit(matched_on=matched_on).as_shape("brain")["matchedOn"] == matched_on


def test_19_both_means_close_in_meaning_and_contains_the_querys_words(ask):
    best = ask("a limit of two hundred seats").as_shape("brain")[0]
    assert best["matchedOn"] == "both"
    assert best["similarity"] >= 0.35
    assert "seats" in best["excerpt"]


def test_20_semantic_means_close_in_meaning_no_shared_keywords(ask):
    best = ask("a limit of two hundred seats", keyword="nothingofthekind")[0]
    assert best.as_shape("brain")["matchedOn"] == "semantic"
    assert {c.leg for c in best.contributions} == {"semantic"}


def test_21_keyword_means_contains_the_words_may_be_below_the_similarity_floor(ask):
    [result] = [r for r in ask("zzz", keyword="pilot").as_shape("brain") if r["matchedOn"] == "keyword"]
    assert result["similarity"] < 0.35


# Similarity and correctness


def test_22_a_similarity_is_closeness_in_embedding_space_the_clamped_cosine(ask):
    for found in ask("limit of seats", min_similarity=0.0, top_k=50):
        assert found.as_shape("brain")["similarity"] == pytest.approx(min(max(1 - found.distance, 0), 1))


def test_23_a_similarity_is_no_chance_of_being_right_and_is_not_called_one(ask):
    result = ask("A vessel over forty metres needs a pilot.").as_shape("brain")[0]
    assert result["similarity"] == pytest.approx(1, abs=1e-3)
    assert not {"probability", "confidence", "relevance"} & set(result)


def test_24_the_result_names_the_page_to_open_and_read(ask, reader):
    result = ask("fuel at the east quay").as_shape("brain")[0]
    assert (result["title"], result["path"]) == ("Harbour handbook", "handbook.md")
    assert reader.rows.text(result["id"]).text.startswith("# Harbour handbook")


def test_25_a_search_answers_a_specific_question_the_excerpt_has_the_answer(ask):
    found = ask("which vessel needs a pilot?")[0]
    excerpt = found.excerpt()
    assert Span(excerpt.start, excerpt.end).slice(found.as_shape("brain")["excerpt"]) == "A vessel over forty metres needs a pilot."


def test_26_similarity_is_null_where_the_semantic_lookup_did_not_run(ask):
    results = ask("pilot", mode="keyword").as_shape("brain")
    assert [(r["similarity"], r["matchedOn"]) for r in results] == [(None, "keyword")]
    assert json.loads(json.dumps(results, allow_nan=False)) == results
