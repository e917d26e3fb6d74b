"""Office files the whole way, with the real engines: found, cited, exported, verified."""

from __future__ import annotations

import json

import making_office as making
import pytest

from ingest.errors import ExportError
from pincite import Library

pytestmark = pytest.mark.real

PAGE = (
    "<html><head><title>Harbour rules</title></head><body><nav>Home Berths Tariffs</nav><h1>Harbour rules</h1><h2>Mooring</h2>"
    "<p>Vessels longer than forty metres take a pilot on board.</p></body></html>"
)


def budget(book) -> None:
    book.active.title = "Costs 2025"
    for row in [("Item", "Sum"), ("Dredging the basin", 12000), ("New fenders", 800)]:
        book.active.append(row)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("office") / "office"
    folder.mkdir()
    (folder / "contract.docx").write_bytes(making.contract())
    (folder / "deck.pptx").write_bytes(making.deck())
    (folder / "costs.xlsx").write_bytes(making.workbook(budget))
    (folder / "rules.html").write_text(PAGE)
    (folder / "broken.docx").write_bytes(making.contract()[:900])
    return folder


@pytest.fixture(scope="module")
def library(folder, tmp_path_factory):
    with Library.open(tmp_path_factory.mktemp("library") / "library", create=True) as opened:
        report = opened.ingest(folder)
        assert {f.path: f.status for f in report.files} == {
            "broken.docx": "error",
            "contract.docx": "ok",
            "costs.xlsx": "ok",
            "deck.pptx": "ok",
            "rules.html": "ok",
        }
        yield opened


@pytest.mark.parametrize(
    ("question", "document", "kind", "citation"),
    [
        ("interest on late payment", "contract.docx", None, "Vertrag über Pumpen, § Late payment"),
        ("how much did revenue rise", "deck.pptx", "slide", "Quarterly review, § Résultats 2025, slide 1"),
        ("what did dredging the basin cost", "costs.xlsx", "sheet", "Costs 2025, § Costs 2025, sheet Costs 2025"),
        ("which vessels take a pilot", "rules.html", None, "Harbour rules, § Mooring"),
    ],
)
def test_a_hit_is_cited_by_what_its_format_has(library, question, document, kind, citation):
    hit = library.search(question)[0]
    assert hit.source_document == document
    assert hit.citation() == citation
    assert (hit.locator.kind if hit.locator else None) == kind
    assert (hit.page_from is None) == (kind is None)
    assert (hit.line_from, hit.line_to) == (None, None)
    place = library.cite(hit.quote, document=document).places[0]
    assert place.citation() == citation
    assert place.locator == hit.locator


def test_cite_says_that_words_stand_only_in_what_was_left_out(library):
    match = library.cite("Home Berths Tariffs")
    assert (match.found, match.excluded) == (False, ("rules.html, navigation",))


def test_hidden_text_is_out_of_search_and_found_by_cite(library):
    assert not any("Nobody sees this" in hit.content for hit in library.search("nobody sees this", top_k=20))
    (place,) = library.cite("Nobody sees this.").places
    assert (place.role, place.page_from, place.cautions) == ("hidden", 3, ("hidden_text",))


def test_the_library_passes_its_own_examination(library):
    checks = library.doctor(deep=True)
    assert not [problem for check in checks if not check.passed for problem in check.problems]


def test_there_is_no_pdf_to_highlight_and_the_other_exports_show_the_passage(library, tmp_path):
    hits = library.search("interest accrues per month")[:1]
    with pytest.raises(ExportError, match=r"none of the quotes is of a PDF \(contract\.docx\)"):
        library.export(hits, to="pdf", out=tmp_path)
    for form in ("html", "md"):
        (path,) = library.export(hits, to=form, out=tmp_path / form)
        assert "Interest accrues at" in path.read_text(encoding="utf-8")


def test_a_quote_is_verified_by_reading_the_file_again_and_a_change_is_seen(library, folder, tmp_path):
    hits = [library.search(q)[0] for q in ("interest on late payment", "how much did revenue rise", "which vessels take a pilot")]
    (bundle,) = library.export(hits, to="json", out=tmp_path)
    assert library.verify(bundle, root=folder).counts == {"verified": 3}
    copy = tmp_path / "copy"
    copy.mkdir()
    (copy / "deck.pptx").write_bytes(making.deck())
    (copy / "rules.html").write_text(PAGE.replace("<h2>", "<p>A new rule stands before it.</p><h2>").replace("forty", "fifty"))
    report = library.verify(bundle, root=copy)
    assert [v.status for v in report.verdicts] == ["no source", "verified", "changed"]


def test_a_text_that_is_read_otherwise_is_told_from_a_changed_file(library, folder, tmp_path):
    (bundle,) = library.export(library.search("which vessels take a pilot")[:1], to="json", out=tmp_path)
    claims = json.loads(bundle.read_text())
    claims["quotes"][0]["quote"] = "Vessels longer than forty meters take a pilot on board."
    bundle.write_text(json.dumps(claims))
    (verdict,) = library.verify(bundle, root=folder).verdicts
    assert (verdict.status, verdict.reason) == ("changed", "the file is the same, but is read otherwise")
