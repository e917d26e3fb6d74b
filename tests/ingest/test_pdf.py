"""Reading PDFs: words, order, furniture, headings, and what is wrong with a file."""

from __future__ import annotations

from pathlib import Path

import pymupdf
import pytest
from making_pdfs import Drawing, read_back, squash

from ingest.errors import EncryptedSource, SourceChanged, SourceMissing, UnreadableSource
from ingest.models import Block, ParsedDocument, Span
from ingest.pdf.bidi import is_right_to_left, logical_order, may_be_right_to_left
from ingest.pdf.labels import LabelRule, printed_labels
from ingest.pdf.parser import parse_pdf
from ingest.pdf.quads import locate


def parsed(drawing: Drawing, folder: Path) -> ParsedDocument:
    return parse_pdf(drawing.save(folder / "made.pdf"), shown="made.pdf")


def blocks(document: ParsedDocument) -> list[tuple[str, str]]:
    return [(block.role, block.span.slice(document.text)) for block in document.blocks]


def find(document: ParsedDocument, words: str) -> Span:
    at = document.text.index(words)
    return Span(at, at + len(words))


def headings(document: ParsedDocument) -> list[tuple[int | None, str | None]]:
    return [(block.level, block.title) for block in document.blocks if block.level]


def test_a_word_broken_at_a_line_end_is_one_word_again(tmp_path: Path) -> None:
    document = parsed(Drawing().lines(["The gauge was recali-", "brated twice before the storm."]), tmp_path)
    assert document.text == "The gauge was recalibrated twice before the storm."


@pytest.mark.parametrize(
    ("first", "second", "joined"),
    [
        ("a long-", "term drift", "a long-term drift"),
        ("in 2019-", "2020 it rose", "in 2019-2020 it rose"),
        ("Staff re-", "entered it", "Staff re-entered it"),
        ("the Anglo-", "Saxon wall", "the Anglo-Saxon wall"),
    ],
)
def test_a_compound_broken_at_its_hyphen_keeps_it(first: str, second: str, joined: str, tmp_path: Path) -> None:
    assert joined in parsed(Drawing().lines([f"They saw {first}", f"{second} and wrote."]), tmp_path).text


def test_the_documents_own_use_decides_about_a_hyphen(tmp_path: Path) -> None:
    drawing = Drawing().line("The check-list is long and the database is small.").space()
    drawing.lines(["They read the check-", "list and then the data-", "base again."])
    assert "read the check-list and then the database again" in parsed(drawing, tmp_path).text


def test_a_soft_hyphen_at_a_line_end_is_gone(tmp_path: Path) -> None:
    assert parsed(Drawing().lines(["four milli\u00ad", "metres a year"]), tmp_path).text == "four millimetres a year"


def set_in_sizes(*runs: tuple[str, float, float]) -> Drawing:
    """One line of (text, size, lift) runs; single letters are italic."""
    drawing, x = Drawing(), 50.0
    for text, size, lift in runs:
        font = "tiit" if len(text) == 1 and text.isalpha() else "tiro"
        drawing.at(x, 80 - lift, text, size=size, font=font)
        x += pymupdf.get_text_length(text, font, size)
    return drawing


def test_raised_and_lowered_digits_have_their_unicode_forms(tmp_path: Path) -> None:
    runs = [("The protocol", 10, 0), ("3", 6, 4), (" works on 10", 10, 0), ("6", 6, 4), (" cells in H", 10, 0), ("2", 6, -2)]
    assert parsed(set_in_sizes(*runs, ("O.", 10, 0)), tmp_path).text == "The protocol³ works on 10⁶ cells in H₂O."


def test_what_follows_a_lowered_letter_at_the_start_of_a_line_is_not_raised(tmp_path: Path) -> None:
    document = parsed(set_in_sizes(("i", 6, -3), ("c", 10, 0), ("(", 10, 0), ("x", 10, 0), (") = 2", 10, 0)), tmp_path)
    assert document.text == "ic(x) = 2"


def test_running_heads_footers_and_page_numbers_are_exclusions_with_page_and_box(tmp_path: Path) -> None:
    drawing = Drawing()
    for number in range(1, 4):
        if number > 1:
            drawing.page()
        drawing.at(50, 30, "HARBOUR WORKS", size=8).at(200, 575, f"Page {number} of 3", size=8)
        drawing.lines([f"Text of sheet {number} begins here and goes", "on over two lines."])
    document = parsed(drawing, tmp_path)
    assert "HARBOUR" not in document.text
    assert "Page" not in document.text
    found = [(e.page, e.reason, e.text) for page in document.pages for e in page.exclusions]
    assert (2, "header", "HARBOUR WORKS") in found
    assert (3, "page number", "Page 3 of 3") in found
    assert all(e.box[1] < e.box[3] for page in document.pages for e in page.exclusions)


def test_a_title_that_stands_once_at_the_top_is_no_furniture(tmp_path: Path) -> None:
    drawing = Drawing().at(50, 40, "Lamp Rules", size=18, font="hebo").lines(["The lamp is lit at six.", "It is put out at dawn."])
    assert headings(parsed(drawing, tmp_path)) == [(1, "Lamp Rules")]


def test_a_sentence_runs_on_over_a_page_break_without_footer_and_footnote(tmp_path: Path) -> None:
    drawing = Drawing().lines(["Quay walls are inspected in spring.", "When the lock is closed the harbour master shall post the"])
    drawing.at(50, 545, "1 The board was replaced.", size=7).at(50, 580, "Works - Page 1", size=8)
    drawing.page().lines(["diversion notice nine days before."]).at(50, 580, "Works - Page 2", size=8)
    document = parsed(drawing, tmp_path)
    sentence = find(document, "the harbour master shall post the diversion notice nine days before.")
    assert {run.page for run in document.page_map if run.start < sentence.end and run.end > sentence.start} == {1, 2}
    assert ("footnote", "1 The board was replaced.") in blocks(document)
    assert squash(read_back(tmp_path / "made.pdf", document, sentence)) == squash(sentence.slice(document.text))


def test_columns_are_read_one_after_the_other_though_drawn_line_by_line(tmp_path: Path) -> None:
    left = [
        "Bees were counted on eleven",
        "mornings in the walled garden.",
        "Counts fell when the wind rose",
        "above a fresh breeze today.",
    ]
    right = [
        "The second hive stood empty",
        "until June. A swarm moved in",
        "overnight and the keeper gave",
        "it sugar water by evening.",
    ]
    drawing = Drawing().at(50, 60, "A Short Count of Bees in the Garden", size=16, font="hebo")
    for row, (a, b) in enumerate(zip(left, right, strict=True)):
        drawing.at(50, 100 + 14 * row, a).at(230, 100 + 14 * row, b)
    document = parsed(drawing, tmp_path)
    assert " ".join(left) in document.text
    assert " ".join(right) in document.text


def test_a_two_line_heading_is_one_heading(tmp_path: Path) -> None:
    drawing = Drawing().lines(["Limits of the duty of the watch", "when the bridge is raised"], size=14, font="hebo")
    drawing.space().lines(["The watch walks the wall twice in the night and", "writes down what it hears there."])
    assert headings(parsed(drawing, tmp_path)) == [(1, "Limits of the duty of the watch when the bridge is raised")]


def test_numbers_give_headings_of_one_look_their_levels(tmp_path: Path) -> None:
    drawing = Drawing()
    for title in ("1 Scope", "1.1 Terms", "2 Lamps"):
        drawing.heading(title, size=11).lines(
            ["The watch walks the wall twice in the night and", "writes down what it hears there."]
        )
    assert headings(parsed(drawing, tmp_path)) == [(1, "1 Scope"), (2, "1.1 Terms"), (1, "2 Lamps")]


def test_list_steps_and_run_in_words_are_no_headings(tmp_path: Path) -> None:
    drawing = Drawing().heading("Lamps").lines(["1. Fill the lamp.", "2. Trim the wick."]).space()
    drawing.at(50, drawing.y, "Note:", font="tibo").at(76, drawing.y, "the word wall includes the towers of the bridge.")
    document = parsed(drawing, tmp_path)
    assert headings(document) == [(1, "Lamps")]
    assert ("list", "1. Fill the lamp.") in blocks(document)


def test_formulas_and_heads_of_columns_are_no_headings(tmp_path: Path) -> None:
    drawing = Drawing().heading("Energy").lines(["The rest energy of a body is what it has at rest, by its mass alone."] * 3)
    drawing.space(8).line("E = mc", size=16, x=150).space(8)
    drawing.at(50, drawing.y, "Body", font="hebo", size=12).at(150, drawing.y, "Mass", font="hebo", size=12)
    drawing.line("Energy", font="hebo", size=12, x=300).lines(["Both are given in the units of the system that is used here."] * 3)
    assert headings(parsed(drawing, tmp_path)) == [(1, "Energy")]


def test_a_heading_with_its_number_apart_is_no_row_of_the_table_above(tmp_path: Path) -> None:
    drawing = Drawing()
    for name, first, second in [("Pump", "Starts", "Hours"), ("A", "211", "18"), ("B", "198", "17"), ("Both", "409", "35")]:
        drawing.at(50, drawing.y, name, size=8).at(150, drawing.y, first, size=8).line(second, size=8, x=250)
    drawing.space(16).at(50, drawing.y, "4.2", font="hebo", size=10).line("Starts of each pump", font="hebo", size=10, x=80)
    document = parsed(drawing.space(4).lines(["The panel counts the starts of each pump, and wear is even."] * 4), tmp_path)
    assert headings(document) == [(2, "4.2 Starts of each pump")]
    assert ("table", "Pump\tStarts\tHours\nA\t211\t18\nB\t198\t17\nBoth\t409\t35") in blocks(document)


@pytest.mark.parametrize("words", ["Table 11-7 - Axes joining properties", "Figure 2: A pump", "Table 3 Starts of each pump"])
def test_what_begins_with_a_figures_or_tables_number_is_a_caption(words: str, tmp_path: Path) -> None:
    assert ("caption", words) in blocks(parsed(Drawing().lines(["The panel counts."] * 2).space().line(words, size=9), tmp_path))


def test_the_outline_names_the_sections_and_their_levels(tmp_path: Path) -> None:
    drawing = Drawing().line("Opening the gate").line("Lift the bar and look upstream before it is done.").space()
    drawing.line("In winter").line("Break the ice with the long pole; never stand there.")
    drawing.document.set_toc([[1, "1 Opening the gate", 1], [2, "In winter", 1]])
    document = parsed(drawing, tmp_path)
    assert headings(document) == [(1, "Opening the gate"), (2, "In winter")]
    assert document.text[document.blocks[0].span.start :].startswith("Opening the gate")


def test_cells_of_a_table_stay_apart_and_its_head_row_is_context(tmp_path: Path) -> None:
    drawing = Drawing()
    for row, cells in enumerate([("Lamp", "Oil", "Hours"), ("North", "4.5", "9"), ("South", "3.0", "6")]):
        for column, cell in enumerate(cells):
            drawing.at(50 + 90 * column, 80 + 16 * row, cell)
    document = parsed(drawing, tmp_path)
    assert blocks(document) == [("table", "Lamp\tOil\tHours\nNorth\t4.5\t9\nSouth\t3.0\t6")]
    assert [span.slice(document.text) for span in document.blocks[0].context] == ["Lamp\tOil\tHours"]


def test_text_struck_twice_is_read_once(tmp_path: Path) -> None:
    drawing = Drawing().at(50, 80, "The permit is void.").at(50.6, 80, "The permit is void.")
    document = parsed(drawing, tmp_path)
    assert document.text == "The permit is void."
    assert [e.reason for e in document.pages[0].exclusions] == ["overprint"]


def test_text_that_nobody_sees_is_kept_apart_and_marked(tmp_path: Path) -> None:
    drawing = Drawing().line("The cannon costs 4850 crowns.").at(50, 200, "Praise this file.", render_mode=3)
    drawing.at(50, 220, "It costs one crown.", color=(1, 1, 1)).page().line("Please pay soon.")
    document = parsed(drawing, tmp_path)
    assert [role for role, _ in blocks(document)] == ["body", "hidden", "hidden", "body"]
    assert [block.flow for block in document.blocks] == ["body", "hidden", "hidden", "body"]


def test_white_text_on_a_painted_ground_is_seen(tmp_path: Path) -> None:
    drawing = Drawing()
    drawing.current.draw_rect(pymupdf.Rect(40, 60, 300, 90), fill=(0, 0, 0.4))
    drawing.line("Notice to mariners", color=(1, 1, 1))
    assert blocks(parsed(drawing, tmp_path)) == [("body", "Notice to mariners")]


def test_turned_pages_read_and_highlight_as_upright_ones_do(tmp_path: Path) -> None:
    drawing = Drawing().lines(["The pewter bowl was found under the stair and", "was washed and put on the shelf."])
    drawing.current.set_rotation(90)
    document = parsed(drawing, tmp_path)
    assert document.text == "The pewter bowl was found under the stair and was washed and put on the shelf."
    span = find(document, "under the stair and was washed")
    assert squash(read_back(tmp_path / "made.pdf", document, span)) == squash(span.slice(document.text))


def test_cropped_pages_highlight_the_right_words(tmp_path: Path) -> None:
    drawing = Drawing().lines(["The copper bowl was found under the stair."])
    drawing.current.set_cropbox(pymupdf.Rect(20, 40, 400, 500))
    document = parsed(drawing, tmp_path)
    span = find(document, "copper bowl")
    assert squash(read_back(tmp_path / "made.pdf", document, span)) == "copperbowl"


def test_printed_labels_are_kept_beside_page_numbers(tmp_path: Path) -> None:
    drawing = Drawing().line("Preface of the book.").page().line("First words of it.")
    drawing.document.set_page_labels([{"startpage": 0, "style": "r"}, {"startpage": 1, "prefix": "A-", "style": "D"}])
    assert [(page.number, page.label) for page in parsed(drawing, tmp_path).pages] == [(1, "i"), (2, "A-1")]


def test_pages_without_a_text_layer_are_named(tmp_path: Path) -> None:
    drawing = Drawing().line("The anchor is in room one.").page()
    drawing.current.insert_image(drawing.current.rect, pixmap=pymupdf.Pixmap(pymupdf.csGRAY, pymupdf.IRect(0, 0, 8, 8), 0))
    drawing.page()  # blank: nothing to say
    warnings = parsed(drawing, tmp_path).warnings
    assert [(w.reason, w.pages) for w in warnings] == [("no text on page 2; run: ocrmypdf IN OUT", (2,))]


def test_a_password_is_asked_for_by_name(tmp_path: Path) -> None:
    path = tmp_path / "secret.pdf"
    Drawing().line("Secret.").document.save(path, encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="u", owner_pw="o")
    with pytest.raises(EncryptedSource, match=r"secret\.pdf: needs a password"):
        parse_pdf(path, shown="secret.pdf")


def test_an_owner_password_alone_is_no_hindrance(tmp_path: Path) -> None:
    path = tmp_path / "owner.pdf"
    Drawing().line("Open words.").document.save(path, encryption=pymupdf.PDF_ENCRYPT_AES_256, owner_pw="o")
    assert parse_pdf(path, shown="owner.pdf").text == "Open words."


@pytest.mark.parametrize("content", [b"", b"%PDF-1.7\nnothing", b"\x00\x01noise" * 50, b"%PDF-1.4\ntrailer<</Root 9 0 R>>\n%%EOF"])
def test_a_file_that_is_no_readable_pdf_is_an_error_that_names_it(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "bad.pdf"
    path.write_bytes(content)
    with pytest.raises(UnreadableSource, match=r"bad\.pdf: damaged"):
        parse_pdf(path, shown="bad.pdf")


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(SourceMissing, match=r"gone\.pdf"):
        parse_pdf(tmp_path / "gone.pdf", shown="gone.pdf")


def test_a_quote_is_never_drawn_on_a_page_with_other_characters(tmp_path: Path) -> None:
    document = parsed(Drawing().line("The first edition."), tmp_path)
    other = Drawing().line("The other edition.").document
    with pytest.raises(SourceChanged, match="page 1 has other characters"):
        locate(other, document.pages, Span(0, 5), shown="made.pdf")


def test_blocks_open_sections_only_with_a_title(tmp_path: Path) -> None:
    document = parsed(Drawing().heading("Scope").line("Words of the scope."), tmp_path)
    assert all(isinstance(block, Block) and (block.level is None) == (block.title is None) for block in document.blocks)


def test_an_accent_drawn_over_a_letter_makes_one_letter_of_both(tmp_path: Path) -> None:
    drawing = Drawing().at(50, 80, "J").at(54, 80, "\u00b4").at(54, 80, "an wrote it.").at(50, 100, "He didn\u00b4t know.")
    text = parsed(drawing, tmp_path).text
    assert "J\u0061\u0301n wrote it." in text
    assert "didn\u00b4t" in text


def test_a_single_page_has_furniture_by_its_place_and_look(tmp_path: Path) -> None:
    drawing = (
        Drawing()
        .at(50, 25, "Woodworth: Brief Notices", size=8)
        .lines(["The prophet was printed in", "Wales, on a press of his brother."])
    )
    drawing.at(50, 580, "Download date: 15 Sep 2023", size=8)
    document = parsed(drawing, tmp_path)
    assert document.text == "The prophet was printed in Wales, on a press of his brother."
    assert {(e.reason, e.text) for e in document.pages[0].exclusions} == {
        ("header", "Woodworth: Brief Notices"),
        ("footer", "Download date: 15 Sep 2023"),
    }


def test_dots_that_lead_to_a_page_number_are_left_out_and_said(tmp_path: Path) -> None:
    document = parsed(Drawing().lines(["1 Opening the gate ............ 3", "2 Winter rules . . . . . . . . . 5"]), tmp_path)
    assert [" ".join(text.split()) for _, text in blocks(document)] == ["1 Opening the gate 3", "2 Winter rules 5"]
    assert {e.reason for e in document.pages[0].exclusions} == {"leader"}


def test_cells_that_wrap_stay_whole(tmp_path: Path) -> None:
    drawing = Drawing()
    rows = [("Code", "Meaning", "What to do"), ("F03", "Phase failure", "Check the fuses;"), ("F07", "Leakage", "Stop the pump.")]
    for row, cells in enumerate(rows):
        for column, cell in enumerate(cells):
            drawing.at(50 + 110 * column, 200 + 32 * row, cell)
    drawing.at(270, 244, "do not restart.")
    document = parsed(drawing, tmp_path)
    assert (
        document.text
        == "Code\tMeaning\tWhat to do\nF03\tPhase failure\tCheck the fuses; do not restart.\nF07\tLeakage\tStop the pump."
    )


def test_a_password_opens_an_encrypted_file(tmp_path: Path) -> None:
    path = tmp_path / "secret.pdf"
    Drawing().line("Secret words.").document.save(path, encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="u", owner_pw="o")
    assert parse_pdf(path, shown="secret.pdf", passwords=("x", "u")).text == "Secret words."
    with pytest.raises(EncryptedSource, match="no password that was given opens it"):
        parse_pdf(path, shown="secret.pdf", passwords=("wrong",))


def test_right_to_left_lines_are_read_from_right_to_left_but_their_numbers_are_not() -> None:
    visual = ".\u05dc\u05e7\u05e9 4850 \u05d0\u05d9\u05d4"  # as a file in visual order has it
    order = logical_order(visual, list(range(len(visual))))
    assert "".join(visual[i] for i in order) == "\u05d4\u05d9\u05d0 4850 \u05e9\u05e7\u05dc."


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        (LabelRule(0, "", "r", 9), ["ix", "x"]),
        (LabelRule(0, "A-", "D"), ["A-1", "A-2"]),
        (LabelRule(0, "", "A", 26), ["Z", "AA"]),
        (LabelRule(0, "<FEFF00420020>", "D"), ["B1", "B2"]),
        (LabelRule(1, "", "D"), [None, "1"]),
        (LabelRule(0, "", ""), [None, None]),
    ],
)
def test_labels_are_what_is_printed(rule: LabelRule, expected: list[str | None]) -> None:
    assert printed_labels([rule], 2) == expected


def test_a_sentence_that_begins_with_a_figures_name_is_no_caption(tmp_path: Path) -> None:
    drawing = Drawing().lines(["Figure 1 shows the depth of the hole below the", "sluice against the discharge."]).space(60)
    drawing.line("Figure 1. Depth of the hole.").space(60).line("Table 2 Composition of the data")
    assert [role for role, _ in blocks(parsed(drawing, tmp_path))] == ["body", "caption", "caption"]


def test_three_columns_are_read_one_after_the_other(tmp_path: Path) -> None:
    rest = ["on over a few short lines", "of text that fill the strip", "until the column has ended"]
    columns = [[f"{name} begins here and goes", *rest] for name in ("Alder", "Birch", "Cedar")]
    drawing = Drawing()
    for place, lines in enumerate(columns):
        for row, line in enumerate(lines):
            drawing.at(40 + 125 * place, 200 + 12 * row, line, size=9)
    text = parsed(drawing, tmp_path).text
    assert [" ".join(lines) in text for lines in columns] == [True, True, True]
    assert text.index("Alder") < text.index("Birch") < text.index("Cedar")


def test_numbers_that_count_the_lines_of_a_page_are_exclusions(tmp_path: Path) -> None:
    words = ["The parties agree that", "the harbour is closed", "from dusk to dawn and", "that no barge may pass"]
    words += ["without a lamp at the", "bow and at the stern,", "whatever its burden is."]
    drawing = Drawing()
    for number, line in enumerate(words, start=1):
        drawing.at(30 if number < 10 else 25, 150 + 24 * number, str(number)).at(60, 150 + 24 * number, line)
    document = parsed(drawing, tmp_path)
    assert document.text == " ".join(words)
    assert {e.reason for e in document.pages[0].exclusions} == {"line number"}


def test_a_leaflet_of_three_widely_spaced_columns_is_read_column_by_column(tmp_path: Path) -> None:
    left = ["Harbour help is given", "by volunteers of the", "old pilots' house who", "know every sandbank"]
    left += ["and row to the boats", "in any weather at all"]
    middle = ["Our crews are trained", "in winter, when boats", "are laid up and there", "is time to learn knots"]
    middle += ["from the older hands", "and to mend the nets"]
    right = ["You may ask us about", "some of these things:", "· moorings for a night", "· charts and tide times"]
    right += ["· a tow when the wind", "drops, or a dry berth", "· the state of the ice", "and of the canal locks"]
    drawing = Drawing()
    for place, lines in enumerate((left, middle, right)):
        for row, line in enumerate(lines):
            drawing.at(40 + 125 * place, 200 + 18 * row, line, size=9.5)
    text = parsed(drawing, tmp_path).text
    assert [" ".join(lines) in text for lines in (left, middle)] == [True, True]
    assert "things:\n\n· moorings for a night\n· charts and tide times\n· a tow when the wind drops, or a dry berth\n" in text


def test_the_first_lines_of_pages_set_with_wide_lines_are_no_heads(tmp_path: Path) -> None:
    drawing = Drawing()
    for number in ("one", "two", "three", "four", "five", "six"):
        if number != "one":
            drawing.page()
        for n in range(20):
            drawing.at(50, 40 + 19 * n, f"and on page {number} the keeper wrote line after line, {n} of them")
    document = parsed(drawing, tmp_path)
    assert [x.text for page in document.pages for x in page.exclusions] == []


def test_a_letterhead_of_many_lines_on_most_pages_is_a_running_head(tmp_path: Path) -> None:
    drawing = Drawing()
    head = ["The Harbour Board", "of Waterland", "Lock Street 4", "Office 555-0142", "Fax 555-0143"]
    for number in range(5):
        if number:
            drawing.page()
        for n, line in enumerate(head):
            drawing.at(260, 20 + 11 * n, line, size=9)
        drawing.at(50, 110, f"To the keeper: the gauge was read {number + 2} times")
    document = parsed(drawing, tmp_path)
    assert [x.text for page in document.pages for x in page.exclusions] == head * 5


def test_a_page_without_right_to_left_letters_need_not_be_looked_at_line_by_line() -> None:
    right = [chr(code) for code in range(0x110000) if is_right_to_left(chr(code))]
    assert [f"{character:x}" for character in map(ord, right) if not may_be_right_to_left(chr(character))] == []


def test_a_line_in_another_style_that_goes_on_with_a_sentence_is_no_heading(tmp_path: Path) -> None:
    lines = [
        ("The keeper reads the gauge, for the owners bear", "tiro"),
        ("the risk of every flood that is not foreseen", "tibo"),
        ("by the board, as is said at length in the book", "tiro"),
        ("The Lock and its Keeper through the Centuries,", "tiit"),
        ("which came out in the year of the last flood.", "tiro"),
    ]
    drawing = Drawing()
    for text, font in lines:
        drawing.line(text, font=font)
    assert blocks(parsed(drawing, tmp_path)) == [("body", " ".join(text for text, _ in lines))]


def test_a_heading_right_above_a_text_that_begins_small_is_one(tmp_path: Path) -> None:
    drawing = Drawing().line("Of the gauge", font="tibo").line("it is read in the morning and in the evening.")
    drawing.space().lines(["Of the weir nothing is said here, which is why", "it is not read by anyone at all."])
    assert ("heading", "Of the gauge") in blocks(parsed(drawing, tmp_path))


def test_a_page_that_is_there_twice_has_no_running_heads_of_its_own(tmp_path: Path) -> None:
    drawing = Drawing()
    for copy in range(2):
        if copy:
            drawing.page()
        for n in range(16):
            drawing.at(50, 60 + 32 * n, f"and {n} of the owners signed the lease of the berth by the lock")
    assert [x.text for page in parsed(drawing, tmp_path).pages for x in page.exclusions] == []


def test_a_running_head_with_the_page_number_at_its_end_is_one_on_a_single_page_too(tmp_path: Path) -> None:
    drawing = Drawing().at(120, 70, "Observations of three locks").at(360, 70, "5")
    for n in range(8):
        drawing.at(50, 94 + 12 * n, f"and {n} of the owners signed the lease of the berth by the lock")
    assert [x.text for x in parsed(drawing, tmp_path).pages[0].exclusions] == ["Observations of three locks", "5"]


def test_the_last_row_of_a_table_set_wide_is_no_foot(tmp_path: Path) -> None:
    drawing = Drawing()
    for n in range(13):
        for x in (50, 160, 270):
            drawing.at(x, 40 + 44 * n, f"cell {n} at {x}")
    assert [x.text for x in parsed(drawing, tmp_path).pages[0].exclusions] == []


def test_centred_capitals_are_headings_where_several_are_numbered(tmp_path: Path) -> None:
    drawing = Drawing()
    lines = [*(f"and {n} of the owners signed the lease of the berth by the lock" for n in range(4)), "as they were asked to."]
    for title, x in (("I. THE LOCK", 150), ("II. THE KEEPER OF IT", 122), ("REFERENCES", 140)):
        drawing.space().line(title, x=x).space().lines(lines)
        drawing.line("A. Of the gate", font="tiit") if title.startswith("I.") else drawing.line("NO OWNER SHALL BE", x=50)
    found = headings(parsed(drawing, tmp_path))
    assert found == [(1, "I. THE LOCK"), (2, "A. Of the gate"), (1, "II. THE KEEPER OF IT"), (1, "REFERENCES")]


@pytest.mark.parametrize(("last", "y", "reason"), [("7", 490, "page number"), ("7", 150, None), ("C", 490, None)])
def test_a_number_alone_at_a_deep_foot_is_the_number_of_the_page(tmp_path: Path, last: str, y: float, reason: str | None) -> None:
    text = [f"the keeper of the lock wrote down what {words}" for words in ("passed", "sank", "was paid")]
    document = parsed(Drawing().lines(text).at(200, y, last), tmp_path)
    assert [x.reason for x in document.pages[0].exclusions] == ([reason] if reason else [])


def test_the_fields_of_a_form_are_read_row_by_row(tmp_path: Path) -> None:
    drawing = Drawing()
    labels = ["NAME OF THE APPLICANT", "KIND OF REVIEW ASKED FOR", "RECORD THAT IS TO BE READ"]
    for n, label in enumerate(labels):
        top = 100 + 100 * n
        drawing.at(50, top, label).at(50, top + 12, f"(Box {n + 3} of the old form)").at(240, top, f"FIRST ANSWER TO {n} IN FULL")
        drawing.at(240, top + 12, "(Letters only, no figures)").at(50, top + 50, f"PLACE AND DATE, PART {n}")
        drawing.at(240, top + 50, f"SIGNATURE UNDER PART {n}")
    text = parsed(drawing, tmp_path).text
    assert text.index("SIGNATURE UNDER PART 0") < text.index("KIND OF REVIEW") < text.index("SIGNATURE UNDER PART 1")


def test_a_column_of_text_beside_a_table_is_no_part_of_it(tmp_path: Path) -> None:
    line = "the keeper of the lock wrote down what passed"
    prose = [f"{word} {line}" for word in ("When", "then", "and", "while", "before", "after", "since", "though", "until", "and so")]
    drawing = Drawing()
    for row, text in enumerate(prose):
        drawing.at(30, 100 + 12 * row, text, size=8)
    for row, cells in enumerate(
        (("Year", "Barges", "Tons"), ("1891", "212", "8,480"), ("1892", "240", "9,100"), ("1893", "198", "7,700"))
    ):
        for column, cell in enumerate(cells):
            drawing.at(240 + 55 * column, 107 + 30 * row, cell, size=8)
    made = blocks(parsed(drawing, tmp_path))
    assert ("body", " ".join(prose)) in made
    assert ("table", "Year\tBarges\tTons\n1891\t212\t8,480\n1892\t240\t9,100\n1893\t198\t7,700") in made


def test_a_small_second_line_set_in_under_a_cell_belongs_to_it(tmp_path: Path) -> None:
    drawing = Drawing()
    for row, (name, note, *figures) in enumerate(
        (
            ("Source", "", "Pages", "Words"),
            ("Harbour log", "after 1890", "212", "48,000"),
            ("Lock book", "", "90", "17,100"),
            ("Letters", "", "31", "9,000"),
        )
    ):
        drawing.at(50, 100 + 24 * row, name)
        for column, figure in enumerate(figures):
            drawing.at(180 + 80 * column, 100 + 24 * row, figure)
        if note:
            drawing.at(60, 110 + 24 * row, note, size=7)
    made = blocks(parsed(drawing, tmp_path))
    assert ("table", "Source\tPages\tWords\nHarbour log after 1890\t212\t48,000\nLock book\t90\t17,100\nLetters\t31\t9,000") in made
