"""What `show` shows: the passage, the quote in it, the page, the document; and what it refuses."""

from __future__ import annotations

import pytest

from ingest.errors import NotFound, UsageError
from query.cite import cite
from query.showing import show


@pytest.fixture(scope="module")
def reader(library):
    return library()


def marked(shown):
    return [mark.slice(part.content) for part in shown.parts for mark in part.marks]


def test_a_chunk_is_shown_whole_with_nothing_marked(reader):
    for document_id in reader.documents:
        for chunk in reader.rows.chunks(document_id):
            shown = show(reader, chunk.chunk_id)
            assert (shown.kind, [part.content for part in shown.parts], marked(shown)) == ("chunk", [chunk.content], [])
            assert shown.place.section_path == chunk.section_path


def test_a_quote_is_marked_in_the_passages_that_it_touches(reader):
    [place] = cite(reader, "1.5% per month on late payment. The Supplier may").places
    shown = show(reader, place.id)
    assert (shown.kind, shown.page, shown.citation) == ("quote", 2, place.citation())
    assert marked(shown) == [place.quote]
    assert "The Customer pays each invoice" in shown.parts[0].content
    assert shown.parts[0].offset + shown.parts[0].marks[0].start == place.offset


def test_a_page_shows_what_stands_on_it_and_the_part_of_the_quote_that_does(reader):
    [place] = cite(reader, "1.5% per month on late payment. The Supplier may").places
    second, third = (show(reader, place.id, page) for page in (2, 3))
    assert "".join(marked(second) + marked(third)) == place.quote
    assert marked(third) == ["The Supplier may"]
    assert second.citation.endswith("p. 1 (PDF 2)")
    assert all("Either party" not in part.content for part in second.parts)


def test_a_document_is_found_by_id_path_root_and_glob(reader):
    document_id, record = next(iter(reader.documents.items()))
    for name in (document_id, record.source_document, f"{record.root}:{record.source_document}", "agree*"):
        shown = show(reader, name)
        assert (shown.kind, shown.document_id) == ("document", document_id)
        assert shown.parts[0].content == reader.rows.text(document_id).text


@pytest.mark.parametrize(
    ("what", "page", "error", "words"),
    [
        ("*", None, UsageError, "2 documents are called"),
        ("nothing", None, NotFound, "no passage, quote or document"),
        ("", None, NotFound, "no passage"),
        ("a' OR 1=1 --", None, NotFound, "no passage"),
        ("\x00\ud800", None, NotFound, "no passage"),
        ("x" * 100_000, None, NotFound, "no passage"),
        ("handbook.md", 1, UsageError, "has no pages"),
        ("agreement.pdf", 9, NotFound, "no page 9; it has 3"),
        ("agreement.pdf", 0, NotFound, "no page 0"),
        ("pincite-ffffffffffffffff-0-5", None, NotFound, "no file that the library knows"),
        ("pincite-0000000000000000-0-0", None, NotFound, "no such place"),
        ("pincite-0000000000000000-999999999-5", None, NotFound, "no such place"),
        ("pincite-0000000000000000-" + "9" * 100 + "-5", None, NotFound, "no passage"),
    ],
)
def test_what_is_not_there_is_said(reader, what, page, error, words):
    with pytest.raises(error, match=words):
        show(reader, what, page)


def test_a_page_without_text_is_shown_empty(library, doc):
    reader = library(doc(path="scan.pdf", sections=[((), ["Words.", "\f", "\fMore."])]))
    shown = show(reader, "scan.pdf", 2)
    assert "".join(part.content for part in shown.parts).strip() == ""
    assert shown.citation.endswith("p. 2")
