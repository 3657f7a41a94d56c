"""What ``--tensor-parallel`` must divide: widths, heads, and the quantization groups within them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cfgexplain.checks.base import Context, Problem
from cfgexplain.config import pointer
from cfgexplain.facts.quant_groups import groups
from cfgexplain.facts.widths import groups_per_rank, next_fit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cfgexplain.config import Settings

#: Canonical keys of feed-forward widths: the down projection's input, which ranks and groups cut.
WIDTHS: Final = ("ffn", "moe_ffn", "shared_ffn")


def place(m: Settings, name: str) -> str | None:
    """The pointer of a canonical key, or None where the config does not have it."""
    v = m.value(name) if name in m.family.keys else None
    return pointer(m.path, v.key) if v and v.origin == "config" and v.key else None


def widths(c: Context) -> Iterator[Problem]:
    """Feed-forward widths that ranks do not divide, or not into whole groups."""
    m, tp = c.subject.main, c.wishes.tensor_parallel
    if tp is None:
        return
    block = groups(c.subject)
    size = block.size if block else 1
    for name in WIDTHS:
        width, v = m.int(name), m.value(name) if name in m.family.keys else None
        if not width or v is None or v.origin == "derived":  # what follows from another width is said of that one
            continue
        fit = groups_per_rank(width, size, tp)
        values: dict[str, object] = {
            "key": v.key, "value": width, "ranks": tp, "rest": width % tp, "per_rank": fit.per_rank, "group": size,
            "group_key": block.key if block else "", "next": next_fit(width, size, tp),
        }  # fmt: skip
        if fit.per_rank is None:
            yield Problem("intermediate-size-alignment", "ranks", values, pointer=place(m, name))
        elif not fit.fits:
            yield Problem("intermediate-size-alignment", "rank-groups", values, pointer=place(m, name))


def heads(c: Context) -> Iterator[Problem]:
    """Heads that ranks do not divide. Fewer key-value heads than ranks are repeated, if they divide the ranks."""
    tp, m = c.wishes.tensor_parallel, c.subject.main
    count, kv = m.int("heads"), m.int("kv_heads")
    if tp is None or not count:
        return
    values: dict[str, object] = {"heads": count, "kv_heads": kv, "ranks": tp}
    if count % tp:
        yield Problem("head-mismatch", "ranks", values, pointer=place(m, "heads"))
        return
    if kv and kv % tp and tp % kv:
        yield Problem("head-mismatch", "kv-ranks", values, pointer=place(m, "kv_heads"))
    dim, block = m.int("head_dim"), groups(c.subject)
    if dim and block and (count // tp * dim) % block.size:
        values |= {"columns": count // tp * dim, "group": block.size, "group_key": block.key}
        yield Problem("head-mismatch", "rank-groups", values, pointer=place(m, "heads"))
