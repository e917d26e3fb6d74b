"""Osyrin's `SearchHit`: each sentence of its description is a test, in the order of the description."""

from __future__ import annotations

import inspect
import json
from datetime import datetime
from uuid import UUID

import pytest
from making_hits import AMENDMENT, CONTENT, SENTENCE

from query.models import Link, SearchHit

# Summary


def test_01_a_search_hit_is_the_text_that_matched_a_score_the_id_of_the_entity_and_the_raw_distance(hit):
    shaped = hit().as_shape("osyrin")
    assert shaped["Content"] == CONTENT
    assert (shaped["Score"], shaped["Distance"]) == (1.22, 0.18)
    assert shaped["SourceEntityId"] == "3f2b8c1e-5a7d-4e6f-8b9a-1c2d3e4f5a6b"


def test_02_a_search_returns_a_list_of_search_hits_ranked_most_relevant_first(ask):
    shaped = ask("limit of seats", min_similarity=0.0).as_shape("osyrin")
    assert isinstance(shaped, list)
    assert len(shaped) > 1
    assert [h["Score"] for h in shaped] == sorted((h["Score"] for h in shaped), reverse=True)


def test_03_the_type_is_fixed_no_hit_has_other_names(hit, ask):
    names = list(hit().as_shape("osyrin"))
    assert all(list(h.as_shape("osyrin")) == names for h in [*ask("limit of seats"), hit(links=(AMENDMENT,), via="x")])


# Signature

SIGNATURE = (
    *("Content", "Score", "Distance", "Kind", "Via"),
    *("SourceEntityId", "SourceEntityType", "SourceLabel", "SourceDocument"),
    *("Section", "PageFrom", "PageTo", "SourceOffset", "MatchOffset", "MatchLength"),
    *("RememberedAt", "Origin", "AuthoredBy"),
    *("Links", "LinksElided"),
)
NULLABLE = set(SIGNATURE) - {"Content", "Score", "Distance", "Kind", "SourceEntityId", "SourceEntityType", "Origin", "Links"}


def test_04_the_members_are_those_of_the_signature_in_its_order(hit):
    assert tuple(hit().as_shape("osyrin")) == SIGNATURE


def test_05_content_is_the_human_readable_text_that_matched(ask):
    assert "two hundred seats" in ask("enterprise seats")[0].as_shape("osyrin")["Content"]


def test_06_a_higher_score_is_more_relevant(ask):
    best, *others = ask("a limit of two hundred seats", min_similarity=0.0).as_shape("osyrin")
    assert all(best["Score"] > other["Score"] for other in others)


def test_07_distance_is_the_raw_vector_distance_lower_is_closer(ask):
    shaped = ask("a limit of two hundred seats", mode="semantic", min_similarity=0.0).as_shape("osyrin")
    distances = [h["Distance"] for h in shaped]
    assert distances == sorted(distances)
    assert all(0 <= d <= 2 for d in distances)


@pytest.mark.parametrize("kind", ["property", "section", "turn", "note"])
def test_08_kind_is_a_property_chunk_a_document_section_or_a_chat_turn(hit, kind):
    assert hit(kind=kind).as_shape("osyrin")["Kind"] == {
        "property": "Property",
        "section": "Section",
        "turn": "Turn",
        "note": "Note",
    }.get(kind)


def test_09_via_is_null_for_a_direct_hit(hit):
    assert hit().as_shape("osyrin")["Via"] is None


def test_10_source_entity_id_is_a_value_a_guid(ask):
    shaped = ask("berth fee")[0].as_shape("osyrin")
    assert str(UUID(shaped["SourceEntityId"])) == shaped["SourceEntityId"]


def test_11_source_entity_type_is_the_name_of_the_type(ask):
    assert ask("berth fee")[0].as_shape("osyrin")["SourceEntityType"] == "Document"


def test_12_source_label_is_the_record_in_words(hit):
    assert hit().as_shape("osyrin")["SourceLabel"] == "Contract MSA-2024-11"


def test_13_source_document_is_the_file_the_words_are_in_when_they_came_from_one(ask, hit):
    assert ask("berth fee")[0].as_shape("osyrin")["SourceDocument"] == "berths.pdf"
    assert hit(kind="note", source_document="notes/1").as_shape("osyrin")["SourceDocument"] is None


def test_14_section_is_the_heading_this_text_sits_under(ask):
    assert ask("enterprise seats")[0].as_shape("osyrin")["Section"] == "Harbour handbook › Seats"


def test_15_page_from_is_the_first_page_when_the_source_has_pages(ask):
    assert ask("berth fee")[0].as_shape("osyrin")["PageFrom"] == 1
    assert ask("enterprise seats")[0].as_shape("osyrin")["PageFrom"] is None


def test_16_page_to_is_the_last_page_45_46_when_it_straddles_a_break(ask, hit):
    shaped = hit().as_shape("osyrin")
    assert f"{shaped['PageFrom']}-{shaped['PageTo']}" == "45-46"
    assert ask("berth fee")[0].as_shape("osyrin")["PageTo"] == 2


def test_17_source_offset_is_where_this_text_starts_in_the_source_it_was_extracted_from(ask, reader):
    for found in ask("limit of seats", min_similarity=0.0):
        shaped = found.as_shape("osyrin")
        text = reader.rows.text(found.document_id).text
        assert text[shaped["SourceOffset"] :].startswith(shaped["Content"])


def test_18_match_offset_is_where_inside_content_the_match_is_and_match_length_how_much_of_it_matched(hit):
    shaped = hit().as_shape("osyrin")
    assert (shaped["MatchOffset"], shaped["MatchLength"]) == (CONTENT.index(SENTENCE), len(SENTENCE))


def test_19_remembered_at_is_when_this_was_learned(hit):
    assert datetime.fromisoformat(hit().as_shape("osyrin")["RememberedAt"]).year == 2025
    assert hit(remembered_at=None).as_shape("osyrin")["RememberedAt"] is None


def test_20_origin_is_derived_or_authored(hit):
    assert hit().as_shape("osyrin")["Origin"] == "Derived"
    assert hit(origin="authored", kind="note").as_shape("osyrin")["Origin"] == "Authored"


def test_21_authored_by_is_null_for_derived_always(hit):
    assert hit(origin="derived", authored_by="someone").as_shape("osyrin")["AuthoredBy"] is None


def test_22_links_are_what_this_record_links_to_and_why(hit):
    assert hit().as_shape("osyrin")["Links"] == []
    assert [link["Reason"] for link in hit(links=(AMENDMENT,)).as_shape("osyrin")["Links"]] == ["renegotiated after the Q2 review"]


def test_23_links_elided_is_how_many_links_were_left_out_for_length(hit):
    assert hit(links_elided=7).as_shape("osyrin")["LinksElided"] == 7
    assert hit().as_shape("osyrin")["LinksElided"] is None


def test_24_what_the_signature_lets_be_null_is_null_where_it_is_empty_and_nothing_else_is(hit):
    empty = hit(
        source_label="",
        kind="note",
        section=None,
        page_from=None,
        page_to=None,
        remembered_at=None,
        match_offset=None,
        match_length=None,
    ).as_shape("osyrin")
    assert {name for name, value in empty.items() if value is None} == NULLABLE - {"SourceOffset"}


# Description


def test_25_a_search_hit_is_a_plain_in_memory_value_to_rank_filter_or_display_without_fetching_the_source_again(hit):
    shaped = hit(links=(AMENDMENT,)).as_shape("osyrin")
    assert json.loads(json.dumps(shaped, allow_nan=False)) == shaped


def test_26_content_is_the_text_that_matched_the_query(ask):
    found = ask("pilot")[0]
    assert found.as_shape("osyrin")["Content"] == found.content


def test_27_with_keywords_the_score_is_the_fused_relevance_otherwise_the_semantic_similarity(ask):
    fused = ask("a pilot for vessels", keyword="pilot")[0]
    assert fused.as_shape("osyrin")["Score"] == pytest.approx(sum(c.adds for c in fused.contributions))
    alone = ask("a pilot for vessels", mode="semantic", min_similarity=0.0)[0].as_shape("osyrin")
    assert alone["Score"] == pytest.approx(1 - alone["Distance"])


def test_28_source_entity_type_and_id_go_together_since_the_id_alone_says_not_which_table(hit):
    shaped = hit().as_shape("osyrin")
    assert shaped["SourceEntityType"] == "Contract"
    assert shaped["SourceEntityId"]


def test_29_kind_tells_a_recalled_turn_from_a_stored_field(hit):
    turn, field = (hit(kind=kind).as_shape("osyrin")["Kind"] for kind in ("turn", "property"))
    assert turn != field


def test_30_source_entity_id_is_a_plain_value_not_a_live_reference(hit):
    assert type(hit().as_shape("osyrin")["SourceEntityId"]) is str


def test_31_score_is_the_value_to_rank_on_and_distance_is_exposed_for_tuning_a_threshold(ask):
    everything = ask("limit of seats", min_similarity=0.0, top_k=50).as_shape("osyrin")
    threshold = sorted(h["Distance"] for h in everything)[1]
    near = ask("limit of seats", min_similarity=0.0, top_k=50, max_distance=threshold).as_shape("osyrin")
    assert 0 < len(near) < len(everything)
    assert near == [h for h in everything if h["Distance"] <= threshold]


def test_32_no_distance_is_made_up_where_no_vector_was_compared(ask):
    assert {h["Distance"] for h in ask("seats", mode="keyword").as_shape("osyrin")} == {None}


def test_33_via_is_why_a_hit_is_here_at_all_the_links_words_in_the_direction_travelled(hit):
    via = "superseded by — renegotiated after the Q2 review"
    assert hit(via=via, graph_depth=1).as_shape("osyrin")["Via"] == via


def test_34_two_hops_read_as_a_path_and_several_links_carry_each_of_their_reasons(hit):
    via = "superseded by → annexed to"
    assert hit(via=via, graph_depth=2).as_shape("osyrin")["Via"].split(" → ") == ["superseded by", "annexed to"]


def test_35_via_is_empty_for_a_direct_hit_which_tells_the_two_apart(hit):
    assert hit(via="").as_shape("osyrin")["Via"] is None


def test_36_the_hop_is_never_folded_into_score(hit):
    direct, reached = hit(), hit(via="superseded by", graph_depth=2)
    assert direct.as_shape("osyrin")["Score"] == reached.as_shape("osyrin")["Score"]


# Saying where it came from


def test_37_a_hit_carries_everything_needed_to_attribute_it(hit):
    shaped = hit().as_shape("osyrin")
    assert all(shaped[name] is not None for name in ("SourceLabel", "SourceDocument", "Section", "PageFrom", "SourceOffset"))


def test_38_source_label_stands_beside_the_id_that_a_machine_can_act_on(hit):
    shaped = hit().as_shape("osyrin")
    assert (shaped["SourceLabel"], shaped["SourceEntityId"][:8]) == ("Contract MSA-2024-11", "3f2b8c1e")


def test_39_source_document_tells_the_attachments_of_one_record_apart(hit):
    one, other = hit(source_document="a.pdf").as_shape("osyrin"), hit(source_document="b.pdf").as_shape("osyrin")
    assert one["SourceLabel"] == other["SourceLabel"]
    assert one["SourceDocument"] != other["SourceDocument"]


def test_40_section_is_there_when_the_source_had_headings(ask):
    assert ask("tide table")[0].as_shape("osyrin")["Section"] is None


def test_41_the_pages_are_a_range_because_text_straddles_page_breaks(ask):
    shaped = ask("late fee for a berth")[0].as_shape("osyrin")
    assert shaped["PageFrom"] < shaped["PageTo"]


def test_42_source_offset_is_the_general_form_for_sources_without_pages(ask):
    shaped = ask("crane tonnes")[0].as_shape("osyrin")
    assert (shaped["PageFrom"], type(shaped["SourceOffset"])) == (None, int)


def test_43_the_substring_of_content_at_match_offset_is_the_sentence_that_matched(ask):
    shaped = ask("card payment")[0].as_shape("osyrin")
    start = shaped["MatchOffset"]
    assert shaped["Content"][start : start + shaped["MatchLength"]] == "Card payment only."


def test_44_the_match_is_empty_when_the_hit_is_short_enough_to_be_its_own(hit):
    shaped = hit(match_offset=None, match_length=None).as_shape("osyrin")
    assert (shaped["MatchOffset"], shaped["MatchLength"]) == (None, None)


# When, and on whose say-so


def test_45_remembered_at_tells_which_of_two_memories_is_the_later(hit):
    learned = hit().as_shape("osyrin")["RememberedAt"]
    later = hit(remembered_at=datetime.fromisoformat("2026-01-01T00:00:00+00:00")).as_shape("osyrin")["RememberedAt"]
    assert datetime.fromisoformat(learned) < datetime.fromisoformat(later)


def test_46_origin_tells_what_the_contract_says_from_what_somebody_said(hit):
    assert hit().as_shape("osyrin")["Origin"] != hit(origin="authored").as_shape("osyrin")["Origin"]


def test_47_authored_by_is_who_for_authored_memory(hit):
    assert hit(origin="authored", authored_by="ines").as_shape("osyrin")["AuthoredBy"] == "ines"


# What it connects to


def test_48_each_link_has_the_targets_type_id_and_label_the_relationship_and_the_links_own_words(hit):
    assert hit(links=(AMENDMENT,)).as_shape("osyrin")["Links"] == [
        {
            "TargetType": "Contract",
            "TargetId": "7d9f6a52-0c3e-4f0b-9d43-0b6b7f7f6a11",
            "TargetLabel": "Contract MSA-2024-11-A1",
            "Label": "superseded by",
            "Reason": "renegotiated after the Q2 review",
        }
    ]


def test_49_links_are_an_annotation_they_never_change_score_or_rank(hit):
    plain, linked = hit().as_shape("osyrin"), hit(links=(AMENDMENT,), links_elided=3).as_shape("osyrin")
    assert plain | {"Links": None, "LinksElided": None} == linked | {"Links": None, "LinksElided": None}


def test_50_the_list_is_capped_and_links_elided_says_how_many_were_left_out(hit):
    links = tuple(Link(target_type="Note", target_id=str(n), target_label=f"Note {n}", relationship="about") for n in range(10))
    shaped = hit(links=links, links_elided=290).as_shape("osyrin")
    assert (len(shaped["Links"]), shaped["LinksElided"]) == (10, 290)


def test_51_a_link_that_is_absent_is_not_counted(hit):
    assert hit(links=(), links_elided=0).as_shape("osyrin")["LinksElided"] is None


def test_52_the_name_search_hit_is_taken_its_fields_cannot_be_changed(hit):
    with pytest.raises(AttributeError):
        hit().score = 2.0
    assert inspect.signature(SearchHit).parameters.keys() >= {"content", "score", "distance"}


# Examples


def test_53_the_best_match_is_the_content_of_the_first_hit_or_nothing(ask):
    shaped = ask("pilot", top_k=3).as_shape("osyrin")
    assert shaped[0]["Content"].endswith("needs a pilot.")
    assert ask("zzzzzz", mode="keyword").as_shape("osyrin") == []


def test_54_a_citation_is_made_of_label_section_and_page(hit):
    shaped = hit().as_shape("osyrin")
    where = shaped["SourceLabel"]
    if shaped["Section"] is not None:
        where += f" - {shaped['Section']}"
    if shaped["PageFrom"] is not None:
        where += f", p. {shaped['PageFrom']}"
    assert where == "Contract MSA-2024-11 - 4 Fees › 4.2 Late payment, p. 45"


def test_55_what_superseded_a_record_is_found_in_its_links(hit):
    shaped = hit(links=(AMENDMENT,)).as_shape("osyrin")
    told = [f"{link['TargetLabel']}: {link['Reason']}" for link in shaped["Links"] if link["Label"] == "superseded by"]
    assert told == ["Contract MSA-2024-11-A1: renegotiated after the Q2 review"]


# See also


def test_56_a_hits_text_is_a_whole_passage_and_the_match_a_range_inside_it(ask):
    found = ask("card payment")[0]
    shaped = found.as_shape("osyrin")
    assert 0 <= shaped["MatchOffset"] < shaped["MatchOffset"] + shaped["MatchLength"] <= len(shaped["Content"])
    assert shaped["MatchLength"] < len(shaped["Content"])
