"""Which values are equal though they are written differently."""

from __future__ import annotations

from typing import Final

from cfgexplain.facts.numerics import round_to

#: Names of one function. The tanh approximation has four names, each of them the same formula in transformers'
#: ``activations.py``; "gelu_python" is the exact one computed by hand; swish with β = 1 is SiLU.
ACTIVATIONS: Final[dict[str, str]] = {
    "swish": "silu",
    "gelu_pytorch_tanh": "gelu_tanh",
    "gelu_new": "gelu_tanh",
    "gelu_fast": "gelu_tanh",
    "gelu_python_tanh": "gelu_tanh",
    "gelu_python": "gelu",
}


def same(a: object, b: object) -> bool:
    """Whether two JSON values are the same number of the model.

    1 is 1.0 and true is not 1. Two numbers that are one float32 are equal: 1e-05 and 9.999999747378752e-06, which is
    what a float32 1e-05 prints as.
    """
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        if a == b or (a != a and b != b):
            return True
        if isinstance(a, int) and isinstance(b, int):
            return False
        try:
            return round_to(float(a), "F32") == round_to(float(b), "F32")
        except OverflowError:
            return False
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b, strict=True))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(v, b[k]) for k, v in a.items())
    return a == b


def activation(value: object) -> object:
    """An activation under one name."""
    return ACTIVATIONS.get(value, value) if isinstance(value, str) else value


def dtype(value: object) -> object:
    """``torch.float16`` and ``half`` are ``float16``."""
    if not isinstance(value, str):
        return value
    plain = value.removeprefix("torch.")
    return {"half": "float16", "float": "float32"}.get(plain, plain)
