"""The small commands: manual pages, keys, the tour, examples, skeletons, the schema.

No ``from __future__ import annotations``: Typer evaluates annotations at run time, and text is slow to evaluate.
"""

from pathlib import Path
from typing import Annotated

import typer

from cfgexplain.cli import options as o


def rule(
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="A check; without it, the list of all.")] = None,
    lang: o.Lang = None,
) -> None:
    """The manual page of one check, or the list of all."""
    from cfgexplain import commands, run
    from cfgexplain.cli.reading import columns, language, on_terminal

    tty = on_terminal()
    wide = columns(tty)
    raise typer.Exit(run.guarded(lambda: run.printed(commands.rules(name, language(lang), wide, wide * tty))))


def key(
    name: Annotated[
        list[str] | None,
        typer.Argument(metavar="KEY", help="A key, or a word such as GQA; without it, the list of all keys."),
    ] = None,
    lang: o.Lang = None,
    verbose: o.Verbose = False,
) -> None:
    """What one key of a config means, whatever the model; or a word of the field."""
    from cfgexplain import commands, run
    from cfgexplain.cli.reading import columns, language, on_terminal

    tty = on_terminal()
    wide = columns(tty)
    asked = " ".join(name) if name else None  # KV cache needs no quotes
    raise typer.Exit(
        run.guarded(lambda: run.printed(commands.key_page(asked, language(lang), wide, wide * tty, verbose)))
    )


def tour(
    target: Annotated[str, typer.Argument(metavar="TARGET", help="The model to walk through.")] = "example:llama-2-7b",
    lang: o.Lang = None,
    color: o.ColorO = "auto",
    offline: o.Offline = False,
    token: o.Token = None,
    revision: o.Revision = None,
) -> None:
    """A first lesson: five minutes through one model, for somebody who has never read a config."""
    from cfgexplain import run
    from cfgexplain import tour as lesson
    from cfgexplain.cli.reading import style
    from cfgexplain.sources.options import Options

    options = Options(revision, token, offline)
    raise typer.Exit(run.guarded(lambda: lesson.guide(target, options, style(color, lang, False, False, None, False))))


def examples() -> None:
    """The models that ship with cfgexplain."""
    from cfgexplain import commands, run

    raise typer.Exit(run.guarded(lambda: run.printed(commands.examples())))


def skeleton(
    target: Annotated[str, typer.Argument(metavar="TARGET", help="What to read.")],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="Where to write (.json or .json.gz).")],
    revision: o.Revision = None,
    token: o.Token = None,
    offline: o.Offline = False,
    subfolder: o.Subfolder = None,
    timeout: o.Timeout = 20.0,
    jobs: o.Jobs = 168,
    no_cache: o.NoCache = False,
) -> None:
    """Save config and headers, without weights, as one small file that every command reads."""
    from cfgexplain import commands, run
    from cfgexplain.sources.options import Options

    options = Options(revision, token, offline, False, subfolder, timeout, jobs, no_cache)
    raise typer.Exit(run.guarded(lambda: commands.save_skeleton(target, options, output)))


def schema(diff: Annotated[bool, typer.Option("--diff", help="That of `cfgexplain diff`.")] = False) -> None:
    """The JSON Schema of the report."""
    from cfgexplain import run
    from cfgexplain.compare.schema import DIFF_SCHEMA
    from cfgexplain.render.json_ import dumps
    from cfgexplain.schema import SCHEMA

    raise typer.Exit(run.guarded(lambda: run.printed([dumps(DIFF_SCHEMA if diff else SCHEMA, 2), "\n"])))
