"""What a drawing does not show and says instead."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from cfgexplain.lang import Catalogue
    from cfgexplain.render.diagram import Diagram
    from cfgexplain.report import Report


#: Remarks that the drawing shows.
DRAWN: Final = frozenset({"residual-normed", "fourier", "lsh"})


def beside(report: Report, t: Catalogue, d: Diagram) -> list[str]:
    """A phrase for each remark of the report that ``d`` does not show, with the config's own key and number.

    Values are not made safe here.
    """
    model = report["model"]
    roles = (report["params"]["by_role"] if report["params"] else None) or {}
    abreast = any(x.sides for b in d.blocks for x in b.branches)
    out: list[str] = []
    for r in (model["remarks"] if model else None) or ():
        if r["name"] in DRAWN or (abreast and r["name"] == "dense-beside-experts"):
            continue
        if r["name"] == "towers-apart" and not roles.get("vision"):
            continue
        text = phrase(r["name"], r["value"], t)
        out.append(t.text("text.draw.remark-key").format(text=text, key=r["key"]) if r["key"] else text)
    return out


def phrase(name: str, value: object, t: Catalogue) -> str:
    """A remark in words, with its number."""
    if isinstance(value, float):
        shown = f"{value:.6g}"
    else:
        shown = f"{value:,}" if isinstance(value, int) else str(value)
    return t.text(f"text.draw.remark.{name}").format(value=shown)


def special(report: Report) -> str | None:
    """What stands between gate and down, where it is another thing than act(gate) × up."""
    ffn = report["ffn"]
    found = ffn["formula"] if ffn and ffn["gated"] else None
    return None if ffn is None or found == f"{ffn['activation']}(gate) × up" else found
