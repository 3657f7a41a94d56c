"""Style of the page: light and dark, telephone and paper."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cfgexplain.render.svg_look import DARK, LIGHT, MONO, SANS, sheet

if TYPE_CHECKING:
    from cfgexplain.render.svg_look import Theme

#: Widths from which there is room for the wide panel.
ROOM: Final = 860
_BODY: Final = (
    f"*{{box-sizing:border-box}}body{{margin:0;background:var(--paper);color:var(--ink);font:16px/1.55 {SANS}}}"
    "main,header,footer{max-width:1168px;margin:0 auto;padding:0 24px}header,main{padding-top:24px}"
    "h1{font-size:30px;line-height:1.2;margin:0 0 4px;overflow-wrap:anywhere}"
    "h2{font-size:21px;margin:40px 0 12px;padding-top:8px}h3{font-size:16px;margin:20px 0 6px}"
    "p{margin:8px 0;max-width:76ch}.soft{color:var(--soft)}.small{font-size:14px}"
    f"code,pre,.mono{{font-family:{MONO};font-size:.88em;overflow-wrap:anywhere}}"
    "pre{background:var(--card);border:1px solid var(--faint);border-radius:8px;padding:10px 14px;overflow-x:auto;"
    "margin:10px 0;overflow-wrap:normal}"
    "nav{margin:14px 0 0;display:flex;flex-wrap:wrap;gap:6px 16px;font-size:15px}a{color:var(--link)}"
    "figure{margin:16px 0 0}svg.cx{display:block;width:100%;height:auto}"
    f".thin{{display:none}}@media(max-width:{ROOM}px){{.full{{display:none}}.thin{{display:block;max-width:480px;"
    "margin:0 auto}}.pair .thin,.thin.always{display:block}"
    "table{border-collapse:collapse;width:100%;font-size:15px}th{text-align:left;font-weight:600;color:var(--soft)}"
    "td,th{padding:6px 14px 6px 0;border-bottom:1px solid var(--faint);vertical-align:top}"
    "td{overflow-wrap:break-word}.facts td{overflow-wrap:anywhere}"
    "td.n,th.n{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}"
    "tr:last-child td,tbody tr:last-child th{border-bottom:0}.wide{overflow-x:auto}"
    ".two{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,440px),1fr));gap:0 48px}"
    ".two>section{min-width:0}"
    ".bar{width:34%;min-width:70px}.bar i{display:block;height:14px;border-radius:3px;min-width:2px}"
    "details{border:1px solid var(--faint);border-radius:10px;padding:0 16px;margin:10px 0;background:var(--paper)}"
    "summary{cursor:pointer;font-weight:600;padding:10px 0;overflow-wrap:anywhere}"
    "details[open]{padding-bottom:10px}details ul{margin:8px 0;padding-left:20px;font-size:14px;color:var(--soft)}"
    "details ul.said{font-size:inherit;color:inherit}.said li{max-width:70ch}"
    ".finding{border-left:5px solid var(--soft);background:var(--card);border-radius:6px;padding:10px 16px;"
    "margin:10px 0}"
    ".finding p{margin:4px 0}.error{border-color:var(--error)}.warning{border-color:var(--warn)}"
    ".note{border-color:var(--link)}"
    ".tag{font-weight:700;margin-right:8px}.error .tag{color:var(--error)}.warning .tag{color:var(--warn)}"
    ".note .tag{color:var(--link)}.ok{color:var(--good);font-weight:600}"
    ".pair{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,360px),1fr));gap:24px}"
    ".pair>section{min-width:0}"
    ".pair h2{overflow-wrap:anywhere}.hitmark{color:var(--hit);font-weight:700}"
    "footer{margin-top:48px;padding-bottom:32px;color:var(--soft);font-size:14px}"
    "article+article{border-top:3px solid var(--faint);margin-top:48px;padding-top:8px}"
    "@media(max-width:560px){main,header,footer{padding-left:14px;padding-right:14px}h1{font-size:24px}"
    "body{font-size:15px}}"
    "@media print{nav{display:none}body{font-size:11pt}figure,details,.finding,tr{break-inside:avoid}"
    "h2{break-after:avoid}"
    "details::details-content{content-visibility:visible;height:auto}main,header,footer{max-width:none;padding:0}}"
)


def _variables(t: Theme, link: str, error: str, warn: str, good: str) -> str:
    return (
        f"--paper:{t.paper};--card:{t.card};--ink:{t.ink};--soft:{t.soft};--faint:{t.faint};--hit:{t.hit};"
        f"--link:{link};--error:{error};--warn:{warn};--good:{good}"
    )


def _bars() -> str:
    light = "".join(f".bar .{k}{{background:{c}}}" for k, c in LIGHT.lines.items())
    dark = "".join(f".bar .{k}{{background:{c}}}" for k, c in DARK.lines.items())
    return f"{light}@media screen and (prefers-color-scheme:dark){{{dark}}}"


def style() -> str:
    """All of it, the panels' with it."""
    light = _variables(LIGHT, "#1f5fbf", "#b3261e", "#8f5500", "#1c7a45")
    dark = _variables(DARK, "#8ab8ff", "#ff8a80", "#f0b45a", "#6fd39b")
    return (
        f":root{{color-scheme:light dark;{light}}}@media screen and (prefers-color-scheme:dark){{:root{{{dark}}}}}"
        f"{_BODY}{_bars()}{sheet()}"
    )
