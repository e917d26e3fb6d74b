"""Highlighted copies, and the records' boxes, read back by two engines: PyMuPDF, and PDFium where it is installed."""

from __future__ import annotations

import hashlib

import pymupdf
import pytest
from making_pdfs import Drawing, squash

from pincite import Library
from query.export.job import ExportJob
from query.export.recording import records_of

LINES = (
    "The harbour master records every arrival in the log,",
    "and a vessel longer than ninety metres needs two tugs.",
    "Interest accrues at one and a half per cent per month.",
)
MORE = ("Nobody may anchor inside the fairway after sunset.", "The pilot boards two miles west of the breakwater.")


@pytest.fixture(scope="module")
def shelf(tmp_path_factory):
    """A library of a plain, a rotated, an owner-restricted and an outlined PDF; the paths by name."""
    folder = tmp_path_factory.mktemp("pdfs")
    files = folder / "files"
    files.mkdir()
    for name in ("plain", "rotated", "restricted", "outlined"):
        drawing = Drawing().lines(LINES).page().lines(MORE)
        document = drawing.document
        if name == "rotated":
            document[0].set_rotation(90)
        if name == "outlined":
            document.set_toc([[1, "Arrivals", 1], [2, "Anchors", 2]])
        content = document.tobytes(no_new_id=True)
        if name == "restricted":
            rights = pymupdf.PDF_PERM_PRINT | pymupdf.PDF_PERM_COPY
            content = document.tobytes(encryption=pymupdf.PDF_ENCRYPT_AES_256, owner_pw="owner", permissions=rights)
        (files / f"{name}.pdf").write_bytes(content)
    with Library.open(folder / "library", create=True) as library:
        assert not library.ingest(files).failed
        yield library, files


def hits(library, name, *queries):
    return [hit for query in queries for hit in library.search(query, top_k=1, mode="keyword", document=f"{name}.pdf")]


def annotations(path):
    with pymupdf.open(path) as document:
        return [
            (page.number + 1, mark.info["content"], mark.info["id"], tuple(round(c, 2) for c in mark.colors["stroke"]))
            for page in document
            for mark in page.annots()
        ]


def test_several_quotes_stand_in_one_copy_each_question_in_its_colour(shelf, tmp_path):
    library, _ = shelf
    found = hits(library, "plain", "interest accrues", "anchor fairway", "pilot boards")
    [path] = library.export(found, to="pdf", out=tmp_path)
    marks = annotations(path)
    assert [page for page, *_ in marks] == [1, 2, 2]
    assert len({colour for *_, colour in marks}) == 3
    for (_, note, mark_id, _), hit in zip(marks, found, strict=True):
        assert hit.citation() in note
        assert hit.query in note
        assert mark_id.rsplit("-", 1)[0] in note


def test_a_quote_that_two_questions_found_is_drawn_once(shelf, tmp_path):
    library, _ = shelf
    [path] = library.export(hits(library, "plain", "interest accrues", "interest month"), to="pdf", out=tmp_path)
    [(_, note, *_)] = annotations(path)
    assert "interest accrues" in note
    assert "interest month" in note


def test_outline_entries_lead_to_the_quotes_behind_those_of_the_file(shelf, tmp_path):
    library, _ = shelf
    [path] = library.export(hits(library, "outlined", "interest accrues", "pilot boards"), to="pdf", out=tmp_path)
    with pymupdf.open(path) as document:
        toc = document.get_toc()
    assert [entry[:2] for entry in toc[:3]] == [[1, "Arrivals"], [2, "Anchors"], [1, "Quotes (pincite)"]]
    assert [(level, page) for level, _, page in toc[3:]] == [(2, 1), (2, 2)]
    assert "Interest accrues" in toc[3][1]
    [path] = library.export(hits(library, "plain", "pilot boards"), to="pdf", out=tmp_path)
    with pymupdf.open(path) as document:
        assert [entry[0] for entry in document.get_toc()] == [1, 2]


def test_the_same_quotes_give_the_same_bytes_and_the_source_stays_as_it_is(shelf, tmp_path):
    library, files = shelf
    before = (files / "plain.pdf").read_bytes()
    found = hits(library, "plain", "interest accrues")
    [one] = library.export(found, to="pdf", out=tmp_path / "one")
    [two] = library.export(found, to="pdf", out=tmp_path / "two")
    assert one.read_bytes() == two.read_bytes()
    assert (files / "plain.pdf").read_bytes() == before


def test_a_file_whose_owner_allows_no_annotations_is_refused_by_name(shelf, tmp_path):
    from ingest.errors import ExportError

    library, _ = shelf
    found = hits(library, "restricted", "interest accrues")
    with pytest.raises(ExportError, match=r"restricted\.pdf.*allows no annotations"):
        library.export(found, to="pdf", out=tmp_path)
    assert library.export(found, to="html", out=tmp_path)


def records(library, files, quote):
    reader = library._reader()
    places = [p for p in library.cite(quote).places if p.source_document != "restricted.pdf"]
    sources = {p.document_id: files / p.source_document for p in places}
    return records_of(ExportJob(reader=reader, quotes=tuple(places), sources=sources, out=files, overwrite=False))


@pytest.mark.parametrize(
    "quote", ["a vessel longer than ninety metres", "arrival in the log, and a vessel", "per month. Nobody may anchor"]
)
def test_another_engine_reads_the_quote_inside_the_boxes(shelf, quote):
    pdfium = pytest.importorskip("pypdfium2")
    library, files = shelf
    made = records(library, files, quote)
    assert {record.source_document for record in made} == {"plain.pdf", "rotated.pdf", "outlined.pdf"}
    for record in made:
        document = pdfium.PdfDocument(files / record.source_document)
        text = ""
        for place in record.page_boxes:
            page = document[place.page - 1]
            words = page.get_textpage()
            for x0, y0, x1, y1 in place.boxes:
                text += words.get_text_bounded(left=x0, right=x1, bottom=place.height - y1, top=place.height - y0)
        assert squash(text) == squash(record.quote)


def test_a_signed_file_says_that_the_copy_is_not_signed(shelf, tmp_path):
    _, files = shelf
    signed = tmp_path / "signed.pdf"
    with pymupdf.open(files / "plain.pdf") as document:
        document.xref_set_key(document.pdf_catalog(), "AcroForm", "<</SigFlags 3/Fields[]>>")
        signed.write_bytes(document.tobytes(no_new_id=True))
    with Library.open(tmp_path / "library", create=True) as other:
        other.ingest(signed)
        [hit] = other.search("interest accrues", top_k=1, mode="keyword")
        assert hit.source_sha256 == hashlib.sha256(signed.read_bytes()).hexdigest()
        [path] = other.export([hit], to="pdf", out=tmp_path / "out")
    [(_, note, *_)] = annotations(path)
    assert "digitally signed" in note


LEFT = (
    "The harbour master records|every arrival in the log and|checks the papers of each|vessel before it may enter|"
    "the inner basin of the port|where the pilot waits with|two tugs at the old pier so|that no ship may drift near"
).split("|")
RIGHT = (
    "the sluices while the gates|are open to the tide at the|full of the moon when water|runs fastest past the piers|"
    "and the keeper has lit both|lamps on the seaward side.|Nobody may anchor there and|nobody may fish at night."
).split("|")


def test_a_quote_over_the_end_of_a_column_has_a_box_in_each_that_another_engine_reads(tmp_path):
    pdfium = pytest.importorskip("pypdfium2")
    drawing = Drawing()
    for n, (left, right) in enumerate(zip(LEFT, RIGHT, strict=True)):
        drawing.at(50, 80 + 14 * n, left).at(230, 80 + 14 * n, right)
    (tmp_path / "files").mkdir()
    drawing.document.save(tmp_path / "files/columns.pdf")
    with Library.open(tmp_path / "library", create=True) as library:
        library.ingest(tmp_path / "files")
        [record] = records(library, tmp_path / "files", "no ship may drift near\n the sluices while the gates")
    [place] = record.page_boxes
    assert [(box[0] < 200, box[0] > 200) for box in place.boxes] == [(True, False), (False, True)]
    words = pdfium.PdfDocument(tmp_path / "files/columns.pdf")[0].get_textpage()
    read = [
        words.get_text_bounded(left=x0, right=x1, bottom=place.height - y1, top=place.height - y0) for x0, y0, x1, y1 in place.boxes
    ]
    assert squash("".join(read)) == squash(record.quote)
