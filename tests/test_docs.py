"""What the prose says is true: paths exist, examples run, commands have help, the public names are there."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

import pincite
from pincite.cli.app import app

ROOT = Path(__file__).parents[1]
PUBLIC = {
    "Chunk",
    "DocumentRecord",
    "FileReport",
    "IngestReport",
    "Library",
    "LibraryStatus",
    "PinciteError",
    "Place",
    "QuoteMatch",
    "SearchHit",
    "SearchResponse",
}
COMMANDS = sorted(typer.main.get_command(app).commands)  # type: ignore[attr-defined]


def named_paths(document: str) -> set[str]:
    text = (ROOT / document).read_text(encoding="utf-8")
    code = set(re.findall(r"`([\w./-]+/[\w./-]*|[A-Z][\w.]*|\w+\.(?:md|txt|toml))`", text))
    return code | {link for link in re.findall(r"\]\(([^)#]+)\)", text) if "://" not in link}


@pytest.mark.parametrize("path", sorted(p for p in named_paths("ARCHITECTURE.md") if "/" in p or "." in p))
def test_every_path_of_the_architecture_exists(path):
    assert (ROOT / path).exists()


def test_every_link_of_the_readme_leads_somewhere():
    links = set(re.findall(r"\]\(([^)#]+)\)", (ROOT / "README.md").read_text(encoding="utf-8")))
    assert {"ARCHITECTURE.md", "LICENSE"} <= links
    assert all((ROOT / link).exists() for link in links if "://" not in link)


def test_every_folder_of_the_packages_and_each_step_is_in_the_architecture():
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    for package in ("ingest", "index", "query", "pincite"):
        assert f"## `{package}/`" in text


def test_the_public_names_are_what_they_should_be_and_all_load():
    assert set(pincite.__all__) == PUBLIC
    assert all(getattr(pincite, name) is not None for name in pincite.__all__)
    with pytest.raises(AttributeError, match="nonsense"):
        pincite.nonsense  # noqa: B018


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(command):
    done = CliRunner().invoke(app, [command, "--help"])
    assert done.exit_code == 0
    assert len(done.stdout.splitlines()[2].strip()) > 10


def test_the_list_of_commands_cuts_no_sentence_off():
    listed = CliRunner().invoke(app, ["--help"], env={"COLUMNS": "80", "TERMINAL_WIDTH": "80"}).stdout.split("Commands:")[1]
    assert len(listed.strip().splitlines()) == len(COMMANDS)
    assert "..." not in listed


def test_the_readme_names_every_make_target_that_people_need():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    named = set(re.findall(r"^make (\w+)", (ROOT / "README.md").read_text(encoding="utf-8"), re.MULTILINE))
    assert {"demo", "test", "ingest", "search", "cite", "export"} <= named
    assert all(re.search(rf"^{target}:", makefile, re.MULTILINE) for target in named)


@pytest.mark.real
def test_the_python_example_of_the_readme_runs_without_a_main_guard(tmp_path):
    (example,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    shutil.copytree(ROOT / "sample_docs", tmp_path / "sample_docs", ignore=shutil.ignore_patterns(".*"))
    (tmp_path / "example.py").write_text(f"import sys\nsys.path.insert(0, {str(ROOT)!r})\n{example}", encoding="utf-8")
    done = subprocess.run([sys.executable, "example.py"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "Late payment" in done.stdout
