"""T5: pre-norm RMSNorm, relative positions in the first layer of each stack, no biases.

Facts from transformers 5.23, ``models/<family>``. Raffel et al. 2020 (1910.10683); gated variants: Shazeer 2020
(2002.05202). ``layers``, ``heads`` and ``ffn`` are those of the decoder, ``enc_layers`` the encoder's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cfgexplain.families.common import LABELS, key
from cfgexplain.families.schema import (
    E,
    Family,
    Norm,
    Slot,
    Slots,
    embedding,
    linear,
    lm_head,
    norm,
    rename,
    replace,
    slots,
    tensor,
    under,
    when,
)

if TYPE_CHECKING:
    from cfgexplain.families.schema import Key

_WIDE: Final = "heads*head_dim"
ENCODER_ONLY: Final = "cls in ('EncoderModel', 'ForTokenClassification')"


def t5_keys(*, vocab: int = 32128, hidden: int = 512, ffn: int = 2048, layers: int = 6, heads: int = 8,
    proj: str = "relu",
            **more: Key) -> dict[str, Key]:
    """The keys of T5's config. Activation and gate follow from ``feed_forward_proj`` where they are not given."""
    return {
        "hidden": key(("d_model", "hidden_size"), hidden),
        "head_dim": key(("d_kv", "head_dim"), 64),
        "ffn": key("d_ff", ffn),
        "enc_layers": key(("num_layers", "num_hidden_layers"), layers),
        "layers": key("num_decoder_layers", E("enc_layers")),
        "heads": key(("num_heads", "num_attention_heads"), heads),
        "kv_heads": key((), E("heads")),
        "vocab": key("vocab_size", vocab),
        "buckets": key("relative_attention_num_buckets", 32),
        "farthest": key("relative_attention_max_distance", 128),
        "max_pos": key((), None),
        "eps": key("layer_norm_epsilon", 1e-6),
        "proj": key("feed_forward_proj", proj),
        "act": key("dense_act_fn", E("'gelu_new' if proj == 'gated-gelu' else proj.split('-')[-1]"), "str"),
        "gate": key("is_gated_act", E("proj[:6] == 'gated-'"), "bool"),
        "tie": key("tie_word_embeddings", True),
        **LABELS,
        **more,
    }


# --- blocks ---


def attend(name: str, role: str = "attention", biased: str = "i == 0") -> Slots:
    """q, k, v [heads*d_kv, d_model] and o, with the relative bias [buckets, heads] where ``biased`` holds."""
    return slots(
        *(linear(f"{name}.{p}", role, p, _WIDE, "hidden") for p in "qkv"), linear(f"{name}.o", role, "o", "hidden",
            _WIDE),
        when(biased, tensor(f"{name}.relative_attention_bias.weight", role, "buckets, heads")),
    )


#: Two matrices, or three (``wi_0`` is the gate).
MLP: Final = slots(
    when("not gate", linear("DenseReluDense.wi", "ffn", "up", "ffn", "hidden")),
    when("gate", linear("DenseReluDense.wi_0", "ffn", "gate", "ffn", "hidden"),
         linear("DenseReluDense.wi_1", "ffn", "up", "ffn", "hidden")),
    linear("DenseReluDense.wo", "ffn", "down", "hidden", "ffn"),
)


def encoder_block(attention: Slots, mlp: Slots = MLP) -> Slots:
    """A layer of the encoder."""
    return slots(under("layer.0.", attention, norm("layer_norm")), under("layer.1.", mlp, norm("layer_norm")))


def decoder_block(attention: Slots, mlp: Slots = MLP) -> Slots:
    """A layer of the decoder."""
    return slots(
        under("layer.0.", attention, norm("layer_norm")),
        under("layer.1.", attend("EncDecAttention", "cross-attention", "False"), norm("layer_norm")),
        under("layer.2.", mlp, norm("layer_norm")),
    )


def body(encoder: Slots, decoder: Slots, tie: str = "True") -> Slots:
    """Both stacks around one embedding, which their tables share where ``tie`` holds; the decoder's norm is last."""
    table = Slot("encoder.embed_tokens.weight", "embedding", "", "vocab, hidden")
    tables = slots(when(tie, table._replace(kind="tied")), when(f"not ({tie})", table))
    return slots(
        embedding("shared"), tables, rename(tables, {"encoder": "decoder"}),
        under("encoder.block.{i}.", encoder, layers="enc_layers"), norm("encoder.final_layer_norm", "final-norm"),
        when(f"not ({ENCODER_ONLY})", under("decoder.block.{i}.", decoder, layers="layers"),
             norm("decoder.final_layer_norm", "final-norm")),
    )


#: The config class ties the head whatever the config says; releases before 5 did not where it says false (T5 1.1).
HEAD: Final = slots(
    Slot("lm_head.weight", "lm-head", "", "vocab, hidden", "tie", kind="tied"),
    Slot("lm_head.weight", "lm-head", "", "vocab, hidden", "not tie", kind="optional"),
)
HEADS: Final[dict[str, Slots]] = {
    "ForConditionalGeneration": HEAD,
    "WithLMHeadModel": HEAD,
    "EncoderModel": (),
    "ForSequenceClassification": slots(
        linear("classification_head.dense", "other", "", "hidden", "hidden", "1"),
        linear("classification_head.out_proj", "other", "", "labels", "hidden", "1"),
    ),
    "ForTokenClassification": linear("classifier", "other", "", "labels", "hidden", "1"),
    "ForQuestionAnswering": linear("qa_outputs", "other", "", "labels", "hidden", "1"),
}

# --- families ---

T5: Final = Family(
    id="t5",
    source="transformers 5.23 T5Config, T5Stack, T5LayerNorm (RMS), T5DenseGatedActDense",
    base="",
    keys=t5_keys(),
    unread=("n_positions",),
    body=body(encoder_block(attend("SelfAttention")), decoder_block(attend("SelfAttention"))),
    heads=HEADS,
    head="ForConditionalGeneration",
    norm=Norm("rmsnorm"),
    kv=f"0 if {ENCODER_ONLY} else 2*heads*head_dim",
    renames=((("^transformer\\.", ""),),),
)
MT5: Final = replace(
    T5, id="mt5", source="transformers 5.23 MT5Config", keys=t5_keys(vocab=250112, ffn=1024, layers=8, heads=6,
        proj="gated-gelu")
)
UMT5: Final = replace(
    T5,
    id="umt5",
    source="transformers 5.23 UMT5Config, UMT5Block (relative positions in every layer)",
    keys=t5_keys(vocab=250112, ffn=1024, layers=8, heads=6, proj="gated-gelu"),
    body=body(encoder_block(attend("SelfAttention", biased="True")), decoder_block(attend("SelfAttention",
        biased="True"))),
)

_LOCAL: Final = "attention_type == 'local'"
LONGT5: Final = replace(
    T5,
    id="longt5",
    source="transformers 5.23 LongT5Config, LongT5TransientGlobalAttention (a bias and a norm for the block sums)",
    keys=t5_keys(attention_type=key("encoder_attention_type", "local")),
    body=body(
        encoder_block(slots(
            when(_LOCAL, attend("LocalSelfAttention")),
            when(f"not ({_LOCAL})", attend("TransientGlobalSelfAttention"),
                 when("i == 0", tensor("TransientGlobalSelfAttention.global_relative_attention_bias.weight",
                     "attention", "buckets, heads")),
                 norm("TransientGlobalSelfAttention.global_input_layer_norm", "attention-norm")),
        )),
        decoder_block(attend("SelfAttention")),
    ),
)


def _switch(step: str) -> Slots:
    """Dense, or in every ``step``-th layer a router [experts, d_model] over experts of the same width."""
    sparse = f"{step} > 0 and (i % {step} == 1 or {step} == 1)"
    return slots(
        when(f"not ({sparse})", linear("mlp.wi", "ffn", "up", "ffn", "hidden"), linear("mlp.wo", "ffn", "down",
            "hidden", "ffn")),
        when(sparse, linear("mlp.router.classifier", "router", "", "experts", "hidden", "router_bias"),
             under("mlp.experts.expert_{e}.", linear("wi", "experts", "up", "ffn", "hidden"), linear("wo", "experts",
                 "down", "hidden", "ffn"),
                   experts="experts")),
    )


SWITCH_TRANSFORMERS: Final = replace(
    T5,
    id="switch_transformers",
    source="transformers 5.23 SwitchTransformersConfig, SwitchTransformersStack (one expert for each token)",
    keys=t5_keys(
        hidden=768, layers=12, heads=12, experts=key("num_experts", 8), top_k=key((), 1),
        router_bias=key("router_bias", False),
        enc_sparse=key("num_sparse_encoder_layers", 3), dec_sparse=key("num_sparse_decoder_layers", 3),
        # Saved with every config, and read again in place of what follows from the counts.
        enc_step=key("encoder_sparse_step", E("enc_layers // enc_sparse if enc_sparse > 0 else enc_layers")),
        dec_step=key("decoder_sparse_step", E("layers // dec_sparse if dec_sparse > 0 else layers")),
    ) | {"act": key("dense_act_fn", "relu"), "layers": key("num_decoder_layers", 12, null=E("enc_layers"))},
    body=body(encoder_block(attend("SelfAttention"), _switch("enc_step")), decoder_block(attend("SelfAttention"),
        _switch("dec_step")), "tie"),
    heads={**HEADS, "ForConditionalGeneration": lm_head()},
)
