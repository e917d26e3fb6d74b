"""DOCX to pieces: what unstructured finds, with heading levels, roles and notes from the document's own styles.

unstructured reads the paragraphs and tables that stand directly in the body. Before it sees the file, what it would not find is
moved there (content controls, tracked insertions, text boxes, footnotes after the paragraph that names them); deleted text goes.
Its elements are then matched to those paragraphs again, in order, by their words.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from lxml import etree

from ingest.elements import engine
from ingest.elements.containers import checked_zip, damaged, no_entities
from ingest.elements.office_properties import core_properties
from ingest.elements.pieces import Content, Element, Omission, Piece, table_has_head
from ingest.models import Role
from ingest.raised import LOWERED, MAPPABLE, RAISED

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_MATH = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_UNWRAPPED = [f"{_W}{name}" for name in ("sdt", "sdtContent", "ins", "moveTo", "smartTag", "customXml", "fldSimple")]
_DROPPED = [
    f"{_W}{name}" for name in ("del", "moveFrom", "sdtPr", "sdtEndPr", "lastRenderedPageBreak", "smartTagPr", "customXmlPr")
]
_HEADING = re.compile(r"heading ([1-9])", re.IGNORECASE)
_CODE = re.compile(r"code|preformatted|macro text|plain text", re.IGNORECASE)
_CONTENTS = re.compile(r"toc \d|table of figures", re.IGNORECASE)
_LIST = re.compile(r"list", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Known:
    """A block of the body: its words without white space, and what its style says. `table`: it is one."""

    words: str
    role: Role
    level: int | None
    table: bool = False


def parse_docx(raw: bytes, shown: str) -> Content:
    """The content of a Word file. Raises SourceError (damaged, encrypted, another format)."""
    with checked_zip(raw, "docx", shown) as archive:
        no_entities(archive, shown)
    import docx

    try:
        document = docx.Document(io.BytesIO(raw))
        roles = _prepare(document)
        known = list(_known(document, roles))
        title, properties = core_properties(document.core_properties)
        prepared = io.BytesIO()
        document.save(prepared)
        elements = engine.docx_elements(prepared.getvalue())
    except (KeyError, ValueError, AttributeError, IndexError, TypeError, etree.LxmlError, zipfile.BadZipFile, EOFError) as error:
        raise damaged(shown, "docx", error) from error
    body = [e for e in elements if e.category not in ("Header", "Footer")]
    return Content(
        pieces=tuple(_matched(body, known)),
        parser=engine.engine_name("python-docx"),
        title=title,
        properties=properties,
        omissions=_omissions(elements),
    )


def _omissions(elements: Sequence[Element]) -> tuple[Omission, ...]:
    """Each running head and foot once."""
    reasons = {"Header": "header", "Footer": "footer"}
    found = dict.fromkeys((e.text.strip(), reasons[e.category]) for e in elements if e.category in reasons and e.text.strip())
    return tuple(Omission(text=text, reason=reason) for text, reason in found)


def _prepare(document: Any) -> dict[Any, Role]:
    """Moves into the body what stands elsewhere; the roles of what was moved, by paragraph."""
    body = document.element.body
    for element in [e for e in body.iter(*_DROPPED, _FALLBACK) if e.getparent() is not None]:
        _drop(element)
    for element in list(body.iter(*_UNWRAPPED)):
        _unwrap(element)
    for formula in list(body.iter(f"{_MATH}oMath")):
        _formula_as_run(formula)
    _raise_characters(body)
    roles: dict[Any, Role] = {}
    for box in list(body.iter(f"{_W}txbxContent")):
        if box.getparent() is not None:
            roles |= _moved_after(_top(box, body), _blocks(box), "aside")
            box.clear()
    for kind in ("footnote", "endnote"):
        roles |= _notes(document, body, kind)
    return roles


def _drop(element: Any) -> None:
    parent = element.getparent()
    parent.remove(element)


def _unwrap(element: Any) -> None:
    """Puts what is in a wrapper in the wrapper's place."""
    for child in list(element):
        element.addprevious(child)
    _drop(element)


def _formula_as_run(formula: Any) -> None:
    """A formula's characters, in their order, as text."""
    text = "".join(t.text or "" for t in formula.iter(f"{_MATH}t"))
    run = formula.makeelement(f"{_W}r", {})
    words = etree.SubElement(run, f"{_W}t")
    words.text = text
    formula.addprevious(run)
    parent = formula.getparent()
    parent.remove(formula)
    if parent.tag == f"{_MATH}oMathPara":
        _unwrap(parent)


def _raise_characters(body: Any) -> None:
    """Raised and lowered digits in their Unicode forms."""
    for align in list(body.iter(f"{_W}vertAlign")):
        run = align.getparent().getparent()
        table = {"superscript": RAISED, "subscript": LOWERED}.get(align.get(f"{_W}val"))
        texts = list(run.iter(f"{_W}t"))
        if table and set("".join(t.text or "" for t in texts).strip()) <= MAPPABLE:
            for text in texts:
                text.text = (text.text or "").translate(table)


def _notes(document: Any, body: Any, kind: str) -> dict[Any, Role]:
    """Puts each note after the block that names it, and its number's mark in the text."""
    notes = {note.get(f"{_W}id"): note for note in _note_part(document, kind)}
    roles: dict[Any, Role] = {}
    number = 0
    for reference in list(body.iter(f"{_W}{kind}Reference")):
        note = notes.pop(reference.get(f"{_W}id"), None)
        if note is None:
            continue
        number += 1
        mark = str(number).translate(RAISED)
        text = reference.makeelement(f"{_W}t", {})
        text.text = mark
        reference.addprevious(text)
        _drop(reference)
        blocks = _blocks(note)
        for own in list(note.iter(f"{_W}{kind}Ref")):
            _drop(own)
        if blocks:
            _begin_with(blocks[0], f"{mark} ")
        at = _top(text, body)
        while (after := at.getnext()) is not None and after in roles:
            at = after
        roles |= _moved_after(at, blocks, "footnote")
    return roles


def _note_part(document: Any, kind: str) -> list[Any]:
    for relation in document.part.rels.values():
        if relation.reltype.endswith(f"/{kind}s") and not relation.is_external:
            from docx.oxml.parser import parse_xml

            root = parse_xml(relation.target_part.blob)
            return [n for n in root.iter(f"{_W}{kind}") if n.get(f"{_W}type") in (None, "normal")]
    return []


def _begin_with(paragraph: Any, words: str) -> None:
    run = paragraph.makeelement(f"{_W}r", {})
    text = etree.SubElement(run, f"{_W}t")
    text.text = words
    properties = paragraph.find(f"{_W}pPr")
    if properties is not None:
        properties.addnext(run)
    else:
        paragraph.insert(0, run)


def _blocks(container: Any) -> list[Any]:
    return [child for child in container if child.tag in (f"{_W}p", f"{_W}tbl")]


def _top(element: Any, body: Any) -> Any:
    """The block of the body that holds the element."""
    while element.getparent() is not body:
        element = element.getparent()
    return element


def _moved_after(block: Any, moved: Sequence[Any], role: Role) -> dict[Any, Role]:
    for one in reversed(moved):
        block.addnext(one)
    return dict.fromkeys(moved, role)


def _known(document: Any, roles: dict[Any, Role]) -> Iterator[_Known]:
    """The blocks of the prepared body that say something, in order."""
    from docx.table import Table

    levels: dict[str, int | None] = {}
    for block in document.iter_inner_content():
        words = _squashed("".join(t.text or "" for t in block._element.iter(f"{_W}t")))
        moved = "hidden" if _is_hidden(block._element) else roles.get(block._element)
        if not words:
            continue
        if isinstance(block, Table):
            yield _Known(words=words, role=moved or "table", level=None, table=True)
            continue
        style = block.style
        level = None if moved else _level(block, style, levels)
        role = moved or ("heading" if level else _role(style.name or ""))
        yield _Known(words=words, role=role, level=level)


def _is_hidden(block: Any) -> bool:
    """Whether all of its characters are formatted as hidden."""
    runs = [run for run in block.iter(f"{_W}r") if any(text.text for text in run.iter(f"{_W}t"))]
    return bool(runs) and all(run.find(f"{_W}rPr/{_W}vanish") is not None for run in runs)


def _level(paragraph: Any, style: Any, levels: dict[str, int | None]) -> int | None:
    """A paragraph's heading rank: its own outline level, else that of its style or of a style that one is based on."""
    own = paragraph._element.find(f"{_W}pPr/{_W}outlineLvl")
    if own is not None:
        return _outline(own)
    if style.style_id not in levels:
        levels[style.style_id] = _style_level(style)
    return levels[style.style_id]


def _style_level(style: Any) -> int | None:
    seen = set()
    while style is not None and style.style_id not in seen:
        seen.add(style.style_id)
        if named := _HEADING.fullmatch(style.name or ""):
            return int(named.group(1))
        if (style.name or "").lower() == "title":
            return 1
        own = style.element.find(f"{_W}pPr/{_W}outlineLvl")
        if own is not None:
            return _outline(own)
        style = style.base_style
    return None


def _outline(element: Any) -> int | None:
    value = element.get(f"{_W}val") or ""
    return int(value) + 1 if value.isdecimal() and int(value) < 9 else None  # 9 is body text


def _role(style: str) -> Role:
    if style.lower() == "caption":
        return "caption"
    if _CODE.search(style):
        return "code"
    return "list" if _CONTENTS.match(style) or _LIST.match(style) else "body"


def _matched(elements: Sequence[Element], known: Sequence[_Known]) -> Iterator[Piece]:
    """Each element with what is known of its block: the next one that has its words."""
    at = 0
    for element in elements:
        words = _squashed(element.text)
        found = next((i for i in range(at, min(at + 50, len(known))) if _same(element, words, known[i])), None)
        block = known[found] if found is not None else _Known(words="", role="body", level=None)
        at = at if found is None else found + 1
        if element.category == "Table":
            head = block.role == "table" and table_has_head(element.rows)
            text = "" if element.rows else element.text
            yield Piece(rows=element.rows, text=text, role=block.role if found is not None else "table", head=head)
        else:
            role = "list" if element.category == "ListItem" and block.role == "body" else block.role
            yield Piece(text=element.text, role=role, level=block.level)


def _same(element: Element, words: str, block: _Known) -> bool:
    """An element may have a number before its block's words, or lack a bullet."""
    if (element.category == "Table") != block.table:
        return False
    return block.table or words.endswith(block.words) or (bool(words) and block.words.endswith(words))


def _squashed(text: str) -> str:
    return "".join(text.split())
