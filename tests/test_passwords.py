"""Encrypted PDFs from end to end: read, exported, verified and looked after with a password, and refused by name without."""

from __future__ import annotations

import json

import pymupdf
import pytest
from making_pdfs import Drawing
from typer.testing import CliRunner, Result

from index.pipeline import IngestOptions
from pincite import Library
from pincite.cli.app import app

pytestmark = pytest.mark.real

WORDS = "The vault opens at nine in the morning."


def pincite(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(a) for a in arguments])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Two files under two passwords, an open one, a library that has read all three, and a file of the passwords."""
    here = tmp_path_factory.mktemp("passwords")
    (here / "files").mkdir()
    for name, password in (("one", "first key"), ("two", "zweiter Schlüssel")):
        document = Drawing().line(WORDS).line(f"This is file {name}.").document
        document.save(
            here / f"files/{name}.pdf", encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw=password, owner_pw=f"{name} owner"
        )
    Drawing().line("Anybody may read this.").document.save(here / "files/open.pdf")
    (here / "keys.txt").write_text("first key\n\nzweiter Schlüssel\n", encoding="utf-8")
    done = pincite("ingest", here / "files", "--library", here / "library", "--password-file", here / "keys.txt", "--jobs", 2)
    assert done.exit_code == 0, done.stderr
    return here


def test_each_file_is_opened_with_the_password_that_fits(folder):
    with Library.open(folder / "library") as library:
        found = library.cite(WORDS)
    assert [p.source_document for p in found.places] == ["one.pdf", "two.pdf"]


def test_without_a_password_the_file_is_named_and_the_others_go_in(folder, tmp_path):
    done = pincite("ingest", folder / "files", "--library", tmp_path / "library", "--password", "first key")
    assert done.exit_code == 3
    assert "error: two.pdf: no password that was given opens it" in done.stderr
    assert "one.pdf" not in done.stderr
    again = pincite("ingest", folder / "files", "--library", tmp_path / "library", "--password", "zweiter Schlüssel")
    assert again.exit_code == 0
    assert "1 added" in again.stdout


@pytest.mark.parametrize("to", ["pdf", "html", "json"])
def test_an_encrypted_source_is_exported_with_its_password_and_refused_without(folder, tmp_path, to):
    asked = (
        "export",
        "vault opens at nine",
        "--document",
        "one.pdf",
        "--library",
        folder / "library",
        "--to",
        to,
        "--mode",
        "keyword",
    )
    refused = pincite(*asked, "--out", tmp_path / "none")
    assert refused.exit_code == 2
    assert "one.pdf: needs a password" in refused.stderr
    assert "--password" in refused.stderr
    done = pincite(*asked, "--out", tmp_path / "out", "--password", "first key")
    assert done.exit_code == 0, done.stderr
    if to == "pdf":
        (copy,) = (tmp_path / "out").iterdir()
        with pymupdf.open(copy) as document:
            assert document.needs_pass  # the copy is as closed as its source
            assert document.authenticate("first key")
            assert len(list(document[0].annots())) == 1


def test_a_bundle_is_verified_with_the_password(folder, tmp_path):
    pincite("export", "vault", "--document", "one.pdf", "--library", folder / "library", "--to", "json", "--mode", "keyword",
            "--out", tmp_path, "--password", "first key")  # fmt: skip
    (bundle,) = tmp_path.iterdir()
    without = pincite("verify", bundle, "--root", folder / "files", "--format", "json")
    assert without.exit_code == 1
    (verdict,) = json.loads(without.stdout)["verdicts"]
    assert verdict["status"] == "no source"
    assert "password" in verdict["reason"]
    done = pincite("verify", bundle, "--root", folder / "files", "--password-file", folder / "keys.txt")
    assert done.exit_code == 0, done.stdout


def test_doctor_and_rebuild_read_encrypted_sources_again(folder):
    assert pincite("doctor", "--deep", "--library", folder / "library").exit_code == 1
    keys = ("--library", folder / "library", "--password-file", folder / "keys.txt")
    assert pincite("doctor", "--deep", *keys).exit_code == 0
    lost = pincite("rebuild", "--library", folder / "library")
    assert lost.exit_code == 2
    assert "would be lost" in lost.stderr
    assert pincite("rebuild", *keys).exit_code == 0


def test_a_password_file_that_is_not_there_is_named(folder, tmp_path):
    done = pincite("ingest", folder / "files", "--library", tmp_path / "library", "--password-file", tmp_path / "keys")
    assert done.exit_code == 2
    assert "keys: no such file" in done.stderr


def test_a_password_is_shown_by_no_record():
    assert "secret" not in repr(IngestOptions(passwords=("secret",)))
