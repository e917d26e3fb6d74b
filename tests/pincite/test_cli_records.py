"""Records, notes and links on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from pincite.cli.app import app

pytestmark = pytest.mark.real


def pincite(*arguments: object, **env: str) -> Result:
    return CliRunner().invoke(app, [str(a) for a in arguments], env=env or None)


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> Path:
    """A library of two files and a note, joined by a link. Tests that change it take a copy of what they change."""
    folder = tmp_path_factory.mktemp("records")
    docs = folder / "docs"
    docs.mkdir()
    (docs / "agreement.md").write_text("# Agreement\n\nLate fees accrue at two per cent a month.\n", encoding="utf-8")
    (docs / "amendment.md").write_text("# Amendment\n\nThe rate is one per cent.\n", encoding="utf-8")
    library = folder / "library"
    for arguments in (
        ("ingest", docs, "--namespace", "legal"),
        ("link", "amendment.md", "Agreement", "--label", "supersedes", "--reverse-label", "superseded by", "--reason", "why"),
        ("remember", "Anna pays in oysters.", "--about", "Agreement", "--by", "Anna", "--at", "2025-03-20"),
        ("remember", "Walruses are heavy.", "--kind", "turn"),
        ("pin", "amendment.md"),
    ):
        done = pincite(*arguments, "--library", library)
        assert done.exit_code == 0, done.stderr
    return library


def test_a_hit_shows_its_links_and_whose_word_it_is(made):
    done = pincite("search", "oysters", "--mode", "keyword", "--library", made)
    assert "Agreement, Note by Anna, 2025-03-20" in done.stdout
    assert "said by Anna" in done.stdout
    assert "superseded by: Amendment (why)" in done.stdout


def test_links_are_followed_from_the_hits_or_from_a_record(made):
    done = pincite("search", "fees accrue rate", "--mode", "keyword", "--document", "agreement.md", "--related", "--library", made)
    assert "via superseded by — why" in done.stdout
    from_there = pincite(
        "search", "accrue rate", "--from", "Amendment", "--mode", "keyword", "-k", "1", "--library", made, "--format", "json"
    )
    assert [h["via"] for h in json.loads(from_there.stdout)["hits"]].count("supersedes — why") <= 1
    assert pincite("search", "x", "--from", "nobody", "--library", made).exit_code == 1


def test_records_are_listed(made):
    listed = json.loads(pincite("entities", "--library", made, "--format", "json").stdout)
    assert [(e["label"], len(e["documents"]), len(e["notes"])) for e in listed][:2] == [("Agreement", 1, 1), ("Amendment", 1, 0)]
    text = pincite("entities", "--library", made).stdout
    assert "(pinned)" in text
    assert "supersedes: Agreement (why)" in text


def test_the_digest_begins_with_what_is_pinned(made):
    done = pincite("digest", "--max-chars", "300", "--library", made)
    assert done.stdout.splitlines()[1].startswith("* Amendment")
    assert len(done.stdout) <= 301
    assert json.loads(pincite("digest", "--library", made, "--format", "json").stdout)["records"] == 3


def test_a_record_is_renamed_and_its_type_gets_a_template(made):
    assert pincite("entity-type", "Document", "{title} {number}", "--library", made).exit_code == 0
    assert pincite("properties", "Agreement", "number=7", "--library", made).stdout.splitlines()[0] == "Agreement 7"
    assert "Agreement 7, § Agreement" in pincite("search", "accrue", "--mode", "keyword", "--library", made).stdout
    assert pincite("properties", "Agreement 7", "number=", "--library", made).stdout.splitlines()[0] == "Agreement"
    assert pincite("entity-type", "Document", "", "--library", made).exit_code == 0


def test_a_backup_is_written_once_and_restored(made, tmp_path):
    saved = tmp_path / "saved.json"
    assert pincite("backup", "--out", saved, "--library", made).exit_code == 0
    assert pincite("backup", "--out", saved, "--library", made).exit_code == 2
    done = pincite("restore", saved, "--library", tmp_path / "new")
    assert (done.exit_code, done.stdout) == (0, "restored 2 notes and 0 links\n")
    assert "1 links left out" in done.stderr


def test_behind_a_wall_nothing_outside_is_told(made):
    for wall in (("--readable", "birds"), ()):
        env = {} if wall else {"PINCITE_READABLE": "birds"}
        assert pincite(*wall, "search", "fees oysters walruses", "--library", made, **env).stdout == ""
        assert json.loads(pincite(*wall, "entities", "--library", made, "--format", "json", **env).stdout) == []
        assert pincite(*wall, "remember", "x", "--library", made, **env).exit_code == 2
    assert "Walruses" in pincite("search", "walruses", "--mode", "keyword", "--library", made, PINCITE_READABLE="").stdout
    assert pincite("search", "oysters", "--mode", "keyword", "--library", made, PINCITE_READABLE="").stdout == ""
    assert "oysters" in pincite("--readable", "legal", "search", "oysters", "--mode", "keyword", "--library", made).stdout


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("remember", ""), 2),
        (("remember", "x", "--kind", "song"), 2),
        (("remember", "x", "--at", "yesterday"), 2),
        (("remember", "x", "--about", "nobody"), 1),
        (("link", "Agreement", "nobody", "--label", "x"), 1),
        (("link", "Agreement", "Agreement", "--label", "x"), 2),
        (("unlink", "Agreement", "Amendment", "--label", "x"), 1),
        (("entity-type", "Document", "{"), 2),
        (("properties", "Agreement", "number"), 2),
        (("digest", "--max-chars", "10"), 2),
        (("restore", "nothing.json"), 2),
        (("pin", "nobody"), 1),
    ],
)
def test_what_makes_no_sense_is_told_in_a_line_or_two(made, arguments, code):
    done = pincite(*arguments, "--library", made)
    assert done.exit_code == code
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
