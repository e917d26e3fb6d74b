"""Builds the Word and PowerPoint files of the sample documents: `python office.py [OUTPUT FOLDER]`.

The same python-docx and python-pptx give the same bytes each time: dates are fixed, and the archives are packed anew in the order
of their names.
"""

from __future__ import annotations

import io
import sys
import zipfile
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

import docx
import pptx
from docx.shared import Pt
from pptx.util import Cm

HERE = Path(__file__).parent
WRITTEN = datetime(2025, 7, 1, 9, 0)

AVAILABILITY = [
    ("Pump", "Hours lost", "Planned hours", "Availability"),
    ("PX-201", "13", "36", "99.4%"),
    ("PX-202", "24", "36", "98.9%"),
    ("PX-203", "52", "12", "97.6%"),
    ("PX-204", "151", "48", "93.1%"),
    ("PX-205", "20", "36", "99.1%"),
    ("PX-206", "26", "12", "98.8%"),
    ("Average", "", "", "97.8%"),
]
FAILURES = [
    ("Date", "Asset", "Failure", "Response time"),
    ("9 April 2025", "PX-203", "Mechanical seal leaked barrier fluid", "3 h 40 min"),
    ("21 May 2025", "PX-204", "Trip on high vibration after refit; coupling out of line", "1 h 12 min"),
    ("17 June 2025", "TG-2", "Tide gauge sent no data for 31 hours", "one Business Day"),
]


def report() -> bytes:
    """The quarterly report that clause 3.4 of the agreement asks for."""
    d = docx.Document()
    d.styles["Normal"].font.name = "Calibri"
    d.styles["Normal"].font.size = Pt(11)
    about = d.core_properties
    about.title, about.author, about.subject = "Service Report, Second Quarter 2025", "Ines Carvalho", "MSA-2024-11"
    about.created = about.modified = WRITTEN
    about.comments = ""
    d.sections[0].header.paragraphs[0].text = "Lindqvist Marine Controls Ltd – MSA-2024-11"
    d.sections[0].footer.paragraphs[0].text = "For the Representatives only"
    d.add_paragraph("Service Report, Second Quarter 2025", style="Title")
    d.add_paragraph("To the Harrowmouth Harbour Authority, under clause 3.4 of the Master Services Agreement. Sent on 1 July 2025.")
    d.add_heading("1 Summary", 1)
    d.add_paragraph(
        "The six impounding pumps were available for 97.8% of the quarter on average, against the agreed 97.0%. No service credit "
        "is due. There were three failures, none of them critical, and every response time was kept."
    )
    d.add_heading("2 Availability", 1)
    d.add_heading("2.1 By pump", 2)
    _table(d, AVAILABILITY)
    d.add_paragraph("Table 1: availability from 1 April to 30 June 2025, of 2,184 hours", style="Caption")
    d.add_heading("2.2 Why PX-204 is below the others", 2)
    d.add_paragraph(
        "PX-204 was out of service for 151 hours in May. After the new bearing had been fitted, the pump tripped on high "
        "vibration, and the coupling turned out to be 0.4 mm out of line. The shaft was aligned with a laser and the pump has run "
        "below 2.1 mm/s since 27 May."
    )
    d.add_heading("3 Failures", 1)
    _table(d, FAILURES)
    d.add_paragraph("Table 2: failures reported in the quarter", style="Caption")
    d.add_heading("4 Spare parts", 1)
    d.add_paragraph("Used in the quarter, and ordered again on 2 June:")
    for item in ("one mechanical seal for PX-203", "two bearing sets 6319-C3 for PX-204", "one data logger for TG-2"):
        d.add_paragraph(item, style="List Bullet")
    d.add_heading("5 Work planned", 1)
    d.add_heading("5.1 Vibration monitoring", 2)
    d.add_paragraph(
        "The sensors of pumps PX-201 to PX-203 will be fitted between 14 and 25 July, those of PX-204 to PX-206 in the first half "
        "of September. Each pump is out of service for one day while its sensors are fitted. The acceptance test is planned for "
        "24 September, six days before the date that Amendment No. 1 sets."
    )
    d.add_heading("5.2 Grease", 2)
    d.add_paragraph("All grease guns in the pump house now carry a coloured band: blue is lithium complex, red is anything else.")
    d.add_heading("6 Invoices", 1)
    d.add_paragraph(
        "Invoice 2025-0204 for the second quarter was paid on time. The Authority has asked for the order number to be printed on "
        "the first page of each invoice, and it will be from July."
    )
    return _repacked(d)


def slides() -> bytes:
    """What was shown at the review meeting of 2 July 2025."""
    p = pptx.Presentation()
    about = p.core_properties
    about.title, about.author, about.subject = "Quarterly Review, 2 July 2025", "Ines Carvalho", "MSA-2024-11"
    about.created = about.modified = WRITTEN
    about.comments, about.last_modified_by = "", "Ines Carvalho"
    title = p.slides.add_slide(p.slide_layouts[0])
    title.shapes.title.text = "Quarterly Review, 2 July 2025"
    title.placeholders[1].text = "Customs House, Harrowmouth – Lindqvist Marine Controls"
    _bullets(
        p,
        "Where we stand",
        [
            "Average availability 97.8%, target 97.0%",
            "Three failures, no critical one",
            "PX-204 aligned and below 2.1 mm/s since 27 May",
        ],
        notes="If asked about PX-204: the laser had been at calibration, so the first alignment was done with feeler gauges.",
    )
    figures = p.slides.add_slide(p.slide_layouts[5])
    figures.shapes.title.text = "Availability by pump"
    rows = [(row[0], row[3]) for row in AVAILABILITY]
    table = figures.shapes.add_table(len(rows), 2, Cm(3), Cm(5), Cm(12), Cm(10)).table
    for r, row in enumerate(rows):
        for c, cell in enumerate(row):
            table.cell(r, c).text = cell
    _bullets(
        p,
        "Vibration sensors",
        [
            "PX-201 to PX-203: 14 to 25 July",
            "PX-204 to PX-206: first half of September",
            "Acceptance test on 24 September",
            "One spare sensor stays in the pump house store",
        ],
        notes="The price is fixed at £27,600; the second half is invoiced after the acceptance test.",
    )
    _bullets(
        p,
        "Decisions we ask for",
        [
            "Close the lock for one tide on 16 July, so that PX-202 can be stopped",
            "Name a second person who may approve invoices during the summer holidays",
            "Keep the monthly calls until the sensors are accepted",
        ],
    )
    return _repacked(p)


def _table(document: docx.document.Document, rows: Sequence[Sequence[str]]) -> None:
    table = document.add_table(len(rows), len(rows[0]), style="Table Grid")
    for r, row in enumerate(rows):
        for c, cell in enumerate(row):
            table.cell(r, c).text = cell


def _bullets(presentation: pptx.presentation.Presentation, title: str, items: Sequence[str], notes: str = "") -> None:
    slide = presentation.slides.add_slide(presentation.slide_layouts[1])
    slide.shapes.title.text = title
    frame = slide.placeholders[1].text_frame
    frame.text = items[0]
    for item in items[1:]:
        frame.add_paragraph().text = item
    if notes:
        slide.notes_slide.notes_text_frame.text = notes


def _repacked(document: docx.document.Document | pptx.presentation.Presentation) -> bytes:
    """The file with its parts in the order of their names, all of one date. The list of content types comes first."""
    raw, out = io.BytesIO(), io.BytesIO()
    document.save(raw)
    with zipfile.ZipFile(raw) as old, zipfile.ZipFile(out, "w") as new:
        for name in sorted(old.namelist(), key=lambda n: (n != "[Content_Types].xml", n)):
            entry = zipfile.ZipInfo(name, WRITTEN.timetuple()[:6])
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            new.writestr(entry, old.read(name))
    return out.getvalue()


FILES = {"reports/2025-Q2-service-report.docx": report, "reports/2025-07-02-quarterly-review.pptx": slides}


def build(folder: Path) -> list[Path]:
    """Writes both files below `folder`; returns what was written."""
    written = []
    for name, make in FILES.items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(make())
        written.append(target)
    return written


if __name__ == "__main__":
    for path in build(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE.parent):
        print(path, path.stat().st_size)
