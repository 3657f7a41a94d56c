"""Values that no model can have, whatever its tensors; and values that the user expects to be others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cfgexplain.checks import declarations, rotary
from cfgexplain.checks.base import Check, Context, Problem
from cfgexplain.checks.faults import invalid
from cfgexplain.config import pointer, walk

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from cfgexplain.config import Settings

#: What ``hidden_act`` and its relatives may say. Source: transformers 5.24, ``activations.py``, ACT2CLS.
ACTIVATIONS: Final = frozenset({
    "gelu", "gelu_10", "gelu_accurate", "gelu_fast", "gelu_new", "gelu_python", "gelu_python_tanh",
    "gelu_pytorch_tanh", "hardswish", "laplace", "leaky_relu", "linear", "mish", "prelu", "quick_gelu", "relu",
    "relu2", "relu6", "sigmoid", "silu", "sqrtsoftplus", "swish", "tanh", "xielu",
})  # fmt: skip
#: Config keys that the library looks up in that table; others (``activation_type``) have words of their own.
ACT_KEYS: Final = frozenset({
    "hidden_act", "hidden_activation", "activation_function", "activation", "mlp_hidden_act", "dense_act_fn",
})  # fmt: skip
#: What an entry of ``layer_types`` may say. Source: transformers 5.24, ``configuration_utils.py``,
#: ALLOWED_LAYER_TYPES and the older words that it still maps (_LEGACY_LAYER_TYPE_REMAP).
LAYER_TYPES: Final = frozenset({
    "full_attention", "sliding_attention", "chunked_attention", "window_attention", "indexed_attention",
    "compressed_sparse_attention", "heavily_compressed_attention", "minimax_m3_sparse", "conv", "moe", "hybrid",
    "hybrid_sliding", "reference_sliding_attention", "linear_attention", "sparse", "dense", "mamba", "attention",
    "deepseek_sparse_attention", "qwen_sparse_attention",
})  # fmt: skip
#: Keys that hold a share or a probability.
SHARES: Final = ("dropout", "_pdrop", "_dropout_prob", "dropout_rate", "partial_rotary_factor", "rotary_pct")
#: Keys that hold a number above zero.
POSITIVE: Final = ("rope_theta", "rope_parameters.rope_theta", "rope_scaling.factor", "max_position_embeddings")


def impossible(c: Context) -> Iterator[Problem]:
    """Faults for ``invalid-config`` that a single key's type does not show."""
    m = c.subject.main
    yield from _numbers(m)
    yield from declarations.faults(c.subject)
    yield from rotary.faults(m)
    if not c.subject.known:
        return
    yield from _activation(m)
    yield from _layer_types(m)
    yield from _padding(m)


def _numbers(m: Settings) -> Iterator[Problem]:
    known = {path for key in m.family.keys.values() for path in key.names}
    for path in POSITIVE:
        value = walk(m.config, path)
        if (
            (number := _number(value)) is not None
            and number <= 0
            and not any(p.pointer == pointer(m.path, path) for p in m.problems)
        ):
            yield invalid(m, "range", path, {"value": value})
    for key, value in m.config.items():
        number = _number(value) if key.endswith(SHARES) and key not in known else None
        if number is not None and not 0 <= number <= 1:
            yield invalid(m, "range", key, {"value": value})


def _number(value: object) -> float | None:
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def _activation(m: Settings) -> Iterator[Problem]:
    """A function that the library has no class for: loading ends in a KeyError."""
    key = m.family.keys.get("act")
    v = m.value("act") if key is not None else None
    if key is None or v is None or v.origin != "config" or v.key not in ACT_KEYS or not isinstance(v.value, str):
        return
    if v.value in ACTIVATIONS or v.value == key.default:
        return
    import difflib

    near = difflib.get_close_matches(v.value.lower(), sorted(ACTIVATIONS), 1)
    values: dict[str, object] = {"key": v.key, "value": v.value, "near": near[0] if near else ""}
    yield Problem("invalid-config", "activation-near" if near else "activation", values, pointer=pointer(m.path, v.key))


def _layer_types(m: Settings) -> Iterator[Problem]:
    """The library checks the list on every family, read or not; a model's own code may have words of its own."""
    given, read = m.config.get("layer_types"), any("layer_types" in k.names for k in m.family.keys.values())
    if not read and given is not None and "auto_map" not in m.config:
        layers = m.int("layers")
        if not isinstance(given, list):
            shown = "an object" if isinstance(given, dict) else repr(given)[:60]
            values: dict[str, object] = {"key": m.dotted("layer_types"), "value": shown, "kind": "list"}
            yield Problem("invalid-config", "type", values, pointer=pointer(m.path, "layer_types"))
        elif layers is not None and len(given) != layers:
            values = {"key": m.dotted("layer_types"), "length": len(given), "layers": layers}
            yield Problem("invalid-config", "length", values, pointer=pointer(m.path, "layer_types"))
    if not isinstance(given, list) or (not read and "auto_map" in m.config):
        return
    # A table that asks for a word of its family's own knows it.
    asked = (*m.family.lets.values(), m.family.layer_kind)
    own = {v for v in given if isinstance(v, str) and any(f"'{v}'" in text for text in asked)}
    strange = [(k, v) for k, v in enumerate(given) if isinstance(v, str) and v not in LAYER_TYPES | own]
    if strange:
        k, word = strange[0]
        values = {"value": word, "layer": k, "count": len(strange)}
        yield Problem("invalid-config", "layer-type", values, pointer=f"{pointer(m.path, 'layer_types')}/{k}")


def _padding(m: Settings) -> Iterator[Problem]:
    """``torch.nn.Embedding`` refuses a padding row that it has not; it counts negative ones from the end."""
    pad = m.config.get("pad_token_id")
    rows = m.int("vocab") if "vocab" in m.family.keys else None
    own = any(s.role == "embedding" and s.shape.startswith("vocab,") for s in m.family.body)
    if isinstance(pad, int) and not isinstance(pad, bool) and rows and own and not -rows <= pad < rows:
        yield Problem(
            "invalid-config", "padding", {"value": pad, "rows": rows}, pointer=pointer(m.path, "pad_token_id")
        )


# --- what the user expects ---


def unexpected(c: Context) -> Iterable[Problem]:
    """A config key that has not the value that the settings expect."""
    s = c.subject
    for path, wanted in c.wishes.expect.items():
        for t in (s.top, s.main):
            value = walk(t.config, path)
            if _there(value):
                break
        else:
            yield from _absent(s.main, s.known, path, wanted)
            continue
        if not _same(value, wanted):
            where = t.dotted(path)
            values = {"key": where, "value": _shown(value), "expected": _shown(wanted)}
            yield Problem("unexpected-value", "differs", values, pointer=pointer(t.path, path))


def _absent(m: Settings, known: bool, path: str, wanted: object) -> Iterator[Problem]:
    """The key is not there: its default may be as expected, or the model may have no such setting."""
    from difflib import get_close_matches

    from cfgexplain.families.llama import LLAMA

    name = next((n for n, key in m.family.keys.items() if path in key.names), None)
    v = m.value(name) if name is not None else None
    if v is not None and _same(v.value, wanted):
        return
    usual = {p for key in LLAMA.keys.values() for p in key.names}
    if known and name is None and (path in usual or path.endswith(("_eps", "_epsilon"))):
        return
    values: dict[str, object] = {"key": path, "expected": _shown(wanted)}
    if name is None:
        near = get_close_matches(path, [*m.config, *(p for key in m.family.keys.values() for p in key.names)], 1, 0.8)
        if near and path not in usual:
            yield Problem("unexpected-value", "misspelt", {**values, "near": near[0]})
            return
    yield Problem("unexpected-value", "absent", values)


def _there(value: object) -> bool:
    return isinstance(value, (str, int, float, list, dict)) or value is None


def _same(value: object, wanted: object) -> bool:
    if isinstance(wanted, list):
        return (
            isinstance(value, list)
            and len(value) == len(wanted)
            and all(_same(a, b) for a, b in zip(value, wanted, strict=True))
        )
    return isinstance(value, bool) == isinstance(wanted, bool) and value == wanted


def _shown(value: object) -> object:
    return "null" if value is None else "an object" if isinstance(value, dict) else value


CHECKS = (Check("unexpected-value", "error", unexpected),)
