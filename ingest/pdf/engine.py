"""The PyMuPDF adapter for reading: opens a file, gives pages in our words, and turns PyMuPDF's errors into ours.

The flags are pinned: the character stream of a page (every character of `dict`, in its order) must be the same at ingest and at
export. Ligatures are expanded, white space of every kind is a space, glyphs without Unicode are U+FFFD, nothing is clipped.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeAlias

import pymupdf
from msgspec.structs import replace

from ingest.errors import EncryptedSource, OwnExport, SourceMissing, UnreadableSource
from ingest.models import Box
from ingest.pdf.bidi import is_right_to_left, logical_order, may_be_right_to_left
from ingest.pdf.figures import names_figure
from ingest.pdf.labels import LabelRule, printed_labels
from ingest.pdf.lines import CharDict, SpanDict, line_of
from ingest.pdf.page import ACCENTS, Line, OutlineEntry, PageText
from ingest.pdf.scripts import parted, pieces_inside
from ingest.pdf.spacing import may_be_spaced, with_close_letters
from ingest.pdf.words import may_be_unread, unread

FLAGS = 0
"""MuPDF's structured-text flags: none (no ligatures kept, no images, no clipping, no CIDs in place of unknown characters)."""

OWN_EXPORT_KEY = "PieceInfo/pincite"
"""Where the catalog of an annotated copy says that pincite wrote it (page-piece dictionaries: ISO 32000-1, 14.5)."""

MAX_CHARACTERS = 200_000
"""More characters than this on one page is no document but an attack on the reader; the page is left out and named."""

Document = pymupdf.Document
Page: TypeAlias = pymupdf.Page
PAGE_ERRORS = (pymupdf.mupdf.FzErrorBase, RuntimeError, ValueError, MemoryError)
"""What reading one bad page may raise."""

_CUT_OFF = ("cannot load content stream", "premature end of data", "encountered syntax errors")
"""MuPDF's warnings that part of a page's content was not there to be read."""
_ANY_ACCENT = re.compile(f"[{''.join(ACCENTS)}](?=[^\\W\\d_])")
_ACCENT = re.compile(f"[{''.join(ACCENTS).replace('`', '')}](?=[^\\W\\d_])")
_TEX = ("CM", "SF", "LM")
"""Fonts whose grave accent is a back quote."""

pymupdf.TOOLS.mupdf_display_errors(False)
pymupdf.TOOLS.mupdf_display_warnings(False)


def version() -> str:
    """Engine and version, as recorded with each document."""
    return f"PyMuPDF {pymupdf.VersionBind} (MuPDF {pymupdf.VersionFitz})"


@contextmanager
def open_pdf(path: Path, shown: str, *, passwords: Sequence[str] = (), own_exports: bool = False) -> Iterator[pymupdf.Document]:
    """An open document. `shown` is the path as the user knows it; `passwords` are tried in their order where the file asks for one.

    Raises SourceMissing, UnreadableSource (damaged, no pages), EncryptedSource, and OwnExport unless `own_exports` are welcome.
    """
    with translated(shown):
        document = pymupdf.open(path, filetype="pdf")
    try:
        with translated(shown):
            _admit(document, shown, passwords, own_exports=own_exports)
        yield document
    finally:
        document.close()


def _admit(document: pymupdf.Document, shown: str, passwords: Sequence[str], *, own_exports: bool) -> None:
    """Raises what `open_pdf` does for a file that can be opened, but not read."""
    # `authenticate` says whether it worked; asking `needs_pass` again after it would lose the key.
    if document.needs_pass and not any(map(document.authenticate, passwords)):
        reason = "no password that was given opens it" if passwords else "needs a password to be opened"
        raise EncryptedSource(shown, reason, next_step="Give it with --password or --password-file.")
    if document.xref_get_key(document.pdf_catalog(), OWN_EXPORT_KEY)[0] == "dict" and not own_exports:
        raise OwnExport(shown, "an annotated copy that pincite wrote")
    if document.page_count == 0:
        raise UnreadableSource(shown, "damaged PDF: no pages could be read", next_step="Try to repair it: qpdf IN OUT")


@contextmanager
def translated(shown: str) -> Iterator[None]:
    """Turns PyMuPDF's errors into ours."""
    try:
        yield
    except pymupdf.FileNotFoundError as error:
        raise SourceMissing(shown, "no such file") from error
    except (pymupdf.FileDataError, pymupdf.EmptyFileError) as error:
        raise UnreadableSource(shown, f"damaged PDF, cannot be opened ({_reason(error)})") from error
    except (pymupdf.mupdf.FzErrorBase, RuntimeError, ValueError, AssertionError) as error:
        raise UnreadableSource(shown, f"damaged PDF ({_reason(error)})") from error


def _reason(error: Exception) -> str:
    return " ".join(str(error).split())[:120]


def outline(document: pymupdf.Document) -> list[OutlineEntry]:
    """The document's bookmarks in order; empty where they are damaged."""
    try:
        return [OutlineEntry(max(1, level), " ".join(title.split()), max(0, page)) for level, title, page in document.get_toc()]
    except (pymupdf.mupdf.FzErrorBase, RuntimeError, ValueError, TypeError):
        return []


def metadata(document: pymupdf.Document) -> tuple[tuple[str, str], ...]:
    """Title, author, subject, keywords and dates, as far as they say something."""
    found = document.metadata or {}
    names = ("title", "author", "subject", "keywords", "creationDate", "modDate")
    return tuple((name, " ".join(str(found[name]).split())) for name in names if str(found.get(name) or "").strip())


def page_labels(document: pymupdf.Document) -> list[str | None]:
    """The printed label of each page, None where there is none or the file's own rules are damaged."""
    try:
        rules = [
            LabelRule(rule["startpage"], rule.get("prefix") or "", rule.get("style") or "", rule.get("firstpagenum") or 1)
            for rule in document.get_page_labels()
        ]
    except (pymupdf.mupdf.FzErrorBase, RuntimeError, ValueError, TypeError, KeyError):
        rules = []
    return printed_labels(rules, document.page_count)


def links(page: Page) -> list[str]:
    """Where the links of a page lead out of the file: web addresses, and paths of other files, as written.

    MuPDF's own list is walked: `Page.get_links` looks up each link's object again, at ten times the cost.
    """
    found = []
    link = pymupdf.mupdf.fz_load_links(page.this)
    while link.m_internal:
        uri = link.m_internal.uri or ""
        if uri and not uri.startswith("#"):
            found.append(uri.removeprefix("file:").removeprefix("//") if uri.startswith("file:") else uri)
        link = link.next()
    return found


def fingerprint(stream: str) -> str:
    """SHA-256 of a page's character stream."""
    return hashlib.sha256(stream.encode("utf-8", "surrogatepass")).hexdigest()


def read_page(page: Page, label: str | None = None) -> PageText:
    """One extraction of a page's text. Raises ValueError for a page with more than MAX_CHARACTERS."""
    pymupdf.TOOLS.reset_mupdf_warnings()
    text_page = page.get_textpage(flags=FLAGS)
    extracted = text_page.extractDICT()
    warnings = pymupdf.TOOLS.mupdf_warnings()
    cut = any(sign in warnings for sign in _CUT_OFF) and page.parent.is_repaired
    lines: list[Line] = []
    at = 0
    for block in extracted["blocks"]:
        for line in block.get("lines", ()):
            made = line_of(line, at)
            if made.text:
                lines.append(made)
                at += len(made.text)
        if at > MAX_CHARACTERS:
            raise ValueError(f"more than {MAX_CHARACTERS} characters on one page")
    look = not lines or any(not line.painted or line.color == 0xFFFFFF or names_figure(line) for line in lines)
    log = _painted(page, with_text=not lines) if look else []
    stream = "".join(line.text for line in lines)
    if may_be_unread(stream):
        lines = [replace(line, left_out=out) if (out := unread(line.text, line.mono)) else line for line in lines]
    lines = _looked_at_closely(text_page, lines, stream)
    return PageText(
        number=page.number + 1,
        label=label,
        width=extracted["width"],
        height=extracted["height"],
        rotation=page.rotation,
        stream=stream,
        lines=tuple(lines),
        fills=tuple(
            (box[0], box[1], box[2], box[3]) for kind, box in log if kind.startswith(("fill-path", "fill-image", "fill-shade"))
        ),
        has_image=any("image" in kind for kind, _ in log),
        paths=tuple((box[0], box[1], box[2], box[3]) for kind, box in log if "text" not in kind and "clip" not in kind),
        drawn=bool(lines) or any(kind != "ignore-text" for kind, _ in log),
        cut=cut,
    )


def _painted(page: Page, *, with_text: bool) -> list[tuple[str, Box]]:
    """What was painted, in order, as (kind, box): `Page.get_bboxlog`, which spends most of its time on text."""
    if with_text or page.rotation:
        return list(page.get_bboxlog())
    log: list[tuple[str, Box]] = []
    device = pymupdf.JM_new_bbox_device(log, False)
    for text in (device.use_virtual_fill_text, device.use_virtual_stroke_text, device.use_virtual_ignore_text):
        text(False)
    pymupdf.mupdf.fz_run_page(page.this, device, pymupdf.mupdf.FzMatrix(), pymupdf.mupdf.FzCookie())
    pymupdf.mupdf.fz_close_device(device)
    return log


def _looked_at_closely(text_page: pymupdf.TextPage, lines: list[Line], stream: str) -> list[Line]:
    """Lines for which the place of each character counts: accents over letters, right-to-left script, letter spacing, exponents."""
    split = pieces_inside(lines)
    accented = not stream.isascii() and bool(_ACCENT.search(stream))
    accented = accented or ("`" in stream and any(line.font.startswith(_TEX) for line in lines))
    spaced = may_be_spaced(stream, lines)
    right = may_be_right_to_left(stream)
    turned = [right and is_right_to_left(line.text) for line in lines]
    if not accented and not split and not spaced and not any(turned):
        return lines
    chars = [char for _, _, char in characters(text_page)]
    boxes = [char["bbox"] for char in chars]
    if split:
        lines = [part for line in lines for part in _parted(line, split.get(line.source_offset, ()), boxes)]
        turned = [right and is_right_to_left(line.text) for line in lines]
    lines = with_close_letters(lines, chars) if spaced else lines
    accents = _drawn_over(boxes, stream) if accented else frozenset()
    out = []
    for line, right_to_left in zip(lines, turned, strict=True):
        places = range(line.source_offset, line.source_offset + len(line.text))
        over = frozenset(i - line.source_offset for i in accents & set(places)) if accents else frozenset()
        order = logical_order(line.text, [(boxes[i][0] + boxes[i][2]) / 2 for i in places]) if right_to_left else ()
        out.append(replace(line, accents=over, order=order))
    return out


def _parted(line: Line, scripts: Sequence[Line], boxes: Sequence[Box]) -> list[Line]:
    return parted(line, scripts, boxes[line.source_offset : line.source_offset + len(line.text)]) if scripts else [line]


def _drawn_over(boxes: Sequence[Box], stream: str) -> frozenset[int]:
    """Accents whose middle lies over the letter that follows; an apostrophe stands before it."""
    found = set()
    for m in _ANY_ACCENT.finditer(stream):
        (ax0, ay0, ax1, ay1), (x0, y0, x1, y1) = boxes[m.start()], boxes[m.start() + 1]
        if x0 < (ax0 + ax1) / 2 < x1 and ay0 < y1 and y0 < ay1:
            found.add(m.start())
    return frozenset(found)


def characters(text_page: pymupdf.TextPage) -> Iterator[tuple[tuple[float, float], SpanDict, CharDict]]:
    """Each character with the direction of its line and its span."""
    for block in text_page.extractRAWDICT()["blocks"]:
        for line in block.get("lines", ()):
            for span in line["spans"]:
                for char in span["chars"]:
                    yield line["dir"], span, char
