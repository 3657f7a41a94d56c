"""A config's value as a report may repeat it: short, plain, and safe to print."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cfgexplain.explain.base import LONGEST
from cfgexplain.text import clean

if TYPE_CHECKING:
    from cfgexplain.explain.base import Writer

#: Entries of a list that a text shows, and that a report repeats.
SHOWN: Final = 8
REPEATED: Final = 512


def plain(x: object) -> object:
    """The value for machines: numbers and short strings as they are, lists of them, and null for anything else."""
    if isinstance(x, str):
        return clean(x, LONGEST)
    if x is None or isinstance(x, (bool, float)) or (isinstance(x, int) and abs(x) < 2**63):
        return x
    if isinstance(x, list) and len(x) <= REPEATED and all(_simple(v) for v in x):
        return [plain(v) for v in x]
    return None


def _simple(x: object) -> bool:
    return x is None or isinstance(x, (bool, float, str)) or (isinstance(x, int) and abs(x) < 2**63)


def shown(x: object, w: Writer) -> str:
    """The value for people, in the config's own spelling; long lists and objects by their size."""
    if x is None:
        return "null"
    if isinstance(x, bool):
        return "true" if x else "false"
    if isinstance(x, int):
        return str(x) if abs(x) < 10**30 else f"~10^{x.bit_length() * 3 // 10}"
    if isinstance(x, list):
        if len(x) <= SHOWN and all(_simple(v) for v in x):
            return "[" + ", ".join(shown(v, w) for v in x) + "]"
        return w.words("value.list", count=len(x))
    if isinstance(x, dict):
        return w.words("value.object", count=len(x))
    return clean(str(x), LONGEST)
