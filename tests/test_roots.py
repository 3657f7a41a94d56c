"""One wrong number in the config is one finding, at its key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from models import GEMMA_2_2B, LLAMA_2_7B, MIXTRAL, report_of, sound

if TYPE_CHECKING:
    from cfgexplain.report import FindingR

LLAMA: dict[str, Any] = {**LLAMA_2_7B, "num_hidden_layers": 3}
GEMMA: dict[str, Any] = {**GEMMA_2_2B, "num_hidden_layers": 3}


def faults(config: dict[str, Any], tensors: dict[str, tuple[int, ...]]) -> list[FindingR]:
    return [f for f in report_of(config, tensors)["findings"] or [] if f["severity"] != "note"]


@pytest.mark.parametrize(
    ("config", "key", "value", "name"),
    [
        (LLAMA, "hidden_size", 8192, "shape-mismatch"),
        (GEMMA, "head_dim", 128, "head-mismatch"),
        (GEMMA, "hidden_size", 4608, "shape-mismatch"),
        (LLAMA, "intermediate_size", 22016, "intermediate-size-mismatch"),
        (LLAMA, "vocab_size", 32001, "vocab-size-mismatch"),
    ],
)
def test_a_wrong_size_is_one_finding(config: dict[str, Any], key: str, value: int, name: str) -> None:
    (found,) = faults({**config, key: value}, sound(config))
    assert (found["name"], found["pointer"]) == (name, f"/{key}")


def test_the_right_value_is_told() -> None:
    (found,) = faults({**LLAMA, "hidden_size": 8192}, sound(LLAMA))
    assert "hidden_size to 4096" in found["hint"]


def test_two_wrong_numbers_are_two_findings() -> None:
    found = faults({**LLAMA, "vocab_size": 32001, "intermediate_size": 11009}, sound(LLAMA))
    assert sorted(f["pointer"] or "" for f in found) == ["/intermediate_size", "/vocab_size"]


def test_experts_that_the_config_counts_too_many() -> None:
    config: dict[str, Any] = {**MIXTRAL, "num_hidden_layers": 2}
    (found,) = faults({**config, "num_local_experts": 16}, sound(config))
    assert (found["name"], found["pointer"]) == ("missing-tensor", "/num_local_experts")
    assert "experts stored: 8" in found["message"]


def test_one_expert_that_is_gone_is_no_wrong_count() -> None:
    config: dict[str, Any] = {**MIXTRAL, "num_hidden_layers": 2}
    tensors = {n: s for n, s in sound(config).items() if ".0.block_sparse_moe.experts.7." not in n}
    (found,) = faults(config, tensors)
    assert found["pointer"] is None


def test_a_gate_that_the_config_denies() -> None:
    config: dict[str, Any] = {"model_type": "t5", "d_model": 512, "d_kv": 64, "d_ff": 1024, "num_layers": 2,
                              "num_heads": 8, "feed_forward_proj": "gated-gelu"}  # fmt: skip
    (found,) = faults({**config, "feed_forward_proj": "relu"}, sound(config))
    assert (found["name"], found["pointer"]) == ("incomplete-ffn", "/feed_forward_proj")
    (found,) = faults(config, sound({**config, "feed_forward_proj": "relu"}))
    assert (found["name"], found["pointer"]) == ("incomplete-ffn", "/feed_forward_proj")


def test_the_order_of_the_tensors_changes_nothing() -> None:
    tensors = sound(LLAMA)
    turned = dict(reversed(tensors.items()))
    for change in ({"intermediate_size": 22016}, {"vocab_size": 32001}, {"hidden_size": 8192}):
        assert faults({**LLAMA, **change}, tensors) == faults({**LLAMA, **change}, turned)


def test_a_norm_that_is_gone_is_filled_with_ones_and_an_encoders_feeds_the_decoder() -> None:
    t5: dict[str, Any] = {"model_type": "t5", "d_model": 512, "d_kv": 64, "d_ff": 1024, "num_layers": 2, "num_heads": 8}
    (found,) = faults(t5, {n: s for n, s in sound(t5).items() if n != "encoder.final_layer_norm.weight"})
    assert found["name"] == "missing-final-norm"
    assert "cross-attention" in found["hint"]
    bert = {"model_type": "bert", "architectures": ["BertModel"], "num_hidden_layers": 2, "hidden_size": 64,
            "num_attention_heads": 4, "intermediate_size": 128}  # fmt: skip
    (found,) = faults(bert, {n: s for n, s in sound(bert).items() if "embeddings.LayerNorm" not in n})
    assert found["name"] == "missing-tensor"
    assert "random" not in found["hint"]
