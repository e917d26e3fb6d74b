import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.errors import UsageError
from ingest.models import SilentRange, Span
from query.excerpts import excerpt, neighbourhood, with_neighbours
from query.requests import SearchRequest
from query.search import search

TEXT = "Alpha one two three. Beta four five six. Gamma seven eight nine. Delta ten eleven twelve."
UNITS = [Span(0, 20), Span(21, 40), Span(41, 64), Span(65, 89)]


def test_a_short_passage_is_its_own_excerpt():
    text, start, end = excerpt(TEXT, (), UNITS[1], 500)
    assert (text, text[start:end]) == (TEXT, "Beta four five six.")


def test_a_long_passage_is_cut_at_the_ends_of_words_with_the_match_inside():
    text, start, end = excerpt(TEXT, (), UNITS[2], 45)
    assert (text, text[start:end]) == ("… six. Gamma seven eight nine. Delta …", "Gamma seven eight nine.")


def test_room_that_is_not_needed_on_one_side_goes_to_the_other():
    assert excerpt(TEXT, (), UNITS[0], 50).text == "Alpha one two three. Beta four five six. Gamma …"


def test_marks_are_not_in_an_excerpt():
    assert excerpt("**bold** words", (SilentRange(start=0, end=2), SilentRange(start=6, end=8)), Span(0, 8), 500) == (
        "bold words",
        0,
        4,
    )


def test_an_excerpt_of_next_to_nothing_is_refused():
    with pytest.raises(UsageError):
        excerpt(TEXT, (), UNITS[0], 5)


@given(st.text(alphabet="ab \n税.", max_size=200), st.data())
def test_an_excerpt_is_never_longer_than_asked_for_and_holds_what_fits_of_the_match(content, data):
    start = data.draw(st.integers(0, len(content)))
    match = Span(start, data.draw(st.integers(start, len(content))))
    most = data.draw(st.integers(20, 220))
    whole = excerpt(content, (), match, 10_000)
    text, start, end = excerpt(content, (), match, most)
    assert len(text) <= most
    marked, wanted = text[start:end], whole.text[whole.start : whole.end]
    assert marked == wanted if len(wanted) <= most - 4 else wanted.startswith(marked)


@pytest.mark.parametrize(("count", "text"), [(0, TEXT[21:40]), (1, TEXT[:64]), (9, TEXT)])
def test_neighbours_are_taken_as_far_as_there_are_any(count, text):
    found = neighbourhood(TEXT, (), UNITS, UNITS[1], count)
    assert (found.text, found.text[found.start : found.end]) == (text, "Beta four five six.")


def test_a_match_of_two_sentences_has_neighbours_on_both_sides():
    assert with_neighbours(UNITS, Span(21, 64), 1) == Span(0, 89)
    assert with_neighbours([], Span(21, 64), 1) == Span(21, 64)


def test_a_hit_gives_its_excerpt_and_its_neighbours(library, embedder):
    hit = search(library(), embedder, SearchRequest(query="prime the pump"))[0]
    text, start, end = hit.excerpt(40)
    assert text[start:end] == hit.quote_text == "Prime the pump."
    assert hit.neighbourhood(1).text.endswith("Prime the pump. Open the bleed screw again.")
    assert "**" not in hit.neighbourhood(1).text
