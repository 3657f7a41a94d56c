"""Numbers for rotary positions: wavelengths, and what each rule of scaling does with them.

Su et al. 2021 (2104.09864); Chen et al. 2023 (2306.15595) for linear; Peng et al. 2023 (2309.00071) for dynamic and
yarn; Ding et al. 2024 (2402.13753) for longrope; the Llama 3 herd (2407.21783) and its reference code for llama3.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from cfgexplain.config import walk
from cfgexplain.explain.key_scope import positive, short
from cfgexplain.explain.key_turns import borders, turns, wavelengths
from cfgexplain.facts.rope import FULL, WINDOW

if TYPE_CHECKING:
    from cfgexplain.explain.base import Writer
    from cfgexplain.explain.key_scope import KeyScope
    from cfgexplain.explain.key_turns import Turns

#: Names of a base that is for layers with a window only, and for those with full attention only.
LOCAL: Final = frozenset({"rope_local_base_freq", "local_rope_theta", "swa_rope_theta"})
GLOBAL: Final = frozenset({"global_rope_theta"})
#: Words for no scaling.
PLAIN: Final = (None, "default")


def turned(k: KeyScope) -> int | None:
    """Numbers of each head that rotary positions turn, in layers with full attention where there are any; or None."""
    found = turns(k)
    return found[0].turned if found else None


def _asked(k: KeyScope) -> list[Turns]:
    """The kinds of layers that the key is about."""
    found, local = turns(k), k.leaf in LOCAL or WINDOW in k.path
    if local or k.leaf in GLOBAL or FULL in k.path:
        return [t for t in found if (t.kind == WINDOW) is local]
    # A base of their own takes the layers with a window out of the general one.
    own = "window_theta" in k.owner.family.keys
    return [t for t in found if t.kind == FULL or not own] or found


def theta(k: KeyScope, w: Writer) -> None:
    """The longest wavelength, and how many pairs complete a turn within what a layer attends over."""
    found = _asked(k)
    same = len({(t.rope.theta, t.turned, t.size, str(t.rope.scaling)) for t in found}) == 1
    lead = len(turns(k)) > 1 and not (same and len(found) > 1)
    for t in found:
        base, waves = positive(t.rope.theta), wavelengths(t, k.known("max_pos"))
        if base is None or base <= 1 or (waves is not None and not waves):
            continue
        if lead:
            w.say(f"theta.{'window' if t.kind == WINDOW else 'full'}")
        if lead or t is found[0]:
            _range(w, t, base, waves)
        if waves is not None and t.reach:
            count = sum(x <= t.reach for x in waves)
            w.say("theta.turns-window" if t.kind == WINDOW else "theta.turns", count=count, pairs=t.pairs,
                  context=t.reach)


def _range(w: Writer, t: Turns, base: float, waves: list[float] | None) -> None:
    """The slowest pair, before and after any stretching, and how many pairs of a head do not turn."""
    whole = t.size if t.rope.scaling.get("type") == "proportional" else t.turned
    plain = 2 * math.pi * base ** ((2 * t.pairs - 2) / whole)
    still = waves is not None and math.isclose(max(waves), plain)
    w.say(
        "theta.range" if still else "theta.range-before", pairs=t.pairs, longest=short(plain), last=t.pairs - 1,
        base=f"{base:,.0f}", top=2 * t.pairs - 2, d=whole,
    )
    if waves is not None and not still:
        w.say("theta.range-after", longest=short(max(waves)))
    if whole != t.turned:
        w.say("theta.still", still=t.size // 2 - t.pairs, pairs=t.size // 2)


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
        low, high = (min(d // 2, x) for x in borders(d, base, keys, trained))
        for b in (fast, slow):
            x = d * math.log(trained / (b * 2 * math.pi)) / (2 * math.log(base))
            w.formula(f"{d} · ln({trained:,.0f} / ({b:g} · 2π)) / (2 · ln {base:,.0f}) = {x:.2f}")
        w.say("rope.yarn", pairs=d // 2, low=short(low), high=short(high), factor=f"{factor:g}")
    if factor <= 1:
        return
    given, one, every = (positive(keys.get(x)) for x in ("attention_factor", "mscale", "mscale_all_dim"))
    if given:
        w.say("rope.yarn.given", value=f"{given:g}")
    elif one and every:
        up, down = (0.1 * x * math.log(factor) + 1 for x in (one, every))
        w.formula(
            f"(0.1 · {one:g} · ln({factor:g}) + 1) / (0.1 · {every:g} · ln({factor:g}) + 1) = {up / down:.4g}"
        )
        w.say("rope.yarn.ratio")
    else:
        w.formula(f"0.1 · ln({factor:g}) + 1 = {0.1 * math.log(factor) + 1:.4f}")
        w.say("rope.yarn.sharp")
    if every and (square := sharpened(k)) != 1:
        w.formula(f"(0.1 · {every:g} · ln({factor:g}) + 1)² = {square:.4f}")
        w.say("rope.yarn.square")


def sharpened(k: KeyScope) -> float:
    """What latent attention multiplies its scores by besides 1/√(head size): the square of a stretch's correction.

    ``yarn_apply_mscale`` of the reference's classes with latent attention; other attention does not have it.
    """
    keys, model = scaling(k), k.scope.report["model"]
    factor, every = positive(keys.get("factor")), positive(keys.get("mscale_all_dim"))
    latent = k.main and model is not None and model["attention"] == "mla" and model["positions"]["kind"] == "rope"
    if not latent or not every or not factor or factor <= 1 or keys.get("rope_type", keys.get("type")) in PLAIN:
        return 1.0
    return float((0.1 * every * math.log(factor) + 1) ** 2)


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
    for t in turns(k):
        if (WINDOW in k.path and t.kind != WINDOW) or (FULL in k.path and t.kind != FULL) or t.turned > t.size:
            continue
        if len(turns(k)) > 1:
            w.say(f"theta.{'window' if t.kind == WINDOW else 'full'}")
        w.formula(f"{t.turned} / {t.size} = {t.turned / t.size:g}")
        w.say("partial.some", turned=t.turned, rest=t.size - t.turned)


def buckets(k: KeyScope, w: Writer) -> None:
    """Where the last class of distances begins: T5's half of the classes grow with the logarithm (1910.10683)."""
    count, most = k.whole("relative_attention_num_buckets"), positive(k.value)
    if not k.main or not count or not most:
        return
    # An encoder has as many classes again for what lies ahead.
    both = "enc_layers" in k.owner.family.keys
    for word, n in (("encoder", count // 2), ("decoder", count)) if both else (("decoder", count),):
        exact = n // 2
        if 1 <= exact < most and n - exact > 1:
            begins = exact * (most / exact) ** ((n - 1 - exact) / (n - exact))
            w.formula(f"{exact} · ({most:g} / {exact})^({n - 1 - exact} / {n - exact}) = {begins:.4g}")
            w.say(f"buckets.{word}", begins=math.ceil(begins))


def mrope(k: KeyScope, w: Writer) -> None:
    """The sections' sum against the number of pairs."""
    d = turned(k)
    if not isinstance(k.value, list) or not 0 < len(k.value) < 9 or not all(type(n) is int for n in k.value):
        return
    total = sum(k.value)
    w.formula(f"{' + '.join(map(str, k.value))} = {total}")
    if d:
        w.say("mrope.fits" if total * 2 == d else "mrope.other", pairs=d // 2)
