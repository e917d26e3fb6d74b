"""A PDF to its canonical text, maps and blocks. The order of the steps is read here; each step has a module of its own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ingest.collecting import without_cycle_search
from ingest.models import Exclusion, Flow, Notice, Page, ParsedDocument, Role
from ingest.pdf import engine
from ingest.pdf.assemble import assemble
from ingest.pdf.blocks import TextBlock, text_blocks
from ingest.pdf.figures import figure_areas, words_in
from ingest.pdf.footnotes import footnotes
from ingest.pdf.furniture import furniture, line_numbers
from ingest.pdf.headings import Levels, body_size, find_headings, is_caption, split_at_outline
from ingest.pdf.initials import with_initials
from ingest.pdf.layout import Row, reading_order, rows_of
from ingest.pdf.links import LinkTargets
from ingest.pdf.margins import side_notes
from ingest.pdf.page import Line, OutlineEntry, PageText
from ingest.pdf.running import Part, run_on
from ingest.pdf.scans import with_even_sizes
from ingest.pdf.scripts import with_scripts
from ingest.pdf.spacing import SPACING
from ingest.pdf.typewriter import with_common_type
from ingest.pdf.visible import sort_lines
from ingest.pdf.words import words_of
from ingest.reading import merge_silent, zero_width


@dataclass(frozen=True, slots=True, kw_only=True)
class _ReadPage:
    """A page after its lines were told apart: those of its text, those in another direction, those that stand apart
    (side notes, words in figures), those nobody sees."""

    page: PageText
    upright: tuple[Line, ...]
    turned: tuple[Line, ...]
    apart: tuple[Line, ...]
    hidden: tuple[Line, ...]
    exclusions: tuple[Exclusion, ...]
    ocr: bool


@without_cycle_search()
def parse_pdf(path: Path, *, shown: str, passwords: Sequence[str] = ()) -> ParsedDocument:
    """Reads a PDF. `shown` is the path as the user knows it; errors and warnings name pages from 1.

    Raises UnreadableSource, EncryptedSource or SourceMissing.
    """
    with engine.open_pdf(path, shown, passwords=passwords) as document:
        repaired = bool(document.is_repaired)
        entries = engine.outline(document)
        properties = engine.metadata(document)
        targets = LinkTargets()
        pages, lost = _read_pages(document, engine.page_labels(document), targets)
    read = [_told_apart(page) for page in with_common_type(pages)]
    read = [replace(p, upright=tuple(lines)) for p, lines in zip(read, with_initials([p.upright for p in read]), strict=True)]
    blocks, exclusions = _page_blocks(read)
    blocks, levels = _with_headings(blocks, entries)
    pieces = run_on(_parts(blocks, levels, read), [p.page.number for p in read])
    builder, made = assemble(pieces, words_of(p.upright for p in read))
    text = "".join(builder.parts)
    records = tuple(
        Page(
            number=p.page.number,
            label=p.page.label,
            width=p.page.width,
            height=p.page.height,
            rotation=p.page.rotation,
            fingerprint=engine.fingerprint(p.page.stream),
            runs=tuple(builder.runs.get(p.page.number, ())),
            exclusions=(*p.exclusions, *exclusions[p.page.number]),
        )
        for p in read
    )
    return ParsedDocument(
        text=text,
        format="pdf",
        blocks=made,
        parser=engine.version(),
        title=dict(properties).get("title"),
        silent=merge_silent(zero_width(text)),
        page_map=builder.page_map(),
        pages=records,
        warnings=_notices(read, lost, repaired, bool(text)),
        cautions=(*(("repaired_file",) if repaired else ()), *(("ocr",) if any(p.ocr for p in read) else ())),
        properties=properties,
        targets=targets.all(),
    )


def _read_pages(document: engine.Document, labels: Sequence[str | None], targets: LinkTargets) -> tuple[list[PageText], list[int]]:
    """The pages, and the numbers of those that could not be read (they are kept, empty); their links go to `targets`."""
    pages, lost = [], []
    for number, label in enumerate(labels, start=1):
        try:
            page = document.load_page(number - 1)
            targets.take(page)
            pages.append(engine.read_page(page, label))
        except engine.PAGE_ERRORS:
            lost.append(number)
            pages.append(PageText(number, label, 0.0, 0.0, 0, "", (), (), (), has_image=False, drawn=False))
    return pages, lost


def _told_apart(page: PageText) -> _ReadPage:
    """Lines that are read, lines in another direction, lines nobody sees, and what can't be in the text at all."""
    seen, hidden, doubled, ocr = sort_lines(page)
    seen = with_even_sizes(seen) if ocr else seen
    direction = _main_direction(seen)
    upright = with_scripts([line for line in seen if line.direction == direction and not line.text.isspace()])
    areas = figure_areas(page.paths, upright, page.width, page.height) if page.rotation == 0 else []
    words = words_in(areas, upright)
    apart = [*words, *side_notes(_without(upright, words))]
    exclusions = [_excluded(page.number, line, line.text, line.source_offset, "overprint") for line in doubled]
    for line in (*seen, *hidden):
        if line.left_out:
            exclusions += _unread_runs(page.number, line)
    return _ReadPage(
        page=page,
        upright=tuple(_without(upright, apart)),
        turned=tuple(line for line in seen if line.direction != direction and not line.text.isspace()),
        apart=tuple(apart),
        hidden=tuple(hidden),
        exclusions=tuple(exclusions),
        ocr=ocr,
    )


def _main_direction(lines: Sequence[Line]) -> tuple[float, float]:
    """That of most of the characters."""
    if len({line.direction for line in lines}) == 1:
        return lines[0].direction
    counts = Counter[tuple[float, float]]()
    for line in lines:
        counts[line.direction] += len(line.text)
    return counts.most_common(1)[0][0] if counts else (1.0, 0.0)


def _without(lines: Sequence[Line], others: Sequence[Line]) -> Sequence[Line]:
    taken = {line.source_offset for line in others}
    return [line for line in lines if line.source_offset not in taken] if taken else lines


def _unread_runs(page: int, line: Line) -> list[Exclusion]:
    return [
        _excluded(page, line, line.text[x.start : x.end], line.source_offset + x.start, x.reason)
        for x in line.left_out
        if x.reason != SPACING
    ]


def _excluded(page: int, line: Line, text: str, offset: int, reason: str) -> Exclusion:
    return Exclusion(page=page, source_offset=offset, length=len(text), text=text, reason=reason, box=line.box)


def _page_blocks(read: Sequence[_ReadPage]) -> tuple[list[TextBlock], dict[int, list[Exclusion]]]:
    """The blocks of all pages without their furniture, and the furniture as exclusions by page."""
    rows = [rows_of(p.upright) for p in read]
    counted = [line_numbers(r) for r in rows]
    for n, numbers in enumerate(counted):
        if numbers:
            rows[n] = rows_of([line for line in read[n].upright if line not in numbers])
    edges = furniture([(r, _reading_height(p)) for r, p in zip(rows, read, strict=True)])
    blocks: list[TextBlock] = []
    exclusions: dict[int, list[Exclusion]] = {}
    for p, page_rows, edge, numbers in zip(read, rows, edges, counted, strict=True):
        number = p.page.number
        exclusions[number] = [
            _excluded(number, cell, cell.text, cell.source_offset, why) for i, why in edge.items() for cell in page_rows[i].cells
        ]
        exclusions[number] += [_excluded(number, line, line.text, line.source_offset, "line number") for line in numbers]
        kept = [row for i, row in enumerate(page_rows) if i not in edge]
        blocks += text_blocks(reading_order(kept), number)
    return blocks, exclusions


def _reading_height(p: _ReadPage) -> float:
    """The page's height as its text sees it, measured from where its y counts."""
    if not p.upright or p.upright[0].direction == (1.0, 0.0):
        return p.page.height
    return max(line.y1 for line in p.upright)


def _with_headings(blocks: Sequence[TextBlock], entries: Sequence[OutlineEntry]) -> tuple[list[TextBlock], Levels]:
    """From the outline where its words stand on the pages, else by evidence."""
    if entries:
        split, levels = split_at_outline(blocks, entries)
        if 2 * len(levels) >= len(entries):
            return split, levels
    return list(blocks), find_headings(blocks)


def _parts(blocks: Sequence[TextBlock], levels: Levels, read: Sequence[_ReadPage]) -> list[Part]:
    """Each block with its role; turned and hidden text after the page's own."""
    size = body_size(blocks)
    notes = footnotes(blocks, size)
    at: dict[int, list[Part]] = {p.page.number: [] for p in read}
    for i, block in enumerate(blocks):
        at[block.page].append(Part(block=block, role=_role(block, i in levels, i in notes), level=levels.get(i)))
    for p in read:
        at[p.page.number] += _others((*p.apart, *p.turned), p.page.number, "aside", "aside")
        at[p.page.number] += _others(p.hidden, p.page.number, "hidden", "hidden")
    return [part for parts in at.values() for part in parts]


def _others(lines: Sequence[Line], page: int, role: Role, flow: Flow) -> list[Part]:
    directions = sorted({line.direction for line in lines})
    rows: list[Row] = []
    parts = []
    for direction in directions:
        rows = rows_of([line for line in lines if line.direction == direction])
        parts += [Part(block=block, role=role, flow=flow) for block in text_blocks(rows, page)]
    return parts


def _role(block: TextBlock, heading: bool, note: bool) -> Role:
    if heading:
        return "heading"
    if block.shape == "table":
        return "table"
    if is_caption(block):
        return "caption"
    if block.shape == "code":
        return "code"
    if note:
        return "footnote"
    return "list" if block.shape in ("item", "contents") else "body"


def _notices(read: Sequence[_ReadPage], lost: Sequence[int], repaired: bool, has_text: bool) -> tuple[Notice, ...]:
    """What is wrong with the file, in words. Blank pages are nothing to say."""
    notices = []
    silent = [p for p in read if not p.page.stream.strip() and p.page.drawn]
    if silent:
        pages = tuple(p.page.number for p in silent)
        where = "" if has_text else "no text layer at all: "
        notices.append(Notice(reason=f"{where}no text on {_named(pages)}; run: ocrmypdf IN OUT", pages=pages))
    garbled = tuple(p.page.number for p in read if _mostly_unreadable(p))
    if garbled:
        reason = f"no readable text on {_named(garbled)} (the font has no Unicode map); run: ocrmypdf --force-ocr IN OUT"
        notices.append(Notice(reason=reason, pages=garbled))
    if repaired:
        notices.append(_of_repair(read, lost))
    elif lost:
        notices.append(Notice(reason=f"{_named(lost)} could not be read", pages=tuple(lost)))
    return tuple(notices)


def _of_repair(read: Sequence[_ReadPage], lost: Sequence[int]) -> Notice:
    """A repaired file, with the pages of which nothing, or not all, could be read."""
    gone = sorted({*lost, *(p.page.number for p in read if not p.page.drawn and not p.page.stream)})
    cut = [p.page.number for p in read if p.page.cut and p.page.number not in gone]
    tail = f"; nothing could be read of {_named(gone)}" if gone else ""
    tail += f"; not all could be read of {_named(cut)}" if cut else ""
    return Notice(reason=f"damaged PDF, repaired while reading{tail}", pages=tuple(sorted({*gone, *cut})))


def _mostly_unreadable(p: _ReadPage) -> bool:
    lost = sum(e.length for e in p.exclusions if e.reason == "no unicode")
    return lost > 0.5 * len(p.page.stream.strip())


def _named(pages: Sequence[int]) -> str:
    """Page 3; pages 1–4, 7."""
    runs: list[list[int]] = []
    for page in pages:
        if runs and page == runs[-1][1] + 1:
            runs[-1][1] = page
        else:
            runs.append([page, page])
    names = ", ".join(str(a) if a == b else f"{a}–{b}" for a, b in runs)
    return f"page {names}" if len(pages) == 1 else f"pages {names}"
