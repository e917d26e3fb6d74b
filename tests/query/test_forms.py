from hypothesis import given
from hypothesis import strategies as st

from index.models import DocumentText
from ingest.models import SilentRange
from query.forms import Form, ReadText
from query.quotation import places, quotation, words_of


def marked(text):
    return tuple(SilentRange(start=i, end=i + 2) for i in range(len(text) - 1) if text[i : i + 2] == "**")


@given(
    st.lists(st.sampled_from(["fee ", "**", "a", "-\n", "ﬁ", "中", "\u00ad", "of the ", "\n\n"]), max_size=200).map("".join),
    st.data(),
)
def test_a_look_up_by_blocks_finds_what_one_in_the_whole_text_finds(text, data):
    silent = tuple(r for r in marked(text) if not any(o.start < r.start < o.end for o in marked(text)))[::2]
    start = data.draw(st.integers(0, len(text)))
    wanted = quotation(text[start : start + data.draw(st.integers(1, 30))])
    whole = list(places(words_of(text, silent), wanted)) if wanted.letters else []
    for size in (5, 17, 4096):
        assert Form(text, silent, block=size).places(wanted) == whole


def test_words_are_found_with_marks_without_them_and_without_notes():
    stars = (SilentRange(start=4, end=6), SilentRange(start=9, end=11))
    text = DocumentText(document_id="x", text="The **fee**³ is nine." + " pad" * 5000, silent=stars)
    read = ReadText(text)
    assert [s.slice(text.text) for s in read.places(quotation("fee3 is nine"))] == ["fee**³ is nine"]
    assert [s.slice(text.text) for s in read.places(quotation("the fee is nine"))] == ["The **fee**³ is nine"]
    assert [s.slice(text.text) for s in read.places(quotation("the **fee**3 is nine"))] == ["The **fee**³ is nine"]
