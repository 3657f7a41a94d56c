"""The first lines of a report, its facts in two columns, and its parameters as bars."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cfgexplain.render.remarks import special
from cfgexplain.render.text_diagram import FFN_KINDS, KINDS
from cfgexplain.render.text_layout import indented, joined, pad, width_of, wrap
from cfgexplain.subject import TOWERS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from cfgexplain.lang import Catalogue
    from cfgexplain.render.text_layout import Ink
    from cfgexplain.report import Report
    from cfgexplain.report_ffn import FfnLayersR

#: Kinds of attention that have a name.
NAMED: Final = frozenset({"mha", "gqa", "mqa", "mla", "mixed"})
#: The roles that have a label.
ROLES: Final = frozenset({
    "embedding", "position-embedding", "attention", "cross-attention", "block-norm", "attention-norm", "final-norm",
    "other-norm", "ffn", "experts", "shared-experts", "router", "mixer", "lm-head", "mtp", "vision", "audio",
    "projector", "adapter", "quantization", "buffer", "other", "unclassified",
})  # fmt: skip


def human(n: float, unit: str = "") -> str:
    """6.74B (parameters), 13.48 GB (bytes, powers of ten)."""
    for power, sign in ((1e12, "T"), (1e9, "G" if unit else "B"), (1e6, "M"), (1e3, "k")):
        if n >= power:
            return f"{n / power:.2f}{' ' if unit else ''}{sign}{unit}"
    return f"{n:g} {unit}".rstrip()


def role_label(role: str, t: Catalogue) -> str:
    """What a role of the report's is called for people; a word that is none stays itself."""
    return t.text(f"role.{role}") if role in ROLES else role


def apart(roles: Iterable[str], t: Catalogue) -> list[str]:
    """A footnote for each role that the total leaves out."""
    row = t.text("role.apart.row")
    return [row.format(label=role_label(x, t), text=t.text(f"role.apart.{x}")) for x in roles if x in APART]


def key_to_ask(r: Report) -> str:
    """A key of this very model to ask for; "" where there is no config."""
    n, f = r["norm"], r["ffn"]
    if r["target"]["config_file"] is None:
        return ""
    rows = [x for x in (n["eps"] if n else None, f["intermediate_size"] if f else None) if x and x["key"]]
    model = r["model"]
    if model is not None and model["family_known"]:
        found = rows[0]["key"] if rows else "hidden_size"
    else:  # no default is known to be one: only what the config has
        found = next((x["key"] for x in rows if x["source"] == "config"), None)
        found = found or ("model_type" if model is not None and model["model_type"] else None)
    return (found or "").rpartition(".")[2]


def header(r: Report, ink: Ink, t: Catalogue) -> Iterator[str]:
    """The target, and one line on what it is."""
    target, model, params = r["target"], r["model"], r["params"]
    if model is None or params is None:
        return
    yield ink.paint(ink.name(target["input"]), "title")
    parts: list[str] = []
    kind = ink.name(model["model_type"]) if model["model_type"] else ""
    if model["family_known"]:
        parts.append(ink.name(model["family"]))
    elif not kind:
        parts.append(t.text("text.no-type"))
    elif model["family"]:
        parts.append(t.text("text.unknown-family.guess").format(model_type=kind, family=ink.name(model["family"])))
    else:
        parts.append(t.text("text.unknown-family").format(model_type=kind))
    if model["architectures"]:
        parts.append(ink.name(model["architectures"][0]))
    if model["text_config_path"]:
        parts.append(t.text("text.in").format(path=ink.name(model["text_config_path"])))
    if params["total"]:
        parts.append(t.text("text.params-short").format(count=human(params["total"])))
    dtypes = params["by_dtype"] or {}
    if dtypes:
        parts.append(" + ".join(ink.name(d) for d in sorted(dtypes, key=lambda d: -dtypes[d])[:3]))
    files = target["weight_files"]
    if params["bytes"] is not None and files:
        key = "text.file" if len(files) == 1 else "text.files"
        parts.append(t.text(key).format(bytes=human(params["bytes"], "B"), count=len(files)))
    elif not files:
        parts.append(t.text("text.from-config"))
    if target["config_file"] is None:
        parts.append(t.text("text.from-weights"))
    if target["commit"] or target["revision"]:
        parts.append(t.text("text.at").format(revision=ink.name(target["commit"] or target["revision"])))
    yield from joined([ink.text(p) for p in parts], f" {ink.dot} ", ink.width)


def facts(r: Report, ink: Ink, t: Catalogue) -> Iterator[str]:
    """Label, value, origin."""
    rows = [(t.text(f"text.fact.{key}"), value, note) for key, value, note in fact_rows(r, ink, t) if value]
    rows = [(ink.text(a), ink.text(b), ink.text(c)) for a, b, c in rows]
    if not rows:
        return
    left = max(width_of(a) for a, _, _ in rows)
    for label, value, note in rows:
        lines = wrap(value, max(20, ink.width - left - 4))
        fits = note and width_of(lines[-1]) + width_of(note) + left + 7 <= ink.width
        if note and fits:
            lines[-1] += "  " + ink.paint(note, "dim")
        elif note:
            lines += [ink.paint(x, "dim") for x in wrap(note, max(20, ink.width - left - 4))]
        yield from indented(lines, f"  {ink.paint(pad(label, left), 'dim')}  ", " " * (left + 4))


def fact_rows(r: Report, ink: Ink, t: Catalogue) -> Iterator[tuple[str, str, str]]:
    """Key, value, origin of every fact that is known."""
    model, norm, ffn, params, memory, quant = (
        r["model"],
        r["norm"],
        r["ffn"],
        r["params"],
        r["memory"],
        r["quantization"],
    )
    if model is None or norm is None or ffn is None or params is None:
        return

    def say(name: str, /, **values: object) -> str:
        return t.text(f"text.value.{name}").format(**values)

    def origin(source: str | None, key: str | None) -> str:
        if source == "hardcoded" or (source and key):
            return (
                say(f"origin.{source}", key=ink.name(key))
                if source in ("config", "default", "derived", "hardcoded")
                else ""
            )
        return ""

    if params["total"]:
        yield "params", say("params", count=params["total"]), ""
    if params["active"] and params["active"] != params["total"]:
        towers = any((params["by_role"] or {}).get(x) for x in TOWERS)
        yield "active", say("params", count=params["active"]), say("active.beside") if towers else ""
    yield "layers", _layers(r, ink, t), ""
    if model["hidden_size"]:
        yield "hidden", f"{model['hidden_size']:,}", ""
    size = ffn["intermediate_size"]
    # Where dense blocks stand in layers with experts (LongCat), the layers' own entries do not have them.
    nested = ffn["params"]["dense"] and not any(g["kind"] == "dense" for g in ffn["layers"] or ())
    used = set() if nested else _used(ffn["layers"])
    if size["value"] and used and size["ratio"] and model["hidden_size"] and (
        block_width(r) not in used
    ):
        listed = t.text("join.list").join(f"{n:,}" for n in sorted(used))
        yield "width", listed, say("width.unused", key=ink.name(size["key"] or ""), value=size["value"])
    elif size["value"]:
        note, own = origin(size["source"], size["key"]), block_width(r)
        if own != size["value"] and size["key"]:
            both = "width.both" if size["source"] == "config" else "width.both.unset"
            note = say(both, key=ink.name(size["key"]), value=size["value"])
        ratio = say("ratio", ratio=f"{size['ratio']:.4g}") if size["ratio"] else ""
        yield "width", _n(own) + (f" = {ratio}" if ratio else ""), note
    if ffn["kind"] in FFN_KINDS:
        word = t.text(f"text.draw.ffn.{ffn['kind']}")
        inside = special(r) or ffn["activation"]
        yield "ffn", word + (f" ({ink.name(inside)})" if inside else ""), ""
    moe = [g for g in ffn["layers"] or () if g["kind"] == "moe"]
    if moe:
        g = moe[-1]
        wide = ".width" if g["shared_intermediate_size"] else ""
        key = f"experts.shared{wide}" if g["shared_experts"] else "experts"
        yield (
            "experts",
            say(
                key,
                experts=_n(g["experts"]),
                width=_n(g["intermediate_size"]),
                k=_n(g["experts_per_token"]),
                shared=g["shared_experts"],
                shared_width=_n(g["shared_intermediate_size"]),
            ),
            "",
        )
    if model["attention"] == "none":
        yield "attention", say("none"), ""
    elif model["num_attention_heads"]:
        kind, own = model["attention"] or "", model["head_dim"]
        if not kind or (model["num_key_value_heads"] is None and kind not in ("mha", "mla")):
            key = "heads"
        else:
            key = kind if kind in ("mha", "mla") or (kind == "mqa" and model["num_key_value_heads"] == 1) else "gqa"
            key += "" if own or key == "mla" else ".plain"
        yield (
            "attention",
            say(
                key,
                kind=say(f"kind.{kind}") if kind in NAMED else kind,
                heads=model["num_attention_heads"],
                kv=_n(model["num_key_value_heads"]),
                size=_n(own),
            ),
            "",
        )
    if norm["type"] in ("rmsnorm", "layernorm", "other"):
        word = say(f"type.{norm['type']}" + (".1+w" if norm["gain"] == "1+w" and norm["type"] != "other" else ""))
        place = say(f"place.{norm['placement'] or 'unknown'}")
        yield "norm", say("norm.qk" if norm["qk_norm"] else "norm", type=word, placement=place), ""
    if norm["eps"]["value"] is not None:
        yield "eps", repr(norm["eps"]["value"]), origin(norm["eps"]["source"], norm["eps"]["key"])
    if model["vocab_size"]:
        head = f".{model['head']}" if model["head"] in ("tied", "own") else ""
        yield "vocab", say(f"vocab{head}", vocab=model["vocab_size"]), ""
    if model["max_position_embeddings"]:
        rows, usable = model["positions"]["table"], model["positions"]["usable"]
        said = say("tokens.usable", count=usable, rows=rows) if usable else ""
        yield "context", said or say("tokens", count=model["max_position_embeddings"]), ""
    if memory and memory["kv_cache_bytes_per_token"]:
        full = memory["kv_cache_bytes_at_context"]
        yield (
            "cache",
            say(
                "cache.full" if full else "cache", bytes=memory["kv_cache_bytes_per_token"], full=human(full or 0, "B")
            ),
            "",
        )
    if quant and quant["method"]:
        block = quant["block_size"] or [0, 0]
        values = {"method": ink.name(quant["method"]), "bits": quant["bits"], "group": quant["group_size"]}
        key = "quant"
        if quant["bits"]:
            key = "quant.block" if block[0] else "quant.group" if quant["group_size"] else "quant.bits"
        yield "quantization", say(key, rows=block[0], columns=block[1], **values), ""


def block_width(r: Report) -> int | None:
    """The feed-forward width that a matrix has; the config's key may count gate and up together."""
    size = r["ffn"]["intermediate_size"] if r["ffn"] else None
    hidden = r["model"]["hidden_size"] if r["model"] else None
    if size is None or not size["ratio"] or not hidden:
        return size["value"] if size else None
    return round(size["ratio"] * hidden)


def _n(n: int | None) -> str:
    return "?" if n is None else f"{n:,}"


def _used(layers: list[FfnLayersR] | None) -> set[int]:
    """The widths that the layers have; empty where one is not known."""
    found = {n for g in layers or () for n in (g["intermediate_size"], g["shared_intermediate_size"]) if n}
    return set() if any(g["kind"] != "none" and not g["intermediate_size"] for g in layers or ()) else found


def _layers(r: Report, ink: Ink, t: Catalogue) -> str:
    count = r["model"]["num_layers"] if r["model"] else None
    if count is None:
        return ""
    mix = (r["layers"]["mix"] if r["layers"] else None) or {}
    if not mix or list(mix) == ["full"]:
        return f"{count:,}"
    words = [
        t.text("text.value.mix").format(count=n, kind=t.text(f"text.draw.kind.{k}") if k in KINDS else ink.name(k))
        for k, n in mix.items()
    ]
    return t.text("text.value.layers.mix").format(layers=f"{count:,}", mix=t.text("join.list").join(words))


def bars(r: Report, ink: Ink, t: Catalogue) -> Iterator[str]:
    """Parameters by role, largest first."""
    params = r["params"]
    roles = params["by_role"] if params else None
    if not params or not roles:
        return
    shown = sorted(((role, n) for role, n in roles.items() if n), key=lambda x: -x[1])
    most = max((n for _, n in shown), default=0)
    total = params["total"]
    if not most:
        return
    labels = {role: ink.text(role_label(role, t)) for role, _ in shown}
    left = max(width_of(x) for x in labels.values())
    middle = max(len(f"{n:,}") for _, n in shown)
    room = max(8, min(40, ink.width - left - middle - 14))
    for role, n in shown:
        share = "     *" if role in APART else f"{n / total:6.1%}" if total else "      "
        bar = ink.text("█" * max(1 if n / most > 1 / (2 * room) else 0, round(n / most * room)))
        painted = ink.paint(bar, "ffn" if role in FFN_ROLES else "dim")
        yield f"  {pad(labels[role], left)}  {n:>{middle},}  {share}  {painted}".rstrip()
    for text in apart((role for role, _ in shown), t):
        yield from indented(wrap(ink.text(text), ink.width - 4), "  * ")


#: Roles that the total leaves out.
APART: Final = frozenset({"mtp", "buffer", "quantization", "adapter"})
FFN_ROLES: Final = frozenset({"ffn", "experts", "shared-experts"})
