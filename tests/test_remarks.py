"""What a drawing says beside itself, and what is drawn of models whose layers are not the usual ones."""

from __future__ import annotations

import math

import pytest

from cfgexplain.facts.remarks import listed
from cfgexplain.families.registry import TABLES, find
from cfgexplain.families.remarks import FORMULAS, REMARKS, SEEN
from cfgexplain.families.routing import ROUTING
from cfgexplain.lang import LANGUAGES, catalogue
from cfgexplain.render.diagram import describe
from cfgexplain.render.remarks import beside
from corpus import cases, checkpoint
from models import LLAMA_2_7B, report_of

IDS = {f.id for name in TABLES if (f := find(name)) is not None}
NAMES = {r.name for found in REMARKS.values() for r in found} | set(SEEN.values())
NAMES |= {"head-transform", "axes", "deepstack"}


def told(config: dict[str, object]) -> dict[str, object]:
    """Remark → value, of a config alone."""
    model = report_of(config)["model"]
    assert model is not None
    return {r["name"]: r["value"] for r in model["remarks"] or ()}


def drawn(name: str) -> str:
    """The drawing of a measured model, as kinds and norms in the order of the flow."""
    from cfgexplain.inspect import inspect

    row = cases()[name]
    d = describe(inspect(checkpoint(row["config"], row["header"], name)))
    assert d is not None
    return "; ".join(
        f"{','.join(n.name for n in (*x.stream_before, *x.before))}>{x.sub.kind}>"
        f"{','.join(n.name for n in (*x.after, *x.on_stream))}"
        for b in d.blocks
        for x in b.branches
    )


@pytest.mark.parametrize("table", [REMARKS, FORMULAS, ROUTING], ids=["remarks", "formulas", "routing"])
def test_tables_name_families_that_exist(table: dict[str, object]) -> None:
    assert set(table) <= IDS


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_remark_has_a_text_and_every_text_a_remark(lang: str) -> None:
    from importlib import import_module

    texts = import_module(f"cfgexplain.lang.{LANGUAGES[lang]}_remarks").TEXTS
    there = {k.removeprefix("text.draw.remark.") for k in texts if k.startswith("text.draw.remark.")}
    assert there == NAMES


@pytest.mark.parametrize(
    ("config", "name", "value"),
    [
        # Gemma 2's 2B and 9B divide by √256 with heads of 256, as everybody does; its 27B by √144 with heads of 128.
        ({"model_type": "gemma2", "head_dim": 256, "query_pre_attn_scalar": 256}, "attention-scalar", None),
        ({"model_type": "gemma2", "head_dim": 128, "query_pre_attn_scalar": 144}, "attention-scalar", 144),
        ({"model_type": "granite", "hidden_size": 4096, "num_attention_heads": 64, "attention_multiplier": 0.125},
         "attention-scale", None),
        ({"model_type": "granite", "hidden_size": 4096, "num_attention_heads": 64, "attention_multiplier": 0.015625},
         "attention-scale", 0.015625),
    ],
)  # fmt: skip
def test_the_usual_scale_of_scores_is_no_remark(config: dict[str, object], name: str, value: object) -> None:
    assert told(config).get(name) == value


def test_a_plain_model_has_none_and_an_unknown_one_says_so() -> None:
    assert told(LLAMA_2_7B) == {}
    model = report_of({"model_type": "nobody-knows"})["model"]
    assert model is not None
    assert model["remarks"] is None


@pytest.mark.parametrize(
    ("config", "name", "value"),
    [
        ({"model_type": "granite", "residual_multiplier": 0.22}, "residual-times", 0.22),
        ({"model_type": "granite"}, "residual-times", None),
        ({"model_type": "gemma", "hidden_size": 4096}, "embedding-times", 64.0),
        ({"model_type": "gemma2", "final_logit_softcapping": None}, "logits-cap", None),
        ({"model_type": "gemma2"}, "logits-cap", 30.0),
        ({"model_type": "minicpm", "scale_emb": 12}, "embedding-times", 12),
        ({"model_type": "cohere"}, "logits-times", 0.0625),
        ({"model_type": "bart", "scale_embedding": True}, "embedding-root", True),
        ({"model_type": "bart"}, "embedding-root", None),
        ({"model_type": "xglm"}, "embedding-root", True),
        ({"model_type": "xglm", "scale_embedding": False}, "embedding-root", None),
        ({"model_type": "ctrl", "n_embd": 1024}, "embedding-times", 32.0),
        ({"model_type": "jetmoe"}, "attention-experts", 8),
        ({"model_type": "bert", "type_vocab_size": 2}, "token-types", "2"),
        ({"model_type": "roberta", "type_vocab_size": 1}, "token-types", "1"),
        ({"model_type": "deberta-v2"}, "token-types", None),
        ({"model_type": "tapas", "type_vocab_sizes": [3, 256]}, "token-types", "3, 256"),
    ],
)
def test_scales_carry_the_configs_own_numbers(config: dict[str, object], name: str, value: object) -> None:
    assert told(config).get(name) == value


V4: dict[str, object] = {
    "model_type": "deepseek_v4", "num_hidden_layers": 6, "mlp_layer_types": ["hash_moe"] + ["moe"] * 5,
    "layer_types": ["sliding_attention", "heavily_compressed_attention"] + ["compressed_sparse_attention"] * 4,
}  # fmt: skip
STEP: dict[str, object] = {
    "model_type": "step3p5", "num_hidden_layers": 4, "num_attention_heads": 64,
    "layer_types": ["full_attention", "sliding_attention"] * 2,
}  # fmt: skip


@pytest.mark.parametrize(
    ("config", "found"),
    [
        ({"model_type": "hrm_text"}, {"embedding-times": 50.0, "prefix-lm": True}),
        ({"model_type": "hrm_text", "initializer_range": 0.01}, {"embedding-times": 100.0}),
        ({"model_type": "hrm_text", "embedding_scale": 1.0}, {"embedding-times": "absent", "prefix-lm": True}),
        ({"model_type": "hrm_text", "prefix_lm": False}, {"prefix-lm": "absent"}),
        ({"model_type": "xlstm"}, {"gates-cap": 15.0, "logits-cap": 30.0}),
        ({"model_type": "doge", "keep_window_size": 512}, {"keys-kept": 512, "key-bias": None}),
        (
            {"model_type": "longcat_flash"},
            {"queries-times": 2.0, "latent-times": math.sqrt(12), "router-choices": 768, "two-attentions": 12288},
        ),
        ({"model_type": "longcat_flash", "zero_expert_num": 0}, {"router-choices": "absent"}),
        ({"model_type": "zaya", "num_experts": 8}, {"router-choices": 9, "skip-choice": None, "values-delayed": None}),
        ({"model_type": "dory"}, {"loops-restart": None, "logits-learned": None}),
        ({"model_type": "dory", "architectures": ["DoryModel"]}, {"logits-learned": "absent"}),
        ({**STEP, "num_sliding_attention_heads": 96}, {"windowed-heads": 96}),
        (STEP, {"windowed-heads": "absent"}),
        (
            {"model_type": "gemma4_text", "num_hidden_layers": 12, "attention_k_eq_v": True},
            {"values-keys": "5, 11"},
        ),
        ({"model_type": "gemma4_text"}, {"values-keys": "absent", "router-normed": "absent"}),
        (
            {"model_type": "gemma4_text", "enable_moe_block": True, "num_experts": 8, "top_k_experts": 2},
            {"router-normed": None, "expert-scales": None},
        ),
        (V4, {"indexer-entries": "2-5", "compressed-cache": "1-5", "indexer": "absent"}),
        (V4, {"hash-routing": "0", "v4-routing": "1-5", "keys-are-values": None}),
        (
            {
                "model_type": "minimax_m3_vl_text", "num_hidden_layers": 5,
                "sparse_attention_config": {"sparse_attention_freq": [0, 0, 1, 1, 1]},
            },
            {"indexer-blocks": "2-4", "indexer": "absent"},
        ),
        ({"model_type": "minimax_m3_vl_text"}, {"indexer-blocks": "absent", "indexer": "absent"}),
        (
            {"model_type": "blt"},
            {"blt-stacks": "25 × 2,048", "blt-patcher": "14 × 768", "blt-cross": 9, "blt-hashes": "3,000,012 × 1,024"},
        ),
        (
            {"model_type": "blt", "patch_in_forward": False, "decoder_config": {"cross_attn_all_layers": False}},
            {"blt-cross": 1, "blt-patcher": "absent"},
        ),
    ],
)  # fmt: skip
def test_what_a_family_computes_besides_is_said_with_its_number(
    config: dict[str, object], found: dict[str, object]
) -> None:
    here = told(config)
    assert {k: here.get(k, "absent") for k in found} == found


@pytest.mark.parametrize(
    ("layers", "text"),
    [
        ([3], "3"), ([3, 4, 5], "3-5"), ([2, 4, 6], "2, 4, 6"), ([2, 4, 6, 8, 10], "2, 4, …, 10"),
        ([0, 1, 4, 5, 9], "0-1, 4-5, 9"), (
            [0, 2, 3, 5, 7, 8, 10, 12, 13, 15, 19, 25], "0, 2-3, 5, 7-8, 10, 12-13, 15, …, 25",
        ),
    ],
)  # fmt: skip
def test_numbers_of_layers_are_listed_in_short(layers: list[int], text: str) -> None:
    assert listed(layers) == text


def test_blt_is_the_stack_over_bytes_that_is_drawn() -> None:
    r = report_of({"model_type": "blt"})
    model, memory, layers = r["model"], r["memory"], r["layers"]
    assert model is not None
    assert memory is not None
    assert layers is not None
    sizes = (model["hidden_size"], model["embedding_size"], model["head_dim"], model["num_layers"])
    assert sizes == (1024, 1024, 64, 9)
    tied = report_of({"model_type": "blt", "tie_word_embeddings": True})["model"]
    assert tied is not None
    assert tied["embedding_size"] == 1024
    assert layers["mix"] == {"sliding": 9}
    assert layers["window"] == 512
    # One layer of the encoder and nine of the decoder; those over patches keep nothing.
    assert memory["kv_cache_bytes_per_token"] == 10 * 2 * 16 * 64 * 2
    assert report_of({"model_type": "blt", "local_attention_window_len": None})["layers"]["mix"] == {"full": 9}  # type: ignore[index]


def test_an_indexer_caches_a_key_in_its_layers_alone() -> None:
    config = {"model_type": "minimax_m3_vl_text", "num_hidden_layers": 4}
    sparse = {"sparse_attention_config": {"sparse_attention_freq": [0, 1, 1, 1]}}
    for extra, keys in (({}, 0), (sparse, 3)):
        memory = report_of({**config, **extra})["memory"]
        assert memory is not None
        assert memory["kv_cache_bytes_per_token"] == 4 * 2 * 4 * 128 * 2 + keys * 128 * 2


def test_convolutions_and_delayed_values_are_a_state_beside_the_cache() -> None:
    memory = report_of({"model_type": "zaya", "num_hidden_layers": 3})["memory"]
    assert memory is not None
    assert memory["constant_state_bytes"] == 3 * (2 * (8 + 2) * 128 + 128) * 2


def test_sizes_that_a_config_leaves_open_stay_open() -> None:
    ffn = report_of({"model_type": "dots1"})["ffn"]
    assert ffn is not None
    assert {g["experts"] for g in ffn["layers"] or ()} == {None}
    model = report_of({"model_type": "lfm2_moe"})["model"]
    assert model is not None
    assert model["attention"] is None


def test_a_remark_names_its_key_and_number() -> None:
    report = report_of({"model_type": "cohere", "logit_scale": 0.25})
    d = describe(report)
    assert d
    assert beside(report, catalogue("en"), d) == ["the logits are multiplied by 0.25 (logit_scale)"]


def test_gpt_oss_computes_another_function_than_its_activation_says() -> None:
    ffn = report_of({"model_type": "gpt_oss", "swiglu_limit": 5.0})["ffn"]
    assert ffn is not None
    assert ffn["formula"] == "(clamp(up, ±5) + 1) · g · σ(1.702 · g),  g = min(gate, 5)"
    plain = report_of(LLAMA_2_7B)["ffn"]
    assert plain is not None
    assert plain["formula"] == "silu(gate) × up"


@pytest.mark.parametrize(
    ("name", "flow"),
    [
        ("seq2seq--t5gemma", "pre_cross_attn_layernorm>cross-attention>post_cross_attn_layernorm"),
        ("minimax", "input_layernorm>attention>; post_attention_layernorm>moe>"),
        ("bloom-postres", "input_layernorm>attention>; post_attention_layernorm>dense>"),
        ("masked_lm--fnet", ">mixer>fourier.output.LayerNorm; >dense>output.LayerNorm"),
        ("xlm", ">attention>layer_norm1; >dense>layer_norm2"),
    ],
)
def test_norms_are_drawn_where_they_stand(name: str, flow: str) -> None:
    assert flow in drawn(name)


def test_layers_that_share_weights_are_one_block() -> None:
    assert drawn("masked_lm--albert").count("dense") == 1
    assert "unknown" not in drawn("masked_lm--albert")


def test_cross_attention_layers_are_layers_of_their_own() -> None:
    text = {"num_hidden_layers": 4, "cross_attention_layers": [1]}
    report = report_of({"model_type": "mllama", "text_config": text})
    assert report["layers"] is not None
    assert report["layers"]["mix"] == {"full": 3, "cross": 1}
    d = describe(report)
    assert d is not None
    assert [b.branches[0].sub.kind for b in d.blocks] == ["attention", "cross-attention"]


def test_experts_in_one_tall_matrix_have_the_width_of_one() -> None:
    row = cases()["dbrx"]
    from cfgexplain.inspect import inspect

    ffn = inspect(checkpoint(row["config"], row["header"], "dbrx"))["ffn"]
    assert ffn is not None
    assert {g["intermediate_size"] for g in ffn["layers"] or ()} == {row["config"]["ffn_config"]["ffn_hidden_size"]}


def test_what_is_no_cache_of_keys_is_not_given_as_one() -> None:
    for kind in ("deepseek_v4", "xlnet", "reformer"):
        memory = report_of({"model_type": kind})["memory"]
        assert memory is not None
        assert memory["kv_cache_bytes_per_token"] is None, kind


@pytest.mark.parametrize(
    ("family", "names"),
    [
        ("falcon_mamba", {"state-normed"}),
        ("jamba", {"state-normed"}),
        ("mamba", set()),
        ("bitnet", {"output-normed", "ffn-normed"}),
        ("kosmos_2_text_model", {"output-normed", "ffn-normed"}),
        ("llama", set()),
    ],
)
def test_norms_inside_a_sub_layer_are_told(family: str, names: set[str]) -> None:
    assert set(told({"model_type": family})) & {"state-normed", "output-normed", "ffn-normed"} == names


def test_what_a_wrapper_does_with_an_images_tokens_is_told() -> None:
    rope = {"rope_scaling": {"rope_type": "default", "mrope_section": [24, 20, 20]}}
    found = told({"model_type": "qwen3_vl", "text_config": rope})
    assert (found["axes"], found["deepstack"]) == ("24, 20, 20", "8, 16, 24")
    assert told({"model_type": "qwen2_vl", **rope})["axes"] == "24, 20, 20"
    assert "axes" not in told({"model_type": "qwen2", **rope})
    assert "axes" not in told({"model_type": "qwen2_vl"})
