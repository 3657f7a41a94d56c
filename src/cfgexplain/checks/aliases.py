"""Two names of one setting, with different values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cfgexplain.checks.base import Check, Context, Problem
from cfgexplain.checks.declarations import other_class
from cfgexplain.config import pointer, walk

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from cfgexplain.config import Settings

#: Canonical keys whose names are names of the same number. Not here: ε has a check of its own, and the names of
#: ``max_pos`` mean different things in older configs (a trained length beside one that is allowed).
SAME: Final = frozenset({
    "hidden", "ffn", "layers", "heads", "kv_heads", "vocab", "act", "theta", "tie", "experts", "top_k", "moe_ffn",
})  # fmt: skip
#: Pairs that releases of transformers before and after 5 write (PreTrainedConfig, RotaryEmbeddingConfigMixin). Both are
#: in many configs; older readers take the second.
PAIRS: Final = (
    ("dtype", "torch_dtype"),
    ("rope_parameters.rope_theta", "rope_theta"),
    ("rope_parameters.factor", "rope_scaling.factor"),
    ("rope_parameters.original_max_position_embeddings", "rope_scaling.original_max_position_embeddings"),
)


def conflict(c: Context) -> Iterable[Problem]:
    """Every pair once, whether the family's table names it or the library's releases do."""
    s = c.subject
    yield from other_class(s)
    for t in {id(t): t for t in (s.top, s.main)}.values():
        seen: set[str] = set()
        for first, second in (*_of_table(t), *PAIRS):
            a, b = _given(t.config, first), _given(t.config, second)
            if a is None or b is None or _plain(a) == _plain(b) or second in seen:
                continue
            seen.add(second)
            where = f"{t.path}." if t.path else ""
            yield Problem(
                "key-conflict", "keys",
                {"first": where + first, "value": a, "second": where + second, "other": b},
                pointer=pointer(t.path, second),
            )  # fmt: skip


def _of_table(t: Settings) -> Iterator[tuple[str, str]]:
    for name in SAME & t.family.keys.keys():
        names = t.family.keys[name].names
        yield from ((names[0], other) for other in names[1:])


def _given(config: Mapping[str, object], path: str) -> object | None:
    """A plain value at a path; None where there is none, or a null."""
    value = walk(config, path)
    return value if isinstance(value, (str, int, float)) else None


def _plain(value: object) -> object:
    return value.removeprefix("torch.") if isinstance(value, str) else value


#: A class of another family is often a name that was kept: tools seldom go by it.
CHECKS = (Check("key-conflict", "warning", conflict, graver={"class": "note"}),)
