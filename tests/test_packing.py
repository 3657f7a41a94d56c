"""Quantized weights as what they stand for: each layout beside its unquantized twin.

Two kinds of evidence. ``WRITTEN``: headers that the real libraries wrote (fixtures/quantized, with versions).
``SPECIFIED``: layouts that no library wrote here, built below from the published description named at each.
"""

from __future__ import annotations

import gzip
import json
import math
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from cfgexplain.checkpoint import Checkpoint, ConfigFile, Index, Target, Tensor
from cfgexplain.dtypes import BITS
from cfgexplain.inspect import Wanted, inspect, subject

if TYPE_CHECKING:
    from collections.abc import Callable

    from cfgexplain.report import Report

FILE = Path(__file__).resolve().parent.parent / "fixtures" / "quantized" / "headers.jsonl.gz"
Header = dict[str, tuple[str, tuple[int, ...]]]


@cache
def written() -> dict[str, dict[str, Any]]:
    """Every stored header by name."""
    with gzip.open(FILE, "rt", encoding="utf-8") as f:
        return {row["name"]: row for row in map(json.loads, f)}


def stored(name: str, **config: object) -> Checkpoint:
    """A checkpoint as a library wrote it."""
    row = written()[name]
    tensors = tuple(Tensor(n, d, tuple(s), size, "model.safetensors") for n, (d, s, size) in row["header"].items())
    return Checkpoint(Target(name, "directory"), ConfigFile("config.json", "", {**row["config"], **config}), tensors)


def made(header: Header, config: dict[str, Any], **more: Any) -> Checkpoint:
    """A checkpoint from names, dtypes and shapes."""
    tensors = tuple(
        Tensor(n, d, s, (BITS[d] * math.prod(s) + 7) // 8, "model.safetensors") for n, (d, s) in header.items()
    )
    return Checkpoint(Target("made", "directory"), ConfigFile("config.json", "", config), tensors, **more)


def report(c: Checkpoint) -> Report:
    return inspect(c, Wanted(tensors=True, explanations=False))


def names(r: Report) -> list[str]:
    """Findings beyond notes."""
    return [f["name"] for f in r["findings"] or [] if f["severity"] != "note"]


def same_as_twin(r: Report) -> None:
    """Logical parameters equal the unquantized twin's, in total and by role, and nothing is reported."""
    twin = report(stored("twin"))["params"]
    found = r["params"]
    assert found is not None
    assert twin is not None
    assert found["total"] == twin["total"] == 1639680
    assert {k: n for k, n in (found["by_role"] or {}).items() if n} == twin["by_role"]
    assert names(r) == []


# --- written by the real libraries ---

WRITTEN = {  # name → method, bits, group size
    "aqlm": ("aqlm", 2, 8),
    "awq-gemm": ("awq", 4, 128),
    "awq-gemv": ("awq", 4, 128),
    "bnb-fp4": ("bitsandbytes", 4, 64),
    "bnb-nf4": ("bitsandbytes", 4, 64),
    "ct-fp8": ("compressed-tensors", 8, None),
    "ct-fp8-block": ("compressed-tensors", 8, 128),
    "ct-int8": ("compressed-tensors", 8, None),
    "ct-mxfp4": ("compressed-tensors", 4, 32),
    "ct-naive": ("compressed-tensors", 8, None),
    "ct-nvfp4": ("compressed-tensors", 4, 16),
    "ct-pack4": ("compressed-tensors", 4, 128),
    "ct-pack4-asym": ("compressed-tensors", 4, 64),
    "ct-pack8": ("compressed-tensors", 8, None),
    "gptq-2": ("gptq", 2, 128),
    "gptq-3": ("gptq", 3, 128),
    "gptq-4": ("gptq", 4, 128),
    "gptq-8": ("gptq", 8, 128),
    "hqq-2": ("hqq", 2, 16),
    "hqq-3": ("hqq", 3, 64),
    "hqq-4": ("hqq", 4, 64),
    "hqq-8": ("hqq", 8, 128),
    "mlx-affine-3-g64": ("mlx", 3, 64),
    "mlx-affine-4-g64": ("mlx", 4, 64),
    "mlx-affine-6-g64": ("mlx", 6, 64),
    "mlx-affine-8-g32": ("mlx", 8, 32),
    "mlx-mxfp4-4-g32": ("mlx", 4, 32),
    "mlx-mxfp8-8-g32": ("mlx", 8, 32),
    "mlx-nvfp4-4-g16": ("mlx", 4, 16),
    "modelopt-fp8": ("modelopt", 8, None),
    "modelopt-int4awq": ("modelopt", 4, 128),
    "modelopt-nvfp4": ("modelopt", 4, 16),
    "quanto-fp8": ("quanto", 8, None),
    "quanto-int4": ("quanto", 4, None),
    "quanto-int8": ("quanto", 8, None),
    "torchao-fp8": ("torchao", 8, None),
    "torchao-int8": ("torchao", 8, None),
    "torchao-int8-v2": ("torchao", 8, None),
    "torchao-intx4": ("torchao", 8, None),
    "vptq": ("vptq", 2, None),
}


def test_every_written_header_is_expected() -> None:
    assert set(written()) == {"twin", *WRITTEN}


@pytest.mark.parametrize("name", WRITTEN)
def test_written_by_the_library(name: str) -> None:
    r = report(stored(name))
    same_as_twin(r)
    q = r["quantization"]
    assert q is not None
    assert (q["method"], q["bits"], q["group_size"]) == WRITTEN[name]


@pytest.mark.parametrize("name", WRITTEN)
def test_what_is_stored_is_counted_as_stored(name: str) -> None:
    """Three numbers: logical parameters, stored elements, bytes; companions under their own role, no parameters."""
    c = stored(name)
    r = report(c)
    p = r["params"]
    assert p is not None
    assert p["stored_by_role"] is not None
    assert p["bytes"] == sum(t.nbytes for t in c.tensors or ())
    assert p["stored_elements"] == sum(math.prod(t.shape) for t in c.tensors or ())
    assert p["stored_by_role"]["quantization"]["bytes"] > 0
    assert sum(x["bytes"] for x in p["stored_by_role"].values()) == p["bytes"]
    assert all(t["params"] == 0 for t in r["tensors"] or () if t["role"] == "quantization")
    assert "unclassified" not in p["stored_by_role"]


#: Layouts whose header shows every shape: the FFN's width comes from the tensors, whatever the config says.
SHAPED = [n for n in WRITTEN if not n.startswith(("bnb", "hqq", "vptq", "quanto-int4"))]


@pytest.mark.parametrize("name", SHAPED)
def test_a_wrong_width_is_seen_through_packing(name: str) -> None:
    found = names(report(stored(name, intermediate_size=704)))
    assert "intermediate-size-mismatch" in found
    assert not {"unexpected-tensor", "unexpected-bias", "missing-tensor", "incomplete-ffn"} & set(found)


@pytest.mark.parametrize("name", ["bnb-nf4", "hqq-3", "hqq-4", "quanto-int4"])
def test_a_width_that_the_number_of_weights_forbids_is_seen(name: str) -> None:
    """Where only the number of weights shows, the one axis that can make it up is to blame."""
    assert names(report(stored(name, intermediate_size=704))) == ["intermediate-size-mismatch"]


@pytest.mark.parametrize(
    "name", ["gptq-4", "awq-gemm", "ct-pack4", "mlx-affine-4-g64", "modelopt-nvfp4", "bnb-nf4", "torchao-int8"]
)
def test_an_unknown_family_counts_the_same(name: str) -> None:
    c = stored(name, model_type="nobody-knows", architectures=["NobodyForCausalLM"])
    p = report(c)["params"]
    assert p is not None
    assert p["total"] == 1639680


def test_no_layout_is_tried_on_an_unquantized_checkpoint() -> None:
    assert subject(stored("twin")).packing is None


def test_modules_are_listed_by_format() -> None:
    q = report(stored("gptq-4"))["quantization"]
    assert q is not None
    formats = {m["pattern"]: m["format"] for m in q["modules"]}
    assert formats["model.layers.{0-1}.mlp.down_proj"] == "gptq-int4-g128"
    assert formats["lm_head"] == "bf16"
    assert q["bits_per_parameter"] == pytest.approx(6.14, abs=0.01)


# --- built from published descriptions ---


def linears(change: Callable[[str, int, int], Header]) -> Header:
    """The twin with every linear layer of its blocks replaced: module, out, in → its tensors."""
    out: Header = {}
    for n, (dtype, shape, _) in written()["twin"]["header"].items():
        if ".layers." in n and len(shape) == 2:
            out |= change(n.removesuffix(".weight"), *shape)
        else:
            out[n] = (dtype, tuple(shape))
    return out


def config(q: dict[str, Any] | None) -> dict[str, Any]:
    c = dict(written()["twin"]["config"])
    return c if q is None else {**c, "quantization_config": q}


def fbgemm(m: str, o: int, i: int) -> Header:
    """transformers integrations/fbgemm_fp8.py: weight [out, in], weight_scale [out, 1]."""
    return {
        f"{m}.weight": ("F8_E4M3", (o, i)),
        f"{m}.weight_scale": ("F32", (o, 1)),
        f"{m}.input_scale_ub": ("F32", (1,)),
    }


def fp8_blocks(m: str, o: int, i: int) -> Header:
    """DeepSeek-V3's published files: weight_scale_inv [ceil(out/128), ceil(in/128)]."""
    return {f"{m}.weight": ("F8_E4M3", (o, i)), f"{m}.weight_scale_inv": ("F32", (-(-o // 128), -(-i // 128)))}


def fp8_static(m: str, o: int, i: int) -> Header:
    """AutoFP8: a scale for each tensor, one for its input, and the cache's scales."""
    cache_scale: Header = {f"{m}.{m[-6]}_scale": ("F32", ())} if m.endswith(("k_proj", "v_proj")) else {}
    return {
        f"{m}.weight": ("F8_E4M3", (o, i)),
        f"{m}.weight_scale": ("BF16", (1,)),
        f"{m}.input_scale": ("BF16", (1,)),
        **cache_scale,
    }


def bnb8(m: str, o: int, i: int) -> Header:
    """bitsandbytes LLM.int8(): weight I8 [out, in], SCB [out], weight_format."""
    return {f"{m}.weight": ("I8", (o, i)), f"{m}.SCB": ("F32", (o,)), f"{m}.weight_format": ("U8", ())}


def bnb4_bf16(m: str, o: int, i: int) -> Header:
    """bitsandbytes with bnb_4bit_quant_storage=bfloat16: the same bytes, four weights to an element."""
    return {
        f"{m}.weight": ("BF16", (o * i // 4, 1)),
        f"{m}.weight.absmax": ("F32", (o * i // 64,)),
        f"{m}.weight.quant_map": ("F32", (16,)),
        f"{m}.weight.quant_state.bitsandbytes__nf4": ("U8", (80,)),
    }


def eetq(m: str, o: int, i: int) -> Header:
    """transformers integrations/eetq.py: weight I8 [in, out], weight_scales [out]."""
    return {f"{m}.weight": ("I8", (i, o)), f"{m}.weight_scales": ("F16", (o,))}


def exl2(m: str, o: int, i: int) -> Header:
    """ExLlamaV2: q_weight in rows of mixed bits, a permutation of the input, scales of eight to a word."""
    return {
        f"{m}.q_weight": ("I32", (i * 5 // 32, o)),
        f"{m}.q_scale": ("I32", (i // 32, o // 8)),
        f"{m}.q_scale_max": ("F16", (i // 32,)),
        f"{m}.q_groups": ("I16", (2 * (i // 32),)),
        f"{m}.q_invperm": ("I16", (i,)),
    }


def exl3(m: str, o: int, i: int) -> Header:
    """ExLlamaV3: trellis [in/16, out/16, 16*bits], suh [in], svh [out]."""
    return {
        f"{m}.trellis": ("I16", (i // 16, o // 16, 48)),
        f"{m}.suh": ("F16", (i,)),
        f"{m}.svh": ("F16", (o,)),
        f"{m}.mcg": ("I32", ()),
    }


def spqr(m: str, o: int, i: int) -> Header:
    """SpQR (Dettmers et al. 2023; spqr_quant): dense tiles, sparse outliers; no size shows."""
    return {
        f"{m}.dense_weights": ("I64", (o * i // 16,)),
        f"{m}.row_offsets": ("I32", (o + 1,)),
        f"{m}.col_vals": ("I32", (o * 3,)),
        f"{m}.in_perm": ("I64", (i,)),
    }


def quark_mxfp4(m: str, o: int, i: int) -> Header:
    """AMD Quark MXFP4: weight U8 [out, in/2], weight_scale U8 [out, in/32]."""
    return {f"{m}.weight": ("U8", (o, i // 2)), f"{m}.weight_scale": ("U8", (o, i // 32))}


def quark_int4(m: str, o: int, i: int) -> Header:
    """AMD Quark int4, order as AWQ: weight I32 [in, out/8], weight_scale [in/128, out]."""
    return {
        f"{m}.weight": ("I32", (i, o // 8)),
        f"{m}.weight_scale": ("F16", (i // 128, o)),
        f"{m}.weight_zero_point": ("I32", (i // 128, o // 8)),
    }


def gptq_without_order(m: str, o: int, i: int) -> Header:
    """GPTQ as some exporters write it: no g_idx."""
    return {
        f"{m}.qweight": ("I32", (i // 8, o)),
        f"{m}.qzeros": ("I32", (i // 128, o // 8)),
        f"{m}.scales": ("F16", (i // 128, o)),
    }


def bitnet(m: str, o: int, i: int) -> Header:
    """BitNet b1.58 packed: weight U8 [out/4, in], one scale (transformers integrations/bitnet.py)."""
    return {f"{m}.weight": ("U8", (o // 4, i)), f"{m}.weight_scale": ("BF16", (1,))}


def sparse_mask(m: str, o: int, i: int) -> Header:
    """compressed-tensors sparse-bitmask: kept values, a bit for each place."""
    return {
        f"{m}.weight.compressed": ("BF16", (o * i // 2,)),
        f"{m}.weight.bitmask": ("U8", (o, -(-i // 8))),
        f"{m}.weight.shape": ("I64", (2,)),
        f"{m}.weight.row_offsets": ("I64", (o,)),
    }


def torchao_int4(m: str, o: int, i: int) -> Header:
    """torchao Int4Tensor: qdata I8 [out, in/2], scale and zero_point [in/128, out]; named by its exporter."""
    head, _, leaf = f"{m}.weight".rpartition(".")
    scales: Header = {f"{head}._{leaf}_{x}": ("BF16", (i // 128, o)) for x in ("scale", "zero_point")}
    return {f"{head}._{leaf}_qdata": ("I8", (o, i // 2)), **scales}


def torchao_tiles(m: str, o: int, i: int) -> Header:
    """torchao Int4TilePackedTo4dTensor: padded to 1024 inputs, qdata I32 [out/8, in/128, 32, 4], both scales in one."""
    wide = -(-i // 1024) * 1024
    return {
        f"{m}._weight_qdata": ("I32", (o // 8, wide // 128, 32, 4)),
        f"{m}._weight_scale_and_zero": ("BF16", (wide // 128, o, 2)),
    }


def torchao_words(m: str, o: int, i: int) -> Header:
    """torchao Int4PlainInt32Tensor: qdata I32 [out, in/8], scale [in/128, out], zero_point I8 alike."""
    return {
        f"{m}._weight_qdata": ("I32", (o, i // 8)),
        f"{m}._weight_scale": ("BF16", (i // 128, o)),
        f"{m}._weight_zero_point": ("I8", (i // 128, o)),
    }


TORCHAO: dict[str, Any] = {
    "quant_method": "torchao",
    "quant_type": {"default": {"_type": "Int4WeightOnlyConfig", "_data": {"group_size": 128}, "_version": 2}},
}
SPECIFIED: dict[str, tuple[Callable[[str, int, int], Header], dict[str, Any]]] = {
    "fbgemm": (fbgemm, {"quant_method": "fbgemm_fp8", "activation_scale_ub": 1200.0}),
    "fp8-blocks": (fp8_blocks, {"quant_method": "fp8", "weight_block_size": [128, 128]}),
    "fp8-static": (fp8_static, {"quant_method": "fp8", "activation_scheme": "static", "kv_cache_scheme": "static"}),
    "bnb-int8": (bnb8, {"quant_method": "bitsandbytes", "load_in_8bit": True}),
    "bnb-nf4-bf16": (bnb4_bf16, {"quant_method": "bitsandbytes", "load_in_4bit": True}),
    "eetq": (eetq, {"quant_method": "eetq", "weights": "int8"}),
    "exl2": (exl2, {"quant_method": "exl2", "bits": 5.0}),
    "exl3": (exl3, {"quant_method": "exl3", "bits": 3.0}),
    "spqr": (spqr, {"quant_method": "spqr", "bits": 3, "beta1": 16, "beta2": 16}),
    "quark-mxfp4": (
        quark_mxfp4,
        {"quant_method": "quark", "global_quant_config": {"weight": {"dtype": "fp4", "group_size": 32}}},
    ),
    "quark-int4": (
        quark_int4,
        {"quant_method": "quark", "global_quant_config": {"weight": {"dtype": "int4", "group_size": 128}}},
    ),
    "auto-round": (
        gptq_without_order,
        {"quant_method": "auto-round", "bits": 4, "group_size": 128, "packing_format": "auto_round:auto_gptq"},
    ),
    "bitnet": (bitnet, {"quant_method": "bitnet"}),
    "torchao-int4": (torchao_int4, TORCHAO),
    "torchao-int4-tiles": (torchao_tiles, TORCHAO),
    "torchao-int4-words": (torchao_words, TORCHAO),
    "sparse-bitmask": (
        sparse_mask,
        {"quant_method": "compressed-tensors", "format": "dense", "sparsity_config": {"format": "sparse-bitmask"}},
    ),
}


@pytest.mark.parametrize("name", SPECIFIED)
def test_built_from_its_description(name: str) -> None:
    change, q = SPECIFIED[name]
    same_as_twin(report(made(linears(change), config(q))))


def test_what_cannot_be_known_is_null_and_bytes_stay_exact() -> None:
    """SpQR without a table: no size shows anywhere."""
    c = made(linears(spqr), {**config(SPECIFIED["spqr"][1]), "model_type": "nobody-knows"})
    p = report(c)["params"]
    assert p is not None
    assert p["total"] is None
    assert p["bytes"] == sum(t.nbytes for t in c.tensors or ())


# --- published numbers ---

LLAMA: dict[str, Any] = {
    "model_type": "llama",
    "architectures": ["LlamaForCausalLM"],
    "hidden_size": 4096,
    "intermediate_size": 11008,
    "num_hidden_layers": 1,
    "num_attention_heads": 32,
    "num_key_value_heads": 32,
    "vocab_size": 32000,
    "rms_norm_eps": 1e-5,
    "quantization_config": {"bits": 4, "group_size": 128},
}


@pytest.mark.parametrize(
    ("tensor", "shape"),
    [
        ("gate_proj.qweight", (512, 11008)),
        ("gate_proj.qweight", (4096, 1376)),
        ("gate_proj.weight_packed", (11008, 512)),
        ("down_proj.qweight", (1376, 4096)),
    ],
)
@pytest.mark.parametrize(("width", "expected"), [(11008, False), (14336, True)])
def test_packed_matrices_decode_without_their_scales(
    tensor: str, shape: tuple[int, ...], width: int, expected: bool
) -> None:
    """onnxruntime/mobius#155: GPTQ packs the input, AWQ the output, compressed-tensors the input of [out, in]."""
    c = made({f"model.layers.0.mlp.{tensor}": ("I32", shape)}, {**LLAMA, "intermediate_size": width})
    m = subject(c).match
    assert m is not None
    assert sorted(m.rows[0].shape) == [4096, 11008]
    assert ("intermediate-size-mismatch" in names(report(c))) is expected


def test_kimi_keeps_its_config_in_text_config() -> None:
    """huggingface.js#2003: bits stand in text_config.quantization_config.config_groups."""
    q = {
        "quant_method": "compressed-tensors",
        "format": "pack-quantized",
        "config_groups": {"group_0": {"weights": {"num_bits": 4, "type": "int", "group_size": 32}}},
    }
    p = "language_model.model.layers.1.mlp.experts.0.gate_proj."
    c = made(
        {
            p + "weight_packed": ("I32", (2048, 896)),
            p + "weight_shape": ("I32", (2,)),
            p + "weight_scale": ("BF16", (2048, 224)),
        },
        {"model_type": "kimi_k25", "text_config": {"model_type": "kimi_k2", "quantization_config": q}},
    )
    r = report(c)
    assert [t["params"] for t in r["tensors"] or ()] == [2048 * 7168, 0, 0]
    assert r["quantization"] is not None
    assert (r["quantization"]["bits"], r["quantization"]["group_size"]) == (4, 32)


def plain(c: dict[str, Any]) -> list[tuple[str, tuple[int, ...]]]:
    """What the architecture stores unquantized."""
    x = subject(Checkpoint(Target("plain", "directory"), ConfigFile("config.json", "", c)))
    from cfgexplain.expand import forms

    return [
        (n, e.shape)
        for e in forms(x.expansion.items, {})
        if e.slot.kind == "param"
        for n in e.names()
        if e.shape is not None
    ]


@pytest.mark.parametrize(("layers", "experts", "total"), [(24, 32, 20_914_757_184), (36, 128, 116_829_156_672)])
def test_gpt_oss_from_its_mxfp4_header(layers: int, experts: int, total: int) -> None:
    """The published layout: blocks U8 [experts, out, in/32, 16], scales U8 (OpenAI 2025, gpt-oss model card)."""
    c = {
        "model_type": "gpt_oss",
        "architectures": ["GptOssForCausalLM"],
        "hidden_size": 2880,
        "intermediate_size": 2880,
        "num_hidden_layers": layers,
        "num_local_experts": experts,
        "num_experts_per_tok": 4,
        "vocab_size": 201088,
        "num_attention_heads": 64,
        "num_key_value_heads": 8,
        "head_dim": 64,
        "rms_norm_eps": 1e-5,
        "tie_word_embeddings": False,
        "quantization_config": {
            "quant_method": "mxfp4",
            "modules_to_not_convert": ["model.layers.*.self_attn", "lm_head"],
        },
    }
    header: Header = {}
    for n, s in plain(c):
        if n.endswith(("gate_up_proj", "down_proj")):
            header |= {
                n + "_blocks": ("U8", (s[0], s[2], s[1] // 32, 16)),
                n + "_scales": ("U8", (s[0], s[2], s[1] // 32)),
            }
        else:
            header[n] = ("BF16", s)
    r = report(made(header, c))
    assert r["params"] is not None
    assert r["params"]["total"] == total
    assert names(r) == []
    if layers == 24:
        assert r["params"]["bytes"] == 13_761_264_768
        assert r["params"]["by_role"] is not None
        assert r["params"]["by_role"]["experts"] + r["params"]["by_role"]["router"] == 19_119_145_728


def test_llama_405b_fp8() -> None:
    """meta-llama's FBGEMM release: only the feed-forward blocks are FP8."""
    c = {
        **LLAMA,
        "hidden_size": 16384,
        "intermediate_size": 53248,
        "num_hidden_layers": 126,
        "num_attention_heads": 128,
        "num_key_value_heads": 8,
        "vocab_size": 128256,
        "tie_word_embeddings": False,
        "quantization_config": {"quant_method": "fbgemm_fp8"},
    }
    header: Header = {}
    for n, s in plain(c):
        header |= fbgemm(n.removesuffix(".weight"), *s) if ".mlp." in n else {n: ("BF16", s)}
    r = report(made(header, c))
    assert r["params"] is not None
    assert r["params"]["total"] == 405_853_388_800
    assert names(r) == []


def test_deepseek_v3_fp8() -> None:
    """671,026,404,352 without the prediction module and without the 58 correction biases of 256."""
    c = {
        "model_type": "deepseek_v3",
        "architectures": ["DeepseekV3ForCausalLM"],
        "hidden_size": 7168,
        "intermediate_size": 18432,
        "moe_intermediate_size": 2048,
        "num_hidden_layers": 61,
        "num_attention_heads": 128,
        "num_key_value_heads": 128,
        "n_routed_experts": 256,
        "n_shared_experts": 1,
        "num_experts_per_tok": 8,
        "first_k_dense_replace": 3,
        "moe_layer_freq": 1,
        "q_lora_rank": 1536,
        "kv_lora_rank": 512,
        "qk_nope_head_dim": 128,
        "qk_rope_head_dim": 64,
        "v_head_dim": 128,
        "vocab_size": 129280,
        "tie_word_embeddings": False,
        "rms_norm_eps": 1e-6,
        "quantization_config": {"quant_method": "fp8", "fmt": "e4m3", "weight_block_size": [128, 128]},
    }
    header: Header = {}
    for n, s in plain(c):
        if len(s) == 2 and "_proj" in n:
            header |= fp8_blocks(n.removesuffix(".weight"), *s)
        else:
            header[n] = ("BF16", s)
    r = report(made(header, c))
    assert r["params"] is not None
    assert r["params"]["total"] == 671_026_404_352
    assert names(r) == []


def test_mlx_counts_weights_and_not_words() -> None:
    """hub-docs#2704 in small: 8-bit U32 words are four weights, scales and biases none."""
    r = report(stored("mlx-affine-8-g32"))
    p = r["params"]
    assert p is not None
    assert p["by_dtype"] is not None
    assert p["by_dtype"]["U32"] * 4 + 1280 == p["total"]
    assert r["bias"] is not None
    assert r["bias"]["unexpected"] == []


def test_zero_filled_biases_of_gptq_exporters() -> None:
    """optimum#1827: one finding over all projections, with the exporter's hint."""
    header: Header = {n: (d, tuple(s)) for n, (d, s, _) in written()["gptq-4"]["header"].items()}
    for n, (_, s) in list(header.items()):
        if n.endswith(".qweight"):
            header[n.removesuffix("qweight") + "bias"] = ("F16", (s[1],))
    found = report(made(header, written()["gptq-4"]["config"]))["findings"] or []
    assert [f["name"] for f in found if f["severity"] != "note"] == ["unexpected-bias"]
    assert "zero" in found[0]["hint"]


# --- faults ---


def only(r: Report) -> tuple[str, str | None]:
    (f,) = [f for f in r["findings"] or [] if f["severity"] != "note"]
    return f["name"], f["pointer"]


def test_a_group_of_another_size_than_declared() -> None:
    q = {**written()["gptq-4"]["config"]["quantization_config"], "group_size": 64}
    assert only(report(stored("gptq-4", quantization_config=q)))[0] == "quantization-group-mismatch"


def test_a_group_that_does_not_divide_a_width() -> None:
    def change(m: str, o: int, i: int) -> Header:
        groups = -(-i // 96)
        return {
            f"{m}.qweight": ("I32", (i // 8, o)),
            f"{m}.qzeros": ("I32", (groups, o // 8)),
            f"{m}.scales": ("F16", (groups, o)),
            f"{m}.g_idx": ("I32", (i,)),
        }

    r = report(made(linears(change), config({"quant_method": "gptq", "bits": 4, "group_size": 96})))
    assert only(r) == ("quantization-group-mismatch", "/quantization_config/group_size")


def test_a_group_that_does_not_divide_by_the_config_alone() -> None:
    c = Checkpoint(
        Target("x", "directory"),
        ConfigFile(
            "config.json",
            "",
            {
                **LLAMA,
                "intermediate_size": 11000,
                "quantization_config": {"quant_method": "awq", "bits": 4, "group_size": 128},
            },
        ),
    )
    assert only(report(c)) == ("quantization-group-mismatch", "/intermediate_size")


def test_a_quantization_config_over_plain_weights() -> None:
    c = stored("twin", quantization_config={"quant_method": "gptq", "bits": 4, "group_size": 128})
    assert only(report(c)) == ("quantization-config-mismatch", "/quantization_config")


def test_quantized_weights_without_a_config() -> None:
    c = made(linears(gptq_without_order), config(None))
    assert only(report(c))[0] == "quantization-config-mismatch"


def test_the_config_in_a_file_beside_it() -> None:
    """modelopt and old AutoGPTQ: config.json says nothing, hf_quant_config.json or quantize_config.json does."""
    c = made(linears(gptq_without_order), config(None), extra={"quantize_config.json": {"bits": 4, "group_size": 128}})
    r = report(c)
    same_as_twin(r)
    assert r["quantization"] is not None
    assert (r["quantization"]["method"], r["quantization"]["bits"], r["quantization"]["group_size"]) == ("gptq", 4, 128)


def test_other_bits_than_declared() -> None:
    q = {**written()["mlx-affine-8-g32"]["config"]["quantization"], "bits": 4}
    c = stored("mlx-affine-8-g32", quantization=q, quantization_config=q)
    assert "quantization-config-mismatch" in names(report(c))


@pytest.mark.parametrize(
    ("declared", "expected"),
    [(1639680, []), (1_700_000, []), (451_000, ["index-total-parameters"]), (0, ["index-total-parameters"])],
)
def test_a_declared_total_that_cannot_be(declared: int, expected: list[str]) -> None:
    c = stored("mlx-affine-4-g64")
    index = Index(
        "model.safetensors.index.json", {t.name: t.file for t in c.tensors or ()}, None, {"total_parameters": declared}
    )
    assert (
        names(
            report(
                made(
                    {t.name: (t.dtype, t.shape) for t in c.tensors or ()},
                    dict(c.config.value) if c.config else {},
                    index=index,
                )
            )
        )
        == expected
    )


# --- the reported cases, as they were reported ---


def test_new_dtypes_in_one_header(tmp_path: Path) -> None:
    """safetensors#839, candle#2875, hf-mem#58: F4 counts elements and not bytes; a dtype that nobody knows is noted."""
    from cfgexplain.sources import open_target
    from cfgexplain.sources.options import Options

    header = {
        "w": {"dtype": "F4", "shape": [2, 8], "data_offsets": [0, 8]},
        "s": {"dtype": "F8_E8M0", "shape": [1], "data_offsets": [8, 9]},
        "z": {"dtype": "F7_NEW", "shape": [3], "data_offsets": [9, 12]},
    }
    raw = json.dumps(header).encode()
    (tmp_path / "model.safetensors").write_bytes(len(raw).to_bytes(8, "little") + raw + bytes(12))
    r = report(open_target(str(tmp_path / "model.safetensors"), Options()))
    params, tensors = r["params"], r["tensors"]
    assert params is not None
    assert params["by_dtype"] == {"F4": 16, "F8_E8M0": 1, "F7_NEW": 3}
    assert params["bytes"] == 12
    assert tensors is not None
    (found,) = [f for f in r["findings"] or [] if f["name"] == "unknown-dtype"]
    assert found["severity"] == "warning"
    assert "F7_NEW" in found["message"]
    assert found["tensors"] == ["z"]
    assert names(r) == ["unknown-dtype"]


def test_mlx_8_bit_of_314_billion() -> None:
    """hub-docs#2704, omlx#3489: 78,613,118,976 words of U32 are four weights each; two BF16 for 64 weights are none."""
    words, plain = 78_613_118_976, 9_964_787_842
    logical = words * 32 // 8
    companions = 2 * logical // 64
    rest = plain - companions
    assert (logical, companions, rest) == (314_452_475_904, 9_826_639_872, 138_147_970)
    # One tall matrix of 1024 weights a row, and the rest in one vector.
    rows = logical // 1024
    header: Header = {
        "model.layers.0.mlp.up_proj.weight": ("U32", (rows, 256)),
        "model.layers.0.mlp.up_proj.scales": ("BF16", (rows, 16)),
        "model.layers.0.mlp.up_proj.biases": ("BF16", (rows, 16)),
        "model.norm.weight": ("BF16", (rest,)),
    }
    assert rows * 1024 == logical
    shards = dict.fromkeys(header, "model.safetensors")
    index = Index("model.safetensors.index.json", shards, None, {"total_parameters": DECLARED})
    r = report(made(header, {"model_type": "nobody-knows", "quantization": {"group_size": 64, "bits": 8}}, index=index))
    p = r["params"]
    assert p is not None
    assert (p["by_dtype"] or {})["U32"] == words
    assert (p["by_dtype"] or {})["BF16"] == plain
    assert p["stored_elements"] == 88_577_906_818
    assert p["total"] == 314_590_623_874
    assert p["total"] - DECLARED == 2862
    assert names(r) == []


DECLARED = 314_590_621_012


def test_packed_counts_are_three_numbers_and_bytes_come_from_the_offsets() -> None:
    """llmfit#1045, moondream-station#7: int4 that was counted as words, and then discounted again."""
    c = stored("gptq-4")
    r = report(c)
    p, m = r["params"], r["memory"]
    assert p is not None
    assert m is not None
    assert c.tensors is not None
    elements, size = sum(math.prod(t.shape) for t in c.tensors), sum(t.nbytes for t in c.tensors)
    assert (p["stored_elements"], p["bytes"], m["weights_bytes"]) == (elements, size, size)
    assert p["total"] == 1_639_680
    assert len({p["stored_elements"], p["total"], p["bytes"]}) == 3
