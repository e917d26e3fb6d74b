"""DOCX, PPTX, XLSX, CSV, HTML and mail: what is read of each, and that the contract holds for it."""

from __future__ import annotations

import datetime
import itertools
import subprocess
import sys
from pathlib import Path

import making_office as making
import pytest
from making_ole import outlook_mail

from ingest.chunking import chunk_document
from ingest.elements.parser import parse_office
from ingest.formats import SUFFIXES
from ingest.models import ParsedDocument, Span
from ingest.sections import sections

ROOT = Path(__file__).parents[2]

PAGE = """<!DOCTYPE html><html><head><meta charset="utf-8"><title>Pumps &amp; valves</title><meta name="author" content="Ann Ek">
<style>p { color: red }</style><link rel="stylesheet" href="http://example.com/x.css"></head><body>
<nav><a href="/">Home</a> <a href="/shop">Shop</a></nav>
<div class="cookie-banner">We use cookies. <button>Accept</button></div>
<header><h1>Pumps</h1></header><script>track("nothing")</script>
<p>X</p><p>• A flow of 10<sup>6</sup> litres of H<sub>2</sub>O<br>a day; <b>größer</b> geht es nicht.</p>
<h2>1 Care</h2>
<ul><li>clean<ul><li>the inlet</li></ul></li><li><p>oil</p></li></ul>
<blockquote><h3>A quoted heading</h3><p>Quoted words.</p></blockquote>
<p>After the quotation.</p>
<figure><img src="http://example.com/pump.png"><figcaption>Figure 1: a pump</figcaption></figure>
<table><caption>Table 1: rates</caption><tr><th>Item</th><th>Rate</th></tr><tr><td>Pump</td><td>12.50</td></tr>
<tr><td>Valve</td><td></td></tr></table>
<pre>pump --start
  --slowly</pre>
<div style="display:none">Nobody sees this.</div>
<aside>By the way.</aside><p lang="ar">مرحبا بالعالم</p><p lang="zh">费用应在三十天内支付。</p>
<footer>© 2026 Pumps Ltd</footer></body></html>"""

LAYOUT = """<html><body><main><h1>Only this</h1><table role="presentation"><tr><td><h2>Inner</h2><p>Text in a layout table.</p></td>
</tr></table><details><summary>More</summary><p>Folded away.</p></details>
<form><label>Name</label><p>Fill in below.</p></form></main>
<div>Related links</div></body></html>"""

WINDOWS = "<html><head><meta charset=windows-1251></head><body><h1>Договор</h1><p>Срок — три года.</p></body></html>".encode(
    "cp1251"
)

MAIL = """From: Ann Ek <ann@example.com>
To: bob@example.com
Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe_aus_Link=C3=B6ping?=
Date: Tue, 02 Jan 2024 10:00:00 +0000
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="b"

--b
Content-Type: multipart/alternative; boundary="a"

--a
Content-Type: text/plain; charset=utf-8

The plain words.
--a
Content-Type: text/html; charset=utf-8
Content-Transfer-Encoding: quoted-printable

<html><body><h2>Offer</h2><p>The price is 12 =E2=82=AC.</p></body></html>
--a--
--b
Content-Type: application/pdf
Content-Disposition: attachment; filename="../../offer.pdf"
Content-Transfer-Encoding: base64

JVBERi0xLjcK
--b--
""".replace("\n", "\r\n").encode()

OUTLOOK = {0x0037: "Grüße", 0x1000: "Dear Bob,\r\n\r\nthe fee is due.\r\n", 0x0C1A: "Ann Ek", 0x0C1F: "ann@example.com"}
PLAIN_MAIL = b"From: a@example.com\nSubject: Fee\n\nDear Bob,\n\nthe fee is due\non 1 March.\n\n> And when?\n"
REPLY = b"From: a@example.com\nTo: b@example.com\nDate: Mon, 1 Jan 2024 00:00:00 +0000\nContent-Type: text/html\n\n<p>Yes.</p>"


def budget(book) -> None:
    sheet = book.active
    sheet.title = "Budget"
    sheet.append(["Item", "Cost", "When", "Share"])
    sheet.append(["Pump", 1250.5, datetime.date(2024, 1, 2), 0.15])
    sheet.append(["007", 3, datetime.datetime(2024, 1, 2, 9, 30), 1])
    sheet["B2"].number_format = '#,##0.00 "€"'
    sheet["D2"].number_format = "0%"
    sheet["A6"] = "All sums without tax."
    hidden = book.create_sheet("Secret")
    hidden.append(["Hidden words"])
    hidden.sheet_state = "hidden"
    book.create_sheet("Empty")
    last = book.create_sheet("Été 费用")
    last.append(["قيمة", "值"])
    last.append([None, True])


def one_sheet(book) -> None:
    book.active.append(["Only a note"])


def wide(book) -> None:
    book.active.append([f"column {n}" for n in range(60)])
    for row in range(300):
        book.active.append([row * n for n in range(60)])


FILES = {
    "contract.docx": making.contract(),
    "tracked.docx": making.tracked(),
    "scripts.docx": making.scripts(),
    "deck.pptx": making.deck(),
    "one.pptx": making.slides(["Only one"]),
    "same.pptx": making.slides(["Same", "Same", "再び", "مقدمة"]),
    "budget.xlsx": making.workbook(budget),
    "note.xlsx": making.workbook(one_sheet),
    "wide.xlsx": making.workbook(wide),
    "people.csv": b'id;name;note\n007;"Ann; B";1.10\n008;Bob;"two\nlines"\n',
    "plain.csv": "name\nÅsa\n费用\n".encode("utf-8-sig"),
    "tabs.tsv": "a\tb, c\n1\t2, 3\n\nx\ty\n".encode("utf-16"),
    "page.html": PAGE.encode(),
    "layout.htm": LAYOUT.encode(),
    "windows.html": WINDOWS,
    "offer.eml": MAIL,
    "plain.eml": PLAIN_MAIL,
    "reply.eml": REPLY,
    "offer.msg": outlook_mail(properties=OUTLOOK, files=[("a.txt", b"one")]),
    "page.msg": outlook_mail(
        properties={0x0037: "Page", 0x1013: b"<html><body><h1>Offer</h1><p>The price is 12.</p></body></html>"}
    ),
    "bare.msg": outlook_mail(properties={0x1000: "费用应在三十天内支付。"}),
}


def parsed(name: str) -> ParsedDocument:
    return parse_office(FILES[name], SUFFIXES[Path(name).suffix], name)


def blocks(document: ParsedDocument) -> list[tuple[str, str]]:
    return [(b.role, b.span.slice(document.text)) for b in document.blocks]


def section_of(document: ParsedDocument, words: str) -> tuple[str, ...]:
    (path,) = [s.path for s in sections(document.blocks) if any(words in b.span.slice(document.text) for b in s.blocks)]
    return path


@pytest.mark.parametrize("name", FILES)
def test_every_character_is_in_one_chunk_and_pages_partition_the_text(name, counter):
    document = parsed(name)
    assert document.blocks
    at = 0
    for chunk in chunk_document(document, counter):
        assert chunk.content == document.text[chunk.span.start : chunk.span.end]
        assert not document.text[at : chunk.span.start].strip()
        at = within = chunk.span.start
        for unit in chunk.units:
            assert not document.text[within : unit.span.start].strip()
            assert unit.span.start >= within
            within = unit.span.end
        assert within == chunk.span.end
        at = chunk.span.end
    assert not document.text[at:].strip()
    runs = document.page_map
    if SUFFIXES[Path(name).suffix] in ("pptx", "xlsx"):
        assert (runs[0].start, runs[-1].end) == (0, len(document.text))
        assert all(a.end == b.start and a.page < b.page for a, b in itertools.pairwise(runs))
        assert all(1 <= run.page <= len(document.pages) for run in runs)
    else:
        assert runs == ()


@pytest.mark.parametrize("name", FILES)
def test_reading_a_file_twice_gives_the_same(name):
    assert parsed(name) == parsed(name)


def test_word_headings_have_the_level_of_their_style_or_of_the_style_it_is_based_on():
    document = parsed("contract.docx")
    assert section_of(document, "The fee is due") == ("1 Fees",)
    assert section_of(document, "Interest accrues") == ("1 Fees", "Late payment")
    assert section_of(document, "Pump") == ("1 Fees", "Late payment", "1.1.1 Table of rates")
    assert section_of(document, "Y") == ("2 Term",)


def test_word_lists_tables_captions_and_notes_have_their_roles():
    found = blocks(parsed("contract.docx"))
    assert ("list", "1. a second reminder") in found
    assert ("table", "Item\tRate\tSince\nPump\t12.50\t2024\nValve\t3.20\t2025") in found
    assert ("caption", "Table 1: rates") in found
    body = found.index(("body", "The fee is due within thirty days².¹"))
    assert found[body + 1] == ("footnote", "¹ Counted from receipt.")


def test_the_head_row_of_a_table_is_its_context():
    document = parsed("contract.docx")
    (table,) = [b for b in document.blocks if b.role == "table"]
    assert [c.slice(document.text) for c in table.context] == ["Item\tRate\tSince"]


def test_word_running_heads_are_exclusions_and_properties_are_kept():
    document = parsed("contract.docx")
    assert [(e.reason, e.text) for p in document.pages for e in p.exclusions] == [
        ("header", "Confidential draft"),
        ("footer", "Page foot"),
    ]
    assert document.title == "Vertrag über Pumpen"
    assert ("author", "Ann Ek") in document.properties


def test_inserted_text_is_read_deleted_text_is_not_and_boxes_and_formulas_are_kept():
    assert blocks(parsed("tracked.docx")) == [
        ("heading", "Deadlines"),
        ("body", "The term is eighteen months."),
        ("body", "Chosen from a list."),
        ("body", "Beside the box."),
        ("aside", "In the margin."),
        ("hidden", "Not for the reader."),
        ("body", "Where E=mc"),
    ]


def test_a_paragraph_over_a_page_break_stays_whole_in_any_script():
    document = parsed("scripts.docx")
    assert section_of(document, "费用应在三十天内支付。逾期付款应支付利息。") == ("第二章 费用",)
    assert section_of(document, "هذا نص عربي") == ("مقدمة",)
    assert section_of(document, "naïf, cœur") == ("第二章 费用", "Été")


def test_a_slide_is_a_page_and_its_title_a_heading_for_it_alone():
    document = parsed("deck.pptx")
    assert section_of(document, "Revenue rose") == ("Résultats 2025",)
    assert section_of(document, "2025\t12") == ("Figures",)
    assert section_of(document, "No title here.") == ()
    assert [run.page for run in document.page_map] == [1, 2, 3]
    assert document.title == "Quarterly review"


def test_slides_give_bullets_notes_and_what_lies_beside_the_slide():
    assert blocks(parsed("deck.pptx")) == [
        ("heading", "Résultats 2025"),
        ("body", "Board, 12 March"),
        ("list", "Revenue rose by 7 %"),
        ("list", "Costs fell"),
        ("aside", "Say thanks first."),
        ("heading", "Figures"),
        ("table", "Year\tSum\n2024\t10\n2025\t12"),
        ("body", "No title here."),
        ("hidden", "Nobody sees this."),
    ]


def test_a_sheet_is_a_page_with_its_name_and_figures_are_as_shown():
    document = parsed("budget.xlsx")
    assert [p.label for p in document.pages] == ["Budget", "Secret", "Empty", "Été 费用"]
    assert blocks(document) == [
        ("heading", "Budget"),
        ("table", "Item\tCost\tWhen\tShare\nPump\t1,250.50 €\t2024-01-02\t15%\n007\t3\t2024-01-02 09:30:00\t1"),
        ("body", "All sums without tax."),
        ("hidden", "Secret"),
        ("hidden", "Hidden words"),
        ("heading", "Été 费用"),
        ("table", "قيمة\t值\n\tTRUE"),
    ]


def test_each_row_of_a_table_is_a_unit(counter):
    document = parsed("people.csv")
    (chunk,) = chunk_document(document, counter)
    assert [u.span.slice(document.text) for u in chunk.units] == ["id\tname\tnote", "007\tAnn; B\t1.10", "008\tBob\ttwo lines"]


def test_csv_is_decoded_and_parted_by_what_it_uses():
    assert parsed("tabs.tsv").text == "a\tb, c\n1\t2, 3\n\nx\ty"
    assert parsed("tabs.tsv").encoding == "utf-16-le"
    assert parsed("plain.csv").text == "name\nÅsa\n费用"


def test_html_headings_lists_tables_code_and_notes_have_their_roles():
    document = parsed("page.html")
    assert blocks(document) == [
        ("heading", "Pumps"),
        ("body", "X"),
        ("body", "• A flow of 10⁶ litres of H₂O a day; größer geht es nicht."),
        ("heading", "1 Care"),
        ("list", "clean"),
        ("list", "the inlet"),
        ("list", "oil"),
        ("heading", "A quoted heading"),
        ("body", "Quoted words."),
        ("body", "After the quotation."),
        ("caption", "Figure 1: a pump"),
        ("caption", "Table 1: rates"),
        ("table", "Item\tRate\nPump\t12.50\nValve"),
        ("code", "pump --start\n  --slowly"),
        ("hidden", "Nobody sees this."),
        ("aside", "By the way."),
        ("body", "مرحبا بالعالم"),
        ("body", "费用应在三十天内支付。"),
    ]
    assert section_of(document, "Quoted words") == ("Pumps", "1 Care", "A quoted heading")
    assert section_of(document, "After the quotation") == ("Pumps", "1 Care")
    assert (document.title, dict(document.properties)["author"]) == ("Pumps & valves", "Ann Ek")


def test_the_furniture_of_a_page_is_left_out_and_named():
    document = parsed("page.html")
    assert [(e.reason, e.text) for p in document.pages for e in p.exclusions] == [
        ("navigation", "Home Shop"),
        ("cookie notice", "We use cookies. Accept"),
        ("page footer", "© 2026 Pumps Ltd"),
    ]


def test_where_a_page_names_its_main_part_the_rest_is_left_out_and_layout_tables_are_no_tables():
    document = parsed("layout.htm")
    assert [text for _, text in blocks(document)] == [
        "Only this", "Inner", "Text in a layout table.", "More", "Folded away.", "Name", "Fill in below.",
    ]  # fmt: skip
    assert section_of(document, "Text in a layout table") == ("Only this", "Inner")
    assert [(e.reason, e.text) for p in document.pages for e in p.exclusions] == [("outside the main part", "Related links")]


def test_html_is_decoded_as_it_says_of_itself():
    document = parsed("windows.html")
    assert (document.encoding, document.text) == ("cp1251", "Договор\n\nСрок — три года.")


def test_a_mail_gives_its_body_its_headers_and_the_names_of_its_attachments():
    document = parsed("offer.eml")
    assert document.title == "Grüße aus Linköping"
    assert dict(document.properties)["from"] == "Ann Ek <ann@example.com>"
    assert blocks(document) == [
        ("heading", "Offer"),
        ("body", "The price is 12 €."),
        ("list", "Attachment: offer.pdf (application/pdf)"),
    ]


def test_a_plain_mail_is_read_by_paragraphs():
    assert blocks(parsed("plain.eml")) == [
        ("body", "Dear Bob,"),
        ("body", "the fee is due\non 1 March."),
        ("body", "> And when?"),
    ]


def test_spans_of_blocks_hold_no_white_space_at_their_ends():
    for name in FILES:
        document = parsed(name)
        for block in document.blocks:
            text = block.span.slice(document.text)
            assert text == text.strip()
            assert Span(0, len(document.text)).end >= block.span.end


def test_reading_calls_nobody_starts_nothing_and_loads_unstructured_only_where_it_is_needed(tmp_path):
    for name, raw in FILES.items():
        (tmp_path / name).write_bytes(raw)
    (tmp_path / "a.md").write_text("# Title\n\nWords.\n")
    (tmp_path / "a.rtf").write_text(r"{\rtf1 Words.\par}")
    (tmp_path / "a.rst").write_text("Words.\n\n.. image:: http://example.com/x.png\n\n.. include:: http://example.com/y\n")
    done = subprocess.run(
        [sys.executable, str(ROOT / "tests/reading_offline.py"), str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        env={"HOME": str(tmp_path), "PYTHONPATH": str(ROOT)},
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_an_outlook_mail_gives_its_body_its_headers_and_the_names_of_its_attachments():
    document = parsed("offer.msg")
    assert (document.title, dict(document.properties)["from"]) == ("Grüße", '"Ann Ek" <ann@example.com>')
    assert blocks(document) == [
        ("body", "Dear Bob,"),
        ("body", "the fee is due."),
        ("list", "Attachment: a.txt (application/octet-stream)"),
    ]
    assert section_of(parsed("page.msg"), "The price is 12.") == ("Offer",)


def test_the_name_that_unstructured_loads_its_language_model_by_has_not_moved():
    from unstructured.nlp import tokenize
    from unstructured.partition.text_type import is_possible_narrative_text

    parsed("reply.eml")
    assert is_possible_narrative_text("One sentence stands here. Another one follows it there.")
    assert tokenize._get_nlp().pipe_names == ["sentencizer"]
