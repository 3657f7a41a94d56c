"""The publishers' own formats, without a ``model_type``: ``params.json`` beside ``consolidated*`` weights, and others.

Meta: ``ModelArgs`` and ``FeedForward`` of the published Llama reference code; the file states the recipe of the
feed-forward width. Mistral: ``ModelArgs`` and ``VisionEncoderArgs`` of mistral-inference, where ``hidden_dim`` is the
width itself.
State spaces: ``MambaConfig`` and ``MambaLMHeadModel`` of mamba_ssm (Gu & Dao 2023, 2312.00752; Dao & Gu 2024,
2405.21060).
"""

from __future__ import annotations

from typing import Final

from cfgexplain.families.common import key
from cfgexplain.families.expr import function
from cfgexplain.families.mamba import mamba1, mamba2
from cfgexplain.families.schema import (
    E,
    Family,
    Norm,
    Part,
    attention,
    embedding,
    linear,
    lm_head,
    norm,
    replace,
    slots,
    under,
    when,
)


@function
def stated_width(hidden: int, multiplier: float | None, multiple_of: int) -> int:
    """int(2·4d/3), times the multiplier and truncated again, up to a multiple (Meta's ``FeedForward.__init__``)."""
    width = int(8 * hidden / 3)
    if multiplier is not None:
        width = int(multiplier * width)
    return -(-width // multiple_of) * multiple_of


_EXPERT: Final = "feed_forward.experts.{e}."

META: Final = Family(
    id="llama (Meta)",
    source="Meta's published reference code, llama/model.py: ModelArgs, FeedForward, TransformerBlock",
    base="",
    keys={
        "hidden": key("dim", 4096),
        "layers": key("n_layers", 32),
        "heads": key("n_heads", 32),
        "kv_heads": key("n_kv_heads", E("heads")),
        "head_dim": key("head_dim", E("hidden // heads")),
        # Llama 2 writes -1: the tokenizer decides.
        "vocab": key("vocab_size", E("None"), "int", low=-1),
        "multiple_of": key("multiple_of", 256, low=1),
        "multiplier": key("ffn_dim_multiplier", None, "float"),
        "ffn": key("hidden_dim", E("stated_width(hidden, multiplier, multiple_of)")),
        "eps": key("norm_eps", 1e-5),
        "act": key((), "silu"),
        "tie": key((), False),
        "max_pos": key("max_seq_len", None, "int"),
        "theta": key("rope_theta", 10000.0),
    },
    body=slots(
        embedding("tok_embeddings"),
        under(
            "layers.{i}.",
            attention("attention.", "wq", "wk", "wv", "wo"),
            linear("feed_forward.w1", "ffn", "gate", "ffn", "hidden"),
            linear("feed_forward.w2", "ffn", "down", "hidden", "ffn"),
            linear("feed_forward.w3", "ffn", "up", "ffn", "hidden"),
            norm("attention_norm"),
            norm("ffn_norm"),
            layers="layers",
        ),
        norm("norm", "final-norm"),
    ),
    heads={"ForCausalLM": lm_head("output", tie="")},
    recipe="stated",
    eps_used="llama",
)

MISTRAL: Final = replace(
    META,
    id="mistral (native)",
    source="mistral-inference, ModelArgs and TransformerBlock",
    keys={
        **{k: v for k, v in META.keys.items() if k not in ("multiple_of", "multiplier")},
        "ffn": key("hidden_dim", None, "int"),
        "eps": key("norm_eps", None, "float"),
        "vocab": key("vocab_size", None, "int"),
        "tie": key("tied_embeddings", False),
        "window": key("sliding_window", None, "int list"),
        "experts": key("moe.num_experts", 0),
        "top_k": key("moe.num_experts_per_tok", 0),
        "tower": key("vision_encoder", None, "dict"), "adapter_bias": key("vision_encoder.adapter_bias", True),
        "normed": key("vision_encoder.add_pre_mm_projector_layer_norm", False),
        "joins": key("vision_encoder.mm_projector_id", ""), "merge": key("vision_encoder.spatial_merge_size", 1),
    },
    body=slots(
        when(
            "tower is not None",
            linear("vision_language_adapter.w_in", "projector", "", "hidden", "vision.hidden", "adapter_bias"),
            linear("vision_language_adapter.w_out", "projector", "", "hidden", "hidden", "adapter_bias"),
            when("normed", norm("pre_mm_projector_norm", "projector", "vision.hidden")),
            when(
                "joins == 'patch_merge'",
                linear("patch_merger.merging_layer", "projector", "", "vision.hidden", "vision.hidden*merge*merge"),
            ),
        ),
        embedding("tok_embeddings"),
        under(
            "layers.{i}.",
            attention("attention.", "wq", "wk", "wv", "wo"),
            when(
                "not experts",
                linear("feed_forward.w1", "ffn", "gate", "ffn", "hidden"),
                linear("feed_forward.w2", "ffn", "down", "hidden", "ffn"),
                linear("feed_forward.w3", "ffn", "up", "ffn", "hidden"),
            ),
            when(
                "experts",
                linear("feed_forward.gate", "router", "", "experts", "hidden"),
                under(
                    _EXPERT,
                    linear("w1", "experts", "gate", "ffn", "hidden"),
                    linear("w2", "experts", "down", "hidden", "ffn"),
                    linear("w3", "experts", "up", "ffn", "hidden"),
                    experts="experts",
                ),
            ),
            norm("attention_norm"),
            norm("ffn_norm"),
            layers="layers",
        ),
        norm("norm", "final-norm"),
    ),
    heads={"ForCausalLM": lm_head("output")},
    recipe="",
    eps_used="mistral",
    parts=(
        Part("vision", "vision_encoder", "pixtral-native", "vision_encoder.", role="vision", fixed=True,
             when="tower is not None"),
    ),
)

#: mamba_ssm: ε 1e-5 in MixerModel; the vocabulary is padded to ``pad_vocab_size_multiple``; other layers than plain
#: state-space ones (attn_layer_idx, d_intermediate) are not written down, so such a config has no whole table.
STATE_SPACES: Final = Family(
    id="mamba (state-spaces)",
    source="mamba_ssm, models/config_mamba.py, modules/mamba_simple.py, modules/mamba2.py",
    base="backbone",
    keys={
        "hidden": key("d_model", 2560),
        "layers": key("n_layer", 64),
        "vocab_size": key("vocab_size", 50277),
        "pad": key("pad_vocab_size_multiple", 8, low=1),
        "vocab": key((), E("ceil_to(vocab_size, pad)")),
        "tie": key("tie_embeddings", True),
        "rms": key("rms_norm", True),
        "version": key("ssm_cfg.layer", "Mamba1"),
        "expand": key("ssm_cfg.expand", 2),
        "kernel": key("ssm_cfg.d_conv", 4),
        "state": key("ssm_cfg.d_state", E("128 if version == 'Mamba2' else 16")),
        "groups": key("ssm_cfg.ngroups", 1),
        "m_head_dim": key("ssm_cfg.headdim", 64, low=1),
        "inner": key((), E("expand * hidden")),
        "m_heads": key((), E("inner // m_head_dim")),
        "rank": key("ssm_cfg.dt_rank", E("ceil(hidden / 16)")),
        "conv_bias": key("ssm_cfg.conv_bias", True),
        "proj_bias": key("ssm_cfg.bias", False),
        "d_intermediate": key("d_intermediate", 0),
        "attn_layers": key("attn_layer_idx", None, "list"),
    },
    body=slots(
        embedding("embedding"),
        under(
            "layers.{i}.",
            when("not (d_intermediate or attn_layers)", norm("norm", bias="not rms")),
            when("version == 'Mamba2'", mamba2(normed="True")),
            when("version != 'Mamba2'", mamba1()),
            layers="layers",
        ),
        norm("norm_f", "final-norm", bias="not rms"),
    ),
    heads={"ForCausalLM": lm_head()},
    norm=Norm(E("'rmsnorm' if rms else 'layernorm'"), eps=1e-5),
    kv="0",
    layer_kind="'none' if d_intermediate or attn_layers else 'ssm'",
)
