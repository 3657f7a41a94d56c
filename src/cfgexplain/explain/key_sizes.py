"""Numbers for keys of size and attention. Each function says only what the known numbers allow."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from cfgexplain.explain.key_rope import sharpened
from cfgexplain.explain.key_scope import positive, short
from cfgexplain.remarked import has

if TYPE_CHECKING:
    from cfgexplain.explain.base import Writer
    from cfgexplain.explain.key_scope import KeyScope

#: Roles that stand inside a layer.
INSIDE: Final = frozenset(
    [
        "attention", "cross-attention", "block-norm", "attention-norm", "ffn", "experts", "shared-experts", "router",
        "mixer",
    ]
)
#: The activation in one line. Hendrycks & Gimpel 2016 (1606.08415), Ramachandran et al. 2017 (1710.05941).
TANH: Final = "0.5 · x · (1 + tanh(sqrt(2/π) · (x + 0.044715 · x^3)))"
ACTIVATIONS: Final = {
    "silu": "x / (1 + e^(−x))", "swish": "x / (1 + e^(−x))",
    "gelu": "0.5 · x · (1 + erf(x / sqrt(2)))", "gelu_new": TANH,
    "gelu_pytorch_tanh": TANH, "gelu_fast": TANH, "quick_gelu": "x / (1 + e^(−1.702 · x))", "relu": "max(0, x)",
    "relu2": "max(0, x)²", "relu_squared": "max(0, x)²", "tanh": "tanh(x)", "sigmoid": "1 / (1 + e^(−x))",
}  # fmt: skip
#: Remarks of models whose attention does not divide its scores by the root of the head size, or not by it alone.
SCALES: Final = (
    "attention-unscaled", "attention-scale", "attention-scalar", "attention-mup", "attention-layer", "unit-sphere",
)
#: Rows that a table of positions has on top: two for BART's and OPT's offset, or those before the padding's.
FEW_ROWS: Final = 2


def hidden(k: KeyScope, w: Writer) -> None:
    """The embedding's size, and the heads' width together."""
    d, vocab, heads, size = positive(k.value), k.known("vocab"), k.known("heads"), k.known("head_dim")
    wide = embedded(k) or d
    if wide and vocab:
        w.formula(f"embedding: {vocab:,} × {wide:,} = {vocab * wide:,}")
    if wide and d and wide != d:
        w.say("hidden.embedding", wide=int(wide), hidden=int(d))
    if d and heads and size and not _latent(k):
        w.formula(f"heads: {heads} × {size} = {heads * size:,}")


def embedded(k: KeyScope) -> int | None:
    """The width of the token embedding of the language model, which need not be the hidden size (OPT-350m, ALBERT)."""
    model = k.scope.report["model"]
    return model["embedding_size"] if k.main and model else None


def _latent(k: KeyScope) -> bool:
    """Whether heads have the widths of latent attention and not head_dim."""
    return k.find("kv_lora_rank") is not None


def layers(k: KeyScope, w: Writer) -> None:
    """Parameters of an average layer."""
    params, count = k.scope.report["params"], k.known("layers")
    if not k.main or not params or not params["total"] or not count or "enc_layers" in k.owner.family.keys:
        return
    roles = params["by_role"] or {}
    inside = sum(n for role, n in roles.items() if role in INSIDE)
    if inside and (has(k.scope.report, "shared-layers") or has(k.scope.report, "zamba-shared")):
        w.say("layers.shared", inside=inside, share=inside / params["total"])
    elif inside:
        w.formula(f"{inside:,} / {count} = {inside / count:,.0f}")
        w.say("layers.each", inside=inside, share=inside / params["total"], count=count)


def vocab(k: KeyScope, w: Writer) -> None:
    """Rows × width, the share of the model, and what the number of rows divides by."""
    rows, d, params = positive(k.value), embedded(k) or k.known("hidden"), k.scope.report["params"]
    if not rows or not isinstance(rows, int):
        return
    if d:
        w.formula(f"{rows:,} × {d:,} = {rows * d:,}")
        if k.main and params and params["total"]:
            w.say("vocab.share", count=rows * d, share=rows * d / params["total"])
    two = rows & -rows
    w.say("vocab.odd" if two < 64 else "vocab.round", rows=rows, two=two)


def context(k: KeyScope, w: Writer) -> None:
    """The cache at full length."""
    length, memory = positive(k.value), k.scope.report["memory"]
    _positions(k, w, length)
    held = k.owner.family.keys.get("max_pos")
    if not (k.main and length and held and memory and memory["kv_cache_bytes_per_token"]):
        return
    # Another table's length (an encoder's) is no length of the cache.
    if k.leaf not in {n.rpartition(".")[2] for n in held.names} or length != k.known("max_pos"):
        return
    each, full = memory["kv_cache_bytes_per_token"], memory["kv_cache_bytes_at_context"]
    if full == each * length:
        w.formula(f"{length:,} × {each:,} = {full:,}")
        w.say("context.cache", bytes=full)
    elif full is not None and memory["windowed_layers"]:
        w.say("context.cache-windowed", bytes=full, all=int(each * length))


def _positions(k: KeyScope, w: Writer, length: float | None) -> None:
    """Rows of the table of positions, where some come on top of the positions (OPT, BART, RoBERTa)."""
    found = {p.shape for p in k.scope.subject.pieces if k.main and p.role == "position-embedding" and p.shape}
    rows = next((s[0] for s in found if len(s) > 1 and length and length < s[0] <= length + FEW_ROWS), None)
    model = k.scope.report["model"]
    table, usable = (model["positions"]["table"], model["positions"]["usable"]) if model and k.main else (None, None)
    if usable and table == length:
        w.say("context.usable", rows=table, usable=usable)
    if rows and length:
        w.formula(f"{int(length):,} + {rows - int(length)} = {rows:,}")
        w.say("context.rows", rows=rows, more=rows - int(length))


def embedding(k: KeyScope, w: Writer) -> None:
    """A factorised embedding against a plain one (Lan et al. 2019, 1909.11942)."""
    e, d, rows = positive(k.value), k.known("hidden"), k.known("vocab")
    if e and d and rows and e != d:
        w.formula(f"{rows:,} × {e:,} + {e:,} × {d:,} = {rows * e + e * d:,}  ({rows:,} × {d:,} = {rows * d:,})")


def init(k: KeyScope, w: Writer) -> None:
    """Against 1/√d, which keeps the size of what a matrix puts out."""
    d, std = k.known("hidden"), positive(k.value)
    if d and std and k.leaf != "initializer_factor":
        w.formula(f"1 / sqrt({d}) = {short(1 / math.sqrt(d))}")
        w.say("init.compare", std=f"{std:g}")


def ratio(k: KeyScope, w: Writer) -> None:
    """The width that follows."""
    d, r = k.known("hidden"), positive(k.value)
    if d and r:
        w.formula(f"{r:g} × {d:,} = {r * d:,.0f}")


def activation(k: KeyScope, w: Writer) -> None:
    """The function, and where it stands in this block."""
    name, ffn = k.value, k.scope.report["ffn"]
    if not isinstance(name, str):
        return
    plain = (None, f"{name}(gate) × up", f"{name}(up)")
    if k.main and ffn and ffn["formula"] not in plain:
        w.formula(f"down({ffn['formula']})")
        return
    if name in ACTIVATIONS:
        w.formula(f"{name}(x) = {ACTIVATIONS[name]}")
    if k.main and ffn and ffn["gated"] is not None and name.isidentifier() and len(name) < 40:
        w.formula(f"down({name}(gate(x)) ⊙ up(x))" if ffn["gated"] else f"down({name}(up(x)))")


def qk_norm(k: KeyScope, w: Writer) -> None:
    """What the norms inside attention cost."""
    params = k.scope.report["params"]
    count = ((params["by_role"] if params else None) or {}).get("attention-norm")
    if k.main and count:
        w.say("qk-norm.count", count=count)


def heads(k: KeyScope, w: Writer) -> None:
    """Together, and against the hidden size. MLA's heads have widths of their own."""
    n, size, d = positive(k.value), k.known("head_dim"), k.known("hidden")
    if n and size and d and not _latent(k):
        w.formula(f"{n} × {size} = {n * size:,}")
        if n * size != d:
            w.say("heads.other", wide=int(n * size), hidden=d)


def head_dim(k: KeyScope, w: Writer) -> None:
    """The scale of the logits, and the number of rotary pairs."""
    size, n = positive(k.value), k.known("heads")
    if not size:
        return
    nope, rope = k.whole("qk_nope_head_dim"), k.whole("qk_rope_head_dim")
    if _latent(k) and nope and rope:
        size = nope + rope
        w.formula(f"{nope} + {rope} = {size}")
        w.say("head.latent", size=size, nope=nope, rope=rope)
    elif n:
        w.formula(f"{n} × {size} = {n * size:,}")
    if k.main and not any(has(k.scope.report, r) for r in SCALES):
        square = sharpened(k)
        stretched = f" · {square:.4f}" if square != 1 else ""
        w.formula(f"1 / sqrt({size}){stretched} = {short(square / math.sqrt(size))}")


def softcap(k: KeyScope, w: Writer) -> None:
    """The curve at a few points."""
    cap = positive(k.value)
    if not cap:
        w.say("softcap.none")
        return
    w.formula(f"y = {cap:g} · tanh(x / {cap:g})")
    w.formula("; ".join(f"x = {x:g}: y = {cap * math.tanh(x / cap):.4g}" for x in (cap / 10, cap / 2, cap, 2 * cap)))


def query_scalar(k: KeyScope, w: Writer) -> None:
    """Against the usual scale."""
    x, size = positive(k.value), k.known("head_dim")
    if x:
        w.formula(f"1 / sqrt({x:g}) = {short(1 / math.sqrt(x))}")
        _usual(w, size, 1 / math.sqrt(x))


def attention_multiplier(k: KeyScope, w: Writer) -> None:
    """Against the usual scale, and against μP's."""
    x, size = positive(k.value), k.known("head_dim")
    if x and size:
        _usual(w, size, x)
        if math.isclose(x, 1 / size, rel_tol=1e-3):
            w.say("scale.mup", size=size)


def _usual(w: Writer, size: int | None, scale: float) -> None:
    if size:
        w.formula(f"1 / sqrt({size}) = {short(1 / math.sqrt(size))}")
        w.say("scale.same" if math.isclose(scale, 1 / math.sqrt(size), rel_tol=1e-3) else "scale.other", size=size)


def logit_scale(k: KeyScope, w: Writer) -> None:
    """Times or by."""
    x = positive(k.value)
    if x:
        w.formula(f"logits {'/' if k.leaf == 'logits_scaling' else '×'} {x:g}")


def embedding_scale(k: KeyScope, w: Writer) -> None:
    """√d."""
    d = k.known("hidden")
    if d and k.value is True:
        w.formula(f"sqrt({d}) = {short(math.sqrt(d))}")


def scale_depth(k: KeyScope, w: Writer) -> None:
    """MiniCPM's two constants (2404.06395)."""
    n, d, depth, base = k.known("layers"), k.known("hidden"), k.number("scale_depth"), k.number("dim_model_base")
    if depth and n:
        w.formula(f"{depth:g} / sqrt({n}) = {short(depth / math.sqrt(n))}")
    if d and base:
        w.formula(f"{d} / {base:g} = {short(d / base)}")


def window(k: KeyScope, w: Writer) -> None:
    """How many layers have it, and how far it reaches through them."""
    size, found = positive(k.value), k.scope.report["layers"]
    mix = (found["mix"] if found else None) or {}
    if not k.main or not mix:
        return
    count = mix.get("sliding", 0)
    if not size or not count:
        w.say("window.unused")
        return
    w.say("window.layers", count=count, layers=sum(mix.values()))
    if has(k.scope.report, "two-sided"):
        w.formula(f"{count} × {size // 2:,.0f} = {count * (size // 2):,.0f}")
    else:
        # A token itself is among those that it looks at.
        w.formula(f"{count} × ({size:,} − 1) = {count * (size - 1):,.0f}")


def layer_types(k: KeyScope, w: Writer) -> None:
    """How many of each kind."""
    found = k.scope.report["layers"]
    if k.main and found and found["mix"]:
        w.formula(" + ".join(f"{n} {kind}" for kind, n in found["mix"].items()))
