"""Writes a skeleton that ships inside the package, from a config whose numbers are published.

    python tools/make_example.py NAME CONFIG.json --dtype BF16 [--total N] [--base-names] [--buffer PATTERN DTYPE SHAPE]

The tensors follow from the family's table; ``--total`` refuses to write when they do not add up to the published
count of parameters. ``--base-names`` writes the names that the base model uses (as the published GPT-2 does), and
``--buffer`` adds a stored buffer. Run it in an environment where cfgexplain is installed.
"""

from __future__ import annotations

import argparse
import gzip
import json
import math
from pathlib import Path

from cfgexplain.checkpoint import Checkpoint, ConfigFile, Target, Tensor
from cfgexplain.dtypes import BITS
from cfgexplain.expand import expand, forms, settle
from cfgexplain.families.registry import find
from cfgexplain.fold import unfold
from cfgexplain.identify import class_of
from cfgexplain.sources.skeleton import dump_skeleton

EXAMPLES = Path(__file__).resolve().parent.parent / "src" / "cfgexplain" / "examples"


def _tensor(name: str, dtype: str, shape: tuple[int, ...]) -> Tensor:
    return Tensor(name, dtype, shape, math.prod(shape) * BITS[dtype] // 8, "model.safetensors")


def _stored(name: str, shape: tuple[int, ...], dtype: str, quantize: str | None) -> list[Tensor]:
    """How one parameter is stored: as it is, in FP8 with a scale for each 128 × 128, or in FP4 with one for each 32."""
    if quantize == "fp8-blocks" and len(shape) == 2 and "_proj" in name and "eh_proj" not in name:
        blocks = tuple(-(-n // 128) for n in shape)
        return [_tensor(name, "F8_E4M3", shape), _tensor(f"{name}_scale_inv", "F32", blocks)]
    if quantize == "mxfp4" and len(shape) == 3:
        experts, cols, rows = shape
        return [
            _tensor(f"{name}_blocks", "U8", (experts, rows, cols // 32, 16)),
            _tensor(f"{name}_scales", "U8", (experts, rows, cols // 32)),
        ]
    return [_tensor(name, dtype, shape)]


def main() -> None:
    """Builds one example."""
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("name")
    p.add_argument("config", type=Path)
    p.add_argument("--dtype", default="BF16")
    p.add_argument("--total", type=int)
    p.add_argument("--base-names", action="store_true")
    p.add_argument("--buffer", nargs=3, action="append", default=[], metavar=("PATTERN", "DTYPE", "SHAPE"))
    p.add_argument("--mtp", action="store_true", help="with the tensors of multi-token prediction")
    p.add_argument(
        "--quantize", choices=("fp8-blocks", "mxfp4"), help="the published layout of DeepSeek-V3, of gpt-oss"
    )
    p.add_argument("--form", action="append", default=[], metavar="GROUP=FORM")
    p.add_argument("--gz", action="store_true")
    a = p.parse_args()
    config = json.loads(a.config.read_text())
    family = find(config["model_type"])
    if family is None:
        raise SystemExit(f"no family for {config['model_type']}")
    settings = settle(family, config, class_of(family, config.get("architectures")))
    x = expand(settings)
    items = forms(x.items, dict(f.split("=") for f in a.form))
    tensors: list[Tensor] = []
    total = 0
    for e in items:
        wanted = e.slot.kind == "param" or (a.mtp and e.slot.kind == "optional" and e.role == "mtp")
        if not wanted or e.shape is None:
            continue
        total += (e.elements or 0) if e.role != "mtp" else 0
        for name in e.names():
            shown = name.removeprefix(family.base + ".") if a.base_names else name
            tensors.extend(_stored(shown, e.shape, a.dtype, a.quantize))
    for pattern, dtype, shape in a.buffer:
        sizes = tuple(int(n) for n in shape.split(",") if n)
        tensors.extend(_tensor(name, dtype, sizes) for name in unfold(pattern, 100_000))
    if a.total is not None and total != a.total:
        raise SystemExit(f"{a.name}: {total:,} parameters, published are {a.total:,}")
    c = Checkpoint(Target(a.name, "example"), ConfigFile("config.json", "", config), tuple(tensors))
    text = dump_skeleton(c)
    if a.gz:
        (EXAMPLES / f"{a.name}.json.gz").write_bytes(gzip.compress(text.encode(), mtime=0))
    else:
        (EXAMPLES / f"{a.name}.json").write_text(text)
    print(f"{a.name}: {total:,} parameters, {len(tensors):,} tensors, {len(text):,} bytes")


if __name__ == "__main__":
    main()
