from datetime import UTC, datetime, timedelta

import pytest

from index.models import EmbeddingSettings
from ingest.errors import EngineError, UsageError
from query.requests import SearchRequest
from query.search import search
from query.serialise import json_text

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
"""When the chunks of the library were remembered."""


@pytest.fixture(scope="module")
def ask(library, embedder):
    reader = library()

    def ask(query, **options):
        return search(options.pop("reader", reader), options.pop("embedder", embedder), SearchRequest(query=query, **options))

    return ask


def test_a_question_finds_the_sentence_its_section_and_its_page(ask):
    hit = ask("interest on late payment")[0]
    assert hit.quote == "Interest accrues at 1.5% per month on late payment."
    assert hit.section_path == ("4 Fees", "4.2 Late payment")
    assert hit.section == "4 Fees › 4.2 Late payment"
    assert (hit.page_from, hit.page_to) == (1, 3)
    assert (hit.match_page_from, hit.match_page_to, hit.match_page_label_from) == (2, 2, "1")
    assert hit.citation() == "Master Services Agreement, § 4.2 Late payment, p. 1 (PDF 2)"
    assert (hit.locator.kind, hit.locator.start, hit.locator.end) == ("page", 2, 2)
    assert (hit.line_from, hit.matched_on) == (None, "both")


def test_a_match_in_a_text_format_is_placed_by_its_lines(ask):
    hit = ask("prime the pump")[0]
    assert (hit.line_from, hit.line_to, hit.match_page_from) == (13, 13, None)
    assert (hit.locator.kind, hit.locator.start) == ("line", 13)
    assert hit.citation() == "Handbook, § Pumps, line 13"


def test_the_quote_is_the_slice_and_its_reading_text_has_no_marks(ask):
    hit = ask("bleed screw left of the pump")[0]
    assert hit.quote == "Open the bleed screw **left** of the pump."
    assert hit.quote_text == "Open the bleed screw left of the pump."


def test_equal_passages_each_give_their_own_hit_in_the_order_of_the_document(ask):
    hits = ask("Either party may end this agreement with sixty days' notice.", top_k=2)
    assert [hit.section_path for hit in hits] == [("5 Term", "Notice"), ("9 Lease", "Notice")]
    assert hits[0].quote == hits[1].quote
    assert hits[0].source_offset < hits[1].source_offset
    assert [hit.citation() for hit in hits] == [
        "Master Services Agreement, § 5 Term › Notice, p. 2 (PDF 3)",
        "Master Services Agreement, § 9 Lease › Notice, p. 2 (PDF 3)",
    ]


@pytest.mark.parametrize("query", ["", "  \n\t ", "\u200b", "\x00", "\ud800"])
def test_an_empty_question_gives_no_hits_and_says_so(ask, query):
    response = ask(query)
    assert (len(response), response.status, response.message) == (0, "complete", "the query is empty")


HOSTILE = (
    *("don't", "C++", "(open", "AND", "title:x", '"', '""', "\\", "*", "%s {0}", "🐦"),
    *("a\x00b", "a\ud800b", "x" * 10_001, "word " * 4000),
)


@pytest.mark.parametrize("mode", ["hybrid", "semantic", "keyword", "strict"])
@pytest.mark.parametrize("query", HOSTILE, ids=lambda query: ascii(query[:12]))
def test_no_question_raises(ask, query, mode):
    response = ask(query, mode=mode)
    assert response.status == "complete"
    assert response.to_dict()["query"] == query


@pytest.mark.parametrize(
    "options",
    [
        {"top_k": 0},
        {"mode": "psychic"},
        {"min_similarity": 1.5},
        {"min_similarity": float("nan")},
        {"max_distance": -1.0},
        {"max_distance": float("nan")},
        {"kinds": ("poem",)},
        {"since": "yesterday"},
        {"until": "2026-13-01"},
        {"until": "0001-01-01T00:00+14:00"},
    ],
)
def test_an_argument_that_makes_no_sense_is_refused(ask, options):
    with pytest.raises(UsageError):
        ask("fee", **options)


@pytest.mark.parametrize(
    ("options", "documents"),
    [
        ({"document": "*.md"}, {"handbook.md"}),
        ({"document": "docs:agree*"}, {"agreement.pdf"}),
        ({"section": "late PAY"}, {"agreement.pdf"}),
        ({"section": "4 fees"}, {"agreement.pdf"}),
    ],
)
def test_filters_hold_for_all_legs(ask, options, documents):
    hits = ask("the pump, the fee, the notice, interest", min_similarity=0.0, top_k=50, **options)
    assert {hit.source_document for hit in hits} == documents


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"document": "*.docx"}, "no document is called “*.docx”"),
        ({"section": "Insurance"}, "no section has “Insurance” in its title"),
        ({"namespace": "x"}, "no document is in the namespace “x”"),
        ({"kinds": ("note", "turn")}, "no text fits the filter (kind note, turn)"),
        ({"since": "2999-01-01"}, "no text fits the filter (since 2999-01-01)"),
        ({"until": "1999-12-31T12:00"}, "no text fits the filter (until 1999-12-31T12:00)"),
        ({"document": "*.md", "section": "late pay"}, "no text fits the filter (document *.md; section late pay)"),
    ],
)
@pytest.mark.parametrize("mode", ["hybrid", "semantic", "keyword", "strict"])
def test_a_filter_that_nothing_fits_is_named(ask, options, message, mode):
    response = ask("fee", mode=mode, **options)
    assert (len(response), response.message) == (0, message)


def test_a_question_that_finds_nothing_in_what_a_filter_lets_through_does_not_blame_the_filter(ask):
    response = ask("zeppelin", mode="keyword", kinds=("section",), since="2000-01-01")
    assert (len(response), response.message) == (0, None)


@pytest.mark.parametrize("mode", ["hybrid", "semantic", "keyword", "strict"])
@pytest.mark.parametrize(
    ("options", "found"),
    [
        ({"kinds": ("section", "note")}, True),
        ({"since": NOW.isoformat(), "until": NOW.isoformat()}, True),
        ({"since": NOW.date().isoformat(), "until": NOW.date().isoformat()}, True),
        ({"since": (NOW + timedelta(microseconds=1)).isoformat()}, False),
        ({"until": (NOW - timedelta(microseconds=1)).isoformat()}, False),
        ({"until": (NOW.date() - timedelta(days=1)).isoformat()}, False),
    ],
)
def test_kinds_and_dates_hold_for_every_mode_both_ends_included(ask, options, found, mode):
    assert bool(ask("pump", mode=mode, min_similarity=0, **options)) is found


def test_a_document_whose_name_has_brackets_is_found_by_that_name(library, embedder, doc):
    reader = library(doc(path="a[1].md", sections=[((), ["The fee is nine crowns."])]))
    assert len(search(reader, embedder, SearchRequest(query="fee", document="a[1].md"))) == 1


def test_namespaces_keep_documents_apart(library, embedder, doc):
    docs = [doc(path=f"{n}.md", namespace=n, sections=[((), ["The fee is nine crowns."])]) for n in ("a", "b")]
    hits = search(library(*docs), embedder, SearchRequest(query="fee", namespace="b"))
    assert [(hit.source_document, hit.namespace) for hit in hits] == [("b.md", "b")]


def test_hidden_text_is_left_out_unless_asked_for_and_markup_always(library, embedder, doc):
    hidden = doc(path="h.pdf", role="hidden", cautions=("hidden_text",), sections=[((), ["The fee is nine crowns."])])
    markup = doc(path="m.md", role="markup", sections=[((), ["The fee is ten crowns."])])
    reader = library(hidden, markup)
    assert not search(reader, embedder, SearchRequest(query="fee"))
    [hit] = search(reader, embedder, SearchRequest(query="fee", include_hidden_text=True))
    assert (hit.source_document, hit.cautions) == ("h.pdf", ("hidden_text",))


def test_other_words_can_be_given_to_the_keyword_leg(ask):
    [hit] = ask("what does the manual say", keyword="bleed screw", mode="keyword")
    assert hit.section_path == ("Pumps",)


def test_hits_of_one_leg_are_ranked_by_its_own_score(ask):
    keyword, semantic = ask("late payment", mode="keyword")[0], ask("late payment", mode="semantic")[0]
    assert (keyword.native_metric, keyword.rank, keyword.similarity, keyword.distance) == ("bm25", 0, None, None)
    assert keyword.score == keyword.native_score
    assert (semantic.native_metric, semantic.matched_on, semantic.contributions) == ("cosine", "semantic", ())
    assert semantic.distance == pytest.approx(1 - semantic.native_score)


def test_in_hybrid_mode_every_hit_has_a_similarity_even_below_the_floor(ask):
    hits = ask("the supplier, unless penguins object, may suspend", min_similarity=1.0)
    assert hits
    assert all(hit.similarity is not None and hit.matched_on == "keyword" for hit in hits)


class Broken:
    """A port that fails at every call."""

    def __getattr__(self, name):
        raise EngineError("test engine", "it is on fire")


class WithoutKeywords:
    """A library whose keyword index fails."""

    def __init__(self, reader):
        self.rows, self.keyword, self.documents = reader.rows, Broken(), reader.documents
        self.generation, self.settings = reader.generation, reader.settings


def test_a_leg_that_fails_is_told_and_the_other_answers(ask, library):
    response = ask("late payment", reader=WithoutKeywords(library()))
    assert response.status == "degraded"
    assert [(leg.leg, leg.status) for leg in response.legs] == [("keyword", "failed"), ("semantic", "complete")]
    assert "on fire" in response.message
    assert (response[0].matched_on, response[0].native_metric) == ("semantic", "cosine")


def test_without_a_model_a_hybrid_search_goes_by_the_words_and_says_so(ask):
    response = ask("late payment", embedder=None)
    assert (response.status, response[0].matched_on, response[0].similarity) == ("degraded", "keyword", None)
    assert ask("late payment", embedder=None, mode="keyword").status == "complete"


def test_a_search_with_no_leg_left_gives_no_hits_and_says_why(ask):
    response = ask("late payment", embedder=None, mode="semantic")
    assert (len(response), response.status) == (0, "degraded")
    assert response.message.startswith("nothing could be searched")


def test_vectors_of_another_model_are_never_compared(ask, embedder):
    class Other:
        settings = EmbeddingSettings(model="other", weights_sha256="", dimension=64, max_tokens=256, pooled=True)
        embed_query = embedder.embed_query

    assert "embedding model hashing, not with other" in ask("late payment", embedder=Other()).legs[1].reason


@pytest.mark.parametrize("mode", ["hybrid", "semantic", "keyword"])
def test_a_question_asked_a_hundred_times_gives_the_same_bytes(ask, mode):
    def answer():
        response = ask("end this agreement with notice, or open the pump", mode=mode, min_similarity=0.0)
        return json_text(response.to_dict() | {"elapsed_ms": 0})

    assert len({answer() for _ in range(100)}) == 1


def test_what_the_legs_add_makes_the_score(ask):
    hits = ask("interest on late payment", min_similarity=0.0, top_k=20)
    assert {len(hit.contributions) for hit in hits} == {1, 2}
    for hit in hits:
        assert hit.score == pytest.approx(sum(c.adds for c in hit.contributions))


class Foreign:
    """An embedder that has no words for the script asked in."""

    def __init__(self, embedder):
        self.settings, self.embed_query = embedder.settings, embedder.embed_query

    def familiarity(self, text):
        return 0.0


def test_vectors_count_little_for_a_script_that_the_model_has_no_words_for(ask, embedder):
    trusted, foreign = ask("late payment")[0], ask("late payment", embedder=Foreign(embedder))[0]
    [one], [other] = ([c for c in hit.contributions if c.leg == "semantic"] for hit in (trusted, foreign))
    assert trusted.similarity == foreign.similarity
    assert other.adds == pytest.approx(0.1 * one.adds)


def test_words_quoted_in_a_question_mark_the_sentence_that_has_them(library, embedder, doc):
    sentences = ["The fee of the customer is the fee.", "The customer pays nine crowns as his fee.", "Pay nine crowns."]
    reader = library(doc(path="d.md", sections=[((), sentences)]))
    hit = search(reader, embedder, SearchRequest(query='fee of the customer "pay nine crowns"'))[0]
    assert hit.quote == "Pay nine crowns."


def test_words_in_quotes_must_occur_whatever_the_meaning_finds(ask):
    loose = ask("who may suspend the services", min_similarity=0.0, top_k=20)
    hits = ask('who may "suspend the services"', min_similarity=0.0, top_k=20)
    assert len(loose) > 1
    assert [("suspend the services" in hit.content, hit.matched_on) for hit in hits] == [(True, "both")]


def test_words_in_quotes_that_stand_nowhere_together_are_said(ask):
    response = ask('who may "services the suspend"')
    assert (len(response), response.message) == (0, "the words in quotes stand nowhere together")


def test_the_same_question_gives_the_same_json(ask):
    first, second = ask("notice of the pump"), ask("notice of the pump")
    assert first == second
    assert [h.to_dict() for h in first] == [h.to_dict() for h in second]


def test_more_hits_than_there_are_is_no_error(ask):
    assert 0 < len(ask("the", top_k=10_000, min_similarity=0.0)) <= 8
