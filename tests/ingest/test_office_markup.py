"""EPUB, OpenDocument text, RTF, reStructuredText: what is read of each, and that the contract holds for it."""

from __future__ import annotations

import io
import warnings
import zipfile
from collections.abc import Sequence
from pathlib import Path

import making_office as making
import pytest

from ingest.chunking import chunk_document
from ingest.elements.parser import parse_office
from ingest.errors import EncryptedSource, SourceError, UnreadableSource
from ingest.formats import SUFFIXES, format_of
from ingest.models import ParsedDocument, SourceFile
from ingest.sections import sections


def book(*chapters: str, language: str = "en") -> bytes:
    """An EPUB of such chapter bodies, made by EbookLib."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from ebooklib import epub

        made = epub.EpubBook()
        made.set_identifier("urn:test")
        made.set_title("Das Buch vom Hafen")
        made.set_language(language)
        made.add_author("Ann Ek")
        pages = []
        for n, body in enumerate(chapters, start=1):
            page = epub.EpubHtml(title=f"Chapter {n}", file_name=f"text/chapter {n}.xhtml", lang=language)
            page.content = f'<html xmlns:epub="http://www.idpf.org/2007/ops"><body>{body}</body></html>'
            made.add_item(page)
            pages.append(page)
        made.toc = pages
        made.spine = ["nav", *pages]
        made.add_item(epub.EpubNcx())
        made.add_item(epub.EpubNav())
        out = io.BytesIO()
        epub.write_epub(out, made)
        return out.getvalue()


def old_book() -> bytes:
    """An EPUB 2 by hand: XHTML with a document type, entities, an element that closes itself."""
    page = (
        '<?xml version="1.0" encoding="iso-8859-1"?>\n<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.1//EN" "http://www.w3.org/x.dtd">\n'
        '<html xmlns="http://www.w3.org/1999/xhtml"><head><title/></head><body><h1><a id="a"/>Caf&eacute;</h1><p>Sm\xf8rrebr\xf8d'
        "&nbsp;&amp; more.</p></body></html>"
    )
    package = (
        '<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata><dc:title>Old</dc:title>'
        '</metadata><manifest><item id="p" href="p%20q.html" media-type="application/xhtml+xml"/><item id="gone" href="gone.html" '
        'media-type="application/xhtml+xml"/></manifest><spine><itemref idref="p"/><itemref idref="gone"/></spine></package>'
    )
    container = '<container><rootfiles><rootfile full-path="OPS/book.opf"/></rootfiles></container>'
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("mimetype", "application/epub+zip")
        archive.writestr("META-INF/container.xml", container)
        archive.writestr("OPS/book.opf", package)
        archive.writestr("OPS/p q.html", page.encode("latin-1"))
    return out.getvalue()


def odt(*parts: tuple[str, object]) -> bytes:
    """An OpenDocument text of (kind, content) parts, made by odfpy."""
    from odf import table, text
    from odf.opendocument import OpenDocumentText

    document = OpenDocumentText()
    for kind, content in parts:
        if kind.startswith("h"):
            document.text.addElement(text.H(outlinelevel=int(kind[1:]), text=str(content)))
        elif kind == "list":
            made = text.List()
            for item in _sequence(content):
                entry = text.ListItem()
                entry.addElement(text.P(text=str(item)))
                made.addElement(entry)
            document.text.addElement(made)
        elif kind == "table":
            made = table.Table()
            for row in _sequence(content):
                line = table.TableRow()
                for cell in _sequence(row):
                    field = table.TableCell()
                    field.addElement(text.P(text=str(cell)))
                    line.addElement(field)
                made.addElement(line)
            document.text.addElement(made)
        else:
            paragraph = text.P(text=str(content))
            if kind == "noted":
                note = text.Note(noteclass="footnote")
                note.addElement(text.NoteCitation(text="1"))
                body = text.NoteBody()
                body.addElement(text.P(text="Ab Eingang."))
                note.addElement(body)
                paragraph.addElement(note)
                paragraph.addText(" und mehr.")
            document.text.addElement(paragraph)
    return making.saved(document)


def _sequence(value: object) -> Sequence[object]:
    assert isinstance(value, (list, tuple))
    return value


RTF = r"""{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0 Times;}}{\info{\title Geb\'fchren}{\author Ann}}
{\stylesheet{\s1\outlinelevel0 heading 1;}}{\*\generator X;}{\pict\pngblip 89504e47}
\pard\s1\outlinelevel0 1 Fees\par
\pard The fee is gr\'f6\'dfer \u8211? and due.\par
\pard\outlinelevel1 1.1 Late payment\par \pard{\uc0 Interest accrues.}\par
\trowd\cellx100\cellx200 Item\cell Rate\cell\row Pump\cell 12.50\cell\row Valve\cell\cell\row
\pard After the table \u20013?\u25991?.\par}""".encode("latin-1")

RST = """=======
Handbuch
=======

Über :ref:`target` und ``code`` und *mehr* [1]_.

Section
=======

Sub
---

- one
- two

.. versionadded:: 1.2
   New thing here.

.. code-block:: python

   x = 1

.. include:: /etc/passwd

.. raw:: html

   <b>raw words</b>

===== =====
Item  Rate
===== =====
Pump  12.50
Valve 3.20
===== =====

.. [1] A footnote.

مرحبا بالعالم
"""

FILES = {
    "book.epub": book(
        "<h1>1 Erstes</h1><p>Größe zählt<sup>2</sup>.</p><aside epub:type='footnote'>² Eine Note.</aside>"
        "<h2>1.1 Unter</h2><ul><li>eins</li><li>zwei</li></ul>",
        "<h1>二</h1><p>费用应在三十天内支付。</p><table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2</td></tr><tr><td>3</td><td>4</td></tr></table>",
    ),
    "right.epub": book("<h1>مقدمة</h1><p>هذا نص عربي قصير.</p>", language="ar"),
    "old.epub": old_book(),
    "fees.odt": odt(
        ("h1", "1 Gebühren"), ("noted", "Die Gebühr ist fällig"), ("h2", "1.1 Liste"), ("list", ["eins", "zwei"]),
        ("table", [("A", "B"), ("1", "2"), ("3", "4")]),
    ),
    "scripts.odt": odt(("h1", "مقدمة"), ("p", "هذا نص عربي قصير."), ("h3", "第二章"), ("p", "费用应在三十天内支付。")),
    "plain.odt": odt(("p", "Only words."), ("p", "And more.")),
    "fees.rtf": RTF,
    "plain.rtf": rb"{\rtf1 Only \b words\b0 .\par And more.}",
    "cyrillic.rtf": rb"{\rtf1\ansi\ansicpg1251 \'c4\'ee\'e3\'ee\'e2\'ee\'f0\par \u1587?\u1604?\u1575?\u1605?}",
    "manual.rst": RST.encode(),
    "plain.rst": b"Only words.\n\nAnd more.\n",
    "broken.rst": b"Title\n=\n\n.. figure:: x.png\n\n   Caption words.\n\n|unknown| and `open\n\n* item\nnot indented\n",
}  # fmt: skip


def parsed(name: str) -> ParsedDocument:
    return parse_office(FILES[name], SUFFIXES[Path(name).suffix], name)


def blocks(name: str) -> list[tuple[str, str]]:
    document = parsed(name)
    return [(b.role, b.span.slice(document.text)) for b in document.blocks]


def paths(name: str) -> list[tuple[str, ...]]:
    return [s.path for s in sections(parsed(name).blocks)]


@pytest.mark.parametrize("name", FILES)
def test_every_character_is_in_one_chunk(name, counter):
    document = parsed(name)
    at = 0
    chunks = chunk_document(document, counter)
    assert chunks
    for chunk in chunks:
        assert chunk.content == document.text[chunk.span.start : chunk.span.end]
        assert not document.text[at : chunk.span.start].strip()
        at = chunk.span.end
    assert not document.text[at:].strip()
    assert document == parsed(name)


def test_chapters_of_a_book_are_read_in_order_with_their_headings_notes_and_tables():
    assert blocks("book.epub") == [
        ("heading", "1 Erstes"),
        ("body", "Größe zählt²."),
        ("footnote", "² Eine Note."),
        ("heading", "1.1 Unter"),
        ("list", "eins"),
        ("list", "zwei"),
        ("heading", "二"),
        ("body", "费用应在三十天内支付。"),
        ("table", "A\tB\n1\t2\n3\t4"),
    ]
    assert paths("book.epub") == [("1 Erstes",), ("1 Erstes", "1.1 Unter"), ("二",)]
    assert (parsed("book.epub").title, dict(parsed("book.epub").properties)["author"]) == ("Das Buch vom Hafen", "Ann Ek")


def test_an_old_book_is_read_as_xml_and_a_chapter_that_is_missing_is_named():
    assert blocks("old.epub") == [("heading", "Café"), ("body", "Smørrebrød & more.")]
    assert [w.reason for w in parsed("old.epub").warnings] == ["OPS/gone.html could not be read"]


def test_open_document_text_gives_headings_notes_lists_and_tables():
    assert blocks("fees.odt") == [
        ("heading", "1 Gebühren"),
        ("body", "Die Gebühr ist fällig¹ und mehr."),
        ("footnote", "¹ Ab Eingang."),
        ("heading", "1.1 Liste"),
        ("list", "eins"),
        ("list", "zwei"),
        ("table", "A\tB\n1\t2\n3\t4"),
    ]
    assert paths("scripts.odt") == [("مقدمة",), ("مقدمة", "第二章")]


def test_rtf_gives_headings_by_outline_level_tables_and_every_character():
    assert blocks("fees.rtf") == [
        ("heading", "1 Fees"),
        ("body", "The fee is größer – and due."),
        ("heading", "1.1 Late payment"),
        ("body", "Interest accrues."),
        ("table", "Item\tRate\nPump\t12.50\nValve"),
        ("body", "After the table 中文."),
    ]
    assert parsed("fees.rtf").title == "Gebühren"
    assert parsed("cyrillic.rtf").text == "Договор\n\nسلام"


def test_restructured_text_gives_sections_and_keeps_what_docutils_does_not_know():
    found = blocks("manual.rst")
    assert found[:2] == [("heading", "Handbuch"), ("body", "Über :ref:`target` und code und mehr [1].")]
    assert ("list", "two") in found
    assert ("code", "x = 1") in found
    assert ("table", "Item\tRate\nPump\t12.50\nValve\t3.20") in found
    assert ("code", ".. versionadded:: 1.2\n   New thing here.") in found
    assert ("footnote", "A footnote.") in found
    assert paths("manual.rst")[2] == ("Handbuch", "Section", "Sub")


def test_restructured_text_includes_no_file_and_no_raw_markup():
    text = parsed("manual.rst").text
    assert "root:" not in text
    assert "raw words" not in text


@pytest.mark.parametrize("name", ["book.epub", "fees.odt"])
@pytest.mark.parametrize("part", [0.1, 0.6, 0.98])
def test_a_truncated_file_is_a_named_error(name, part):
    with pytest.raises(UnreadableSource, match="damaged"):
        parse_office(FILES[name][: int(len(FILES[name]) * part)], SUFFIXES[Path(name).suffix], name)


def test_a_truncated_rtf_is_read_as_far_as_it_goes():
    assert parse_office(RTF[: len(RTF) // 2], "rtf", "a.rtf").text.startswith("1 Fees")


def test_a_copy_protected_book_says_so():
    out = io.BytesIO(old_book())
    with zipfile.ZipFile(out, "a") as archive:
        protected = '<e xmlns:x="http://www.w3.org/2001/04/xmlenc#"><x:CipherReference URI="OPS/p%20q.html"/></e>'
        archive.writestr("META-INF/encryption.xml", protected)
    with pytest.raises(EncryptedSource, match="copy-protected"):
        parse_office(out.getvalue(), "epub", "a.epub")


@pytest.mark.parametrize(("name", "raw"), [("a.epub", FILES["fees.odt"]), ("a.odt", FILES["book.epub"]), ("a.rtf", b"words")])
def test_a_wrong_suffix_is_a_named_error(name, raw):
    with pytest.raises(SourceError, match=r"not an? "):
        parse_office(raw, SUFFIXES[Path(name).suffix], name)


@pytest.mark.parametrize(
    ("name", "program"), [("a.doc", "LibreOffice"), ("a.ppt", "LibreOffice"), ("a.xls", "LibreOffice"), ("a.org", "pandoc")]
)
def test_what_needs_a_program_that_is_not_here_says_which_and_how(tmp_path, name, program):
    (tmp_path / name).write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")
    with pytest.raises(UnreadableSource, match=rf"(?s){program}.*Run: "):
        format_of(SourceFile(file=tmp_path / name, root="", path=name, size=8, mtime_ns=0))
