"""What people reported about widths (B), tensors (C), config files (F) and uncommon families (G), answered right.

A case's number is that of a public bug report, told again as the smallest input that shows it.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from cfgexplain.checks.base import Wishes
from cfgexplain.dtypes import BITS
from cfgexplain.errors import CfgexplainError
from cfgexplain.explain.keys import explain_keys
from cfgexplain.inspect import Wanted, examine, inspect
from cfgexplain.sources import open_target
from cfgexplain.sources.options import Options
from models import LLAMA_2_7B, MIXTRAL, checkpoint, report_of, sound
from weights import safetensors

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from cfgexplain.report import FindingR, Report
    from cfgexplain.report_ffn import FfnParamsR

    Shapes = dict[str, tuple[int, ...]]


def on_disk(path: Path) -> Report:
    """The report of what stands at a path."""
    return inspect(open_target(str(path), Options()))


def bf16(tensors: Shapes) -> bytes:
    return safetensors({n: ("BF16", list(shape)) for n, shape in tensors.items()})


def findings(r: Report, *severities: str) -> list[str]:
    """Names of the findings, of these severities or of all."""
    return [f["name"] for f in r["findings"] or [] if not severities or f["severity"] in severities]


def finding(r: Report, name: str) -> FindingR:
    """The one finding of this name."""
    found = [f for f in r["findings"] or [] if f["name"] == name]
    assert len(found) == 1, findings(r)
    return found[0]


def alarms(r: Report) -> list[str]:
    return findings(r, "error", "warning")


def words(r: Report) -> str:
    """All that the report says in words, digits without separators."""
    said = [f["message"] + " " + f["hint"] for f in r["findings"] or []]
    said += [" ".join([e["title"], e["text"], e["formula"] or "", *e["references"]]) for e in r["explanations"] or []]
    return "\n".join(said).replace(",", "").replace("\u202f", "")


def ffn_params(r: Report) -> FfnParamsR:
    assert r["ffn"] is not None
    return r["ffn"]["params"]


def fits(r: Report) -> set[tuple[float | None, int | None]]:
    """(multiplier, multiple) of every rule that gives the width."""
    assert r["ffn"] is not None
    assert r["ffn"]["derivation"] is not None
    return {(c["multiplier"], c["multiple_of"]) for c in r["ffn"]["derivation"]["candidates"]}


def chosen(r: Report) -> str | None:
    assert r["ffn"] is not None
    assert r["ffn"]["derivation"] is not None
    rule = r["ffn"]["derivation"]["chosen"]
    return rule["name"] if rule else None


def llama(**changes: object) -> dict[str, object]:
    return {**LLAMA_2_7B, **changes}


def wished(config: Mapping[str, object], ranks: int, tensors: Shapes | None = None) -> Report:
    """The report for a model that is to be split over ``ranks`` devices."""
    return inspect(checkpoint(config, tensors), Wanted(wishes=Wishes(tensor_parallel=ranks)))


# --- B: the width of the feed-forward block ---


def test_b01_llama_2_70b_is_no_plain_multiple_of_256() -> None:
    r = report_of(llama(hidden_size=8192, intermediate_size=28672, num_hidden_layers=80, num_key_value_heads=8))
    assert r["ffn"]["derivation"]["llama_rule"]["value"] == 22016
    assert r["ffn"]["derivation"]["llama_rule"]["matches"] is False
    assert r["ffn"]["intermediate_size"]["ratio"] == 3.5
    assert {m for f, m in fits(r) if f == 1.3} == {512, 1024, 2048, 4096}
    assert chosen(r) is None


def test_b02_llama_3_2_1b_needs_a_multiplier_and_3b_none() -> None:
    one = report_of(llama(hidden_size=2048, intermediate_size=8192, num_hidden_layers=16))
    assert (1.5, 256) in fits(one)
    assert one["ffn"]["intermediate_size"]["ratio"] == 4.0
    assert one["ffn"]["gated"] is True
    assert chosen(one) is None
    three = report_of(llama(hidden_size=3072, intermediate_size=8192, num_hidden_layers=28, num_attention_heads=24))
    assert chosen(three) == "llama_rule"
    assert three["ffn"]["derivation"]["llama_rule"]["exact"] == "8192"


def test_b02_params_without_the_multiplier_give_another_width() -> None:
    r = report_of(
        {"dim": 2048, "n_layers": 16, "n_heads": 32, "multiple_of": 256, "vocab_size": 128256, "norm_eps": 1e-05}
    )
    assert r["ffn"]["intermediate_size"]["value"] == 5632


@pytest.mark.parametrize(
    ("hidden", "width", "ratio", "multiplier", "multiples"),
    [
        (4096, 14336, 3.5, 1.3, {256, 512, 1024, 2048}),
        (8192, 28672, 3.5, 1.3, {512, 1024, 2048, 4096}),
        (16384, 53248, 3.25, 1.2, {1024, 2048, 4096}),
    ],
)
def test_b03_llama_3_widths(hidden: int, width: int, ratio: float, multiplier: float, multiples: set[int]) -> None:
    r = report_of(llama(hidden_size=hidden, intermediate_size=width, num_key_value_heads=8))
    assert r["ffn"]["intermediate_size"]["ratio"] == ratio
    assert {m for f, m in fits(r) if f == multiplier} == multiples
    assert chosen(r) is None


QWEN_7B: dict[str, object] = {
    "model_type": "qwen", "architectures": ["QWenLMHeadModel"], "hidden_size": 4096, "intermediate_size": 22016,
    "num_hidden_layers": 32, "num_attention_heads": 32, "vocab_size": 151936, "layer_norm_epsilon": 1e-06,
}  # fmt: skip


def test_b05_qwen_1_gives_the_sum_of_both_matrices() -> None:
    tensors = sound(QWEN_7B)
    assert tensors["transformer.h.0.mlp.w1.weight"] == (11008, 4096)
    r = report_of(QWEN_7B, tensors, listing=True)
    assert alarms(r) == []
    assert ffn_params(r)["total"] == 4_328_521_728
    assert chosen(r) == "llama_rule"
    parts = {t["name"]: t["part"] for t in r["tensors"] or []}
    assert [parts[f"transformer.h.0.mlp.{n}.weight"] for n in ("w2", "w1", "c_proj")] == ["gate", "up", "down"]


def test_b05_qwen_72b() -> None:
    r = report_of({**QWEN_7B, "hidden_size": 8192, "intermediate_size": 49152, "num_hidden_layers": 80})
    assert ffn_params(r)["total"] == 48_318_382_080


@pytest.mark.parametrize(("ranks", "group", "fine"), [(2, 128, True), (4, 128, False), (8, 128, False), (4, 64, True)])
def test_b06_groups_over_ranks(ranks: int, group: int, fine: bool) -> None:
    quantized = {"quant_method": "awq", "bits": 4, "group_size": group}
    r = wished(llama(quantization_config=quantized), ranks)
    assert (alarms(r) == []) is fine


@pytest.mark.parametrize("ranks", [1, 2, 4, 8])
def test_b06_unquantized_weights_divide(ranks: int) -> None:
    assert alarms(wished(llama(), ranks)) == []


QWEN2_72B: dict[str, object] = {
    "model_type": "qwen2", "architectures": ["Qwen2ForCausalLM"], "hidden_size": 8192, "intermediate_size": 29568,
    "num_hidden_layers": 2, "num_attention_heads": 64, "num_key_value_heads": 8, "vocab_size": 1024,
    "rms_norm_eps": 1e-06,
}  # fmt: skip


def test_b07_a_config_edited_to_fit_the_ranks() -> None:
    r = report_of({**QWEN2_72B, "intermediate_size": 29440}, sound(QWEN2_72B))
    assert alarms(r) == ["intermediate-size-mismatch"]
    assert all(n in finding(r, "intermediate-size-mismatch")["message"] for n in ("29440", "29568"))


@pytest.mark.parametrize("ranks", [2, 4, 8])
def test_b07_no_rank_count_suits_29568_in_groups_of_128(ranks: int) -> None:
    quantized = {"quant_method": "gptq", "bits": 4, "group_size": 128}
    r = wished({**QWEN2_72B, "quantization_config": quantized}, ranks)
    assert "29568" in words(r)
    assert alarms(r)
    assert not alarms(wished({**QWEN2_72B, "intermediate_size": 29696, "quantization_config": quantized}, ranks))


DEEPSEEK_V3: dict[str, object] = {
    "model_type": "deepseek_v3", "architectures": ["DeepseekV3ForCausalLM"], "hidden_size": 7168,
    "intermediate_size": 18432, "moe_intermediate_size": 2048, "num_hidden_layers": 61, "num_attention_heads": 128,
    "num_key_value_heads": 128, "n_routed_experts": 256, "n_shared_experts": 1, "num_experts_per_tok": 8,
    "first_k_dense_replace": 3, "q_lora_rank": 1536, "kv_lora_rank": 512, "qk_nope_head_dim": 128,
    "qk_rope_head_dim": 64, "v_head_dim": 128, "vocab_size": 129280, "rms_norm_eps": 1e-06,
}  # fmt: skip


@pytest.mark.parametrize(("ranks", "fine"), [(16, True), (32, False)])
def test_b08_blocks_of_128_over_ranks(ranks: int, fine: bool) -> None:
    quantized = {"quant_method": "fp8", "weight_block_size": [128, 128]}
    r = wished({**DEEPSEEK_V3, "quantization_config": quantized}, ranks)
    said = [f["message"] for f in r["findings"] or [] if f["severity"] != "note" and "rank" in f["message"] + f["hint"]]
    assert (said == []) is fine
    if not fine:
        assert all(any(width in m for m in said) for width in ("18432", "2048"))


@pytest.mark.parametrize(
    ("width", "rest"),
    [(14464, 128), (13696, 128), (10944, 192), (1408, 128), (1856, 64), (3712, 128), (11008, 0), (14336, 0)],
)
def test_b09_rows_of_256_are_no_alarm(width: int, rest: int) -> None:
    r = report_of(llama(intermediate_size=width))
    assert width % 256 == rest
    assert not [n for n in alarms(r) if n != "intermediate-size-convention"]


GEMMA_3N: dict[str, object] = {
    "model_type": "gemma3n_text", "architectures": ["Gemma3nForCausalLM"], "hidden_size": 2048, "num_hidden_layers": 35,
    "intermediate_size": 16384, "num_attention_heads": 8, "num_key_value_heads": 2, "head_dim": 256,
}  # fmt: skip


def test_b11_one_width_or_a_list_of_widths() -> None:
    one, many = report_of(GEMMA_3N), report_of({**GEMMA_3N, "intermediate_size": [16384] * 35})
    assert ffn_params(one)["total"] == ffn_params(many)["total"] == 3_523_215_360
    assert one["ffn"]["layers"] == many["ffn"]["layers"]


def test_b11_a_list_of_another_length() -> None:
    r = report_of({**GEMMA_3N, "intermediate_size": [16384] * 34})
    assert "invalid-config" in findings(r, "error")
    message = finding(r, "invalid-config")["message"]
    assert "34" in message
    assert "35" in message


LLAMA_4: dict[str, object] = {
    "model_type": "llama4_text", "architectures": ["Llama4ForCausalLM"], "hidden_size": 5120, "intermediate_size": 8192,
    "intermediate_size_mlp": 16384, "num_hidden_layers": 48, "num_attention_heads": 40, "num_key_value_heads": 8,
    "head_dim": 128, "num_local_experts": 128, "num_experts_per_tok": 1, "interleave_moe_layer_step": 2,
    "vocab_size": 202048,
}  # fmt: skip


def test_b12_llama_4_has_two_widths() -> None:
    p = ffn_params(report_of(LLAMA_4))
    assert p["dense"] == 6_039_797_760
    assert p["experts"] + p["shared_experts"] + p["router"] == 389_582_684_160
    assert p["total"] + p["router"] == 395_622_481_920
    scout = ffn_params(report_of({**LLAMA_4, "interleave_moe_layer_step": 1, "num_local_experts": 16}))
    assert scout["total"] + scout["router"] == 102_680_494_080


def test_b13_mixtrals_width_is_one_experts() -> None:
    r = report_of(MIXTRAL)
    p = ffn_params(r)
    assert (p["total"], p["router"], p["active"]) == (45_097_156_608, 1_048_576, 11_274_289_152)
    assert "moe_intermediate_size" not in words(r)
    assert "expert" in next(e for e in r["explanations"] or [] if e["key"] == "intermediate_size")["text"]


def test_b14_qwen2_moe_does_not_use_its_dense_width() -> None:
    r = report_of({
        "model_type": "qwen2_moe", "architectures": ["Qwen2MoeForCausalLM"], "hidden_size": 3584,
        "intermediate_size": 18944, "moe_intermediate_size": 2560, "shared_expert_intermediate_size": 20480,
        "num_experts": 64, "num_experts_per_tok": 8, "num_hidden_layers": 28, "decoder_sparse_step": 1,
        "mlp_only_layers": [], "num_attention_heads": 28, "num_key_value_heads": 4, "vocab_size": 151936,
    })  # fmt: skip
    p = ffn_params(r)
    assert p["dense"] == 0
    assert p["total"] + p["router"] == 55_497_164_800
    assert p["active"] + p["router"] == 12_337_776_640
    assert any("18944. No layer of this model uses it" in line for line in words(r).splitlines())


FALCON_7B: dict[str, object] = {
    "model_type": "falcon", "architectures": ["FalconForCausalLM"], "hidden_size": 4544, "num_hidden_layers": 32,
    "num_attention_heads": 71, "new_decoder_architecture": False, "parallel_attn": True, "bias": False,
    "multi_query": True,
    "vocab_size": 65024,
}  # fmt: skip


def test_b16_falcon_has_no_width_key_or_another() -> None:
    r = report_of(FALCON_7B, sound(FALCON_7B))
    assert alarms(r) == []
    assert r["ffn"]["intermediate_size"]["value"] == 18176
    assert r["ffn"]["intermediate_size"]["source"] in ("default", "derived")
    assert r["ffn"]["gated"] is False
    assert ffn_params(r)["total"] == 5_285_871_616
    later = {
        **FALCON_7B,
        "hidden_size": 4096,
        "ffn_hidden_size": 16384,
        "num_hidden_layers": 60,
        "num_attention_heads": 32,
    }
    assert ffn_params(report_of(later))["total"] == 8_053_063_680


GLM_4_9B: dict[str, object] = {
    "model_type": "chatglm", "architectures": ["ChatGLMForConditionalGeneration"], "hidden_size": 4096,
    "ffn_hidden_size": 13696, "num_layers": 40, "layernorm_epsilon": 1.5625e-07, "add_qkv_bias": True, "rmsnorm": True,
    "multi_query_attention": True, "multi_query_group_num": 4, "kv_channels": 128, "num_attention_heads": 32,
    "padded_vocab_size": 151552,
}  # fmt: skip


def test_b17_glm_4_fuses_gate_and_up() -> None:
    tensors = sound(GLM_4_9B)
    assert tensors["transformer.encoder.layers.0.mlp.dense_h_to_4h.weight"] == (27392, 4096)
    assert tensors["transformer.encoder.layers.0.self_attention.query_key_value.bias"] == (5120,)
    r = report_of(GLM_4_9B, tensors)
    assert alarms(r) == []
    assert r["ffn"]["fused_gate_up"] is True
    assert ffn_params(r)["total"] == 6_731_857_920
    assert r["model"]["num_layers"] == 40
    assert (r["norm"]["eps"]["value"], r["norm"]["eps"]["key"]) == (1.5625e-07, "layernorm_epsilon")


def test_b19_why_11008() -> None:
    r = report_of(llama())
    steps = r["ffn"]["derivation"]["chosen"]["steps"]
    assert steps == [
        "4 × 4096 = 16384", "2/3 × 16384 = 32768/3", "int(32768/3) = 10922",
        "ceil(10922 / 256) × 256 = 43 × 256 = 11008",
    ]  # fmt: skip
    assert ffn_params(r)["total"] == 32 * 135_266_304


FALCON_H1: dict[str, object] = {
    "model_type": "falcon_h1", "architectures": ["FalconH1ForCausalLM"], "hidden_size": 2048, "intermediate_size": 4096,
    "mamba_d_ssm": 3072, "mamba_n_heads": 48, "mamba_n_groups": 1, "mamba_d_state": 256, "mamba_d_head": 64,
    "head_dim": 128, "num_hidden_layers": 24, "num_attention_heads": 8, "num_key_value_heads": 2, "vocab_size": 32784,
}  # fmt: skip


def test_b20_the_mixers_width_is_its_own() -> None:
    tensors = sound(FALCON_H1)
    assert tensors["model.layers.0.mamba.in_proj.weight"] == (6704, 2048)
    r = report_of(FALCON_H1, tensors)
    assert alarms(r) == []
    assert ffn_params(r)["total"] == 24 * 3 * 2048 * 4096


@pytest.mark.parametrize(("ranks", "fine"), [(2, True), (4, True), (8, False)])
def test_b21_groups_of_an_experts_width(ranks: int, fine: bool) -> None:
    r = wished({
        "model_type": "qwen3_moe", "architectures": ["Qwen3MoeForCausalLM"], "hidden_size": 4096,
        "intermediate_size": 12288, "moe_intermediate_size": 1536, "num_hidden_layers": 2, "num_attention_heads": 64,
        "num_key_value_heads": 4, "head_dim": 128, "num_experts": 128, "num_experts_per_tok": 8,
        "quantization_config": {"quant_method": "gptq", "bits": 4, "group_size": 128},
    }, ranks)  # fmt: skip
    said = [f for f in r["findings"] or [] if "1536" in f["message"] and f["severity"] != "note"]
    assert (said == []) is fine


QWEN2_05B: dict[str, object] = {
    "model_type": "qwen2", "architectures": ["Qwen2ForCausalLM"], "hidden_size": 896, "intermediate_size": 4864,
    "num_hidden_layers": 24, "num_attention_heads": 14, "num_key_value_heads": 2, "vocab_size": 151936,
    "tie_word_embeddings": True, "rms_norm_eps": 1e-06,
}  # fmt: skip


def test_b21_the_hidden_size_has_groups_too() -> None:
    quantized = {**QWEN2_05B, "quantization_config": {"quant_method": "gptq", "bits": 4, "group_size": 128}}
    assert "896" in words(wished(quantized, 2))
    assert "4864" in words(wished(quantized, 4))


# --- C: tensors ---


def test_c01_a_shard_that_is_not_there(tmp_path: Path) -> None:
    config = llama(
        num_hidden_layers=1,
        hidden_size=64,
        intermediate_size=172,
        num_attention_heads=4,
        num_key_value_heads=4,
        vocab_size=96,
    )
    tensors = sound(config)
    last = ("model.norm.weight", "lm_head.weight")
    shards = [f"model-0000{k}-of-00002.safetensors" for k in (1, 2)]
    (tmp_path / "config.json").write_text(json.dumps(config))
    place = {n: shards[n in last] for n in tensors}
    (tmp_path / "model.safetensors.index.json").write_text(json.dumps({"metadata": {}, "weight_map": place}))
    (tmp_path / shards[0]).write_bytes(bf16({n: s for n, s in tensors.items() if n not in last}))
    r = on_disk(tmp_path)
    assert alarms(r) == ["index-missing-shard"]
    assert shards[1] in words(r)
    assert all(n in words(r) for n in last)


PHI_2: dict[str, object] = {
    "model_type": "phi-msft", "architectures": ["PhiForCausalLM"], "n_embd": 2560, "n_layer": 32, "n_inner": None,
    "n_head": 32, "vocab_size": 51200,
}  # fmt: skip


def test_c02_phi_2_under_its_first_names() -> None:
    tensors = sound(PHI_2)
    assert tensors["transformer.h.0.mlp.fc1.weight"] == (10240, 2560)
    r = report_of(PHI_2, tensors)
    assert alarms(r) == []
    assert r["norm"]["final_norm"]["tensor"] == "lm_head.ln.weight"
    assert (r["norm"]["type"], r["norm"]["placement"], r["norm"]["bias"]) == ("layernorm", "parallel", True)
    assert "lm_head.linear.bias" in tensors


def test_c04_qwen2_always_has_these_biases() -> None:
    tensors = sound(QWEN2_05B)
    r = report_of(QWEN2_05B, tensors)
    assert alarms(r) == []
    assert sum(n.endswith("bias") for n in tensors) == 72
    assert not any("o_proj.bias" in n for n in tensors)


def test_c04_qwen3_has_them_only_where_it_says_so() -> None:
    config = {**QWEN2_05B, "model_type": "qwen3", "architectures": ["Qwen3ForCausalLM"], "head_dim": 64}
    biases = {n: s for n, s in sound(QWEN2_05B).items() if n.endswith("bias")}
    r = report_of(config, {**sound(config), **biases})
    assert alarms(r) == ["unexpected-bias"]


def test_c05_biases_that_a_trainer_lost() -> None:
    whole = sound(QWEN2_05B)
    assert len(whole) == 290
    tensors = {n: s for n, s in whole.items() if not n.endswith("bias")}
    assert len(tensors) == 218
    r = report_of(QWEN2_05B, tensors)
    assert alarms(r) == ["missing-bias"]
    f = finding(r, "missing-bias")
    assert len(f["tensors"]) <= 3
    assert "72" in f["message"]


def test_c06_declared_biases() -> None:
    config = llama(num_hidden_layers=60, attention_bias=True, mlp_bias=True)
    tensors = sound(config)
    assert sum(n.endswith("bias") for n in tensors) == 420
    r = report_of(config, tensors)
    assert alarms(r) == []
    assert ffn_params(r)["total"] == 60 * (3 * 4096 * 11008 + 2 * 11008 + 4096)


def test_c07_deepseek_v3s_layer_61_predicts_tokens() -> None:
    config = {**DEEPSEEK_V3, "num_nextn_predict_layers": 1}
    r = report_of(config)
    p = ffn_params(r)
    assert p["total"] == 657_652_187_136
    assert p["router"] == 58 * 1_835_008
    assert p["active"] == 24_178_065_408


def small_v3(**more: object) -> dict[str, object]:
    return {
        **DEEPSEEK_V3, "hidden_size": 64, "intermediate_size": 176, "moe_intermediate_size": 40, "num_hidden_layers": 4,
        "num_attention_heads": 4, "num_key_value_heads": 4, "n_routed_experts": 6, "n_group": 2, "topk_group": 1,
        "num_experts_per_tok": 2, "q_lora_rank": 32, "kv_lora_rank": 16, "qk_nope_head_dim": 16, "qk_rope_head_dim": 8,
        "v_head_dim": 16, "vocab_size": 160, **more,
    }  # fmt: skip


def test_c07_the_prediction_layer_is_no_layer_too_many() -> None:
    config = small_v3(num_nextn_predict_layers=1)
    layer = {n.replace(".3.", ".4."): s for n, s in sound(config).items() if ".layers.3." in n}
    assert alarms(report_of(config, {**sound(config), **layer})) == []
    five = {n.replace(".3.", ".5."): s for n, s in sound(config).items() if ".layers.3." in n}
    assert "layer-count-mismatch" in alarms(report_of(config, {**sound(config), **layer, **five}))
    plain = small_v3(num_nextn_predict_layers=0)
    assert alarms(report_of(plain, {**sound(plain), **layer})) == ["layer-count-mismatch"]


def test_c09_no_head_though_nothing_ties_it() -> None:
    config = {
        "model_type": "qwen3_vl", "architectures": ["Qwen3VLForConditionalGeneration"], "tie_word_embeddings": False,
        "text_config": {
            "model_type": "qwen3_vl_text", "tie_word_embeddings": False, "hidden_size": 64, "intermediate_size": 176,
            "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 16,
            "vocab_size": 160,
        },
        "vision_config": {"model_type": "qwen3_vl", "hidden_size": 48, "depth": 1, "num_heads": 4,
                          "intermediate_size": 96,
                          "out_hidden_size": 64, "deepstack_visual_indexes": []},
    }  # fmt: skip
    tensors = {n: s for n, s in sound(config).items() if not n.startswith("lm_head")}
    r = report_of(config, tensors)
    assert alarms(r) == ["tied-head-conflict"]
    f = finding(r, "tied-head-conflict")
    assert f["severity"] == "warning"
    assert "tie_word_embeddings" in f["message"] + f["hint"]


TIED: dict[str, object] = llama(
    hidden_size=2048, intermediate_size=8192, num_hidden_layers=1, vocab_size=128256, tie_word_embeddings=True
)


def test_c11_a_tied_head_stored_all_the_same() -> None:
    tensors = sound(TIED)
    r = report_of(TIED, {**tensors, "lm_head.weight": (128256, 2048)})
    f = finding(r, "tied-head-stored")
    assert f["severity"] == "note"
    assert "262668288" in f["message"].replace(",", "")
    assert alarms(r) == []
    assert r["params"]["total"] == report_of(TIED, tensors)["params"]["total"]
    assert r["params"]["stored_elements"] == r["params"]["total"] + 262_668_288


def test_c12_the_embedding_was_kept_under_the_heads_name() -> None:
    tensors = {n: s for n, s in sound(llama()).items() if "embed_tokens" not in n}
    r = report_of(llama(), tensors)
    assert alarms(r)
    assert "lm_head" in words(r) or "output head" in words(r)
    assert "embed_tokens" in words(r)
    assert alarms(report_of(TIED, sound(TIED))) == []


@pytest.mark.parametrize("prefix", ["_orig_mod.", "module."])
def test_c13_wrappers_are_seen_through_and_said_once(prefix: str) -> None:
    config = llama(num_hidden_layers=2)
    r = report_of(config, {prefix + n: s for n, s in sound(config).items()})
    assert alarms(r) == ["wrapped-names"]
    assert prefix in finding(r, "wrapped-names")["message"]
    assert r["norm"]["final_norm"]["present"] is True
    assert r["ffn"]["intermediate_size"]["from_tensors"] == 11008


QWEN2_VL: dict[str, object] = {
    "model_type": "qwen2_vl", "architectures": ["Qwen2VLForConditionalGeneration"],
    "text_config": {
        "model_type": "qwen2_vl_text", "hidden_size": 64, "intermediate_size": 176, "num_hidden_layers": 2,
        "num_attention_heads": 4, "num_key_value_heads": 2, "vocab_size": 160,
    },
    "vision_config": {"depth": 2, "embed_dim": 48, "hidden_size": 64, "num_heads": 4, "mlp_ratio": 2},
}  # fmt: skip


def test_c14_every_layout_of_a_vision_language_model() -> None:
    tensors = sound(QWEN2_VL)
    today = {n for n in tensors if "layers.0.mlp.gate_proj" in n}
    first = {
        n.replace("model.language_model.", "model.").replace("model.visual.", "visual."): s for n, s in tensors.items()
    }
    assert today
    for stored in (tensors, first):
        r = report_of(QWEN2_VL, stored, listing=True)
        assert alarms(r) == []
        assert {t["role"] for t in r["tensors"] or [] if "visual" in t["name"]} <= {"vision", "projector"}
        assert ffn_params(r)["total"] == 2 * 3 * 64 * 176


def test_c14_another_layout_is_one_finding() -> None:
    config = llama(num_hidden_layers=2)
    r = report_of(config, {"other." + n.replace("model", "trunk"): s for n, s in sound(config).items()})
    assert len(alarms(r)) == 1


def test_c15_w1_w2_w3_by_family() -> None:
    meta: dict[str, object] = {
        "dim": 4096, "n_layers": 2, "n_heads": 32, "n_kv_heads": 8, "multiple_of": 1024, "ffn_dim_multiplier": 1.3,
        "norm_eps": 1e-05, "vocab_size": 1024,
    }  # fmt: skip
    r = report_of(meta, sound(meta), listing=True)
    parts = {t["name"]: t["part"] for t in r["tensors"] or []}
    assert [parts[f"layers.0.feed_forward.{w}.weight"] for w in ("w1", "w2", "w3")] == ["gate", "down", "up"]
    assert r["ffn"]["intermediate_size"]["value"] == 14336


def test_c16_gpt_oss_interleaves_gate_and_up() -> None:
    config: dict[str, object] = {
        "model_type": "gpt_oss", "architectures": ["GptOssForCausalLM"], "hidden_size": 2880, "intermediate_size": 2880,
        "num_local_experts": 32, "num_experts_per_tok": 4, "num_hidden_layers": 1, "num_attention_heads": 64,
        "num_key_value_heads": 8, "head_dim": 64, "vocab_size": 1024,
    }  # fmt: skip
    tensors = sound(config)
    assert tensors["model.layers.0.mlp.experts.gate_up_proj"] == (32, 2880, 5760)
    r = report_of(config, tensors)
    assert alarms(r) == []
    assert r["ffn"]["fused_gate_up"] is True
    assert "interleave" in words(r) or "alternat" in words(r)


def test_c18_one_row_more_than_the_vocabulary() -> None:
    config = llama(num_hidden_layers=1)
    r = report_of(
        config, {**sound(config), "model.embed_tokens.weight": (32001, 4096), "lm_head.weight": (32001, 4096)}
    )
    assert alarms(r) == ["vocab-size-mismatch"]
    f = finding(r, "vocab-size-mismatch")
    assert f["severity"] == "error"
    assert all(n in f["message"] for n in ("32000", "32001"))


QWEN3_4B: dict[str, object] = {
    "model_type": "qwen3", "architectures": ["Qwen3ForCausalLM"], "hidden_size": 2560, "num_attention_heads": 32,
    "num_key_value_heads": 8, "head_dim": 128, "intermediate_size": 9728, "num_hidden_layers": 36, "vocab_size": 151936,
    "tie_word_embeddings": True, "rms_norm_eps": 1e-06,
}  # fmt: skip


def test_c19_heads_are_not_the_hidden_size() -> None:
    tensors = sound(QWEN3_4B)
    assert tensors["model.layers.0.self_attn.q_proj.weight"] == (4096, 2560)
    r = report_of(QWEN3_4B, tensors)
    assert alarms(r) == []
    assert r["ffn"]["derivation"]["llama_rule"]["value"] == 6912
    assert r["ffn"]["intermediate_size"]["ratio"] == 3.8
    assert chosen(r) is None


def test_c21_an_adapter_is_no_model(tmp_path: Path) -> None:
    (tmp_path / "adapter_config.json").write_text(
        json.dumps({"base_model_name_or_path": "org/base", "peft_type": "LORA"})
    )
    lora = {"base_model.model.layers.0.mlp.down_proj.lora_A.weight": (8, 64)}
    (tmp_path / "adapter_model.safetensors").write_bytes(bf16(lora))
    e = failure(tmp_path)
    assert e.kind == "unsupported"
    assert "org/base" in e.message + e.hint


def test_c22_layers_that_the_config_does_not_count() -> None:
    more = sound({**QWEN_7B, "num_hidden_layers": 47})
    r = report_of({**QWEN_7B, "num_hidden_layers": 40}, more)
    assert alarms(r) == ["layer-count-mismatch"]
    message = finding(r, "layer-count-mismatch")["message"]
    assert "40" in message
    assert "47" in message


def test_c22_a_gap_is_a_range() -> None:
    config = llama(num_hidden_layers=10)
    tensors = {n: s for n, s in sound(config).items() if not any(f".{i}." in n for i in (3, 4, 5))}
    r = report_of(config, tensors)
    assert alarms(r) == ["layer-count-mismatch"]
    assert "3-5" in finding(r, "layer-count-mismatch")["message"]


# --- F: config files ---


def failure(path: Path) -> CfgexplainError:
    with pytest.raises(CfgexplainError) as caught:
        on_disk(path)
    return caught.value


def test_f02_a_trailing_comma_is_shown_where_it_is(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_text('{"hidden_size": 768,\n "projection_dim": 768,\n}')
    e = failure(path)
    assert e.kind == "invalid-config"
    assert "line 2" in e.message or "line 3" in e.message
    assert "column" in e.message
    assert "768," in e.message + e.hint


def test_f02_a_byte_order_mark_is_no_fault(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps(LLAMA_2_7B).encode())
    assert on_disk(path)["model"]["hidden_size"] == 4096


def test_f03_a_config_that_is_no_text(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_bytes(bytes.fromhex("80025D71A5"))
    e = failure(path)
    assert e.kind == "invalid-config"
    assert "0x80" in e.message
    assert "UTF-8" in e.message


MIXTRAL_8X22B: dict[str, object] = {
    **MIXTRAL, "hidden_size": 6144, "num_attention_heads": 48, "head_dim": None, "num_key_value_heads": 8,
    "intermediate_size": 16384, "num_hidden_layers": 56, "rope_scaling": None,
}  # fmt: skip


def test_f04_null_means_derived() -> None:
    r = report_of(MIXTRAL_8X22B)
    assert r["model"]["head_dim"] == 128
    assert ffn_params(r)["total"] == 135_291_469_824
    assert ffn_params(r)["router"] == 2_752_512
    assert alarms(r) == []


@pytest.mark.parametrize(("config", "value"), [(LLAMA_2_7B, 1e-06), (MIXTRAL_8X22B, 1e-05)])
def test_f04_an_absent_eps_is_the_librarys_and_a_null_one_a_fault(config: dict[str, object], value: float) -> None:
    absent = report_of({k: v for k, v in config.items() if k != "rms_norm_eps"})
    assert (absent["norm"]["eps"]["value"], absent["norm"]["eps"]["source"]) == (value, "default")
    assert findings(absent, "note").count("eps-missing") == 1
    assert "eps-invalid" in alarms(report_of({**config, "rms_norm_eps": None}))


def test_f05_theta_in_its_new_place_and_in_both() -> None:
    new = {"rope_type": "default", "rope_theta": 500000.0}
    config = {k: v for k, v in llama(rope_parameters=new, dtype="bfloat16").items() if k != "torch_dtype"}
    r = report_of(config)
    assert alarms(r) == []
    assert r["model"]["positions"]["theta"] == 500000.0
    assert r["model"]["dtype"] == "bfloat16"
    assert alarms(report_of({**config, "rope_theta": 10000.0})) == ["key-conflict"]
    assert "key-conflict" in findings(report_of({**config, "torch_dtype": "float16"}))


QWEN25_OMNI: dict[str, object] = {
    "model_type": "qwen2_5_omni", "architectures": ["Qwen2_5OmniForConditionalGeneration"],
    "thinker_config": {
        "model_type": "qwen2_5_omni_thinker",
        "text_config": {
            "model_type": "qwen2_5_omni_text", "hidden_size": 3584, "intermediate_size": 18944, "num_hidden_layers": 28,
            "num_attention_heads": 28, "num_key_value_heads": 4, "rms_norm_eps": 1e-06,
        },
        "audio_config": {"d_model": 1280},
        "vision_config": {"hidden_size": 1280, "intermediate_size": 3420},
    },
    "talker_config": {"hidden_size": 896, "intermediate_size": 18944, "num_hidden_layers": 24},
}  # fmt: skip


def test_f06_the_language_model_is_found_where_it_is() -> None:
    r = report_of(QWEN25_OMNI)
    assert r["model"]["text_config_path"] == "thinker_config.text_config"
    assert r["model"]["hidden_size"] == 3584
    assert ffn_params(r)["total"] == 5_703_204_864


def test_f06_a_config_without_any_size_is_no_crash() -> None:
    r = report_of({"model_type": "nobody_knows", "sub": {"a": 1}})
    assert r["model"]["hidden_size"] is None
    assert "unknown-family" in findings(r)


def test_f07_mistrals_and_metas_params(tmp_path: Path) -> None:
    path = tmp_path / "params.json"
    path.write_text(json.dumps({
        "dim": 4096, "n_layers": 32, "hidden_dim": 14336, "norm_eps": 1e-05, "n_heads": 32, "n_kv_heads": 8,
        "head_dim": 128, "vocab_size": 32768,
    }))  # fmt: skip
    r = on_disk(tmp_path)
    assert r["ffn"]["intermediate_size"]["value"] == 14336
    assert (r["norm"]["eps"]["value"], r["norm"]["eps"]["key"]) == (1e-05, "norm_eps")
    assert r["target"]["config_file"] == "params.json"


def test_f08_an_adapter_names_its_base(tmp_path: Path) -> None:
    text = json.dumps({"base_model_name_or_path": "org/base", "peft_type": "LORA", "r": 8})
    (tmp_path / "adapter_config.json").write_text(text)
    e = failure(tmp_path)
    assert "org/base" in e.message + e.hint
    assert "adapter" in e.message


def test_f09_no_model_type_but_a_class() -> None:
    r = report_of({
        "hidden_size": 2048, "intermediate_size": 5632, "num_hidden_layers": 22, "architectures": ["LlamaForCausalLM"],
    })  # fmt: skip
    assert (r["model"]["family"], r["model"]["family_known"]) == ("llama", False)
    assert "llama" in finding(r, "unknown-family")["message"]
    assert r["norm"]["eps"]["value"] is None
    assert r["bias"]["expected"] is None
    assert r["ffn"]["derivation"]["llama_rule"] == {
        "exact": "16384/3",
        "multiple_of": 256,
        "value": 5632,
        "matches": True,
    }


def test_f11_the_headers_know_the_dtype() -> None:
    config = llama(torch_dtype="float16")
    tensors = sound(config)
    assert len(tensors) == 291
    r = report_of(config, tensors)
    f = finding(r, "dtype-mismatch")
    assert f["severity"] == "note"
    assert "float16" in f["message"]
    assert "BF16" in f["message"]
    assert r["params"]["bytes"] == sum(BITS["BF16"] // 8 * n for n in r["params"]["by_dtype"].values())


def test_f12_internlms_bias_switch() -> None:
    config: dict[str, Any] = {
        "model_type": "internlm", "architectures": ["InternLMForCausalLM"], "bias": True, "hidden_size": 4096,
        "intermediate_size": 11008, "num_hidden_layers": 32, "num_attention_heads": 32, "vocab_size": 103168,
    }  # fmt: skip
    tensors = sound(config)
    assert sum(n.endswith("proj.bias") for n in tensors) == 128
    assert alarms(report_of(config, tensors)) == []


def test_f12_a_switch_that_nothing_reads() -> None:
    s, r = examine(checkpoint({**QWEN3_4B, "qkv_bias": True, "attention_bias": False}))
    assert alarms(r) == []
    assert "does not read this key" in explain_keys(s, r, "en", ["qkv_bias"])[0]["text"]


# --- G: uncommon families ---


def test_g01_olmos_norms_have_no_tensors() -> None:
    config: dict[str, object] = {
        "model_type": "olmo", "architectures": ["OlmoForCausalLM"], "hidden_size": 4096, "intermediate_size": 11008,
        "num_hidden_layers": 32, "num_attention_heads": 32, "vocab_size": 50304, "attention_bias": False,
    }  # fmt: skip
    tensors = sound(config)
    assert not any("norm" in n for n in tensors)
    r = report_of(config, tensors)
    assert alarms(r) == []
    assert (r["norm"]["type"], r["norm"]["gain"]) == ("layernorm", "none")
    assert (r["norm"]["eps"]["value"], r["norm"]["eps"]["source"]) == (1e-05, "hardcoded")
    assert r["norm"]["final_norm"] == {"expected": True, "present": None, "tensor": None}
    assert "block-norm" not in r["params"]["by_role"]


def test_g02_olmo_2_normalises_outputs() -> None:
    config: dict[str, object] = {
        "model_type": "olmo2", "architectures": ["Olmo2ForCausalLM"], "hidden_size": 4096, "intermediate_size": 11008,
        "num_hidden_layers": 32, "num_attention_heads": 32, "vocab_size": 100352, "rms_norm_eps": 1e-06,
    }  # fmt: skip
    tensors = sound(config)
    assert tensors["model.layers.0.self_attn.q_norm.weight"] == (4096,)
    r = report_of(config, tensors)
    assert alarms(r) == []
    assert r["norm"]["placement"] == "output"
    assert r["norm"]["final_norm"]["present"] is True
    assert r["norm"]["qk_norm"] is True


def test_g04_nanochat_has_no_norm_tensors_and_two_matrices() -> None:
    config: dict[str, object] = {
        "model_type": "nanochat", "architectures": ["NanoChatForCausalLM"], "hidden_size": 1280,
        "intermediate_size": 5120, "num_hidden_layers": 20, "num_attention_heads": 10, "rms_norm_eps": 1e-06,
        "hidden_act": "relu2",
    }  # fmt: skip
    r = report_of(config, sound(config))
    assert alarms(r) == []
    assert r["ffn"]["gated"] is False
    assert ffn_params(r)["total"] == 262_144_000
    assert r["ffn"]["intermediate_size"]["ratio"] == 4.0


def test_g05_nemotron_has_no_gate() -> None:
    config: dict[str, object] = {
        "model_type": "nemotron", "architectures": ["NemotronForCausalLM"], "hidden_size": 4096,
        "intermediate_size": 16384, "num_hidden_layers": 32, "num_attention_heads": 32, "hidden_act": "relu2",
        "norm_eps": 1e-05, "mlp_bias": False,
    }  # fmt: skip
    tensors = sound(config)
    assert "model.norm.bias" in tensors
    r = report_of(config, tensors)
    assert alarms(r) == []
    assert ffn_params(r)["total"] == 4_294_967_296
    assert (r["norm"]["type"], r["norm"]["gain"], r["norm"]["eps"]["key"]) == ("layernorm", "1+w", "norm_eps")


def test_g06_nemotron_h_has_one_sub_layer_in_each_layer() -> None:
    config: dict[str, object] = {
        "model_type": "nemotron_h", "architectures": ["NemotronHForCausalLM"], "hidden_size": 4480,
        "intermediate_size": 15680, "num_hidden_layers": 6, "hybrid_override_pattern": "M-M*-M",
        "mlp_hidden_act": "relu2",
        "num_attention_heads": 40, "num_key_value_heads": 8, "head_dim": 128,
    }  # fmt: skip
    tensors = sound(config)
    r = report_of(config, tensors)
    assert alarms(r) == []
    assert ffn_params(r)["total"] == 280_985_600
    assert [k["ffn"] for k in r["layers"]["kinds"] or [] for _ in range(k["first"], k["last"] + 1)] == [
        "none", "dense", "none", "none", "dense", "none",
    ]  # fmt: skip
    assert sum(n.endswith(".norm.weight") and "mixer" not in n for n in tensors) == 6


@pytest.mark.parametrize(("new", "norms"), [(False, {"input_layernorm"}), (True, {"ln_attn", "ln_mlp"})])
def test_g07_falcons_parallel_blocks(new: bool, norms: set[str]) -> None:
    config = {
        **FALCON_7B,
        "new_decoder_architecture": new,
        "num_kv_heads": 71,
        "num_ln_in_parallel_attn": 2 if new else None,
    }
    tensors = sound(config)
    assert {
        n.split(".")[3] for n in tensors if n.startswith("transformer.h.0.") and ("layernorm" in n or "ln_" in n)
    } == norms
    r = report_of(config, tensors)
    assert alarms(r) == []
    assert r["norm"]["placement"] == "parallel"


def test_g09_mpt_without_biases() -> None:
    config: dict[str, object] = {
        "model_type": "mpt", "architectures": ["MPTForCausalLM"], "d_model": 4096, "n_layers": 32, "n_heads": 32,
        "expansion_ratio": 4, "no_bias": True, "vocab_size": 50432,
    }  # fmt: skip
    tensors = sound(config)
    assert tensors["transformer.blocks.0.ffn.up_proj.weight"] == (16384, 4096)
    r = report_of(config, tensors)
    assert alarms(r) == []
    assert (r["norm"]["type"], r["norm"]["bias"], r["ffn"]["gated"]) == ("layernorm", False, False)
    assert r["ffn"]["intermediate_size"]["value"] == 16384
    assert ffn_params(r)["total"] == 4_294_967_296
    assert r["norm"]["final_norm"]["tensor"] == "transformer.norm_f.weight"
