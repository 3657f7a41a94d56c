"""``cfgexplain diff``: its options."""

from typing import Annotated, Literal

import typer

from cfgexplain.cli import options as o
from cfgexplain.cli.reading import style

Format = Literal["text", "json", "markdown", "html"]


def diff(
    a: Annotated[str, typer.Argument(metavar="A", help="The model to start from.")],
    b: Annotated[str, typer.Argument(metavar="B", help="The model that may differ.")],
    format: Annotated[Format, typer.Option("--format", "-f", help="Form of the output.")] = "text",  # noqa: A002
    json: o.Json = False,
    output: o.Output = None,
    exit_code: Annotated[bool, typer.Option("--exit-code", help="Exit with 1 when the models differ.")] = False,
    fail_on: Annotated[
        o.FailOn | None,
        typer.Option(
            "--fail-on",
            help="Exit with 1 on a difference that keeps weights from loading (error), or changes what the model "
            "computes (warning), or on any (note, as --exit-code).",
        ),
    ] = None,
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
    """The runner of the command."""
    from cfgexplain import run
    from cfgexplain.sources.options import Options

    output = o.file(output)

    def work() -> int:
        from cfgexplain.compare import command as diff

        form = "json" if json else format
        return diff.execute(
            diff.Work(
                a,
                b,
                Options(
                    revision,
                    token,
                    offline,
                    config_only,
                    subfolder,
                    timeout,
                    jobs,
                    no_cache,
                    not quiet,
                    lang or "en",
                ),
                form,
                output,
                style(color, lang, quiet, verbose, output, False, form),
                fail_on or ("note" if exit_code else "never"),
            )
        )

    raise typer.Exit(run.guarded(work, verbose))
