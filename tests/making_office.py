"""Office files made by the formats' own libraries, for tests. Each function returns the bytes of a file."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Sequence

import docx
import openpyxl
import pptx
from docx.enum.style import WD_STYLE_TYPE
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.opc.packuri import PackURI
from docx.opc.part import Part
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls
from pptx.util import Emu

NOTE_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml.footnotes+xml"


def saved(document: object) -> bytes:
    out = io.BytesIO()
    document.save(out)  # type: ignore[attr-defined]
    return out.getvalue()


def contract() -> bytes:
    """A Word file: nested headings, a heading style of its own, lists, a table, a footnote, running head and foot, accents."""
    d = docx.Document()
    d.core_properties.title = "Vertrag über Pumpen"
    d.core_properties.author = "Ann Ek"
    d.sections[0].header.paragraphs[0].text = "Confidential draft"
    d.sections[0].footer.paragraphs[0].text = "Page foot"
    clause = d.styles.add_style("Clause", WD_STYLE_TYPE.PARAGRAPH)
    clause.base_style = d.styles["Heading 2"]
    d.add_heading("1 Fees", 1)
    fee = d.add_paragraph("The fee is due within thirty days")
    fee.add_run("2").font.superscript = True
    fee.add_run(".")
    reference = fee.add_run()
    reference._r.append(parse_xml(f'<w:footnoteReference {nsdecls("w")} w:id="2"/>'))
    d.add_paragraph("Late payment", style="Clause")
    d.add_paragraph("Interest accrues at 1,5 % per month; größer geht es nicht.")
    d.add_paragraph("a reminder", style="List Bullet")
    d.add_paragraph("a second reminder", style="List Number")
    d.add_heading("1.1.1 Table of rates", 3)
    table = d.add_table(3, 3)
    for r, row in enumerate([("Item", "Rate", "Since"), ("Pump", "12.50", "2024"), ("Valve", "3.20", "2025")]):
        for c, cell in enumerate(row):
            table.cell(r, c).text = cell
    d.add_paragraph("Table 1: rates", style="Caption")
    d.add_heading("2 Term", 1)
    d.add_paragraph("Y")
    notes = (
        f"<w:footnotes {nsdecls('w')}><w:footnote w:type='separator' w:id='0'><w:p/></w:footnote>"
        "<w:footnote w:id='2'><w:p><w:r><w:footnoteRef/></w:r><w:r><w:t>Counted from receipt.</w:t></w:r></w:p></w:footnote>"
        "</w:footnotes>"
    )
    part = Part(PackURI("/word/footnotes.xml"), NOTE_TYPE, notes.encode(), d.part.package)
    d.part.relate_to(part, RELATIONSHIP_TYPE.FOOTNOTES)
    return saved(d)


def tracked() -> bytes:
    """A Word file with tracked changes, a content control, a text box, a formula, a heading by outline level alone."""
    d = docx.Document()
    space = nsdecls("w")
    heading = d.add_paragraph("Deadlines")
    heading._p.get_or_add_pPr().append(parse_xml(f'<w:outlineLvl {space} w:val="1"/>'))
    changed = d.add_paragraph("The term is ")
    changed._p.append(parse_xml(f"<w:del {space}><w:r><w:delText>twelve</w:delText></w:r></w:del>"))
    changed._p.append(parse_xml(f"<w:ins {space}><w:r><w:t>eighteen</w:t></w:r></w:ins>"))
    changed.add_run(" months.")
    control = parse_xml(f"<w:sdt {space}><w:sdtContent><w:p><w:r><w:t>Chosen from a list.</w:t></w:r></w:p></w:sdtContent></w:sdt>")
    changed._p.addnext(control)
    box = d.add_paragraph("Beside the box.")
    box.add_run()._r.append(
        parse_xml(f"<w:pict {space}><w:txbxContent><w:p><w:r><w:t>In the margin.</w:t></w:r></w:p></w:txbxContent></w:pict>")
    )
    d.add_paragraph().add_run("Not for the reader.").font.hidden = True
    formula = d.add_paragraph("Where ")
    math = "http://schemas.openxmlformats.org/officeDocument/2006/math"
    formula._p.append(parse_xml(f'<m:oMath xmlns:m="{math}"><m:r><m:t>E=mc</m:t></m:r></m:oMath>'))
    return saved(d)


def scripts() -> bytes:
    """A Word file in Arabic, Chinese and French, with a page break that Word has recorded."""
    d = docx.Document()
    d.add_heading("مقدمة", 1)
    d.add_paragraph("هذا نص عربي قصير.")
    d.add_heading("第二章 费用", 1)
    broken = d.add_paragraph("费用应在三十天内支付。")
    broken.add_run()._r.append(parse_xml(f"<w:lastRenderedPageBreak {nsdecls('w')}/>"))
    broken.add_run("逾期付款应支付利息。")
    d.add_heading("Été", 2)
    d.add_paragraph("Où l’été s’achève — naïf, cœur, œuvre.")
    return saved(d)


def deck() -> bytes:
    """A presentation: a title that isn't the topmost shape, bullets, a table, notes, a slide without a title, text beside one."""
    p = pptx.Presentation()
    p.core_properties.title = "Quarterly review"
    one = p.slides.add_slide(p.slide_layouts[1])
    one.shapes.title.text = "Résultats 2025"
    body = one.placeholders[1].text_frame
    body.text = "Revenue rose by 7 %"
    body.add_paragraph().text = "Costs fell"
    above = one.shapes.add_textbox(Emu(-1000), Emu(0), Emu(3_000_000), Emu(100_000))
    above.text_frame.text = "Board, 12 March"
    one.notes_slide.notes_text_frame.text = "Say thanks first."
    two = p.slides.add_slide(p.slide_layouts[5])
    two.shapes.title.text = "Figures"
    table = two.shapes.add_table(3, 2, Emu(0), Emu(2_000_000), Emu(4_000_000), Emu(1_000_000)).table
    for r, row in enumerate([("Year", "Sum"), ("2024", "10"), ("2025", "12")]):
        for c, cell in enumerate(row):
            table.cell(r, c).text = cell
    three = p.slides.add_slide(p.slide_layouts[6])
    three.shapes.add_textbox(Emu(0), Emu(0), Emu(9), Emu(9)).text_frame.text = "No title here."
    three.shapes.add_textbox(Emu(-9_000_000), Emu(0), Emu(9), Emu(9)).text_frame.text = "Nobody sees this."
    return saved(p)


def slides(titles: Sequence[str]) -> bytes:
    """A presentation of slides with a title and a sentence."""
    p = pptx.Presentation()
    for title in titles:
        slide = p.slides.add_slide(p.slide_layouts[1])
        slide.shapes.title.text = title
        slide.placeholders[1].text_frame.text = f"About {title} there is much to say."
    return saved(p)


def workbook(fill: Callable[[openpyxl.Workbook], None]) -> bytes:
    book = openpyxl.Workbook()
    fill(book)
    return saved(book)


def zipped(**parts: str) -> bytes:
    """A ZIP archive of such parts; `__` in a name stands for `/`."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            archive.writestr(name.replace("__", "/"), text)
    return out.getvalue()


def with_part(raw: bytes, name: str, change: Callable[[bytes], bytes]) -> bytes:
    """The same archive with one part changed."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(raw)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for entry in old.namelist():
            content = old.read(entry)
            new.writestr(entry, change(content) if entry == name else content)
    return out.getvalue()
