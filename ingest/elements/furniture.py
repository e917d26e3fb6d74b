"""What of an HTML page is not its text: navigation, page heads and feet, cookie notices, controls. Taken out, and named.

Scripts, styles and embedded objects go without a word: nobody reads them.
"""

from __future__ import annotations

import re

from lxml import etree

from ingest.elements.pieces import Omission

_NEVER_TEXT = (
    "script style template noscript head link meta base iframe object embed applet audio video canvas svg map datalist xml "
    "noembed noframes title"
).split()
_BY_TAG = {
    "nav": "navigation",
    "menu": "navigation",
    "button": "form control",
    "select": "form control",
    "textarea": "form control",
    "input": "form control",
    "dialog": "dialog",
    "del": "deleted text",
}
_BY_ROLE = {
    "navigation": "navigation",
    "menu": "navigation",
    "menubar": "navigation",
    "search": "search form",
    "banner": "page header",
    "contentinfo": "page footer",
    "dialog": "dialog",
    "alertdialog": "dialog",
    "button": "form control",
}
_AT_THE_EDGE = {"header": "page header", "footer": "page footer"}
"""Of the page, where they stand in no article or section; an article's own header is text."""
_PARTS = {"article", "section", "main", "aside", "blockquote", "figure"}
_COOKIE = re.compile(
    r"(?:^|[\s_-])(?:cookies?|consent|gdpr|ccpa|onetrust|cookiebot|cookiebanner|cookieconsent)(?=$|[\s_-])", re.IGNORECASE
)
_MOST_OF_PAGE = 0.5
"""A notice about cookies is a small part of a page; a page about cookies isn't."""


def take_out_furniture(root: etree._Element) -> list[Omission]:
    """Removes from the tree what is not text, and says what it was."""
    for element in list(root.iter(*_NEVER_TEXT)):
        if element is not root:
            remove(element)
    omissions = []
    whole = len(_text(root))
    for element in list(root.iter(etree.Element)):
        if element is root or not _still_in(element, root):
            continue
        if reason := _reason(element, whole):
            omissions += _taken(element, reason)
    return omissions + _around_main(root)


def remove(element: etree._Element) -> None:
    """Takes an element out of its tree; what follows it stays."""
    parent, tail = element.getparent(), element.tail or ""
    before = element.getprevious()
    if before is not None:
        before.tail = (before.tail or "") + tail
    else:
        parent.text = (parent.text or "") + tail
    parent.remove(element)


def _reason(element: etree._Element, whole: int) -> str | None:
    tag = element.tag
    if tag in _BY_TAG:
        return _BY_TAG[tag]
    if reason := _BY_ROLE.get((element.get("role") or "").strip().lower()):
        return None if _holds_title(element) else reason
    if tag in _AT_THE_EDGE and not any(a.tag in _PARTS for a in element.iterancestors()) and not _holds_title(element):
        return _AT_THE_EDGE[tag]
    name = f"{element.get('id') or ''} {element.get('class') or ''}"
    if tag not in ("body", "main", "article", "html") and _COOKIE.search(name) and len(_text(element)) < _MOST_OF_PAGE * whole:
        return "cookie notice"
    return None


def _holds_title(element: etree._Element) -> bool:
    """A page header with the page's title in it is text."""
    return element.find(".//h1") is not None


def _around_main(root: etree._Element) -> list[Omission]:
    """Where the page says which part is its main one, all else is left out, but for a title before it."""
    mains = [e for e in root.iter("main", "div", "section") if e.tag == "main" or e.get("role") == "main"]
    if len(mains) != 1 or not _text(mains[0]):
        return []
    kept = {mains[0], *mains[0].iterancestors()}
    omissions = []
    for ancestor in list(mains[0].iterancestors()):
        for child in list(ancestor):
            if child not in kept and not _holds_title(child) and child.tag != "h1":
                omissions += _taken(child, "outside the main part")
        if ancestor is root:
            break
    return omissions


def _taken(element: etree._Element, reason: str) -> list[Omission]:
    text = _text(element)
    remove(element)
    return [Omission(text=text, reason=reason)] if text else []


def _text(element: etree._Element) -> str:
    return " ".join(" ".join(element.itertext()).split())


def _still_in(element: etree._Element, root: etree._Element) -> bool:
    return any(a is root for a in element.iterancestors())
