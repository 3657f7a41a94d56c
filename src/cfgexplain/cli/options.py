"""The options that commands share, each written down once."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from cfgexplain.render import FORMATS

if TYPE_CHECKING:
    Format = str
else:
    Format = Literal[tuple(FORMATS)]  # the choices are those of the table

# Typer reads these annotations at run time, so they stay real objects.
Color = Literal["auto", "always", "never"]
FailOn = Literal["error", "warning", "note", "never"]


def file(output: Path | None) -> Path | None:
    """The file that ``-o`` names, or None for standard output."""
    return None if output is not None and str(output) == "-" else output


Targets = Annotated[list[str], typer.Argument(metavar="TARGET", help="What to read.", show_default=False)]
TargetsFrom = Annotated[
    str | None,
    typer.Option("--targets-from", metavar="FILE", help="Read targets from FILE (- is standard input), one a line."),
]
FormatO = Annotated[Format, typer.Option("--format", "-f", help="Form of the output.")]
Json = Annotated[bool, typer.Option("--json", help="The same as --format json.")]
Output = Annotated[
    Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write to FILE instead of standard output (-).")
]
Revision = Annotated[str | None, typer.Option("--revision", metavar="REV", help="Branch, tag or commit on the hub.")]
Token = Annotated[
    str | None,
    typer.Option("--token", metavar="TOKEN", help="Hub token; by default what `hf auth login` or HF_TOKEN set."),
]
Offline = Annotated[bool, typer.Option("--offline", help="Ask no server; read the hub cache only.")]
ConfigOnly = Annotated[bool, typer.Option("--config-only", help="Read the config, no weights.")]
Tensors = Annotated[bool, typer.Option("--tensors", help="List every tensor with its role.")]
Keys = Annotated[
    list[str] | None, typer.Option("--key", metavar="KEY", help="Explain this key of the config (repeat for more).")
]
AllKeys = Annotated[bool, typer.Option("--all-keys", help="Explain every key of the config.")]
Subfolder = Annotated[
    str | None, typer.Option("--subfolder", metavar="DIR", help="Folder inside the repo or directory.")
]
Timeout = Annotated[float, typer.Option("--timeout", metavar="S", min=0.1, help="Seconds to wait for a server.")]
Jobs = Annotated[int, typer.Option("--jobs", metavar="N", min=1, max=256, help="Requests at once.")]
NoCache = Annotated[bool, typer.Option("--no-cache", help="Neither read nor write a cache.")]
Lang = Annotated[str | None, typer.Option("--lang", metavar="LANG", help="Language of the texts: en, zh-Hant.")]
Select = Annotated[
    list[str] | None,
    typer.Option("--select", metavar="CHECK", help="Only these checks (repeat, or separate by commas)."),
]
Ignore = Annotated[list[str] | None, typer.Option("--ignore", metavar="CHECK", help="Not these checks.")]
FailOnO = Annotated[
    FailOn | None, typer.Option("--fail-on", help="Least severity that makes `check` exit with 1 (error).")
]
Recursive = Annotated[bool, typer.Option("--recursive", "-r", help="Every model in the folders given, and below.")]
Exclude = Annotated[
    list[str] | None, typer.Option("--exclude", metavar="GLOB", help="Not these files and folders (repeat for more).")
]
Ranks = Annotated[
    int | None,
    typer.Option("--tensor-parallel", metavar="N", min=1, max=65536, help="Check that the model splits over N ranks."),
]
SettingsO = Annotated[
    Path | None, typer.Option("--settings", metavar="FILE", help="Settings, instead of those found above each target.")
]
NoSettings = Annotated[bool, typer.Option("--no-settings", help="Read no settings.")]
Baseline = Annotated[
    Path | None, typer.Option("--baseline", metavar="FILE", help="Report only findings that are not in FILE.")
]
WriteBaseline = Annotated[
    Path | None, typer.Option("--write-baseline", metavar="FILE", help="Accept today's findings: write them to FILE.")
]
Against = Annotated[
    str | None,
    typer.Option(
        "--against", metavar="BASE", help="Report what a fine-tune, merge or conversion of BASE must not change."
    ),
]
ColorO = Annotated[Color, typer.Option("--color", help="Colour; auto is only on a terminal and without NO_COLOR.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Less text.")]
Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="More text.")]
