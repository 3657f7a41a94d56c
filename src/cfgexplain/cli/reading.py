"""The commands that read models and show reports: ``explain`` and ``check``."""

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from cfgexplain.cli import options as o

if TYPE_CHECKING:
    from cfgexplain.render import Style
    from cfgexplain.settings import Settings


def language(lang: str | None, format: str = "text", output: Path | None = None) -> str:  # noqa: A002
    """The language of the texts. English, with a note, where the output cannot show the one that is wanted.

    Raises:
        CfgexplainError: "usage": there are no texts in the language that ``--lang`` names.
    """
    from cfgexplain.lang.choice import chosen
    from cfgexplain.render import FORMATS

    form = FORMATS[format]
    encoding = "utf-8" if output is not None or form.ascii or form.utf8 else (sys.stdout.encoding or "ascii")
    found, wanted = chosen(lang, os.environ, encoding, form.machine)
    if wanted:
        from cfgexplain.output import say

        say(f"cfgexplain: note: the output's encoding ({encoding}) cannot show {wanted}: the texts are in English")
    return found


def on_terminal() -> bool:
    """Whether standard output is one."""
    return sys.stdout.isatty()


def columns(tty: bool) -> int:
    """Columns of the terminal, or those that COLUMNS names where there is none; 0 where nothing says so."""
    if tty:
        import shutil

        return max(40, shutil.get_terminal_size().columns)
    named = os.environ.get("COLUMNS", "")
    return max(40, int(named)) if named.isdecimal() else 0


def style(
    color: o.Color,
    lang: str | None,
    quiet: bool,
    verbose: bool,
    output: Path | None,
    checking: bool,
    format: str = "text",  # noqa: A002
) -> "Style":
    """How the output may look.

    Raises:
        CfgexplainError: as ``language``.
    """
    from cfgexplain.render import FORMATS, Style

    tty = output is None and on_terminal()
    term = os.environ.get("TERM")
    colored = color == "always" or (color == "auto" and tty and not os.environ.get("NO_COLOR") and term != "dumb")
    width = columns(tty)
    encoding = "utf-8" if output is not None or FORMATS[format].utf8 else (sys.stdout.encoding or "ascii")
    try:
        "─│┌┐└┘├┤⊕√·×≤…ε".encode(encoding)
        unicode = True
    except (UnicodeEncodeError, LookupError):
        unicode = False
    return Style(width or 100, colored, unicode, language(lang, format, output), verbose - quiet, checking)


def _names(given: list[str] | None) -> tuple[str, ...]:
    """Names of checks, checked: a wrong one is an error that points to the nearest."""
    if not given:
        return ()
    from cfgexplain.settings import check_names

    return check_names(n.strip() for text in given for n in text.split(",") if n.strip())


def _targets(given: list[str], listed: str | None, recursive: bool, exclude: list[str] | None) -> list[str]:
    from cfgexplain.commands import read_targets, select_targets
    from cfgexplain.errors import CfgexplainError
    from cfgexplain.sources import dedupe_targets

    if listed == "-" and "-" in given:
        raise CfgexplainError(
            "usage",
            "standard input is both a target and the list of targets",
            "Give one of the two a file: - is a config, --targets-from - is a list.",
        )
    named = [*given, *(read_targets(listed) if listed is not None else ())]
    if not named:
        raise CfgexplainError(
            "usage",
            "no target is given",
            "Name a model (org/name, a directory, example:llama-2-7b), or begin with `cfgexplain tour`.",
        )
    return dedupe_targets(select_targets(named, recursive, exclude or ()))


def _usage(message: str, hint: str) -> Exception:
    from cfgexplain.errors import CfgexplainError

    return CfgexplainError("usage", message, hint)


def _settings(file: Path | None, none: bool) -> "Settings | None":
    """The settings for every target, or None to look for them above each."""
    if none:
        from cfgexplain.settings import NONE

        return NONE
    if file is None:
        return None
    from cfgexplain.settings import load

    return load(str(file))


def reader(checking: bool) -> Callable[..., None]:
    """The function of ``explain`` and of ``check``, which take the same options."""

    def read(
        targets: o.Targets = [],  # noqa: B006
        targets_from: o.TargetsFrom = None,
        format: o.FormatO = "text",  # noqa: A002
        json: o.Json = False,
        output: o.Output = None,
        recursive: o.Recursive = False,
        exclude: o.Exclude = None,
        revision: o.Revision = None,
        token: o.Token = None,
        offline: o.Offline = False,
        config_only: o.ConfigOnly = False,
        tensors: o.Tensors = False,
        key: o.Keys = None,
        all_keys: o.AllKeys = False,
        subfolder: o.Subfolder = None,
        timeout: o.Timeout = 20.0,
        jobs: o.Jobs = 168,
        no_cache: o.NoCache = False,
        lang: o.Lang = None,
        select: o.Select = None,
        ignore: o.Ignore = None,
        fail_on: o.FailOnO = None,
        tensor_parallel: o.Ranks = None,
        settings: o.SettingsO = None,
        no_settings: o.NoSettings = False,
        baseline: o.Baseline = None,
        write_baseline: o.WriteBaseline = None,
        against: o.Against = None,
        color: o.ColorO = "auto",
        quiet: o.Quiet = False,
        verbose: o.Verbose = False,
    ) -> None:
        from cfgexplain import run
        from cfgexplain.sources.options import Options

        output = o.file(output)

        def work() -> int:
            if checking and (key or all_keys):
                raise _usage("check explains nothing", "Keys are explained by `cfgexplain TARGET --key KEY`.")
            form = "json" if json else format
            return run.execute(
                run.Job(
                    _targets(targets, targets_from, recursive, exclude),
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
                    run.Selection(_names(select), _names(ignore), fail_on),
                    form,
                    output,
                    style(color, lang, quiet, verbose, output, checking, form)._replace(keys=bool(key or all_keys)),
                    tensors,
                    checking,
                    _settings(settings, no_settings),
                    tensor_parallel,
                    baseline,
                    write_baseline,
                    against,
                    tuple(key or ()),
                    all_keys,
                )
            )

        raise typer.Exit(run.guarded(work, verbose))

    return read


explain = reader(False)
check = reader(True)
