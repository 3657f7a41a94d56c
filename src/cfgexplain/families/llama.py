"""Llama and the decoders that kept its layout: pre-norm RMSNorm, rotary positions, SwiGLU.

Facts from transformers 5.23, ``models/<family>/configuration_*.py`` (keys and defaults) and ``modeling_*.py``
(tensors, norms, biases), unless a line says otherwise. Papers: Touvron et al. 2023 (2302.13971, 2307.09288).
"""

from __future__ import annotations

from typing import Final

from cfgexplain.families.common import ROTARY_BUFFERS, decoder_heads, decoder_keys, key, share, window
from cfgexplain.families.schema import (
    E,
    Family,
    Norm,
    Slots,
    attention,
    embedding,
    gated_mlp,
    linear,
    norm,
    replace,
    slots,
    under,
    when,
)

L: Final = "layers.{i}."

# --- blocks ---

ATTN: Final = attention(bias="attention_bias")
MLP: Final = gated_mlp(bias="mlp_bias")
PRE_NORMS: Final = slots(norm("input_layernorm"), norm("post_attention_layernorm"))
SANDWICH_NORMS: Final = slots(
    norm("input_layernorm"), norm("post_attention_layernorm"),
    norm("pre_feedforward_layernorm"), norm("post_feedforward_layernorm"),
)
OUTPUT_NORMS: Final = slots(norm("post_attention_layernorm"), norm("post_feedforward_layernorm"))
#: RMSNorm over each head's own width.
QK_HEAD_NORMS: Final = slots(
    norm("self_attn.q_norm", "attention-norm", "head_dim", part="q_norm"),
    norm("self_attn.k_norm", "attention-norm", "head_dim", part="k_norm"),
)


def decoder(*layer: Slots, final: Slots = norm("norm", "final-norm")) -> Slots:
    """The body of a decoder: embedding, layers, final norm."""
    return slots(embedding("embed_tokens"), under(L, *layer, layers="layers"), final, ROTARY_BUFFERS)


# --- layer kinds ---

#: ``layer_types`` where given; before it existed, windows from ``max_window_layers`` on (Qwen2Config.__post_init__).
QWEN_KIND: Final = (
    "kind(layer_types[i]) if layer_types else 'sliding' if use_window and window and i >= max_window_layers else 'full'"
)
LAYER_TYPES: Final = key("layer_types", None, "list")

# --- families ---

LLAMA: Final = Family(
    id="llama",
    source="transformers 5.23 LlamaConfig, LlamaForCausalLM",
    base="model",
    keys=decoder_keys(
        hidden=4096, ffn=11008, layers=32, heads=32, vocab=32000, eps=1e-6,
        attention_bias=key("attention_bias", False), mlp_bias=key("mlp_bias", False),
    ),
    body=decoder(ATTN, MLP, PRE_NORMS),
    heads=decoder_heads(),
    # LlamaForQuestionAnswering calls its base model "transformer".
    renames=(((r"^transformer\.", "model."),),),
    eps_used="llama",
)

MISTRAL: Final = replace(
    LLAMA,
    id="mistral",
    source="transformers 5.23 MistralConfig, MistralForCausalLM",
    keys=decoder_keys(
        hidden=4096, ffn=14336, layers=32, heads=32, kv_heads=8, vocab=32000, eps=1e-6, max_pos=131072,
        window=window(4096),
    ),
    body=decoder(attention(), gated_mlp(), PRE_NORMS),
    layer_kind="'sliding' if window else 'full'",
    eps_used="mistral",
)

QWEN2: Final = replace(
    LLAMA,
    id="qwen2",
    source="transformers 5.23 Qwen2Config, Qwen2Attention (q, k and v always biased, o never)",
    keys=decoder_keys(
        hidden=4096, ffn=22016, layers=32, heads=32, kv_heads=32, vocab=151936, eps=1e-6, max_pos=32768,
        window=window(4096), use_window=key("use_sliding_window", False),
        max_window_layers=key("max_window_layers", 28), layer_types=LAYER_TYPES,
    ),
    body=decoder(attention(bias="1", o_bias=""), gated_mlp(), PRE_NORMS),
    layer_kind=QWEN_KIND,
    eps_used="qwen2",
    unread=("attention_bias", "qkv_bias", "mlp_bias"),
)

QWEN3: Final = replace(
    QWEN2,
    id="qwen3",
    source="transformers 5.23 Qwen3Config, Qwen3Attention",
    keys={**QWEN2.keys, "head_dim": key("head_dim", 128), "attention_bias": key("attention_bias", False)},
    body=decoder(ATTN, QK_HEAD_NORMS, gated_mlp(), PRE_NORMS),
    eps_used="qwen3",
    unread=("qkv_bias", "mlp_bias"),
)

PHI3: Final = replace(
    LLAMA,
    id="phi3",
    source="transformers 5.23 Phi3Config, Phi3Attention (qkv_proj), Phi3MLP (gate_up_proj: gate first)",
    keys=decoder_keys(
        hidden=3072, ffn=8192, layers=32, heads=32, vocab=32064, eps=1e-5, max_pos=4096,
        window=key("sliding_window", None, "int"),
    ),
    body=decoder(
        linear("self_attn.qkv_proj", "attention", "qkv", "heads*head_dim + 2*kv_heads*head_dim", "hidden"),
        linear("self_attn.o_proj", "attention", "o", "hidden", "heads*head_dim"),
        linear("mlp.gate_up_proj", "ffn", "gate_up", "2*ffn", "hidden"),
        linear("mlp.down_proj", "ffn", "down", "hidden", "ffn"),
        PRE_NORMS,
    ),
    layer_kind="'sliding' if window else 'full'",
    eps_used="phi3",
)

GEMMA: Final = replace(
    LLAMA,
    id="gemma",
    source="transformers 5.23 GemmaConfig, GemmaRMSNorm (gain 1 + w), GemmaMLP (hidden_act, tanh GELU)",
    keys=decoder_keys(
        hidden=3072, ffn=24576, layers=28, heads=16, kv_heads=16, head_dim=256, vocab=256000, eps=1e-6,
        act="gelu_pytorch_tanh",
        tie=True, max_pos=8192, attention_bias=key("attention_bias", False),
    ),
    body=decoder(ATTN, gated_mlp(), PRE_NORMS),
    norm=Norm(gain="1+w"),
    eps_used="gemma",
)

GEMMA2: Final = replace(
    GEMMA,
    id="gemma2",
    source="transformers 5.23 Gemma2Config, Gemma2DecoderLayer (a norm before and after each sub-layer)",
    keys={
        **decoder_keys(
            hidden=2304, ffn=9216, layers=26, heads=8, kv_heads=4, head_dim=256, vocab=256000, eps=1e-6, tie=True,
            max_pos=8192, attention_bias=key("attention_bias", False), window=window(4096),
            layer_types=LAYER_TYPES,
        ),
        "act": key("hidden_activation", "gelu_pytorch_tanh"),
    },
    body=decoder(ATTN, gated_mlp(), SANDWICH_NORMS),
    norm=Norm(placement="sandwich", gain="1+w"),
    layer_kind="kind(layer_types[i]) if layer_types else ('full' if i % 2 else 'sliding')",
    eps_used="gemma",
    unread=("hidden_act",),
)

OLMO2: Final = replace(
    LLAMA,
    id="olmo2",
    source="transformers 5.23 Olmo2Config, Olmo2DecoderLayer (norms on the outputs), Olmo2Attention (q/k norms "
    "over all heads)",
    keys=decoder_keys(
        hidden=4096, ffn=11008, layers=32, heads=32, vocab=50304, eps=1e-5,
        attention_bias=key("attention_bias", False),
    ),
    body=decoder(
        ATTN,
        norm("self_attn.q_norm", "attention-norm", "heads*head_dim", part="q_norm"),
        norm("self_attn.k_norm", "attention-norm", "kv_heads*head_dim", part="k_norm"),
        gated_mlp(),
        OUTPUT_NORMS,
    ),
    norm=Norm(placement="output"),
    eps_used="olmo2",
)

SMOLLM3: Final = replace(
    LLAMA,
    id="smollm3",
    source="transformers 5.23 SmolLM3Config, SmolLM3ForCausalLM",
    keys=decoder_keys(
        hidden=2048, ffn=11008, layers=36, heads=16, kv_heads=4, vocab=128256, eps=1e-6, tie=True, max_pos=32768,
        theta=2000000.0, attention_bias=key("attention_bias", False), mlp_bias=key("mlp_bias", False),
        window=key("sliding_window", None, "int"), use_window=key("use_sliding_window", False), layer_types=LAYER_TYPES,
    ),
    layer_kind="kind(layer_types[i]) if layer_types else 'full'",
)

GRANITE: Final = replace(
    LLAMA,
    id="granite",
    source="transformers 5.23 GraniteConfig, GraniteForCausalLM",
)

STABLELM: Final = replace(
    LLAMA,
    id="stablelm",
    source="transformers 5.23 StableLmConfig, StableLmDecoderLayer (LayerNorm with bias; one norm where the "
    "residual is parallel)",
    keys={
        **decoder_keys(
            hidden=2560, ffn=6912, layers=32, heads=32, kv_heads=32, vocab=50304, eps=1e-5, eps_key="layer_norm_eps",
            max_pos=4096, qkv_bias=key("use_qkv_bias", False), qk_norm=key("qk_layernorm", False),
            parallel=key("use_parallel_residual", False),
        ),
        "head_dim": key((), E("hidden // heads")),
        "rotary_share": share(0.25),
    },
    body=decoder(
        attention(bias="qkv_bias", o_bias=""),
        when(
            "qk_norm",
            under(
                "self_attn.q_layernorm.norms.{e}.", norm("", "attention-norm", "head_dim", part="q_norm"),
                experts="heads",
            ),
            under(
                "self_attn.k_layernorm.norms.{e}.", norm("", "attention-norm", "head_dim", part="k_norm"),
                experts="kv_heads",
            ),
        ),
        gated_mlp(),
        norm("input_layernorm", bias="1"),
        when("not parallel", norm("post_attention_layernorm", bias="1")),
        final=norm("norm", "final-norm", bias="1"),
    ),
    norm=Norm("layernorm", E("'parallel' if parallel else 'pre'")),
)
