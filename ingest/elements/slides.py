"""PPTX to pieces: slides are pages, a slide's title is its heading, speaker's notes are asides at its end.

unstructured gives the paragraphs and tables of each slide from top to bottom, but not which shape they came from; the shapes are
looked at with python-pptx, and met again by their words. A title holds for its own slide alone.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from lxml import etree

from ingest.elements import engine
from ingest.elements.containers import checked_zip, damaged, no_entities
from ingest.elements.office_properties import core_properties
from ingest.elements.pieces import Content, Element, Piece, table_has_head


@dataclass(frozen=True, slots=True, kw_only=True)
class _Slide:
    """What the shapes of a slide say. `title`, `items` (of lists): without white space. `unseen`: text beside the slide."""

    number: int
    title: str
    items: frozenset[str]
    notes: tuple[str, ...]
    unseen: tuple[str, ...]


def parse_pptx(raw: bytes, shown: str) -> Content:
    """The content of a presentation. Raises SourceError (damaged, encrypted, another format)."""
    with checked_zip(raw, "pptx", shown) as archive:
        no_entities(archive, shown)
    import pptx

    try:
        presentation = pptx.Presentation(io.BytesIO(raw))
        title, properties = core_properties(presentation.core_properties)
        slides = [_slide(n, slide, presentation) for n, slide in enumerate(presentation.slides, start=1)]
        prepared = io.BytesIO()
        presentation.save(prepared)
        elements = engine.pptx_elements(prepared.getvalue())
    except (KeyError, ValueError, AttributeError, IndexError, TypeError, etree.LxmlError, zipfile.BadZipFile, EOFError) as error:
        raise damaged(shown, "pptx", error) from error
    by_slide: dict[int, list[Element]] = {}
    for element in elements:
        by_slide.setdefault(element.number or 1, []).append(element)
    return Content(
        pieces=tuple(piece for slide in slides for piece in _pieces(slide, by_slide.get(slide.number, ()))),
        parser=engine.engine_name("python-pptx"),
        title=title,
        properties=properties,
        labels=(None,) * len(slides),
    )


def _slide(number: int, slide: Any, presentation: Any) -> _Slide:
    title = slide.shapes.title
    title_id = title.shape_id if title is not None and title.has_text_frame else None
    items: set[str] = set()
    unseen: list[str] = []
    for shape in list(_shapes(slide.shapes)):
        if not shape.has_text_frame:
            continue
        texts = [p.text for p in shape.text_frame.paragraphs if p.text.strip()]
        if _beside(shape, presentation):
            unseen += texts
            shape.text_frame.clear()
        else:
            _onto_the_slide(shape)
            if shape.is_placeholder and shape.shape_id != title_id and len(texts) > 1:
                items.update(map(_squashed, texts))
    notes = slide.notes_slide.notes_text_frame if slide.has_notes_slide else None
    return _Slide(
        number=number,
        title=_squashed(title.text_frame.text) if title_id is not None else "",
        items=frozenset(items),
        notes=tuple(p.text for p in notes.paragraphs if p.text.strip()) if notes is not None else (),
        unseen=tuple(unseen),
    )


def _shapes(shapes: Any) -> Iterator[Any]:
    """All shapes, those of groups too, without recursion."""
    stack = list(shapes)[::-1]
    while stack:
        shape = stack.pop()
        if hasattr(shape, "shapes"):
            stack += list(shape.shapes)[::-1]
        else:
            yield shape


def _beside(shape: Any, presentation: Any) -> bool:
    """Whether no part of the shape is on the slide."""
    left, top, width, height = (shape.left or 0, shape.top or 0, shape.width or 0, shape.height or 0)
    return bool(left + width < 0 or top + height < 0 or left > presentation.slide_width or top > presentation.slide_height)


def _onto_the_slide(shape: Any) -> None:
    """A shape that begins beyond the edge is seen, but unstructured would leave it out."""
    if (shape.left or 0) < 0:
        shape.left = 0
    if (shape.top or 0) < 0:
        shape.top = 0


def _pieces(slide: _Slide, elements: Sequence[Element]) -> Iterator[Piece]:
    """The title, then the rest in order, then notes and what nobody sees."""
    page = scope = slide.number
    title, rest = _parted(elements, slide.title)
    if title:
        yield Piece(text=title, role="heading", level=1, page=page, scope=scope)
    for element in rest:
        if element.category == "Table":
            yield Piece(
                rows=element.rows, text=element.text, role="table", page=page, scope=scope, head=table_has_head(element.rows)
            )
        else:
            listed = element.category == "ListItem" or _squashed(element.text) in slide.items
            yield Piece(text=element.text, role="list" if listed else "body", page=page, scope=scope)
    for text in slide.notes:
        yield Piece(text=text, role="aside", page=page, scope=scope)
    for text in slide.unseen:
        yield Piece(text=text, role="hidden", page=page, scope=scope)


def _parted(elements: Sequence[Element], title: str) -> tuple[str, list[Element]]:
    """The title, which may be several elements in a row, and the others."""
    for start in range(len(elements)):
        words = ""
        for end in range(start, len(elements)):
            words += _squashed(elements[end].text)
            if not title.startswith(words):
                break
            if words == title:
                text = " ".join(e.text for e in elements[start : end + 1])
                return text, [*elements[:start], *elements[end + 1 :]]
    return "", list(elements)


def _squashed(text: str) -> str:
    return "".join(text.split())
