"""Numbers before titles say how deep a section lies."""

from __future__ import annotations

import pytest

from ingest.pdf.numbering import depth_of, depths_of, without_number


@pytest.mark.parametrize(
    ("title", "depth"),
    [
        ("4 Results", 1),
        ("4.2 Results", 2),
        ("§ 7 Notice", 1),
        ("IV. Argument", 1),
        ("B. The lock", 1),
        ("B.1 The lock", 2),
        ("Appendix C", 1),
        ("A lock", 0),
        ("0 Sail before the tide", 0),
        ("Results", 0),
        ("1998 was a dry year", 0),
    ],
)
def test_a_number_has_as_many_parts_as_it_has_dots_between(title: str, depth: int) -> None:
    assert depth_of(title) == depth


@pytest.mark.parametrize(
    ("titles", "depths"),
    [
        (["I. Facts", "A. The lock", "B. The keeper", "II. Law", "A. Notice", "III. Relief"], [1, 2, 2, 1, 2, 1]),
        (["I. Facts", "A. Lock", "1. Gate", "2. Gauge", "B. Keeper", "II. Law"], [1, 2, 3, 3, 2, 1]),
        (["1. Facts", "2. Law", "A. Tables", "B. Maps"], [1, 1, 1, 1]),
        (["Part I", "Chapter 1", "1.1 Gate", "Chapter 2", "Part II", "Chapter 3"], [1, 2, 3, 2, 1, 2]),
        (["Part 1", "1 Gate", "1.1 Leaf", "2 Gauge", "Part 2", "3 Lock"], [1, 2, 3, 2, 1, 2]),
        (["Chapter 1", "1.1 Gate", "1.2 Gauge", "Chapter 2", "2.1 Weir"], [1, 2, 2, 1, 2]),
        (["1 Facts", "V. Smith", "2 Law", "References"], [1, 1, 1, 0]),
        (["A. One", "B. Two", "C. Three", "I. Four"], [1, 1, 1, 1]),
        (["II. Facts", "A. Lock", "III. Law"], [1, 2, 1]),
        (["G. Seven", "H. Eight", "I. Nine", "J. Ten"], [1, 1, 1, 1]),
        ([], []),
    ],
)
def test_kinds_of_numbers_lie_in_one_another(titles: list[str], depths: list[int]) -> None:
    assert depths_of(titles) == depths


@pytest.mark.parametrize(
    ("title", "words"), [("4.2 Results", "Results"), ("A lock", "lock"), ("a lock", "a lock"), ("Results", "Results")]
)
def test_of_a_title_that_is_known_to_be_one_the_words_are_left(title: str, words: str) -> None:
    assert without_number(title) == words
