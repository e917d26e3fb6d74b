import pytest

from query.requests import SearchRequest
from query.search import search


@pytest.fixture(scope="module")
def strict(library):
    reader = library()
    return lambda query, **options: search(reader, None, SearchRequest(query=query, mode="strict", **options))


def test_strict_mode_marks_exactly_the_words_and_every_further_place(strict):
    [hit] = strict("bleed screw")
    assert hit.quote == "bleed screw"
    assert (hit.score, hit.native_metric, hit.matched_on, hit.similarity) == (1.0, "exact", None, None)
    [other] = hit.also_matched
    begin = other.start - hit.source_offset
    assert hit.content[begin : begin + len(other)] == "bleed screw"


def test_strict_mode_needs_no_model_and_no_leg(strict):
    response = strict("bleed screw")
    assert (response.status, response.legs) == ("complete", ())


def test_strict_mode_minds_case_and_white_space(strict):
    assert not strict("Bleed  SCREW")


def test_strict_mode_can_be_blind_to_case_and_white_space(strict):
    assert [hit.quote for hit in strict("Bleed  SCREW", fold=True)] == ["bleed screw"]


def test_strict_hits_stand_in_the_order_of_the_documents(strict):
    offsets = [(hit.source_document, hit.source_offset) for hit in strict("the ", top_k=50)]
    assert offsets == sorted(offsets)
    assert len(strict("the ", top_k=2)) == 2


def test_signs_stand_for_themselves(strict):
    assert not strict("bleed.screw")
    assert [hit.quote for hit in strict("foo_bar()")] == ["foo_bar()"]
