"""Whether two models are of one kind, so that a tensor of one stands for a tensor of the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cfgexplain.compare.tensors import Table

if TYPE_CHECKING:
    from cfgexplain.compare.base import Side

#: Of the side with fewer tensors, the share that the other side must have by name for the two to correspond.
SHARE: Final = 0.5


def related(a: Side, b: Side) -> bool:
    """Whether the tensors correspond: one family, or two that name theirs alike and have one hidden size.

    Names are those of the language model's own table, layer by layer, so a wrapper's prefix is no difference.
    """
    s, t = a.subject.main, b.subject.main
    if s.family.id == t.family.id:
        return True
    one, two = s.int("hidden"), t.int("hidden")
    if one is not None and two is not None and one != two:
        return False
    ours, theirs = (
        {k for k, x in Table(side, planned=side.subject.match is None).by_id.items() if x.main} for side in (a, b)
    )
    least = min(len(ours), len(theirs))
    return not least or len(ours & theirs) >= SHARE * least


__all__ = ["related"]
