"""Rotary positions in one form, whichever way the config writes them.

Sources: transformers 5, ``modeling_rope_utils.py`` (``rope_parameters``, and how the older ``rope_theta`` and
``rope_scaling`` are folded into it); YaRN's defaults from Peng et al. 2023 (2309.00071).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from cfgexplain.config import walk

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cfgexplain.config import Settings

#: Names of one kind of scaling. "mrope" only says how positions of images are split: the frequencies are plain.
KINDS: Final[dict[str, str]] = {"su": "longrope", "mrope": "default", "none": "default"}
#: Kinds that look at the length the model was trained with first.
TRAINED: Final = frozenset({"yarn", "llama3", "longrope"})
DEFAULTS: Final[dict[str, object]] = {"beta_fast": 32, "beta_slow": 1, "truncate": True}
#: Not part of the scaling: compared on their own, or another name of something that is.
APART: Final = frozenset({"rope_theta", "rope_type", "type", "partial_rotary_factor"})
#: Keys of configs that this module reads, so that nothing else lists them.
KEYS: Final = (
    "rope_parameters",
    "rope_scaling",
    "rope_theta",
    "rope_local_base_freq",
    "rotary_emb_base",
    "partial_rotary_factor",
)


class Rope(NamedTuple):
    """Rotary positions of one kind of layer: base, share of the head that turns, scaling (its kind first)."""

    theta: float | int | None
    fraction: float | int | None
    scaling: dict[str, object]


def ropes(s: Settings) -> dict[str, Rope]:
    """Layer kind ("" for all) to its rotary positions; empty where the config has nothing of the sort."""
    given = walk(s.config, "rope_parameters")
    theta = s.value("theta") if "theta" in s.family.keys else None
    base = theta.value if theta else _plain(s, "rope_theta")
    if isinstance(given, dict) and any(isinstance(v, dict) for v in given.values()):
        return {k: _one(v, None, s) for k, v in sorted(given.items()) if isinstance(v, dict)}
    scaling = given if isinstance(given, dict) else walk(s.config, "rope_scaling")
    kinds = {p.split(".")[1] for p in s.family.keys["theta"].names if p.count(".") == 2} if theta else set()
    if base is None and not isinstance(scaling, dict):
        return {}
    whole = _one(scaling if isinstance(scaling, dict) else {}, base, s)
    if not kinds:
        return {"": whole}
    found = dict.fromkeys(sorted(kinds), whole)
    local = _plain(s, "rope_local_base_freq")
    if local is not None:
        found["sliding_attention"] = Rope(_number(local), None, {"type": "default"})
    return found


def _plain(s: Settings, name: str) -> object:
    raw = walk(s.config, name)
    return raw if isinstance(raw, (int, float)) and not isinstance(raw, bool) else None


def _number(raw: object) -> float | int | None:
    return raw if isinstance(raw, (int, float)) and not isinstance(raw, bool) else None


def _one(raw: Mapping[object, object], base: object, s: Settings) -> Rope:
    kind = raw.get("rope_type") or raw.get("type")
    kind = KINDS.get(kind, kind) if isinstance(kind, str) else "default"
    fraction = _number(raw.get("partial_rotary_factor"))
    if fraction is None:
        fraction = _number(_plain(s, "partial_rotary_factor"))
    theta = _number(raw.get("rope_theta"))
    scaling: dict[str, object] = {"type": kind}
    if kind != "default":
        scaling |= {
            k: v
            for k, v in raw.items()
            if isinstance(k, str) and k not in APART and v is not None and v != DEFAULTS.get(k)
        }
        if kind in TRAINED and "original_max_position_embeddings" not in scaling:
            trained = _plain(s, "original_max_position_embeddings") or s.int("max_pos")
            if trained is not None:
                scaling["original_max_position_embeddings"] = trained
    return Rope(theta if theta is not None else _number(base), fraction, scaling)
