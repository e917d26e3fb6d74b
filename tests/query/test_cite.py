import pytest

from ingest.errors import NotFound, UsageError
from ingest.models import Exclusion
from query.cite import cite, cite_all


@pytest.fixture(scope="module")
def look_up(library):
    reader = library()
    return lambda quote, document=None: cite(reader, quote, document)


def test_words_as_they_stand_are_exact_with_page_section_and_offset(look_up, library):
    match = look_up("Interest accrues at 1.5% per month")
    assert (match.status, match.ambiguous) == ("exact", False)
    [place] = match.places
    text = library().rows.text(place.document_id).text
    assert text[place.offset : place.offset + place.length] == place.quote == "Interest accrues at 1.5% per month"
    assert (place.page_from, place.page_to, place.page_label_from, place.line_from) == (2, 2, "1", None)
    assert place.section_path == ("4 Fees", "4.2 Late payment")
    assert place.citation() == "Master Services Agreement, § 4.2 Late payment, p. 1 (PDF 2)"


def test_a_quotation_may_run_over_sentences_chunks_and_pages(look_up):
    [place] = look_up("on late payment. The Supplier may suspend").places
    assert (place.page_from, place.page_to) == (2, 3)
    [place] = look_up("while an invoice is open.\n\nNotice\n\nEither party").places
    assert place.section_path == ("4 Fees", "4.2 Late payment")


def test_other_case_spaces_and_line_ends_are_normalized(look_up):
    match = look_up("INTEREST accrues\n at 1.5% per month on late pay-\nment")
    assert (match.status, [p.quote for p in match.places]) == (
        "normalized",
        ["Interest accrues at 1.5% per month on late payment"],
    )


def test_marks_between_the_words_are_passed_over(look_up):
    match = look_up("bleed screw left of the pump")
    [place] = match.places
    assert (match.status, place.quote, place.quote_text) == (
        "normalized",
        "bleed screw **left** of the pump",
        "bleed screw left of the pump",
    )
    assert (place.line_from, place.line_to, place.page_from) == (13, 13, None)


def test_a_quotation_may_be_copied_with_its_marks(look_up):
    assert [p.quote for p in look_up("Bleed screw\n **left** of").places] == ["bleed screw **left** of"]


@pytest.mark.parametrize("quote", ["sixty days' notice", "Sixty days’ notice"])
def test_every_place_is_given_and_more_than_one_is_ambiguous(look_up, quote):
    match = look_up(quote)
    assert match.ambiguous
    assert [p.cited_section for p in match.places] == ["5 Term › Notice", "9 Lease › Notice"]


def test_a_quotation_that_is_not_there_is_missing(look_up):
    match = look_up("Nobody pays anything for the boats")
    assert (match.status, match.places, match.excluded) == ("missing", (), ())


def test_a_quotation_that_is_nearly_there_is_a_candidate_with_its_differences(look_up):
    match = look_up("Interest accrues at 15% per month")
    assert (match.status, match.found, match.ambiguous) == ("fuzzy", False, False)
    assert match.places == (match.candidate.place,)
    assert match.candidate.place.quote == "Interest accrues at 1.5% per month"
    assert [(d.kind, d.quote, d.source) for d in match.candidate.diff if d.kind != "same"] == [
        ("quote", "15%", ""),
        ("source", "", "1.5%"),
    ]


@pytest.mark.parametrize(
    "quote",
    [
        "The Customer pays […] within thirty days",
        "[t]he Customer pay[s] each invoice ... days",
        "[the buyer] pays each invoice within thirty days.",
        "The Customer shall pay each invoice within thirty days.",
        "The Customer pays each each invoice within thirty days.",
        "The Custommer pays each invoice within thirty days.",
    ],
)
def test_what_editors_and_typists_do_to_a_quotation_leads_to_its_place_but_is_not_found(look_up, quote):
    match = look_up(quote)
    assert match.status == "fuzzy"
    [place] = match.places
    assert place.quote.endswith("each invoice within thirty days")


def test_the_nearest_passage_of_a_missing_quotation_is_named_with_its_similarity(look_up):
    match = look_up("Nobody shall suspend the boats of any other harbour")
    assert match.status == "missing"
    assert 0 < match.candidate.similarity < 0.6


def test_a_note_mark_is_no_part_of_the_words(library, doc):
    reader = library(doc(path="a.pdf", sections=[((), ["The protocol³ halved the count of cases.⁴ And x² grew by 10⁶."])]))
    [place] = cite(reader, "the protocol halved the count of cases. And").places
    assert place.quote == "The protocol³ halved the count of cases.⁴ And"
    assert cite(reader, "the protocol3 halved").status == "normalized"
    assert not cite(reader, "And x grew").found
    assert not cite(reader, "grew by 10").found


def test_several_quotations_have_the_answers_of_each(library):
    reader = library()
    quotes = ["sixty days' notice", "INTEREST accrues", "Interest accrues at 2% per month", "no such thing", "Prime the pump."]
    assert cite_all(reader, quotes) == [cite(reader, quote) for quote in quotes]


def test_the_place_in_running_text_is_preferred_to_the_one_in_a_note(library, doc):
    body = doc(path="a.pdf", sections=[((), ["The fee is nine crowns."])])
    note = doc(path="b.pdf", role="footnote", sections=[((), ["The fee is nine crowns."])])
    match = cite(library(body, note), "fee is nine")
    assert (match.ambiguous, match.preferred) == (True, 0)
    assert "running text" in match.preference


def test_equal_places_are_told_apart_by_their_neighbours(look_up):
    match = look_up("bleed screw")
    assert match.preferred is None
    assert len({(place.prefix, place.suffix) for place in match.places}) == 2


def test_a_part_of_a_word_is_not_a_quotation(look_up):
    assert not look_up("uspend the serv").found


@pytest.mark.parametrize("quote", ["", " \n", "\u200b"])
def test_an_empty_quotation_is_refused(look_up, quote):
    with pytest.raises(UsageError):
        look_up(quote)


@pytest.mark.parametrize("quote", ["—", "*", "\x00", "a\ud800", "😀", "\u0301", "-", "x" * 20_000])
def test_no_quotation_raises(look_up, quote):
    assert look_up(quote).status in ("missing", "exact")


def test_the_look_up_can_be_kept_to_some_documents(look_up):
    assert look_up("sixty days' notice", "*.md").status == "missing"
    assert look_up("sixty days' notice", "agreement.pdf").status == "exact"
    with pytest.raises(NotFound):
        look_up("sixty days' notice", "*.docx")


def test_hidden_text_is_found_and_said_to_be_hidden(library, doc):
    hidden = doc(path="h.pdf", role="hidden", cautions=("hidden_text",), sections=[((), ["The fee is nine crowns."])])
    [place] = cite(library(hidden), "fee is nine").places
    assert place.cautions == ("hidden_text",)


def test_words_that_stand_only_in_a_running_head_are_said_to_stand_there(library, doc):
    head = Exclusion(page=2, source_offset=0, length=14, text="Alder and Birch", reason="header", box=(0, 0, 1, 1))
    reader = library(doc(path="a.pdf", labels=("i", "ii"), exclusions=(head,), sections=[((), ["One.", "\fTwo."])]))
    match = cite(reader, "alder  and Birch")
    assert (match.status, match.places, match.excluded) == ("missing", (), ("a.pdf, p. ii (PDF 2), header",))


def test_the_same_words_in_all_documents_are_found_in_all(library, doc):
    docs = [doc(path=f"{n}.md", sections=[((), [f"Copy {n}: the fee is nine crowns."])]) for n in range(20)]
    match = cite(library(*docs), "the fee is nine crowns")
    assert [p.source_document for p in match.places] == sorted(f"{n}.md" for n in range(20))


def test_lines_end_at_line_feeds_and_carriage_returns_and_nothing_else(library, doc):
    reader = library(doc(path="a.md", joiner="\r\n", sections=[((), ["One\x0c.", "Two\u2028.", "Three\rfour."])]))
    assert [p.line_from for p in cite(reader, "Three").places] == [3]
    assert [p.line_from for p in cite(reader, "four").places] == [4]
