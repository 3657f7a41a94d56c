"""Cohere's Command models: attention and SwiGLU side by side behind one LayerNorm that has no bias.

Facts from transformers 5.23, ``models/cohere``, ``models/cohere2`` and ``models/cohere_compass``.
"""

from __future__ import annotations

from typing import Final

from cfgexplain.families.common import decoder_keys, key, window
from cfgexplain.families.llama import ATTN, LAYER_TYPES, LLAMA, decoder
from cfgexplain.families.schema import Norm, gated_mlp, norm, replace, when

COHERE: Final = replace(
    LLAMA,
    id="cohere",
    source="transformers 5.23 CohereConfig, CohereLayerNorm (no bias), CohereDecoderLayer (one norm for both branches)",
    keys=decoder_keys(
        hidden=8192, ffn=22528, layers=40, heads=64, vocab=256000, eps=1e-5, eps_key="layer_norm_eps", tie=True,
        max_pos=8192, theta=500000.0, attention_bias=key("attention_bias", False), qk_norm=key("use_qk_norm", False),
    ),
    body=decoder(
        ATTN,
        when(
            "qk_norm",
            norm("self_attn.q_norm", "attention-norm", "heads, head_dim", part="q_norm"),
            norm("self_attn.k_norm", "attention-norm", "kv_heads, head_dim", part="k_norm"),
        ),
        gated_mlp(),
        norm("input_layernorm"),
    ),
    norm=Norm("layernorm", "parallel"),
)

COHERE2: Final = replace(
    COHERE,
    id="cohere2",
    source="transformers 5.23 Cohere2Config, Cohere2DecoderLayer (as Cohere, no q/k norms, three windows to one "
    "full layer)",
    keys=decoder_keys(
        hidden=8192, ffn=22528, layers=40, heads=64, vocab=256000, eps=1e-5, eps_key="layer_norm_eps", tie=True,
        max_pos=8192, attention_bias=key("attention_bias", False), window=window(4096),
        pattern=key("sliding_window_pattern", 4, low=1), layer_types=LAYER_TYPES,
    ),
    body=decoder(ATTN, gated_mlp(), norm("input_layernorm")),
    layer_kind="kind(layer_types[i]) if layer_types else ('sliding' if (i + 1) % pattern else 'full')",
    unread=("use_qk_norm",),
)

COHERE_COMPASS_TEXT: Final = replace(
    COHERE2,
    id="cohere_compass_text",
    source="transformers 5.23 CohereCompassTextConfig, CohereCompassDecoderLayer (full attention unless "
    "layer_types says so)",
    layer_kind="kind(layer_types[i]) if layer_types else 'full'",
)
