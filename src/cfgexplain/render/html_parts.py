"""Pieces of the page. Everything that comes from a file goes through ``esc``; the catalogue's own words as well."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cfgexplain.render.svg_paper import esc
from cfgexplain.render.svg_strip import COLOR
from cfgexplain.render.text_facts import APART, apart, fact_rows, human, role_label
from cfgexplain.render.text_layout import Ink, aligned
from cfgexplain.render.text_memory import CARDS, need, quantization, share

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from cfgexplain.lang import Catalogue
    from cfgexplain.report import ExplanationR, FindingR, Report
    from cfgexplain.report_ffn import RuleR

#: Rows of a long table; a page is for people.
MOST_ROWS: Final = 2000


def details(summary: str, body: str, shown: bool = False) -> str:
    """A part that folds. ``summary`` is text, ``body`` is markup."""
    return f"<details{' open' if shown else ''}><summary>{esc(summary)}</summary>{body}</details>"


def table(head: Sequence[str], rows: Iterable[Sequence[str]], numbers: Iterable[int] = ()) -> str:
    """A table of texts; ``numbers`` are the columns aligned to the right. A last column without texts is left out."""
    right, rows = set(numbers), list(rows)
    if head and not any(row[-1] for row in rows):
        head, rows = head[:-1], [row[:-1] for row in rows]

    def cell(tag: str, k: int, s: str) -> str:
        return f"<{tag}{' class=n' if k in right else ''}>{esc(s)}</{tag}>"

    top = f"<thead><tr>{''.join(cell('th', k, s) for k, s in enumerate(head))}</tr></thead>" if head else ""
    body = "".join("<tr>" + "".join(cell("td", k, s) for k, s in enumerate(row)) + "</tr>" for row in rows)
    return f"<div class=wide><table>{top}<tbody>{body}</tbody></table></div>" if body else ""


def facts(r: Report, t: Catalogue) -> str:
    """What it is: label, value, where the value came from."""
    rows = "".join(
        f"<tr><th scope=row>{esc(t.text(f'text.fact.{key}'))}</th><td>{esc(value)}"
        + (f"<br><span class='soft small'>{esc(note)}</span>" if note else "")
        + "</td></tr>"
        for key, value, note in fact_rows(r, Ink(120, False, True), t)
        if value
    )
    return f"<table class=facts><tbody>{rows}</tbody></table>" if rows else nothing(t)


def memory(r: Report, t: Catalogue) -> str:
    """Weights and cache in bytes, and how much of common cards they fill."""
    found = need(r, t)
    if found is None:
        return ""
    rows = "".join(
        f"<tr><th scope=row>{esc(label)}</th><td>{esc(value)}"
        + (f"<br><span class='soft small'>{esc(how)}</span>" if how else "")
        + "</td></tr>"
        for label, value, how in found.rows
    )
    out = f"<table class=facts><tbody>{rows}</tbody></table>"
    if found.cards:
        head = "".join(f"<th scope=col class=n>{size}</th>" for size in CARDS)
        body = "".join(
            f"<tr><th scope=row>{esc(label)}</th>"
            + "".join(f"<td class=n>{esc(share(n, size))}</td>" for size in CARDS)
            + "</tr>"
            for label, n in found.cards
        )
        out += (
            f"<p class='soft small'>{esc(found.legend)}</p><div class=wide><table><thead><tr><th scope=col>"
            f"{esc(t.text('text.memory.row.card'))}</th>{head}</tr></thead><tbody>{body}</tbody></table></div>"
        )
    return out


def quantized(r: Report, t: Catalogue) -> str:
    """What is in which format, as the terminal has it."""
    lines = quantization(r, Ink(110, False, True), t, True) if r["quantization"] else ()
    text = "\n".join(esc(x) for x in lines)
    return f"<pre>{text}</pre>" if text else ""


def nothing(t: Catalogue) -> str:
    """What stands where there is nothing to say."""
    return f"<p class=soft>{esc(t.text('html.nothing'))}</p>"


def parameters(r: Report, t: Catalogue) -> str:
    """Parameters by role as a table with bars."""
    params = r["params"]
    roles = params["by_role"] if params else None
    if not params or not roles:
        return f"<p class=soft>{esc(t.text('html.params.unknown'))}</p>"
    total = params["total"]
    shown = sorted(((role, n) for role, n in roles.items() if n), key=lambda x: -x[1])
    most = max((n for _, n in shown), default=1)
    rows = "".join(
        f"<tr><th scope=row>{esc(role_label(role, t))}</th><td class=n>{n:,}</td>"
        f"<td class=n>{'*' if role in APART else f'{n / total:.1%}' if total else ''}</td>"
        f"<td class=bar><i class={COLOR.get(role, 'other')} style='width:{n / most * 100:.2f}%'></i></td></tr>"
        for role, n in shown
    )
    types = params["by_dtype"] or {}
    by_type = t.text("join.list").join(f"{name} {human(n)}" for name, n in sorted(types.items(), key=lambda x: -x[1]))
    note = f"<p class='soft small'>{esc(t.text('html.params.types').format(types=by_type))}</p>" if by_type else ""
    left = "".join(f"<p class='soft small'>* {esc(text)}</p>" for text in apart((role for role, _ in shown), t))
    return f"<div class=wide><table><tbody>{rows}</tbody></table></div>{left}{note}"


def findings(found: Iterable[FindingR], t: Catalogue) -> Iterator[str]:
    """Each finding: what, what to do, where."""
    for f in found:
        place = ""
        if f["file"]:
            key = "text.place.pointer" if f["pointer"] else "text.place"
            place = t.text(key).format(file=f["file"], pointer=f["pointer"])
        names = [n for n in f["tensors"] if n not in f["message"]]
        listed = "".join(f"<li><code>{esc(n)}</code></li>" for n in names[:MOST_ROWS])
        more = details(t.text("html.tensors.count").format(count=len(names)), f"<ul>{listed}</ul>") if names else ""
        yield (
            f"<div class='finding {f['severity']}'><p>"
            f"<span class=tag>{esc(t.text('text.severity.' + f['severity']))}</span>"
            f"<code>{esc(f['name'])}</code></p><p>{esc(f['message'])}</p>"
            + (f"<p class=soft>{esc(f['hint'])}</p>" if f["hint"] else "")
            + (f"<p class='soft small'>{esc(place)}</p>" if place else "")
            + f"{more}</div>"
        )


def explanations(items: Iterable[ExplanationR]) -> Iterator[str]:
    """Each explanation: formula with its numbers, text, references. All of them fold."""
    for e in items:
        body = ""
        if e["formula"]:
            body = f"<pre>{esc_lines(aligned(e['formula'].split(chr(10)), 1000))}</pre>"
        body += paragraphs(e["text"])
        if e["references"]:
            body += f"<ul>{''.join(f'<li>{esc(x)}</li>' for x in e['references'])}</ul>"
        yield details(e["title"], body, True)


def paragraphs(text: str) -> str:
    """Lines as paragraphs; those that begin with a dash as the points of a list."""
    out: list[str] = []
    for line in text.split("\n"):
        point = line.removeprefix("- ")
        if point is line:
            out.append(f"<p>{esc(line)}</p>")
        elif out and out[-1].endswith("</ul>"):
            out[-1] = out[-1].removesuffix("</ul>") + f"<li>{esc(point)}</li></ul>"
        else:
            out.append(f"<ul class=said><li>{esc(point)}</li></ul>")
    return "".join(out)


def esc_lines(lines: Iterable[str]) -> str:
    """Lines of a formula."""
    return "\n".join(esc(x) for x in lines)


def recipes(r: Report, t: Catalogue) -> str:
    """Every way to come to the feed-forward width that was tried, with its steps."""
    d = r["ffn"]["derivation"] if r["ffn"] else None
    if not d or not d["candidates"]:
        return ""
    chosen = d["chosen"]["name"] if d["chosen"] else None
    out: list[str] = []
    for c in d["candidates"]:
        mark = (
            t.text("html.recipe.chosen") if c["name"] == chosen else t.text("html.recipe.fits") if c["matches"] else ""
        )
        out.append(
            f"<h3>{esc(recipe(c, t))} {f'<span class=ok>{esc(mark)}</span>' if mark else ''}</h3>"
            f"<pre>{esc_lines(c['steps'])}</pre>"
            + (f"<p class='soft small'>{esc(c['reference'])}</p>" if c["reference"] else "")
        )
    return details(t.text("html.recipes").format(count=len(d["candidates"])), "".join(out))


def recipe(c: RuleR, t: Catalogue) -> str:
    """What a way to the width is called; the report's own name is for programs."""
    name, factor = c["name"], c["multiplier"]
    if name in ("stated", "family", "llama_rule"):
        return t.text(f"html.recipe.{name}")
    if name.endswith("·d"):
        return t.text("html.recipe.ratio").format(ratio=name.removesuffix("·d"))
    if not name.startswith("meta("):
        return name
    key = "html.recipe.meta" if factor in (None, 1) else "html.recipe.meta.factor"
    return t.text(key).format(factor=f"{factor or 1:g}", multiple=c["multiple_of"])


def norms(r: Report, t: Catalogue) -> str:
    """Every norm by its name."""
    sites = (r["norm"]["sites"] if r["norm"] else None) or []
    rows = [
        (n["tensor"], role_label(n["role"], t), "?" if n["size"] is None else f"{n['size']:,}", f"{n['count']:,}")
        for n in sites
    ]
    head = [t.text(f"html.column.{k}") for k in ("tensor", "role", "size", "count")]
    return (
        details(t.text("html.norms").format(count=sum(n["count"] for n in sites)), table(head, rows, (2, 3)))
        if rows
        else ""
    )


def files(r: Report, t: Catalogue) -> str:
    """What was read."""
    target = r["target"]
    rows = [
        (
            f["name"],
            "" if f["bytes"] is None else human(f["bytes"], "B"),
            "" if f["tensors"] is None else f"{f['tensors']:,}",
        )
        for f in target["weight_files"][:MOST_ROWS]
    ]
    if target["config_file"]:
        rows.insert(0, (target["config_file"], "", ""))
    head = [t.text(f"html.column.{k}") for k in ("file", "bytes", "tensors")]
    return details(t.text("html.files").format(count=len(rows)), table(head, rows, (1, 2))) if rows else ""


def tensors(r: Report, t: Catalogue) -> str:
    """Every tensor, where a list was asked for."""
    found = r["tensors"] or []
    rows = [
        (x["name"], x["dtype"], " × ".join(map(str, x["shape"])), x["role"] + (f"/{x['part']}" if x["part"] else ""))
        for x in found[:MOST_ROWS]
    ]
    head = [t.text(f"html.column.{k}") for k in ("tensor", "dtype", "shape", "role")]
    left = (
        f"<p class=soft>{esc(t.text('html.more').format(count=len(found) - MOST_ROWS))}</p>"
        if len(found) > MOST_ROWS
        else ""
    )
    return details(t.text("html.tensors.count").format(count=len(found)), table(head, rows) + left) if rows else ""
