"""How a model knows the order of its tokens, as the report says it."""

from __future__ import annotations

import pytest

from cfgexplain.inspect import inspect
from corpus import cases, checkpoint
from models import GEMMA_2_2B, GPT2, LLAMA_2_7B, report_of


def positions(config: dict[str, object]) -> dict[str, object]:
    model = report_of(config)["model"]
    assert model
    return dict(model["positions"])


@pytest.mark.parametrize(
    ("config", "kind"),
    [
        (LLAMA_2_7B, "rope"),
        (GPT2, "learned"),
        ({"model_type": "falcon"}, "rope"),
        ({"model_type": "falcon", "alibi": True}, "alibi"),
        ({"model_type": "bloom"}, "alibi"),
        ({"model_type": "zamba2"}, "none"),
        ({"model_type": "zamba2", "use_mem_rope": True}, "rope"),
        ({"model_type": "granitemoehybrid"}, "none"),
        ({"model_type": "granitemoehybrid", "position_embedding_type": "rope", "num_hidden_layers": 2,
          "layer_types": ["mamba", "attention"]}, "rope"),
        ({"model_type": "granitemoehybrid", "position_embedding_type": "rope", "num_hidden_layers": 2,
          "layer_types": ["mamba", "mamba"]}, "none"),
        ({"model_type": "deberta-v2"}, "learned"),
        ({"model_type": "deberta-v2", "relative_attention": True, "position_biased_input": False}, "relative"),
        ({"model_type": "pegasus_x"}, "sinusoidal"),
        ({"model_type": "mpt"}, "alibi"),
        ({"model_type": "t5"}, "relative"),
        ({"model_type": "mamba"}, "none"),
        ({"model_type": "jamba"}, "none"),
        ({"model_type": "granitemoehybrid", "position_embedding_type": "nope"}, "none"),
        ({"model_type": "nobody-knows"}, None),
    ],
)
def test_kind(config: dict[str, object], kind: str | None) -> None:
    assert positions(config)["kind"] == kind


def test_base_from_the_config_and_from_the_family() -> None:
    assert positions(LLAMA_2_7B)["theta"] == 10000.0
    assert positions({**LLAMA_2_7B, "rope_theta": 5e5})["theta"] == 5e5


def test_scaling_is_named_and_plain_rotation_is_none() -> None:
    scaled = {**LLAMA_2_7B, "rope_scaling": {"rope_type": "yarn", "factor": 4.0}}
    assert positions(scaled)["scaling"] == "yarn"
    assert positions(LLAMA_2_7B)["scaling"] is None


def test_windows_have_a_base_of_their_own() -> None:
    found = positions(
        {
            "model_type": "gemma3_text",
            "rope_parameters": {
                "full_attention": {"rope_type": "linear", "factor": 8.0, "rope_theta": 1e6},
                "sliding_attention": {"rope_type": "default", "rope_theta": 1e4},
            },
        }
    )
    assert (found["theta"], found["local_theta"], found["scaling"]) == (1e6, 1e4, "linear")


@pytest.mark.parametrize(
    ("config", "layers"),
    [
        (LLAMA_2_7B, 32),
        ({"model_type": "smollm3", "num_hidden_layers": 8}, 6),
        ({"model_type": "smollm3", "num_hidden_layers": 4, "no_rope_layers": [1, 0, 0, 1]}, 2),
        ({"model_type": "cohere2", "num_hidden_layers": 8, "sliding_window": 4096}, 6),
        ({"model_type": "mamba"}, None),
    ],
)
def test_layers_that_rotate(config: dict[str, object], layers: int | None) -> None:
    assert positions(config)["layers"] == layers


def test_window_of_layers_that_have_one() -> None:
    layers = report_of(GEMMA_2_2B)["layers"]
    plain = report_of(LLAMA_2_7B)["layers"]
    assert layers
    assert plain
    assert (layers["window"], plain["window"]) == (4096, None)


@pytest.mark.parametrize("name", sorted(n for n, row in cases().items() if "rope_parameters" in row["config"]))
def test_configs_with_rotary_parameters_are_rotary(name: str) -> None:
    row = cases()[name]
    model = inspect(checkpoint(row["config"], row["header"], name))["model"]
    assert model
    config = row["config"]
    # Two turn only where another key says so.
    still = config.get("use_mem_rope") is False or (
        config["model_type"] == "granitemoehybrid" and config.get("position_embedding_type") != "rope"
    )
    assert model["positions"]["kind"] in (("none",) if still else ("rope", "alibi"))


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        # Defaults of the reference implementation's config classes, where the config says nothing.
        ({"model_type": "gemma3_text"}, {"theta": 1e6, "local_theta": 1e4, "fraction": None}),
        ({"model_type": "gemma4_text"}, {"theta": 1e6, "local_theta": 1e4, "fraction": 0.25, "local_fraction": 1.0}),
        ({"model_type": "modernbert"}, {"theta": 160000.0, "local_theta": 1e4}),
        ({"model_type": "gpt_neox"}, {"theta": 1e4, "fraction": 0.25}),
        ({"model_type": "gptj"}, {"theta": 1e4, "fraction": 0.25}),
        ({"model_type": "phi"}, {"fraction": 0.5}),
        ({"model_type": "glm4_moe"}, {"fraction": 0.5}),
        ({"model_type": "qwen3_next"}, {"fraction": 0.25}),
        ({"model_type": "qwen2_vl_text"}, {"theta": 1e6, "fraction": None}),
        ({"model_type": "solar_open"}, {"theta": 1e6}),
        (
            {"model_type": "laguna", "layer_types": ["full_attention", "sliding_attention"] * 20},
            {"theta": 5e5, "local_theta": 1e4, "fraction": 0.5, "local_fraction": 1.0},
        ),
        # No layer has a window: nothing is said of windows.
        ({"model_type": "laguna"}, {"theta": 5e5, "local_theta": None, "fraction": 0.5, "local_fraction": None}),
        # And what older releases call the same.
        ({"model_type": "gpt_neox", "rotary_pct": 0.5, "rotary_emb_base": 20000}, {"theta": 20000, "fraction": 0.5}),
        ({"model_type": "minimax_m2", "head_dim": 128, "rotary_dim": 32}, {"fraction": 0.25}),
        (
            {"model_type": "modernbert", "global_rope_theta": 5e4, "local_rope_theta": 2e4},
            {"theta": 5e4, "local_theta": 2e4},
        ),
        ({"model_type": "mimo_v2_flash", "swa_rope_theta": 20000}, {"theta": 5e6, "local_theta": 20000}),
        (
            {"model_type": "deepseek_v4", "rope_theta": 10000, "compress_rope_theta": 40000,
             "compress_ratios": [0, 0, *([4, 128] * 20), 0]},
            {"theta": 40000, "local_theta": 10000, "fraction": 0.125},
        ),
        # An entry that leaves the base out takes the default of its kind of layer.
        (
            {"model_type": "gemma3_text", "rope_parameters": {"full_attention": {"rope_type": "linear", "factor": 8}}},
            {"theta": 1e6, "local_theta": 1e4, "scaling": "linear", "local_scaling": "default"},
        ),
        # Windows of OLMo 3 turn by the same base, unscaled.
        ({"model_type": "olmo3", "rope_theta": 2e5}, {"theta": 2e5, "local_theta": None}),
    ],
)
def test_defaults_are_those_of_the_model_type(config: dict[str, object], expected: dict[str, object]) -> None:
    found = positions(config)
    assert {k: found[k] for k in expected} == expected


@pytest.mark.parametrize(
    ("config", "rows"),
    [
        (GPT2, 1024),
        ({"model_type": "opt"}, 2050),  # two rows more than positions
        (LLAMA_2_7B, None),
        ({"model_type": "bert"}, 512),
        # Tables of distances and of token types are no table of positions.
        ({"model_type": "deberta-v2", "relative_attention": True, "position_biased_input": False}, None),
        ({"model_type": "deberta-v2", "relative_attention": True}, 512),
        ({"model_type": "nomic_bert"}, None),
    ],
)
def test_the_table_that_is_added_to_the_embedding(config: dict[str, object], rows: int | None) -> None:
    assert positions(config)["table"] == rows


def test_compressed_layers_are_kinds_of_their_own() -> None:
    layers = report_of({"model_type": "deepseek_v4"})["layers"]
    assert layers
    assert layers["mix"] == {"compressed": 23, "compressed-sparse": 20}
    wide = {x["name"]: x["shape"] for x in (layers["matrices"] or {})["compressed-sparse"]}
    assert wide["attn.compressor.wkv.weight"] == [1024, 4096]
