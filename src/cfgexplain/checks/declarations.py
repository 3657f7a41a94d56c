"""What a config says of itself as a whole: its class, its dtype, how it is quantized, how many experts it has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cfgexplain.checkpoint import Problem
from cfgexplain.checks.faults import as_shown, invalid
from cfgexplain.config import pointer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cfgexplain.config import Settings
    from cfgexplain.subject import Subject

#: Names of dtypes in torch 2.13 that a config can carry; "auto" is written by some tools and means none in particular.
DTYPES: Final = frozenset({
    "auto", "bfloat16", "bool", "complex64", "complex128", "double", "float", "float16", "float32", "float64", "half",
    "float4_e2m1fn_x2", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu", "int",
    "int1", "int2", "int4", "int8", "int16", "int32", "int64", "long", "short", "uint1", "uint2", "uint4", "uint8",
    "uint16", "uint32", "uint64", "quint8", "qint8", "qint32", "fp16", "bf16", "fp32", "fp8", "nvfp4", "mxfp4",
})  # fmt: skip
#: Numbers of a quantization config that loaders compute with.
NUMBERS: Final = ("bits", "group_size", "w_bit", "q_group_size", "num_bits")
#: Letters that two names of one family's releases begin with.
STEM: Final = 6
#: What turns the name of a family into the name of a class.
ENDINGS: Final = ("WithLMHeadModel", "LMHeadModel", "DoubleHeadsModel", "EncoderModel", "PreTrainedModel", "Model")


def faults(s: Subject) -> Iterator[Problem]:
    """Faults for ``invalid-config``."""
    yield from _dtype(s.top)
    yield from _architectures(s.top)
    for t in {id(t): t for t in (s.top, s.main)}.values():
        yield from _quantization(s, t)
    if s.known:
        yield from _experts(s)
        yield from _gate(s.main)


def _dtype(t: Settings) -> Iterator[Problem]:
    for key in ("dtype", "torch_dtype"):
        given = t.config.get(key)
        # Composite models may give one for each part.
        if given is None or isinstance(given, dict):
            continue
        if not isinstance(given, str):
            yield invalid(t, "type", key, {"value": as_shown(given), "kind": "str"})
        elif given.removeprefix("torch.") not in DTYPES:
            import difflib

            near = difflib.get_close_matches(given.lower(), ("bfloat16", "float16", "float32"), 1)
            yield invalid(t, "dtype", key, {"value": given, "near": near[0] if near else "bfloat16"})


def _architectures(t: Settings) -> Iterator[Problem]:
    given = t.config.get("architectures")
    if given is None:
        return
    if not isinstance(given, list):
        yield invalid(t, "type", "architectures", {"value": as_shown(given), "kind": "list"})
    elif strange := [x for x in given if not isinstance(x, str)]:
        found = f"a list with {as_shown(strange[0])}"
        yield invalid(t, "type", "architectures", {"value": found, "kind": "list of str"})


def _quantization(s: Subject, t: Settings) -> Iterator[Problem]:
    given = t.config.get("quantization_config")
    if given is None:
        return
    if not isinstance(given, dict):
        yield invalid(t, "type", "quantization_config", {"value": as_shown(given), "kind": "dict"})
        return
    said = s.declared
    mlx = isinstance(t.config.get("quantization"), dict)
    legacy = given.get("load_in_8bit") or given.get("load_in_4bit")
    if not (mlx or legacy) and (said is None or (said.method is None and said.raw == given)):
        yield invalid(t, "no-method", "quantization_config", {})
    for name in NUMBERS:
        value = given.get(name)
        number = _number(value) if isinstance(value, str) else None
        if number is not None:
            path = f"quantization_config.{name}"
            values: dict[str, object] = {"key": t.dotted(path), "value": value, "number": number}
            yield Problem("numeric-string", "number", values, pointer=pointer(t.path, path))


def _experts(s: Subject) -> Iterator[Problem]:
    """A router with nothing to choose from, or one that chooses nothing."""
    m = s.main
    if not {"experts", "top_k"} <= m.family.keys.keys():
        return
    # Without experts some build a dense block and no router (Granite 4), whatever the number to pick.
    if m.int("experts") == 0 and not any(p.role in ("router", "experts") for p in s.expected):
        return
    experts, top_k = m.value("experts"), m.value("top_k")
    if experts is None or top_k is None:
        return
    for few, many, key in ((experts, top_k, "no-experts"), (top_k, experts, "no-top-k")):
        given = few.origin == "config" and many.origin == "config"
        if given and few.value == 0 and isinstance(many.value, int) and many.value > 0:
            yield invalid(m, key, few.key, {"other": many.key, "value": many.value})


def _gate(m: Settings) -> Iterator[Problem]:
    """T5's activation and gate in one word. Source: ``configuration_t5.py``, ``validate_architecture``."""
    v = m.value("proj") if "proj" in m.family.keys else None
    if v is None or v.origin != "config" or not isinstance(v.value, str):
        return
    from cfgexplain.checks.values import ACTIVATIONS  # which imports this module

    parts = v.value.split("-")
    act = parts[-1]
    if (len(parts) > 1 and parts[0] != "gated") or len(parts) > 2:
        yield invalid(m, "gate", v.key, {"value": v.value})
    elif act not in ACTIVATIONS:
        import difflib

        near = difflib.get_close_matches(act.lower(), sorted(ACTIVATIONS), 1)
        values: dict[str, object] = {"value": v.value, "near": near[0] if near else ""}
        yield invalid(m, "activation-near" if near else "activation", v.key, values)


def other_class(s: Subject) -> Iterator[Problem]:
    """``architectures`` names a class of another family than ``model_type``: tools go by one or the other."""
    t = s.top
    declared, given = t.config.get("model_type"), t.config.get("architectures")
    if not isinstance(declared, str) or not isinstance(given, list) or "auto_map" in t.config:
        return
    from cfgexplain.families.registry import TABLES

    own = _plain(declared)
    for name in given[:8]:
        word = _plain(family_of(name)) if isinstance(name, str) else ""
        other = next((k for k in TABLES if _plain(k) == word), None) if word else None
        if other is None or declared not in TABLES or own.startswith(word) or word.startswith(own):
            continue
        if own[:STEM] == word[:STEM]:
            # Releases of one family: DeepSeek's own code and the library's differ in nothing but names.
            continue
        # Families of one table differ in name only.
        if TABLES[other] != TABLES[declared]:
            yield Problem(
                "key-conflict", "class", {"class": name, "other": other, "model_type": declared},
                pointer=pointer("architectures"),
            )  # fmt: skip
            return


def family_of(name: str) -> str:
    """The part of a class's name that names the family: ``Qwen2`` of ``Qwen2ForCausalLM``."""
    head, mark, _ = name.partition("For")
    if mark and head:
        return head
    return next((name[: -len(e)] for e in ENDINGS if name.endswith(e) and len(name) > len(e)), "")


def _plain(name: str) -> str:
    return "".join(c for c in name.lower() if c.isalnum())


def _number(text: str) -> int | float | None:
    try:
        return int(text[:40])
    except ValueError:
        pass
    try:
        return float(text[:40])
    except ValueError:
        return None


__all__ = ["faults", "other_class"]
