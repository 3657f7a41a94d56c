"""The command line: options → work → exit code. No logic of its own.

Only the command that is asked for is built: Typer takes longer to read the options of all of them than cfgexplain
takes to explain a model. For the same reason these files do without ``from __future__ import annotations``.
"""

import os
import sys
from collections.abc import Callable, Sequence
from errno import EDQUOT, ENOSPC
from importlib import import_module
from io import TextIOWrapper
from typing import Annotated, Final, NoReturn

import typer

from cfgexplain import __version__

EPILOG: Final = """\b
Examples:
  cfgexplain tour                                begin here: a first lesson
  cfgexplain example:llama-2-7b                  a model that ships inside
  cfgexplain meta-llama/Llama-2-7b-hf            the hub: never the weights
  cfgexplain ./my-model --format json            for scripts
  cfgexplain check ./my-model --fail-on warning  for CI
  cfgexplain diff org/base ./my-merge            what differs, and what it means
  cfgexplain rule missing-final-norm             what a check means
"""


def _empty() -> typer.Typer:
    return typer.Typer(
        name="cfgexplain",
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        no_args_is_help=True,
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
        subcommand_metavar="TARGET... | COMMAND ...",
        options_metavar="[OPTIONS]",
        epilog=EPILOG,
        help="Explain why the numbers in a model's config.json are what they are, and find the ones that are wrong.\n\n"
        "A TARGET is a hub id (org/name, org/name@revision), a hub URL, a directory, a config.json, a .safetensors "
        "file, "
        "an index, a skeleton, example:NAME, or - for a config on standard input. A first word that is no command is a "
        "TARGET.",
    )


def _version(value: bool) -> None:
    if value:
        typer.echo(f"cfgexplain {__version__}")
        raise typer.Exit


def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    pass


#: Command → (where its function is, its line in the help), in the order of the help.
COMMANDS: Final[dict[str, tuple[str, str]]] = {
    "explain": ("reading:explain", "Explain each model (the default command)."),
    "check": ("reading:check", "Print what is wrong; exit with 1 when a finding reaches --fail-on."),
    "diff": ("diff:diff", "What differs between two models, and what it means."),
    "rule": ("small:rule", "The manual page of one check, or the list of all."),
    "key": ("small:key", "What one key of a config means, or a word such as GQA."),
    "tour": ("small:tour", "A first lesson: five minutes through one model."),
    "examples": ("small:examples", "The models that ship with cfgexplain."),
    "skeleton": ("small:skeleton", "Save config and headers, without weights, as one small file."),
    "cache": ("cache:command", "What is kept of models read from the hub; `cache clear` empties it."),
    "schema": ("small:schema", "The JSON Schema of the report."),
}


def application(only: str | None = None, words: Sequence[str] | None = None) -> typer.Typer:
    """The Typer app with one command, or with all of them (for the help).

    Where ``words`` uses plain options only, the command has just these: each one costs Typer a validator.
    """
    app = _empty()
    app.callback()(_root)
    for name in (only,) if only else COMMANDS:
        place, line = COMMANDS[name]
        module, _, function = place.partition(":")
        command = getattr(import_module(f"cfgexplain.cli.{module}"), function)
        app.command(name, help=line)(command if words is None else _narrowed(command, words))
    return app


def _narrowed(command: Callable[..., None], words: Sequence[str]) -> Callable[..., None]:
    """The command with the options that the words use, the others at their defaults; those without one stay.

    The whole command where a word is no option that it has (help, a mistake, ``-qv``, ``-oFILE``): Typer then answers.
    """
    from inspect import signature

    used = (
        {w.partition("=")[0] for w in words[: words.index("--")] if w.startswith("-")}
        if "--" in words
        else {w.partition("=")[0] for w in words if w.startswith("-") and w != "-"}
    )
    whole = signature(command)
    kept = []
    for p in whole.parameters.values():
        # In an annotation Typer keeps the first name where a default would stand.
        given = (n for info in p.annotation.__metadata__ for n in (info.default, *(info.param_decls or ())))
        names = {n for n in given if isinstance(n, str) and n.startswith("-")}
        if not names or names & used or p.default is p.empty:
            kept.append(p)
            used -= names
    if used:
        return command

    def narrow(**values: object) -> None:
        command(**values)

    narrow.__signature__ = whole.replace(parameters=kept)  # type: ignore[attr-defined]
    narrow.__annotations__ = {p.name: p.annotation for p in kept}
    return narrow


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
            _not_meant(word)
            return ["explain", *words]
    own = words[: words.index("--")] if "--" in words else words
    return words if {"-h", "--help", "--version"} & set(own) else ["explain", *words]


def _not_meant(word: str) -> None:
    """Points out a first word that is nearly a command, before the hub is asked for a model of that name.

    Raises:
        CfgexplainError: "usage": the command is named, and how to reach a model or file called so.
    """
    if not word.isalpha() or os.path.lexists(word):
        return  # names of models have digits, hyphens or slashes
    low = word.lower()
    near = {"help": "--help", "version": "--version"}.get(low) or (low if low in COMMANDS else "")
    if not near:
        from difflib import get_close_matches

        near = next(iter(get_close_matches(low, COMMANDS, 1, 0.75)), "")
    if near:
        from cfgexplain.errors import CfgexplainError

        message = f"{word} is no command and no path on this machine"
        hint = f"Did you mean cfgexplain {near}? A model called {word}: explain {word}; a file or folder: ./{word}."
        raise CfgexplainError("usage", message, hint)


def main() -> NoReturn:
    """The console script."""
    from cfgexplain import run
    from cfgexplain.errors import CfgexplainError

    # A shell may have closed them (>&-): then there is nothing to read, and nobody to tell.
    sys.stdin = sys.stdin or open(os.devnull, encoding="utf-8")  # noqa: SIM115
    sys.stdout = sys.stdout or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    sys.stderr = sys.stderr or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # help and usage errors repeat words that a locale may not have
            stream.reconfigure(errors="backslashreplace")
    try:
        words = with_command(sys.argv[1:])
        app = application(words[0], words[1:]) if words and words[0] in COMMANDS else application()
        app(args=words, prog_name="cfgexplain", standalone_mode=True)
    except KeyboardInterrupt:
        sys.exit(run.INTERRUPTED)
    except (SystemExit, typer.Exit):
        raise
    except CfgexplainError as e:
        from cfgexplain.output import complain

        complain(e)
        sys.exit(run.USAGE)
    except OSError as e:
        if e.errno not in (ENOSPC, EDQUOT):
            _bug()
        from cfgexplain.output import complain, unwritable

        complain(unwritable("standard output", e))  # what Typer itself prints: help, the version
        sys.exit(run.FAILED)
    except BaseException:  # noqa: BLE001
        _bug()
    sys.exit(0)


def _bug() -> NoReturn:
    import traceback

    from cfgexplain.run import BUG

    traceback.print_exc()
    sys.exit(BUG)
