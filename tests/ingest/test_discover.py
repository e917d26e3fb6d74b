import os
import socket
from pathlib import Path

import pytest

from ingest.discover import LeftOut, discover, plan_roots, shown
from ingest.models import SourceFile


def write(path: Path, text: str = "words") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def walk(*paths: Path, skip=lambda folder: None) -> tuple[list[str], dict[str, LeftOut]]:
    plan = plan_roots(paths, {})
    found = [x for scope in plan.scopes for x in discover(scope, skip=skip)]
    left_out = {x.path: x for x in (*plan.missing, *found) if isinstance(x, LeftOut)}
    return [x.path for x in found if isinstance(x, SourceFile)], left_out


def test_files_come_in_the_order_of_their_names_with_paths_below_the_root(tmp_path):
    for name in ("b.md", "a/z.txt", "a/B.md", "a/a.md", "c.pdf"):
        write(tmp_path / name)
    assert walk(tmp_path)[0] == ["a/B.md", "a/a.md", "a/z.txt", "b.md", "c.pdf"]


def test_hidden_folders_node_modules_and_virtual_environments_are_ignored_and_said(tmp_path):
    for name in (".git/x.md", ".hidden/x.md", "node_modules/x.md", "env/lib/x.md", "env/pyvenv.cfg", "kept.md", ".lock.md"):
        write(tmp_path / name)
    files, left_out = walk(tmp_path)
    assert files == ["kept.md"]
    assert set(left_out) == {".git", ".hidden", "node_modules", "env", ".lock.md"}
    assert all(x.status == "ignored" for x in left_out.values())


def test_a_hidden_folder_or_file_that_was_asked_for_is_read(tmp_path):
    write(tmp_path / ".notes/x.md")
    assert walk(tmp_path / ".notes")[0] == ["x.md"]
    assert walk(write(tmp_path / ".one.md"))[0] == [".one.md"]


def test_a_folder_can_be_refused_by_the_caller_with_a_reason(tmp_path):
    write(tmp_path / "library/x.md")
    files, left_out = walk(tmp_path, skip=lambda f: "the library itself" if f.name == "library" else None)
    assert files == []
    assert left_out["library"].reason == "the library itself"


def test_a_link_to_a_file_of_the_folder_is_read_once_under_the_real_name(tmp_path):
    write(tmp_path / "real.md")
    (tmp_path / "a-link.md").symlink_to("real.md")
    files, left_out = walk(tmp_path)
    assert files == ["real.md"]
    assert "real.md" in left_out["a-link.md"].reason


@pytest.mark.parametrize(
    ("target", "reason"),
    [(".", "a link to"), ("loop", "circle"), ("nothing.md", "nothing"), ("..", "leaves"), (".hidden", "skipped")],
)
def test_loops_and_links_that_lead_nowhere_or_out_are_ignored_with_the_reason(tmp_path, target, reason):
    folder = tmp_path / "in"
    write(folder / "a.md")
    write(folder / ".hidden/b.md")
    (folder / "loop").symlink_to(target)
    files, left_out = walk(folder)
    assert files == ["a.md"]
    assert left_out["loop"].status == "ignored"
    assert reason in left_out["loop"].reason


def test_pipes_and_sockets_are_never_opened(tmp_path):
    os.mkfifo(tmp_path / "pipe.md")
    with socket.socket(socket.AF_UNIX) as s:
        s.bind(str(tmp_path / "s.md"))
        files, left_out = walk(tmp_path)
    assert files == []
    assert "pipe" in left_out["pipe.md"].reason
    assert "socket" in left_out["s.md"].reason


def test_bytes_of_a_name_that_are_no_utf8_are_shown_as_percent_xx(tmp_path):
    raw = os.fsencode(tmp_path) + b"/bad-\xff-name.md"
    Path(os.fsdecode(raw)).write_text("x")
    files, _ = walk(tmp_path)
    assert files == ["bad-%FF-name.md"]
    assert shown("plain %41 é") == "plain %41 é"
    assert shown("lone \ud800") == "lone %ED%A0%80"


def test_two_names_that_would_be_shown_alike_are_not_confused(tmp_path):
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.md")).write_text("x")
    write(tmp_path / "%FF.md")
    files, left_out = walk(tmp_path)
    assert files == ["%FF.md"]
    assert [x.status for x in left_out.values()] == ["error"]


def test_a_name_with_a_newline_is_a_name(tmp_path):
    write(tmp_path / "line\nbreak.md")
    assert walk(tmp_path)[0] == ["line\nbreak.md"]


def test_a_path_too_long_for_the_system_is_named_and_the_others_are_read(tmp_path):
    here = os.open(tmp_path, os.O_RDONLY)
    name = "n" * 250
    for _ in range(20):  # deeper than any absolute path can say
        os.mkdir(name, dir_fd=here)
        deeper = os.open(name, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = deeper
    os.close(here)
    write(tmp_path / "z.md")
    files, left_out = walk(tmp_path)
    assert files == ["z.md"]
    assert any(x.status == "error" and "too long" in x.reason for x in left_out.values())


def test_a_path_that_is_not_there_is_an_error_and_has_no_scope(tmp_path):
    plan = plan_roots([tmp_path / "gone"], {})
    assert plan.scopes == ()
    assert [x.reason for x in plan.missing] == ["no such file or folder"]


def test_a_file_alone_has_its_folder_as_root(tmp_path):
    plan = plan_roots([write(tmp_path / "docs/a.md")], {})
    assert dict(plan.roots) == {"docs": tmp_path / "docs"}
    assert [s.below for s in plan.scopes] == ["a.md"]


def test_a_path_in_a_known_root_belongs_to_it(tmp_path):
    write(tmp_path / "docs/sub/a.md")
    plan = plan_roots([tmp_path / "docs/sub"], {"docs": tmp_path / "docs"})
    assert dict(plan.roots) == {"docs": tmp_path / "docs"}
    (scope,) = plan.scopes
    assert [x.path for x in discover(scope) if isinstance(x, SourceFile)] == ["sub/a.md"]
    assert scope.holds("docs", "sub/a.md")
    assert not scope.holds("docs", "sub2/a.md")


def test_a_new_outer_root_takes_inner_ones_over(tmp_path):
    write(tmp_path / "outer/in/er/a.md")
    plan = plan_roots([tmp_path / "outer"], {"er": tmp_path / "outer/in/er"})
    assert dict(plan.roots) == {"outer": tmp_path / "outer"}
    assert dict(plan.taken_over) == {"er": ("outer", "in/er")}


def test_roots_taken_over_twice_in_one_run_end_at_the_outermost(tmp_path):
    write(tmp_path / "a/b/c/x.md")
    plan = plan_roots([tmp_path / "a/b", tmp_path / "a"], {"c": tmp_path / "a/b/c"})
    assert dict(plan.taken_over) == {"c": ("a", "b/c"), "b": ("a", "b")}
    assert [s.below for s in plan.scopes] == [""]


def test_roots_of_the_same_name_are_told_apart_and_no_name_holds_a_colon(tmp_path):
    for name in ("x/docs", "y/docs", "z:z"):
        write(tmp_path / name / "a.md")
    plan = plan_roots([tmp_path / "x/docs", tmp_path / "y/docs", tmp_path / "z:z"], {})
    assert list(plan.roots) == ["docs", "docs-2", "z_z"]


def test_a_path_given_twice_or_inside_another_is_walked_once(tmp_path):
    write(tmp_path / "docs/sub/a.md")
    assert walk(tmp_path / "docs", tmp_path / "docs/sub", tmp_path / "docs")[0] == ["sub/a.md"]
