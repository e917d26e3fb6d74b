"""The adapter to unstructured: bytes or HTML in, `Element`s out; its errors and warnings stay here.

unstructured reports each call to its makers unless it is told not to *before* it is imported, and downloads a language model of
12 MB at the first paragraph, to guess which paragraphs are headlines. Neither happens here: `_partitioners` is the one place where
both are seen to. What it would guess we know from the formats' own styles and tags, so a spaCy pipeline that only finds
sentence ends, and comes with spaCy itself, takes the model's place: nothing to install or fetch, and twenty times as fast.
"""

from __future__ import annotations

import io
import logging
import os
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from ingest.elements.pieces import Element, Rows
from ingest.errors import EngineError

if TYPE_CHECKING:
    from spacy.language import Language

_SILENT = {"DO_NOT_TRACK": "1", "SCARF_NO_ANALYTICS": "1", "UNSTRUCTURED_DISABLE_NOTICE": "1"}
_MODEL_LOADER = "_get_nlp"
"""The private function of `unstructured.nlp.tokenize` that finds, or downloads, the language model."""

Partition = Callable[..., Sequence[Any]]


def engine_name(*others: str) -> str:
    """Engine and version as recorded with each document, with the other distributions that took part."""
    beside = ", ".join(f"{name} {version(name)}" for name in others)
    return f"unstructured {version('unstructured')}" + (f" ({beside})" if beside else "")


def docx_elements(raw: bytes) -> list[Element]:
    """Paragraphs and tables of a Word file in order, with the numbers Word gives them; its heads and feet as "Header", "Footer"."""
    return _partitioned("docx", file=io.BytesIO(raw), include_page_breaks=False)


def pptx_elements(raw: bytes) -> list[Element]:
    """Paragraphs and tables of each slide, from top to bottom."""
    return _partitioned("pptx", file=io.BytesIO(raw), include_page_breaks=False)


def html_elements(text: str) -> list[Element]:
    """The blocks of an HTML page. `number` is the `data-page-number` of the nearest element around a block that has one."""
    return _partitioned("html", text=text)


def _partitioned(kind: str, **arguments: object) -> list[Element]:
    with _quiet():
        found = _partitioners()[kind](**arguments, languages=[""])  # "" : no language detection
        return [_element(e) for e in found]


def _element(found: Any) -> Element:
    data = found.metadata
    return Element(category=str(found.category), text=str(found.text), number=data.page_number, rows=table_rows(data.text_as_html))


def table_rows(html: str | None) -> Rows:
    """The cells of unstructured's own table markup, which has no nested tables. A cell that spans columns is one cell."""
    if not html:
        return ()
    from lxml import etree

    parser = etree.HTMLParser(huge_tree=True)
    root = etree.fromstring(html, parser)
    return tuple(tuple("".join(cell.itertext()) for cell in row if cell.tag in ("td", "th")) for row in root.iter("tr"))


@cache
def _partitioners() -> Mapping[str, Partition]:
    """The functions that read each format; loads unstructured (two seconds). Raises EngineError where the loader has moved."""
    os.environ.update(_SILENT)
    from unstructured.nlp import tokenize
    from unstructured.partition.docx import partition_docx
    from unstructured.partition.html import partition_html
    from unstructured.partition.pptx import partition_pptx

    if not callable(getattr(tokenize, _MODEL_LOADER, None)):
        raise EngineError("unstructured", f"version {version('unstructured')} loads its language model in an unknown way")
    setattr(tokenize, _MODEL_LOADER, _sentence_finder)
    return {"docx": partition_docx, "pptx": partition_pptx, "html": partition_html}


@cache
def _sentence_finder() -> Language:
    import spacy

    pipeline = spacy.blank("en")
    pipeline.add_pipe("sentencizer")
    return pipeline


@contextmanager
def _quiet() -> Iterator[None]:
    """Without what the engine tells its developers: warnings, and log lines on stderr."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(before)
