"""Which layers of a stack are expected, which are on disk, which are gone as a whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from cfgexplain.expand import Expected


def stacks_of(items: Iterable[Expected]) -> dict[str, set[int]]:
    """Stack prefix → every index that the expectation has a slot for."""
    stacks: dict[str, set[int]] = {}
    for e in items:
        if e.stack and e.layer is not None:
            stacks.setdefault(e.stack, set()).add(e.layer)
    return stacks


def absent_layers(items: Iterable[Expected], on_disk: Mapping[str, set[int]]) -> dict[str, tuple[int, ...]]:
    """Stack → layers of which nothing at all is stored, in none of the stacks that are counted together.

    XLM keeps attention, feed-forward blocks and norms of one layer in stacks of their own: one alone is no layer.
    """
    together: dict[tuple[int, str], dict[str, set[int]]] = {}
    for e in items:
        if e.stack and e.layer is not None and e.slot.kind == "param":
            together.setdefault((id(e.owner), e.slot.layers), {}).setdefault(e.stack, set()).add(e.layer)
    out: dict[str, tuple[int, ...]] = {}
    for stacks in together.values():
        seen = {i for stack in stacks for i in on_disk.get(stack, ())}
        for stack, needed in stacks.items():
            if gone := sorted(needed - seen):
                out[stack] = tuple(sorted({*out.get(stack, ()), *gone}))
    return out


def layers_on_disk(stacks: Iterable[str], names: Collection[str]) -> dict[str, set[int]]:
    prefixes = tuple(stacks)
    seen: dict[str, set[int]] = {}
    for stack in prefixes:
        at = len(stack)
        # A stack has few numbers and many names.
        for number in {name[at:].partition(".")[0] for name in names if name.startswith(stack)}:
            if is_index(number):
                seen.setdefault(stack, set()).add(int(number))
    return seen


def is_index(text: str) -> bool:
    """A layer's number, in the digits that libraries write; other scripts' digits are no index."""
    return text.isascii() and text.isdecimal() and len(text) < 7
