"""The hits of the last search that was printed for a person, by their numbers, so that `show 2` and `open 2` know what is meant.

Only ids are kept (no words), a file a library, in the user's folder for such things. It is a convenience: where it can't be
written, nothing is said.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from ingest.errors import NotFound

_LONGEST_NUMBER = 4


def remember(ids: Sequence[str], library: Path) -> None:
    with suppress(OSError):
        file = _file(library)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(list(ids)), encoding="utf-8")


def id_of(what: str, library: Path) -> str:
    """`what`, or the id of the n-th hit if it is a small number. Raises NotFound for a number that no hit has."""
    if not what.isdecimal() or len(what) > _LONGEST_NUMBER:
        return what
    try:
        ids = json.loads(_file(library).read_text(encoding="utf-8"))
        return str(ids[int(what) - 1]) if int(what) >= 1 else what
    except (OSError, ValueError, LookupError, TypeError):
        raise NotFound(f"the last search here gave no hit {what}", next_step="Search first, or give an id or a path.") from None


def _file(library: Path) -> Path:
    """In $XDG_STATE_HOME, else where the system keeps such things."""
    local = os.environ.get("XDG_STATE_HOME") or os.environ.get("LOCALAPPDATA")
    folder = Path(local) if local else Path.home() / ".local" / "state"
    name = hashlib.sha256(os.fsencode(library.resolve())).hexdigest()[:16]
    return folder / "pincite" / f"last-{name}.json"
