"""The group or block of weights that share one scale, as the config's quantization states it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from cfgexplain.config import walk

if TYPE_CHECKING:
    from cfgexplain.subject import Subject

#: Where a config keeps it, in the order they are tried. GPTQ and AWQ; block-wise FP8 ([rows, columns]); MLX.
PATHS = (
    "quantization_config.group_size", "quantization_config.weight_block_size", "quantization_config.q_group_size",
    "quantization.group_size",
)
GROUPS = "quantization_config.config_groups"
LARGEST = 1 << 20


class Groups(NamedTuple):
    """Columns of a weight matrix that share one scale, and the key that says so."""

    size: int
    key: str


def groups(s: Subject) -> Groups | None:
    """The configured group along a matrix's input; None where there is none, or one scale for a whole row."""
    for config, path in ((s.top.config, s.top.path), (s.main.config, s.main.path)):
        for key in PATHS:
            size = _size(walk(config, key))
            if size is not None:
                return Groups(size, f"{path}.{key}" if path else key)
        named = walk(config, GROUPS)
        for name, group in sorted(named.items()) if isinstance(named, dict) else ():
            size = _size(walk(group, "weights.group_size"))
            if size is not None:
                key = f"{GROUPS}.{name}.weights.group_size"
                return Groups(size, f"{path}.{key}" if path else key)
    return None


def _size(raw: object) -> int | None:
    if isinstance(raw, list):
        raw = raw[-1] if raw else None
    return raw if isinstance(raw, int) and not isinstance(raw, bool) and 1 < raw <= LARGEST else None
