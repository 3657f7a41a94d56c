"""``cfgexplain cache``: what was read from the hub before, and how to be rid of it."""

from typing import Annotated, Literal

import typer

from cfgexplain.cli import options as o


def command(
    action: Annotated[
        Literal["show", "clear"], typer.Argument(help="Tell where the cache is and what it holds, or empty it.")
    ] = "show",
    lang: o.Lang = None,
) -> None:
    """The runner of the command."""
    from cfgexplain import run
    from cfgexplain.cli.reading import language
    from cfgexplain.lang import catalogue
    from cfgexplain.sources import store

    def work() -> int:
        found = store.clear() if action == "clear" else store.usage()
        text = catalogue(language(lang)).finding("note", f"cache-{action}")[0]
        return run.printed([text.format(folder=found.folder, files=found.files, bytes=found.bytes), "\n"])

    raise typer.Exit(run.guarded(work))
