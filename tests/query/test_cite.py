import pytest

from ingest.errors import NotFound, UsageError
from ingest.models import Exclusion
from query.cite import cite


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
    match = look_up("Interest accrues at 15% per month")
    assert (match.status, match.places, match.excluded) == ("missing", (), ())


def test_a_part_of_a_word_is_not_a_quotation(look_up):
    assert look_up("uspend the serv").status == "missing"


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
