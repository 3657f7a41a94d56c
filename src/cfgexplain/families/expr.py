"""The little language of the family tables: one expression over a model's own numbers.

The texts come from this package's tables, never from a config or a file; a config only supplies values.
"""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from types import CodeType


class UnknownValue(Exception):
    """An expression needs a number that the config does not give, or gives in a form that makes no sense."""


def ceil_to(x: int, multiple: int) -> int:
    """x rounded up to a multiple."""
    return -(-x // multiple) * multiple


def at(values: Sequence[object] | None, i: int, default: object = None) -> object:
    """``values[i]``, or the default where the list is absent or too short."""
    return values[i] if isinstance(values, (list, tuple)) and 0 <= i < len(values) else default


def has(values: object, item: object) -> bool:
    """Whether a list (or None, or a single value) holds the item."""
    return item in values if isinstance(values, (list, tuple, str, dict)) else values == item


def count(values: object, *items: object) -> int:
    """How many entries of a list equal one of the items."""
    return sum(v in items for v in values) if isinstance(values, (list, tuple, str)) else 0


def per_layer(value: object, i: int) -> object:
    """A number that is the same for all layers, or a list with one for each."""
    return value[i] if isinstance(value, (list, tuple)) else value


def get(mapping: object, key: str, default: object = None) -> object:
    """A key of a nested mapping that may be absent or null."""
    value = mapping.get(key) if isinstance(mapping, dict) else None
    return default if value is None else value


#: The words of ``layer_types`` (and of older pattern keys) for what a layer mixes with.
LAYER_KINDS: Final[dict[str, str]] = {
    "attention": "full",
    "chunked_attention": "chunked",
    "conv": "conv",
    "full_attention": "full",
    "hybrid": "hybrid",
    "linear_attention": "linear",
    "mamba": "ssm",
    "mamba2": "ssm",
    "recurrent": "recurrent",
    "sliding_attention": "sliding",
    "sliding_window_attention": "sliding",
}


def kind(layer_type: object) -> object:
    """The contract's word for an entry of ``layer_types``; an unknown entry stays as it is."""
    return LAYER_KINDS.get(layer_type, layer_type) if isinstance(layer_type, str) else layer_type


FUNCTIONS: Final[dict[str, object]] = {
    "__builtins__": {},
    "abs": abs,
    "at": at,
    "bool": bool,
    "ceil": math.ceil,
    "ceil_to": ceil_to,
    "count": count,
    "float": float,
    "floor": math.floor,
    "get": get,
    "has": has,
    "int": int,
    "isqrt": math.isqrt,
    "kind": kind,
    "len": len,
    "log2": math.log2,
    "max": max,
    "min": min,
    "per_layer": per_layer,
    "prod": math.prod,
    "round": round,
    "sqrt": math.sqrt,
    "str": str,
    "sum": sum,
}


def function(f: Callable[..., object]) -> Callable[..., object]:
    """Makes a named function of a family file usable in its expressions (a schedule that JSON cannot say)."""
    FUNCTIONS[f.__name__] = f
    return f


@cache
def compiled(text: str) -> CodeType:
    """The expression's code. Tables are finite, so the cache is."""
    return compile(text, f"<{text}>", "eval")


@cache
def names_in(text: str) -> frozenset[str]:
    """The names that the expression reads."""
    return frozenset(compiled(text).co_names)


#: What an impossible value in a config can make of a sound expression.
_IMPOSSIBLE: Final = (
    TypeError,
    ValueError,
    ZeroDivisionError,
    IndexError,
    OverflowError,
    AttributeError,
    RecursionError,
)


def evaluate(text: str, scope: Mapping[str, object]) -> object:
    """The expression's value.

    Raises:
        UnknownValue: a number it needs is not known, or makes no sense.
        NameError: the table names something that does not exist (a bug in the table).
    """
    try:
        return eval(compiled(text), FUNCTIONS, scope)  # noqa: S307 - our own tables only
    except _IMPOSSIBLE as e:
        raise UnknownValue(f"{text}: {e}") from None
