"""The sample documents are what their sources say, and have the traits that real documents have."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import unicodedata
from pathlib import Path

import pymupdf
import pytest

from ingest.elements.parser import parse_office
from ingest.formats import SUFFIXES

SAMPLES = Path(__file__).parent.parent / "sample_docs"
BUILD = SAMPLES / ".build"
OFFICE = sorted(p.relative_to(SAMPLES).as_posix() for p in (SAMPLES / "reports").iterdir())
PDFS = sorted(p.relative_to(SAMPLES).as_posix() for p in SAMPLES.rglob("*.pdf"))
AGREEMENT = "contracts/MSA-2024-11.pdf"
AMENDMENT = "contracts/MSA-2024-11-amendment-1.pdf"
PAPER = "papers/scour-below-sluices.pdf"
MANUAL = "manuals/PX-200-operation-and-maintenance.pdf"
SCAN = "scans/delivery-note-0317.pdf"
NOTE = "notes/2025-03-20-visite.md"
QUESTIONS = json.loads((BUILD / "questions.json").read_text(encoding="utf-8"))


def built_by(name: str) -> str:
    with pymupdf.open(SAMPLES / name) as doc:
        return str(doc.metadata["producer"])


def letters(text: str) -> str:
    """What is left of a text when ligatures, white space and hyphens make no difference."""
    return re.sub(r"[\s\-\u00ad]+", "", unicodedata.normalize("NFKC", text))


def page_texts(name: str) -> dict[str, str]:
    """Label (else the page number) to the page's text."""
    with pymupdf.open(SAMPLES / name) as doc:
        return {page.get_label() or str(page.number + 1): page.get_text() for page in doc}


def text_of(name: str) -> str:
    """The text of a document without pages."""
    file = SAMPLES / name
    if file.suffix in (".md", ".txt"):
        return file.read_text(encoding="utf-8")
    return parse_office(file.read_bytes(), SUFFIXES[file.suffix], name).text


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("built")
    for script in ("build.py", "office.py"):
        subprocess.run([sys.executable, str(BUILD / script), str(folder)], check=True, capture_output=True)
    return folder


def test_every_pdf_has_a_source(built: Path) -> None:
    assert sorted(p.relative_to(built).as_posix() for p in built.rglob("*.pdf")) == PDFS


@pytest.mark.parametrize("name", PDFS)
def test_building_again_gives_the_committed_bytes(name: str, built: Path) -> None:
    if built_by(name) != f"PyMuPDF {pymupdf.__version__}":
        pytest.skip(f"{name} was built by {built_by(name)}")
    assert (built / name).read_bytes() == (SAMPLES / name).read_bytes()


@pytest.mark.parametrize("name", OFFICE)
def test_building_an_office_file_again_gives_the_committed_text_and_the_same_bytes_each_time(name, built, tmp_path) -> None:
    subprocess.run([sys.executable, str(BUILD / "office.py"), str(tmp_path)], check=True, capture_output=True)
    assert (tmp_path / name).read_bytes() == (built / name).read_bytes()
    kind = SUFFIXES[Path(name).suffix]
    again, committed = (parse_office((folder / name).read_bytes(), kind, name) for folder in (built, SAMPLES))
    assert again == committed


def test_the_pdfs_are_small() -> None:
    assert sum((SAMPLES / name).stat().st_size for name in PDFS) < 600_000


def test_nothing_that_is_built_from_would_be_ingested() -> None:
    visible = [
        p for p in SAMPLES.rglob("*") if p.is_file() and not any(part.startswith(".") for part in p.relative_to(SAMPLES).parts)
    ]
    assert {p.suffix for p in visible} == {".pdf", ".md", ".txt", ".docx", ".pptx"}
    assert len(visible) >= 8


def test_the_agreement_has_roman_front_matter_and_then_pages_from_1() -> None:
    with pymupdf.open(SAMPLES / AGREEMENT) as doc:
        labels = [page.get_label() for page in doc]
    assert labels == ["i", "ii", *map(str, range(1, len(labels) - 1))]
    assert len(labels) >= 8


def test_the_page_labels_of_the_agreement_are_printed_on_its_pages() -> None:
    for label, text in page_texts(AGREEMENT).items():
        assert label in text.split("\n"), label


def test_the_agreement_charges_late_payment_interest_on_page_7() -> None:
    page = page_texts(AGREEMENT)["7"]
    assert letters("4.2 Late payment") in letters(page)
    assert letters("interest accrues at 1.5% per month") in letters(page)


def test_a_word_of_the_agreement_is_broken_over_a_page_end() -> None:
    pages = page_texts(AGREEMENT)
    assert "The crit-\n" in pages["7"]
    assert pages["8"].lstrip().startswith("ical spares")


def test_the_amendment_names_the_clause_that_it_replaces() -> None:
    text = letters("".join(page_texts(AMENDMENT).values()))
    assert letters("clause 4.2 of the Agreement is deleted and replaced by the following text") in text


def test_the_paper_has_two_columns_ligatures_and_raised_note_marks() -> None:
    with pymupdf.open(SAMPLES / PAPER) as doc:
        spans = [s for b in doc[0].get_text("dict")["blocks"] for line in b.get("lines", ()) for s in line["spans"]]
        middle = doc[0].rect.width / 2
    body = [s for s in spans if s["origin"][1] > 300 and len(s["text"]) > 8]
    assert min(s["origin"][0] for s in body) < middle < max(s["origin"][0] for s in body)
    assert any("ﬁ" in s["text"] for s in spans)
    assert sum(s["text"].strip() == "1" and s["size"] < 7 for s in spans) >= 2
    assert any("–" in s["text"] for s in spans)


def test_the_manual_has_bookmarks_of_two_levels_at_its_printed_headings() -> None:
    pages = list(page_texts(MANUAL).values())
    with pymupdf.open(SAMPLES / MANUAL) as doc:
        outline = doc.get_toc()
    assert {level for level, _, _ in outline} == {1, 2}
    for _, title, page in outline:
        assert letters(title) in letters(pages[page - 1]), title


def test_the_manual_has_a_ruled_table_over_a_page_end() -> None:
    pages = page_texts(MANUAL)
    head = "No.\nTask\nInterval\nPump state\n"
    assert head in pages["3"]
    assert head in pages["4"]
    assert "weekly" in pages["3"].partition(head)[2]
    assert "48,000 h" in pages["4"].partition(head)[2]
    with pymupdf.open(SAMPLES / MANUAL) as doc:
        assert len(doc[3].get_drawings()) > 12


def test_the_scan_has_a_picture_and_no_text() -> None:
    with pymupdf.open(SAMPLES / SCAN) as doc:
        assert [page.get_text().strip() for page in doc] == [""]
        assert all(page.get_images() for page in doc)


def test_titles_in_metadata_are_there_missing_or_a_file_name() -> None:
    titles = {}
    for name in PDFS:
        with pymupdf.open(SAMPLES / name) as doc:
            titles[name] = doc.metadata["title"]
    assert titles[AGREEMENT] == "Master Services Agreement"
    assert titles[PAPER].endswith(".docx")
    assert "" in titles.values()


def test_the_note_has_crlf_line_ends_accents_emoji_and_cjk() -> None:
    data = (SAMPLES / NOTE).read_bytes()
    assert data.count(b"\r\n") == data.count(b"\n") > 20
    assert not data.startswith(b"\xef\xbb\xbf")
    text = data.decode("utf-8")
    assert all(word in text for word in ("Lefèvre", "🌊", "振動データ", "备用轴承"))


def test_the_handbook_has_front_matter_and_hashes_in_code() -> None:
    text = (SAMPLES / "handbook.md").read_text(encoding="utf-8")
    assert text.startswith("---\ntitle: Harbour Handbook\n")
    assert "```bash\n# 1. choose the day\n" in text


def test_there_are_ten_questions() -> None:
    assert len(QUESTIONS) >= 10


@pytest.mark.parametrize("case", QUESTIONS, ids=lambda case: case["question"][:40])
def test_each_answer_stands_in_its_section_on_its_page(case: dict[str, str]) -> None:
    quote, section = letters(case["quote"]), letters(case["section"] or "")
    if case["page"] is None:
        text = letters(text_of(case["document"]))
        assert section in text.partition(quote)[0]
        assert quote in text
        return
    pages = page_texts(case["document"])
    first, *rest = [letters(pages[label]) for label in case["page"].split("–")]
    assert section in first
    if rest:  # it begins at the end of one page and goes on at the start of the next
        assert any(quote[:n] in first and rest[0].startswith(quote[n:]) for n in range(1, len(quote)))
    else:
        assert quote in first.partition(section)[2]
