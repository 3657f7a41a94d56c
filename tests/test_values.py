"""What a config alone can show: each check fires on its fault, and on no sound config."""

from __future__ import annotations

import pytest

from cfgexplain.checks.base import Wishes
from cfgexplain.inspect import Wanted, inspect
from corpus import cases, checkpoint
from models import report_of


def found(
    changes: dict[str, object], case: str = "llama", ranks: int | None = None
) -> list[tuple[str, str, str | None]]:
    """(check, severity, pointer) of the findings of a case's config, changed; notes on odd test sizes left out."""
    config = {**cases()[case]["config"], "intermediate_size": 192, **changes}
    wanted = Wanted(explanations=False, wishes=Wishes(tensor_parallel=ranks))
    report = inspect(checkpoint(config, None), wanted)
    return [(f["name"], f["severity"], f["pointer"]) for f in report["findings"] or ()]


@pytest.mark.parametrize("name", sorted(cases()))
def test_sound_configs_are_silent(name: str) -> None:
    report = inspect(checkpoint(cases()[name]["config"], None), Wanted(explanations=False))
    assert [(f["name"], f["message"]) for f in report["findings"] or () if f["severity"] != "note"] == []


# --- two names of one setting ---


@pytest.mark.parametrize(
    ("changes", "pointer"),
    [
        ({"rope_parameters": {"rope_type": "default", "rope_theta": 5e5}, "rope_theta": 1e4}, "/rope_theta"),
        ({"dtype": "bfloat16", "torch_dtype": "float16"}, "/torch_dtype"),
        (
            {
                "rope_parameters": {"rope_type": "yarn", "factor": 8.0, "rope_theta": 1e4},
                "rope_scaling": {"type": "yarn", "factor": 4.0},
            },
            "/rope_scaling/factor",
        ),
    ],
)  # fmt: skip
def test_names_in_conflict(changes: dict[str, object], pointer: str) -> None:
    assert found(changes) == [("key-conflict", "warning", pointer)]


@pytest.mark.parametrize(
    "changes",
    [
        {"rope_parameters": {"rope_type": "default", "rope_theta": 5e5}, "rope_theta": 500000},
        {"dtype": "bfloat16", "torch_dtype": "torch.bfloat16"},
        {"dtype": None, "torch_dtype": "float16"},
        {"rope_scaling": None, "rope_parameters": {"rope_type": "yarn", "factor": 8.0, "rope_theta": 1e4}},
    ],
)  # fmt: skip
def test_names_that_agree(changes: dict[str, object]) -> None:
    assert found(changes) == []


# --- values ---


@pytest.mark.parametrize(
    ("changes", "pointer"),
    [
        ({"hidden_act": "silo"}, "/hidden_act"),
        ({"hidden_act": "SiLU"}, "/hidden_act"),
        ({"hidden_act": "magic"}, "/hidden_act"),
        ({"rope_parameters": {"rope_type": "default", "rope_theta": 0}}, "/rope_parameters/rope_theta"),
        ({"rope_parameters": None, "rope_theta": -1.0}, "/rope_theta"),
        ({"max_position_embeddings": 0}, "/max_position_embeddings"),
        ({"attention_dropout": 1.5}, "/attention_dropout"),
        ({"attention_dropout": -0.1}, "/attention_dropout"),
        ({"partial_rotary_factor": 2}, "/partial_rotary_factor"),
        ({"rope_scaling": {"rope_type": "linear", "factor": 0}}, "/rope_scaling/factor"),
        ({"pad_token_id": 160}, "/pad_token_id"),
        ({"pad_token_id": -161}, "/pad_token_id"),
    ],
)  # fmt: skip
def test_impossible_values(changes: dict[str, object], pointer: str) -> None:
    assert found(changes) == [("invalid-config", "error", pointer)]


@pytest.mark.parametrize(
    "changes",
    [
        {"hidden_act": "gelu_pytorch_tanh"},
        {"attention_dropout": 1},
        {"attention_dropout": 0.0},
        {"pad_token_id": -1},
        {"pad_token_id": None},
        {"pad_token_id": True},
        {"made_up_dropout": "high"},
    ],
)  # fmt: skip
def test_possible_values(changes: dict[str, object]) -> None:
    assert found(changes) == []


def test_a_layer_type_that_does_not_exist() -> None:
    layers = cases()["qwen3"]["config"]["num_hidden_layers"]
    types: list[object] = ["full_attention"] * layers
    assert found({"layer_types": types}, "qwen3") == []
    types[1] = "ful_attention"
    assert found({"layer_types": types}, "qwen3") == [("invalid-config", "error", "/layer_types/1")]


# --- ranks ---

#: Llama-7B, quantized by groups of 128 (a published case: it splits over 2 ranks, not over 4).
GROUPED = {
    "hidden_size": 4096, "intermediate_size": 11008, "num_attention_heads": 32, "num_key_value_heads": 32,
    "head_dim": 128, "quantization_config": {"quant_method": "awq", "bits": 4, "group_size": 128},
}  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "ranks", "want"),
    [
        ({"intermediate_size": 192}, 2, []),
        ({"intermediate_size": 192, "num_attention_heads": 4}, 8, [("head-mismatch", "error", "/num_attention_heads")]),
        ({"intermediate_size": 11008}, 3, [
            ("head-mismatch", "error", "/num_attention_heads"),
            ("intermediate-size-alignment", "error", "/intermediate_size"),
        ]),
        ({"num_attention_heads": 12, "num_key_value_heads": 6, "hidden_size": 96}, 4, [
            ("head-mismatch", "error", "/num_key_value_heads"),
        ]),
        ({"num_attention_heads": 12, "num_key_value_heads": 2, "hidden_size": 96}, 4, []),
        (GROUPED, 2, []),
        (GROUPED, 4, [("intermediate-size-alignment", "error", "/intermediate_size")]),
        ({**GROUPED, "quantization_config": {"quant_method": "awq", "bits": 4, "group_size": 64}}, 4, []),
        ({**GROUPED, "quantization_config": None}, 8, []),
    ],
)  # fmt: skip
def test_ranks(changes: dict[str, object], ranks: int, want: list[tuple[str, str, str]]) -> None:
    assert found(changes, ranks=ranks) == want


def test_blocks_of_experts_over_ranks() -> None:
    changes: dict[str, object] = {
        "intermediate_size": 18432, "moe_intermediate_size": 2048, "num_attention_heads": 128,
        "num_key_value_heads": 128, "quantization_config": {"quant_method": "fp8", "weight_block_size": [128, 128]},
    }  # fmt: skip
    case = next(n for n in sorted(cases()) if cases()[n]["config"].get("model_type") == "deepseek_v3")

    def widths(ranks: int) -> list[str | None]:
        return [p for n, _, p in found(changes, case, ranks) if n == "intermediate-size-alignment"]

    assert widths(16) == []
    assert widths(32) == ["/intermediate_size", "/moe_intermediate_size"]


def test_a_width_that_all_experts_share_is_noted_once() -> None:
    """Mixtral: both the dense and the experts' width are read from one key."""
    found = report_of({"model_type": "mixtral", "intermediate_size": 1000})["findings"] or []
    assert [f["pointer"] for f in found if f["name"] == "intermediate-size-alignment"] == ["/intermediate_size"]
