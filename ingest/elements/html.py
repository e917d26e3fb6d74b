"""HTML to pieces: what unstructured finds, with what its tags said of it.

Before unstructured sees the page, furniture is taken out, tags that it would drop or guess about are renamed to ones that it
takes as they stand, and every block gets a number (`data-page-number`, which it hands back with each element): so a piece
knows the heading level, list, quote or note that it came from. Nothing that a page names (pictures, frames, styles) is fetched.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from html.entities import html5

from lxml import etree

from ingest.decode import decode, decode_with
from ingest.elements import engine
from ingest.elements.flat import words_alone
from ingest.elements.furniture import take_out_furniture
from ingest.elements.pieces import Content, Element, Omission, Piece, table_has_head
from ingest.errors import UnreadableSource
from ingest.models import Notice, Role
from ingest.plaintext import paragraphs
from ingest.raised import LOWERED, MAPPABLE, RAISED

DEEPEST = 200
"""Levels of nesting that are read as HTML: the engine descends by recursion."""

_NUMBER = "data-page-number"
_HEADINGS = {f"h{n}": n for n in range(1, 7)}
_RENAMED = {
    "p": "dd",  # a `p` of one character would be dropped, a bullet stripped, and its kind guessed
    "dt": "dd",
    "figure": "div",
    "figcaption": "dd",
    "legend": "dd",
    "summary": "dd",
    "details": "div",
    "form": "div",
    "fieldset": "div",
    "label": "span",
}
_BLOCKS = frozenset(
    "address article aside blockquote body caption center dd details dir div dl dt fieldset figcaption figure footer form "
    "header hgroup li legend main ol p pre section summary table td th ul html tr tbody thead tfoot".split()
) | frozenset(_HEADINGS)
_ROLES: dict[str, Role] = {"li": "list", "pre": "code", "aside": "aside", "figcaption": "caption"}
_NOTE = re.compile(r"\bdoc-(?:foot|end|rear)notes?\b|\b(?:foot|end|rear)notes?\b", re.IGNORECASE)
_HIDDEN = re.compile(r"(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)", re.IGNORECASE)
_META_CHARSET = re.compile(rb"""<(?:meta\b[^>]*?charset|\?xml\b[^>]*?encoding)\s*=\s*["']?\s*([\w.:-]+)""", re.IGNORECASE)
_XHTML = re.compile(r"http://www\.w3\.org/1999/xhtml")
_NAMED = re.compile(r"&([A-Za-z][A-Za-z0-9]*);")
_UNSURE = {"ascii", "iso8859-1", "cp1252"}
"""What `decode` tells better than a page's own claim, by the bytes."""
_META = {"author", "description", "keywords", "date", "dcterms.created", "citation_author"}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """What the tags around a block say of it. `scope`: the number of the outermost quote or list item that holds it."""

    role: Role = "body"
    level: int | None = None
    scope: int | None = None


def parse_html(raw: bytes, shown: str) -> Content:
    """The content of a page. Raises UnreadableSource for what is no text."""
    text, encoding = decode_html(raw, shown)
    return replace(html_content(text), encoding=encoding)


def decode_html(raw: bytes, shown: str) -> tuple[str, str]:
    """By byte order mark, else by what the page says of itself if its bytes agree, else as any text."""
    said = _META_CHARSET.search(raw[:2048])
    by_bytes = decode(raw, shown)
    if by_bytes.has_bom or said is None:
        return by_bytes.text, by_bytes.encoding
    try:
        name = codecs.lookup(said.group(1).decode("ascii")).name
        if name in _UNSURE or name.startswith("utf"):
            return by_bytes.text, by_bytes.encoding
        return decode_with(raw, name), name
    except (LookupError, UnicodeError):
        return by_bytes.text, by_bytes.encoding


def html_content(text: str, *engines: str) -> Content:
    """The content of HTML text; `engines` are the distributions that made it."""
    root = parsed(text)
    name = engine.engine_name(*engines)
    if root is None:
        return Content(pieces=(), parser=name)
    title, properties = _said_of_itself(root)
    if _depth(root) > DEEPEST:
        plain = words_alone(text)
        pieces = tuple(Piece(text=b.span.slice(plain)) for b in paragraphs(plain, 0, len(plain)))
        notice = Notice(reason=f"nested more than {DEEPEST} deep; taken as plain text")
        return Content(pieces=pieces, parser=name, title=title, properties=properties, notices=(notice,))
    pieces, omissions = pieces_of(root)
    return Content(pieces=pieces, parser=name, title=title, properties=properties, omissions=omissions)


def parsed(text: str) -> etree._Element | None:
    """The tree of a page, None for an empty one. Entities are HTML's own; nothing is loaded."""
    if _XHTML.search(text[:1000]) and "<!ENTITY" not in text and (root := _as_xml(text)) is not None:
        return root
    parser = etree.HTMLParser(remove_comments=True, remove_pis=True, huge_tree=True, encoding="utf-8")
    raw = text.replace("\x00", "\ufffd").encode("utf-8", "replace")
    return etree.fromstring(raw, parser) if raw.strip() else None


def _as_xml(text: str) -> etree._Element | None:
    """The tree of an XHTML page, its tags without namespaces; None if it is no XML. Entities are HTML's, nothing is loaded."""
    parser = etree.XMLParser(
        remove_comments=True, remove_pis=True, huge_tree=True, resolve_entities=False, no_network=True, encoding="utf-8"
    )
    try:
        root = etree.fromstring(_NAMED.sub(_character, text).encode("utf-8", "replace"), parser)
    except etree.XMLSyntaxError:
        return None
    for element in root.iter(etree.Element):
        element.tag = etree.QName(element).localname
    etree.cleanup_namespaces(root, keep_ns_prefixes=["epub"])
    return root


def _character(found: re.Match[str]) -> str:
    """The character that an entity names, unless XML knows it itself."""
    name = found.group(1)
    return found.group() if name in ("amp", "lt", "gt", "quot", "apos") else html5.get(f"{name};", found.group())


def pieces_of(root: etree._Element, *, furniture: bool = True) -> tuple[tuple[Piece, ...], tuple[Omission, ...]]:
    """The pieces of a tree (which is changed), and what was left out."""
    omissions = take_out_furniture(root) if furniture else []
    _rename(root)
    places = _numbered(root)
    for element in root.iter(*_RENAMED):
        element.tag = _RENAMED[element.tag]
    elements = engine.html_elements(etree.tostring(root, method="html", encoding="unicode"))
    return tuple(piece for e in elements for piece in _pieces(e, places)), tuple(omissions)


def _pieces(element: Element, places: Sequence[_Place]) -> list[Piece]:
    place = places[element.number] if element.number is not None and element.number < len(places) else _Place()
    if element.category == "Table" and element.rows:
        hidden = place.role == "hidden"
        return [Piece(rows=element.rows, role="hidden" if hidden else "table", head=table_has_head(element.rows) and not hidden)]
    if element.category == "Image":
        return []
    return [Piece(text=element.text, role=place.role, level=place.level, scope=place.scope)]


def _rename(root: etree._Element) -> None:
    """Layout tables become blocks, raised and lowered digits their Unicode forms, captions of tables paragraphs before them."""
    for element in list(root.iter("table")):
        if _is_layout(element):
            for part in [element, *element.iter("tbody", "thead", "tfoot", "tr", "td", "th", "caption")]:
                part.tag = "div"
    for caption in list(root.iter("caption")):
        table = caption.getparent()
        if table is not None and table.tag == "table" and table.getparent() is not None:
            tail, caption.tail = caption.tail, None
            table.addprevious(caption)
            table.text = (table.text or "") + (tail or "")
            caption.tag = "figcaption"
    for element in root.iter("sup", "sub"):
        if set("".join(element.itertext()).strip()) <= MAPPABLE:
            _translate(element, RAISED if element.tag == "sup" else LOWERED)
    for element in list(root.iter("img")):
        element.attrib.clear()


def _is_layout(table: etree._Element) -> bool:
    """A table that only places its parts: it says so, or holds what no cell of figures does."""
    if (table.get("role") or "").lower() in ("presentation", "none"):
        return True
    return next(table.iterdescendants("table", "h1", "h2", "h3", "h4", "blockquote"), None) is not None


def _translate(element: etree._Element, table: dict[int, int]) -> None:
    for node in element.iter(etree.Element):
        node.text = node.text and node.text.translate(table)
        if node is not element:
            node.tail = node.tail and node.tail.translate(table)


def _numbered(root: etree._Element) -> list[_Place]:
    """Writes a number on each block; the places by number."""
    places: list[_Place] = []
    for element in root.iter(etree.Element):
        element.attrib.pop(_NUMBER, None)
        if element.tag not in _BLOCKS:
            continue
        around = next((a for a in element.iterancestors() if a.get(_NUMBER) is not None), None)
        outer = _Place() if around is None else places[int(around.get(_NUMBER))]
        element.set(_NUMBER, str(len(places)))
        places.append(_place(element, outer, len(places)))
    return places


def _place(element: etree._Element, outer: _Place, number: int) -> _Place:
    tag = element.tag
    scope = number if outer.scope is None and tag in ("li", "blockquote") else outer.scope
    kind = f"{element.get('role') or ''} {element.get('{http://www.idpf.org/2007/ops}type') or element.get('epub:type') or ''}"
    if outer.role == "hidden" or element.get("hidden") is not None or _HIDDEN.search(element.get("style") or ""):
        return _Place(role="hidden", scope=scope)
    if _NOTE.search(kind) and tag != "section":
        return _Place(role="footnote", scope=scope)
    if outer.role in ("footnote", "aside", "caption"):
        return _Place(role=outer.role, scope=scope)
    if tag in _HEADINGS:
        return _Place(role="heading", level=_HEADINGS[tag], scope=scope)
    return _Place(role=_ROLES.get(tag, "list" if outer.role == "list" else "body"), scope=scope)


def _depth(root: etree._Element) -> int:
    """How deep the deepest element lies, without recursion."""
    deepest = depth = 0
    for event, _ in etree.iterwalk(root, events=("start", "end")):
        depth += 1 if event == "start" else -1
        deepest = max(deepest, depth)
    return deepest


def _said_of_itself(root: etree._Element) -> tuple[str | None, tuple[tuple[str, str], ...]]:
    """The page's title, and what its `meta` elements say."""
    found = next((e for e in root.iter("title") if not any(a.tag == "svg" for a in e.iterancestors())), None)
    title = " ".join("".join(found.itertext()).split()) if found is not None else ""
    properties = [("title", title)] if title else []
    for meta in root.iter("meta"):
        name, value = (meta.get("name") or "").lower(), " ".join((meta.get("content") or "").split())
        if name in _META and value and name not in dict(properties):
            properties.append((name, value))
    return title or None, tuple(properties)


def refuse_binary(raw: bytes, shown: str, what: str) -> None:
    """Raises UnreadableSource for bytes that are no text."""
    if b"\x00" in raw[:1024] and not raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise UnreadableSource(shown, f"not {what} but binary data")
