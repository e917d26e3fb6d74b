"""EPUB (3.3, and 2) to pieces: the chapters in reading order, each read as a page.

The book's package document (https://www.w3.org/TR/epub-33/#sec-package-doc) says which parts make it up, in which order.
"""

from __future__ import annotations

import posixpath
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import unquote

from lxml import etree

from ingest.elements import engine
from ingest.elements.containers import checked_zip, damaged
from ingest.elements.html import decode_html, html_content
from ingest.elements.pieces import Content, Omission, Piece
from ingest.errors import EncryptedSource
from ingest.models import Notice

_OPF = "{http://www.idpf.org/2007/opf}"
_DC = "{http://purl.org/dc/elements/1.1/}"
_ENC = "{http://www.w3.org/2001/04/xmlenc#}"
_PAGES = {"application/xhtml+xml", "text/html", "text/x-oeb1-document"}
_PARSER = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Book:
    """Names of the chapters' parts, and what the book says of itself."""

    chapters: tuple[str, ...]
    properties: tuple[tuple[str, str], ...]


def parse_epub(raw: bytes, shown: str) -> Content:
    """The content of a book. Raises SourceError (damaged, copy-protected, another format)."""
    pieces: list[Piece] = []
    omissions: list[Omission] = []
    notices: list[Notice] = []
    with checked_zip(raw, "epub", shown) as archive:
        try:
            book = _book(archive)
        except (KeyError, ValueError, etree.LxmlError, zipfile.BadZipFile, EOFError) as error:
            raise damaged(shown, "epub", error) from error
        if set(book.chapters) & _encrypted(archive):
            raise EncryptedSource(shown, "copy-protected: its chapters are encrypted", next_step="Get a copy without protection.")
        for name in book.chapters:
            try:
                text, _ = decode_html(archive.read(name), shown)
            except (KeyError, zipfile.BadZipFile, EOFError, OSError):
                notices.append(Notice(reason=f"{name} could not be read"))
                continue
            content = html_content(text)
            pieces += content.pieces
            omissions += content.omissions
            notices += content.notices
    return Content(
        pieces=tuple(pieces),
        parser=engine.engine_name(),
        title=dict(book.properties).get("title"),
        properties=book.properties,
        omissions=tuple(omissions),
        notices=tuple(notices),
    )


def _book(archive: zipfile.ZipFile) -> _Book:
    container = etree.fromstring(archive.read("META-INF/container.xml"), _PARSER)
    where = next((e.get("full-path") for e in container.iter("{*}rootfile") if e.get("full-path")), None)
    if where is None:
        raise ValueError("its container names no package")
    package = etree.fromstring(archive.read(where), _PARSER)
    items = {i.get("id"): i for i in package.iter(f"{_OPF}item")}
    chapters = []
    for reference in package.iter(f"{_OPF}itemref"):
        item = items.get(reference.get("idref"))
        if item is None or item.get("media-type") not in _PAGES or "nav" in (item.get("properties") or "").split():
            continue
        path = unquote((item.get("href") or "").partition("#")[0])
        chapters.append(posixpath.normpath(posixpath.join(posixpath.dirname(where), path)))
    if not chapters:
        raise ValueError("its package names no chapter")
    return _Book(chapters=tuple(dict.fromkeys(chapters)), properties=tuple(_said(package)))


def _said(package: etree._Element) -> Iterator[tuple[str, str]]:
    for tag, name in (
        ("title", "title"),
        ("creator", "author"),
        ("language", "language"),
        ("date", "date"),
        ("publisher", "publisher"),
    ):
        for element in list(package.iter(f"{_DC}{tag}"))[:1]:
            if value := " ".join("".join(element.itertext()).split()):
                yield name, value


def _encrypted(archive: zipfile.ZipFile) -> set[str]:
    """The parts that are encrypted (fonts may be, in an open book)."""
    if "META-INF/encryption.xml" not in archive.namelist():
        return set()
    try:
        root = etree.fromstring(archive.read("META-INF/encryption.xml"), _PARSER)
    except (etree.LxmlError, zipfile.BadZipFile, EOFError):
        return set()
    return {unquote(e.get("URI") or "") for e in root.iter(f"{_ENC}CipherReference")}
