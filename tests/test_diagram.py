"""The drawing's description says what the report says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from cfgexplain.errors import CfgexplainError
from cfgexplain.inspect import failed
from cfgexplain.render.diagram import Diagram, Ffn, Mixing, NormStep, Side, describe, placement_of
from models import GEMMA_2_2B, GPT2, LLAMA_2_7B, MIXTRAL, report_of, sound, sound_report

if TYPE_CHECKING:
    from cfgexplain.report import Report


def drawn(report: Report) -> Diagram:
    d = describe(report)
    assert d is not None
    return d


def test_llama_is_one_block_of_two_pre_normed_branches() -> None:
    d = drawn(sound_report(LLAMA_2_7B))
    (block,) = d.blocks
    attention, ffn = block.branches
    assert (block.size, block.layers, block.loose) == (32, "0-31", ())
    assert attention.before == (NormStep("input_layernorm"),)
    assert attention.sub == Mixing("attention", (("full", 32),))
    assert ffn.before == (NormStep("post_attention_layernorm"),)
    assert ffn.sub == Ffn("dense", 11008, names=("mlp.gate_proj", "mlp.up_proj", "mlp.down_proj"))
    assert (d.final_norm, d.final_name, d.final_missing, d.head) == (True, "model.norm", False, "own")


@pytest.mark.parametrize(
    ("config", "placement"),
    [
        (LLAMA_2_7B, "pre"),
        (GEMMA_2_2B, "sandwich"),
        ({"model_type": "olmo2"}, "output"),
        ({"model_type": "bert"}, "post"),
        ({"model_type": "cohere"}, "parallel"),
        ({"model_type": "falcon", "new_decoder_architecture": True}, "parallel"),
        (GPT2, "pre"),
        ({"model_type": "olmo"}, "pre"),
    ],
)
def test_drawn_placement_is_the_reports(config: dict[str, object], placement: str) -> None:
    report = report_of(config)
    assert placement_of(drawn(report)) == placement
    assert report["norm"]
    assert report["norm"]["placement"] == placement


def test_sandwich_norms_stand_before_and_after() -> None:
    attention, ffn = drawn(report_of(GEMMA_2_2B)).blocks[0].branches
    assert (attention.before[0].name, attention.after[0].name) == ("input_layernorm", "post_attention_layernorm")
    assert (ffn.before[0].name, ffn.after[0].name) == ("pre_feedforward_layernorm", "post_feedforward_layernorm")
    assert isinstance(attention.sub, Mixing)
    assert dict(attention.sub.words) == {"sliding": 13, "full": 13}


def test_post_norms_stand_on_the_stream() -> None:
    d = drawn(report_of({"model_type": "bert", "architectures": ["BertForMaskedLM"]}))
    attention, ffn = d.blocks[0].branches
    assert (attention.before, attention.on_stream) == ((), (NormStep("attention.output.LayerNorm"),))
    assert ffn.on_stream == (NormStep("output.LayerNorm"),)
    assert (d.final_norm, d.positions) == (False, True)


def test_parallel_block_with_one_norm_and_with_two() -> None:
    one = drawn(report_of({"model_type": "cohere"})).blocks[0]
    two = drawn(report_of({"model_type": "falcon", "new_decoder_architecture": True})).blocks[0]
    assert (one.parallel, one.shared_norms) == (True, (NormStep("input_layernorm"),))
    assert (two.parallel, two.shared_norms) == (True, ())
    assert [b.before[0].name for b in two.branches] == ["ln_attn", "ln_mlp"]


def test_norms_without_tensors_are_drawn_without_a_name() -> None:
    attention, ffn = drawn(report_of({"model_type": "olmo"})).blocks[0].branches
    assert attention.before == ffn.before == (NormStep(""),)


def test_dense_and_sparse_layers_are_two_blocks() -> None:
    d = drawn(report_of({"model_type": "deepseek_v3", "num_hidden_layers": 8}))
    dense, sparse = d.blocks
    assert (dense.layers, sparse.layers) == ("0-2", "3-7")
    assert isinstance(sparse.branches[1].sub, Ffn)
    ffn = sparse.branches[1].sub
    assert (ffn.kind, ffn.width, ffn.experts, ffn.per_token, ffn.shared) == ("moe", 2048, 256, 8, 1)
    assert ffn.names == ("mlp.experts.0.gate_proj", "mlp.experts.0.up_proj", "mlp.experts.0.down_proj")
    assert (ffn.shared_width, ffn.reads) == (2048, None)
    assert isinstance(dense.branches[1].sub, Ffn)
    assert dense.branches[1].sub.names == ("mlp.gate_proj", "mlp.up_proj", "mlp.down_proj")
    assert not d.interleaved


def test_mixture_names_its_experts_matrices() -> None:
    ffn = drawn(report_of(MIXTRAL)).blocks[0].branches[1].sub
    assert isinstance(ffn, Ffn)
    assert ffn.kind == "moe"
    assert all("experts" in n for n in ffn.names)


def test_hybrid_alternates() -> None:
    d = drawn(report_of({"model_type": "jamba", "num_hidden_layers": 8}))
    assert d.interleaved
    assert {x.sub.kind for b in d.blocks for x in b.branches} == {"attention", "mixer", "dense", "moe"}


def test_layers_of_one_branch_each() -> None:
    d = drawn(report_of({"model_type": "nemotron_h", "num_hidden_layers": 6, "hybrid_override_pattern": "M-M*-M"}))
    assert [(b.layers, [x.sub.kind for x in b.branches]) for b in d.blocks] == [
        ("0,2,5", ["mixer"]), ("1,4", ["dense"]), ("3", ["attention"]),
    ]  # fmt: skip


def test_missing_final_norm_is_marked() -> None:
    tensors = sound(LLAMA_2_7B)
    del tensors["model.norm.weight"]
    d = drawn(report_of(LLAMA_2_7B, tensors))
    assert (d.final_norm, d.final_missing) == (True, True)


def test_tied_head() -> None:
    assert drawn(report_of(GEMMA_2_2B)).head == "tied"


def test_unknown_family_is_drawn_by_names_that_are_used_in_one_way_only() -> None:
    d = drawn(report_of({**LLAMA_2_7B, "model_type": "nobody-knows"}, sound(LLAMA_2_7B)))
    assert placement_of(d) == "pre"
    attention, ffn = d.blocks[0].branches
    assert (attention.before[0].name, ffn.before[0].name) == ("input_layernorm", "post_attention_layernorm")
    assert d.blocks[0].loose == ()


def test_unknown_family_with_names_of_its_own_is_drawn_as_unknown() -> None:
    tensors = {n.replace("post_attention_layernorm", "third_norm"): s for n, s in sound(LLAMA_2_7B).items()}
    d = drawn(report_of({**LLAMA_2_7B, "model_type": "nobody-knows"}, tensors))
    assert placement_of(d) is None
    assert d.blocks[0].loose == ("input_layernorm", "third_norm")


def test_empty_config_is_all_unknown() -> None:
    d = drawn(report_of({}))
    (block,) = d.blocks
    assert (block.size, d.final_norm, d.head) == (None, None, "unknown")
    assert [x.sub.kind for x in block.branches] == ["unknown", "unknown"]


def test_mixed_placement_leaves_the_norms_loose() -> None:
    d = drawn(report_of({"model_type": "axk1", "num_hidden_layers": 4}))
    assert placement_of(d) == "mixed"
    assert all(b.loose and not x.before and not x.after for b in d.blocks for x in b.branches)


def test_an_error_has_no_drawing() -> None:
    assert describe(failed("x", CfgexplainError("not-found", "x", ""))) is None


@pytest.mark.parametrize(
    ("config", "first", "second"),
    [
        (
            {"model_type": "hyperclovax", "use_post_norm": True},
            ("input_layernorm", "post_norm1"), ("post_attention_layernorm", "post_norm2"),
        ),
        (
            {"model_type": "kolibri1", "num_hidden_layers": 2},
            ("input_layernorm", "post_attn_norm"), ("post_attention_layernorm", "post_ffn_norm"),
        ),
    ],
)  # fmt: skip
def test_tables_list_a_layers_norms_in_the_order_of_the_flow(
    config: dict[str, object], first: tuple[str, str], second: tuple[str, str]
) -> None:
    branches = drawn(report_of(config)).blocks[0].branches
    assert [(b.before[0].name, b.after[0].name) for b in branches] == [first, second]


def test_an_encoder_is_drawn_before_its_decoder() -> None:
    d = drawn(report_of({"model_type": "t5", "num_layers": 4, "num_decoder_layers": 6}))
    (encoder,), (decoder,) = d.encoder, d.blocks
    assert (encoder.size, decoder.size) == (4, 6)
    assert [x.sub.kind for x in encoder.branches] == ["attention", "dense"]
    assert [x.sub.kind for x in decoder.branches] == ["attention", "cross-attention", "dense"]
    assert [x.before[0].name for x in encoder.branches] == ["layer.0.layer_norm", "layer.1.layer_norm"]
    assert isinstance(encoder.branches[1].sub, Ffn)
    assert isinstance(decoder.branches[2].sub, Ffn)
    assert encoder.branches[1].sub.names[2] == "layer.1.DenseReluDense.wo"
    assert decoder.branches[2].sub.names[2] == "layer.2.DenseReluDense.wo"


def test_a_decoder_alone_has_no_encoder() -> None:
    assert drawn(sound_report(LLAMA_2_7B)).encoder == ()


def test_a_projected_embedding_keeps_its_own_width() -> None:
    config = {"model_type": "opt", "hidden_size": 1024, "word_embed_proj_dim": 512, "do_layer_norm_before": False}
    assert drawn(report_of(config)).embedding == 512
    assert drawn(sound_report(LLAMA_2_7B)).embedding is None


def test_experts_that_read_a_latent() -> None:
    config = {"model_type": "nemotron_h", "hybrid_override_pattern": "ME", "moe_latent_size": 1024}
    ffn = drawn(report_of(config)).blocks[1].branches[0].sub
    assert isinstance(ffn, Ffn)
    assert (ffn.width, ffn.reads, ffn.shared_width) == (7688, 1024, 7688)


def test_a_dense_block_beside_experts_is_drawn_beside_them() -> None:
    """Gemma 4: the experts read the stream itself, and both outputs are added before the last norm."""
    config = {
        "model_type": "gemma4_text", "enable_moe_block": True, "num_experts": 8, "top_k_experts": 2,
        "moe_intermediate_size": 64, "intermediate_size": 128, "hidden_size_per_layer_input": 0,
    }  # fmt: skip
    d = drawn(report_of(config))
    ffn = d.blocks[0].branches[-1]
    dense, experts = ffn.sides
    assert dense == Side(
        (NormStep("pre_feedforward_layernorm"),), Ffn("dense", 128), (NormStep("post_feedforward_layernorm_1"),)
    )
    assert (experts.before, experts.after) == (
        (NormStep("pre_feedforward_layernorm_2"),),
        (NormStep("post_feedforward_layernorm_2"),),
    )
    assert isinstance(experts.sub, Ffn)
    assert (experts.sub.kind, experts.sub.experts, experts.sub.shared) == ("moe", 8, 0)
    assert (ffn.before, ffn.after) == ((), (NormStep("post_feedforward_layernorm"),))
    assert (d.blocks[0].loose, placement_of(d)) == ((), "sandwich")


def test_a_shared_block_leads_into_the_state_space_and_stands_in_every_layer_that_uses_it() -> None:
    """Zamba 2: what the shared block puts out goes to the state space, not to the stream."""
    d = drawn(report_of({"model_type": "zamba2"}))
    hybrid = next(b for b in d.blocks if b.branches[0].lead)
    assert (hybrid.size, len(hybrid.branches), hybrid.loose) == (9, 1, ())
    lead = hybrid.branches[0].lead
    assert [x if isinstance(x, str) else type(x).__name__ for x in lead] == [
        "join", "NormStep", "Mixing", "NormStep", "Ffn", "add", "NormStep",
    ]  # fmt: skip
    assert hybrid.branches[0].sub == Mixing("mixer", (("ssm", 9),))


def test_positions_and_norm_of_a_narrow_embedding_come_before_its_projection() -> None:
    narrow, wide = drawn(report_of({"model_type": "albert"})), drawn(report_of({"model_type": "opt"}))
    assert (narrow.embedding, narrow.projected_last, narrow.positions) == (128, True, True)
    assert not wide.projected_last
    assert drawn(report_of({"model_type": "t5"})).encoder_norm == "encoder.final_layer_norm"
    assert drawn(report_of({"model_type": "bart"})).encoder_norm == ""


def test_kinds_of_layers_with_other_projections_show_theirs() -> None:
    from cfgexplain.render.mixing import others

    report = report_of({"model_type": "gemma4_text"})
    attention = next(x.sub for b in drawn(report).blocks for x in b.branches if isinstance(x.sub, Mixing))
    assert ("q_proj", "2,304 → 4,096") in others(report, attention)["full"]
    assert others(report_of(GEMMA_2_2B), attention) == {}


@pytest.mark.parametrize(
    ("config", "order"),
    [
        (
            {"model_type": "glm4"},
            ["input_layernorm", "post_self_attn_layernorm", "post_attention_layernorm", "post_mlp_layernorm"],
        ),
        ({"model_type": "lfm3"}, ["operator_norm", "post_operator_norm", "ffn_norm", "post_ffn_norm"]),
    ],
)
def test_sandwich_norms_stand_where_a_token_meets_them(config: dict[str, object], order: list[str]) -> None:
    names = [n.name for x in drawn(report_of(config)).blocks[-1].branches for n in (*x.before, *x.after)]
    assert names == order
