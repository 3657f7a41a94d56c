"""What a model takes on a card, and what it is quantized to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from cfgexplain.render.text_facts import human
from cfgexplain.render.text_layout import indented, joined, pad, width_of, wrap

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cfgexplain.lang import Catalogue
    from cfgexplain.render.text_layout import Ink
    from cfgexplain.report import ModelR, QuantizationR, Report

#: Sizes that cards are sold in, in units of 10⁹ bytes: a card has at least that much; many have as many GiB (2³⁰).
CARDS: Final = (8, 12, 16, 24, 32, 40, 48, 80, 96, 141, 192)
GB: Final = 10**9
#: Bytes of one element of the dtypes that a config declares for unquantized weights.
SIZES: Final = {"float32": 4, "bfloat16": 2, "float16": 2, "half": 2}
#: The least share of the weights' bytes that buffers must have to be told.
WORTH: Final = 0.01
#: Patterns shown of each format, unless all are asked for.
FEW: Final = 4


class Need(NamedTuple):
    """What a model takes: rows of (label, value, how it comes about), rows and legend of the table of cards."""

    rows: list[tuple[str, str, str]]
    cards: list[tuple[str, int]]
    legend: str


def need(r: Report, t: Catalogue) -> Need | None:
    """The numbers in words, for every way to show them; None where nothing is known."""
    m, params, model = r["memory"], r["params"], r["model"]
    if m is None or params is None or model is None:
        return None

    def say(name: str, /, **values: object) -> str:
        return t.text(f"text.memory.{name}").format(**values)

    rows: list[tuple[str, str, str]] = []
    weights = m["weights_bytes"]
    if weights is not None:
        rows.append((say("weights"), say("exact", size=both(weights), bytes=weights), ""))
        idle = (params["stored_by_role"] or {}).get("buffer")
        if idle and idle["bytes"] >= weights * WORTH:
            rows.append(("", say("buffers", size=both(idle["bytes"])), ""))
    elif params["total"] and r["quantization"] is None:
        # Without tensors: what the declared dtype would take.
        dtype = (model["dtype"] or "").removeprefix("torch.")
        if dtype in SIZES:
            weights = params["total"] * SIZES[dtype]
            values = {"size": both(weights), "params": params["total"], "each": SIZES[dtype], "dtype": dtype}
            rows.append((say("weights"), say("declared", **values), ""))
    token, full, state = m["kv_cache_bytes_per_token"], m["kv_cache_bytes_at_context"], m["constant_state_bytes"]
    context = model["max_position_embeddings"]
    if token:
        rows.append((say("token"), say("bytes", bytes=token), spelled(m["kv_cache_formula"] or "", model, t)))
    if full and context:
        rows.append((say("context", context=context), both(full), ""))
        if token and full < token * context and (why := windowed(r, t)):
            rows.append(("", why, ""))
    if state:
        rows.append((say("state"), say("whatever-length", size=both(state)), ""))
    found: list[tuple[str, int]] = []
    if weights is not None:
        found.append((say("row.weights"), weights))
        if full or state:
            label = say("row.with-cache" if full else "row.with-state")
            found.append((label, weights + (full or 0) + (state or 0)))
    return Need(rows, found, say("legend" if full or state else "legend.weights")) if rows else None


def windowed(r: Report, t: Catalogue) -> str:
    """Why the cache at full context is less than the bytes of a token times the context; "" where nothing says so."""
    layers, m = r["layers"], r["memory"]
    capped = m["windowed_layers"] if m else None
    if not layers or not m or not capped:
        return ""
    window = layers["window"]
    values = {"count": capped, "total": m["caching_layers"], "window": "" if window is None else f"{window:,}"}
    return t.text("text.memory.windowed" if window else "text.memory.windowed.unknown").format(**values)


def spelled(formula: str, model: ModelR, t: Catalogue) -> str:
    """The report's formula with its factors named: ``= 32 layers · 2 (keys, values) · 8 heads · 128 · 2 bytes``.

    Each of its terms begins with a number of layers and ends with the bytes of an element (``MemoryR``).
    """

    def say(name: str, n: str) -> str:
        key = name if name == "pair" or n == "1" else f"{name}s"
        return t.text(f"text.memory.factor.{key}").format(n=n)

    terms: list[str] = []
    for term in _parts(formula.rpartition(" = ")[0], " + "):
        layers, *inner, size = _parts(term, " · ")
        if not inner:
            return formula
        if len(inner) == 3 and inner[0] == "2" and inner[1].isdecimal():
            own = str(model["num_attention_heads"]) == inner[1]
            inner[:2] = say("pair", "2"), say("head" if own else "kv-head", inner[1])
        elif len(inner) == 1 and model["attention"] == "mla" and inner[0].startswith("("):
            a, mark, b = inner[0].strip("()").partition(" + ")
            if mark and a.isdecimal() and b.isdecimal():
                word = "latent" if model["positions"]["kind"] == "rope" else "latent-shared"
                inner = [t.text(f"text.memory.factor.{word}").format(latent=a, rotary=b)]
        terms.append(" · ".join([say("layer", layers), *inner, say("byte", size)]))
    return f"= {' + '.join(terms)}" if terms else formula


def _parts(text: str, mark: str) -> list[str]:
    """``text`` cut at a mark that stands in no brackets."""
    out, depth, start, k = [], 0, 0, 0
    while k < len(text):
        depth += {"(": 1, ")": -1}.get(text[k], 0)
        if not depth and text.startswith(mark, k):
            out.append(text[start:k])
            k = start = k + len(mark)
        else:
            k += 1
    return [*out, text[start:]] if text else []


def memory(r: Report, ink: Ink, t: Catalogue) -> Iterator[str]:
    """Weights, cache and state in bytes; the shares of common cards that they fill."""
    found = need(r, t)
    if found is None:
        return
    rows = [(ink.text(a), ink.text(b), ink.text(c)) for a, b, c in found.rows]
    left = max(width_of(a) for a, _, _ in rows)
    for label, value, formula in rows:
        room = max(20, ink.width - left - 4)
        lines = wrap(value, room)
        if formula:  # broken at its signs only
            sign = ink.text(" · ")
            lines += [ink.paint(x, "formula") for x in joined(formula.split(sign), sign, room)]
        yield from indented(lines, f"  {ink.paint(pad(label, left), 'dim')}  ", " " * (left + 4))
    if found.cards:
        yield ""
        yield from indented(wrap(ink.text(found.legend), ink.width - 2), "  ")
        yield from cards(t.text("text.memory.row.card"), found.cards, ink)


def cards(title: str, rows: list[tuple[str, int]], ink: Ink) -> Iterator[str]:
    """A column for each card: the share of it that is filled, or the least number of cards."""
    left = max(width_of(x) for x in (title, *(label for label, _ in rows)))
    cells = [[share(n, size) for size in CARDS] for _, n in rows]
    wide = [max(5, *(width_of(row[k]) + 1 for row in cells)) for k in range(len(CARDS))]
    # Where a row is wider than the terminal, the smallest cards go: the model is too large for them anyway.
    first = 0
    while first < len(CARDS) - 1 and left + 2 + sum(wide[first:]) > ink.width:
        first += 1
    for label, row in ((title, [str(size) for size in CARDS]), *zip((x for x, _ in rows), cells, strict=True)):
        yield f"  {ink.paint(pad(label, left), 'dim')}" + "".join(
            " " * (wide[k] - width_of(row[k])) + ink.text(row[k]) for k in range(first, len(CARDS))
        )


def share(n: int, size: int) -> str:
    """How much of a card ``n`` bytes fill, or how many cards they take."""
    room = size * GB
    if n > room:
        return f"×{-(-n // room)}"
    return f"{100 * n / room:.0f}%" if 100 * n >= room else "<1%"


def both(n: int) -> str:
    """Bytes in decimal and in binary units, which differ by 7 % at this size: 13.48 GB (12.55 GiB)."""
    for power, sign in ((40, "T"), (30, "G"), (20, "M"), (10, "k")):
        if n >= 1 << power:
            return f"{human(n, 'B')} ({n / (1 << power):,.2f} {sign.upper() if sign != 'k' else 'K'}iB)"
    return human(n, "B")


def quantization(r: Report, ink: Ink, t: Catalogue, everything: bool) -> Iterator[str]:
    """Method and bits; each format with what is in it, the unquantized too."""
    q = r["quantization"]
    if q is None:
        return
    parts = [ink.name(q["method"])] if q["method"] else []
    if q["bits"]:
        parts.append(t.text("text.quant.bits").format(bits=q["bits"]))
    block = q["block_size"]
    if block:
        parts.append(t.text("text.quant.block").format(rows=block[0], columns=block[1]))
    elif q["group_size"] and q["group_size"] > 0:
        parts.append(t.text("text.quant.group").format(group=q["group_size"]))
    said = [t.text("join.part").join(parts)] if parts else []
    if q["bits_per_parameter"]:
        said.append(t.text("text.quant.average").format(bits=q["bits_per_parameter"]))
    yield from indented(wrap(ink.text(t.text("join.after").join(said)), ink.width - 2), "  ")
    yield from formats(q, ink, t, everything)


def formats(q: QuantizationR, ink: Ink, t: Catalogue, everything: bool) -> Iterator[str]:
    """The table, and under each format the modules in it."""
    found: dict[str, list[str]] = {}
    for x in q["modules"]:
        found.setdefault(x["format"], []).append(x["pattern"])
    table = [
        (
            ink.name(f["format"]), f"{f['tensors']:,}", "?" if f["params"] is None else f"{f['params']:,}",
            human(f["bytes"], "B"), f"{8 * f['bytes'] / f['params']:.2f}" if f["params"] else "",
        )
        for f in q["formats"]
    ]  # fmt: skip
    head = tuple(t.text(f"text.quant.{x}") for x in ("format", "tensors", "params", "bytes", "bits-each"))
    wide = [max(width_of(row[k]) for row in (head, *table)) for k in range(5)]
    if table:
        yield "  " + ink.paint(_row(head, wide), "dim")
    rows = {row[0]: _row(row, wide) for row in table}
    for name, line in rows.items():
        yield "  " + line
        yield from _patterns(found.pop(name, []), ink, t, everything)
    for name, patterns in found.items():
        yield "  " + ink.text(t.text("text.quant.untouched")) if not rows else "  " + ink.name(name)
        yield from _patterns(patterns, ink, t, everything)


def _row(row: tuple[str, ...], wide: list[int]) -> str:
    cells = [" " * (w - width_of(x)) + x for x, w in zip(row[1:], wide[1:], strict=True)]
    return "  ".join([pad(row[0], wide[0]), *cells]).rstrip()


def _patterns(patterns: list[str], ink: Ink, t: Catalogue, everything: bool) -> Iterator[str]:
    shown = patterns if everything or len(patterns) <= FEW + 1 else patterns[:FEW]
    for p in shown:
        yield "    " + ink.paint(ink.name(p), "dim")
    if len(shown) < len(patterns):
        text = t.text("text.more-tensors").format(count=len(patterns) - len(shown))
        yield "    " + ink.paint(ink.text(text), "dim")
