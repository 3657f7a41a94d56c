"""The quantization config, wherever it stands: what method, how many bits, in groups of how many."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from cfgexplain.config import walk
from cfgexplain.packing.base import Hints

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

#: Keys at the top of a config, or of the nested text config.
KEYS: Final = ("quantization_config", "compression_config", "quantization", "quant_config")
NESTED: Final = ("", "text_config", "llm_config", "language_config", "thinker_config", "thinker_config.text_config")
#: Files beside the config.
FILES: Final = ("hf_quant_config.json", "quantize_config.json", "quant_config.json")
#: Where each tool lists the modules that it leaves alone.
SKIPPED: Final = (
    "modules_to_not_convert",
    "ignore",
    "ignored_layers",
    "exclude_modules",
    "exclude",
    "llm_int8_skip_modules",
    "skip_modules",
)
LARGEST: Final = 1 << 20
#: The formats whose names settle bits and group (NVFP4: 16; OCP microscaling: 32).
ALGORITHMS: Final[tuple[tuple[str, float, int | None], ...]] = (
    ("NVFP4", 4, 16),
    ("MXFP4", 4, 32),
    ("MXFP6", 6, 32),
    ("MXFP8", 8, 32),
    ("MXINT8", 8, 32),
    ("W4A8_AWQ", 4, 128),
    ("W4A16", 4, 128),
    ("INT4", 4, None),
    ("W8A8", 8, None),
    ("W8A16", 8, None),
    ("INT8", 8, None),
    ("FP8", 8, None),
)


class Declared(NamedTuple):
    """A quantization config.

    Attributes:
        method: as declared, or what its form gives away (``modelopt``, ``mlx``).
        bits: of one weight; None where groups of layers differ, or it is not said.
        group: weights that share a scale along the input; -1 where the config says so for whole rows; None unsaid.
        block: rows and columns of a block, or None.
        skipped: modules that it leaves alone, as written.
        path: dotted path in the config, or "".
        file: the file that it stands in, or "" for the config.
        raw: the object itself.
    """

    method: str | None
    bits: float | None
    group: int | None
    block: tuple[int, int] | None
    skipped: tuple[str, ...]
    path: str
    file: str
    raw: Mapping[str, object]

    @property
    def hints(self) -> Hints:
        """What readers of tensors need of it."""
        bits = int(self.bits) if self.bits is not None and float(self.bits).is_integer() and self.bits > 0 else None
        modules = {k: v for k, v in self.raw.items() if isinstance(v, dict)}
        layers = self.raw.get("config_for_layers")
        if isinstance(layers, dict):
            modules |= {k: v for k, v in layers.items() if isinstance(v, dict)}
        return Hints(
            (self.method or "").lower(),
            bits,
            self.group if self.group and self.group > 0 else None,
            modules,
            self.block,
        )


def declared(config: Mapping[str, object], extra: Mapping[str, object]) -> Declared | None:
    """The first quantization config found; None where none is declared."""
    for path, file, q in _places(config, extra):
        return _read(q, path, file)
    return None


def _places(
    config: Mapping[str, object], extra: Mapping[str, object]
) -> Iterator[tuple[str, str, Mapping[str, object]]]:
    for outer in NESTED:
        inner = walk(config, outer) if outer else config
        if isinstance(inner, dict):
            for key in KEYS:
                q = inner.get(key)
                if isinstance(q, dict) and q:
                    yield f"{outer}.{key}" if outer else key, "", q
    for file in FILES:
        q = extra.get(file)
        if isinstance(q, dict):
            inside = q.get("quantization")
            yield "", file, {"producer": q.get("producer"), **inside} if isinstance(inside, dict) else q


def _read(q: Mapping[str, object], path: str, file: str) -> Declared:
    method = _method(q, path, file)
    block = _block(q.get("weight_block_size"))
    bits, group = _numbers(q, method or "")
    if group is None and block is not None:
        group = block[1]
    lists = (x for k in SKIPPED if isinstance(x := q.get(k), list))
    skipped = tuple(n for n in next(lists, []) if isinstance(n, str))
    return Declared(method, bits, group, block, skipped, path, file, q)


def _method(q: Mapping[str, object], path: str, file: str) -> str | None:
    declared_method = q.get("quant_method") or q.get("method")
    if isinstance(declared_method, str):
        return declared_method
    producer = walk(q, "producer.name")
    if isinstance(producer, str):
        return producer
    if "quant_algo" in q:
        return "modelopt"
    if path.endswith("quantization") and "group_size" in q and "bits" in q:
        return "mlx"
    if q.get("load_in_4bit") is True or q.get("load_in_8bit") is True:
        return "bitsandbytes"
    if "config_groups" in q:
        return "compressed-tensors"
    if "w_bit" in q or "q_group_size" in q:
        return "awq"
    return "gptq" if file == "quantize_config.json" and "bits" in q else None


def _numbers(q: Mapping[str, object], method: str) -> tuple[float | None, int | None]:
    """(bits, group), from the method's own keys."""
    groups = q.get("config_groups")
    if isinstance(groups, dict) and groups:
        return _of_groups(groups)
    bits, group = (
        _bits(q, "bits", "w_bit", "nbits", "num_bits", "weight_bits"),
        _group(q, "group_size", "q_group_size", "hadamard_group_size"),
    )
    if bits is not None:
        return bits, group
    algorithm = q.get("quant_algo") or q.get("weights") or q.get("forward_dtype") or q.get("weight_dtype") or method
    if q.get("quant_algo") == "MIXED_PRECISION":
        return _mixed(q.get("quantized_layers"))
    if method == "bitsandbytes" or "load_in_4bit" in q:
        return (
            (4, None) if q.get("load_in_4bit") is True else (8, None) if q.get("load_in_8bit") is True else (None, None)
        )
    for own in (_hqq(q), _quark(q), _torchao(q), _aqlm(q)):
        if own is not None:
            return own
    if method in ("fbgemm_fp8", "finegrained_fp8", "eetq"):
        return 8, group
    if method == "bitnet":
        return 2, None
    if isinstance(algorithm, str):
        for name, wide, size in ALGORITHMS:
            if name in algorithm.upper().replace("-", "_"):
                return wide, group or size
    return None, group


def _of_groups(groups: Mapping[str, object]) -> tuple[float | None, int | None]:
    """compressed-tensors and modelopt: one entry for each set of layers; a number only where all agree."""
    weights = [w for g in groups.values() if isinstance(g, dict) and isinstance(w := g.get("weights"), dict)]
    found_bits = {_bits(w, "num_bits", "bits") for w in weights}
    found_groups = {
        _group(w, "group_size") or (b[1] if (b := _block(w.get("block_structure"))) else None) for w in weights
    }
    return (found_bits.pop() if len(found_bits) == 1 else None), (
        found_groups.pop() if len(found_groups) == 1 else None
    )


def _mixed(layers: object) -> tuple[float | None, int | None]:
    found = {
        next(((wide, size) for name, wide, size in ALGORITHMS if name in str(v.get("quant_algo"))), (None, None))
        for v in (layers.values() if isinstance(layers, dict) else ())
        if isinstance(v, dict)
    }
    return found.pop() if len(found) == 1 else (None, None)


def _hqq(q: Mapping[str, object]) -> tuple[float | None, int | None] | None:
    own = walk(q, "quant_config.weight_quant_params")
    return (_bits(own, "nbits"), _group(own, "group_size")) if isinstance(own, dict) else None


def _quark(q: Mapping[str, object]) -> tuple[float | None, int | None] | None:
    own = walk(q, "global_quant_config.weight")
    own = own[0] if isinstance(own, list) and own else own
    if not isinstance(own, dict):
        return None
    dtype = str(own.get("dtype", ""))
    digits = [c for c in dtype if c.isdigit()][:1]
    return (float(digits[0]) if digits else None), _group(own, "group_size")


def _torchao(q: Mapping[str, object]) -> tuple[float | None, int | None] | None:
    own = q.get("quant_type")
    if isinstance(own, str):
        kind, data = own, q.get("quant_type_kwargs")
    elif isinstance(own, dict):
        inner = own.get("default", own)
        kind, data = (str(inner.get("_type", "")), inner.get("_data")) if isinstance(inner, dict) else ("", None)
    else:
        return None
    lower = kind.lower().replace("_", "")
    bits = next(
        (
            b
            for mark, b in (
                ("int4", 4.0),
                ("int8", 8.0),
                ("float8", 8.0),
                ("fp8", 8.0),
                ("uint4", 4.0),
                ("nvfp4", 4.0),
                ("mx", None),
            )
            if mark in lower
        ),
        None,
    )
    return bits, (_group(data, "group_size") if isinstance(data, dict) else None)


def _aqlm(q: Mapping[str, object]) -> tuple[float | None, int | None] | None:
    numbers = [q.get(k) for k in ("nbits_per_codebook", "num_codebooks", "in_group_size", "out_group_size")]
    if not all(isinstance(n, int) and not isinstance(n, bool) and n > 0 for n in numbers):
        return None
    per, books, inner, outer = (n for n in numbers if isinstance(n, int))
    return per * books / (inner * outer), inner


def _bits(q: Mapping[str, object], *names: str) -> float | None:
    for name in names:
        n = q.get(name)
        if isinstance(n, (int, float)) and not isinstance(n, bool) and 0 < n <= 64:
            return float(n)
    return None


def _group(q: Mapping[str, object], *names: str) -> int | None:
    for name in names:
        n = q.get(name)
        if isinstance(n, int) and not isinstance(n, bool) and (1 < n <= LARGEST or n == -1):
            return n
    return None


def _block(raw: object) -> tuple[int, int] | None:
    if (
        isinstance(raw, list)
        and len(raw) == 2
        and all(isinstance(n, int) and not isinstance(n, bool) and 0 < n <= LARGEST for n in raw)
    ):
        return raw[0], raw[1]
    return None
