import pytest

from query.requests import SearchRequest
from query.search import search


@pytest.fixture(scope="module")
def quote(library, embedder):
    reader = library()

    def quote(query, mode="hybrid"):
        return search(reader, embedder, SearchRequest(query=query, mode=mode))[0].quote

    return quote


@pytest.fixture(scope="module")
def one_section(library, embedder, doc):
    def hit(query, *sentences, path=("Fees",), mode="hybrid", **options):
        reader = library(doc(path="d.md", sections=[(path, sentences)], **options))
        return search(reader, embedder, SearchRequest(query=query, mode=mode, min_similarity=0.0))[0]

    return hit


@pytest.mark.parametrize("mode", ["hybrid", "keyword", "semantic"])
@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("foo_bar()", "The code foo_bar() clears the hopper queue."),
        ("foo_baz()", "The code foo_baz() fills the hopper queue."),
        ("v2.10.3", "Release v2.10.3 adds the tide table."),
        ("v2.1.03", "Release v2.1.03 removes the tide table."),
        ("sixty days' notice", "Either party may end this agreement with sixty days' notice."),
        ("sixty days’ notice", "Either party may end this agreement with sixty days' notice."),
        ("an invoice is open", "The Supplier may suspend the services while an invoice is open."),
    ],
)
def test_the_sentence_that_has_the_very_words_is_marked(quote, query, sentence, mode):
    assert quote(query, mode) == sentence


def test_a_code_is_not_found_inside_a_longer_code(one_section):
    assert one_section("K-7", "Valve K-77 is here.", "Valve K-7 is there.").quote == "Valve K-7 is there."


def test_a_sentence_is_marked_rather_than_the_heading_above_it(one_section):
    assert one_section("fee", "The fee is nine crowns.", path=("Fee",)).quote == "The fee is nine crowns."


def test_a_heading_is_marked_where_nothing_else_comes_near(one_section):
    assert one_section("Entry 1.5", "Nothing of the kind.", "Nor here.", path=("Entry 1.5",)).quote == "# Entry 1.5"


def test_a_phrase_over_two_adjoining_sentences_marks_both(one_section):
    hit = one_section("nine crowns. It rises", "All pay.", "The fee is nine crowns.", "It rises each year.", "So be it.")
    assert hit.quote == "The fee is nine crowns. It rises each year."


def test_words_found_half_here_and_half_there_mark_both_sentences(one_section):
    hit = one_section("gravel penguins", "Nothing.", "Penguins walk about.", "They like gravel.", "The end.", mode="keyword")
    assert hit.quote == "Penguins walk about. They like gravel."


def test_a_second_place_of_the_same_words_is_given_beside_the_match(one_section):
    hit = one_section("end this lease", "Either may end this lease.", "No.", "Either may end this lease.")
    assert hit.quote == "Either may end this lease."
    [other] = hit.also_matched
    begin = other.start - hit.source_offset
    assert begin > hit.match_offset
    assert hit.content[begin : begin + len(other)] == hit.quote


def test_a_chunk_of_one_unit_is_its_own_match(one_section):
    hit = one_section("fee", "The fee is nine crowns.", path=())
    assert (hit.match_offset, hit.match_length, hit.quote) == (None, None, "The fee is nine crowns.")


def test_a_part_of_a_long_sentence_is_said_to_be_partial(one_section):
    assert one_section("fee", "The fee is nine crowns,", "or so.", partial=True).cautions == ("partial",)


def test_words_are_found_in_scripts_without_spaces(one_section):
    hit = one_section("电脑", "今天下雨。", "我的电脑很好。", "明天见。", joiner="", mode="keyword")
    assert hit.quote == "我的电脑很好。"


def test_a_phrase_in_quotes_marks_the_whole_sentence_that_has_it(one_section):
    hit = one_section('"is nine crowns"', "Nine is a number.", "The fee is nine crowns.", "Crowns are nine.")
    assert hit.quote == "The fee is nine crowns."
