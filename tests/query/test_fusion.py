from hypothesis import given
from hypothesis import strategies as st

from query.fusion import Parts, ranks, reciprocal_rank_fusion, score_fusion, sentence_fusion
from query.legs import LegResult
from query.models import LegAccount
from query.ranking import rank_candidates

SCORES = st.dictionaries(st.sampled_from("abcdefgh"), st.floats(0, 50), max_size=8)


def test_reciprocal_ranks_add_up_over_the_rankings():
    assert reciprocal_rank_fusion([["a", "b"], ["b"]], k=60) == {"a": 1 / 61, "b": 1 / 62 + 1 / 61}


def test_score_fusion_adds_half_of_the_share_of_the_best_bm25():
    fused = score_fusion({"a": 0.8, "b": 0.4}, {"b": 10.0, "c": 5.0})
    assert fused == {"a": (0.8, 0.0), "b": (0.4, 0.5), "c": (0.0, 0.25)}
    assert fused["b"].score == 0.9


def test_similarities_count_as_far_as_they_are_trusted():
    assert score_fusion({"a": 0.8}, {"a": 10.0}, trust=0.5) == {"a": (0.4, 0.5)}
    assert sentence_fusion(Parts(0.4, 0.5), [0.8, 0.2], [0.0, 1.0], trust=0.5) == (0.1, 1.0)


def test_a_chunk_is_ranked_by_the_sentence_that_has_meaning_and_words_together():
    assert sentence_fusion(Parts(0.75, 0.5), [0.75, 0.5], [0.0, 1.0]) == (0.5, 1.0)
    assert sentence_fusion(Parts(0.75, 0.5), [0.75, 0.5], [0.0, 0.0]) == (0.75, 0.5)


def test_a_chunk_whose_sentences_are_not_known_keeps_its_score():
    assert sentence_fusion(Parts(0.75, 0.5), [], []) == (0.75, 0.5)


@given(st.lists(st.tuples(st.floats(-1, 1), st.floats(0, 1)), min_size=1, max_size=6), st.floats(0.1, 1))
def test_reading_the_sentences_never_lowers_a_score(units, trust):
    cosines, shares = [c for c, _ in units], [s for _, s in units]
    before = Parts(trust * max(cosines), 0.25)
    assert sentence_fusion(before, cosines, shares, trust=trust).score >= before.score


def test_score_fusion_without_words_is_the_similarity():
    assert score_fusion({"a": 0.8}, {}) == {"a": (0.8, 0.0)}
    assert score_fusion({"a": 0.8}, {"a": 0.0}) == {"a": (0.8, 0.0)}


@given(SCORES, SCORES)
def test_a_better_keyword_score_never_lowers_a_fused_score(similarities, bm25):
    fused = score_fusion(similarities, bm25)
    assert set(fused) == set(similarities) | set(bm25)
    assert all(fused[c].score >= similarities[c] for c in similarities)


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
    assert best.score == sum(c.adds for c in best.contributions) == 1.0


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
