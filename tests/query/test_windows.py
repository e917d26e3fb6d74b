"""The nearest run of a whole text: the right window, among others with the quotation's rare words, and the whole sentence."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from query.windows import nearest_run

COMMON = "the fee is due on first day of each month and must be paid in full to port by ship".split()
RARE = ["zebra", "quartz", "violin", "walrus"]


def sentence(words):
    return f"{' '.join(words).capitalize()}."


@settings(deadline=None, max_examples=60)
@given(st.randoms(use_true_random=False), st.integers(1, 3))
def test_the_passage_with_most_of_the_words_is_found_wherever_the_rare_ones_stand(random, changes):
    meant = random.sample(COMMON, 16)
    quote = list(meant)
    for at, rare in zip(random.sample(range(16), changes), RARE, strict=False):
        quote[at] = rare
    decoys = [
        sentence([*random.choices("gull rope buoy chart mist quay".split(), k=9), rare, "lamp"]) for rare in RARE for _ in "ab"
    ]
    filler = [sentence(random.choices(COMMON, k=random.randint(5, 12))) for _ in range(40)]
    others = decoys + filler
    random.shuffle(others)
    at = random.randint(0, len(others))
    paragraphs = [*others[:at], sentence(meant), *others[at:]]
    text = "\n\n".join(paragraphs)
    near = nearest_run(sentence(quote), text)
    start = len("\n\n".join(paragraphs[:at])) + (2 if at else 0)
    assert near.similarity >= 2 * (16 - changes) / 32 - 0.01
    kept = [n for n, (word, other) in enumerate(zip(meant, quote, strict=True)) if word == other]
    core = len(" ".join(meant[kept[0] : kept[-1] + 1]))  # words that are others at the ends need not be found
    assert min(near.span.end, start + len(paragraphs[at])) - max(near.span.start, start) >= 0.8 * core - 1


@pytest.mark.parametrize(
    ("quote", "source"),
    [
        ("The pilot boards two miles west of the breakwater.", "The pilot boards two miles west of the new outer breakwater."),
        ("The pilot boards two miles west of it.", "The senior harbour pilot boards two miles west of it."),
        ("引航员在防波堤以西登船。", "引航员在防波堤以西两海里处登船。"),
        ("รือทุกลำต้องแจ้งเวลา", "รือทุกลำต้องแจ้งด้วยเวลา"),
    ],
)
def test_a_sentence_that_lost_words_near_its_end_or_beginning_is_found_whole(quote, source):
    text = f"Nothing here. {source} Nothing there." if source.isascii() else f"无关。 {source} 无关。"
    near = nearest_run(quote, text)
    assert near.span.slice(text).rstrip("。") == source.rstrip(".。")


def test_a_run_inside_a_sentence_is_not_stretched_to_its_end():
    text = "A vessel longer than ninety metres needs two tugs and a pilot. Others need none."
    near = nearest_run("longer than eighty metres needs two tugs", text)
    assert near.span.slice(text) == "longer than ninety metres needs two tugs"


@pytest.mark.parametrize(("quote", "text"), [("", "words"), ("words", ""), ("—", "words"), ("zebra", "words"), ("…", "words")])
def test_where_no_word_is_there_nothing_is_near(quote, text):
    assert nearest_run(quote, text) is None
