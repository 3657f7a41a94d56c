"""Models of a type that no table knows: what names and shapes show, and what they leave open."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from cfgexplain.inspect import inspect
from corpus import cases, checkpoint
from models import LLAMA_2_7B, report_of, sound

if TYPE_CHECKING:
    from cfgexplain.report import LayerKindR, Report

SMALL: dict[str, object] = {
    **LLAMA_2_7B, "hidden_size": 64, "intermediate_size": 176, "num_hidden_layers": 3, "num_attention_heads": 4,
    "num_key_value_heads": 2, "vocab_size": 160,
}  # fmt: skip


def blind(config: dict[str, object], listing: bool = True, **changes: object) -> Report:
    """The report under a model type that nobody knows, with the tensors of the known one."""
    renamed = {k: v for k, v in config.items() if k != "architectures"}
    return report_of({**renamed, "model_type": "nobody-knows", **changes}, sound(config), listing=listing)


def roles(r: Report) -> dict[str, str]:
    return {t["name"]: t["role"] for t in r["tensors"] or []}


def test_a_llama_under_another_name() -> None:
    r, known = blind(SMALL), report_of(SMALL, sound(SMALL), listing=True)
    assert roles(r) == roles(known)
    assert r["ffn"]["params"] | {"from_config": None} == known["ffn"]["params"] | {"from_config": None}
    assert (r["norm"]["type"], r["norm"]["placement"], r["norm"]["gain"]) == ("rmsnorm", "pre", None)
    assert r["norm"]["final_norm"] == known["norm"]["final_norm"]


def test_sizes_come_from_the_tensors_where_the_config_is_silent() -> None:
    r = report_of({"model_type": "nobody-knows"}, sound(SMALL))
    m = r["model"]
    assert (m["hidden_size"], m["num_layers"], m["vocab_size"]) == (64, 3, 160)
    assert r["ffn"]["intermediate_size"]["from_tensors"] == 176


@pytest.mark.parametrize(
    ("name", "placement"),
    [
        ("gemma2", "sandwich"), ("olmo2", "output"), ("bert", "post"), ("cohere", "parallel"), ("gpt2", "pre"),
        ("gpt_neox", None), ("bart", None),
    ],
)  # fmt: skip
def test_placement_is_said_only_where_the_names_were_used_in_one_way(name: str, placement: str | None) -> None:
    row = cases()[name]
    shapes = {n: tuple(t["shape"]) for n, t in row["header"].items()}
    config = {k: v for k, v in row["config"].items() if k != "architectures"}
    r = report_of({**config, "model_type": "nobody-knows"}, shapes)
    assert r["norm"]["placement"] == placement


def test_a_bias_makes_it_layernorm_and_no_bias_proves_nothing() -> None:
    plain = {k: v for k, v in SMALL.items() if k not in ("rms_norm_eps", "architectures")}
    tensors = sound(SMALL)
    biased = {**tensors, **{n[:-6] + "bias": s for n, s in tensors.items() if "layernorm" in n}}
    assert report_of({**plain, "model_type": "nobody-knows"}, biased)["norm"]["type"] == "layernorm"
    assert report_of({**plain, "model_type": "nobody-knows"}, tensors)["norm"]["type"] is None


def test_a_matrix_that_is_nothing_known_leaves_the_counts_open() -> None:
    tensors = sound(SMALL)
    odd = {f"model.layers.{i}.blob.weight": (48, 64) for i in range(3)}
    r = report_of({**SMALL, "model_type": "nobody-knows"}, {**tensors, **odd}, listing=True)
    assert roles(r)["model.layers.0.blob.weight"] == "unclassified"
    p = r["ffn"]["params"]
    assert [p[k] for k in ("dense", "experts", "shared_experts", "router", "total")] == [None] * 5


def test_a_dense_block_beside_a_mixture_may_be_its_shared_expert() -> None:
    tensors = sound(SMALL)
    for i in range(3):
        base = f"model.layers.{i}."
        tensors |= {f"{base}experts.gate_up_proj": (6, 80, 64), f"{base}experts.down_proj": (6, 64, 40)}
        tensors |= {f"{base}router.proj.weight": (6, 64)}
    p = report_of({**SMALL, "model_type": "nobody-knows"}, tensors)["ffn"]["params"]
    assert (p["dense"], p["shared_experts"]) == (None, None)
    assert p["experts"] == 3 * 6 * 120 * 64
    assert p["router"] == 3 * 6 * 64
    assert p["total"] == 3 * (6 * 120 * 64 + 3 * 176 * 64)


@pytest.mark.parametrize(
    ("inner", "role"),
    [("q_proj", "attention"), ("up_proj", "ffn"), ("in_proj", "mixer")],
)
def test_a_module_called_mixer_is_what_it_holds(inner: str, role: str) -> None:
    weight = f"backbone.layers.0.mixer.{inner}.weight"
    rest = {"ffn": "down_proj", "attention": "k_proj", "mixer": "out_proj"}[role]
    tensors = {weight: (96, 64), f"backbone.layers.0.mixer.{rest}.weight": (64, 96)}
    r = report_of({"model_type": "nobody-knows", "hidden_size": 64}, tensors, listing=True)
    assert set(roles(r).values()) == {role}


def test_a_gate_behind_the_way_down_gates_nothing() -> None:
    base = "rwkv.blocks.0.feed_forward."
    tensors = {f"{base}key.weight": (176, 64), f"{base}value.weight": (64, 176), f"{base}receptance.weight": (64, 64)}
    r = report_of({"model_type": "nobody-knows", "hidden_size": 64}, tensors)
    assert r["ffn"]["gated"] is False


def test_which_layers_attend_and_how_wide_a_head_is_shows_in_the_tensors() -> None:
    """Of a hybrid without a table: attention and other mixers layer by layer, but no kind of either."""
    case = cases()["jamba"]
    report = inspect(checkpoint({**case["config"], "model_type": "nobody-knows"}, case["header"]))
    model, layers = report["model"], report["layers"]
    assert model
    assert layers
    truth = inspect(checkpoint(case["config"], case["header"]))["layers"]
    assert truth
    assert truth["kinds"]
    assert layers["kinds"]
    assert layers["mix"] is None

    def spread(runs: list[LayerKindR]) -> list[str | None]:
        return [r["attention"] for r in runs for _ in range(r["first"], r["last"] + 1)]

    named = {"ssm": "mixer", "full": "attention"}
    assert spread(layers["kinds"]) == [named[str(k)] for k in spread(truth["kinds"])]
    assert model["head_dim"] == case["config"]["hidden_size"] // case["config"]["num_attention_heads"]
    assert {x["name"] for x in (layers["matrices"] or {})["mixer"]} >= {"mamba.in_proj.weight", "mamba.A_log"}
