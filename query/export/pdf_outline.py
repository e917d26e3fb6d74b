"""Outline entries put into a PDF behind its own (ISO 32000-1, 12.3.3): a heading, closed, with one entry a quote."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import pymupdf


class Entry(NamedTuple):
    """A line of the outline that leads to `page` (from 1), with `top` (in the page's coordinates, y down) at the window's top."""

    title: str
    page: int
    top: float


def add_entries(document: pymupdf.Document, heading: str, entries: Sequence[Entry]) -> None:
    """The document's own entries stay as they are. Nothing is done where there are no entries."""
    if not entries:
        return
    root = _root(document)
    head = document.get_new_xref()
    items = [document.get_new_xref() for _ in entries]
    last = _reference(document, root, "Last")
    before = f"/Prev {last} 0 R" if last else ""
    document.update_object(
        head,
        f"<</Title{pymupdf.get_pdf_str(heading)}/Parent {root} 0 R{before}"
        f"/First {items[0]} 0 R/Last {items[-1]} 0 R/Count {-len(items)}>>",
    )
    for n, (item, entry) in enumerate(zip(items, entries, strict=True)):
        previous = f"/Prev {items[n - 1]} 0 R" if n else ""
        following = f"/Next {items[n + 1]} 0 R" if n + 1 < len(items) else ""
        title, target = pymupdf.get_pdf_str(entry.title), _destination(document, entry)
        document.update_object(item, f"<</Title{title}/Parent {head} 0 R{previous}{following}/Dest{target}>>")
    if last:
        document.xref_set_key(last, "Next", f"{head} 0 R")
    else:
        document.xref_set_key(root, "First", f"{head} 0 R")
    document.xref_set_key(root, "Last", f"{head} 0 R")
    kind, count = document.xref_get_key(root, "Count")
    document.xref_set_key(root, "Count", str((int(count) if kind == "int" and int(count) > 0 else 0) + 1))


def _root(document: pymupdf.Document) -> int:
    """The outline's root object, made where there is none."""
    catalog = document.pdf_catalog()
    if root := _reference(document, catalog, "Outlines"):
        return root
    root = int(document.get_new_xref())
    document.update_object(root, "<</Type/Outlines>>")
    document.xref_set_key(catalog, "Outlines", f"{root} 0 R")
    return root


def _reference(document: pymupdf.Document, xref: int, key: str) -> int:
    """The number of the object that the key refers to, 0 where it refers to none."""
    kind, value = document.xref_get_key(xref, key)
    return int(value.split()[0]) if kind == "xref" else 0


def _destination(document: pymupdf.Document, entry: Entry) -> str:
    page = document[entry.page - 1]
    point = pymupdf.Point(0, max(entry.top - 20, 0)) * ~page.transformation_matrix
    return f"[{page.xref} 0 R/XYZ null {point.y:.2f} null]"
