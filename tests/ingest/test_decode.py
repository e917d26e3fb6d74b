"""Bytes -> text: which encoding, and that nothing is lost."""

import codecs

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.decode import decode, decode_with
from ingest.errors import UnreadableSource

UNHURRIED = settings(deadline=None)
MARKS = [
    ("utf-8", codecs.BOM_UTF8),
    ("utf-16-le", codecs.BOM_UTF16_LE),
    ("utf-16-be", codecs.BOM_UTF16_BE),
    ("utf-32-le", codecs.BOM_UTF32_LE),
    ("utf-32-be", codecs.BOM_UTF32_BE),
]


@pytest.mark.parametrize(("encoding", "mark"), MARKS)
def test_a_byte_order_mark_names_the_encoding_and_is_no_part_of_the_text(encoding: str, mark: bytes) -> None:
    got = decode(mark + "# Überschrift\r\n".encode(encoding), "a.md")
    assert (got.text, got.encoding, got.has_bom) == ("# Überschrift\r\n", encoding, True)


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("text", ["The pheasant rule.\n", "Фазан сидит на дубе у реки.\n", "hi"])
def test_utf_16_without_a_mark_is_known_by_its_zero_bytes(encoding: str, text: str) -> None:
    got = decode(text.encode(encoding), "a.md")
    assert (got.text, got.encoding, got.has_bom) == (text, encoding, False)


@pytest.mark.parametrize(
    ("raw", "text", "encoding"),
    [
        (b"", "", "utf-8"),
        (b"plain\r\nlines\rand\n", "plain\r\nlines\rand\n", "utf-8"),
        ("Café 🗒".encode(), "Café 🗒", "utf-8"),
        (b"schlie\xdft um f\xfcnf", "schließt um fünf", "latin-1"),
        (b"\x93Caf\xe9\x94 \x96 5 \x80", "“Café” – 5 €", "cp1252"),
        (b"\x93open bytes\x94 \x81\x8d\x8f\x90\x9d", "“open bytes” \x81\x8d\x8f\x90\x9d", "cp1252"),
        (b"\x1b[31mred\x1b[0m log line\n", "\x1b[31mred\x1b[0m log line\n", "utf-8"),
    ],
)
def test_bytes_without_a_mark_are_utf_8_or_a_western_code_page(raw: bytes, text: str, encoding: str) -> None:
    got = decode(raw, "a.txt")
    assert (got.text, got.encoding, got.has_bom) == (text, encoding, False)


@pytest.mark.parametrize(
    "raw",
    [
        bytes(range(256)) * 12,
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\x08\6\0\0\0",
        b"PK\3\4\x14\0\0\0\x08\0 a few words",
        b"\x7fELF" + bytes(60),
        b"\xff\xfe" + bytes(60),
        b"caf\xe9 with one \0" + b"x" * 5000,
        b"".join(n.to_bytes(2, "little") for n in range(1, 30)),
    ],
)
def test_binary_content_is_refused_with_the_file_named(raw: bytes) -> None:
    with pytest.raises(UnreadableSource, match=r"notes/blob\.md: binary, not text"):
        decode(raw, "notes/blob.md")


def test_one_nul_in_a_long_utf_8_text_does_not_make_it_binary() -> None:
    assert decode(b"word " * 100 + b"\0", "a.txt").text.endswith("word \0")


@pytest.mark.parametrize(("encoding", "mark"), MARKS)
def test_bytes_that_belie_their_mark_are_refused_with_the_reason(encoding: str, mark: bytes) -> None:
    with pytest.raises(UnreadableSource, match="byte order mark says UTF-"):
        decode(mark + "word".encode(encoding) + b"\xff", "a.md")


PRINTABLE = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1)


@UNHURRIED
@given(PRINTABLE, st.sampled_from(MARKS))
def test_marked_text_comes_back_as_it_was_written(text: str, mark: tuple[str, bytes]) -> None:
    got = decode(mark[1] + text.encode(mark[0]), "a.md")
    assert (got.text, got.encoding, got.has_bom) == (text, mark[0], True)


@UNHURRIED
@given(st.binary())
def test_whatever_is_decoded_can_be_decoded_again_by_the_recorded_name(raw: bytes) -> None:
    try:
        got = decode(raw, "a.txt")
    except UnreadableSource:
        return
    assert decode_with(raw, got.encoding) == got.text
    if got.encoding != "cp1252":
        assert ("\ufeff" if got.has_bom else "") + got.text == raw.decode(got.encoding)


@UNHURRIED
@given(st.binary(min_size=1))
def test_an_eight_bit_code_page_gives_one_character_a_byte(raw: bytes) -> None:
    assert len(decode_with(raw, "cp1252")) == len(raw)
