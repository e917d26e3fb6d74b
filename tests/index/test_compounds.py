"""Parts of compound names."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from index.compounds import compound_parts


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("parseHttpRequest", ["parse", "http", "request"]),
        ("HTTPServer", ["http", "server"]),
        ("isHTTP", ["is", "http"]),
        ("PierGate", ["pier", "gate"]),
        ("open_harbourGate", ["harbour", "gate"]),
        ("plain", []),
        ("Title", []),
        ("ALLCAPS", []),
        ("Große", []),
        ("42", []),
    ],
)
def test_capitals_inside_a_word_part_it(name, parts):
    assert [t.word for t in compound_parts(name)] == parts


def test_each_part_stands_where_it_is_in_the_text_and_is_stemmed_as_words_are():
    text = "x = countOpenBerths()"
    assert [(text[t.start : t.end], t.term) for t in compound_parts(text)] == [
        ("count", "count"),
        ("Open", "open"),
        ("Berths", "berth"),
    ]


@given(st.text())
def test_no_text_raises(text):
    assert all(t.term and text[t.start : t.end] for t in compound_parts(text))
