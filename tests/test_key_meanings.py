"""Keys whose spelling means something else in some families, keys that another one idles, and what no header shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from cfgexplain.inspect import Wanted, inspect
from cfgexplain.lang import catalogue
from cfgexplain.render.text_facts import key_to_ask
from corpus import checkpoint

if TYPE_CHECKING:
    from cfgexplain.report import ExplanationR, Report

MAMBA2: dict[str, object] = {
    "model_type": "mamba2", "hidden_size": 2560, "num_hidden_layers": 4, "num_heads": 80, "head_dim": 64,
    "vocab_size": 100,
}  # fmt: skip
DBRX: dict[str, object] = {"model_type": "dbrx", "attn_config": {"clip_qkv": 8, "kv_n_heads": 8}}
FALCON: dict[str, object] = {
    "model_type": "falcon", "num_hidden_layers": 2, "hidden_size": 256, "num_attention_heads": 16, "num_kv_heads": 4,
    "multi_query": True, "new_decoder_architecture": True, "vocab_size": 100,
}  # fmt: skip
DEBERTA: dict[str, object] = {
    "model_type": "deberta-v2", "relative_attention": True, "position_buckets": 256, "max_position_embeddings": 512,
    "pos_att_type": ["p2c", "c2p"], "share_att_key": True,
}  # fmt: skip
QWEN_VL: dict[str, object] = {
    "model_type": "qwen2_5_vl", "vision_config": {"window_size": 112, "fullatt_block_indexes": [7, 15]},
}  # fmt: skip
ZORB: dict[str, object] = {"model_type": "zorb", "dim": 1024, "depth": 12}


def report(config: dict[str, object], *keys: str) -> Report:
    return inspect(checkpoint(config, None), Wanted(keys=keys) if keys else Wanted())


def one(config: dict[str, object], key: str) -> ExplanationR:
    (found,) = report(config, key)["explanations"] or []
    return found


def unseen(config: dict[str, object]) -> str:
    return next(e["text"] for e in report(config)["explanations"] or [] if e["key"] == "unseen")


@pytest.mark.parametrize(
    ("config", "key", "name"),
    [
        (MAMBA2, "num_heads", "num_attention_heads.ssm"),
        (MAMBA2, "head_dim", "head_dim.ssm"),
        ({"model_type": "xlstm"}, "num_heads", "num_attention_heads.mlstm"),
        (FALCON, "new_decoder_architecture", "multi_query.new"),
        ({"model_type": "llama4_text"}, "use_qk_norm", "use_qk_norm.plain"),
        (QWEN_VL, "vision_config.window_size", "sliding_window.pixels"),
        (QWEN_VL, "vision_config.fullatt_block_indexes", "fullatt_block_indexes"),
        ({"model_type": "granite_speech"}, "window_size", "sliding_window.frames"),
        ({"model_type": "t5", "tie_word_embeddings": False}, "tie_word_embeddings", "tie_word_embeddings.scale"),
        ({"model_type": "mt5", "tie_word_embeddings": False}, "tie_word_embeddings", "tie_word_embeddings.set"),
        ({"model_type": "rwkv"}, "attention_hidden_size", "attention_hidden_size"),
        (DEBERTA, "pos_att_type", "pos_att_type"),
        (DEBERTA, "share_att_key", "pos_att_type"),
        ({"model_type": "albert"}, "num_hidden_groups", "num_hidden_groups"),
        ({"model_type": "gemma3n_text"}, "activation_sparsity_pattern", "activation_sparsity_pattern"),
    ],
)
def test_a_spelling_means_what_the_family_means_by_it(config: dict[str, object], key: str, name: str) -> None:
    assert catalogue("en").text(f"key.{name}.does") in one(config, key)["text"]


def test_a_key_that_another_idles_changes_nothing() -> None:
    assert "With new_decoder_architecture set" in one(FALCON, "multi_query")["text"]
    assert "With new" not in one({**FALCON, "new_decoder_architecture": False}, "multi_query")["text"]


def test_shapes_follow_from_the_branch_that_the_config_takes() -> None:
    assert "rel_embeddings" not in one(DEBERTA, "max_position_embeddings")["text"]
    assert "rel_embeddings" in one(DEBERTA, "position_buckets")["text"]
    assert "rel_embeddings" in one({**DEBERTA, "position_buckets": -1}, "max_position_embeddings")["text"]


def test_a_default_of_tensors_that_are_not_there_is_not_read_beside() -> None:
    dense = {"model_type": "nemotron_h", "hybrid_override_pattern": "M-*-", "num_hidden_layers": 4}
    assert "moe_intermediate_size" not in one(dense, "intermediate_size")["text"]


def test_an_unknown_family_takes_no_key_and_has_no_table() -> None:
    said = one(ZORB, "intermediate_size")["text"]
    assert "unknown" not in said
    assert "then goes by" not in said
    assert key_to_ask(report(ZORB)) == "model_type"


def test_no_text_no_name_of_the_table() -> None:
    assert "“" not in catalogue("en").text("explain.key.unexplained")


def test_a_nested_key_can_be_asked_for_as_it_is_told() -> None:
    said = unseen(DBRX)
    assert "ffn_act_fn.name = silu (not set: default)" in said
    assert "attn_config.clip_qkv = 8" in said
    for name in ("ffn_act_fn.name", "ffn_act_fn"):
        assert one(DBRX, name)["key"] == "ffn_config.ffn_act_fn.name"


@pytest.mark.parametrize("config", [DBRX, {"model_type": "mpt", "attn_config": {"clip_qkv": 6}}])
def test_clipping_inside_attn_config_is_remarked(config: dict[str, object]) -> None:
    model = report(config)["model"]
    assert model is not None
    assert "clip-qkv" in {r["name"] for r in model["remarks"] or ()}


def test_a_list_that_is_set_is_no_default() -> None:
    n = 35
    config = {"model_type": "gemma3n_text", "num_hidden_layers": n, "activation_sparsity_pattern": [0.95] * n}
    assert "activation_sparsity_pattern = a list of 35" in unseen(config)
    assert "use_qk_norm = false" not in unseen({"model_type": "llama4_text", "use_qk_norm": False})
    assert "use_qk_norm = true" in unseen({"model_type": "llama4_text", "use_qk_norm": True})


def test_norms_of_mixers_are_named() -> None:
    eps = next(e["text"] for e in report(MAMBA2)["explanations"] or [] if "norm_eps" in (e["key"] or "") or
               "epsilon" in (e["key"] or ""))
    assert "Norms elsewhere" in eps
    texts = " ".join(e["text"] for e in report({"model_type": "qwen3_next"})["explanations"] or [])
    assert "there the gain is w itself (linear_attn.norm.weight)" in texts
    plain = " ".join(e["text"] for e in report({"model_type": "gemma2"})["explanations"] or [])
    assert "there the gain is w itself" not in plain


def test_a_state_fades_at_rates_of_what_the_model_has() -> None:
    assert "each channel" not in catalogue("en").text("explain.states.kind.ssm")


@pytest.mark.parametrize(
    ("config", "usable"),
    [
        ({"model_type": "roberta", "max_position_embeddings": 514}, 512),
        ({"model_type": "xlm-roberta", "max_position_embeddings": 514, "pad_token_id": 1}, 512),
        ({"model_type": "longformer", "max_position_embeddings": 4098}, 4096),
        ({"model_type": "mpnet", "max_position_embeddings": 514, "pad_token_id": 3}, 512),
        ({"model_type": "esm", "max_position_embeddings": 1026, "vocab_size": 33}, None),
        ({"model_type": "esm", "max_position_embeddings": 1026, "vocab_size": 33, "pad_token_id": 1}, 1024),
        ({"model_type": "bert", "max_position_embeddings": 512, "pad_token_id": 1}, None),
    ],
)
def test_rows_before_the_first_position_are_not_usable(config: dict[str, object], usable: int | None) -> None:
    model = report(config)["model"]
    assert model is not None
    assert model["positions"]["usable"] == usable
    assert model["max_position_embeddings"] == config["max_position_embeddings"]
    said = one(config, "max_position_embeddings")["text"]
    assert ("counted from the row after the padding" in said) == (usable is not None)
