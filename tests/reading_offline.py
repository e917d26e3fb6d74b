"""Reads each file of a folder in a fresh process that refuses every call to the network and every other program.

python reading_offline.py FOLDER. Fails where something was tried, warned of, or unstructured loaded before a file needed it. Not a
test itself: tests run it, so that nothing of theirs is loaded beforehand.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

REFUSED = ("socket.connect", "socket.getaddrinfo", "socket.sendto", "urllib.Request", "subprocess.Popen", "os.system")
WITHOUT_UNSTRUCTURED = (".md", ".txt", ".pdf", ".csv", ".tsv", ".xlsx", ".rtf")


def main(folder: Path) -> None:
    warnings.simplefilter("error")
    tried: list[tuple[str, tuple[object, ...]]] = []

    def refuse(event: str, arguments: tuple[object, ...]) -> None:
        if event in REFUSED:
            tried.append((event, arguments))
            raise OSError("refused")

    sys.addaudithook(refuse)
    from ingest.formats import read_source
    from ingest.models import SourceFile

    for file in sorted(folder.iterdir(), key=lambda file: (file.suffix not in WITHOUT_UNSTRUCTURED, file.name)):
        read_source(SourceFile(file=file, root="", path=file.name, size=0, mtime_ns=0))
        assert file.suffix not in WITHOUT_UNSTRUCTURED or "unstructured" not in sys.modules, file
    assert "unstructured" in sys.modules
    assert not tried, tried


if __name__ == "__main__":
    main(Path(sys.argv[1]))
