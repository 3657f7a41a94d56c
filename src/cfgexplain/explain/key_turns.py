"""The frequencies of rotary positions, kind of layer by kind of layer, after whatever stretches them.

Formulas as in transformers 5.24, ``modeling_rope_utils.py`` (``ROPE_INIT_FUNCTIONS``); their sources are given in
``key_rope``.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final, NamedTuple

from cfgexplain.explain.key_scope import positive
from cfgexplain.facts.attention import kinds
from cfgexplain.facts.rope import FULL, WINDOW, ropes
from cfgexplain.families.positions import INTERVALS, WINDOWS_ONLY
from cfgexplain.remarked import has

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cfgexplain.explain.key_scope import KeyScope
    from cfgexplain.facts.rope import Rope

#: A table of pairs longer than this is no head.
MOST: Final = 4096
#: Kinds of layers that look back a limited way, and those that do not.
NEAR: Final = ("sliding", "chunked")
FAR: Final = ("full", "hybrid", "compressed", "compressed-sparse")
#: The family's own names for the size of a head in one kind of layer, where it is not that of all.
HEADS: Final[Mapping[str, tuple[str, ...]]] = {
    FULL: ("width_of_head", "qk_rope_head_dim", "head_dim"),
    WINDOW: ("width_of_head", "swa_rope", "swa_dim", "swa_head_dim", "qk_rope_head_dim", "head_dim"),
}


class Turns(NamedTuple):
    """Rotary positions in one kind of layer.

    Attributes:
        kind: ``FULL`` or ``WINDOW``.
        rope: base, share and scaling.
        size: numbers of a head that the share is taken of.
        turned: numbers of a head that turn, two a pair.
        reach: the farthest distance in tokens that such a layer attends over, or None.
    """

    kind: str
    rope: Rope
    size: int
    turned: int
    reach: int | None

    @property
    def pairs(self) -> int:
        """Pairs that turn."""
        return -(-self.turned // 2)


def turns(k: KeyScope) -> list[Turns]:
    """The kinds of layers of the language model that turn queries and keys; layers with full attention first."""
    found = ropes(k.owner)
    model, layers = k.scope.report["model"], k.scope.report["layers"]
    if not k.main or not found or model is None or model["positions"]["kind"] not in (None, "rope"):
        return []
    each = kinds(k.scope.subject) or []
    mix = {kind: each.index(kind) for kind in dict.fromkeys(each)}
    far = next((mix[x] for x in FAR if x in mix), None)
    near = next((mix[x] for x in NEAR if x in mix), None)
    if near is not None and _windows_only(k, each):
        far = None
    elif not each:
        far = -1
    window = layers["window"] if layers else None
    if window and has(k.scope.report, "two-sided"):
        window //= 2
    out: list[Turns] = []
    for kind, first, reach in ((FULL, far, k.known("max_pos")), (WINDOW, near, window)):
        rope = found.get(kind) or found.get("")
        if first is not None and rope is not None:
            size = next((n for name in HEADS[kind] if (n := _whole(k, name, first))), None)
            turned = 0 if size is None else int(size * (1 if rope.fraction is None else rope.fraction))
            if size is not None and 2 <= turned <= MOST:
                out.append(Turns(kind, rope, size, turned, reach))
    return out


def _windows_only(k: KeyScope, each: list[str]) -> bool:
    """Whether layers with full attention leave queries and keys as they are."""
    model = k.scope.report["model"]
    family = k.owner.family.id
    rotating = model["positions"]["layers"] if model else None
    return family in WINDOWS_ONLY or (family in INTERVALS and rotating == sum(x in NEAR for x in each))


def _whole(k: KeyScope, name: str, i: int) -> int | None:
    found = positive(k.owner.known(name, i))
    return int(found) if found is not None and found == int(found) else None


def wavelengths(t: Turns, context: int | None) -> list[float] | None:
    """Tokens that each pair takes for a full turn, stretched as in force; None where the rule is not known."""
    base, keys = positive(t.rope.theta), t.rope.scaling
    if base is None or base <= 1:
        return None
    rule, factor = str(keys.get("type", "default")), positive(keys.get("factor"))
    if rule == "proportional":
        # The exponent runs over the whole head, turned or not.
        return [2 * math.pi * base ** (2 * j / t.size) * (factor or 1) for j in range(t.pairs)]
    plain = [2 * math.pi * base ** (2 * j / t.turned) for j in range(t.pairs)]
    original = positive(keys.get("original_max_position_embeddings"))
    if rule in ("default", "dynamic"):
        return plain
    if rule == "linear" and factor:
        return [x * factor for x in plain]
    if rule == "yarn" and original:
        factor = factor or (context / original if context else None)
        return _yarn(plain, t.turned, base, keys, factor, original) if factor else None
    if rule == "llama3" and factor and original:
        return _llama3(plain, keys, factor, original)
    if rule == "longrope" and original and context:
        return _longrope(plain, keys.get("long_factor" if context > original else "short_factor"))
    return None


def borders(d: int, base: float, keys: Mapping[str, object], original: float) -> tuple[float, float]:
    """Between which pairs yarn goes over from leaving alone to stretching in full (Peng et al. 2023)."""
    fast, slow = positive(keys.get("beta_fast")) or 32.0, positive(keys.get("beta_slow")) or 1.0
    low, high = (d * math.log(original / (b * 2 * math.pi)) / (2 * math.log(base)) for b in (fast, slow))
    if keys.get("truncate") is not False:
        low, high = math.floor(low), math.ceil(high)
    return max(low, 0), min(high, d - 1)


def _yarn(
    plain: list[float], d: int, base: float, keys: Mapping[str, object], factor: float, original: float
) -> list[float]:
    low, high = borders(d, base, keys, original)
    out: list[float] = []
    for j, x in enumerate(plain):
        whole = min(1.0, max(0.0, (j - low) / ((high - low) or 0.001)))
        out.append(x / (1 - whole + whole / factor))
    return out


def _llama3(plain: list[float], keys: Mapping[str, object], factor: float, original: float) -> list[float] | None:
    low, high = positive(keys.get("low_freq_factor")), positive(keys.get("high_freq_factor"))
    if not low or not high or low == high:
        return None
    out: list[float] = []
    for x in plain:
        if x < original / high:
            out.append(x)
        elif x > original / low:
            out.append(x * factor)
        else:
            kept = (original / x - low) / (high - low)
            out.append(x / ((1 - kept) / factor + kept))
    return out


def _longrope(plain: list[float], divisors: object) -> list[float] | None:
    if not isinstance(divisors, list) or len(divisors) != len(plain):
        return None
    each = [positive(x) for x in divisors]
    return [x * f for x, f in zip(plain, each, strict=True) if f is not None] if None not in each else None
