"""Rotary positions in one form, whichever way the config writes them.

Sources: transformers 5, ``modeling_rope_utils.py`` (``rope_parameters``, and how the older ``rope_theta`` and
``rope_scaling`` are folded into it); YaRN's defaults from Peng et al. 2023 (2309.00071).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from cfgexplain.config import walk
from cfgexplain.families.positions import ROPE_KINDS

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
#: Kinds of layers in ``rope_parameters``.
FULL: Final = "full_attention"
WINDOW: Final = "sliding_attention"


class Rope(NamedTuple):
    """Rotary positions of one kind of layer: base, share of the head that turns, scaling (its kind first)."""

    theta: float | int | None
    fraction: float | int | None
    scaling: dict[str, object]


def ropes(s: Settings) -> dict[str, Rope]:
    """Layer kind ("" for all) to its rotary positions; empty where neither the config nor its family has any."""
    given = walk(s.config, "rope_parameters")
    if isinstance(given, dict) and any(isinstance(v, dict) for v in given.values()):
        ours: dict[str, str] = dict(zip(ROPE_KINDS.get(s.family.id, ()), (FULL, WINDOW), strict=False))
        named = {ours.get(str(k), str(k)): v for k, v in given.items() if isinstance(v, dict) and v}
        found = {k: _one(v, s, k == WINDOW) for k, v in sorted(named.items())}
        return _windows(s, found) if FULL in found else found
    scaling = given if isinstance(given, dict) else walk(s.config, "rope_scaling")
    whole = _one(scaling if isinstance(scaling, dict) else {}, s)
    if whole.theta is None and not isinstance(scaling, dict):
        return {}
    return _windows(s, {FULL: whole}) if "window_theta" in s.family.keys else {"": whole}


def _windows(s: Settings, found: dict[str, Rope]) -> dict[str, Rope]:
    """The same with the layers that have a window, where the config leaves them to the family's defaults."""
    if "window_theta" in s.family.keys:
        found.setdefault(WINDOW, _one({}, s, window=True))
    return found


def _plain(s: Settings, name: str) -> object:
    raw = walk(s.config, name)
    return raw if isinstance(raw, (int, float)) and not isinstance(raw, bool) else None


def _share(s: Settings, window: bool) -> float | int | None:
    """The part of a head that turns, as the family's keys have it; None where they say nothing."""
    size, turned = s.int("head_dim"), s.int("rotary_dim")
    if size and turned:
        return turned / size
    for name in ("window_share", "rotary_share") if window else ("rotary_share",):
        if name in s.family.keys:
            return _number(s.known(name))
    return _number(_plain(s, "partial_rotary_factor"))


def _base(s: Settings, window: bool) -> float | int | None:
    for name in ("window_theta", "theta") if window else ("theta",):
        if name in s.family.keys:
            return _number(s.known(name))
    return _number(_plain(s, "rope_theta"))


def _number(raw: object) -> float | int | None:
    return raw if isinstance(raw, (int, float)) and not isinstance(raw, bool) else None


def _one(raw: Mapping[object, object], s: Settings, window: bool = False) -> Rope:
    """One kind of layer: what its entry gives, else what the rest of the config and the family's defaults say."""
    kind = raw.get("rope_type") or raw.get("type")
    kind = KINDS.get(kind, kind) if isinstance(kind, str) else "default"
    fraction = _number(raw.get("partial_rotary_factor"))
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
    return Rope(
        _base(s, window) if theta is None else theta, _share(s, window) if fraction is None else fraction, scaling
    )
