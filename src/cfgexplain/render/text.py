"""For people: pure functions from a report to lines. ``text_layout`` says why this is not rich."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cfgexplain.lang import catalogue
from cfgexplain.render.text_layout import Ink, aligned, indented, width_of, wrap

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from cfgexplain.lang import Catalogue
    from cfgexplain.render import Style
    from cfgexplain.report import ExplanationR, Report


def render(reports: Iterable[Report], style: Style) -> Iterator[str]:
    """One chunk of text for each report, as soon as it is there.

    ``style.verbose``: below 0, ``check`` shows errors only and ``explain`` leaves the explanations out; above 0, every
    pattern of tensor names is listed.
    """
    ink, texts = Ink.of(style), catalogue(style.lang)
    first, last = True, None
    for r in reports:
        last = r if r["error"] is None else last
        if style.keys and not style.checking:
            lines = list(keys(r, ink, texts))
        else:
            show = check if style.checking else explain
            lines = list(show(r, ink, texts, style.verbose))
        if lines:
            yield ("" if first or style.checking else "\n") + "\n".join(lines).replace("\u00a0", " ") + "\n"
            first = False
    if last is not None and style.verbose >= 0 and not style.checking and not style.keys:
        yield "\n" + "\n".join(onward(last, ink, texts)) + "\n"


def onward(r: Report, ink: Ink, t: Catalogue) -> list[str]:
    """Where to go from here: the last line of a run, whatever the number of its reports."""
    from cfgexplain.render.text_facts import key_to_ask

    key = ink.name(key_to_ask(r), 60)
    said = [t.text("text.next.key").format(key=key)] if key else []
    text = t.text("join.sentence").join([*said, t.text("text.next.tour")])
    return [ink.paint(x, "dim") for x in wrap(ink.text(text), ink.width)]


def error(r: Report, ink: Ink, t: Catalogue) -> Iterator[str]:
    """A target that could not be inspected, in two lines."""
    e = r["error"]
    if e is None:
        return
    yield ink.paint(t.text("text.error").format(message=ink.name(e["message"])), "error")
    if e["hint"]:
        yield "  " + ink.name(e["hint"])


def check(r: Report, ink: Ink, t: Catalogue, verbose: int) -> Iterator[str]:
    """Findings only, under one line that sums them up."""
    from cfgexplain.render.text_findings import findings, summary

    if r["error"]:
        yield from error(r, ink, t)
        return
    found = [f for f in r["findings"] or () if verbose >= 0 or f["severity"] == "error"]
    if not found and verbose < 0:
        return
    yield f"{ink.paint(ink.name(r['target']['input']), 'title')}: {ink.text(summary(found, t))}"
    yield from findings(found, ink, t, verbose > 0)


def explain(r: Report, ink: Ink, t: Catalogue, verbose: int) -> Iterator[str]:
    """The whole report: what is wrong first, then what it is, then why."""
    from cfgexplain.render.diagram import describe, worth_drawing
    from cfgexplain.render.text_diagram import Drawing
    from cfgexplain.render.text_facts import bars, facts, header
    from cfgexplain.render.text_findings import findings
    from cfgexplain.render.text_matrices import legend

    if r["error"]:
        yield from error(r, ink, t)
        return
    yield from header(r, ink, t)
    found = r["findings"] or []
    grave = [f for f in found if f["severity"] != "note"]
    minor = [f for f in found if f["severity"] == "note"]
    if grave:
        yield from section("findings", findings(grave, ink, t, verbose > 0), ink, t)
    yield ""
    yield from facts(r, ink, t)
    if verbose >= 0:
        d = describe(r) if worth_drawing(r) else None
        if d is not None:
            yield from section("drawing", (*legend(r, ink, t), *Drawing(r, ink, t).whole(d)), ink, t)
    yield from section("params", bars(r, ink, t), ink, t)
    if r["quantization"] is not None or r["memory"] is not None:
        from cfgexplain.render.text_memory import memory, quantization

        yield from section("quantization", quantization(r, ink, t, verbose > 0), ink, t)
        yield from section("memory", memory(r, ink, t), ink, t)
    if minor:
        yield from section("notes", findings(minor, ink, t, verbose > 0), ink, t)
    if verbose >= 0:
        yield from section("explanations", explanations(r["explanations"] or [], ink, t), ink, t)
    if r["tensors"]:
        yield from section("tensors", tensors(r, ink), ink, t)


def keys(r: Report, ink: Ink, t: Catalogue) -> Iterator[str]:
    """The keys that were asked for, and nothing else."""
    from cfgexplain.render.text_facts import header

    if r["error"]:
        yield from error(r, ink, t)
        return
    yield from header(r, ink, t)
    yield ""
    yield from explanations(r["explanations"] or [], ink, t)


def section(key: str, lines: Iterable[str], ink: Ink, t: Catalogue) -> Iterator[str]:
    """Lines under a heading; nothing where there are none."""
    kept = list(lines)
    if kept:
        yield ""
        yield ink.paint(ink.text(t.text(f"text.heading.{key}")), "head")
        yield from kept


def explanations(items: list[ExplanationR], ink: Ink, t: Catalogue) -> Iterator[str]:
    """Each with its title, its formula set off, its text, its references."""
    room = ink.width - 4
    for k, e in enumerate(items):
        if k:
            yield ""
        titled = wrap(ink.text(e["title"]), ink.width - 4)
        yield from indented((ink.paint(x, "key") for x in titled), "  ", "    ")
        if e["formula"]:
            for line in aligned([ink.text(x) for x in e["formula"].split("\n")], room - 4):
                yield from indented(
                    (ink.paint(x, "formula") for x in wrap_formula(line, room - 4)), "      ", "        "
                )
        for paragraph in e["text"].split("\n"):
            yield from indented(wrap(ink.text(paragraph), room), "    ")
        for line in e["references"]:
            yield from indented((ink.paint(x, "dim") for x in wrap(ink.text(line), room - 2)), f"    {ink.dot} ")


def wrap_formula(line: str, columns: int) -> list[str]:
    """A formula keeps its own spaces; a long one is broken like text."""
    if width_of(line) <= columns:
        return [line]
    return wrap(line, columns)


def tensors(r: Report, ink: Ink) -> Iterator[str]:
    """Every tensor, a line each."""
    for x in r["tensors"] or ():
        shape = "[" + ", ".join(map(str, x["shape"])) + "]"
        part = f"/{x['part']}" if x["part"] else ""
        yield f"  {ink.name(x['name'])}  {ink.name(x['dtype'])} {shape}  {x['role']}{part}"
