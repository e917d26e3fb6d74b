import pytest

from query.citation import citation, cited_section, page_words, section_mark


@pytest.mark.parametrize(
    ("pages", "labels", "words"),
    [
        ((7, 7), (None, None), "p. 7"),
        ((7, 7), ("7", "7"), "p. 7"),
        ((7, 8), ("7", "8"), "pp. 7–8"),
        ((14, 14), ("xiv", "xiv"), "p. xiv (PDF 14)"),
        ((14, 15), ("xiv", "xv"), "pp. xiv–xv (PDF 14–15)"),
        ((14, 15), ("xiv", None), "pp. xiv–15 (PDF 14–15)"),
        ((3, 3), ("A-3\n", "A-3\n"), "p. A-3 (PDF 3)"),
        ((3, 3), ("", ""), "p. 3"),
        ((3, 4), ("1", "1"), "p. 1 (PDF 3–4)"),
    ],
)
def test_pages_are_named_by_their_printed_label_with_the_pdf_page_where_it_differs(pages, labels, words):
    assert page_words(pages, labels) == words


def test_a_citation_names_title_section_and_page():
    assert citation(title="Master Services Agreement", section="4.2 Late payment", pages=(7, 7)) == (
        "Master Services Agreement, § 4.2 Late payment, p. 7"
    )


def test_a_citation_without_a_section_names_title_and_place():
    assert citation(title="Log", lines=(12, 14)) == "Log, lines 12–14"
    assert citation(title="Log", lines=(12, 12)) == "Log, line 12"
    assert citation(title="Log") == "Log"


def test_a_title_with_line_ends_is_cited_on_one_line():
    assert citation(title="Annual\r\n Report ", section="A\tB") == "Annual Report, § A B"


def test_a_section_that_begins_with_a_section_sign_gets_no_second_one():
    assert section_mark("§ 12 Notice") == "§ 12 Notice"


def test_only_as_many_parents_are_named_as_tell_the_section_apart():
    others = [("5 Term", "Notice"), ("9 Lease", "Notice"), ("9 Lease", "Rent")]
    assert cited_section(("9 Lease", "Rent"), others) == "Rent"
    assert cited_section(("9 Lease", "Notice"), others) == "9 Lease › Notice"
    assert cited_section(("Notice",), [("Notice",), ("A", "Notice")]) == "Notice"
    assert cited_section((), others) is None
