"""What is quantized, as the config declares it and as the tensors show it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from cfgexplain.config import walk
from cfgexplain.fold import fold

if TYPE_CHECKING:
    from cfgexplain.logical import Row
    from cfgexplain.report import QuantFormatR, QuantizationR, QuantModuleR
    from cfgexplain.subject import Subject

#: Roles whose elements are no parameters.
NO_PARAMETERS: Final = frozenset({"buffer", "quantization"})
#: Begins the segment that stands for every expert while names are folded.
ALL: Final = "\0"
#: Patterns shown per format: a table, not a listing.
MOST_PATTERNS: Final = 64


def quantization(s: Subject) -> QuantizationR | None:
    """Method, bits and group size; which modules are in which format; bits stored for each parameter.

    The config is believed where it says something; what it leaves out comes from the tensors. Bits for each parameter
    are all stored bits, scales and unquantized tensors too, over all logical parameters.
    """
    said = s.declared
    found = list(s.packing.found.values()) if s.packing else []
    if said is None and not found:
        return None
    layouts = {p.layout for p in found}
    bits = {p.bits for p in found}
    groups = {p.group for p in found}
    method = said.method if said else None
    declared_bits, group = (said.bits, said.group) if said else (None, None)
    if method is None and len(layouts) == 1:
        method = next(iter(layouts))
    if declared_bits is None and len(bits) == 1:
        declared_bits = next(iter(bits))
    if group is None and len(groups) == 1:
        group = next(iter(groups))
    formats = _formats(s)
    return {
        "method": method,
        "bits": float(declared_bits) if declared_bits is not None else None,
        "group_size": group,
        "block_size": _block(s),
        "modules": _modules(s),
        "formats": formats,
        "bits_per_parameter": _average(formats),
    }


def _block(s: Subject) -> list[int] | None:
    """Rows and columns that share a scale, where blocks and not groups along a row do."""
    for config in (s.top.config, s.main.config):
        found = walk(config, "quantization_config.weight_block_size")
        if isinstance(found, list) and len(found) == 2 and all(type(n) is int and 0 < n < 1 << 20 for n in found):
            return list(found)
    return None


def _modules(s: Subject) -> list[QuantModuleR]:
    """Every matrix by its format, names folded; without tensors, what the config says is left alone."""
    if s.match is None:
        skipped = s.declared.skipped if s.declared else ()
        return [{"pattern": p, "format": "not quantized"} for p in fold(skipped)[:MOST_PATTERNS]]
    formats: dict[str, list[str]] = {}
    experts: dict[tuple[str, int], list[Row]] = {}
    for r in s.match.rows:
        if r.packed is not None:
            word = r.packed.format
        elif r.role not in NO_PARAMETERS and len(r.shape) >= 2 and not r.name.endswith("bias"):
            word = r.tensor.dtype.lower()
        else:
            continue
        if r.item is not None and (r.item.experts or 0) > 1 and not r.item.labels:
            experts.setdefault((word, id(r.item)), []).append(r)
        else:
            formats.setdefault(word, []).append(r.name.removesuffix(".weight"))
    for (word, _), rows in experts.items():
        item = rows[0].item
        # All experts of one matrix in one format: one name, with a segment that no name has in the place of the number.
        whole = item is not None and len(rows) == item.experts
        names = [item.name.replace("{e}", f"{ALL}{len(rows)}")] if item and whole else [r.name for r in rows]
        formats.setdefault(word, []).extend(n.removesuffix(".weight") for n in names)
    return [
        {"pattern": _spelled(pattern), "format": word}
        for word, names in formats.items()
        for pattern in fold(names)[:MOST_PATTERNS]
    ]


def _spelled(pattern: str) -> str:
    """With ranges in the place of ``ALL``."""
    if ALL not in pattern:
        return pattern
    segments = [
        f"{{0-{int(x.removeprefix(ALL)) - 1}}}" if x.startswith(ALL) else x for x in pattern.split(".")
    ]
    return ".".join(segments)


def _formats(s: Subject) -> list[QuantFormatR]:
    """Logical tensors, parameters and stored bytes by format; the bytes of scales go with the weights they serve."""
    if s.match is None:
        return []
    names = s.packing.names if s.packing else ()
    companions = s.packing.companions if s.packing else {}
    words = [None if r.packed is None else r.packed.format for r in s.match.rows]
    owners = {name: word for name, word in zip(names, words, strict=False) if word is not None}
    # Of a hundred thousand tensors few are of a sort of their own.
    sorts = Counter(
        (word or owners.get(companions.get(k, "")), r.tensor.dtype, k in companions, r.tensor.nbytes, r.params)
        for k, (r, word) in enumerate(zip(s.match.rows, words, strict=True))
    )
    found: dict[str, QuantFormatR] = {}
    for (known, dtype, serves, nbytes, params), n in sorts.items():
        word = known or dtype.lower()
        row = found.setdefault(word, {"format": word, "tensors": 0, "params": 0, "bytes": 0})
        row["tensors"] += 0 if serves else n
        row["bytes"] += nbytes * n
        row["params"] = None if row["params"] is None or params is None else row["params"] + params * n
    return sorted(found.values(), key=lambda row: -row["bytes"])


def _average(formats: list[QuantFormatR]) -> float | None:
    sizes, counts = [f["bytes"] for f in formats], [f["params"] for f in formats]
    total = sum(n for n in counts if n is not None)
    return 8 * sum(sizes) / total if total and None not in counts else None
