"""Sentences of keys that were once wrong for some model: one test for each cause, with the reference's own numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from cfgexplain.families.absent import ELSEWHERE, FIXED, NONE
from cfgexplain.families.registry import TABLES, find
from cfgexplain.inspect import Wanted, inspect
from corpus import checkpoint
from models import report_of

if TYPE_CHECKING:
    from cfgexplain.report import ExplanationR

YARN = {"rope_type": "yarn", "factor": 32.0, "original_max_position_embeddings": 4096, "truncate": False}
GEMMA_4 = {
    "model_type": "gemma4_text", "num_hidden_layers": 6, "hidden_size": 2816, "head_dim": 256,
    "num_attention_heads": 16, "num_key_value_heads": 8, "max_position_embeddings": 262144, "sliding_window": 1024,
    "global_head_dim": 512, "hidden_size_per_layer_input": 0,
    "rope_parameters": {
        "sliding_attention": {"rope_type": "default", "rope_theta": 10000.0},
        "full_attention": {"rope_type": "proportional", "partial_rotary_factor": 0.25, "rope_theta": 1000000.0},
    },
}  # fmt: skip


def told(config: dict[str, object], *keys: str) -> list[ExplanationR]:
    return inspect(checkpoint(config, None), Wanted(keys=keys))["explanations"] or []


def text(config: dict[str, object], key: str) -> str:
    (found,) = told(config, key)
    return found["text"]


def formula(config: dict[str, object], key: str) -> str:
    (found,) = told(config, key)
    return found["formula"] or ""


def everything(config: dict[str, object]) -> dict[str, ExplanationR]:
    found = inspect(checkpoint(config, None), Wanted(all_keys=True))["explanations"] or []
    return {e["key"]: e for e in found}


# --- turns of the rotary pairs, as ROPE_INIT_FUNCTIONS of transformers 5.24 gives them ---


@pytest.mark.parametrize(
    ("config", "slowest", "count"),
    [
        ({"model_type": "llama", "head_dim": 64, "max_position_embeddings": 131072, "rope_theta": 500000.0,
          "rope_scaling": {"rope_type": "llama3", "factor": 32.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
                           "original_max_position_embeddings": 8192}}, "66,712,473", "18 of 32"),
        ({"model_type": "gpt_oss", "head_dim": 64, "max_position_embeddings": 131072, "rope_theta": 150000,
          "rope_scaling": YARN}, "20,781,087", "18 of 32"),
        ({"model_type": "gemma3_text", "head_dim": 256, "max_position_embeddings": 131072,
          "rope_scaling": {"rope_type": "linear", "factor": 8.0}}, "45,122,677", "73 of 128"),
        ({"model_type": "deepseek_v3", "max_position_embeddings": 163840, "rope_theta": 10000, "rope_scaling": {
            "type": "yarn", "factor": 40, "original_max_position_embeddings": 4096, "mscale": 1.0,
            "mscale_all_dim": 1.0}}, "1,884,690", "23 of 32"),
    ],
    ids=["llama3", "yarn", "linear", "latent"],
)  # fmt: skip
def test_turns_are_counted_over_the_stretched_pairs(config: dict[str, object], slowest: str, count: str) -> None:
    said = text(config, "rope_theta")
    assert f"the slowest takes {slowest} tokens" in said
    assert f": {count};" in said


@pytest.mark.parametrize(
    ("config", "key", "count"),
    [
        ({"model_type": "gemma3_text", "head_dim": 256, "sliding_window": 1024}, "rope_local_base_freq",
         "1,024 tokens that such a layer reaches: 71 of 128"),
        ({"model_type": "modernbert", "local_attention": 128}, "local_rope_theta",
         "64 tokens that such a layer reaches: 9 of 32"),
        ({"model_type": "cohere2", "head_dim": 128, "sliding_window": 4096}, "rope_theta",
         "4,096 tokens that such a layer reaches: 46 of 64"),
    ],
)  # fmt: skip
def test_turns_of_a_windowed_layer_are_counted_within_what_it_reaches(
    config: dict[str, object], key: str, count: str
) -> None:
    said = text(config, key)
    assert count in said
    assert "within the context" not in said


def test_each_kind_of_layer_has_its_own_heads_and_pairs() -> None:
    assert formula(GEMMA_4, "rope_parameters.full_attention.rope_theta") == "2π · 1,000,000^((128 − 2) / 512) = 188.3"
    assert "do not turn at all: 192 of 256" in text(GEMMA_4, "rope_parameters.full_attention.rope_theta")
    sliding = formula(GEMMA_4, "rope_parameters.sliding_attention.rope_theta")
    assert sliding == "2π · 10,000^((256 − 2) / 256) = 58,470"
    assert formula(GEMMA_4, "rope_parameters.full_attention.partial_rotary_factor") == "128 / 512 = 0.25"


def test_only_latent_attention_multiplies_its_scores_by_the_square() -> None:
    scaling = {"type": "yarn", "factor": 16.0, "original_max_position_embeddings": 16384, "mscale": 1.0,
               "mscale_all_dim": 1.0}  # fmt: skip
    plain = {"model_type": "ministral3", "rope_scaling": scaling}
    assert "²" not in formula(plain, "rope_scaling")
    assert "(0.1 · 1 · ln(16) + 1)² = 1.6314" in formula({**plain, "model_type": "deepseek_v3"}, "rope_scaling")


# --- keys that a table took over from a relative ---


def test_keys_that_a_class_lacks_are_of_families_that_exist() -> None:
    ids = {f.id for name in TABLES if (f := find(name)) is not None}
    for table in (NONE, FIXED, ELSEWHERE):
        assert set().union(*table.values()) <= ids


@pytest.mark.parametrize(
    ("model_type", "key"),
    [
        ("modernbert", "type_vocab_size"), ("modernbert", "add_cross_attention"), ("mpnet", "type_vocab_size"),
        ("gpt_oss", "n_shared_experts"), ("qwen3_moe", "n_shared_experts"), ("jamba", "rope_parameters.rope_theta"),
        ("nemotron_h", "rope_parameters.rope_theta"), ("glm_moe_dsa", "num_nextn_predict_layers"),
    ],
)  # fmt: skip
def test_nothing_is_said_of_a_key_that_the_class_lacks(model_type: str, key: str) -> None:
    assert key not in everything({"model_type": model_type})


def test_a_key_of_a_relative_is_not_read() -> None:
    assert "does not read this key" in text({"model_type": "modernbert", "type_vocab_size": 2}, "type_vocab_size")
    assert "rope_theta" not in text({"model_type": "jamba"}, "max_position_embeddings")
    assert report_of({"model_type": "jamba"})["model"]["positions"]["theta"] is None  # type: ignore[index]


def test_a_name_stands_for_the_place_that_the_config_has() -> None:
    config = {"model_type": "llama", "rope_parameters": {"rope_theta": 5e5, "rope_type": "default"}}
    (found,) = told(config, "rope_theta")
    assert (found["key"], found["value"]) == ("rope_parameters.rope_theta", 5e5)
