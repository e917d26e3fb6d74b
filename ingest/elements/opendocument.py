"""OpenDocument text (ODF 1.3, part 3): the tags of `content.xml` renamed to those of HTML, without recursion."""

from __future__ import annotations

from lxml import etree

_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
_DRAW = "{urn:oasis:names:tc:opendocument:xmlns:drawing:1.0}"
_DC = "{http://purl.org/dc/elements/1.1/}"
_META = "{urn:oasis:names:tc:opendocument:xmlns:meta:1.0}"

_TAGS = {
    f"{_TEXT}p": "p",
    f"{_TEXT}list": "ul",
    f"{_TEXT}list-item": "li",
    f"{_TEXT}list-header": "li",
    f"{_TEXT}section": "div",
    f"{_TEXT}a": "a",
    f"{_TEXT}line-break": "br",
    f"{_TABLE}table": "table",
    f"{_TABLE}table-header-rows": "thead",
    f"{_TABLE}table-row": "tr",
    f"{_TABLE}table-cell": "td",
    f"{_DRAW}text-box": "aside",
}
_INDEXES = ("table-of-content", "alphabetical-index", "illustration-index", "table-index", "object-index", "user-index")
_TAGS |= {f"{_TEXT}{name}": "nav" for name in _INDEXES}
_DROPPED = [
    f"{_TEXT}tracked-changes",
    f"{_TEXT}note-citation",
    f"{_TEXT}sequence-decls",
    f"{_OFFICE}annotation",
    f"{_OFFICE}forms",
    f"{_TABLE}covered-table-cell",
    "{http://www.w3.org/2000/svg}title",
    "{http://www.w3.org/2000/svg}desc",
]
_MOST_SPACES = 100
_PARSER = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True)


def as_html(content: bytes) -> str:
    """The body of a document as an HTML page. Raises etree.LxmlError, ValueError (no text in it)."""
    root = etree.fromstring(content, _PARSER)
    body = root.find(f"{_OFFICE}body/{_OFFICE}text")
    if body is None:
        raise ValueError("no text body")
    _number_notes(body)
    for element in [e for e in body.iter(*_DROPPED) if e.getparent() is not None]:
        _drop(element)
    for element in list(body.iter(etree.Element)):
        _rename(element)
    page = etree.Element("body")
    page.append(body)
    return f"<html>{etree.tostring(page, method='html', encoding='unicode')}</html>"


def meta(content: bytes) -> tuple[str | None, tuple[tuple[str, str], ...]]:
    """Title, and what the document says of itself."""
    root = etree.fromstring(content, _PARSER)
    names = {f"{_DC}title": "title", f"{_DC}creator": "author", f"{_DC}subject": "subject", f"{_DC}date": "modified"}
    names |= {f"{_META}initial-creator": "creator", f"{_META}creation-date": "created"}
    said = [(name, " ".join("".join(e.itertext()).split())) for tag, name in names.items() for e in root.iter(tag)]
    properties = tuple((name, value) for name, value in said if value)
    return dict(properties).get("title"), properties


def _number_notes(body: etree._Element) -> None:
    """A note's text goes after the block that names it; its number stays in the text, raised."""
    for note in list(body.iter(f"{_TEXT}note")):
        citation, text = note.find(f"{_TEXT}note-citation"), note.find(f"{_TEXT}note-body")
        block = next((a for a in note.iterancestors(f"{_TEXT}p", f"{_TEXT}h")), None)
        if text is None or block is None:
            continue
        number = "".join(citation.itertext()).strip() if citation is not None else ""
        mark = etree.Element("sup")
        mark.text = number
        mark.tail, note.tail = note.tail, None
        note.addprevious(mark)
        _drop(note)
        text.tag = "div"
        text.set("role", "doc-footnote")
        first = next(text.iter(f"{_TEXT}p"), None)
        if first is not None and number:
            again = etree.Element("sup")
            again.text, again.tail, first.text = number, f" {first.text or ''}", None
            first.insert(0, again)
        after = block
        while (following := after.getnext()) is not None and following.get("role") == "doc-footnote":
            after = following
        after.addnext(text)


def _rename(element: etree._Element) -> None:
    tag = element.tag
    if tag == f"{_TEXT}h":
        level = element.get(f"{_TEXT}outline-level") or "1"
        element.tag = f"h{min(int(level) if level.isdecimal() and int(level) else 1, 6)}"
    elif tag in (f"{_TEXT}s", f"{_TEXT}tab"):
        count = element.get(f"{_TEXT}c") or "1"
        element.text = " " * (min(int(count), _MOST_SPACES) if count.isdecimal() else 1)
        element.tag = "span"
    elif tag in _TAGS:
        element.tag = _TAGS[tag]
    elif tag.startswith("{"):
        element.tag = "div" if tag in (f"{_OFFICE}text", f"{_TEXT}index-body") else "span"
    for name in [n for n in element.attrib if n.startswith("{")]:
        del element.attrib[name]


def _drop(element: etree._Element) -> None:
    """Takes an element out; what follows it stays."""
    parent, tail, before = element.getparent(), element.tail or "", element.getprevious()
    if before is not None:
        before.tail = (before.tail or "") + tail
    else:
        parent.text = (parent.text or "") + tail
    parent.remove(element)
