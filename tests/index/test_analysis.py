"""Words, identifiers and questions: what the keyword leg is made of."""

from __future__ import annotations

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from index.analysis import MAX_WORDS, Token, analyse, analyse_whole, identifiers, keyword_query, terms_in
from index.folding import fold

TEXTS = st.text(
    alphabet=st.one_of(st.characters(exclude_categories=["Cs"]), st.sampled_from("aé'’\"“”-_.()§12٣ ﬁß税ไกิ한ки́й\u0301\u200dं़")),
    max_size=60,
)


def terms(text: str) -> list[str]:
    return [t.term for t in analyse(text)]


def codes(text: str) -> list[str]:
    return [t.term for t in identifiers(text)]


def shown(tokens: list[Token], text: str) -> list[str]:
    return [text[t.start : t.end] for t in tokens]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("don't", "don’t"),
        ("the tenant's", "the tenant"),
        ("naïve", "naive"),
        ("nai\u0308ve", "naïve"),
        ("ﬁnding", "findings"),
        ("STRASSE", "straße"),
        ("l’été", "été"),
        ("ёжик", "ежики"),
        ("الكِتَاب", "الكتاب"),
        ("١٢", "12"),
        ("ＤＴ", "dt"),
        ("co\u00adoperate", "cooperate"),
        ("Ørsted", "orsted"),
        ("が", "か\u3099"),
        ("한", "\u1112\u1161\u11ab"),
    ],
)
def test_forms_that_people_read_as_one_word_give_one_term(one: str, other: str) -> None:
    assert terms(one) == terms(other)


@pytest.mark.parametrize(("one", "other"), [("か", "が"), ("किताब", "कताब"), ("мой", "мои"), ("kin", "king")])
def test_marks_and_letters_that_spell_are_kept(one: str, other: str) -> None:
    assert [t.word for t in analyse(one)] != [t.word for t in analyse(other)]


def test_words_are_stemmed_by_their_script() -> None:
    assert terms("payments русские الكتب किताबें E1234s") == ["payment", "русск", *terms("الكتب"), "किताबें", "e1234s"]


def test_a_hindi_word_is_one_word_with_its_marks() -> None:
    assert terms("किताबें पढ़ना") == [t.word for t in analyse("किताबें पढ़ना")]
    assert len(terms("किताबें पढ़ना")) == 2


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("税务局", ["税务", "务局"]),
        ("税", ["税"]),
        ("型号DT-17的", ["型号", "dt", "17", "的"]),
        ("ภาษา", ["ภา", "าษ", "ษา"]),
        ("กินดี", ["กิน", "นดี"]),
        ("한국어 말", ["한국", "국어", "말"]),
    ],
)
def test_unspaced_scripts_give_pairs_of_letters(text: str, expected: list[str]) -> None:
    assert terms(text) == expected


def test_offsets_point_at_the_text_given_where_folding_changes_lengths() -> None:
    text = "İﬁ ½ ＤＴ－１７ l’été’s nai\u0308ve 税务局."
    assert shown(analyse(text), text) == ["İﬁ", "½", "½", "ＤＴ", "１７", "été", "nai\u0308ve", "税务", "务局"]
    assert shown(identifiers(text), text) == ["İﬁ ½", "ＤＴ－１７"]


@given(TEXTS)
def test_every_token_stands_where_it_says(text: str) -> None:
    last = 0
    for token in analyse(text):
        assert 0 <= token.start < token.end <= len(text)
        assert token.start >= last
        assert token.word
        assert " " not in token.term
        last = token.start
    for token in identifiers(text):
        assert 0 <= token.start < token.end <= len(text)


@given(st.text() | st.text(alphabet="abcdelLqu'` -9s"))
def test_the_terms_of_a_text_are_those_of_its_words(text: str) -> None:
    assert terms_in(text) == {t.term for t in analyse(text)}


@given(TEXTS)
def test_folding_is_monotone_and_folding_twice_changes_nothing(text: str) -> None:
    folded = fold(text)
    assert len(folded.text) == len(folded.starts) == len(folded.ends)
    assert list(folded.starts) == sorted(folded.starts)
    assert list(folded.ends) == sorted(folded.ends)
    assert fold(folded.text).text == folded.text


@given(TEXTS, TEXTS)
def test_words_do_not_depend_on_the_text_around_them(before: str, after: str) -> None:
    words = {t.term for t in analyse("harbours")}
    assert words <= {t.term for t in analyse(f"{before} harbours {after}")}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The code MSA-2024-11.", ["msa-2024-11"]),
        ("MSA–2024–11", ["msa-2024-11"]),
        ("call foo_bar(), then foo_baz()", ["foo_bar()", "foo_baz()"]),
        ("node.js and C++, C#.", ["node.js", "c++", "c#"]),
        ("v1.2.3", ["v1.2.3"]),
        ("doi 10.1000/xyz123)", ["10.1000/xyz123", "doi 10.1000/xyz123"]),
        ("(§ 12(3)(b))", ["12(3)(b)", "§ 12(3)(b)"]),
        ("§12", ["§ 12"]),
        ("型号DT-17的税费", ["dt-17"]),
        ("RFC 9110 of 2031", ["rfc 9110"]),
        ("Fig. 3", ["fig 3"]),
        ("see --prune or .NET", ["--prune", ".net"]),
        ("a plain sentence, with (brackets) and 12 numbers.", []),
        ("किताबें पढ़ना", []),
        ("... --- !!! ( ) _", []),
    ],
)
def test_codes_are_kept_whole(text: str, expected: list[str]) -> None:
    assert codes(text) == expected


def test_a_code_is_not_the_beginning_of_a_longer_one() -> None:
    assert set(codes("K-7")).isdisjoint(codes("K-77"))


def test_stop_words_are_left_out_unless_nothing_else_is_asked() -> None:
    assert keyword_query("What's the interest on it?").words == ("interest",)
    assert keyword_query("the of and").words == ("the", "of", "and")
    assert keyword_query("terns AND").words == ("tern",)


@pytest.mark.parametrize(
    "question", ['"late fees" clause', "“late fees” clause", "«late fees» clause", "„late fees“ clause", "「late fees」 clause"]
)
def test_quoted_words_are_a_phrase_and_words_too(question: str) -> None:
    query = keyword_query(question)
    assert query.phrases == (("late", "fee"),)
    assert query.words == ("late", "fee", "claus")


@pytest.mark.parametrize("question", ['"late fee', 'late fee"', "“late fee", '19" rack, 24" deep', '""', '"', '" "'])
def test_unbalanced_quotes_and_inches_are_text(question: str) -> None:
    assert keyword_query(question).phrases == ()


@pytest.mark.parametrize("question", ["", "   ", "(", '""', "*", "\\", "?!", "🐦", "\0"])
def test_a_question_without_words_looks_for_nothing(question: str) -> None:
    assert not keyword_query(question)


def test_a_long_question_counts_by_its_first_words() -> None:
    query = keyword_query(
        " ".join(f"word{chr(97 + i % 26)}{chr(97 + i // 26)}" for i in range(600)) + " K-7" * 500 + ' "a b"' * 500
    )
    assert len(query.words) == MAX_WORDS
    assert len(query.identifiers) <= 16
    assert query.phrases == (("a", "b"),)


def test_a_word_longer_than_any_is_cut_alike_on_both_sides() -> None:
    assert terms("x" * 20_000) == terms("x" * 30_000)


@given(TEXTS)
def test_no_question_raises(question: str) -> None:
    keyword_query(question)


def test_words_are_the_same_in_every_thread() -> None:
    text = "payments русские الكتب running nationalisation " * 200
    expected, found = analyse_whole(text), []
    threads = [threading.Thread(target=lambda: found.append(analyse_whole(text))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 4


def test_the_mark_of_a_note_is_no_part_of_the_word_before_it() -> None:
    words = [token.word for token in analyse("The protocol³ on 10⁶ cells, in H₂O")]
    assert words == ["the", "protocol", "3", "on", "10", "6", "cells", "in", "h2o"]
