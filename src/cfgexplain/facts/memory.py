"""What the weights and the cache of one sequence take. Activation memory is not estimated."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cfgexplain.facts.attention import kinds

if TYPE_CHECKING:
    from cfgexplain.report import MemoryR
    from cfgexplain.subject import Subject

#: Bytes of one cached element: engines cache in 16 bits unless told otherwise.
CACHE_BYTES: Final = 2


def memory(s: Subject, weights: int | None) -> MemoryR:
    """Bytes of the weights (exact), and of keys and values per token and at the full context."""
    per_token, at_context = _cache(s)
    return {
        "weights_bytes": weights,
        "kv_cache_bytes_per_token": per_token,
        "kv_cache_bytes_at_context": at_context,
        "constant_state_bytes": None,
        "kv_cache_dtype_bytes": CACHE_BYTES if per_token is not None else None,
        "kv_cache_formula": _formula(s, per_token),
    }


def _cache(s: Subject) -> tuple[int | None, int | None]:
    layers = kinds(s)
    if layers is None:
        return None, None
    context, window = s.main.int("max_pos"), s.main.int("window")
    growth = full = 0
    for i, kind in enumerate(layers):
        n = s.main.maybe(s.main.family.kv, i)
        if not isinstance(n, int):
            return None, None
        growth += n
        reach = min(context, window) if kind == "sliding" and context and window else context
        full += n * (reach or 0)
    return growth * CACHE_BYTES, full * CACHE_BYTES if context else None


def _formula(s: Subject, per_token: int | None) -> str | None:
    if per_token is None:
        return None
    layers = s.main.int("layers")
    sizes = {s.main.maybe(s.main.family.kv, i) for i in range(layers or 0)}
    if len(sizes) == 1 and s.main.family.kv == "2*kv_heads*head_dim":
        return f"2 · {layers} · {s.main.int('kv_heads')} · {s.main.int('head_dim')} · {CACHE_BYTES} = {per_token}"
    return f"Σ over {layers} layers · {CACHE_BYTES} = {per_token}"
