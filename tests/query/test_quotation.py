import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.models import SilentRange, Span
from query.quotation import letters_of, places, quotation, words_of

TEXT = "The gauge was recalibrated twice; a long-term drift — “four ﬁne millimetres” — was seen in 10⁶ samples."


def found(text, quote, silent=()):
    return [span.slice(text) for span in places(words_of(text, silent), quotation(quote))]


@pytest.mark.parametrize(
    ("quote", "slice_"),
    [
        ("recali-\nbrated twice", "recalibrated twice"),
        ("recali- brated\n  twice", "recalibrated twice"),
        ("recali\u00adbrated twice", "recalibrated twice"),
        ("a long-\nterm drift", "a long-term drift"),
        ("LONG‑TERM DRIFT", "long-term drift"),
        ('"four fine millimetres"', "“four ﬁne millimetres”"),
        ("drift – \"four", "drift — “four"),
        ("in 106 samples", "in 10⁶ samples"),
        ("ﬁne\u200b  millimetres", "ﬁne millimetres"),
    ],
)  # fmt: skip
def test_the_same_words_in_other_shapes_are_found_as_the_slice_of_the_source(quote, slice_):
    assert found(TEXT, quote) == [slice_]


@pytest.mark.parametrize(
    "quote", ["recalibrate", "calibrated", "re calibrated", "longterm drift", "gauge, was", "fourfine", "twice a"]
)
def test_other_words_are_not_found(quote):
    assert found(TEXT, quote) == []


def test_a_word_broken_at_a_line_end_of_the_source_is_found_whole():
    assert found("The gauge was recali-\r\nbrated.", "recalibrated") == ["recali-\r\nbrated"]


def test_accents_count_but_not_how_they_are_encoded():
    assert found("un cafe\u0301 noir", "café noir") == ["cafe\u0301 noir"]
    assert found("un café noir", "cafe noir") == []
    assert found("un cafe\u0301", "un cafe") == []


def test_a_minus_sign_is_part_of_the_number():
    assert found("It fell to -5 degrees.", "5 degrees") == ["5 degrees"]
    assert found("It fell to 5 degrees.", "-5 degrees") == []
    assert found("It fell to −5 degrees.", "-5 degrees") == ["−5 degrees"]


def test_words_are_found_across_silent_marks():
    text = "the **bleed** screw &amp; nut"
    silent = tuple(SilentRange(start=a, end=b, replacement=r) for a, b, r in [(4, 6, ""), (11, 13, ""), (20, 25, "&")])
    assert found(text, "bleed screw & nut", silent) == ["bleed** screw &amp; nut"]


def test_every_occurrence_is_found_once_and_none_inside_another():
    spans = list(places(words_of("la la la la"), quotation("la la")))
    assert spans == [Span(0, 5), Span(6, 11)]


def test_words_of_scripts_without_spaces_are_found_anywhere():
    assert found("我的电脑很好。", "电脑") == ["电脑"]


def test_the_marks_of_a_letter_may_be_typed_in_any_order():
    shadda_first, shadda_last = "مُزَوِّد خدمة", "مُزَوِّد خدمة"
    for text, quote in ((shadda_first, shadda_last), (shadda_last, shadda_first)):
        assert text != quote
        assert [s.slice(f"({text}).") for s in places(words_of(f"({text})."), quotation(quote))] == [text]


def test_a_line_end_inside_a_run_of_words_without_spaces_is_no_space():
    text = "เรือทุกลำต้องแจ้งเวลาเข้า ก่อนถึงท่าเรือ"
    assert [s.slice(text) for s in places(words_of(text), quotation("ต้องแจ้ง\nเวลาเข้า ก่อน"))] == ["ต้องแจ้งเวลาเข้า ก่อน"]
    assert [s.slice("撤资——学生") for s in places(words_of("撤资——学生"), quotation("撤资\n——学生"))] == ["撤资——学生"]
    assert not list(places(words_of("not ice"), quotation("notice")))


TEXTS = st.text(alphabet="aB é-—“\u00ad\u200b\n\tﬁ7電ก😀\u0301\u0323\u0650\u0651", max_size=40)


@given(TEXTS)
def test_the_quick_letters_are_the_letters_of_the_map(text):
    assert letters_of(text) == words_of(text).letters


@given(TEXTS)
def test_the_map_rises_and_stays_inside_the_text(text):
    words = words_of(text)
    assert len(words.letters) == len(words.gaps) == len(words.starts) == len(words.ends)
    assert list(words.starts) == sorted(words.starts)
    assert all(0 <= s < e <= len(text) for s, e in zip(words.starts, words.ends, strict=True))


@given(st.lists(st.sampled_from(["alpha", "Bêta", "g-7", "“delta”", "ﬁve", "電脑"]), min_size=1, max_size=8), st.data())
def test_any_run_of_words_is_found_where_it_stands(words, data):
    first = data.draw(st.integers(0, len(words) - 1))
    last = data.draw(st.integers(first, len(words) - 1))
    text = " ".join(words)
    start = len(" ".join(words[:first])) + (first > 0)
    end = len(" ".join(words[: last + 1]))
    spans = list(places(words_of(text), quotation(text[start:end].upper().replace(" ", " \n"))))
    assert any(s.start <= start and end <= s.end for s in spans) or any(s.slice(text) == text[start:end] for s in spans)
