"""Decoders of Megatron's names: GPT-NeoX (Pythia), its Japanese sibling, BLOOM, Falcon; and MPT.

Facts from transformers 5.23, ``models/{gpt_neox,gpt_neox_japanese,bloom,falcon,mpt}``. Black et al. 2022
(2204.06745), BigScience 2022 (2211.05100), Almazrouei et al. 2023 (2311.16867).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cfgexplain.families.common import LABELS, flag, key, rope_theta, share
from cfgexplain.families.gptj import classic_heads
from cfgexplain.families.schema import (
    E,
    Family,
    Key,
    Norm,
    Slots,
    embedding,
    linear,
    lm_head,
    norm,
    plain_mlp,
    replace,
    slots,
    tensor,
    under,
    when,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from cfgexplain.families.schema import Slot


def maybe(*groups: Slot | Iterable[Slot]) -> Slots:
    """The same slots, counted where they are stored and never missed."""
    return tuple(s._replace(kind="optional") for s in slots(*groups))


def megatron_mlp(bias: str, width: str = "ffn") -> Slots:
    """The two matrices in Megatron's names."""
    return plain_mlp("mlp.dense_h_to_4h", "mlp.dense_4h_to_h", width, bias=bias)


def neox_keys(*, hidden: int, layers: int, heads: int, ffn: Key, vocab: int, tie: bool, **more: Key) -> dict[str, Key]:
    """The keys of GPT-NeoX and its sibling."""
    return {
        "hidden": key("hidden_size", hidden),
        "ffn": ffn,
        "layers": key("num_hidden_layers", layers),
        "heads": key("num_attention_heads", heads),
        "kv_heads": key((), E("heads")),
        "head_dim": key((), E("hidden // heads")),
        "vocab": key("vocab_size", vocab),
        "max_pos": key("max_position_embeddings", 2048),
        "eps": key("layer_norm_eps", 1e-5),
        "act": key("hidden_act", "gelu"),
        "tie": key("tie_word_embeddings", tie),
        "theta": rope_theta(10000.0, "rotary_emb_base"),
        **LABELS,
        **more,
    }


GPT_NEOX: Final = Family(
    id="gpt_neox",
    source="transformers 5.23 GPTNeoXConfig, GPTNeoXLayer (two norms, side by side unless use_parallel_residual "
    "is off)",
    base="gpt_neox",
    keys=neox_keys(
        rotary_share=share(0.25, "rotary_pct"),
        hidden=6144, layers=44, heads=64, ffn=key("intermediate_size", 24576), vocab=50432, tie=False,
        parallel=key("use_parallel_residual", True), attention_bias=key("attention_bias", True),
    ),
    body=slots(
        embedding("embed_in"),
        under(
            "layers.{i}.",
            norm("input_layernorm", bias="1"),
            norm("post_attention_layernorm", bias="1"),
            linear("attention.query_key_value", "attention", "qkv", "3*hidden", "hidden", "attention_bias"),
            linear("attention.dense", "attention", "o", "hidden", "hidden", "attention_bias"),
            # Every release before 4.32 stored the causal mask, its fill value and the rotary frequencies.
            tensor("attention.bias", "buffer", "", kind="buffer"),
            tensor("attention.masked_bias", "buffer", "", kind="buffer"),
            tensor("attention.rotary_emb.inv_freq", "buffer", "", kind="buffer"),
            megatron_mlp("1"),
            layers="layers",
        ),
        norm("final_layer_norm", "final-norm", bias="1"),
    ),
    heads=classic_heads(lm_head("embed_out")),
    norm=Norm("layernorm", E("'parallel' if parallel else 'pre'")),
    renames=(((r"^lm_head\.", "embed_out."),),),
)

GPT_NEOX_JAPANESE: Final = replace(
    GPT_NEOX,
    id="gpt_neox_japanese",
    source="transformers 5.23 GPTNeoXJapaneseConfig, GPTNeoXJapaneseLayer (no biases but one on the last "
    "layer's attention)",
    base="gpt_neox_japanese",
    keys=neox_keys(
        hidden=2560, layers=32, heads=32, ffn=key((), E("int(hidden * multiple)")), vocab=32000, tie=True,
        multiple=key("intermediate_multiple_size", 4), rotary_share=share(1.0, "rotary_pct"),
    ),
    body=slots(
        embedding("embed_in"),
        under(
            "layers.{i}.",
            norm("input_layernorm", bias="1"),
            norm("post_attention_layernorm", bias="1"),
            linear("attention.query_key_value", "attention", "qkv", "3*hidden", "hidden"),
            linear("attention.dense", "attention", "o", "hidden", "hidden"),
            tensor("attention.dense_bias", "attention", "hidden", "o", "i == layers - 1"),
            tensor("attention.rotary_emb.inv_freq", "buffer", "", kind="buffer"),
            megatron_mlp(""),
            layers="layers",
        ),
        norm("final_layer_norm", "final-norm", bias="1"),
    ),
    norm=Norm("layernorm"),
)

BLOOM: Final = Family(
    id="bloom",
    source="transformers 5.23 BloomConfig, BloomBlock (a norm after the embedding; width fixed at "
    "4*hidden_size; tanh GELU fixed)",
    base="transformer",
    keys={
        "hidden": key(("hidden_size", "n_embed"), 64),
        "ffn": key((), E("4*hidden")),
        "layers": key(("n_layer", "num_hidden_layers"), 2),
        "heads": key(("n_head", "num_attention_heads"), 8),
        "kv_heads": key((), E("heads")),
        "head_dim": key((), E("hidden // heads")),
        "vocab": key("vocab_size", 250880),
        "eps": key("layer_norm_epsilon", 1e-5),
        "act": key((), "gelu_pytorch_tanh"),
        "tie": key("tie_word_embeddings", True),
        "post_residual": key("apply_residual_connection_post_layernorm", False),
        "max_pos": key("seq_length", None, "int"),
        **LABELS,
    },
    body=slots(
        embedding("word_embeddings"),
        norm("word_embeddings_layernorm", "other-norm", bias="1"),
        under(
            "h.{i}.",
            norm("input_layernorm", bias="1"),
            linear("self_attention.query_key_value", "attention", "qkv", "3*hidden", "hidden", "1"),
            linear("self_attention.dense", "attention", "o", "hidden", "hidden", "1"),
            norm("post_attention_layernorm", bias="1"),
            megatron_mlp("1"),
            layers="layers",
        ),
        norm("ln_f", "final-norm", bias="1"),
    ),
    heads=classic_heads(),
    # With the flag, a norm's output is also the residual.
    norm=Norm("layernorm", E("'post' if post_residual else 'pre'")),
)

FALCON: Final = Family(
    id="falcon",
    source="transformers 5.23 FalconConfig, FalconDecoderLayer, FalconAttention",
    base="transformer",
    keys={
        "hidden": key(("hidden_size", "n_embed"), 4544),
        "ffn": key("ffn_hidden_size", E("4*hidden")),
        "layers": key("num_hidden_layers", 32),
        "heads": key("num_attention_heads", 71),
        "kv_given": key("num_kv_heads", None, "int"),
        "kv_heads": key((), E("(kv_given or heads) if new else 1 if multi_query else heads")),
        "head_dim": key((), E("hidden // heads")),
        "vocab": key("vocab_size", 65024),
        "max_pos": key("max_position_embeddings", 2048),
        "eps": key("layer_norm_epsilon", 1e-5),
        "act": key("activation", "gelu"),
        "tie": key("tie_word_embeddings", True),
        "new": flag("new_decoder_architecture", False),
        "multi_query": flag("multi_query", True),
        "parallel": flag("parallel_attn", True),
        "bias": flag("bias", False),
        "norms": key("num_ln_in_parallel_attn", E("2 if new else 1")),
        **LABELS,
        "theta": rope_theta(10000.0),
    },
    body=slots(
        embedding("word_embeddings"),
        under(
            "h.{i}.",
            when("parallel and norms == 2", norm("ln_attn", bias="1"), norm("ln_mlp", bias="1")),
            when("not (parallel and norms == 2)", norm("input_layernorm", bias="1")),
            when("not parallel", norm("post_attention_layernorm", bias="1")),
            linear(
                "self_attention.query_key_value", "attention", "qkv", "(heads + 2*kv_heads)*head_dim", "hidden", "bias"
            ),
            linear("self_attention.dense", "attention", "o", "hidden", "hidden", "bias"),
            tensor("self_attention.rotary_emb.inv_freq", "buffer", "", kind="buffer"),
            tensor("self_attention.maybe_rotary.inv_freq", "buffer", "", kind="buffer"),
            megatron_mlp("bias"),
            layers="layers",
        ),
        norm("ln_f", "final-norm", bias="1"),
    ),
    heads=classic_heads(),
    norm=Norm("layernorm", E("'parallel' if parallel or new else 'pre'")),
)

#: What the model's own remote code was called before the library took it over: Falcon-7B and the RW models …
REFINED_WEB_MODEL: Final = replace(
    FALCON,
    id="refinedweb-7b",
    source="tiiuae/falcon-7b, configuration_RW.py as first published (2023); modeling as Falcon",
    keys={
        **FALCON.keys,
        "hidden": key(("hidden_size", "n_embed"), 64),
        "layers": key(("n_layer", "num_hidden_layers"), 2),
        "heads": key(("n_head", "num_attention_heads"), 8),
        "multi_query": flag("multi_query", False),
        "parallel": flag("parallel_attn", False),
        "vocab": key("vocab_size", 250880),
    },
    unread=("new_decoder_architecture", "num_ln_in_parallel_attn"),
)

#: … and Falcon-40B, which has no flag for its architecture there.
REFINED_WEB: Final = replace(
    REFINED_WEB_MODEL,
    id="refinedweb-40b",
    source="tiiuae/falcon-40b, configuration_RW.py as first published (2023); modeling as Falcon's new architecture",
    keys={
        **REFINED_WEB_MODEL.keys,
        "kv_given": key("n_head_kv", None, "int"),
        "parallel": key((), True),
        "new": key((), True),
    },
)

MPT: Final = Family(
    id="mpt",
    source="transformers 5.23 MptConfig, MptBlock (LayerNorm without bias, width fixed at 4*d_model); with "
    "no_bias off, "
    "qk_ln on or alibi off, the published remote code (mosaicml/llm-foundry) has the tensors marked optional",
    base="transformer",
    keys={
        "hidden": key(("d_model", "hidden_size"), 2048),
        "ffn": key((), E("4*hidden")),
        "layers": key(("n_layers", "num_hidden_layers"), 24),
        "heads": key(("n_heads", "num_attention_heads"), 16),
        "kv_heads": key((), E("heads")),
        "head_dim": key((), E("hidden // heads")),
        "vocab": key("vocab_size", 50368),
        "max_pos": key("max_seq_len", 2048),
        "eps": key("layer_norm_epsilon", 1e-5),
        "act": key((), "gelu"),
        "tie": key("tie_word_embeddings", True),
        "no_bias": key("no_bias", True),
        "qk_norm": key("attn_config.qk_ln", False),
        "alibi": key("attn_config.alibi", True),
        **LABELS,
    },
    body=slots(
        embedding("wte"),
        when("not alibi", maybe(embedding("wpe", "max_pos", role="position-embedding"))),
        under(
            "blocks.{i}.",
            norm("norm_1"),
            linear("attn.Wqkv", "attention", "qkv", "3*hidden", "hidden"),
            linear("attn.out_proj", "attention", "o", "hidden", "hidden"),
            norm("norm_2"),
            plain_mlp("ffn.up_proj", "ffn.down_proj"),
            when(
                "not no_bias",
                maybe(
                    tensor("norm_1.bias", "block-norm", "hidden"),
                    tensor("attn.Wqkv.bias", "attention", "3*hidden", "qkv"),
                    tensor("attn.out_proj.bias", "attention", "hidden", "o"),
                    tensor("norm_2.bias", "block-norm", "hidden"),
                    tensor("ffn.up_proj.bias", "ffn", "ffn", "up"),
                    tensor("ffn.down_proj.bias", "ffn", "hidden", "down"),
                ),
            ),
            when(
                "qk_norm",
                maybe(
                    norm("attn.q_ln", "attention-norm", part="q_norm", bias="not no_bias"),
                    norm("attn.k_ln", "attention-norm", part="k_norm", bias="not no_bias"),
                ),
            ),
            layers="layers",
        ),
        norm("norm_f", "final-norm"),
        when("not no_bias", maybe(tensor("norm_f.bias", "final-norm", "hidden"))),
    ),
    heads=classic_heads(),
    norm=Norm("layernorm", qk=False),
    unread=("expansion_ratio",),
)
