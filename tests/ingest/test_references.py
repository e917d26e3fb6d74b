"""What a document refers to."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.markdown import parse_markdown
from ingest.models import PageRun, ParsedDocument
from ingest.pdf.parser import parse_pdf
from ingest.plaintext import parse_text
from ingest.references import references_of


def of(markdown: str) -> list[tuple[str, str]]:
    return [tuple(r) for r in references_of(parse_markdown(markdown, encoding=None))]


@pytest.mark.parametrize(
    ("markdown", "target"),
    [
        ("See [the lease](../deeds/lease%20one.pdf#page=3).", "../deeds/lease one.pdf"),
        ("[a][ref]\n\n[ref]: b.md?x 'title'", "b.md"),
        ("# [In a heading](h.md)", "h.md"),
        ("| a |\n|---|\n| [cell](c.md) |", "c.md"),
        ("> - [deep](d.md)", "d.md"),
        ("[w](C:\\\\x\\\\y.pdf)", "C:/x/y.pdf"),
    ],
)
def test_the_targets_of_markdown_links_are_references(markdown, target):
    assert of(markdown) == [("path", target)]


@pytest.mark.parametrize(
    "markdown",
    ["`[a](b.md)`", "```\n[a](b.md)\n[[x]]\n```", "[a](https://x.example/b.md)", "[a](#there)", "[a](mailto:x@y.z)", "\\[a](b.md)"],
)
def test_code_web_addresses_and_places_in_the_same_file_are_none(markdown):
    assert of(markdown) == []


def test_wiki_links_name_a_page_without_heading_and_words():
    assert of("See [[Late fees]], [[deeds/Lease#Term|the lease]] and [[ Late  fees ]].") == [
        ("wiki", "Late fees"),
        ("wiki", "deeds/Lease"),
    ]


def test_dois_are_found_in_text_and_in_links_without_the_punctuation_of_the_sentence():
    text = "Cf. (10.1000/abc(1)2), https://doi.org/10.1000/XYZ.7. And [it](https://doi.org/10.5555%2Fq)."
    assert sorted(of(text)) == [("doi", "10.1000/abc(1)2"), ("doi", "10.1000/xyz.7"), ("doi", "10.5555/q")]


def test_a_documents_own_doi_is_no_reference():
    assert of("---\ndoi: https://doi.org/10.1000/Own\n---\nThis is 10.1000/own; see 10.1000/other.") == [
        ("own doi", "10.1000/own"),
        ("doi", "10.1000/other"),
    ]


def test_of_a_paged_document_the_only_doi_of_the_first_page_is_its_own():
    text = "A paper. doi:10.1000/own\n\nReferences: 10.1000/a, 10.1000/b"
    paged = ParsedDocument(text=text, format="pdf", blocks=(), parser="x", page_map=(PageRun(0, 25, 1), PageRun(25, len(text), 2)))
    assert [tuple(r) for r in references_of(paged)] == [("own doi", "10.1000/own"), ("doi", "10.1000/a"), ("doi", "10.1000/b")]


def test_the_links_of_a_pdf_lead_to_files_and_web_addresses(tmp_path):
    pymupdf = pytest.importorskip("pymupdf")
    document = pymupdf.open()
    document.new_page().insert_text((50, 50), "Nothing here.")
    page = document.new_page()
    page.insert_text((50, 50), "See the lease.")
    box = pymupdf.Rect(40, 40, 100, 60)
    page.insert_link({"kind": pymupdf.LINK_GOTOR, "from": box, "file": "deeds/lease.pdf", "page": 0, "to": pymupdf.Point(0, 0)})
    page.insert_link({"kind": pymupdf.LINK_URI, "from": box, "uri": "https://doi.org/10.1000/abc"})
    page.insert_link({"kind": pymupdf.LINK_GOTO, "from": box, "page": 0, "to": pymupdf.Point(0, 0)})
    document.save(tmp_path / "a.pdf")
    found = references_of(parse_pdf(tmp_path / "a.pdf", shown="a.pdf"))
    assert {tuple(r) for r in found} == {("path", "deeds/lease.pdf"), ("doi", "10.1000/abc")}


@given(st.text(alphabet="[]()#|10./ab\n`<>%", max_size=80))
def test_no_text_is_too_odd(text):
    for document in (parse_markdown(text, encoding=None), parse_text(text, encoding=None)):
        assert all(r.target for r in references_of(document))
