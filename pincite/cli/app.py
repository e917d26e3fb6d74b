"""The `pincite` command: its subcommands, and what becomes of errors."""

from __future__ import annotations

import os
import sys
import traceback
from typing import Annotated

import typer
from typer.core import TyperGroup

from ingest.errors import PinciteError
from pincite.cli.care import doctor, purge, rebuild, remove
from pincite.cli.cite import cite
from pincite.cli.demo import demo
from pincite.cli.export import export
from pincite.cli.ingest import ingest
from pincite.cli.look import chunks, documents, schema, status
from pincite.cli.options import READABLE
from pincite.cli.records import (
    backup,
    digest,
    entities,
    entity_type,
    link,
    pin,
    properties,
    remember,
    restore,
    unlink,
    unpin,
)
from pincite.cli.search import search
from pincite.cli.show import open_, show
from pincite.cli.terminal import note, one_line, out
from pincite.cli.verify import verify

INTERRUPTED = 130


class _Commands(TyperGroup):
    """Turns errors into one or two lines and an exit code."""

    def invoke(self, ctx: typer.Context) -> object:  # type: ignore[override]  # typer keeps the base class private
        try:
            result: object = super().invoke(ctx)
            sys.stdout.flush()
        except PinciteError as e:
            if _debugging(ctx):
                traceback.print_exc()
            note(f"pincite: {one_line(e.message)}")
            if e.next_step:
                note(f"  {one_line(e.next_step)}")
            raise typer.Exit(e.exit_code) from None
        except KeyboardInterrupt:
            note("interrupted")
            raise typer.Exit(INTERRUPTED) from None
        except BrokenPipeError:  # the reader of our output has seen enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(0) from None
        return result


app = typer.Typer(
    name="pincite",
    cls=_Commands,
    help="Find the sentence that answers, and cite it so that anyone can check it.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (
    ingest,
    search,
    cite,
    export,
    verify,
    chunks,
    documents,
    status,
    show,
    schema,
    demo,
    doctor,
    remove,
    purge,
    rebuild,
    remember,
    link,
    unlink,
    entities,
    properties,
    entity_type,
    pin,
    unpin,
    digest,
    backup,
    restore,
):
    app.command()(command)
app.command("open")(open_)


def _debugging(ctx: typer.Context) -> bool:
    return bool(ctx.params.get("debug"))


def _version(asked: bool) -> None:
    if asked:
        from importlib.metadata import PackageNotFoundError, version

        try:
            out(f"pincite {version('pincite')}")
        except PackageNotFoundError:
            out("pincite (run from its sources, not installed)")
        raise typer.Exit


@app.callback()
def options(
    debug: Annotated[bool, typer.Option("--debug", help="Show tracebacks.")] = False,
    readable: Annotated[
        list[str] | None,
        typer.Option("--readable", metavar="N", help="Only what is in this namespace is there (may be repeated)."),
    ] = None,
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")] = False,
) -> None:
    """Find the sentence that answers, and cite it so that anyone can check it."""
    READABLE.set(tuple(readable) if readable else None)


def main() -> None:
    """The entry point. `--debug` may stand anywhere before `--`."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    arguments = sys.argv[1:]
    ours = arguments[: arguments.index("--")] if "--" in arguments else arguments
    rest = arguments[len(ours) :]
    if "--debug" in ours:
        ours = ["--debug", *(a for a in ours if a != "--debug")]
    app(args=[*ours, *rest], prog_name="pincite")
