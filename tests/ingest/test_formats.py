import hashlib
import io
import zipfile
from importlib.metadata import version

import pytest

from ingest.discover import discover, plan_roots
from ingest.errors import UnreadableSource, WrongFormat
from ingest.formats import describe, format_of, hash_file, is_current_parser, read_source
from ingest.models import SourceFile

PDF = b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n<<>>\nendobj\n"


def source(tmp_path, name: str, raw: bytes) -> SourceFile:
    (tmp_path / name).write_bytes(raw)
    (scope,) = plan_roots([tmp_path / name], {}).scopes
    (found,) = discover(scope)
    assert isinstance(found, SourceFile)
    return found


def zipped() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as z:
        z.writestr("word/document.xml", "x")
    return out.getvalue()


@pytest.mark.parametrize(
    ("name", "raw", "kind"),
    [
        ("a.pdf", PDF, "pdf"),
        ("A.PDF", b"junk before\n" + PDF, "pdf"),
        ("a.md", b"# A", "markdown"),
        ("a.MarkDown", b"", "markdown"),
        ("a.txt", b"x", "text"),
        ("a.log", b"MZ is how it begins", "text"),
        ("report.md", PDF, "pdf"),
        ("report.txt", PDF, "pdf"),
        ("report", PDF, "pdf"),
        ("about.md", b"%PDF-1.7 is how a PDF begins.\n", "markdown"),
        ("a.docx", zipped(), "docx"),
        ("a.html", b"<p>x", "html"),
        ("a.rar", zipped(), None),
        ("a.png", b"\x89PNG\r\n\x1a\n", None),
        ("a", b"words", None),
    ],
)
def test_the_suffix_chooses_and_a_pdf_is_a_pdf_under_any_name(tmp_path, name, raw, kind):
    assert format_of(source(tmp_path, name, raw)) == kind


@pytest.mark.parametrize(
    ("raw", "what"),
    [
        (b"", "empty"),
        (b"\n<!DOCTYPE html><html>", "HTML"),
        (b"<!-- saved -->\n<html>", "HTML"),
        (b'<?xml version="1.0"?>', "XML"),
        (zipped(), "ZIP"),
        (b"\x89PNG\r\n\x1a\n" + bytes(9), "PNG"),
        (b"%!PS-Adobe-3.0", "PostScript"),
        ("Grüße, nur Text".encode(), "plain text"),
        (bytes(range(256)) * 8, "binary data"),
        (b"\xff\xfe\xfa" * 99, "binary data"),
    ],
)
def test_a_pdf_that_is_none_is_an_error_that_says_what_it_is(tmp_path, raw, what):
    with pytest.raises((WrongFormat, UnreadableSource), match=what):
        format_of(source(tmp_path, "a.pdf", raw))


def test_text_cut_inside_a_character_is_still_text():
    assert describe(("a" + "ü" * 600).encode()[:1024]) == "plain text"


def test_a_picture_called_md_is_no_text(tmp_path):
    with pytest.raises(WrongFormat, match="PNG"):
        format_of(source(tmp_path, "a.md", b"\x89PNG\r\n\x1a\n" + bytes(9)))


def test_a_file_that_goes_away_is_named(tmp_path):
    found = source(tmp_path, "a.md", b"x")
    found.file.unlink()
    for read in (format_of, hash_file, read_source):
        with pytest.raises(UnreadableSource, match=r"a\.md: cannot be read"):
            read(found)


def test_text_is_parsed_from_the_bytes_that_were_hashed(tmp_path):
    raw = b"# Title\r\n\r\nWords.\r\n"
    read = read_source(source(tmp_path, "a.md", raw))
    assert read.document.text == raw.decode()
    assert read.sha256 == hashlib.sha256(raw).hexdigest()


@pytest.mark.parametrize("name", ["a.md", "a.txt"])
def test_an_empty_text_file_goes_in_with_a_warning(tmp_path, name):
    read = read_source(source(tmp_path, name, b" \n"))
    assert [w.reason for w in read.document.warnings] == ["empty: no text in it"]


def test_a_format_without_a_parser_is_refused(tmp_path):
    with pytest.raises(WrongFormat, match="no parser"):
        read_source(source(tmp_path, "a.rar", zipped()))


def test_a_parser_is_current_if_it_is_the_engine_installed_now():
    now = version("pymupdf")
    assert is_current_parser("pdf", f"PyMuPDF {now} (MuPDF 1)")
    assert not is_current_parser("pdf", f"PyMuPDF {now}1 (MuPDF 1)")
    assert is_current_parser("markdown", f"markdown-it-py {version('markdown-it-py')}")
    assert not is_current_parser("markdown", "markdown-it-py 1.0")
    assert is_current_parser("text", "plain text")
