"""Models that see, hear and speak: every tensor of their towers has its place, and the config alone gives the total.

``fixtures/towers.jsonl.gz`` holds one small checkpoint a line, as transformers 5.24 saves it: name, config, header, and
the parameters that the library counted in the model itself.
"""

from __future__ import annotations

import copy
import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from cfgexplain.expand import expand, settle
from cfgexplain.families.registry import native
from cfgexplain.inspect import Wanted, inspect
from corpus import checkpoint

FILE = Path(__file__).resolve().parent.parent / "fixtures" / "towers.jsonl.gz"
with gzip.open(FILE, "rt", encoding="utf-8") as _f:
    CASES: dict[str, dict[str, Any]] = {row["name"]: row for row in map(json.loads, _f)}

#: SigLIP as MiniCPM-V takes it.
SIGLIP = {
    "hidden_size": 1152, "image_size": 980, "intermediate_size": 4304, "num_attention_heads": 16,
    "num_hidden_layers": 27, "patch_size": 14,
}
MINICPM_V_2_6: dict[str, Any] = {
    "model_type": "minicpmv", "architectures": ["MiniCPMV"], "version": 2.6, "hidden_size": 3584,
    "intermediate_size": 18944, "num_attention_heads": 28, "num_hidden_layers": 28, "num_key_value_heads": 4,
    "vocab_size": 151666, "tie_word_embeddings": False, "query_num": 64, "drop_vision_last_layer": False,
    "vision_config": SIGLIP,
}
MOLMO_7B_D: dict[str, Any] = {
    "model_type": "molmo", "architectures": ["MolmoForCausalLM"], "embedding_size": 152064, "vocab_size": 152064,
    "hidden_size": 3584, "intermediate_size": 37888, "num_attention_heads": 28, "num_hidden_layers": 28,
    "num_key_value_heads": 4, "qkv_bias": True, "layer_norm_eps": 1e-6, "weight_tying": False,
}
MISTRAL_SMALL: dict[str, Any] = {
    "dim": 5120, "n_layers": 40, "head_dim": 128, "hidden_dim": 32768, "n_heads": 32, "n_kv_heads": 8,
    "norm_eps": 1e-5, "vocab_size": 131072,
}
PIXTRAL = {
    "hidden_size": 1024, "num_channels": 3, "image_size": 1540, "patch_size": 14, "intermediate_size": 4096,
    "num_hidden_layers": 24, "num_attention_heads": 16, "mm_projector_id": "patch_merge", "spatial_merge_size": 2,
    "add_pre_mm_projector_layer_norm": True, "adapter_bias": False,
}
#: Published configs, in what their towers and decoders are read from, and the published number of parameters.
PUBLISHED: dict[str, tuple[dict[str, Any], int]] = {
    "MiniCPM-V-2_6": (MINICPM_V_2_6, 8_099_175_152),
    "MiniCPM-V-4_5": (
        {**MINICPM_V_2_6, "version": 4.5, "hidden_size": 4096, "intermediate_size": 12288, "num_attention_heads": 32,
         "num_hidden_layers": 36, "num_key_value_heads": 8, "head_dim": 128, "vocab_size": 151748},
        8_695_895_280,
    ),
    "Molmo-7B-D": (MOLMO_7B_D, 8_021_025_280),
    "Mistral-Small-3.1": ({**MISTRAL_SMALL, "vision_encoder": PIXTRAL}, 24_011_361_280),
    "Mistral-Small-3": (MISTRAL_SMALL, 23_572_403_200),
    "Mixtral-8x22B-v0.3": (
        {"dim": 6144, "n_layers": 56, "head_dim": 128, "hidden_dim": 16384, "n_heads": 48, "n_kv_heads": 8,
         "norm_eps": 1e-5, "vocab_size": 32768, "moe": {"num_experts_per_tok": 2, "num_experts": 8}},
        140_630_071_296,
    ),
}


def total(config: dict[str, Any]) -> int | None:
    """What the config alone says."""
    params = inspect(checkpoint(config, None), Wanted())["params"]
    assert params is not None
    found: int | None = params["total"]
    return found


@pytest.mark.parametrize("name", sorted(CASES))
def test_every_tensor_has_its_place(name: str) -> None:
    row = CASES[name]
    r = inspect(checkpoint(row["config"], row["header"], name), Wanted())
    assert [(f["name"], f["message"]) for f in r["findings"] or [] if f["severity"] != "note"] == []
    assert r["params"] is not None
    assert r["params"]["total"] == row["total"]


@pytest.mark.parametrize("name", sorted(CASES))
def test_the_config_alone_gives_the_librarys_total(name: str) -> None:
    assert total(CASES[name]["config"]) == CASES[name]["total"]


@pytest.mark.parametrize("name", sorted(CASES))
def test_a_tensor_that_no_tower_has_is_a_finding(name: str) -> None:
    """No prefix of a tower that is written down takes in strangers."""
    row = CASES[name]
    first = next(n for n in row["header"] if not n.startswith(("language_model.", "llm.", "lm_head", "decoder.")))
    stranger = f"{first.rpartition('.')[0]}.stranger"
    header = {**row["header"], stranger: {"dtype": "BF16", "shape": [7, 5]}}
    r = inspect(checkpoint(row["config"], header, name), Wanted())
    assert any(f["name"] == "unexpected-tensor" and stranger in str(f) for f in r["findings"] or [])


@pytest.mark.parametrize("name", sorted(PUBLISHED))
def test_a_published_config_gives_the_published_total(name: str) -> None:
    config, want = PUBLISHED[name]
    assert total(config) == want


def test_a_model_that_may_not_speak_has_no_voice() -> None:
    config = copy.deepcopy(CASES["qwen2_5_omni"]["config"])
    config["enable_audio_output"] = False
    silent = total(config)
    voice = sum(
        _elements(t) for n, t in CASES["qwen2_5_omni"]["header"].items() if n.startswith(("talker.", "token2wav."))
    )
    assert voice > 0
    assert silent == CASES["qwen2_5_omni"]["total"] - voice


@pytest.mark.parametrize(
    ("name", "at", "value"),
    [
        ("musicgen", "audio_encoder", "dac"),
        ("moshi", "audio_encoder_config", "encodec_unknown"),
        ("perception_lm", "vision_config", "vit_base_patch16_224"),
    ],
)
def test_of_a_tower_that_is_not_written_down_the_total_is_unknown(name: str, at: str, value: str) -> None:
    config = copy.deepcopy(CASES[name]["config"])
    config[at]["architecture" if name == "perception_lm" else "model_type"] = value
    assert total(config) is None


def test_an_argument_of_timm_that_the_table_does_not_follow_makes_the_total_unknown() -> None:
    config = copy.deepcopy(CASES["perception_lm"]["config"])
    config["vision_config"]["model_args"]["swiglu_mlp"] = True
    assert total(config) is None


def test_mistrals_own_format_has_a_tower_only_where_it_states_one() -> None:
    for config, expected in ((MISTRAL_SMALL, False), ({**MISTRAL_SMALL, "vision_encoder": PIXTRAL}, True)):
        family = native(config)
        assert family is not None
        x = expand(settle(family, config))
        assert x.whole
        assert any(e.role in ("vision", "projector") for e in x.items) is expected


def test_the_first_minicpm_v_stays_unknown() -> None:
    assert total({**MINICPM_V_2_6, "version": "2.0"}) is None


@pytest.mark.parametrize(
    "config",
    [
        # Each of two thousand steps doubles the channels: a number that no float holds.
        {"model_type": "vibevoice_asr", "acoustic_tokenizer_encoder_config": {
            "downsampling_ratios": [2] * 2000, "depths": [1] * 2001}},
        {"model_type": "musicgen", "audio_encoder": {"model_type": "encodec", "upsampling_ratios": [1] * 1300}},
        {"model_type": "qwen2_5_omni", "token2wav_config": {
            "dit_config": {"enc_channels": [1, "a", None], "enc_kernel_sizes": []},
            "bigvgan_config": {"upsample_rates": [[1]] * 3, "resblock_kernel_sizes": []}}},
        {"model_type": "deepseek_vl_v2", "projector_config": {"depth": 10**9}},
        {"model_type": "perception_lm", "vision_config": {
            "architecture": "vit_pe_core_base_patch16_224", "model_args": {"patch_size": 0, "embed_dim": 768}}},
        {"model_type": "nemotron_h_omni", "audio_config": {"subsampling_factor": 0}},
    ],
    ids=lambda c: c["model_type"],
)
def test_sizes_that_make_no_sense_give_no_total(config: dict[str, Any]) -> None:
    assert total(config) is None


def _elements(t: dict[str, Any]) -> int:
    n = 1
    for size in t["shape"]:
        n *= size
    return n
