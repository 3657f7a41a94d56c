"""What a drawing says beside itself, and what is drawn of models whose layers are not the usual ones."""

from __future__ import annotations

import pytest

from cfgexplain.families.registry import TABLES, find
from cfgexplain.families.remarks import FORMULAS, REMARKS, SEEN
from cfgexplain.families.routing import ROUTING
from cfgexplain.lang import LANGUAGES, catalogue
from cfgexplain.render.diagram import describe
from cfgexplain.render.remarks import beside
from corpus import cases, checkpoint
from models import LLAMA_2_7B, report_of

IDS = {f.id for name in TABLES if (f := find(name)) is not None}
NAMES = {r.name for found in REMARKS.values() for r in found} | set(SEEN.values()) | {"head-transform"}


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
    ],
)
def test_scales_carry_the_configs_own_numbers(config: dict[str, object], name: str, value: object) -> None:
    assert told(config).get(name) == value


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
