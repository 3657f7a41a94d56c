"""Faults that a config shows by itself: positions, classes, dtypes, quantization, experts, layer types."""

from __future__ import annotations

from typing import Any

import pytest

from models import report_of

LLAMA: dict[str, Any] = {
    "model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 4096, "intermediate_size": 11008,
    "num_hidden_layers": 32, "num_attention_heads": 32, "vocab_size": 32000, "rms_norm_eps": 1e-5,
}  # fmt: skip
MIXTRAL: dict[str, Any] = {
    **LLAMA, "model_type": "mixtral", "architectures": ["MixtralForCausalLM"], "num_local_experts": 8,
    "num_experts_per_tok": 2, "num_key_value_heads": 8,
}  # fmt: skip
DORY: dict[str, Any] = {"model_type": "dory", "n_input_layers": 2, "n_output_layers": 2}
T5: dict[str, Any] = {"model_type": "t5", "d_model": 512, "d_kv": 64, "d_ff": 1024, "num_layers": 2, "num_heads": 8}
YARN = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 2048}
LLAMA3 = {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
          "original_max_position_embeddings": 8192}  # fmt: skip


def found(config: dict[str, Any]) -> list[tuple[str, str, str | None]]:
    return [(f["severity"], f["name"], f["pointer"]) for f in report_of(config)["findings"] or []
            if f["severity"] != "note"]  # fmt: skip


@pytest.mark.parametrize(
    ("base", "more", "name", "at"),
    [
        (LLAMA, {"rope_scaling": "yarn"}, "invalid-config", "/rope_scaling"),
        (LLAMA, {"rope_parameters": [1]}, "invalid-config", "/rope_parameters"),
        (LLAMA, {"rope_scaling": {"type": "zzz", "factor": 2.0}}, "invalid-config", "/rope_scaling/type"),
        (LLAMA, {"rope_scaling": {"rope_type": 3}}, "invalid-config", "/rope_scaling/rope_type"),
        (LLAMA, {"rope_scaling": {"type": "linear"}}, "invalid-config", "/rope_scaling"),
        (LLAMA, {"rope_scaling": {"rope_type": "yarn"}}, "invalid-config", "/rope_scaling"),
        (LLAMA, {"rope_scaling": {"rope_type": "llama3", "factor": 8.0}}, "invalid-config", "/rope_scaling"),
        (LLAMA, {"rope_scaling": {"type": "linear", "factor": "2"}}, "numeric-string", "/rope_scaling/factor"),
        (LLAMA, {"rope_scaling": {"type": "linear", "factor": [2]}}, "invalid-config", "/rope_scaling/factor"),
        (LLAMA, {"head_dim": 127}, "invalid-config", "/head_dim"),
        (LLAMA, {"torch_dtype": "float17"}, "invalid-config", "/torch_dtype"),
        (LLAMA, {"dtype": 16}, "invalid-config", "/dtype"),
        (LLAMA, {"architectures": "LlamaForCausalLM"}, "invalid-config", "/architectures"),
        (LLAMA, {"architectures": [1]}, "invalid-config", "/architectures"),
        (LLAMA, {"quantization_config": "gptq"}, "invalid-config", "/quantization_config"),
        (LLAMA, {"quantization_config": {}}, "invalid-config", "/quantization_config"),
        (LLAMA, {"quantization_config": {"quant_method": "gptq", "bits": "4"}}, "numeric-string",
         "/quantization_config/bits"),
        (LLAMA, {"layer_types": ["full_attention"] * 31}, "invalid-config", "/layer_types"),
        (LLAMA, {"layer_types": ["foo"] * 32}, "invalid-config", "/layer_types/0"),
        (LLAMA, {"layer_types": ["mlp"] * 32}, "invalid-config", "/layer_types/0"),
        (LLAMA, {"layer_types": "full_attention"}, "invalid-config", "/layer_types"),
        (LLAMA, {"num_attention_heads": 96}, "head-mismatch", "/num_attention_heads"),
        # Heads of 41: no pairs to turn.
        (MIXTRAL, {"num_attention_heads": 99, "num_key_value_heads": 9}, "head-mismatch", "/num_attention_heads"),
        (MIXTRAL, {"num_local_experts": 0}, "invalid-config", "/num_local_experts"),
        (MIXTRAL, {"num_experts_per_tok": 0}, "invalid-config", "/num_experts_per_tok"),
        (T5, {"feed_forward_proj": "gated-foo"}, "invalid-config", "/feed_forward_proj"),
        (T5, {"feed_forward_proj": "a-b-c"}, "invalid-config", "/feed_forward_proj"),
    ],
)  # fmt: skip
def test_a_fault_of_the_config_alone(base: dict[str, Any], more: dict[str, Any], name: str, at: str) -> None:
    assert found({**base, **more}) == [("error", name, at)]


@pytest.mark.parametrize(
    ("base", "more"),
    [
        (LLAMA, {"rope_scaling": None}),
        (LLAMA, {"rope_scaling": {}}),
        (LLAMA, {"rope_parameters": YARN}),
        (LLAMA, {"rope_scaling": LLAMA3}),
        (LLAMA, {"rope_scaling": {"type": "zzz"}, "auto_map": {"AutoConfig": "configuration.Own"}}),
        (LLAMA, {"rope_scaling": {"type": "mrope", "mrope_section": [16, 24, 24]}}),
        (LLAMA, {"torch_dtype": "auto"}),
        (LLAMA, {"torch_dtype": {"text_config": "bfloat16"}}),
        (LLAMA, {"architectures": None}),
        (LLAMA, {"architectures": []}),
        (LLAMA, {"architectures": ["OwnLlamaForCausalLM"]}),
        (LLAMA, {"layer_types": ["full_attention"] * 32}),
        # Dory's published configs list attention and feed-forward block of a layer one by one.
        (DORY, {"layer_types": ["sliding_attention", "mlp"] * 2 + ["full_attention", "mlp"], "num_hidden_layers": 6}),
        (LLAMA, {"quantization": {"bits": 4, "group_size": 64}, "quantization_config": {"bits": 4, "group_size": 64}}),
        (LLAMA, {"quantization_config": {"load_in_8bit": True}}),
        # Without experts Granite 4 builds no router, and its dense block remains.
        (LLAMA, {"model_type": "granitemoehybrid", "architectures": None, "num_local_experts": 0,
                 "num_experts_per_tok": 2, "layer_types": ["attention"] * 32}),
        # Heads of 42 fill less than the hidden size, and every matrix follows them.
        (LLAMA, {"model_type": "glm4_moe", "architectures": None, "num_attention_heads": 96,
                 "num_key_value_heads": 8}),
        (T5, {"feed_forward_proj": "gated-gelu"}),
        (T5, {"feed_forward_proj": "gated-silu"}),
    ],
)
def test_what_libraries_take_is_no_fault(base: dict[str, Any], more: dict[str, Any]) -> None:
    assert found({**base, **more}) == []


def test_a_factor_below_one_runs_and_is_a_warning() -> None:
    assert found({**LLAMA, "rope_scaling": {"type": "linear", "factor": 0.5}}) == [
        ("warning", "invalid-config", "/rope_scaling/factor")
    ]


@pytest.mark.parametrize(
    ("model_type", "cls", "fault"),
    [
        ("llama", "Qwen2ForCausalLM", True),
        ("mistral", "LlamaForCausalLM", True),
        ("qwen2", "Qwen2ForSequenceClassification", False),
        ("llama", "LlamaBidirectionalModel", False),
    ],
)
def test_a_class_of_another_family(model_type: str, cls: str, fault: bool) -> None:
    config = {**LLAMA, "model_type": model_type, "architectures": [cls], "num_key_value_heads": 32, "head_dim": 128}
    said = [f for f in report_of(config)["findings"] or [] if f["name"] == "key-conflict"]
    assert [(f["severity"], f["pointer"]) for f in said] == ([("note", "/architectures")] if fault else [])


def test_an_eps_under_a_key_that_is_not_read() -> None:
    config = {k: v for k, v in LLAMA.items() if k != "rms_norm_eps"}
    (found,) = [f for f in report_of({**config, "layer_norm_eps": 1e-5})["findings"] or [] if "eps" in f["name"]]
    assert (found["name"], found["severity"], found["pointer"]) == ("eps-missing", "note", "/layer_norm_eps")
    assert "layer_norm_eps = 1e-05" in found["message"]


@pytest.mark.parametrize(
    ("declared", "meant"), [("Llama", "llama"), ("lama", "llama"), ("qwen-2", "qwen2"), ("llama ", "llama")]
)
def test_a_misspelt_model_type(declared: str, meant: str) -> None:
    (found,) = [f for f in report_of({**LLAMA, "model_type": declared})["findings"] or []
                if f["name"] == "unknown-family"]  # fmt: skip
    assert f"Is {meant} meant?" in found["hint"]
    assert "no tensors" in found["message"]


def test_a_model_type_like_no_other() -> None:
    (found,) = [f for f in report_of({**LLAMA, "model_type": "zzzz-own"})["findings"] or []
                if f["name"] == "unknown-family"]  # fmt: skip
    assert "meant" not in found["hint"]
