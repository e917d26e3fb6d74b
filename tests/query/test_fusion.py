from hypothesis import given
from hypothesis import strategies as st

from query.fusion import ranks, reciprocal_rank_fusion, score_fusion
from query.legs import LegResult
from query.models import LegAccount
from query.ranking import rank_candidates

SCORES = st.dictionaries(st.sampled_from("abcdefgh"), st.floats(0, 50), max_size=8)


def test_reciprocal_ranks_add_up_over_the_rankings():
    assert reciprocal_rank_fusion([["a", "b"], ["b"]], k=60) == {"a": 1 / 61, "b": 1 / 62 + 1 / 61}


def test_score_fusion_adds_half_of_the_share_of_the_best_bm25():
    assert score_fusion({"a": 0.8, "b": 0.4}, {"b": 10.0, "c": 5.0}) == {"a": 0.8, "b": 0.9, "c": 0.25}


def test_score_fusion_without_words_is_the_similarity():
    assert score_fusion({"a": 0.8}, {}) == {"a": 0.8}
    assert score_fusion({"a": 0.8}, {"a": 0.0}) == {"a": 0.8}


@given(SCORES, SCORES)
def test_a_better_keyword_score_never_lowers_a_fused_score(similarities, bm25):
    fused = score_fusion(similarities, bm25)
    assert set(fused) == set(similarities) | set(bm25)
    assert all(fused[c] >= similarities[c] for c in similarities)


def test_ranks_count_from_zero_and_break_ties_by_id():
    assert ranks({"b": 1.0, "a": 1.0, "c": 2.0}) == {"c": 0, "a": 1, "b": 2}


def leg(name, **scores):
    ordered = dict(sorted(scores.items(), key=lambda item: -item[1]))
    return LegResult(account=LegAccount(leg=name, status="complete"), scores=ordered)


def test_the_floor_holds_for_what_only_the_vectors_found():
    found = rank_candidates([leg("keyword", a=5.0), leg("semantic", a=0.1, b=0.2, c=0.6)], min_similarity=0.35, max_distance=None)
    assert {c.chunk_id: c.matched_on for c in found} == {"a": "keyword", "c": "semantic"}


def test_a_fused_hit_keeps_what_each_leg_said_and_has_no_rank_of_its_own():
    [best, *_] = rank_candidates([leg("keyword", a=5.0), leg("semantic", a=0.5, c=0.6)], min_similarity=0.35, max_distance=None)
    assert (best.chunk_id, best.matched_on, best.rank, best.native_score) == ("a", "both", None, None)
    assert [(c.leg, c.rank, c.native_score, c.native_metric) for c in best.contributions] == [
        ("keyword", 0, 5.0, "bm25"),
        ("semantic", 1, 0.5, "cosine"),
    ]


def test_a_hit_of_one_leg_has_its_rank_and_native_score_and_no_contributions():
    found = rank_candidates([leg("semantic", a=0.5, c=0.6)], min_similarity=0.35, max_distance=None)
    assert [(c.chunk_id, c.rank, c.native_score, c.native_metric, c.contributions) for c in found] == [
        ("c", 0, 0.6, "cosine", ()),
        ("a", 1, 0.5, "cosine", ()),
    ]


def test_the_greatest_distance_holds_for_every_hit_that_has_one():
    legs = [leg("keyword", a=5.0), leg("semantic", a=0.1, c=0.6)]
    assert [c.chunk_id for c in rank_candidates(legs, min_similarity=0.0, max_distance=0.5)] == ["c"]
    assert [c.chunk_id for c in rank_candidates(legs[:1], min_similarity=0.0, max_distance=0.5)] == ["a"]
