"""The command line: options → work → exit code. No logic of its own."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated, Final, Literal, NoReturn, Optional

import typer

from cfgexplain import __version__

# Typer reads these annotations at run time, so they stay real objects.
Format = Literal["text", "json", "jsonl"]
Color = Literal["auto", "always", "never"]
FailOn = Literal["error", "warning", "note", "never"]

EPILOG: Final = """\b
Examples:
  cfgexplain example:llama-2-7b                  a model that ships inside
  cfgexplain meta-llama/Llama-2-7b-hf            the hub: never the weights
  cfgexplain ./my-model --format json            for scripts
  cfgexplain check ./my-model --fail-on warning  for CI
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
    "A TARGET is a hub id (org/name, org/name@revision), a hub URL, a directory, a config.json, a .safetensors file, an "
    "index, a skeleton, example:NAME, or - for a config on standard input. A first word that is no command is a TARGET.",
)

Targets = Annotated[list[str], typer.Argument(metavar="TARGET…", help="What to read.", show_default=False)]
TargetsFrom = Annotated[Optional[str], typer.Option("--targets-from", metavar="FILE", help="Read targets from FILE (- is standard input), one a line.")]
FormatO = Annotated[Format, typer.Option("--format", "-f", help="Form of the output.")]
Json = Annotated[bool, typer.Option("--json", help="The same as --format json.")]
Output = Annotated[Optional[Path], typer.Option("--output", "-o", metavar="FILE", help="Write to FILE instead of standard output.")]
Revision = Annotated[Optional[str], typer.Option("--revision", metavar="REV", help="Branch, tag or commit on the hub.")]
Token = Annotated[Optional[str], typer.Option("--token", metavar="TOKEN", help="Hub token; by default what `hf auth login` or HF_TOKEN set.")]
Offline = Annotated[bool, typer.Option("--offline", help="Ask no server; read the hub cache only.")]
ConfigOnly = Annotated[bool, typer.Option("--config-only", help="Read the config, no weights.")]
Tensors = Annotated[bool, typer.Option("--tensors", help="List every tensor with its role.")]
Subfolder = Annotated[Optional[str], typer.Option("--subfolder", metavar="DIR", help="Folder inside the repo or directory.")]
Timeout = Annotated[float, typer.Option("--timeout", metavar="S", min=0.1, help="Seconds to wait for a server.")]
Jobs = Annotated[int, typer.Option("--jobs", metavar="N", min=1, max=64, help="Requests at once.")]
NoCache = Annotated[bool, typer.Option("--no-cache", help="Neither read nor write a cache.")]
Lang = Annotated[Optional[str], typer.Option("--lang", metavar="LANG", help="Language of the texts (en).")]
Select = Annotated[Optional[list[str]], typer.Option("--select", metavar="CHECK", help="Only these checks (repeat, or separate by commas).")]
Ignore = Annotated[Optional[list[str]], typer.Option("--ignore", metavar="CHECK", help="Not these checks.")]
FailOnO = Annotated[FailOn, typer.Option("--fail-on", help="Least severity that makes `check` exit with 1.")]
ColorO = Annotated[Color, typer.Option("--color", help="Colour; auto is only on a terminal and without NO_COLOR.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Less text.")]
Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="More text.")]


def _version(value: bool) -> None:
    if value:
        typer.echo(f"cfgexplain {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")] = False,
) -> None:
    pass


def _style(color: Color, lang: str | None, quiet: bool, verbose: bool, output: Path | None, checking: bool):  # type: ignore[no-untyped-def]
    from cfgexplain.render import Style

    tty = output is None and sys.stdout.isatty()
    term = os.environ.get("TERM")
    colored = color == "always" or (color == "auto" and tty and not os.environ.get("NO_COLOR") and term != "dumb")
    width = 0
    if tty:
        import shutil

        width = max(40, shutil.get_terminal_size().columns)
    elif os.environ.get("COLUMNS", "").isdecimal():
        width = max(40, int(os.environ["COLUMNS"]))
    encoding = "utf-8" if output is not None else (sys.stdout.encoding or "ascii")
    try:
        "─│┌┐└┘├┤⊕√·×≤…ε".encode(encoding)
        unicode = True
    except (UnicodeEncodeError, LookupError):
        unicode = False
    return Style(width or 100, colored, unicode, lang or "en", verbose - quiet, checking)


def _names(given: list[str] | None) -> tuple[str, ...]:
    """Names of checks, checked: a wrong one is an error that points to the nearest."""
    from cfgexplain.checks import NAMES
    from cfgexplain.errors import CfgexplainError

    names = tuple(n.strip() for text in given or () for n in text.split(",") if n.strip())
    for name in names:
        if name not in NAMES and not any(c in name for c in "*?["):
            from cfgexplain.run import nearest

            raise CfgexplainError("usage", f"no check is called {name}", nearest(name, NAMES) or "`cfgexplain rule` lists them.")
    return names


def _targets(given: list[str], listed: str | None) -> list[str]:
    from cfgexplain.commands import read_targets
    from cfgexplain.errors import CfgexplainError
    from cfgexplain.sources import dedupe_targets

    found = dedupe_targets([*given, *(read_targets(listed) if listed else ())])
    if not found:
        raise CfgexplainError("usage", "no target is given", "Name a model: `cfgexplain org/name`, a directory, or example:llama-2-7b.")
    return found


def _run(targets: list[str], targets_from: str | None, format: Format, json: bool, output: Path | None, revision: str | None,
         token: str | None, offline: bool, config_only: bool, tensors: bool, subfolder: str | None, timeout: float, jobs: int,
         no_cache: bool, lang: str | None, select: list[str] | None, ignore: list[str] | None, fail_on: FailOn, color: Color,
         quiet: bool, verbose: bool, checking: bool) -> NoReturn:
    from cfgexplain import run
    from cfgexplain.sources.options import Options

    def work() -> int:
        return run.execute(
            run.Job(
                _targets(targets, targets_from),
                Options(revision, token, offline, config_only, subfolder, timeout, jobs, no_cache),
                run.Selection(_names(select), _names(ignore), fail_on),
                "json" if json else format,
                output,
                _style(color, lang, quiet, verbose, output, checking),
                tensors,
                checking,
            )
        )

    raise typer.Exit(run.guarded(work, verbose))


@app.command()
def explain(
    targets: Targets = [], targets_from: TargetsFrom = None, format: FormatO = "text", json: Json = False,  # noqa: B006
    output: Output = None, revision: Revision = None, token: Token = None, offline: Offline = False, config_only: ConfigOnly = False,
    tensors: Tensors = False, subfolder: Subfolder = None, timeout: Timeout = 20.0, jobs: Jobs = 8, no_cache: NoCache = False,
    lang: Lang = None, select: Select = None, ignore: Ignore = None, fail_on: FailOnO = "error", color: ColorO = "auto",
    quiet: Quiet = False, verbose: Verbose = False,
) -> None:
    """Explain each model (the default command)."""
    _run(**{**locals(), "checking": False})


@app.command()
def check(
    targets: Targets = [], targets_from: TargetsFrom = None, format: FormatO = "text", json: Json = False,  # noqa: B006
    output: Output = None, revision: Revision = None, token: Token = None, offline: Offline = False, config_only: ConfigOnly = False,
    tensors: Tensors = False, subfolder: Subfolder = None, timeout: Timeout = 20.0, jobs: Jobs = 8, no_cache: NoCache = False,
    lang: Lang = None, select: Select = None, ignore: Ignore = None, fail_on: FailOnO = "error", color: ColorO = "auto",
    quiet: Quiet = False, verbose: Verbose = False,
) -> None:
    """Print what is wrong; exit with 1 when a finding reaches --fail-on."""
    _run(**{**locals(), "checking": True})


@app.command()
def rule(
    name: Annotated[Optional[str], typer.Argument(metavar="NAME", help="A check; without it, the list of all.")] = None,
    lang: Lang = None,
) -> None:
    """The manual page of one check, or the list of all."""
    from cfgexplain import commands, run

    raise typer.Exit(run.guarded(lambda: run.write_out(commands.rules(name, lang or "en")) or run.DONE))


@app.command()
def examples() -> None:
    """The models that ship with cfgexplain."""
    from cfgexplain import commands, run

    raise typer.Exit(run.guarded(lambda: run.write_out(commands.examples()) or run.DONE))


@app.command()
def skeleton(
    target: Annotated[str, typer.Argument(metavar="TARGET", help="What to read.")],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="Where to write (.json or .json.gz).")],
    revision: Revision = None, token: Token = None, offline: Offline = False, subfolder: Subfolder = None, timeout: Timeout = 20.0,
    jobs: Jobs = 8, no_cache: NoCache = False,
) -> None:
    """Save config and headers, without weights, as one small file that every command reads."""
    from cfgexplain import commands, run
    from cfgexplain.sources.options import Options

    options = Options(revision, token, offline, False, subfolder, timeout, jobs, no_cache)
    raise typer.Exit(run.guarded(lambda: commands.save_skeleton(target, options, output)))


@app.command()
def schema() -> None:
    """The JSON Schema of the report."""
    from cfgexplain import run
    from cfgexplain.render.json_ import dumps
    from cfgexplain.schema import SCHEMA

    raise typer.Exit(run.guarded(lambda: run.write_out([dumps(SCHEMA, 2), "\n"]) or run.DONE))


COMMANDS: Final = frozenset({"explain", "check", "rule", "examples", "skeleton", "schema"})
#: Options that take a value, so that the value is not taken for the first word.
VALUED: Final = frozenset({
    "--targets-from", "--format", "-f", "--output", "-o", "--revision", "--token", "--subfolder", "--timeout", "--jobs", "--lang",
    "--select", "--ignore", "--fail-on", "--color",
})


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
                return [word, *words[:k], *words[k + 1:]]
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
    except BaseException:
        import traceback

        traceback.print_exc()
        sys.exit(run.BUG)
    sys.exit(0)
