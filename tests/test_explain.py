"""What the explanations say, and that they say it only where the data supports it."""

from __future__ import annotations

import string
from typing import TYPE_CHECKING

import pytest

from cfgexplain.families.registry import TABLES, find
from cfgexplain.lang import LANGUAGES, catalogue
from cfgexplain.lang.en import TEXTS
from models import GEMMA_2_2B, GPT2, LLAMA_2_7B, MIXTRAL, report_of, sound, sound_report

if TYPE_CHECKING:
    from cfgexplain.report import ExplanationR, Report


def explained(report: Report, key: str) -> ExplanationR:
    found = [e for e in report["explanations"] or [] if e["key"] == key]
    assert len(found) == 1, [e["key"] for e in report["explanations"] or []]
    return found[0]


def llama(**changes: object) -> Report:
    return report_of({**LLAMA_2_7B, **changes})


# --- epsilon ---


def test_eps_value_key_and_formula_hold_this_models_numbers() -> None:
    e = explained(llama(), "rms_norm_eps")
    assert (e["value"], e["source"], e["title"]) == (1e-05, "config", "rms_norm_eps = 1e-05")
    assert e["formula"] == "y_i = x_i / sqrt((x_1² + … + x_4096²) / 4096 + 1e-05) · w_i\nsqrt(1e-05) = 3.162e-03"
    assert "65 norms use it: 2 in each of the 32 layers and 1 after the last layer." in e["text"]
    assert any("1910.07467" in r for r in e["references"])


def test_eps_inside_the_root_in_units_of_x_squared() -> None:
    text = explained(llama(rms_norm_eps=1e-06), "rms_norm_eps")["text"]
    assert "inside the root" in text
    assert "√ε = 0.001" in text


def test_eps_default_says_so() -> None:
    config = {k: v for k, v in LLAMA_2_7B.items() if k != "rms_norm_eps"}
    e = explained(report_of(config), "rms_norm_eps")
    assert (e["value"], e["source"]) == (1e-06, "default")
    assert "does not set rms_norm_eps" in e["text"]


def test_eps_hardcoded_has_no_key() -> None:
    e = explained(report_of({"model_type": "bart", "architectures": ["BartForCausalLM"]}), "norm.eps")
    assert "written in the code of bart" in e["text"]


@pytest.mark.parametrize(
    ("eps", "said"), [(1e-05, "1.0014e-05: subnormal"), (1e-06, "1.0133e-06: subnormal"), (1e-08, "gets 0")]
)
def test_eps_rounded_to_fp16(eps: float, said: str) -> None:
    text = explained(llama(rms_norm_eps=eps, torch_dtype="float16"), "rms_norm_eps")["text"]
    assert said in text
    assert "255.9" in text
    assert "float32" in text


def test_eps_in_bfloat16_never_called_subnormal() -> None:
    text = explained(llama(rms_norm_eps=1e-08, torch_dtype="bfloat16"), "rms_norm_eps")["text"]
    assert "bf16, this checkpoint's dtype" in text
    assert "subnormal" not in text


def test_eps_in_float32_has_no_rounding_remark() -> None:
    text = explained(llama(torch_dtype="float32"), "rms_norm_eps")["text"]
    assert "fp16" not in text
    assert "bf16" not in text


def test_stored_dtype_beats_the_declared_one() -> None:
    text = explained(sound_report(LLAMA_2_7B, "BF16"), "rms_norm_eps")["text"]
    assert "to bf16, this checkpoint's dtype" in text


def test_llama_2_shape_with_llama_1_eps_is_pointed_out() -> None:
    assert "point to Llama 2" in explained(llama(rms_norm_eps=1e-06), "rms_norm_eps")["text"]


@pytest.mark.parametrize("change", [{"max_position_embeddings": 2048}, {"rms_norm_eps": 1e-05}, {"vocab_size": 102400}])
def test_no_remark_on_llama_2_where_it_does_not_fit(change: dict[str, object]) -> None:
    text = explained(llama(**{"rms_norm_eps": 1e-06, **change}), "rms_norm_eps")["text"]
    assert "point to Llama 2" not in text


def test_a_rule_that_is_not_this_models_stands_under_its_name() -> None:
    e = explained(llama(hidden_size=2560, intermediate_size=10241), "intermediate_size")
    first, *steps = (e["formula"] or "").split("\n")
    assert first == "Llama's rule, which ends in another number:"
    assert steps[-1].endswith("= 27 × 256 = 6912")
    assert explained(llama(), "intermediate_size")["formula"] == (
        "4 × 4096 = 16384\n2/3 × 16384 = 32768/3\nint(32768/3) = 10922\nceil(10922 / 256) × 256 = 43 × 256 = 11008"
    )


def test_norms_are_explained_before_their_epsilon_and_experts_before_their_routing() -> None:
    keys = [e["key"] for e in report_of(MIXTRAL)["explanations"] or ()]
    assert keys.index("norm.type") < keys.index("norm.placement") < keys.index("rms_norm_eps")
    assert keys.index("rms_norm_eps") < keys.index("num_key_value_heads") < keys.index("intermediate_size")
    assert keys.index("intermediate_size") < keys.index("ffn.params.active")
    assert keys[-1] == "unseen"


def test_no_norm_after_the_last_layer_is_not_counted_as_none() -> None:
    e = explained(report_of({"model_type": "bert", "layer_norm_eps": 1e-12}), "layer_norm_eps")
    assert "24 norms use it: 2 in each of the 12 layers. " in e["text"]


def test_gemma_gain_is_an_offset_and_folding_unseen() -> None:
    e = explained(report_of(GEMMA_2_2B), "rms_norm_eps")
    assert (e["formula"] or "").startswith("y_i = x_i / sqrt((x_1² + … + x_2304²) / 2304 + 1e-06) · (1 + w_i)")
    assert "cannot show whether a converter has already folded" in e["text"]
    assert "105 norms use it: 4 in each of the 26 layers and 1 after the last layer" in e["text"]


def test_layernorm_formula_and_no_talk_of_rms() -> None:
    e = explained(report_of(GPT2), "layer_norm_epsilon")
    assert "(x_i − μ) / sqrt(σ² + 1e-05) · w_i + b_i" in (e["formula"] or "")
    assert "RMSNorm" not in e["text"]


def test_rmsnorm_under_another_key_warns_of_tools_that_look_for_one() -> None:
    config = {"model_type": "nemotron_h", "hidden_size": 2688, "layer_norm_epsilon": 1e-05}
    assert "look for rms_norm_eps alone" in explained(report_of(config), "layer_norm_epsilon")["text"]


def test_latent_norms_with_another_eps() -> None:
    config: dict[str, object] = {"model_type": "deepseek_v3", "num_hidden_layers": 4, "rms_norm_eps": 1e-05}
    text = explained(report_of(config), "rms_norm_eps")["text"]
    assert "q_a_layernorm.weight [1536]" in text
    assert "kv_a_layernorm.weight [512]" in text
    assert "latents" not in explained(report_of({**config, "rms_norm_eps": 1e-06}), "rms_norm_eps")["text"]


def test_impossible_eps_is_left_to_the_findings() -> None:
    assert all(e["key"] != "rms_norm_eps" for e in llama(rms_norm_eps=0)["explanations"] or [])


# --- the width ---


def test_llama_rule_in_steps_and_its_cost() -> None:
    e = explained(llama(), "intermediate_size")
    assert (e["formula"] or "").split("\n") == [
        "4 × 4096 = 16384",
        "2/3 × 16384 = 32768/3",
        "int(32768/3) = 10922",
        "ceil(10922 / 256) × 256 = 43 × 256 = 11008",
    ]
    assert "rounding costs 1,048,576 (0.78%)" in e["text"]
    assert "11,008 = 2^8 · 43" in e["text"]
    assert "divine benevolence" in e["text"]


def test_fitting_rules_are_counted_and_none_is_claimed() -> None:
    text = explained(llama(hidden_size=8192, intermediate_size=28672, num_attention_heads=64), "intermediate_size")[
        "text"
    ]
    assert "(1.3, 4096)" in text
    assert "(1.25, 2048)" in text
    assert "does not tell which" in text
    assert "is exactly that" not in text


def test_four_times_in_a_gated_block_is_not_the_convention_of_2017() -> None:
    text = explained(llama(hidden_size=2048, intermediate_size=8192), "intermediate_size")["text"]
    assert "with three matrices" in text
    assert "as in the Transformer of 2017" not in text


def test_four_times_in_a_plain_block_is() -> None:
    e = explained(report_of(GPT2), "n_inner")
    assert e["source"] == "derived"
    assert "as in the Transformer of 2017" in e["text"]
    assert "Shazeer" not in e["text"]


def test_exact_eight_thirds_needs_no_rounding() -> None:
    text = explained(llama(hidden_size=3072, intermediate_size=8192), "intermediate_size")["text"]
    assert "nothing is rounded" in text


def test_no_rule_fits_is_said() -> None:
    text = explained(llama(hidden_size=2560, intermediate_size=9728), "intermediate_size")["text"]
    assert "None of the rules tried here leads from 2,560 to 9,728" in text


@pytest.mark.parametrize(
    ("group", "whole", "broken"),
    [(128, "1 (86), 2 (43)", "4 (21.5), 8 (10.75)"), (64, "1 (172), 2 (86), 4 (43)", "8 (21.5)")],
)
def test_configured_groups_against_ranks(group: int, whole: str, broken: str) -> None:
    config = {"quantization_config": {"quant_method": "awq", "bits": 4, "group_size": group}}
    text = explained(llama(**config), "intermediate_size")["text"]
    assert f"that work: {whole}." in text
    assert f"that cut a group: {broken}" in text


def test_next_width_for_groups() -> None:
    text = explained(
        llama(hidden_size=8192, intermediate_size=29568, quantization_config={"group_size": 128}), "intermediate_size"
    )["text"]
    assert "Padded with zeros to 29,696" in text
    assert "29,568 mod 256 = 128" in text


def test_block_size_of_fp8_is_read_and_experts_too() -> None:
    config: dict[str, object] = {
        "model_type": "deepseek_v3", "num_hidden_layers": 5, "quantization_config": {"weight_block_size": [128, 128]},
    }  # fmt: skip
    report = report_of(config)
    assert "that cut a group: 32 (4.5)" in explained(report, "intermediate_size")["text"]
    assert "that cut a group: 32 (0.5)" in explained(report, "moe_intermediate_size")["text"]


def test_no_groups_without_quantization() -> None:
    assert "cut a group" not in explained(llama(), "intermediate_size")["text"]


def test_a_width_that_no_layer_uses() -> None:
    config: dict[str, object] = {
        "model_type": "qwen2_moe", "hidden_size": 3584, "intermediate_size": 18944, "moe_intermediate_size": 2560,
        "shared_expert_intermediate_size": 20480, "num_experts": 64, "num_hidden_layers": 2, "num_attention_heads": 28,
        "num_key_value_heads": 4,
    }  # fmt: skip
    text = explained(report_of(config), "intermediate_size")["text"]
    assert "No layer of this model uses it; in use: 2,560, 20,480." in text
    assert "rule" not in text


@pytest.mark.parametrize("family", ["wav2vec2", "deit", "strange"])
def test_of_an_unknown_type_no_width_is_said_to_be_an_experts(family: str) -> None:
    config: dict[str, object] = {"model_type": family, "hidden_size": 768, "intermediate_size": 3072}
    text = explained(report_of(config), "intermediate_size")["text"]
    assert "expert" not in text
    assert "four times the hidden size" in text
    assert "an expert is" in explained(report_of({**config, "num_local_experts": 8}), "intermediate_size")["text"]
    both = {**config, "num_local_experts": 8, "moe_intermediate_size": 128}
    assert "an expert is" not in explained(report_of(both), "intermediate_size")["text"]


def test_mixtral_width_is_per_expert() -> None:
    report = report_of(MIXTRAL)
    found = [e for e in report["explanations"] or [] if e["key"] == "intermediate_size"]
    assert "the width of each expert" in found[0]["text"]
    assert found[1]["formula"] == "2 × 14336 = 28672"


# --- parameters ---


def test_ffn_parameters_by_matrix_and_share() -> None:
    e = explained(sound_report(LLAMA_2_7B), "ffn.params.total")
    assert e["value"] == 4_328_521_728
    assert (e["formula"] or "").split("\n")[0] == (
        "32 × (gate 45,088,768 + up 45,088,768 + down 45,088,768) = 4,328,521,728"
    )
    assert "Config and tensors agree" in e["text"]
    assert "64.2%" in e["text"]


def test_config_only_does_not_claim_agreement() -> None:
    text = explained(llama(), "ffn.params.total")["text"]
    assert "no tensors were read" in text
    assert "agree" not in text


def test_missing_matrix_is_a_difference() -> None:
    tensors = sound(LLAMA_2_7B)
    del tensors["model.layers.3.mlp.up_proj.weight"]
    text = explained(report_of(LLAMA_2_7B, tensors), "ffn.params.total")["text"]
    assert "they differ by 45,088,768" in text


def test_expert_parameters_by_matrix() -> None:
    e = explained(sound_report(MIXTRAL), "ffn.params.total")
    assert (e["formula"] or "").startswith(
        "32 × 8 × (gate 58,720,256 + up 58,720,256 + down 58,720,256) = 45,097,156,608"
    )
    assert "One token goes through 11,274,289,152" in e["text"]
    assert "in Qwen 1 w2 is the gate" in e["text"]


def test_swap_of_gate_and_up_is_said_to_be_unseen() -> None:
    assert "cannot show whether a converter swapped them" in explained(llama(), "ffn.params.total")["text"]
    assert "swapped" not in explained(report_of(GPT2), "ffn.params.total")["text"]


def test_fused_layouts_are_the_familys() -> None:
    phi3 = explained(report_of({"model_type": "phi3"}), "ffn.params.total")["text"]
    oss = explained(report_of({"model_type": "gpt_oss", "num_hidden_layers": 2}), "ffn.params.total")["text"]
    assert "two halves" in phi3
    assert "rows alternate" in oss
    assert "cannot show whether a converter kept it" in oss


# --- norms, biases, head ---


@pytest.mark.parametrize(
    ("config", "placement", "flow"),
    [
        (LLAMA_2_7B, "pre", "x ← x + f(norm(x))"),
        (GEMMA_2_2B, "sandwich", "x ← x + norm(f(norm(x)))"),
        ({"model_type": "olmo2"}, "output", "x ← x + norm(f(x))"),
        ({"model_type": "bert"}, "post", "x ← norm(x + f(x))"),
        ({"model_type": "cohere"}, "parallel", "x ← x + attention(norm(x)) + ffn(norm(x))"),
    ],
)
def test_placement_is_a_formula(config: dict[str, object], placement: str, flow: str) -> None:
    e = explained(report_of(config), "norm.placement")
    assert (e["value"], e["formula"]) == (placement, flow)


def test_final_norm_present_absent_unseen() -> None:
    tensors = sound(LLAMA_2_7B)
    assert explained(report_of(LLAMA_2_7B, tensors), "norm.final_norm")["text"].startswith(
        "It is there: model.norm.weight."
    )
    del tensors["model.norm.weight"]
    assert explained(report_of(LLAMA_2_7B, tensors), "norm.final_norm")["text"].startswith("It is missing")
    assert "were not read" in explained(llama(), "norm.final_norm")["text"]


def test_post_norm_has_no_final_norm() -> None:
    assert "already ends in a norm" in explained(report_of({"model_type": "bert"}), "norm.final_norm")["text"]


def test_bias_flags_with_their_origin() -> None:
    text = explained(llama(attention_bias=True), "bias")["text"]
    assert "attention_bias = true, mlp_bias = false (default)" in text
    assert "model.layers.{0-31}.self_attn.q_proj.bias" in text


def test_biases_by_architecture_have_no_flag() -> None:
    assert "No key of qwen2 is there to switch biases" in explained(report_of({"model_type": "qwen2"}), "bias")["text"]


def test_tied_head_is_counted_once() -> None:
    assert (
        "one matrix, counted once"
        in explained(llama(tie_word_embeddings=True), "tie_word_embeddings")["text"]
    )


# --- honesty, safety, catalogue ---


def test_unknown_family_makes_no_claims_on_placement() -> None:
    report = report_of({**LLAMA_2_7B, "model_type": "nobody-knows"}, sound(LLAMA_2_7B))
    keys = {e["key"] for e in report["explanations"] or []}
    assert "norm.placement" not in keys
    assert "No table says" in explained(report, "bias")["text"]


def test_names_from_files_are_cleaned() -> None:
    report = report_of(
        {"model_type": "x\x1b[31m", "hidden_size": 64, "num_hidden_layers": 1}, {"layers.0.\x1b[2J.mlp.bias": (4,)}
    )
    assert all("\x1b" not in str(e) for e in report["explanations"] or [])


def test_eps_texts_exist_for_every_lineage() -> None:
    used = {f.eps_used for name in TABLES if (f := find(name)) is not None and f.eps_used}
    assert used
    assert {f"explain.eps.used.{u}" for u in used} <= set(TEXTS)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_languages_have_the_same_keys_and_placeholders(lang: str) -> None:
    texts = catalogue(lang)
    for key, english in TEXTS.items():
        assert fields(texts.text(key)) == fields(english), key


def fields(template: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(template) if name}
