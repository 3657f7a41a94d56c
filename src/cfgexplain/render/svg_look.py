"""Colours of a panel, light and dark, as one style sheet.

Plain rules for classes, no variables: image viewers that are not browsers know no ``var()``. The dark half holds for
screens only, so that paper stays white. Each text colour has a contrast of at least 4.5 on what lies behind it (WCAG
2.2, 1.4.3); a test measures it.
"""

from __future__ import annotations

from typing import Final, NamedTuple

SANS: Final = 'system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","Noto Sans TC","PingFang TC",sans-serif'
MONO: Final = 'ui-monospace,"SF Mono","Cascadia Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace'


class Theme(NamedTuple):
    """One theme. ``fills`` and ``lines``: kind of part → colour of its area, of its outline."""

    paper: str
    card: str
    ink: str
    soft: str
    faint: str
    stream: str
    hit: str
    fills: dict[str, str]
    lines: dict[str, str]


#: What parts there are: norm, attention, mixer, feed-forward, router, embedding and head, unknown, towers.
LIGHT: Final = Theme(
    paper="#ffffff", card="#f6f7f9", ink="#1b2330", soft="#556070", faint="#d5dae1", stream="#3b4a60", hit="#c2410c",
    fills={
        "norm": "#fdf0cd", "attention": "#e9e2fb", "mixer": "#fbe0ec", "ffn": "#d9f0e2", "router": "#cfe6f5",
        "ends": "#e6eaf0", "unknown": "#ffffff", "tower": "#f6e3d6", "other": "#e3e3e3", "act": "#fbdcdc",
    },
    lines={
        "norm": "#a2770a", "attention": "#7452c8", "mixer": "#c0457f", "ffn": "#2c8f5a", "router": "#2b7cab",
        "ends": "#77839a", "unknown": "#77839a", "tower": "#b5683a", "other": "#8a8a8a", "act": "#bf4a4a",
    },
)  # fmt: skip
DARK: Final = Theme(
    paper="#12161d", card="#1a202a", ink="#e7ebf2", soft="#a5afbf", faint="#343d4b", stream="#9fb0c8", hit="#fb923c",
    fills={
        "norm": "#4a3a0c", "attention": "#3b2d66", "mixer": "#5a2340", "ffn": "#17452c", "router": "#173f57",
        "ends": "#2a3340", "unknown": "#12161d", "tower": "#4d2f1c", "other": "#3a3a3a", "act": "#5c2a2a",
    },
    lines={
        "norm": "#d6a92b", "attention": "#a68cf0", "mixer": "#ea7fb0", "ffn": "#57c089", "router": "#62b4e2",
        "ends": "#8a97ab", "unknown": "#8a97ab", "tower": "#dd935f", "other": "#9a9a9a", "act": "#ee9090",
    },
)  # fmt: skip
_SHAPE: Final = (
    f".cx text{{font-family:{SANS};font-size:13px}}"
    f".cx .mono{{font-family:{MONO};font-size:11px}}"
    ".cx .b{font-weight:600}.cx .h{font-size:15px;font-weight:600}.cx .h1{font-size:22px;font-weight:700}"
    ".cx .v{font-size:19px;font-weight:700}.cx .s{font-size:11.5px}.cx .x{font-size:17px;font-weight:700}"
    ".cx .wire{fill:none;stroke-width:1.6}.cx .main{fill:none;stroke-width:4}"
    ".cx .box{stroke-width:1.4}.cx .frame{stroke-width:1.6}.cx .dash{stroke-dasharray:5 4}"
    ".cx .lead{fill:none;stroke-width:1;stroke-dasharray:2 3}.cx .hit{stroke-width:3.2}"
    ".cx .cell{stroke-width:.8}"
)


def _rules(t: Theme) -> str:
    out = [
        f".cx .paper{{fill:{t.paper}}}.cx .card{{fill:{t.card};stroke:{t.faint}}}",
        f".cx text{{fill:{t.ink}}}.cx .soft,.cx .s{{fill:{t.soft}}}",
        f".cx .wire{{stroke:{t.stream}}}.cx .main{{stroke:{t.stream}}}.cx .tip{{fill:{t.stream}}}",
        f".cx .sum{{fill:{t.paper};stroke:{t.stream};stroke-width:2}}.cx .lead{{stroke:{t.soft}}}",
        f".cx .frame{{fill:{t.card};stroke:{t.soft}}}.cx .off{{fill:none;stroke:{t.soft}}}",
    ]
    out += [f".cx .{k}{{fill:{c};stroke:{t.lines[k]}}}.cx .{k}-on{{fill:{t.lines[k]}}}" for k, c in t.fills.items()]
    # After the parts, so that a difference shows on any of them.
    out.append(f".cx .hit{{stroke:{t.hit}}}.cx .flag{{fill:{t.hit}}}.cx text.flagged{{fill:{t.paper}}}")
    return "".join(out)


def sheet() -> str:
    """The style sheet of every panel, in one line."""
    return f"{_SHAPE}{_rules(LIGHT)}@media screen and (prefers-color-scheme:dark){{{_rules(DARK)}}}"
