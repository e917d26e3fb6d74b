"""The command line: what it prints where, and its exit codes."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner, Result

from index.model_files import DEFAULT_MODEL, locate_model
from pincite.cli.app import app

ROOT = Path(__file__).parents[2]


def pincite(*arguments: object, **env: str) -> Result:
    return CliRunner().invoke(app, [str(a) for a in arguments], env=env or None)


@pytest.fixture
def here(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PINCITE_LIBRARY", raising=False)
    return tmp_path


def test_a_library_that_is_not_there_is_an_error_in_two_lines(here):
    done = pincite("search", "x", "--library", here / "nothing")
    assert done.exit_code == 2
    assert done.stdout == ""
    assert 1 <= len(done.stderr.splitlines()) <= 2
    assert "Traceback" not in done.stderr


def test_only_debug_shows_a_traceback(here):
    assert "Traceback" in pincite("--debug", "status", "--library", here / "nothing").stderr


@pytest.mark.parametrize(
    "arguments", [[], ["nonsense"], ["search"], ["search", "x", "-k", "0"], ["search", "x", "--mode", "magic"]]
)
def test_wrong_use_is_exit_code_2(here, arguments):
    assert pincite(*arguments).exit_code == 2


def test_the_version_is_printed(here):
    assert pincite("--version").stdout.startswith("pincite ")


@pytest.mark.parametrize("name", ["hit", "response", "chunk", "quote-match", "place", "record", "bundle"])
def test_schemas_are_printed_as_json(here, name):
    assert json.loads(pincite("schema", name).stdout)["type"] == "object"


def test_an_unknown_schema_is_named(here):
    done = pincite("schema", "x")
    assert done.exit_code == 2
    assert "no such schema: x" in done.stderr


def test_a_mistyped_path_makes_no_library(here):
    done = pincite("ingest", "nowhere")
    assert done.exit_code == 2
    assert "nowhere" in done.stderr
    assert list(here.iterdir()) == []


def test_looking_makes_no_library(here):
    for command in (["status"], ["documents"], ["search", "x"], ["cite", "x"]):
        assert pincite(*command).exit_code == 2
    assert pincite("ingest", "--dry-run", ".").exit_code == 0
    assert list(here.iterdir()) == []


@pytest.mark.real
class TestWithSamples:
    def test_hits_are_printed_with_citation_and_match(self, sample_library):
        done = pincite("search", "late payment interest", "--library", sample_library, "--explain")
        assert done.exit_code == 0
        assert done.stdout.startswith(" 1 Master Services Agreement, § 4.2 Late payment, p. 7")
        assert "**If an undisputed invoice" in done.stdout
        assert "keyword: rank" in done.stdout
        assert "\x1b" not in done.stdout

    def test_context_shows_the_match_with_its_neighbours_and_nothing_else(self, sample_library):
        def shown(*options):
            done = pincite("search", "late payment interest", "--library", sample_library, "-k", 1, *options)
            assert done.exit_code == 0
            lines = done.stdout.splitlines()
            return " ".join(line.strip() for line in lines[1 : next(n for n, x in enumerate(lines) if "score " in x)])

        hit = json.loads(pincite("search", "late payment interest", "--library", sample_library, "--format", "json").stdout)[
            "hits"
        ][0]
        alone, wider, most = shown("--context", 0), shown("--context", 1), shown("--context", 99)
        assert alone == f"**{' '.join(hit['quote_text'].split())}**"
        assert alone in wider
        assert wider in most
        assert len(alone) < len(wider) < len(most)
        assert pincite("search", "x", "--library", sample_library, "--context", "-1").exit_code == 2

    def test_a_failed_leg_is_told_and_counts_as_failure_on_request(self, sample_library, tmp_path):
        broken = tmp_path / "library"
        shutil.copytree(sample_library, broken)
        shutil.rmtree(broken / "keyword")
        done = pincite("search", "late payment interest", "--library", broken)
        assert (done.exit_code, "the keyword leg failed" in done.stderr) == (0, True)
        assert done.stdout.startswith(" 1 ")
        done = pincite("search", "late payment interest", "--library", broken, "--fail-on-degraded", "--format", "json")
        assert (done.exit_code, json.loads(done.stdout)["status"]) == (4, "degraded")

    def test_filters_are_options(self, sample_library):
        def found(*options):
            return pincite("search", "late payment interest", "--library", sample_library, *options)

        assert found("--kind", "section", "--kind", "note", "--since", "2000-01-01").exit_code == 0
        for options in (["--kind", "note"], ["--until", "2000-01-01"], ["--since", "2999-01-01"]):
            done = found(*options)
            assert done.exit_code == 1
            assert "no text fits the filter" in done.stderr
        assert found("--since", "soon").exit_code == 2

    def test_json_is_the_response_and_jsonl_a_hit_a_line(self, sample_library):
        response = json.loads(pincite("search", "interest", "--library", sample_library, "--format", "json").stdout)
        lines = pincite("search", "interest", "--library", sample_library, "--format", "jsonl").stdout.splitlines()
        assert [json.loads(line)["chunk_id"] for line in lines] == [h["chunk_id"] for h in response["hits"]]
        assert response["status"] == "complete"

    def test_quotations_of_a_file_are_looked_up_together(self, sample_library, tmp_path):
        quotes = tmp_path / "quotes.txt"
        quotes.write_text("late payment interest\n\nnobody has seen a whale inside this port\n", encoding="utf-8")
        done = pincite("cite", "--file", quotes, "--library", sample_library, "--format", "json")
        assert done.exit_code == 1
        assert [match["status"] for match in json.loads(done.stdout)] == ["exact", "missing"]
        quotes.write_text(json.dumps({"quotes": [{"quote": "late payment interest"}]}))
        done = pincite("cite", "--file", quotes, "--library", sample_library)
        assert (done.exit_code, done.stdout.splitlines()[-1]) == (0, "1 of 1 found")

    def test_a_quotation_that_is_nearly_there_is_shown_with_its_differences(self, sample_library):
        done = pincite("cite", "late payment interest accrues at 2.5% per month", "--library", sample_library)
        assert done.exit_code == 1
        assert done.stdout.startswith("fuzzy: not there as it stands")
        assert "accrues at [-2.5%-] {+1.5%+} per month" in done.stdout

    def test_a_bundle_is_verified_with_and_without_the_library(self, sample_library, samples, tmp_path, monkeypatch):
        out = tmp_path / "out"
        command = ("export", "late payment interest", "-k", 2, "--to", "jsonl", "--out", out, "--library", sample_library)
        bundle = Path(pincite(*command).stdout.strip())
        monkeypatch.chdir(tmp_path)
        monkeypatch.delenv("PINCITE_LIBRARY", raising=False)
        assert pincite("verify", bundle, "--library", sample_library).exit_code == 0
        done = pincite("verify", bundle, "--root", samples)
        assert (done.exit_code, done.stdout.splitlines()[-1]) == (0, "2 verified")
        done = pincite("verify", bundle, "--format", "json")
        assert (done.exit_code, json.loads(done.stdout)["counts"]) == (1, {"no source": 2})
        bundle.write_text(bundle.read_text(encoding="utf-8").replace("1.5%", "2.5%"), encoding="utf-8")
        done = pincite("verify", bundle, "--root", samples)
        assert done.exit_code == 1
        assert "[-2.5%-] {+1.5%+}" in done.stdout
        assert done.stdout.splitlines()[-1] == "1 verified, 1 changed"

    def test_the_hook_before_a_commit_takes_bundles_and_stops_where_a_quote_is_not_verified(self, sample_library, here, samples):
        [hook] = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
        shutil.copytree(samples, here / "docs")
        command = ("export", "late payment interest", "-k", 1, "--to", "json", "--out", "docs/quotes", "--library", sample_library)
        bundle = Path(pincite(*command).stdout.strip())
        assert re.search(hook["files"], bundle.as_posix())
        os.chdir(here / "docs")
        program, *arguments = hook["entry"].split()
        assert program == "pincite"
        assert pincite(*arguments, bundle.relative_to("docs")).exit_code == 0
        Path("contracts").rename("contracts-2026")
        done = pincite(*arguments, bundle.relative_to("docs"))
        assert (done.exit_code, done.stdout.splitlines()[-1]) == (1, "1 moved")

    def test_what_is_no_bundle_is_exit_code_2(self, here):
        (here / "x.json").write_text("{}")
        assert pincite("verify", here / "x.json").exit_code == 2
        assert pincite("verify", here / "nothing.json").exit_code == 2

    def test_nothing_found_is_exit_code_1(self, sample_library):
        done = pincite("search", "zyzzyva", "--mode", "keyword", "--library", sample_library)
        assert (done.exit_code, done.stdout) == (1, "")
        assert "nothing found" in done.stderr

    def test_cite_says_where_a_quotation_is(self, sample_library):
        done = pincite("cite", "late payment interest accrues at 1.5% per month", "--library", sample_library)
        assert done.exit_code == 0
        assert done.stdout.startswith("exact")
        assert "p. 7" in done.stdout

    def test_a_quotation_that_is_not_there_is_exit_code_1(self, sample_library):
        done = pincite("cite", "no whale has been seen inside this port", "--library", sample_library)
        assert done.exit_code == 1
        assert done.stdout.startswith("missing\n")

    def test_export_writes_and_does_not_overwrite(self, sample_library, tmp_path):
        command = (
            "export",
            "late payment interest",
            "-k",
            "1",
            "--to",
            "md",
            "--out",
            tmp_path / "out",
            "--library",
            sample_library,
        )
        first = pincite(*command)
        assert first.exit_code == 0
        assert all(Path(line).is_file() for line in first.stdout.splitlines())
        assert pincite(*command).exit_code == 2
        assert pincite(*command, "--force").exit_code == 0

    def test_documents_chunks_and_status_look_inside(self, sample_library):
        assert "Master Services Agreement" in pincite("documents", "--library", sample_library).stdout
        assert "documents   12" in pincite("status", "--library", sample_library).stdout
        chunks = pincite("chunks", "handbook.md", "--library", sample_library, "--format", "jsonl").stdout.splitlines()
        assert json.loads(chunks[0])["source_document"] == "handbook.md"
        assert pincite("chunks", "nothing.md", "--library", sample_library).exit_code == 1

    def test_the_library_is_found_by_the_environment_and_upward(self, sample_library, here):
        assert pincite("status", PINCITE_LIBRARY=str(sample_library)).exit_code == 0
        (here / ".pincite").symlink_to(sample_library)
        (here / "deep/er").mkdir(parents=True)
        os.chdir(here / "deep/er")
        assert pincite("status").exit_code == 0

    def test_a_bad_file_beside_good_ones_is_exit_code_3_and_alone_2(self, here):
        (here / "in").mkdir()
        (here / "in/bad.pdf").write_text("<html>")
        assert pincite("ingest", "in", "--library", "lib").exit_code == 2
        (here / "in/good.md").write_text("# Good\n\nWords.\n")
        done = pincite("ingest", "in", "--library", "lib")
        assert done.exit_code == 3
        assert "error: bad.pdf: not a PDF: an HTML page" in done.stderr
        assert "1 added, 1 failed" in done.stdout

    def test_the_report_of_ingest_as_json_has_the_keys_of_the_contract(self, here):
        (here / "a.txt").write_text("Words.")
        report = json.loads(pincite("ingest", "a.txt", "--library", "lib", "--format", "json").stdout)
        assert {"files", "counts", "index_generation", "elapsed_ms"} <= report.keys()
        assert {"path", "change", "status", "reason", "pages", "chunks"} <= report["files"][0].keys()

    def test_a_reader_that_has_seen_enough_is_no_error(self, sample_library):
        code = "from pincite.cli.app import main; main()"
        command = [sys.executable, "-c", code, "chunks", "--library", str(sample_library)]
        with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            assert process.stdout is not None
            assert process.stderr is not None
            process.stdout.readline()
            process.stdout.close()
            complaint = process.stderr.read()
        assert complaint == b""

    def test_the_demo_writes_a_highlighted_pdf_and_runs_again(self, here):
        for _ in range(2):
            done = pincite("demo")
            assert done.exit_code == 0, done.stderr
            assert "Late payment" in done.stdout
        assert "Service Report, Second Quarter 2025, § 2.2 Why PX-204 is below the others" in done.stdout
        assert list((here / "pincite-demo/quotes").glob("*.pdf"))


@pytest.mark.real
def test_a_library_keeps_to_the_model_it_was_made_with(tmp_path):
    model, library, notes = tmp_path / "cls-model", tmp_path / "library", tmp_path / "notes.md"
    shutil.copytree(locate_model(DEFAULT_MODEL)[1], model)
    (model / "1_Pooling" / "config.json").write_text('{"word_embedding_dimension": 384, "pooling_mode_cls_token": true}')
    notes.write_text("# Fees\n\nInterest accrues on late payment.\n", encoding="utf-8")
    ours = {"PINCITE_MODEL": str(model)}
    assert pincite("ingest", notes, "--library", library, **ours).exit_code == 0
    done = pincite("search", "late payment", "--library", library, "--fail-on-degraded", **ours)
    assert (done.exit_code, "Interest accrues on late payment." in done.stdout) == (0, True)
    notes.write_text("# Fees\n\nThe fee is nine crowns.\n", encoding="utf-8")
    refused = pincite("ingest", notes, "--library", library)
    assert (refused.exit_code, "cls-model" in refused.stderr) == (2, True)
    assert pincite("search", "late payment", "--library", library, "--fail-on-degraded").exit_code == 4


@pytest.mark.real
def test_doctor_counts_what_it_looked_at(sample_library, here):
    done = pincite("doctor", "--deep", "--library", sample_library)
    assert done.exit_code == 0
    counts = {line.split(" of ", 1)[1].split(" ", 1)[1]: line.split()[1:4:2] for line in done.stdout.splitlines()}
    good, total = counts["chunks exact (the text at their offset)"]
    assert good == total != "0"
    (characters,) = (line for line in done.stdout.splitlines() if "characters on the pages" in line)
    numbers = [int(n.replace(",", "")) for n in re.findall(r"[\d,]*\d", characters)]
    assert numbers[0] == numbers[1] == numbers[2] + numbers[3] > 10_000
    assert numbers[3] > 100


@pytest.mark.real
def test_doctor_says_how_a_broken_manifest_is_mended_and_mends_it(sample_library, here):
    shutil.copytree(sample_library, here / "library")
    (here / "library/manifest.json").write_text("{")
    refused = pincite("doctor", "--library", here / "library")
    assert (refused.exit_code, len(refused.stderr.splitlines())) == (2, 2)
    assert "pincite doctor --repair" in refused.stderr
    mended = pincite("doctor", "--repair", "--library", here / "library")
    assert "WRONG  0 of" not in mended.stdout
    assert pincite("status", "--library", here / "library").exit_code == 0


def test_search_prints_the_hits_in_another_systems_shape(here, sample_library):
    ask = ("search", "late payment interest", "--library", sample_library, "-k", "2", "--shape", "osyrin")
    hits = json.loads(pincite(*ask).stdout)
    assert [set(h) > {"Content", "Score", "SourceLabel"} for h in hits] == [True, True]
    lines = pincite(*ask, "--format", "jsonl").stdout.splitlines()
    assert [json.loads(line)["Content"] for line in lines] == [h["Content"] for h in hits]
    assert pincite("search", "x", "--library", sample_library, "--shape", "circle").exit_code == 2
