"""The command line: options → work → exit code. No logic of its own."""

from __future__ import annotations

import os
import sys
from pathlib import Path  # noqa: TC003
from typing import Annotated, Final, NoReturn

import typer

# Typer reads annotations at run time, so their names stay imported.
from cfgexplain import __version__
from cfgexplain.cli import cache as cache_command
from cfgexplain.cli import diff as diff_command
from cfgexplain.cli import options as o
from cfgexplain.cli import reading

EPILOG: Final = """\b
Examples:
  cfgexplain example:llama-2-7b                  a model that ships inside
  cfgexplain meta-llama/Llama-2-7b-hf            the hub: never the weights
  cfgexplain ./my-model --format json            for scripts
  cfgexplain check ./my-model --fail-on warning  for CI
  cfgexplain diff org/base ./my-merge            what differs, and what it means
  cfgexplain rule missing-final-norm             what a check means
"""

app = typer.Typer(
    name="cfgexplain",
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    subcommand_metavar="TARGET… | COMMAND …",
    options_metavar="[OPTIONS]",
    epilog=EPILOG,
    help="Explain why the numbers in a model's config.json are what they are, and find the ones that are wrong.\n\n"
    "A TARGET is a hub id (org/name, org/name@revision), a hub URL, a directory, a config.json, a .safetensors file, "
    "an index, a skeleton, example:NAME, or - for a config on standard input. A first word that is no command is a "
    "TARGET.",
)


def _version(value: bool) -> None:
    if value:
        typer.echo(f"cfgexplain {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    pass


app.command("explain", help="Explain each model (the default command).")(reading.reader(False))
app.command("check", help="Print what is wrong; exit with 1 when a finding reaches --fail-on.")(reading.reader(True))


app.command("diff", help="What differs between two models, and what it means.")(diff_command.command(reading.style))


@app.command()
def rule(
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="A check; without it, the list of all.")] = None,
    lang: o.Lang = None,
) -> None:
    """The manual page of one check, or the list of all."""
    from cfgexplain import commands, run

    raise typer.Exit(run.guarded(lambda: run.printed(commands.rules(name, lang or "en"))))


@app.command()
def key(
    name: Annotated[str | None, typer.Argument(metavar="KEY", help="A key; without it, the list of all.")] = None,
    lang: o.Lang = None,
) -> None:
    """What one key of a config means, whatever the model."""
    from cfgexplain import commands, run

    raise typer.Exit(run.guarded(lambda: run.printed(commands.key_page(name, lang or "en"))))


@app.command()
def tour(
    target: Annotated[str, typer.Argument(metavar="TARGET", help="The model to walk through.")] = "example:llama-2-7b",
    lang: o.Lang = None,
    color: o.ColorO = "auto",
    offline: o.Offline = False,
    token: o.Token = None,
    revision: o.Revision = None,
) -> None:
    """A first lesson: five minutes through one model, for somebody who has never read a config."""
    from cfgexplain import run, tour
    from cfgexplain.sources.options import Options

    look = reading.style(color, lang, False, False, None, False)
    options = Options(revision, token, offline)
    raise typer.Exit(run.guarded(lambda: tour.guide(target, options, look)))


@app.command()
def examples() -> None:
    """The models that ship with cfgexplain."""
    from cfgexplain import commands, run

    raise typer.Exit(run.guarded(lambda: run.printed(commands.examples())))


@app.command()
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


app.command("cache", help="What is kept of models read from the hub; `cache clear` empties it.")(cache_command.command)


@app.command()
def schema(diff: Annotated[bool, typer.Option("--diff", help="That of `cfgexplain diff`.")] = False) -> None:
    """The JSON Schema of the report."""
    from cfgexplain import run
    from cfgexplain.compare.schema import DIFF_SCHEMA
    from cfgexplain.render.json_ import dumps
    from cfgexplain.schema import SCHEMA

    raise typer.Exit(run.guarded(lambda: run.printed([dumps(DIFF_SCHEMA if diff else SCHEMA, 2), "\n"])))


COMMANDS: Final = frozenset(
    {"cache", "explain", "check", "diff", "rule", "key", "tour", "examples", "skeleton", "schema"}
)
#: Options that take a value, so that the value is not taken for the first word.
VALUED: Final = frozenset(
    {
        "--targets-from",
        "--format",
        "-f",
        "--output",
        "-o",
        "--revision",
        "--token",
        "--subfolder",
        "--key",
        "--timeout",
        "--jobs",
        "--lang",
        "--select",
        "--ignore",
        "--fail-on",
        "--color",
        "--exclude",
        "--tensor-parallel",
        "--settings",
        "--baseline",
        "--write-baseline",
        "--against",
    }
)


def with_command(words: list[str]) -> list[str]:
    """The words with their command in front: the first that is no option, or ``explain`` where that names none."""
    skip = False
    for k, word in enumerate(words):
        if skip:
            skip = False
        elif word == "--":
            break
        elif word in VALUED:
            skip = True
        elif not word.startswith("-") or word == "-":
            if word in COMMANDS and not (k and os.path.exists(word)):
                return [word, *words[:k], *words[k + 1 :]]
            return ["explain", *words]
    return words if {"-h", "--help", "--version"} & set(words) else ["explain", *words]


def main() -> NoReturn:
    """The console script."""
    from cfgexplain import run

    try:
        app(args=with_command(sys.argv[1:]), prog_name="cfgexplain", standalone_mode=True)
    except KeyboardInterrupt:
        sys.exit(run.INTERRUPTED)
    except (SystemExit, typer.Exit):
        raise
    except BaseException:  # noqa: BLE001
        import traceback

        traceback.print_exc()
        sys.exit(run.BUG)
    sys.exit(0)
