"""Bad office files: each a named error or a warning, in bounded time and memory."""

from __future__ import annotations

import io
import zipfile
from itertools import repeat
from pathlib import Path

import making_office as making
import pytest

from ingest.elements.assemble import TooMuchText
from ingest.elements.parser import parse_office
from ingest.elements.sheets import tables
from ingest.errors import EncryptedSource, SourceError, UnreadableSource, WrongFormat
from ingest.formats import SUFFIXES, format_of, read_source
from ingest.models import ParsedDocument, SourceFile

OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
BOOK = making.workbook(lambda book: book.active.append(["a", "b"]))
GOOD = {"a.docx": making.contract(), "a.pptx": making.slides(["One"]), "a.xlsx": BOOK}


def read(name: str, raw: bytes) -> ParsedDocument:
    return parse_office(raw, SUFFIXES[Path(name).suffix], name)


@pytest.mark.parametrize("name", GOOD)
@pytest.mark.parametrize("part", [0.1, 0.5, 0.99])
def test_a_truncated_file_is_a_named_error(name, part):
    with pytest.raises(UnreadableSource, match="damaged"):
        read(name, GOOD[name][: int(len(GOOD[name]) * part)])


@pytest.mark.parametrize(
    ("name", "part"), [("a.docx", "word/document.xml"), ("a.pptx", "ppt/presentation.xml"), ("a.xlsx", "xl/workbook.xml")]
)
@pytest.mark.parametrize("content", [b"", b"<not closed", b"<w/>", b"\x00\x01"])
def test_a_broken_part_is_a_named_error(name, part, content):
    with pytest.raises(UnreadableSource, match="damaged"):
        read(name, making.with_part(GOOD[name], part, lambda _: content))


@pytest.mark.parametrize("name", GOOD)
def test_a_missing_part_is_a_named_error(name):
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(GOOD[name])) as old, zipfile.ZipFile(out, "w") as new:
        new.writestr("[Content_Types].xml", old.read("[Content_Types].xml"))
    with pytest.raises(UnreadableSource, match="damaged"):
        read(name, out.getvalue())


@pytest.mark.parametrize("name", GOOD)
def test_a_password_protected_file_says_so(name):
    with pytest.raises(EncryptedSource, match="password"):
        read(name, OLE + bytes(512) + "EncryptedPackage".encode("utf-16-le") + bytes(512))


@pytest.mark.parametrize(
    ("name", "raw", "what"),
    [
        ("a.docx", GOOD["a.xlsx"], "not a Word document but an Excel workbook"),
        ("a.xlsx", GOOD["a.pptx"], "not an Excel workbook but a PowerPoint presentation"),
        ("a.pptx", making.zipped(readme="x"), "not a PowerPoint presentation but another ZIP archive"),
        ("a.docx", OLE + bytes(512), "an old Office document"),
        ("a.docx", b"%PDF-1.7 as it is not read", "PDF|what .docx says"),
        ("a.docx", b"just words", "what .docx says: plain text"),
        ("a.xlsx", b"<html><table>", "what .xlsx says: an HTML page"),
        ("a.msg", b"From: a@example.com\n\nHi", "what .msg says: plain text"),
        ("a.eml", b"no header here\n\nwords", "not a mail"),
        ("a.html", b"\x89PNG\r\n\x1a\n" + bytes(99), "PNG"),
        ("a.csv", b"PK\x03\x04" + bytes(99), "ZIP"),
    ],
)
def test_a_wrong_suffix_is_an_error_that_says_what_the_file_is(tmp_path, name, raw, what):
    file = tmp_path / name
    file.write_bytes(raw)
    with pytest.raises(SourceError, match=what) as caught:
        read_source(SourceFile(file=file, root="", path=name, size=len(raw), mtime_ns=0))
    assert caught.value.path == name


@pytest.mark.parametrize("name", ["a.docx", "a.xlsx", "a.html", "a.eml", "a.csv"])
def test_an_empty_file_is_a_named_error(name):
    with pytest.raises((UnreadableSource, WrongFormat), match="empty"):
        read(name, b"")


@pytest.mark.parametrize("name", GOOD)
def test_a_zip_bomb_is_refused_before_it_is_unpacked(name):
    out = io.BytesIO(GOOD[name])
    with zipfile.ZipFile(out, "a", zipfile.ZIP_DEFLATED) as archive, archive.open("media/big.xml", "w", force_zip64=True) as part:
        for _ in range(64):
            part.write(bytes(2**20))
    with pytest.raises(UnreadableSource, match="ZIP bomb"):
        read(name, out.getvalue())


@pytest.mark.parametrize(
    ("name", "part"), [("a.docx", "word/document.xml"), ("a.pptx", "ppt/presentation.xml"), ("a.xlsx", "xl/workbook.xml")]
)
@pytest.mark.parametrize(
    "entity",
    [
        '<!ENTITY x SYSTEM "file:///etc/passwd">',
        '<!ENTITY a "ha"><!ENTITY x "&a;&a;&a;&a;&a;&a;">',
        "<!ENTITY % p SYSTEM 'http://example.com/x'>",
    ],
)
def test_xml_entities_are_refused(name, part, entity):
    def planted(content: bytes) -> bytes:
        head, mark, body = content.partition(b"?>")
        return head + mark + f"<!DOCTYPE x [{entity}]>".encode() + body if mark else f"<!DOCTYPE x [{entity}]>".encode() + content

    with pytest.raises(UnreadableSource, match="declares XML entities"):
        read(name, making.with_part(GOOD[name], part, planted))


@pytest.mark.parametrize(("before", "encoding"), [(f"<!--{' ' * 2**21}-->", "utf-8"), ("", "utf-16")])
def test_xml_entities_are_found_behind_a_long_comment_and_in_other_encodings(before, encoding):
    part = f"{before}<!DOCTYPE x [<!ENTITY a 'b'>]><x/>".encode(encoding)
    with pytest.raises(UnreadableSource, match="declares XML entities"):
        read("a.docx", making.with_part(GOOD["a.docx"], "docProps/app.xml", lambda _: part))


def test_a_bomb_of_entities_in_an_xhtml_page_is_not_unpacked():
    laughs = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 12))
    head = f'<!DOCTYPE html [<!ENTITY a0 "ha">{laughs}]><html xmlns="http://www.w3.org/1999/xhtml">'
    assert len(read("a.xhtml", f'{head}<body><p title="&a11;">Words &a11;.</p></body></html>'.encode()).text) < 2_000


def test_entities_of_an_html_page_stay_unread(tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("secret words")
    page = f'<!DOCTYPE html [<!ENTITY x SYSTEM "file://{secret}">]><html><body><p>Before &x; after.</p></body></html>'
    assert "secret words" not in read("a.html", page.encode()).text


@pytest.mark.parametrize("depth", [150, 1_000, 50_000])
def test_deep_nesting_is_read_or_taken_as_plain_text_and_never_lost(depth):
    document = read("a.html", ("<div>" * depth + "<p>The deepest words.</p>" + "</div>" * depth).encode())
    assert "The deepest words." in document.text
    assert bool(document.warnings) == (depth > 200)


def test_a_page_of_unclosed_tags_is_read():
    assert "words" in read("a.html", ("<b><i><p>words" * 5_000).encode()).text


def test_a_sheet_with_more_text_than_a_document_may_have_is_refused_while_it_is_read():
    endless = repeat(("words " * 2**17,))
    with pytest.raises(TooMuchText):
        list(tables(endless))


def test_too_much_text_is_a_named_error():
    with pytest.raises(UnreadableSource, match="characters of text"):
        read("a.csv", (b"x" * 2**20 + b",y\n") * 65)


def test_a_mail_that_is_broken_everywhere_is_read_as_far_as_it_goes():
    raw = (
        b"From: =?utf-8?b?!!!?= <\xff\xfe>\nTo: ,,;<>\nDate: never\nSubject: =?no-such?q?x?=\n"
        b"Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/plain; charset=no-such-charset\n"
        b"Content-Transfer-Encoding: base64\n\n!!!!\n--b\nContent-Type: message/rfc822\n\n\n"
    )
    assert read("a.eml", raw).format == "email"


def test_an_encrypted_mail_says_so():
    raw = b"From: a@example.com\nContent-Type: multipart/encrypted; protocol=x; boundary=b\n\n--b\n\n--b--\n"
    with pytest.raises(EncryptedSource, match="encrypted"):
        read("a.eml", raw)


def test_a_document_without_text_goes_in_with_a_warning():
    empty = making.workbook(lambda book: None)
    assert [w.reason for w in read("a.xlsx", empty).warnings] == ["empty: no text in it"]


def test_macros_and_links_of_a_workbook_are_not_followed(tmp_path):
    def linked(book) -> None:
        book.active["A1"] = '=HYPERLINK("http://example.com", "here")'
        book.active["A2"] = "words"

    document = read("a.xlsm", making.workbook(linked))
    assert document.text.endswith("words")
    assert (
        format_of(SourceFile(file=_written(tmp_path, "a.xlsm", GOOD["a.xlsx"]), root="", path="a.xlsm", size=0, mtime_ns=0))
        == "xlsx"
    )


def _written(folder: Path, name: str, raw: bytes) -> Path:
    (folder / name).write_bytes(raw)
    return folder / name
