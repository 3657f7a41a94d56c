"""``cfgexplain diff``: its options."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import typer

# Typer reads annotations at run time, so their names stay imported.
from cfgexplain.cli import options as o  # noqa: TC001

if TYPE_CHECKING:
    from collections.abc import Callable

    from cfgexplain.render import Style

Format = Literal["text", "json", "markdown", "html"]


def command(style: Callable[..., Style]) -> Callable[..., None]:
    """The function of the command; ``style`` turns options into a style."""

    def diff(
        a: Annotated[str, typer.Argument(metavar="A", help="The model to start from.")],
        b: Annotated[str, typer.Argument(metavar="B", help="The model that may differ.")],
        format: Annotated[Format, typer.Option("--format", "-f", help="Form of the output.")] = "text",  # noqa: A002
        json: o.Json = False,
        output: o.Output = None,
        exit_code: Annotated[bool, typer.Option("--exit-code", help="Exit with 1 when the models differ.")] = False,
        revision: o.Revision = None,
        token: o.Token = None,
        offline: o.Offline = False,
        config_only: o.ConfigOnly = False,
        subfolder: o.Subfolder = None,
        timeout: o.Timeout = 20.0,
        jobs: o.Jobs = 168,
        no_cache: o.NoCache = False,
        lang: o.Lang = None,
        color: o.ColorO = "auto",
        quiet: o.Quiet = False,
        verbose: o.Verbose = False,
    ) -> None:
        from cfgexplain import run
        from cfgexplain.sources.options import Options

        def work() -> int:
            from cfgexplain.compare import command as diff

            return diff.execute(
                diff.Work(
                    a,
                    b,
                    Options(revision, token, offline, config_only, subfolder, timeout, jobs, no_cache),
                    "json" if json else format,
                    output,
                    style(color, lang, quiet, verbose, output, False),
                    exit_code,
                )
            )

        raise typer.Exit(run.guarded(work, verbose))

    return diff
