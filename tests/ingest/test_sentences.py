"""Sentences: what ends one and what does not, and that nothing is lost."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.sentences import sentences


def split(text: str) -> list[str]:
    return [s.slice(text) for s in sentences(text)]


def check(marked: str) -> None:
    """`marked` holds sentences parted by "|"; joined by spaces they must come apart again at the same places."""
    expected = marked.split("|")
    assert split(" ".join(expected)) == expected


@pytest.mark.parametrize(
    "marked",
    [
        "The wear was first seen by Okafor et al. (2019) in the lower seal.|Fig. 3 and Tab. 2 show a drop of 0.35 mm.|It grew.",
        "Under § 4.2 of the Act, i.e. the Harbour Act, the owner must pay.|See No. 5 and Art. 7, cf. p. 12 and Sec. IV.|He did.",
        "In Reed v. Moss, 12 H.R. 345, the court agreed.|In Brown vs. The State it did not.",
        "Dr. A. B. Lund of Tide Ltd. signed at 5 p.m. on 3. March.|Is it final?|Mr. J. R. Smith knew.",
        "Tools, e.g. Hammers, help.|Acme Inc. Chairman Jo Lee spoke.|He works for Acme Inc.|The firm is old.",
        "We met at 5 p.m. Monday.|We left at 6 p.m.|The tide was low.|The answer is no.|We stayed.",
        "The U.S. Government came.|He lives in the U.S.|He left.|A study by Weber et al. Nature took it.",
        "We take plan B.|However, vitamin C. elegans needs is not known.|It ran at 85 V.|After that it stopped.",
    ],
)
def test_abbreviations_end_a_sentence_only_where_the_next_word_opens_one(marked: str) -> None:
    check(marked)


@pytest.mark.parametrize(
    "marked",
    [
        "It costs 3.50 in v1.2.3 of report.v2.pdf.|See https://tide.example/a.b.c?x=1. for more.|Done.",
        "It grew to 5.|The end came in 2019.|14 people left.",
        "1. Fill the tank.|2. Close the valve.|(a) Wait.|The rest is easy.",
        "Wait... what?|Well… maybe not.|He paused...|Then he left.",
        "We tested mRNA.|mRNA decays.|iPhones ring.",
    ],
)
def test_numbers_names_and_ellipses_are_no_sentence_ends_by_themselves(marked: str) -> None:
    check(marked)


@pytest.mark.parametrize(
    "marked",
    [
        "“Stop!” he said.|“Stop.”|She ran.|(See the list.)|The next one.",
        '"Not yet," she said.|"Is it?" he asked.|"Yes."|All left.',
        "Really?!|Yes!!!|Good.",
        "The end.³|Next one.|The end.[12]|Next.|A claim.[citation needed]|Another.[3, 4]|Last.",
        "»Ende.«|»Anfang.«|„Ja.“|Er ging.|« Oui. »|Il part.",
    ],
)
def test_closing_marks_and_notes_belong_to_the_sentence_before_them(marked: str) -> None:
    check(marked)


@pytest.mark.parametrize(
    "marked",
    [
        "Am 3. Oktober kam er z. B. nach Köln.|Im 19. Jahrhundert war das, d. h. früher, bzw. Später so.|Gut.",
        "M. Dupont est venu, p. ex. hier.|Bonjour !|Ça va ?|Oui.",
        "El Sr. López vino.|Véase pág. 4.|¿Cómo?|¡Bien!",
        "В 2020 г. он жил на ул. Ленина и т. д.|Он умер.|А. С. Пушкин писал.",
        "كيف حالك؟|أنا بخير۔|نعم.|جيد.",
        "यह वाक्य है।|दूसरा वाक्य।",
        "Առաջին նախադասություն։|Երկրորդ։",
        "ሰላም ነው።|ደህና።",
    ],
)
def test_each_language_has_its_marks_and_abbreviations(marked: str) -> None:
    check(marked)


def test_chinese_and_japanese_need_no_space_between_sentences() -> None:
    assert split("我来了。你呢？“好！”他说。真的吗?是的。") == ["我来了。", "你呢？", "“好！”", "他说。", "真的吗?", "是的。"]
    assert split("「行く。」と言った。次の文。") == ["「行く。」と言った。", "次の文。"]


def test_text_without_capitals_is_split_too() -> None:
    text = "as of december 31, 2017. the company had $ 5.2 million vs. 3 before. 14. debt consists of u.s. notes. it is due."
    assert split(text) == [
        "as of december 31, 2017.",
        "the company had $ 5.2 million vs. 3 before.",
        "14. debt consists of u.s. notes.",
        "it is due.",
    ]


def test_a_small_letter_begins_no_sentence_in_text_with_capitals() -> None:
    assert len(sentences("The app. called Zed vers. two is out. And good.")) == 2


def test_a_line_end_ends_no_sentence_but_a_blank_line_and_a_bullet_do() -> None:
    assert split("One line\nand its rest\r\n\r\nAnother\n  \nThird\n• point\n- point two") == [
        "One line\nand its rest",
        "Another",
        "Third",
        "• point",
        "- point two",
    ]


def test_rows_of_cells_outside_a_table_are_split_at_their_ends() -> None:
    assert split("(in millions) | 2017 | 2016\nsenior notes | 600 | 600\nother | 1 | 2") == [
        "(in millions) | 2017 | 2016",
        "senior notes | 600 | 600",
        "other | 1 | 2",
    ]


def test_an_indented_line_is_no_row_of_cells() -> None:
    assert split("It goes\n\ton here.") == ["It goes\n\ton here."]


def test_glued_sentences_come_apart_and_dotted_names_do_not() -> None:
    assert split("It is the cause of malaria.The parasite was found.") == ["It is the cause of malaria.", "The parasite was found."]
    for whole in ("Made by Media.Vision for it.", "See www.example.Com and more.", "Call self.Foo(x) or a.Bar now."):
        assert split(whole) == [whole]


def test_a_long_run_of_thai_is_cut_at_its_spaces() -> None:
    text = " ".join(["สวัสดีชาวโลก"] * 60)
    parts = split(text)
    assert len(parts) > 1
    assert all(len(p) <= 300 for p in parts)
    assert " ".join(parts) == text


WORDS = ["a", "Bc", "x.", "Dr.", "5", "3.", "U.S.", "the", "ก", "中", "と", "\U0001f600"]
MARKS = [*'.?!…。「」"”()³؟।|-•*_', "[1]"]
ABBREVIATIONS = ["etc.", "Inc.", "No.", "i.e.", "p.m.", "vs.", "am 3."]
SPACES = [" ", "\n", "\n\n", "\r\n", "\t", "\u00a0", "\u00ad", "\u200b"]
PIECES = st.sampled_from([*WORDS, *MARKS, *ABBREVIATIONS, *SPACES])


@given(st.lists(PIECES, max_size=60).map("".join) | st.text(max_size=80))
def test_every_character_but_white_space_is_in_exactly_one_sentence(text: str) -> None:
    at = 0
    for span in sentences(text):
        assert at <= span.start < span.end
        assert not text[at : span.start].strip()
        assert not text[span.start].isspace()
        assert not text[span.end - 1].isspace()
        at = span.end
    assert not text[at:].strip()


@pytest.mark.parametrize("hostile", ["." * 100_000, "a." * 50_000, '"' * 100_000, ". " * 50_000, "1. " * 40_000, "[" * 100_000])
def test_hostile_runs_lose_nothing(hostile: str) -> None:
    assert "".join(split(hostile)).replace(" ", "") == hostile.replace(" ", "")
