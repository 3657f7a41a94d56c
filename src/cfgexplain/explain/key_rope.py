"""Numbers for rotary positions: wavelengths, and what each rule of scaling does with them.

Su et al. 2021 (2104.09864); Chen et al. 2023 (2306.15595) for linear; Peng et al. 2023 (2309.00071) for dynamic and
yarn; Ding et al. 2024 (2402.13753) for longrope; the Llama 3 herd (2407.21783) and its reference code for llama3.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from cfgexplain.config import walk
from cfgexplain.explain.key_scope import positive, short
from cfgexplain.facts.rope import ropes

if TYPE_CHECKING:
    from cfgexplain.explain.base import Writer
    from cfgexplain.explain.key_scope import KeyScope

#: A table of pairs longer than this is no head.
MOST: Final = 4096


def turned(k: KeyScope) -> int | None:
    """Numbers of each head that rotary positions turn, or None."""
    rope = k.whole("qk_rope_head_dim")
    if rope is not None:
        return rope
    size = k.known("head_dim")
    found = ropes(k.owner)
    whole = found.get("full_attention") or found.get("")
    part = 1 if whole is None or whole.fraction is None else whole.fraction
    if size is None or not 0 < part <= 1:
        return None
    turns = int(size * part)
    return turns if 2 <= turns <= MOST else None


def theta(k: KeyScope, w: Writer) -> None:
    """The longest wavelength, and how many pairs complete a turn within the context."""
    base, d = positive(k.value), turned(k)
    if base is None or d is None or base <= 1:
        return
    longest = 2 * math.pi * base ** ((d - 2) / d)
    w.formula(f"2π · {base:,.0f}^(({d} − 2) / {d}) = {short(longest)}")
    w.say("theta.range", pairs=d // 2, longest=short(longest))
    context = k.known("max_pos")
    if context:
        count = sum(2 * math.pi * base ** (2 * j / d) <= context for j in range(d // 2))
        w.say("theta.turns", count=count, pairs=d // 2, context=context)


def scaling(k: KeyScope) -> dict[str, object]:
    """The keys of the scaling, wherever the config has them; those for full attention where kinds of layers differ."""
    for spelling in ("rope_scaling", "rope_parameters"):
        found = walk(k.owner.config, spelling)
        if isinstance(found, dict):
            inner = found.get("full_attention")
            return inner if isinstance(inner, dict) else found
    return {}


def rope_scaling(k: KeyScope, w: Writer) -> None:
    """The rule in force, with its numbers."""
    keys = scaling(k)
    kind = keys.get("rope_type", keys.get("type", "default"))
    if not isinstance(kind, str):
        return
    rule = {"su": "longrope"}.get(kind, kind)
    factor, context = positive(keys.get("factor")), k.known("max_pos")
    original = positive(keys.get("original_max_position_embeddings")) or k.number("original_max_position_embeddings")
    if rule == "default" or (rule == "mrope" and not factor):
        w.say("rope.none")
    elif rule == "linear" and factor:
        w.formula(f"position / {factor:g}")
        w.say("rope.linear", factor=f"{factor:g}")
    elif rule == "dynamic" and factor:
        _dynamic(k, w, factor, original or context)
    elif rule == "yarn" and factor:
        _yarn(k, w, keys, factor, original)
    elif rule == "llama3" and factor and original:
        _llama3(k, w, keys, factor, original)
    elif rule == "longrope":
        _longrope(w, original or 0, context)
    else:
        w.say("rope.unknown", kind=kind)
        return
    if factor and original and rule in ("yarn", "llama3", "linear"):
        w.formula(f"{original:,.0f} × {factor:g} = {original * factor:,.0f}")


def _dynamic(k: KeyScope, w: Writer, factor: float, trained: float | None) -> None:
    d = turned(k)
    if d and d > 2 and trained:
        w.formula(f"θ' = θ · ({factor:g} · n / {trained:,.0f} − {factor - 1:g})^({d} / {d - 2})   n > {trained:,.0f}")
        w.say("rope.dynamic", length=int(trained))


def _yarn(k: KeyScope, w: Writer, keys: dict[str, object], factor: float, original: float | None) -> None:
    d, base = turned(k), k.number("rope_parameters.rope_theta", "rope_theta")
    fast, slow = positive(keys.get("beta_fast")) or 32.0, positive(keys.get("beta_slow")) or 1.0
    trained = original or k.known("max_pos")
    if d and base and base > 1 and trained:
        borders = [d * math.log(trained / (b * 2 * math.pi)) / (2 * math.log(base)) for b in (fast, slow)]
        low, high = (max(0, min(d // 2, x)) for x in (math.floor(borders[0]), math.ceil(borders[1])))
        for b, x in zip((fast, slow), borders, strict=True):
            w.formula(f"{d} · ln({trained:,.0f} / ({b:g} · 2π)) / (2 · ln {base:,.0f}) = {x:.2f}")
        w.say("rope.yarn", pairs=d // 2, low=low, high=high, factor=f"{factor:g}")
    if factor <= 1:
        return
    given, one, every = (positive(keys.get(x)) for x in ("attention_factor", "mscale", "mscale_all_dim"))
    if given:
        w.say("rope.yarn.given", value=f"{given:g}")
    elif one and every:
        up, down = (0.1 * x * math.log(factor) + 1 for x in (one, every))
        w.formula(
            f"(0.1 · {one:g} · ln({factor:g}) + 1) / (0.1 · {every:g} · ln({factor:g}) + 1) = {up / down:.4g};  "
            f"(0.1 · {every:g} · ln({factor:g}) + 1)² = {down * down:.4f}"
        )
        w.say("rope.yarn.ratio")
    else:
        w.formula(f"0.1 · ln({factor:g}) + 1 = {0.1 * math.log(factor) + 1:.4f}")
        w.say("rope.yarn.sharp")


def _llama3(k: KeyScope, w: Writer, keys: dict[str, object], factor: float, original: float) -> None:
    low, high = positive(keys.get("low_freq_factor")), positive(keys.get("high_freq_factor"))
    d, base = turned(k), k.number("rope_parameters.rope_theta", "rope_theta")
    if not low or not high:
        return
    short_wave, long_wave = original / high, original / low
    w.formula(f"{original:,.0f} / {high:g} = {short(short_wave)};  {original:,.0f} / {low:g} = {short(long_wave)}")
    if d and base and base > 1:
        waves = [2 * math.pi * base ** (2 * j / d) for j in range(d // 2)]
        kept, whole = sum(x < short_wave for x in waves), sum(x > long_wave for x in waves)
        w.say("rope.llama3", kept=kept, part=len(waves) - kept - whole, whole=whole, factor=f"{factor:g}")


def _longrope(w: Writer, original: float, context: int | None) -> None:
    if original > 1 and context and context > original:
        ratio = context / original
        root = math.sqrt(1 + math.log(ratio) / math.log(original))
        w.formula(f"sqrt(1 + ln({ratio:g}) / ln({original:,.0f})) = {root:.4f}")
        w.say("rope.longrope", original=int(original), context=context)


def partial(k: KeyScope, w: Writer) -> None:
    """Numbers of a head that are turned, and those that are not."""
    size, d = k.known("head_dim"), turned(k)
    if size and d and d <= size:
        w.formula(f"{d} / {size} = {d / size:g}")
        w.say("partial.some", turned=d, rest=size - d)


def mrope(k: KeyScope, w: Writer) -> None:
    """The sections' sum against the number of pairs."""
    d = turned(k)
    if not isinstance(k.value, list) or not 0 < len(k.value) < 9 or not all(type(n) is int for n in k.value):
        return
    total = sum(k.value)
    w.formula(f"{' + '.join(map(str, k.value))} = {total}")
    if d:
        w.say("mrope.fits" if total * 2 == d else "mrope.other", pairs=d // 2)
