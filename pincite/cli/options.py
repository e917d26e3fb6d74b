"""Options that several commands share, and which library is meant."""

from __future__ import annotations

import os
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from pincite.library import Library

LIBRARY_NAME = ".pincite"
LIBRARY_VARIABLE = "PINCITE_LIBRARY"
MODEL_VARIABLE = "PINCITE_MODEL"
"""The embedding model: a name, or a folder."""


class Format(StrEnum):
    """`json` is one value, `jsonl` one a line."""

    text = "text"
    json = "json"
    jsonl = "jsonl"


class RecordKind(StrEnum):
    section = "section"
    property = "property"
    note = "note"
    turn = "turn"


class SearchMode(StrEnum):
    hybrid = "hybrid"
    semantic = "semantic"
    keyword = "keyword"
    strict = "strict"


class ShapeName(StrEnum):
    osyrin = "osyrin"
    recall = "recall"
    brain = "brain"
    retrieval = "retrieval"


LibraryOption = Annotated[
    Path | None,
    typer.Option(
        "--library",
        metavar="DIR",
        help=f"The library folder. Else ${LIBRARY_VARIABLE}, else {LIBRARY_NAME} here or in a folder above.",
    ),
]
FormatOption = Annotated[Format, typer.Option("--format", help="How to print the answer.")]
DocumentOption = Annotated[str | None, typer.Option("--document", metavar="GLOB", help="Only documents whose path fits.")]
NamespaceOption = Annotated[str | None, typer.Option("--namespace", metavar="N", help="Only documents of this namespace.")]
SectionOption = Annotated[str | None, typer.Option("--section", metavar="TEXT", help="Only sections with TEXT in their headings.")]
KindOption = Annotated[list[RecordKind] | None, typer.Option("--kind", help="Only this kind of record; may be repeated.")]
SinceOption = Annotated[str | None, typer.Option("--since", metavar="DATE", help="Only what was first remembered then or later.")]
UntilOption = Annotated[str | None, typer.Option("--until", metavar="DATE", help="Only what was first remembered until then.")]
ShapeOption = Annotated[
    ShapeName | None,
    typer.Option("--shape", help="Print JSON as another system's hits (docs/SHAPES.md); an array, or a line each."),
]
TopKOption = Annotated[int, typer.Option("-k", "--top-k", min=1, help="How many hits.")]
ModeOption = Annotated[SearchMode, typer.Option("--mode", help="How to look.")]
SimilarityOption = Annotated[
    float, typer.Option("--min-similarity", metavar="X", min=0.0, max=1.0, help="Floor for hits that only the meaning found.")
]
JobsOption = Annotated[int | None, typer.Option("--jobs", min=1, metavar="N", help="Processes that read files.")]
WaitOption = Annotated[float, typer.Option("--wait", min=0, metavar="SECONDS", help="Wait for another writer to end.")]
KeywordOption = Annotated[str | None, typer.Option("--keyword", metavar="TEXT", help="Other words for the keyword leg.")]
HiddenOption = Annotated[bool, typer.Option("--include-hidden-text", help="Also text that a reader of the document can't see.")]


PasswordOption = Annotated[
    list[str] | None,
    typer.Option("--password", metavar="TEXT", help="Opens encrypted PDFs. May be given several times; is kept nowhere."),
]
PasswordFileOption = Annotated[
    Path | None,
    typer.Option("--password-file", metavar="FILE", help="Passwords for encrypted PDFs, one a line (others can't see these)."),
]


def passwords(given: list[str] | None, file: Path | None) -> tuple[str, ...]:
    """Those of `--password`, then those of `--password-file`. Raises UnreadableSource, SourceMissing."""
    from ingest.errors import SourceMissing, UnreadableSource

    try:
        lines = file.read_text(encoding="utf-8-sig").splitlines() if file else []
    except FileNotFoundError as error:
        raise SourceMissing(str(file), "no such file") from error
    except (OSError, UnicodeDecodeError) as error:
        raise UnreadableSource(str(file), f"the passwords can't be read ({error})") from error
    return (*(given or ()), *filter(None, lines))


def library_path(given: Path | None) -> Path:
    """`--library`, else $PINCITE_LIBRARY, else `.pincite` found upward from here, else `./.pincite`."""
    if given is not None:
        return given
    if named := os.environ.get(LIBRARY_VARIABLE):
        return Path(named)
    here = Path.cwd()
    return next((p for folder in (here, *here.parents) if (p := folder / LIBRARY_NAME).is_dir()), Path(LIBRARY_NAME))


def open_library(
    given: Path | None,
    *,
    create: bool = False,
    any_format: bool = False,
    repair: bool = False,
    passwords: tuple[str, ...] = (),
) -> Library:
    from pincite.library import Library

    model = os.environ.get(MODEL_VARIABLE) or None
    return Library.open(library_path(given), create=create, model=model, any_format=any_format, repair=repair, passwords=passwords)
