"""Quantized weights without their scales, and scales without their weights."""

from __future__ import annotations

import pytest

from cfgexplain.checkpoint import Checkpoint, Tensor
from models import sound
from test_packing import made, names, report, stored, written

#: A companion that a layout needs, by how its name ends.
NEEDED = (".scales", ".qzeros", ".g_idx", ".weight_scale", ".weight_scale_inv", ".SCB", ".weight.absmax", "_scales")
CASES = [
    (name, end) for name, row in written().items() for end in NEEDED if any(n.endswith(end) for n in row["header"])
]


def without(c: Checkpoint, *gone: str) -> Checkpoint:
    return c._replace(tensors=tuple(t for t in c.tensors or () if t.name not in gone))


@pytest.mark.parametrize("name", written())
def test_whole_checkpoints_lack_nothing(name: str) -> None:
    assert "missing-tensor" not in names(report(stored(name)))


@pytest.mark.parametrize(("name", "end"), CASES)
def test_one_lost_companion_is_named(name: str, end: str) -> None:
    c = stored(name)
    lost = [t.name for t in c.tensors or () if t.name.endswith(end)]
    if len(lost) < 4:
        pytest.skip("too few modules to tell a custom")
    r = report(without(c, lost[1]))
    found = [f for f in r["findings"] or [] if f["severity"] == "error"]
    assert [(f["name"], f["tensors"]) for f in found] == [("missing-tensor", [lost[1]])]


def test_scales_lost_everywhere() -> None:
    name = next(n for n, row in written().items() if any(t.endswith(".qweight") for t in row["header"]))
    c = stored(name)
    r = report(without(c, *(t.name for t in c.tensors or () if t.name.endswith(".scales"))))
    assert names(r) == ["missing-tensor"]


def test_block_scales_of_a_wrong_shape() -> None:
    config = {"model_type": "llama", "hidden_size": 512, "intermediate_size": 1024, "num_hidden_layers": 1,
              "num_attention_heads": 4, "vocab_size": 64, "rms_norm_eps": 1e-5,
              "quantization_config": {"quant_method": "fp8", "weight_block_size": [128, 128]}}
    header: dict[str, tuple[str, tuple[int, ...]]] = {}
    for n, shape in sound({k: v for k, v in config.items() if k != "quantization_config"}).items():
        if n.endswith("_proj.weight"):
            header[n] = ("F8_E4M3", shape)
            header[n + "_scale_inv"] = ("F32", tuple(-(-s // 128) for s in shape))
        else:
            header[n] = ("BF16", shape)
    assert names(report(made(header, config))) == []
    header["model.layers.0.mlp.up_proj.weight_scale_inv"] = ("F32", (1, 1))
    (f,) = [f for f in report(made(header, config))["findings"] or [] if f["severity"] == "error"]
    assert f["name"] == "quantization-group-mismatch"
    assert "128 × 128" in f["message"]
    assert "(none)" not in f["message"]


def test_a_tensor_without_a_weight_of_few_bits_is_no_companion() -> None:
    """Plain 8-bit weights with no scales anywhere are what they seem."""
    c = stored(next(iter(written())))
    norms = [t for t in c.tensors or () if t.name.endswith("norm.weight")]
    plain = tuple(Tensor(t.name, "I8", t.shape, t.nbytes, t.file) for t in norms)
    assert "missing-tensor" not in [
        f["name"] for f in report(c._replace(tensors=plain, config=None))["findings"] or []
    ]


def test_scales_of_a_lost_weight_count_as_no_parameters() -> None:
    name = next(n for n, row in written().items() if any(t.endswith(".qweight") for t in row["header"]))
    c = stored(name)
    lost = next(t.name for t in c.tensors or () if t.name.endswith(".qweight"))
    r = report(without(c, lost))
    found = [f for f in r["findings"] or [] if f["severity"] != "note"]
    assert [f["tensors"] for f in found] == [[lost]]
    left = [t for t in r["tensors"] or [] if t["name"].startswith(lost.removesuffix("qweight"))]
    assert left
    assert {(t["role"], t["params"]) for t in left if not t["name"].endswith("bias")} == {("quantization", 0)}


def test_a_packed_shape_is_told_with_the_one_in_the_file() -> None:
    name = next(n for n, row in written().items() if any(t.endswith(".qweight") for t in row["header"]))
    width = written()[name]["config"]["intermediate_size"]
    r = report(stored(name, intermediate_size=2 * width))
    (found,) = [f for f in r["findings"] or [] if f["name"] == "intermediate-size-mismatch"]
    assert "(packed as [" in found["message"]
