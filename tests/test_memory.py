"""The cache of one sequence, in each model's own layout: published models, in KiB per token at 16 bits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from cfgexplain.checkpoint import Checkpoint, ConfigFile, Target
from cfgexplain.inspect import Wanted, inspect
from cfgexplain.render import Style
from cfgexplain.render.text import render

if TYPE_CHECKING:
    from cfgexplain.report import MemoryR

MLA: dict[str, Any] = {
    "q_lora_rank": 1536,
    "kv_lora_rank": 512,
    "qk_nope_head_dim": 128,
    "qk_rope_head_dim": 64,
    "v_head_dim": 128,
}
LLAMA_3_8B: dict[str, Any] = {
    "model_type": "llama",
    "hidden_size": 4096,
    "intermediate_size": 14336,
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "vocab_size": 128256,
    "max_position_embeddings": 8192,
}
MODELS: dict[str, tuple[dict[str, Any], float, str]] = {
    "Llama-3-8B": (LLAMA_3_8B, 128, "32 · 2 · 8 · 128 · 2 = 131072"),
    "DeepSeek-V3": (
        {"model_type": "deepseek_v3", "num_hidden_layers": 61, "hidden_size": 7168, "num_attention_heads": 128, **MLA},
        68.625,
        "61 · (512 + 64) · 2 = 70272",
    ),
    "OLMo-2-7B": (
        {
            "model_type": "olmo2",
            "hidden_size": 4096,
            "num_hidden_layers": 32,
            "num_attention_heads": 32,
            "num_key_value_heads": 32,
        },
        512,
        "32 · 2 · 32 · 128 · 2 = 524288",
    ),
    "GPT-2 XL": (
        {"model_type": "gpt2", "n_embd": 1600, "n_layer": 48, "n_head": 25},
        300,
        "48 · 2 · 25 · 64 · 2 = 307200",
    ),
    "Gemma-3-27B": (
        {
            "model_type": "gemma3",
            "text_config": {
                "model_type": "gemma3_text",
                "hidden_size": 5376,
                "num_hidden_layers": 62,
                "num_attention_heads": 32,
                "num_key_value_heads": 16,
                "head_dim": 128,
                "sliding_window": 1024,
            },
        },
        496,
        "62 · 2 · 16 · 128 · 2 = 507904",
    ),
    "gpt-oss-20b": (
        {
            "model_type": "gpt_oss",
            "hidden_size": 2880,
            "num_hidden_layers": 24,
            "num_attention_heads": 64,
            "num_key_value_heads": 8,
            "head_dim": 64,
            "sliding_window": 128,
            "max_position_embeddings": 131072,
        },
        48,
        "24 · 2 · 8 · 64 · 2 = 49152",
    ),
    "Qwen3-Next-80B": (
        {
            "model_type": "qwen3_next",
            "hidden_size": 2048,
            "num_hidden_layers": 48,
            "num_attention_heads": 16,
            "num_key_value_heads": 2,
            "head_dim": 256,
            "full_attention_interval": 4,
        },
        24,
        "12 · 2 · 2 · 256 · 2 = 24576",
    ),
}


def memory(config: dict[str, Any]) -> MemoryR:
    r = inspect(Checkpoint(Target("x", "directory"), ConfigFile("config.json", "", config)), Wanted(explanations=False))
    assert r["memory"] is not None
    return r["memory"]


@pytest.mark.parametrize("name", MODELS)
def test_growth_per_token(name: str) -> None:
    config, kib, formula = MODELS[name]
    m = memory(config)
    assert m["kv_cache_bytes_per_token"] == kib * 1024
    assert m["kv_cache_formula"] == formula
    assert m["kv_cache_dtype_bytes"] == 2


def test_windows_are_capped_at_the_full_context() -> None:
    """gpt-oss-20b: 12 full layers grow to 131072 tokens, 12 stop at 128."""
    per_layer = 2 * 8 * 64 * 2
    assert memory(MODELS["gpt-oss-20b"][0])["kv_cache_bytes_at_context"] == per_layer * 12 * (131072 + 128)


def test_a_model_without_mixers_has_no_constant_state() -> None:
    assert memory(LLAMA_3_8B)["constant_state_bytes"] == 0


@pytest.mark.parametrize(
    "q",
    [
        {"quant_method": "modelopt", "kv_cache_scheme": {"num_bits": 8, "type": "float", "dynamic": False}},
        {"producer": {"name": "modelopt"}, "quant_algo": "FP8", "kv_cache_quant_algo": "FP8"},
    ],
)
def test_the_config_may_name_an_8_bit_cache(q: dict[str, Any]) -> None:
    m = memory({**LLAMA_3_8B, "quantization_config": q})
    assert m["kv_cache_dtype_bytes"] == 1
    assert m["kv_cache_bytes_per_token"] == 64 * 1024


def test_an_unknown_family_has_no_number() -> None:
    m = memory({"model_type": "nobody-knows", "hidden_size": 64})
    assert m["kv_cache_bytes_per_token"] is None
    assert m["constant_state_bytes"] is None


def test_constant_state_of_a_hybrid() -> None:
    """Qwen3-Next: 36 layers keep 4 steps of 8192 channels, and 32 matrices of 128 × 128."""
    assert memory(MODELS["Qwen3-Next-80B"][0])["constant_state_bytes"] == 36 * (8192 * 4 + 32 * 128 * 128) * 2


def test_constant_state_of_mamba() -> None:
    """Mamba 130M (Gu & Dao 2023): 24 layers of 1536 channels, 4 steps of convolution and a state of 16."""
    config = {
        "model_type": "mamba",
        "hidden_size": 768,
        "num_hidden_layers": 24,
        "state_size": 16,
        "intermediate_size": 1536,
    }
    m = memory(config)
    assert m["constant_state_bytes"] == 24 * 1536 * (4 + 16) * 2
    assert m["kv_cache_bytes_per_token"] == 0
    assert m["kv_cache_formula"] is None


#: Config → elements of constant state in the whole model, as the reference implementation allocates its caches.
STATES: dict[str, tuple[dict[str, Any], int]] = {
    "Zamba2-1.2B": (
        {
            "model_type": "zamba2", "hidden_size": 2048, "num_hidden_layers": 38, "mamba_expand": 2,
            "mamba_d_state": 128, "mamba_ngroups": 1, "mamba_d_conv": 4, "n_mamba_heads": 64,
            "layers_block_type": ["mamba"] * 5 + ["hybrid"] + ["mamba"] * 32,
        },
        38 * ((4096 + 2 * 1 * 128) * 4 + 64 * 64 * 128),
    ),
    "Zamba-7B": (
        {"model_type": "zamba", "hidden_size": 3712, "num_hidden_layers": 76, "mamba_d_state": 16, "mamba_d_conv": 4},
        76 * (7424 * 4 + 2 * 3712 * 16),
    ),
    "RWKV-4-169M": (
        {"model_type": "rwkv", "hidden_size": 768, "attention_hidden_size": 768, "num_hidden_layers": 12},
        12 * 5 * 768,
    ),
    "xLSTM-7B": (
        {
            "model_type": "xlstm", "hidden_size": 4096, "num_blocks": 32, "num_heads": 8, "qk_dim_factor": 0.5,
            "v_dim_factor": 1.0,
        },
        32 * 8 * (256 * 512 + 256 + 1),
    ),
    "RecurrentGemma-2B": (
        {
            "model_type": "recurrent_gemma", "hidden_size": 2560, "lru_width": 2560, "num_hidden_layers": 26,
            "conv1d_width": 4,
        },
        18 * (2560 * 3 + 2560),
    ),
    "MiniMax-Text-01": (
        {
            "model_type": "minimax", "hidden_size": 6144, "num_hidden_layers": 80, "num_attention_heads": 64,
            "num_key_value_heads": 8, "head_dim": 128,
            "layer_types": (["linear_attention"] * 7 + ["full_attention"]) * 10,
        },
        70 * 64 * 128 * 128,
    ),
    "Kimi-Linear-48B": (
        {
            "model_type": "kimi_linear", "num_hidden_layers": 27,
            "linear_attn_config": {
                "full_attn_layers": [4, 8, 12, 16, 20, 24, 27], "head_dim": 128, "num_heads": 32,
                "short_conv_kernel_size": 4,
            },
        },
        20 * (3 * 4096 * 4 + 32 * 128 * 128),
    ),
    "Bailing hybrid": (
        {
            "model_type": "bailing_hybrid", "num_hidden_layers": 42, "layer_group_size": 6,
            "num_attention_heads": 32, "head_dim": 128,
        },
        35 * (3 * 4096 * 4 + 32 * 128 * 128),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", STATES)
def test_constant_state(name: str) -> None:
    """At 2 bytes an element, as the cache."""
    config, elements = STATES[name]
    assert memory(config)["constant_state_bytes"] == 2 * elements


@pytest.mark.parametrize("model_type", ["kimi_k25_vision", "step3p5_vision", "dots3_note_audio_encoder"])
def test_a_tower_alone_has_no_cache(model_type: str) -> None:
    assert memory({"model_type": model_type})["kv_cache_bytes_per_token"] is None


@pytest.mark.parametrize(
    "model_type", ["clip", "siglip", "clip_text_model", "siglip_text_model", "llama4_vision_model", "bert"]
)
def test_what_reads_a_text_or_an_image_once_keeps_nothing(model_type: str) -> None:
    m = memory({"model_type": model_type})
    assert (m["kv_cache_bytes_per_token"], m["kv_cache_bytes_at_context"] or 0) == (0, 0)


@pytest.mark.parametrize(
    ("model_type", "context"),
    [("recurrent_gemma", None), ("paddleocr_vl_text", 131072), ("seamless_m4t_v2", 4096), ("seamless_m4t", 1024)],
)
def test_the_context_is_what_the_config_class_promises(model_type: str, context: int | None) -> None:
    """RecurrentGemmaConfig has a window and no number of positions."""
    from models import report_of

    r = report_of({"model_type": model_type})
    assert r["model"] is not None
    assert r["model"]["max_position_embeddings"] == context


def test_an_impossible_context_has_no_cache() -> None:
    assert memory({**LLAMA_3_8B, "max_position_embeddings": -1})["kv_cache_bytes_at_context"] is None


#: Attention that looks ahead too, and encoders taken out of a pair: each new token would change all that was kept.
KEEPS_NOTHING: dict[str, dict[str, Any]] = {
    "EmbeddingGemma": {
        "model_type": "gemma3_text", "architectures": ["Gemma3TextModel"], "num_hidden_layers": 6,
        "use_bidirectional_attention": True,
    },
    "Gemma 4": {"model_type": "gemma4_text", "num_hidden_layers": 6, "use_bidirectional_attention": "all"},
    **{
        f"{name}-{cls}": {"model_type": name, "architectures": [prefix + cls]}
        for name, prefix in (("t5", "T5"), ("mt5", "MT5"), ("umt5", "UMT5"), ("longt5", "LongT5"), ("udop", "Udop"))
        for cls in ("EncoderModel",)
    },
    "T5GemmaEncoderModel": {
        "model_type": "t5gemma", "architectures": ["T5GemmaEncoderModel"], "is_encoder_decoder": False,
    },
    "T5ForTokenClassification": {"model_type": "t5", "architectures": ["T5ForTokenClassification"]},
}


@pytest.mark.parametrize("name", KEEPS_NOTHING)
def test_what_reads_the_whole_text_at_once_keeps_no_cache(name: str) -> None:
    m = memory(KEEPS_NOTHING[name])
    assert (m["kv_cache_bytes_per_token"], m["kv_cache_formula"], m["windowed_layers"]) == (0, None, 0)


@pytest.mark.parametrize(
    "config",
    [
        {"model_type": "gemma3_text", "use_bidirectional_attention": False},
        {"model_type": "gemma4_text", "use_bidirectional_attention": "vision"},
        {"model_type": "t5", "architectures": ["T5ForConditionalGeneration"]},
    ],
)
def test_the_same_families_keep_one_where_they_look_back(config: dict[str, Any]) -> None:
    assert memory(config)["kv_cache_bytes_per_token"]


def test_a_state_is_told_with_the_width_that_it_is_counted_at() -> None:
    """RwkvModel.forward keeps three of its five states in float32 whatever the weights are."""
    r = inspect(Checkpoint(Target("x", "directory"), ConfigFile("config.json", "", {"model_type": "rwkv"})), Wanted())
    told = next(e["text"] for e in r["explanations"] or [] if e["key"] == "memory.constant_state_bytes")
    assert "at 2 bytes an element; what an implementation keeps in float32 takes twice as much" in told
    assert "at 2 bytes an element, whatever the length" in " ".join(" ".join(render([r], Style())).split())


def test_of_an_encoder_that_no_table_describes_no_cache_is_told() -> None:
    assert memory({"model_type": "pegasus", "architectures": ["PegasusEncoder"]})["kv_cache_bytes_per_token"] is None
    assert memory({"model_type": "pegasus"})["kv_cache_bytes_per_token"]
