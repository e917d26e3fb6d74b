"""Finds the files to read: PATHs in, a stream of `SourceFile`s in stable order out, and a note for all that is left out.

Nothing is left out silently: hidden folders, links, pipes, unreadable folders each give a `LeftOut`. No file is opened here.
A root is a folder that was ingested; (root, path below it) identifies a source document.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ingest.models import SourceFile

SKIPPED_FOLDERS = frozenset({"node_modules", "__pycache__"})
"""Folders of other programs, beside the hidden ones; virtual environments are known by their `pyvenv.cfg`."""

_SURROGATE = re.compile(r"[\ud800-\udfff]")
_OTHER_KINDS: tuple[tuple[Callable[[int], bool], str], ...] = (
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISBLK, "a device"),
    (stat.S_ISCHR, "a device"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """Something below a PATH that is not read. `ignored` is by rule, `error` needs the user. `path` as in `SourceFile`.

    `folder` is true where everything below `path` is left out.
    """

    root: str
    path: str
    status: Literal["ignored", "error"]
    reason: str
    folder: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """One PATH as given: `start` (absolute, links resolved) is `below` its root's `folder`; `below` is "" for the root itself."""

    root: str
    folder: Path
    start: Path
    below: str

    def holds(self, root: str, path: str) -> bool:
        """Whether the source document (root, path) lies in this scope."""
        return root == self.root and (not self.below or path == self.below or path.startswith(self.below + "/"))


@dataclass(frozen=True, slots=True, kw_only=True)
class RootPlan:
    """Which roots the library has after these PATHs. `taken_over` maps an inner root to its new (root, path prefix)."""

    roots: Mapping[str, Path]
    scopes: tuple[Scope, ...]
    taken_over: Mapping[str, tuple[str, str]]
    missing: tuple[LeftOut, ...]

    def place_now(self, root: str, path: str) -> tuple[str, str]:
        """(root, path) of a source document of before, now that its root may have been taken over."""
        outer, prefix = self.taken_over.get(root, (root, ""))
        return outer, f"{prefix}/{path}" if prefix else path

    def place_before(self, root: str, path: str) -> tuple[str, str]:
        """Where the source document at a place of now was: the way back."""
        for inner, (outer, prefix) in self.taken_over.items():
            if root == outer and path.startswith(prefix + "/"):
                return inner, path.removeprefix(prefix + "/")
        return root, path


def shown(name: str) -> str:
    """The name as people see it: bytes that are no UTF-8 as `%XX`."""
    return _SURROGATE.sub(lambda m: "".join(f"%{b:02X}" for b in _raw(m.group())), name)


def _raw(surrogate: str) -> bytes:
    try:
        return os.fsencode(surrogate)
    except UnicodeEncodeError:
        return surrogate.encode("utf-8", "surrogatepass")


def relative(file: Path, folder: Path) -> str:
    """The path of `file` below `folder`, `/`-separated, as shown to people; "" for the folder itself."""
    path = file.relative_to(folder).as_posix()
    return "" if path == "." else shown(path)


def plan_roots(paths: Sequence[Path], known: Mapping[str, Path]) -> RootPlan:
    """Where each PATH belongs. A path in a known root belongs to it; a new outer root takes inner ones over.

    A PATH that is not there becomes an error in `missing` and no scope, so that nothing below it counts as gone (an unplugged
    disk is no deletion).
    """
    roots = dict(known)
    taken: dict[str, tuple[str, str]] = {}
    starts: list[Path] = []
    missing: list[LeftOut] = []
    for path in paths:
        try:
            starts.append(path.resolve(strict=True))
        except (OSError, RuntimeError) as e:
            missing.append(LeftOut(root="", path=shown(str(path)), status="error", reason=_why(e)))
    for start in starts:
        folder = start if start.is_dir() else start.parent
        if _root_of(folder, roots) is not None:
            continue
        name = _free_name(folder, roots)
        for inner in [n for n, f in roots.items() if f.is_relative_to(folder)]:
            taken[inner] = (name, relative(roots.pop(inner), folder))
        roots[name] = folder
    scopes = [Scope(root=r, folder=roots[r], start=s, below=relative(s, roots[r])) for s in starts if (r := _root_of(s, roots))]
    return RootPlan(roots=roots, scopes=tuple(_outermost(scopes)), taken_over=_chased(taken), missing=tuple(missing))


def _root_of(path: Path, roots: Mapping[str, Path]) -> str | None:
    return next((name for name, folder in roots.items() if path.is_relative_to(folder)), None)


def _free_name(folder: Path, roots: Mapping[str, Path]) -> str:
    """The folder's name, made unique; without `:`, which parts root and path in look-ups."""
    base = shown(folder.name).replace(":", "_") or "root"
    names = (base if n == 1 else f"{base}-{n}" for n in range(1, len(roots) + 2))
    return next(name for name in names if name not in roots)


def _outermost(scopes: Iterable[Scope]) -> list[Scope]:
    """Each file once: a scope inside another is dropped."""
    kept: list[Scope] = []
    for scope in sorted(scopes, key=lambda s: (s.root, len(s.below))):
        if not any(k.holds(scope.root, scope.below) for k in kept):
            kept.append(scope)
    return kept


def _chased(taken: Mapping[str, tuple[str, str]]) -> dict[str, tuple[str, str]]:
    """An inner root taken by a root that was itself taken over belongs to the outermost."""
    out = {}
    for inner in taken:
        root, prefix = taken[inner]
        while root in taken:
            root, outer = taken[root]
            prefix = "/".join(part for part in (outer, prefix) if part)
        out[inner] = (root, prefix)
    return out


def discover(scope: Scope, *, skip: Callable[[Path], str | None] = lambda folder: None) -> Iterator[SourceFile | LeftOut]:
    """Everything below a scope, depth first, in order of the names' bytes; never raises for what lies there.

    `skip` says why a folder is none of the user's documents (the library itself), or None.
    """
    if not scope.start.is_dir():
        yield _entry(scope, scope.start)
        return
    if why := skip(scope.start):
        yield _left_out(scope, scope.start, why, folder=True)
        return
    seen: set[tuple[int, int]] = set()
    stack = [iter([scope.start])]
    while stack:
        if (path := next(stack[-1], None)) is None:
            stack.pop()
            continue
        try:
            if path.is_symlink() or not path.is_dir():
                yield _entry(scope, path)
                continue
            why = None if path == scope.start else _folder_rule(path) or skip(path)
            why = why or _seen_before(path, seen)
            names = [] if why else sorted(os.listdir(path), key=os.fsencode)  # noqa: PTH208 (they may be many: no paths yet)
        except OSError as e:
            yield _left_out(scope, path, _why(e), status="error", folder=True)
            continue
        if why:
            yield _left_out(scope, path, why, folder=True)
        stack.append(map(path.joinpath, names))


def _seen_before(folder: Path, seen: set[tuple[int, int]]) -> str | None:
    """A folder mounted inside itself has no end."""
    info = folder.stat()
    identity = (info.st_dev, info.st_ino)
    if info.st_ino and identity in seen:
        return "a folder that was read under another name"
    seen.add(identity)
    return None


def _folder_rule(folder: Path) -> str | None:
    if folder.name.startswith("."):
        return "hidden folder"
    if folder.name in SKIPPED_FOLDERS:
        return f"a folder of another program ({folder.name})"
    if (folder / "pyvenv.cfg").is_file():
        return "a virtual environment"
    return None


def _entry(scope: Scope, path: Path) -> SourceFile | LeftOut:
    """A file, or why it is none."""
    asked_for = path == scope.start
    try:
        if path.is_symlink():
            return _left_out(scope, path, _link_rule(scope, path))
        info = path.stat()
    except (OSError, RuntimeError) as e:
        return _left_out(scope, path, _why(e), status="error")
    if not stat.S_ISREG(info.st_mode):
        kind = next((name for test, name in _OTHER_KINDS if test(info.st_mode)), "no regular file")
        return _left_out(scope, path, f"{kind}, never opened")
    if path.name.startswith(".") and not asked_for:
        return _left_out(scope, path, "hidden file")
    name = relative(path, scope.folder)
    if _SURROGATE.search(str(path)) and os.path.lexists(scope.folder / name):
        return _left_out(scope, path, "its name is no UTF-8, and another file has the name it would be shown by", status="error")
    return SourceFile(file=path, root=scope.root, path=name, size=info.st_size, mtime_ns=info.st_mtime_ns)


def _link_rule(scope: Scope, link: Path) -> str:
    """Why a link is not read under its own name: the real file is, where the walk comes by it."""
    try:
        target = link.resolve(strict=True)
    except FileNotFoundError:
        return "a link to nothing"
    except (OSError, RuntimeError):
        return "a link that leads round in a circle"
    if not target.is_relative_to(scope.start):
        return "a link that leaves the folder"
    inside = target.relative_to(scope.start)
    where = shown(inside.as_posix())
    if any(part.startswith(".") or part in SKIPPED_FOLDERS for part in inside.parts):
        return f"a link to {where}, which is skipped"
    return f"a link to {where}, which is read under that name"


def _left_out(
    scope: Scope, path: Path, reason: str, *, status: Literal["ignored", "error"] = "ignored", folder: bool = False
) -> LeftOut:
    return LeftOut(root=scope.root, path=relative(path, scope.folder) or ".", status=status, reason=reason, folder=folder)


def _why(error: OSError | RuntimeError) -> str:
    """The operating system's reason, without the path."""
    if isinstance(error, FileNotFoundError):
        return "no such file or folder"
    return (getattr(error, "strerror", None) or str(error)).lower()
