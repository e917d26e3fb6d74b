"""The page of quotes: what a parser sees of it, and that a browser draws it."""

from __future__ import annotations

import base64
import hashlib
import re
import shutil
import subprocess
from html.parser import HTMLParser
from urllib.parse import unquote

import pymupdf
import pytest
from making_pdfs import Drawing

from query.cite import cite
from query.export.table import export

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
VOID = {"meta", "img"}
HOSTILE = '<img src=x onerror=alert(1)> & "><script>alert(2)</script> </style> \x07 the fee'


class Page(HTMLParser):
    def __init__(self, html):
        super().__init__(convert_charrefs=True)
        self.elements, self.text, self.open, self.marked = [], "", [], ""
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] == "mark":
            self.marked += data
        if not {"style", "title"} & set(self.open):
            self.text += data

    def all(self, tag):
        return [attrs for name, attrs in self.elements if name == tag]


def page_of(path):
    return Page(path.read_text(encoding="utf-8"))


@pytest.fixture
def notes(tmp_path, library, doc):
    """A page of a quote from a document with a hostile name and text."""
    source = tmp_path / "a%b c#d.md"
    source.write_text("x")
    digest = hashlib.sha256(b"x").hexdigest()
    name = '"><img src=x onerror=alert(3)>.md'
    reader = library(doc(path=name, title=HOSTILE, sha256=digest, sections=[((HOSTILE, HOSTILE), ["All **pay**.", HOSTILE])]))

    def made(quote):
        [path] = export(reader, cite(reader, quote).places, to="html", out=tmp_path / "out", resolve=lambda *_: source)
        return path

    made.source = source
    return made


@pytest.fixture(scope="module")
def pdf_page(tmp_path_factory):
    """A page of a quote over two pages of a real PDF."""
    from pincite import Library

    folder = tmp_path_factory.mktemp("pdf")
    drawing = Drawing().line("The fee is nine crowns and").page().line("seven shillings for each boat.")
    drawing.save(folder / "fees #1.pdf")
    with Library.open(folder / "library", create=True) as lib:
        lib.ingest(folder / "fees #1.pdf")
        [path] = lib.export(lib.cite("nine crowns and seven shillings").places, to="html", out=folder / "out")
    return path


def test_nothing_of_a_document_becomes_an_element_or_an_attribute(notes):
    page = page_of(notes("All"))
    assert page.open == []
    assert not {tag for tag, _ in page.elements} & {"script", "iframe", "object", "embed", "link", "img", "form"}
    assert not any(name.startswith("on") for _, attrs in page.elements for name in attrs)
    assert "onerror=alert(1)" in page.text
    assert "\x07" not in page.text


def test_the_match_is_marked_in_its_paragraph_without_the_marks_of_the_file(notes):
    page = page_of(notes("All **pay**"))
    assert page.marked == "All pay"
    assert "All **pay**" in page.text  # as it stands in the text


def test_the_link_leads_to_the_file_whatever_its_name(notes):
    path = notes("All")
    for link in page_of(path).all("a"):
        target = path.parent / unquote(link["href"])
        assert target.samefile(notes.source)


def test_a_page_asks_for_nothing_from_outside(pdf_page):
    page = page_of(pdf_page)
    assert all(image["src"].startswith("data:image/png;base64,") for image in page.all("img"))
    assert not {"src", "srcset", "action", "poster"} & {name for tag, attrs in page.elements if tag != "img" for name in attrs}
    assert not re.search(r"url\(|@import|https?://", pdf_page.read_text(encoding="utf-8"))
    [policy] = [m["content"] for m in page.all("meta") if m.get("http-equiv") == "Content-Security-Policy"]
    assert "default-src 'none'" in policy


def test_links_open_the_page_of_the_pdf(pdf_page):
    for link in page_of(pdf_page).all("a"):
        address, fragment = link["href"].split("#")
        assert fragment == "page=1"
        assert (pdf_page.parent / unquote(address)).is_file()


def test_each_page_of_a_quote_is_shown_with_the_highlight_and_an_alternative_text(pdf_page):
    images = page_of(pdf_page).all("img")
    assert [image["alt"][:6] for image in images] == ["Page 1", "Page 2"]
    for image in images:
        drawn = pymupdf.Pixmap(base64.b64decode(image["src"].split(",")[1]))
        colours = {drawn.pixel(x, y) for x in range(0, drawn.width, 3) for y in range(0, drawn.height // 3, 3)}
        assert any(r > 200 and b < 140 for r, g, b in colours)  # the highlight


def test_the_page_is_structured_for_readers_that_do_not_see_it(pdf_page):
    page = page_of(pdf_page)
    [root] = page.all("html")
    assert root["lang"] == "en"
    assert len(page.all("main")) == len(page.all("h1")) == 1
    ids = {attrs["id"] for _, attrs in page.elements if "id" in attrs}
    assert all(article["aria-labelledby"] in ids for article in page.all("article"))


def test_the_same_quotes_give_the_same_bytes(notes):
    first = notes("All").read_bytes()
    notes("All **pay**").unlink()
    (notes.source.parent / "out").rename(notes.source.parent / "before")
    assert notes("All").read_bytes() == first


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")
@pytest.mark.parametrize(("scheme", "size"), [("light", (1100, 900)), ("dark", (1100, 900)), ("light", (500, 900))])
def test_a_browser_draws_it_light_dark_and_narrow(pdf_page, tmp_path, scheme, size):
    picture = tmp_path / "page.png"
    flags = "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking".split()
    flags += "--disable-component-update --disable-sync --hide-scrollbars".split()
    dark = ["--blink-settings=preferredColorScheme=0"] if scheme == "dark" else []
    size_flag = f"--window-size={size[0]},{size[1]}"
    command = [CHROMIUM, *flags, *dark, f"--user-data-dir={tmp_path / 'profile'}", size_flag, f"--screenshot={picture}"]
    subprocess.run([*command, pdf_page.as_uri()], check=True, capture_output=True, timeout=120)
    drawn = pymupdf.Pixmap(picture)
    background = drawn.pixel(2, 2)
    assert (max(background[:3]) < 60) == (scheme == "dark")
    colours = {drawn.pixel(x, y)[:3] for x in range(0, drawn.width, 4) for y in range(0, drawn.height, 4)}
    assert any(r > 200 and g > 180 and b < 140 for r, g, b in colours)
