"""Builds the PDFs of the sample documents from `sources/*.txt`: `python build.py [OUTPUT FOLDER]`.

The same PyMuPDF gives the same bytes each time: dates are fixed, no random identifiers are written. README.md describes the markup.
"""

from __future__ import annotations

import random
import re
import sys
from pathlib import Path

import pymupdf
from blocks import Typesetter
from lines import STYLES
from pages import A4, Heading

HERE = Path(__file__).parent
DATE = "D:20250616090000Z"


def save(doc: pymupdf.Document, meta: dict[str, str]) -> bytes:
    fields = {k: meta[k] for k in ("title", "author", "subject", "creator") if k in meta}
    doc.set_metadata({**fields, "producer": f"PyMuPDF {pymupdf.__version__}", "creationDate": DATE, "modDate": DATE})
    return doc.tobytes(garbage=4, deflate=True, deflate_fonts=True, use_objstms=1, no_new_id=True)


def scan(pdf: bytes) -> bytes:
    """The pages as a scanner gives them: a slightly turned grey picture with specks, and no text."""
    out = pymupdf.open()
    dice = random.Random(204)
    for page in pymupdf.open(stream=pdf):
        picture = page.get_pixmap(matrix=pymupdf.Matrix(1.6, 1.6).prerotate(0.8), colorspace=pymupdf.csGRAY)
        picture.gamma_with(0.8)
        for _ in range(900):
            x, y, shade = dice.randrange(picture.width), dice.randrange(picture.height), dice.randrange(90, 230)
            picture.set_pixel(x, y, (shade,))
        jpeg = picture.tobytes("jpg", jpg_quality=55)
        out.new_page(width=A4.width, height=A4.height).insert_image(A4, stream=jpeg, keep_proportion=False)
    return save(out, {"creator": "ScanStation 450"})


def read_source(path: Path) -> tuple[dict[str, str], list[list[str]], dict[str, str]]:
    """The head (name: value), the blocks of lines, and the footnotes by their mark."""
    head, _, body = path.read_text(encoding="utf-8").partition("\n---\n")
    meta = dict(line.split(": ", 1) for line in head.splitlines())
    blocks = [re.sub(r"\n +", " ", b).splitlines() for b in re.split(r"\n{2,}", body.strip("\n"))]
    notes = {m[1]: m[2] for b in blocks if (m := re.match(r"\^(\d+)\^ (.+)", " ".join(b)))}
    return meta, [b for b in blocks if not re.match(r"\^\d+\^ ", b[0])], notes


def typeset(path: Path) -> tuple[str, bytes]:
    """The name and the bytes of the PDF of one source."""
    meta, blocks, notes = read_source(path)
    contents: list[tuple[Heading, str]] = []
    for _ in range(2):  # the second run knows the pages for the table of contents
        setter = Typesetter(meta=meta, style=STYLES[meta["style"]], notes=notes, contents=contents)
        for block in blocks:
            setter.set_block(block)
        contents = [(h, setter.label(h.page)) for h in setter.headings]
    setter.finish()
    pdf = save(setter.doc, meta)
    return meta["file"], scan(pdf) if meta.get("scan") == "yes" else pdf


def build(folder: Path) -> list[Path]:
    """Writes every PDF below `folder`; returns what was written."""
    written = []
    for source in sorted((HERE / "sources").glob("*.txt")):
        name, pdf = typeset(source)
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(pdf)
        written.append(target)
    return written


if __name__ == "__main__":
    for path in build(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE.parent):
        print(path, path.stat().st_size)
