"""reStructuredText, OpenDocument text and RTF to pieces, by way of HTML or plain lines.

docutils turns reStructuredText into HTML; the tags of an OpenDocument text are renamed to HTML's; striprtf gives the words of an
RTF file, a line a paragraph. Nothing that a document includes or links to is opened.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator

from lxml import etree

from ingest.decode import decode
from ingest.elements import engine
from ingest.elements.assemble import MAX_CHARACTERS
from ingest.elements.containers import checked_zip, damaged, no_entities
from ingest.elements.html import html_content, parsed
from ingest.elements.opendocument import as_html, meta
from ingest.elements.pieces import Content, Piece, table_has_head
from ingest.errors import UnreadableSource, WrongFormat

_SETTINGS = {
    "file_insertion_enabled": False,
    "raw_enabled": False,
    "_disable_config": True,
    "doctitle_xform": False,
    "docinfo_xform": False,
    "initial_header_level": 1,
    "embed_stylesheet": False,
    "stylesheet_path": "",
    "math_output": "LaTeX",
    "syntax_highlight": "none",
    "halt_level": 5,
    "report_level": 3,
    "traceback": False,
    "output_encoding": "unicode",
    "input_encoding": "unicode",
    "line_length_limit": 1_000_000,
}
_HEADING = "\ue000"
_CELL = "\ue010"
"""Private characters that stand for a heading's level (+0 … +8) and a cell's end in what striprtf gives."""
_OUTLINE = re.compile(r"\\outlinelevel([0-8])(?!\d) ?")
_CELL_END = re.compile(r"\\(?:nest)?cell(?![a-z]) ?")
_RTF_TITLE = re.compile(r"\{\\title ([^{}]*)\}")


def parse_rst(raw: bytes, shown: str) -> Content:
    """The content of a reStructuredText file. What docutils doesn't know (directives of Sphinx) is kept as it is written."""
    from docutils.core import publish_string

    decoded = decode(raw, shown)
    settings = _SETTINGS | {"warning_stream": io.StringIO()}
    made = publish_string(decoded.text, writer="html5", settings_overrides=settings)
    root = parsed(str(made))
    if root is None:
        return Content(pieces=(), parser=engine.engine_name("docutils"), encoding=decoded.encoding)
    for message in [e for e in root.iter("aside", "div") if "system-message" in (e.get("class") or "").split()]:
        _keep_source(message)
    content = html_content(etree.tostring(root, method="html", encoding="unicode"), "docutils")
    return _untitled(content, decoded.encoding)


def _keep_source(message: etree._Element) -> None:
    """Puts the source that a message of docutils is about in the message's place."""
    for source in message.findall("pre"):
        message.addprevious(source)
    parent, tail = message.getparent(), message.tail
    if tail and tail.strip():
        following = etree.Element("p")
        following.text = tail
        message.addnext(following)
    message.tail = None
    parent.remove(message)


def _untitled(content: Content, encoding: str) -> Content:
    """docutils writes a title of its own ("<string>") where the document has none."""
    return Content(
        pieces=content.pieces, parser=content.parser, encoding=encoding, omissions=content.omissions, notices=content.notices
    )


def parse_odt(raw: bytes, shown: str) -> Content:
    """The content of an OpenDocument text. Raises SourceError (damaged, encrypted, another format)."""
    with checked_zip(raw, "odt", shown) as archive:
        no_entities(archive, shown)
        try:
            body = as_html(archive.read("content.xml"))
            title, properties = meta(archive.read("meta.xml")) if "meta.xml" in archive.namelist() else (None, ())
        except (KeyError, ValueError, etree.LxmlError, zipfile.BadZipFile, EOFError) as error:
            raise damaged(shown, "odt", error) from error
    content = html_content(body)
    return Content(
        pieces=content.pieces,
        parser=content.parser,
        title=title,
        properties=properties,
        omissions=content.omissions,
        notices=content.notices,
    )


def parse_rtf(raw: bytes, shown: str) -> Content:
    """The content of an RTF file: paragraphs, rows of tables, headings by outline level. Raises WrongFormat, UnreadableSource."""
    if not raw.lstrip().startswith(b"{\\rtf"):
        raise WrongFormat(shown, "not an RTF document: it begins otherwise")
    from striprtf.striprtf import rtf_to_text

    source = raw.decode("latin-1")
    source = _OUTLINE.sub(lambda m: _as_rtf(chr(ord(_HEADING) + int(m[1]))), source)
    source = _CELL_END.sub(lambda m: _as_rtf(_CELL), source)
    try:
        text = rtf_to_text(source, errors="replace")
    except (ValueError, LookupError, IndexError, TypeError) as error:
        raise damaged(shown, "rtf", error) from error
    if len(text) > MAX_CHARACTERS:
        raise UnreadableSource(shown, f"more than {MAX_CHARACTERS:,} characters of text", next_step="Split the file.")
    found = _RTF_TITLE.search(source[:100_000])
    title = " ".join(rtf_to_text("{\\rtf1 " + found[1] + "}").split()) if found else ""
    return Content(pieces=tuple(_rtf_pieces(text)), parser=engine.engine_name("striprtf"), title=title or None)


def _as_rtf(character: str) -> str:
    """One character of the private area, however many characters stand in for one here."""
    return f"{{\\uc1\\u{ord(character) - 0x10000}?}}"


def _rtf_pieces(text: str) -> Iterator[Piece]:
    rows: list[tuple[str, ...]] = []
    for line in [*text.split("\n"), ""]:
        if _CELL in line:
            rows.append(tuple(_plain(cell) for cell in line.split(_CELL)[:-1]))
            continue
        if rows:
            yield Piece(rows=tuple(rows), role="table", head=table_has_head(tuple(rows)))
            rows = []
        level = next((ord(c) - ord(_HEADING) + 1 for c in line if _HEADING <= c < _CELL), None)
        if words := _plain(line):
            yield Piece(text=words, role="heading" if level else "body", level=level)


def _plain(text: str) -> str:
    return "".join(c for c in text if not _HEADING <= c <= _CELL).strip()
