"""Faults put into sound checkpoints, one at a time, each with the name of the check that must see it."""

from __future__ import annotations

import copy
import re
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cfgexplain.report import Report

_LAYER = re.compile(r"\.(\d+)\.")


class Mutation(NamedTuple):
    """One fault.

    Attributes:
        name: what was done.
        wanted: the checks that may name it.
        config: the config after it.
        header: the tensors after it.
        place: a tensor or a config key that the finding must point at, or "".
    """

    name: str
    wanted: tuple[str, ...]
    config: dict[str, Any]
    header: dict[str, Any]
    place: str


def mutations(config: dict[str, Any], header: dict[str, Any], r: Report) -> Iterator[Mutation]:
    """Every fault that this checkpoint can have. ``r`` is the report of the sound one, with tensors."""
    tensors = [t for t in r["tensors"] or [] if t["params"]]
    yield from _norms(config, header, r, tensors)
    yield from _biases(config, header, tensors)
    yield from _ffn(config, header, tensors)
    yield from _layers(config, header, r, tensors)
    yield from _numbers(config, header, r)
    yield from _eps(config, header, r)
    yield from _shapes(config, header, tensors)
    yield Mutation("wrapper", ("wrapped-names",), config, {"_orig_mod." + n: t for n, t in header.items()}, "")


def _without(header: dict[str, Any], *names: str) -> dict[str, Any]:
    return {n: t for n, t in header.items() if n not in names}


def _with(config: dict[str, Any], path: str, value: object) -> dict[str, Any]:
    out = copy.deepcopy(config)
    *parents, last = path.split(".")
    inner = out
    for p in parents:
        inner = inner[p]
    if value is ...:
        inner.pop(last, None)
    else:
        inner[last] = value
    return out


def _get(config: dict[str, Any], path: str) -> Any:
    inner: Any = config
    for p in path.split("."):
        inner = inner.get(p) if isinstance(inner, dict) else None
    return inner


def _norms(config: dict[str, Any], header: dict[str, Any], r: Report, tensors: list[Any]) -> Iterator[Mutation]:
    assert r["norm"] is not None
    final = r["norm"]["final_norm"]["tensor"]
    if final in header:
        stem = final.rpartition(".")[0]
        gone = [n for n in header if n.rpartition(".")[0] == stem]
        yield Mutation("final norm dropped", ("missing-final-norm",), config, _without(header, *gone), final)
    norms = [
        t["name"]
        for t in tensors
        if t["role"] == "block-norm" and t["layer"] is not None and not t["name"].endswith("bias")
    ]
    if norms:
        one = norms[len(norms) // 2]
        stem = one.rpartition(".")[0]
        gone = [n for n in header if n.rpartition(".")[0] == stem]
        yield Mutation("layer norm dropped", ("missing-layer-norm",), config, _without(header, *gone), one)


def _biases(config: dict[str, Any], header: dict[str, Any], tensors: list[Any]) -> Iterator[Mutation]:
    wanted = {
        "bias on q": ("attention", ("q", "qkv")),
        "bias on down": ("ffn", ("down",)),
        "bias on a norm": ("block-norm", None),
        "bias on the head": ("lm-head", None),
    }
    for name, (role, parts) in wanted.items():
        for t in tensors:
            stem, _dot, last = t["name"].rpartition(".")
            if t["role"] != role or last != "weight" or (parts and t["part"] not in parts) or f"{stem}.bias" in header:
                continue
            size = t["shape"][0]
            bias = {f"{stem}.bias": {"dtype": t["dtype"], "shape": [size]}}
            yield Mutation(name, ("unexpected-bias",), config, {**header, **bias}, f"{stem}.bias")
            break
    for t in tensors:
        if t["name"].endswith(".bias") and t["role"] in ("attention", "ffn"):
            yield Mutation("bias dropped", ("missing-bias",), config, _without(header, t["name"]), t["name"])
            break


def _ffn(config: dict[str, Any], header: dict[str, Any], tensors: list[Any]) -> Iterator[Mutation]:
    for part in ("up", "gate"):
        found = [
            t["name"] for t in tensors if t["role"] == "ffn" and t["part"] == part and t["name"].endswith("weight")
        ]
        if found:
            one = found[len(found) // 2]
            stem = one.rpartition(".")[0]
            gone = [n for n in header if n.rpartition(".")[0] == stem]
            yield Mutation(f"{part} dropped", ("incomplete-ffn",), config, _without(header, *gone), one)


def _layers(config: dict[str, Any], header: dict[str, Any], r: Report, tensors: list[Any]) -> Iterator[Mutation]:
    stacks: dict[str, set[int]] = {}
    for t in tensors:
        if t["layer"] is not None and t["role"] in ("block-norm", "attention", "ffn", "mixer"):
            stem = t["name"].partition(f".{t['layer']}.")[0] + "."
            stacks.setdefault(stem, set()).add(t["layer"])
    for stem, layers in stacks.items():
        if len(layers) < 3:
            continue
        # XLM keeps the parts of a layer in stacks of their own: they go together.
        kin = tuple(
            s for s in stacks if s.rpartition(".")[0].rpartition(".")[0] == stem.rpartition(".")[0].rpartition(".")[0]
        )
        for name, i in (("middle layer dropped", sorted(layers)[1]), ("last layer dropped", max(layers))):
            gone = [n for n in header if n.startswith(tuple(f"{k}{i}." for k in kin))]
            yield Mutation(name, ("layer-count-mismatch",), config, _without(header, *gone), f"{stem}{i}.")
        break
    model = r["model"]
    assert model is not None
    for path in ("num_hidden_layers", "n_layer", "n_layers", "num_layers"):
        full = f"{model['text_config_path']}.{path}" if model["text_config_path"] else path
        value = _get(config, full)
        if isinstance(value, int) and value == model["num_layers"] and value > 1:
            for step in (1, -1):
                yield Mutation(
                    f"layers {step:+}", ("layer-count-mismatch",), _with(config, full, value + step), header, full
                )
            break


def _numbers(config: dict[str, Any], header: dict[str, Any], r: Report) -> Iterator[Mutation]:
    assert r["ffn"] is not None
    assert r["model"] is not None
    width = r["ffn"]["intermediate_size"]
    if width["source"] == "config" and width["key"] and width["value"] == width["from_tensors"]:
        for name, value in (("width +1", width["value"] + 1), ("width doubled", 2 * width["value"])):
            yield Mutation(
                name, ("intermediate-size-mismatch",), _with(config, width["key"], value), header, width["key"]
            )
    prefix = f"{r['model']['text_config_path']}." if r["model"]["text_config_path"] else ""
    kv = _get(config, prefix + "num_key_value_heads")
    # Latent attention reads no such key.
    if isinstance(kv, int) and kv == r["model"]["num_key_value_heads"] and r["model"]["attention"] != "mla":
        for other in (1, 4):
            if other != kv:
                yield Mutation(
                    "kv heads changed",
                    ("head-mismatch",),
                    _with(config, prefix + "num_key_value_heads", other),
                    header,
                    prefix + "num_key_value_heads",
                )
                break
    vocab = _get(config, prefix + "vocab_size")
    if isinstance(vocab, int) and vocab == r["model"]["vocab_size"]:
        yield Mutation(
            "vocab +1",
            ("vocab-size-mismatch",),
            _with(config, prefix + "vocab_size", vocab + 1),
            header,
            prefix + "vocab_size",
        )


def _eps(config: dict[str, Any], header: dict[str, Any], r: Report) -> Iterator[Mutation]:
    assert r["norm"] is not None
    eps = r["norm"]["eps"]
    if eps["source"] != "config" or eps["key"] is None:
        return
    key = eps["key"]
    yield Mutation("eps a string", ("numeric-string",), _with(config, key, "1e-05"), header, key)
    yield Mutation("eps zero", ("eps-invalid",), _with(config, key, 0.0), header, key)
    yield Mutation("eps negative", ("eps-invalid",), _with(config, key, -1e-05), header, key)
    yield Mutation("eps missing", ("eps-missing",), _with(config, key, ...), header, "")


def _shapes(config: dict[str, Any], header: dict[str, Any], tensors: list[Any]) -> Iterator[Mutation]:
    for t in tensors:
        if (
            t["role"] in ("attention", "ffn", "mixer")
            and len(t["shape"]) == 2
            and t["shape"][0] != t["shape"][1]
            and t["layer"] is not None
        ):
            turned = {**header, t["name"]: {"dtype": t["dtype"], "shape": t["shape"][::-1]}}
            yield Mutation("transposed", ("shape-mismatch",), config, turned, t["name"])
            break
