"""Numbers for keys of storage, tokens and pictures. Each function says only what the known numbers allow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cfgexplain.explain.key_scope import positive

if TYPE_CHECKING:
    from cfgexplain.explain.base import Writer
    from cfgexplain.explain.key_scope import KeyScope

BYTES: Final = {"float32": 4, "float16": 2, "half": 2, "bfloat16": 2, "float64": 8}


def dtype(k: KeyScope, w: Writer) -> None:
    """What the headers say, and what a load in that format takes."""
    params, name = k.scope.report["params"], k.value
    if not params or not isinstance(name, str):
        return
    size = BYTES.get(name.removeprefix("torch."))
    if params["total"] and size:
        w.formula(f"{params['total']:,} × {size} = {params['total'] * size:,}")
        w.say("dtype.bytes", name=name, bytes=params["total"] * size)
    if params["by_dtype"]:
        w.say("dtype.stored", stored=w.listed(f"{d} {n:,}" for d, n in params["by_dtype"].items()))


def quantization(k: KeyScope, w: Writer) -> None:
    """Bits a parameter, scales included."""
    found, params = k.scope.report["quantization"], k.scope.report["params"]
    if found and found["bits_per_parameter"]:
        w.say("quantization.bits", bits=found["bits_per_parameter"])
    each = found["bits_per_parameter"] if found else None
    if params and params["bytes"] and params["total"]:
        whole = 8 * params["bytes"] / params["total"]
        # Layers that the total leaves out (prediction layers) have bytes too: one without the other is no average.
        if each is None or abs(whole - each) < 0.001:
            w.formula(f"8 × {params['bytes']:,} / {params['total']:,} = {whole:.3f}")


def token(k: KeyScope, w: Writer) -> None:
    """Whether the id has a row in the embedding."""
    rows = k.scope.subject.main.int("vocab")
    ids = [i for i in (k.value if isinstance(k.value, list) else [k.value]) if type(i) is int]
    if not rows or not ids:
        return
    w.say("token.inside" if all(0 <= i < rows for i in ids) else "token.outside", rows=rows)


def patches(k: KeyScope, w: Writer) -> None:
    """Tokens an image."""
    side, patch = k.whole("image_size"), k.whole("patch_size", "spatial_patch_size")
    if side and patch and side >= patch:
        n = side // patch
        w.formula(f"({side} / {patch})² = {n * n:,}" if side % patch == 0 else f"floor({side} / {patch})² = {n * n:,}")


def merge(k: KeyScope, w: Writer) -> None:
    """Patches to one token."""
    m = positive(k.value)
    if m and m >= 1:
        w.formula(f"{m:g}² = {m * m:g}")
