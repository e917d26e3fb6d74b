"""`show` and `open` as commands: what they print, draw and open, and their exit codes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pymupdf
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner, Result

from ingest.models import SilentRange, Span
from pincite import Library
from pincite.cli.app import app
from pincite.cli.show import readable
from pincite.cli.terminal import BOLD_END, BOLD_START, Style, links
from query.showing import Part


def pincite(*arguments: object, **env: str) -> Result:
    return CliRunner().invoke(app, [str(a) for a in arguments], env=env or None)


@pytest.fixture(scope="module")
def late(sample_library):
    """The first hit of a question, as JSON."""
    done = pincite("search", "late payment interest", "-k", 1, "--library", sample_library, "--format", "json")
    return json.loads(done.stdout)["hits"][0]


@pytest.mark.real
class TestWithSamples:
    def test_the_nth_hit_of_the_last_search_is_shown_in_its_passage(self, sample_library):
        assert pincite("search", "late payment interest", "-k", 2, "--library", sample_library).exit_code == 0
        done = pincite("show", "1", "--library", sample_library)
        assert done.exit_code == 0
        assert done.stdout.startswith("Master Services Agreement, § 4.2 Late payment, p. 7 (PDF 9)\n4 Fees › 4.2 Late payment\n")
        assert "**If an undisputed invoice" in done.stdout
        assert "\x1b" not in done.stdout
        assert pincite("show", "3", "--library", sample_library).exit_code == 1
        assert pincite("show", "0", "--library", sample_library).exit_code == 1

    def test_a_number_without_a_search_is_not_found(self, sample_library, tmp_path):
        done = pincite("show", "1", "--library", sample_library, XDG_STATE_HOME=str(tmp_path))
        assert (done.exit_code, done.stdout) == (1, "")
        assert "gave no hit 1" in done.stderr

    def test_chunk_citation_and_document_ids_name_what_is_shown(self, sample_library, late):
        for what, kind in ((late["chunk_id"], "chunk"), (late["id"], "quote"), (late["document_id"], "document")):
            shown = json.loads(pincite("show", what, "--library", sample_library, "--format", "json").stdout)
            assert (shown["kind"], shown["source_document"]) == (kind, late["source_document"])
        [line] = pincite("show", late["id"], "--library", sample_library, "--format", "jsonl").stdout.splitlines()
        [part] = json.loads(line)["parts"]
        [mark] = part["marks"]
        assert part["offset"] + mark["start"] == late["source_offset"] + late["match_offset"]

    def test_a_page_of_a_document_is_shown(self, sample_library, late):
        done = pincite("show", late["source_document"], "--page", late["match_page_from"], "--library", sample_library)
        assert done.exit_code == 0
        assert "If an undisputed invoice" in done.stdout
        assert "**" not in done.stdout
        done = pincite("show", late["source_document"], "--page", 99, "--library", sample_library)
        assert (done.exit_code, done.stdout) == (1, "")
        assert "no page 99; it has 14" in done.stderr
        assert pincite("show", "handbook.md", "--page", 1, "--library", sample_library).exit_code == 2

    def test_a_picture_has_the_quote_highlighted_and_is_not_written_over(self, sample_library, late, tmp_path):
        picture, plain = tmp_path / "page.png", tmp_path / "plain.png"
        command = ("show", late["id"], "--as", "png", "--out", picture, "--library", sample_library)
        assert pincite(*command).stdout.strip() == str(picture)
        pincite("show", late["source_document"], "--page", late["match_page_from"], "--as", "png", "--out", plain,
                "--library", sample_library)  # fmt: skip
        drawn, bare = pymupdf.Pixmap(picture), pymupdf.Pixmap(plain)
        assert (drawn.width, drawn.height) == (bare.width, bare.height)
        assert yellow(drawn) > yellow(bare) + 1000
        assert pincite(*command).exit_code == 2
        assert pincite(*command, "--force").exit_code == 0

    @pytest.mark.parametrize("arguments", [["--as", "png"], ["--out", "x.png"], ["--as", "gif", "--out", "x"], ["--page", "0"]])
    def test_wrong_use_is_exit_code_2(self, sample_library, late, arguments):
        assert pincite("show", late["id"], *arguments, "--library", sample_library).exit_code == 2

    def test_what_is_no_pdf_has_no_picture(self, sample_library, tmp_path):
        done = pincite("show", "handbook.md", "--as", "png", "--out", tmp_path / "x.png", "--library", sample_library)
        assert done.exit_code == 2
        assert "handbook.md is no PDF" in done.stderr

    def test_open_gives_the_address_of_the_page_to_the_browser(self, sample_library, late, tmp_path):
        opened, browser = tmp_path / "opened", tmp_path / "browser"
        browser.write_text(f"#!{sys.executable}\nimport sys\nopen({str(opened)!r}, 'w').write(sys.argv[1])\n")
        browser.chmod(0o755)
        code = "from pincite.cli.app import main; main()"
        command = [sys.executable, "-c", code, "open", late["id"], "--library", str(sample_library)]
        done = subprocess.run(
            command, cwd=Path(__file__).parents[2], env={**os.environ, "BROWSER": f"{browser} %s"}, capture_output=True, text=True,
            check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        address = urlsplit(opened.read_text())
        assert address.fragment == f"page={late['match_page_from']}"
        assert Path(unquote(address.path)).name == Path(late["source_document"]).name
        assert Path(unquote(address.path)).is_file()

    def test_saved_hits_are_exported_from_a_file_and_from_standard_input(self, sample_library, tmp_path):
        saved = pincite("search", "late payment interest", "-k", 2, "--library", sample_library, "--format", "json").stdout
        (tmp_path / "saved.json").write_text(saved, encoding="utf-8")
        from_file = pincite("export", "--hits", tmp_path / "saved.json", "--to", "pdf", "--out", tmp_path / "a", "--library",
                            sample_library)  # fmt: skip
        command = ["export", "--hits", "-", "--to", "pdf", "--out", str(tmp_path / "b"), "--library", str(sample_library)]
        from_stdin = CliRunner().invoke(app, command, input=saved)
        assert (from_file.exit_code, from_stdin.exit_code) == (0, 0)
        written = [[Path(line).read_bytes() for line in done.stdout.splitlines()] for done in (from_file, from_stdin)]
        assert written[0] == written[1]
        assert len(written[0]) == 2

    @pytest.mark.parametrize("arguments", [[], ["words", "--hits", "x.json"], ["--hits", "nothing.json"]])
    def test_export_takes_either_words_or_a_file(self, sample_library, tmp_path, arguments):
        done = pincite("export", *arguments, "--to", "md", "--out", tmp_path / "out", "--library", sample_library)
        assert done.exit_code == 2
        assert not (tmp_path / "out").exists()

    def test_the_address_of_a_file_has_its_page_only_in_a_pdf(self, sample_library):
        with Library.open(sample_library) as lib:
            by_format = {d.format: d.document_id for d in lib.documents()}
            assert lib.address(by_format["pdf"], page=3).endswith(".pdf#page=3")
            assert "#" not in lib.address(by_format["markdown"], page=3)
            assert lib.address("no such id") is None


def yellow(drawn: pymupdf.Pixmap) -> int:
    pixels = (drawn.pixel(x, y) for x in range(drawn.width) for y in range(0, drawn.height, 2))
    return sum(r > 200 and g > 150 and b < 140 for r, g, b in pixels)


@pytest.mark.parametrize(
    ("environment", "linking"),
    [
        ({}, False),
        ({"TERM": "xterm-256color"}, False),
        ({"VTE_VERSION": "4200"}, False),
        ({"VTE_VERSION": "many"}, False),
        ({"VTE_VERSION": "6800"}, True),
        ({"TERM_PROGRAM": "vscode"}, True),
        ({"TERM_PROGRAM": "Apple_Terminal"}, False),
        ({"TERM": "xterm-kitty"}, True),
        ({"WT_SESSION": "1"}, True),
    ],
)
def test_links_are_for_terminals_that_are_known_to_have_them(environment, linking):
    assert links(environment) is linking


def test_a_link_wraps_its_words_and_takes_no_other_address_than_a_plain_one():
    style = Style(on=True, linking=True)
    assert style.link("p. 7", "file:///a.pdf#page=7") == "\x1b]8;;file:///a.pdf#page=7\x1b\\p. 7\x1b]8;;\x1b\\"
    for address in (None, "file:///a\x1b\\b", "file:///\u202e"):
        assert style.link("p. 7", address) == "p. 7"
    assert Style(on=False, linking=True).link("p. 7", "file:///a.pdf") == "p. 7"


@given(st.text(alphabet="ab *\n\t\x1b", min_size=1, max_size=30), st.data())
def test_a_passage_is_shown_line_by_line_with_its_marks_in_place(content, data):
    start, end = sorted(data.draw(st.tuples(st.integers(0, len(content)), st.integers(0, len(content)))))
    silent = tuple(SilentRange(start=n, end=n + 1) for n, c in enumerate(content) if c == "*")
    shown = readable(Part(offset=0, content=content, marks=(Span(start, end),) if start < end else (), silent=silent))
    assert "\x1b" not in shown
    assert "*" not in shown
    plain = shown.replace(BOLD_START, "").replace(BOLD_END, "")
    assert plain.split() == content.replace("*", "").replace("\x1b", "\\x1b").split()
    assert shown.count(BOLD_START) == shown.count(BOLD_END) == (start < end)
