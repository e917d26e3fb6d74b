"""Whether another engine reads the quotes inside the boxes of their records: PDFium (pypdfium2), PDF by PDF.

    python bench/second_engine.py FOLDER… [--quotes 40]

Sentences, spread over each PDF, are looked up and their records' boxes read with PDFium; compared without white space, hyphens,
case and compatibility forms. What differs is printed: the two texts, and, where only the order of the characters differs, that.
"""

from __future__ import annotations

import argparse
import re
import tempfile
import unicodedata
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pypdfium2
from plain_library import plain_library

from pincite import Library
from query.claims import Claim
from query.export.job import ExportJob
from query.export.recording import records_of
from query.record import CitationRecord
from query.saved import saved_quotes


def squash(text: str) -> str:
    return re.sub(r"[\s\x02\-\u00ad\u2010-\u2015\u200b\ufeff\ufffe\uffff]+", "", unicodedata.normalize("NFKD", text)).casefold()


def read_inside(file: Path, record: CitationRecord) -> str:
    """The characters whose middles lie in the record's boxes, box by box, as PDFium has them.

    (Its own reading of a rectangle takes every character that touches it, so the descenders of the line above.) Boxes count from
    the top left of the crop box, PDFium from below.
    """
    document = pypdfium2.PdfDocument(file)
    text = ""
    for place in record.page_boxes:
        page = document[place.page - 1]
        left, _, _, top = page.get_cropbox()
        middles = list(_middles(page.get_textpage()))
        for x0, y0, x1, y1 in place.boxes:
            text += "".join(c for c, x, y in middles if left + x0 <= x <= left + x1 and top - y1 <= y <= top - y0)
    document.close()
    return text


def _middles(words: pypdfium2.PdfTextPage) -> Iterator[tuple[str, float, float]]:
    for index in range(words.count_chars()):
        x0, y0, x1, y1 = words.get_charbox(index)
        yield chr(pypdfium2.raw.FPDFText_GetUnicode(words, index)), (x0 + x1) / 2, (y0 + y1) / 2


def records(library: Library, folder: Path, quotes: int) -> Iterator[CitationRecord]:
    reader = library._reader()
    for document in library.documents():
        if document.format != "pdf":
            continue
        units = [
            (chunk, unit.span)
            for chunk in library.chunks(f"{document.root}:{document.source_document}")
            for unit in chunk.units
            if len(unit.span) >= 25 and chunk.role != "hidden"
        ]
        claims = [
            Claim(
                id="",
                quote=span.shift(-chunk.source_offset).slice(chunk.content),
                source_document=document.source_document,
                root=document.root,
                offset=span.start,
            )
            for chunk, span in units[:: max(1, len(units) // quotes)][:quotes]
        ]
        if not claims:
            continue
        places = saved_quotes(reader, claims).places
        sources = {document.document_id: folder / document.source_document}
        yield from records_of(ExportJob(reader=reader, quotes=places, sources=sources, out=folder, overwrite=False))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--quotes", type=int, default=40, help="of each PDF")
    options = parser.parse_args()
    asked: Counter[str] = Counter()
    agreed: Counter[str] = Counter()
    for folder in options.folders:
        with tempfile.TemporaryDirectory() as scratch, plain_library(Path(scratch) / "library") as library:
            library.ingest(folder)
            for record in records(library, folder, options.quotes):
                read, wanted = squash(read_inside(folder / record.source_document, record)), squash(record.quote)
                asked[record.source_document] += 1
                agreed[record.source_document] += read == wanted
                if read != wanted:
                    order = "  (only the order)" if sorted(read) == sorted(wanted) else ""
                    print(f"   {record.source_document} p. {record.page_from}{order}\n      ours {wanted}\n      read {read}")
    for name, number in asked.items():
        print(f"{name:55} {agreed[name]:4} of {number}")
    print(f"{agreed.total() / asked.total():.3f} of {asked.total()} quotes agree")


if __name__ == "__main__":
    main()
