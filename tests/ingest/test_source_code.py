"""Source code -> blocks of lines."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.chunking import chunk_document
from ingest.formats import SUFFIXES, format_of
from ingest.models import SourceFile
from ingest.source_code import BLOCK_CHARACTERS, parse_code

PYTHON = '''\
"""A module."""

import os


def open_harbour(name):
    """Opens it."""

    gates = os.listdir(name)
    return gates


class Pier:
    length = 40

    def moor(self):
        return "# no heading"
'''


def slices(text: str) -> list[str]:
    return [b.span.slice(text) for b in parse_code(text, encoding="utf-8").blocks]


def test_a_short_definition_is_one_block_though_it_has_blank_lines() -> None:
    assert [s.split("\n")[0] for s in slices(PYTHON)] == ['"""A module."""', "import os", "def open_harbour(name):", "class Pier:"]


def test_a_closing_bracket_belongs_to_what_it_closes_and_a_word_that_begins_with_end_does_not() -> None:
    assert slices("void f() {\n  a();\n\n}\n\nendpoint = 1\n") == ["void f() {\n  a();\n\n}", "endpoint = 1"]


def test_a_long_definition_is_parted_at_its_blank_lines() -> None:
    body = "".join(f"    step_{n}()\n\n" for n in range(200))
    assert all(len(s) <= BLOCK_CHARACTERS for s in slices(f"def f():\n{body}"))


def test_its_units_are_lines_it_has_no_sections_and_its_role_is_code(counter) -> None:
    chunks = chunk_document(parse_code(PYTHON, encoding="utf-8"), counter)
    lines = [u.span.slice(PYTHON) for c in chunks for u in c.units]
    assert lines == [line.strip() for line in PYTHON.splitlines() if line.strip()]
    assert {(c.role, c.section_path) for c in chunks} == {("code", ())}


@settings(deadline=None)
@given(st.text(st.one_of(st.sampled_from("ab{}()# \t\n\r"), st.characters(exclude_categories=["Cs"])), max_size=300))
def test_blocks_hold_every_character_that_is_no_white_space_in_order(text: str) -> None:
    at = 0
    for block in parse_code(text, encoding=None).blocks:
        assert not text[at : block.span.start].strip()
        assert block.span.slice(text) == block.span.slice(text).strip() != ""
        at = block.span.end
    assert not text[at:].strip()


def found(path: Path, content: bytes) -> SourceFile:
    path.write_bytes(content)
    return SourceFile(file=path, root="r", path=path.name, size=len(content), mtime_ns=0)


@pytest.mark.parametrize("suffix", [".py", ".js", ".ts", ".java", ".c", ".cpp", ".go", ".rs", ".rb", ".sh", ".sql"])
def test_the_suffixes_of_programming_languages_are_code(suffix) -> None:
    assert SUFFIXES[suffix] == "code"


def test_a_binary_file_with_such_a_suffix_is_none_of_ours_and_utf_16_is_text(tmp_path) -> None:
    assert format_of(found(tmp_path / "film.ts", b"G\x40\x00\x10\x00\x00\xb0\x0d" * 30)) is None
    assert format_of(found(tmp_path / "a.sql", "SELECT 1;".encode("utf-16"))) == "code"
