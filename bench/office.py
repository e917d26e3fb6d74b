"""KB of canonical text per CPU-second of reading office files, each format apart, the first call of a process apart.

python bench/office.py

The files are made here: the same 40 sections of headings, paragraphs, list items and a table in each format. The first call loads
the engines; it is measured in a process of its own.
"""

from __future__ import annotations

import csv
import io
import random
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from email.message import EmailMessage
from pathlib import Path
from time import process_time

import docx
import openpyxl
import pptx

from ingest.formats import read_source
from ingest.models import SourceFile

SECTIONS = 40
WORDS = "the harbour office shall keep each pump and gate in good order until a notice of three months has ended".split()
FIRST = """
import sys
from pathlib import Path
from time import process_time
from ingest.formats import read_source
from ingest.models import SourceFile
file = Path(sys.argv[1])
start = process_time()
read_source(SourceFile(file=file, root="", path=file.name, size=0, mtime_ns=0))
print(process_time() - start)
"""


def sections() -> Iterator[tuple[str, list[str], list[str], list[list[str]]]]:
    """Title, paragraphs, list items, rows."""
    dice = random.Random(8)
    for n in range(1, SECTIONS + 1):
        paragraphs = [" ".join(dice.choices(WORDS, k=90)).capitalize() + "." for _ in range(4)]
        items = [" ".join(dice.choices(WORDS, k=8)) for _ in range(5)]
        rows = [["Item", "Sum", "Note"]] + [[f"{n}.{r}", str(dice.randrange(10_000)), dice.choice(WORDS)] for r in range(8)]
        yield f"{n} About {dice.choice(WORDS)}", paragraphs, items, rows


def word() -> bytes:
    document = docx.Document()
    for title, paragraphs, items, rows in sections():
        document.add_heading(title, 1)
        for text in paragraphs:
            document.add_paragraph(text)
        for text in items:
            document.add_paragraph(text, style="List Bullet")
        table = document.add_table(len(rows), 3)
        for cells, row in zip(table.rows, rows, strict=True):
            for cell, text in zip(cells.cells, row, strict=True):
                cell.text = text
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def slides() -> bytes:
    presentation = pptx.Presentation()
    for title, paragraphs, items, _ in sections():
        slide = presentation.slides.add_slide(presentation.slide_layouts[1])
        slide.shapes.title.text = title
        slide.placeholders[1].text = "\n".join(paragraphs + items)
    out = io.BytesIO()
    presentation.save(out)
    return out.getvalue()


def workbook() -> bytes:
    book = openpyxl.Workbook()
    for title, _, _, rows in sections():
        sheet = book.create_sheet(title[:30])
        for row in rows * 12:
            sheet.append(row)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def table() -> bytes:
    out = io.StringIO()
    csv.writer(out).writerows(row for _, _, _, rows in sections() for row in rows * 12)
    return out.getvalue().encode()


def html_body() -> str:
    parts = []
    for title, paragraphs, items, rows in sections():
        parts.append(f"<h2>{title}</h2>" + "".join(f"<p>{text}</p>" for text in paragraphs))
        parts.append("<ul>" + "".join(f"<li>{text}</li>" for text in items) + "</ul>")
        parts.append("<table>" + "".join("<tr>" + "".join(f"<td>{c}</td>" for c in row) + "</tr>" for row in rows) + "</table>")
    return "".join(parts)


def page() -> bytes:
    return f"<html><body>{html_body()}</body></html>".encode()


def mail() -> bytes:
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = "a@example.com", "b@example.com", "Harbour"
    message.set_content("See the other part.")
    message.add_alternative(f"<html><body>{html_body()}</body></html>", subtype="html")
    return message.as_bytes()


def book() -> bytes:
    package = (
        '<package xmlns="http://www.idpf.org/2007/opf"><manifest><item id="a" href="a.xhtml" media-type="application/xhtml+xml"/>'
        '</manifest><spine><itemref idref="a"/></spine></package>'
    )
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", "application/epub+zip")
        archive.writestr("META-INF/container.xml", '<c><rootfile full-path="book.opf"/></c>')
        archive.writestr("book.opf", package)
        archive.writestr("a.xhtml", f'<html xmlns="http://www.w3.org/1999/xhtml"><body>{html_body()}</body></html>')
    return out.getvalue()


def rtf() -> bytes:
    lines = [
        f"\\pard\\outlinelevel0 {t}\\par " + "".join(f"\\pard {p}\\par " for p in [*ps, *items]) for t, ps, items, _ in sections()
    ]
    return ("{\\rtf1\\ansi " + "".join(lines) + "}").encode()


def rst() -> bytes:
    parts = []
    for title, paragraphs, items, _ in sections():
        parts += [f"{title}\n{'=' * len(title)}", *paragraphs, "\n".join(f"- {item}" for item in items)]
    return "\n\n".join(parts).encode()


FILES = {
    "a.docx": word,
    "a.pptx": slides,
    "a.xlsx": workbook,
    "a.csv": table,
    "a.html": page,
    "a.eml": mail,
    "a.epub": book,
    "a.rtf": rtf,
    "a.rst": rst,
}


def main() -> None:
    print("| format | file KB | text KB | first call, CPU s | later calls, CPU s | KB of text per CPU-second |")
    print("|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for name, make in FILES.items():
            file = Path(folder) / name
            file.write_bytes(make())
            print(measured(file), flush=True)


def measured(file: Path) -> str:
    first = subprocess.run([sys.executable, "-c", FIRST, str(file)], capture_output=True, text=True, check=True).stdout
    source = SourceFile(file=file, root="", path=file.name, size=0, mtime_ns=0)
    text = read_source(source).document.text
    times = []
    for _ in range(3):
        start = process_time()
        read_source(source)
        times.append(process_time() - start)
    size, best = len(text.encode()) / 1024, min(times)
    sizes = f"{file.stat().st_size / 1024:.0f} | {size:.0f}"
    return f"| {file.suffix[1:]} | {sizes} | {float(first):.1f} | {best:.2f} | {size / best:,.0f} |"


if __name__ == "__main__":
    main()
