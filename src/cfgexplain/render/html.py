"""One page that holds all: panel, facts, derivations, charts, findings. No script, nothing from outside."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cfgexplain import __version__
from cfgexplain.lang import catalogue
from cfgexplain.render import html_parts as parts
from cfgexplain.render.html_look import style as look
from cfgexplain.render.svg import chart, panel
from cfgexplain.render.svg_paper import esc
from cfgexplain.render.svg_strip import runs
from cfgexplain.render.svg_words import Words
from cfgexplain.render.text_findings import summary

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from cfgexplain.lang import Catalogue
    from cfgexplain.render import Style
    from cfgexplain.report import Report

#: Nothing may be loaded, run, framed or sent; the page's own styles are all there is, and an empty icon, so that
#: browsers ask no server for one.
POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"


def render(reports: Iterable[Report], style: Style) -> Iterator[str]:
    """The page, a model after the other."""
    t = catalogue(style.lang)
    kept = list(reports)
    titles = [title(r, t) for r in kept]
    yield head(", ".join(titles[:3]) + (" …" if len(titles) > 3 else ""), style.lang)
    if len(kept) > 1:
        links = "".join(f"<a href='#m{k}'>{esc(name)}</a>" for k, name in enumerate(titles))
        yield f"<header><nav aria-label='{esc(t.text('html.models'))}'>{links}</nav></header>"
    yield "<main>"
    for k, r in enumerate(kept):
        yield from article(r, t, k, style)
    yield "</main>" + foot(t)


def head(name: str, lang: str) -> str:
    """Everything before the body's content."""
    return (
        f"<!DOCTYPE html>\n<html lang='{esc(lang)}'><head><meta charset='utf-8'>"
        f"<meta http-equiv='Content-Security-Policy' content=\"{POLICY}\">"
        "<meta name='viewport' content='width=device-width, initial-scale=1'>"
        "<meta name='referrer' content='no-referrer'>"
        f"<link rel='icon' href='data:,'><title>{esc(name)} · cfgexplain</title><style>{look()}</style></head><body>\n"
    )


def foot(t: Catalogue) -> str:
    """The end of the page."""
    return f"<footer><p>{esc(t.text('html.made').format(version=__version__))}</p></footer></body></html>\n"


def title(r: Report, t: Catalogue) -> str:
    """The model's name."""
    return Words(r, t).title if r["error"] is None else r["target"]["input"]


def article(r: Report, t: Catalogue, k: int, style: Style) -> Iterator[str]:
    """One model."""
    yield f"<article id='m{k}' aria-labelledby='m{k}-h'>"
    e = r["error"]
    if e is not None:
        yield (
            f"<h1 id='m{k}-h'>{esc(r['target']['input'])}</h1><div class='finding error'><p><span class=tag>"
            f"{esc(t.text('text.severity.error'))}</span>{esc(e['message'])}</p>"
            f"<p class=soft>{esc(e['hint'])}</p></div></article>"
        )
        return
    words = Words(r, t)
    found = r["findings"] or []
    yield f"<h1 id='m{k}-h'>{esc(words.title)}</h1><p class=soft>{esc(words.subtitle())}</p>"
    commit = r["target"]["commit"] or r["target"]["revision"]
    if commit:
        yield f"<p class='soft small'>{esc(t.text('text.at').format(revision=commit))}</p>"
    told = {"quantization": parts.quantized(r, t), "memory": parts.memory(r, t)}
    keys = ["drawing", "facts", "params", "layers", *(x for x, text in told.items() if text), "findings"]
    keys += [] if style.checking else ["explanations", "read"]
    links = "".join(f"<a href='#m{k}-{key}'>{esc(t.text(f'html.heading.{key}'))}</a>" for key in keys)
    yield f"<nav aria-label='{esc(t.text('html.sections'))}'>{links}</nav>"
    grave = [f for f in found if f["severity"] != "note"]
    yield from parts.findings(grave, t)

    def heading(key: str) -> str:
        return f"<h2 id='m{k}-{key}'>{esc(t.text(f'html.heading.{key}'))}</h2>"

    yield heading("drawing") + figure(
        panel(r, t, ident=f"m{k}w", alone=False, lang=style.lang),
        panel(r, t, narrow=True, ident=f"m{k}n", alone=False, lang=style.lang),
    )
    yield f"<div class=two><section>{heading('facts')}{parts.facts(r, t)}</section>"
    yield f"<section>{heading('params')}{parts.parameters(r, t)}</section></div>"
    yield heading("layers")
    if runs(words):
        yield figure(
            chart(r, t, ident=f"m{k}x", lang=style.lang), chart(r, t, narrow=True, ident=f"m{k}y", lang=style.lang)
        )
    else:
        yield parts.nothing(t)
    yield from (heading(key) + text for key, text in told.items() if text)
    yield f"{heading('findings')}<p>{esc(summary(found, t))}</p>"
    yield from parts.findings((f for f in found if f["severity"] == "note"), t)
    if style.checking:
        yield "</article>"
        return
    yield heading("explanations")
    yield from parts.explanations(r["explanations"] or []) if r["explanations"] else (parts.nothing(t),)
    yield parts.recipes(r, t)
    yield heading("read") + parts.norms(r, t) + parts.files(r, t) + parts.tensors(r, t) + "</article>"


def figure(wide: str, narrow: str) -> str:
    """Two drawings of the same thing, of which the window's width shows one."""
    return f"<figure><div class=full>{wide}</div><div class=thin>{narrow}</div></figure>"
