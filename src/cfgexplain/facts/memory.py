"""What the weights and the cache of one sequence take. Activation memory is not estimated."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from cfgexplain.config import walk
from cfgexplain.facts.attention import kinds
from cfgexplain.families.expr import names_in

if TYPE_CHECKING:
    from cfgexplain.config import Settings
    from cfgexplain.report import MemoryR
    from cfgexplain.subject import Subject

#: Bytes of one cached element: engines cache in 16 bits unless told otherwise.
CACHE_BYTES: Final = 2
#: Layers whose cache stops growing at the window.
CAPPED: Final = ("sliding", "chunked")
#: Layers that keep keys and values, or nothing.
STATELESS: Final = frozenset(
    {"full", "sliding", "chunked", "none", "cross", "lsh", "compressed", "compressed-sparse"}
)


def memory(s: Subject, weights: int | None) -> MemoryR:
    """Bytes of the weights (exact), and of keys and values per token and at the full context.

    Keys and values are counted in the model's own layout: grouped heads, MLA's latent and rotary part (DeepSeek-V2,
    2405.04434), nothing for layers that share another's or keep a constant state.
    """
    size = cache_bytes(s)
    layers = kinds(s)
    per_layer = None if layers is None else _per_layer(s, len(layers))
    growth = None if per_layer is None else sum(per_layer) * size
    keeping = None if per_layer is None or layers is None else [k for k, n in zip(layers, per_layer, strict=True) if n]
    return {
        "weights_bytes": weights,
        "kv_cache_bytes_per_token": growth,
        "kv_cache_bytes_at_context": None
        if layers is None or per_layer is None
        else _at_context(s, layers, per_layer, size),
        "caching_layers": None if keeping is None else len(keeping),
        "windowed_layers": None if keeping is None else sum(k in CAPPED for k in keeping),
        "constant_state_bytes": None if layers is None else _state(s, layers),
        "kv_cache_dtype_bytes": size if growth is not None else None,
        "kv_cache_formula": _formula(s, per_layer, size) if per_layer and growth else None,
    }


def cache_bytes(s: Subject) -> int:
    """Bytes of one cached element: 1 where the quantization config names an 8-bit cache, else 2."""
    raw = s.declared.raw if s.declared else {}
    scheme, algorithm = raw.get("kv_cache_scheme"), raw.get("kv_cache_quant_algo")
    if isinstance(scheme, dict):
        return 1 if walk(scheme, "num_bits") == 8 else CACHE_BYTES
    words = [w.upper() for w in (scheme, algorithm) if isinstance(w, str)]
    return 1 if any(w in ("FP8", "INT8", "FP8_E4M3") for w in words) else CACHE_BYTES


def _per_layer(s: Subject, layers: int) -> list[int] | None:
    """Cached elements of one token, layer by layer; None for a tower that has no cache."""
    m = s.main.family
    if any(n not in m.keys and n not in m.lets for n in names_in(m.kv) if n in ("kv_heads", "head_dim")):
        return None
    # An encoder taken out of a pair that no table describes: the decoder's cache is not its own.
    if m.kv != "0" and s.top.cls.endswith("Encoder") and s.top.cls not in s.top.family.heads:
        return None
    found = [s.main.maybe(s.main.family.kv, i) for i in range(layers)]
    sizes = [n for n in found if isinstance(n, int) and not isinstance(n, bool) and n >= 0]
    return sizes if len(sizes) == layers else None


def _at_context(s: Subject, layers: list[str], per_layer: list[int], size: int) -> int | None:
    context = s.main.int("max_pos")
    if not context or context < 0:
        return None
    total = 0
    for i, (kind, n) in enumerate(zip(layers, per_layer, strict=True)):
        window = s.main.known("window", i) if kind in CAPPED else None
        reach = min(context, window) if isinstance(window, int) and window > 0 else context
        total += n * reach
    return total * size


def _state(s: Subject, layers: list[str]) -> int | None:
    """Bytes that the mixers keep whatever the length: 0 without mixers, None where the table does not say."""
    rule = s.main.family.state
    if not rule:
        return 0 if STATELESS.issuperset(layers) else None
    found = [s.main.maybe(rule, i) for i in range(len(layers))]
    sizes = [n for n in found if isinstance(n, int) and not isinstance(n, bool)]
    return sum(sizes) * CACHE_BYTES if len(sizes) == len(layers) else None


def _formula(s: Subject, per_layer: list[int], size: int) -> str:
    """The sum with its numbers: one term for each size of layer (``61 · (512 + 64) · 2 = 70272``)."""
    groups: dict[int, list[int]] = {}
    for i, n in enumerate(per_layer):
        if n:
            groups.setdefault(n, []).append(i)
    terms = [f"{len(found)} · {_term(s.main, found[0], n)} · {size}" for n, found in groups.items()]
    return f"{' + '.join(terms)} = {sum(per_layer) * size}"


def _term(m: Settings, i: int, n: int) -> str:
    try:
        text = _show(ast.parse(m.family.kv, mode="eval").body, m, i)
    except (SyntaxError, ValueError):
        return str(n)
    return text


def _show(node: ast.expr, m: Settings, i: int) -> str:
    """An expression of the table with numbers for names; whatever is no plain sum or product is shown as its value."""
    if isinstance(node, ast.IfExp):
        return _show(node.body if m.maybe(ast.unparse(node.test), i) else node.orelse, m, i)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        return f"{_show(node.left, m, i)} · {_show(node.right, m, i)}"
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = _show(node.left, m, i), _show(node.right, m, i)
        return left if right == "0" else f"({left.removeprefix('(').removesuffix(')')} + {right})"
    value = m.maybe(ast.unparse(node), i)
    if not isinstance(value, int):
        raise ValueError(ast.unparse(node))
    return str(value)


__all__ = ["CACHE_BYTES", "cache_bytes", "memory"]
