"""Sentences of keys that were once wrong for some model: one test for each cause, with the reference's own numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from cfgexplain.explain.key_page import page
from cfgexplain.explain.key_topics import topic_of, topics
from cfgexplain.explain.key_variants import VARIANTS
from cfgexplain.families.absent import ELSEWHERE, FIXED, NONE
from cfgexplain.families.registry import TABLES, find
from cfgexplain.inspect import Wanted, inspect
from cfgexplain.render import Style
from cfgexplain.render.text import render
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
    full = text(GEMMA_4, "rope_parameters.full_attention.rope_theta")
    assert "Of 64 pairs" in full
    assert "2π · 1,000,000^(126 / 512) = 188.3" in full
    assert "do not turn at all: 192 of 256" in full
    sliding = text(GEMMA_4, "rope_parameters.sliding_attention.rope_theta")
    assert "Of 128 pairs" in sliding
    assert "2π · 10,000^(254 / 256) = 58,470" in sliding
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
        ("gpt_oss", "n_shared_experts"), ("qwen3_moe", "n_shared_experts"), ("esm", "hidden_act"),
        ("jamba", "rope_parameters.rope_theta"), ("nemotron_h", "rope_parameters.rope_theta"),
        ("glm_moe_dsa", "num_nextn_predict_layers"),
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


# --- blocks that no usual layer has ---

LONGCAT = {"model_type": "longcat_flash", "num_layers": 2}


def test_experts_without_tensors_are_choices_and_no_parameters() -> None:
    r = inspect(checkpoint({"model_type": "longcat_flash", "num_layers": 28}, None))
    assert r["params"] is not None
    assert round((r["params"]["total"] or 0) / 1e9) == 561
    assert "12 / 768 = " in formula(LONGCAT, "moe_topk")
    assert "256 hand their input on unchanged" in text(LONGCAT, "moe_topk")
    said = text(LONGCAT, "expert_ffn_hidden_size")
    assert "512 experts, feed-forward blocks of width 2,048" in said
    assert "12 of 768" in said
    assert r["model"] is not None
    assert {x["name"]: x["value"] for x in r["model"]["remarks"] or ()}["zero-experts"] == 256


def test_a_dense_block_inside_a_layer_with_experts_is_used() -> None:
    out = "".join(render([inspect(checkpoint(LONGCAT, None))], Style()))
    assert "used by no layer" not in out
    assert "12,288" in out


def test_a_dense_block_beside_the_experts_is_no_expert() -> None:
    config = {**GEMMA_4, "enable_moe_block": True, "num_experts": 8, "top_k_experts": 2, "moe_intermediate_size": 704,
              "intermediate_size": 2112}  # fmt: skip
    said = text(config, "intermediate_size")
    assert "the dense block that stands beside the experts" in said
    assert "no layer has a dense block" not in said
    assert "mlp.down_proj, whose input it is" in said


def test_a_width_chosen_among_keys_is_said_by_its_key() -> None:
    said = text({"model_type": "granitemoehybrid", "intermediate_size": 512}, "intermediate_size")
    assert "The config sets intermediate_size to 512." in said
    assert "No key holds it" not in said


def test_metas_rule_says_nothing_of_two_matrices() -> None:
    config = {"model_type": "apertus", "hidden_size": 4096, "intermediate_size": 14336}
    said = text(config, "intermediate_size")
    assert "Meta" not in said
    assert "Llama" not in said
    assert "14,336 is 7/2 · 4,096 exactly." in said


# --- keys with another meaning ---


@pytest.mark.parametrize(
    ("config", "key", "says", "not_says"),
    [
        ({"model_type": "minimax", "block_size": 256}, "block_size", "lightning attention", "random"),
        ({"model_type": "deepseek_v3"}, "num_key_value_heads", "has to equal num_attention_heads", "multi-query"),
        ({"model_type": "kimi_linear"}, "qk_rope_head_dim", "turns nothing", "because a turned key"),
        ({"model_type": "jamba", "max_position_embeddings": 4096}, "max_position_embeddings", "No tensor", "rotary"),
        ({"model_type": "modernbert", "local_attention": 128}, "local_attention", "half of it to each", "cache st"),
        ({"model_type": "longformer", "attention_window": 512}, "attention_window", "half of it to each", "cache st"),
        ({"model_type": "apertus", "hidden_act": "xielu"}, "hidden_act", "alpha_p", "has no tensor"),
        ({"model_type": "gpt_oss", "hidden_act": "silu"}, "hidden_act", "Nothing reads it here", "has no tensor"),
        ({"model_type": "kimi_linear"}, "linear_head_dim", "Kimi Delta Attention", "has no tensor"),
        ({"model_type": "gemma3n_text", "altup_active_idx": 0}, "altup_active_idx", "Nothing fails", "loading fails"),
        ({"model_type": "hy_v4", "hc_sinkhorn_iters": 20}, "hc_sinkhorn_iters", "Nothing fails", "do not fit"),
        ({"model_type": "gemma3", "boi_token_index": 5}, "boi_token_index", "ordinary tokens", "hold the place"),
        ({"model_type": "nemotron_h", "num_logits_to_keep": 1}, "num_logits_to_keep", "last positions", "tuples"),
        ({"model_type": "opt", "word_embed_proj_dim": 512}, "word_embed_proj_dim", "a projection leads", "OLMo"),
    ],
)  # fmt: skip
def test_a_spelling_means_what_its_model_means_by_it(
    config: dict[str, object], key: str, says: str, not_says: str
) -> None:
    said = text(config, key)
    assert says in said
    assert not_says not in said


def test_a_key_that_is_not_read_gets_no_advice() -> None:
    for config, key in (
        ({"model_type": "minimax_m2", "use_qk_norm": True}, "use_qk_norm"),
        ({"model_type": "granitemoehybrid", "position_embedding_type": "nope", "rope_theta": 1e4}, "rope_theta"),
        ({"model_type": "t5", "n_positions": 512}, "n_positions"),
        ({"model_type": "nemotron_h", "expand": 2}, "expand"),
        ({"model_type": "nemotron_h", "n_shared_experts": 1}, "n_shared_experts"),
        ({"model_type": "falcon_h1", "mamba_expand": 2}, "mamba_expand"),
    ):
        said = text(config, key)
        assert "If it is wrong" not in said, key
        assert "After training" not in said, key
    assert "If it is wrong" in text({"model_type": "falcon_h1", "mamba_d_ssm": None, "mamba_expand": 2}, "mamba_expand")


def test_what_the_code_fills_in_is_not_called_none() -> None:
    for config, key in (({"model_type": "gemma2"}, "layer_types"), ({"model_type": "falcon"}, "num_kv_heads")):
        said = text(config, key)
        assert "takes that as none" not in said
        assert "its other keys and its own code" in said
    assert "takes that as none" in text({"model_type": "mixtral"}, "sliding_window")


# --- numbers of sizes and scales ---


def test_the_embeddings_own_width_counts() -> None:
    config = {"model_type": "opt", "hidden_size": 1024, "word_embed_proj_dim": 512, "vocab_size": 50272}
    assert "50,272 × 512 = 25,739,264" in formula(config, "hidden_size")
    assert formula(config, "vocab_size") == "50,272 × 512 = 25,739,264"


@pytest.mark.parametrize("model_type", ["opt", "bart", "mbart", "roberta"])
def test_rows_of_a_table_of_positions_beyond_them(model_type: str) -> None:
    config = {"model_type": model_type, "max_position_embeddings": 512}
    assert ("512 + 2 = 514" in formula(config, "max_position_embeddings")) == (model_type != "roberta")
    assert "512 + 2" not in formula({"model_type": "bert", "max_position_embeddings": 512}, "max_position_embeddings")


@pytest.mark.parametrize(
    ("config", "key", "scale"),
    [
        ({"model_type": "llama", "head_dim": 64}, "head_dim", "1 / sqrt(64) = 0.125"),
        ({"model_type": "longcat_flash", "head_dim": 64}, "head_dim", "1 / sqrt(192) = 0.07217"),
        ({"model_type": "t5"}, "d_kv", ""), (GEMMA_4, "head_dim", ""),
        ({"model_type": "zamba"}, "attention_head_dim", ""),
        ({"model_type": "granitemoehybrid"}, "head_dim", ""),
        ({"model_type": "gemma2"}, "head_dim", "1 / sqrt(256) = 0.0625"),  # its own scalar is the usual one
    ],
)  # fmt: skip
def test_the_scale_of_attention_is_the_one_in_use(config: dict[str, object], key: str, scale: str) -> None:
    shown = formula(config, key)
    assert scale in shown
    assert bool(scale) == ("1 / sqrt" in shown)


def test_a_window_counts_the_token_itself() -> None:
    config = {"model_type": "phi3", "num_hidden_layers": 32, "sliding_window": 2047}
    assert formula(config, "sliding_window") == "32 × (2,047 − 1) = 65,472"
    config = {"model_type": "modernbert", "num_hidden_layers": 22, "local_attention": 128}
    assert formula(config, "local_attention") == "14 × 64 = 896"


# --- routers, as the reference's classes compute ---


@pytest.mark.parametrize(
    ("config", "says", "not_says"),
    [
        ({"model_type": "kimi_linear"},
         ("from a sigmoid", "a bias is added", "divided by their sum", "2.446 (routed_scaling_factor)"), ("groups",)),
        ({"model_type": "laguna", "moe_routed_scaling_factor": 2.5}, ("from a sigmoid", "a bias is added", "2.5"), ()),
        ({"model_type": "step3p5", "moe_router_scaling_factor": 3.0}, ("from a sigmoid", "a bias is added", " 3 "), ()),
        ({"model_type": "dbrx"}, ("softmax over all", "weights of those picked are divided"), ()),
        ({"model_type": "dbrx", "ffn_config": {"moe_normalize_expert_weights": None}}, ("are not divided",), ()),
        ({"model_type": "cohere2_moe"}, ("of those picked, and of no",), ("divided",)),
        ({"model_type": "cohere2_moe", "expert_selection_fn": "sigmoid"}, ("sigmoid", "divided by their sum"), ()),
        ({"model_type": "phimoe"}, ("one after the other",), ("divided by",)),
        ({"model_type": "inkling_text"}, ("scores the shared experts as well", "a bias is added"), ()),
        ({"model_type": "minimax_m3_vl_text"},
         ("from a sigmoid", "a bias is added", "divided by their sum", "2 (routed_scaling_factor)"), ()),
        ({"model_type": "deepseek_v4"},
         ("root of a softplus", "a bias is added", "divided by their sum", "1.5", "token's number alone"), ()),
        ({"model_type": "deepseek_v4", "num_hash_layers": 0, "scoring_func": "sigmoid"},
         ("from a sigmoid",), ("token's number alone",)),
        ({"model_type": "gemma4_text", "enable_moe_block": True, "num_experts": 8, "top_k_experts": 2},
         ("softmax over all", "divided by their sum", "a stored number of its expert"), ("a bias is added",)),
        ({"model_type": "zaya"}, ("to skip them all", "softmax over all", "a bias is added", "not divided"), ()),
    ],
)  # fmt: skip
def test_routing_says_how_weights_come_of_scores(
    config: dict[str, object], says: tuple[str, ...], not_says: tuple[str, ...]
) -> None:
    found = inspect(checkpoint(config, None), Wanted())["explanations"] or []
    (said,) = [e["text"] for e in found if e["title"].startswith("Routing")]
    assert all(x in said for x in says), said
    assert not any(x in said for x in not_says), said


# --- single keys ---


def test_the_last_class_of_distances_begins_where_the_formula_says() -> None:
    said = text({"model_type": "t5"}, "relative_attention_max_distance")
    assert "the last class begins at 91 tokens" in said
    assert "In the decoder the last class begins at 113 tokens." in said


def test_variants_are_of_families_that_exist_and_topics_that_have_a_text() -> None:
    ids = {f.id for name in TABLES if (f := find(name)) is not None}
    for v in VARIANTS:
        assert v.families <= ids, v.topic.name
        assert v.of in topics()
        assert not v.names or all(topic_of(n) is topics()[v.of] for n in v.names)


def test_a_page_keeps_another_meaning_apart() -> None:
    shown = "\n".join(page("conv_kernel", "en"))
    assert "In omniasr_audio it is another thing" in shown
    assert "[10, 3, 3" not in shown


@pytest.mark.parametrize(
    ("key", "reference", "not_it"),
    [
        ("laurel_rank", "2411.07501", "2301.13310"), ("hc_sinkhorn_iters", "2512.24880", "2409.19606"),
        ("weight_block_size", "2412.19437", "2210.17323"), ("logit_scale", "", "2203.03466"),
    ],
)  # fmt: skip
def test_a_key_cites_where_its_thing_is_from(key: str, reference: str, not_it: str) -> None:
    shown = "\n".join(page(key, "en"))
    assert reference in shown
    assert not_it not in shown


def test_heads_of_full_layers_are_said_where_they_are_others() -> None:
    found = inspect(checkpoint(GEMMA_4, None))["explanations"] or []
    (said,) = [e["text"] for e in found if e["title"].startswith("Attention")]
    assert "those with full attention have heads of 512 and 8 key-value heads." in said
    assert "full attention have heads" not in text({"model_type": "gemma3_text"}, "num_key_value_heads")
