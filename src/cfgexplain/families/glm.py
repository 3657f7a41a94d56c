"""Zhipu's GLM: RMSNorm with an epsilon of 1.5625e-7 by default, gate and up fused, biased q, k, v.

Facts from transformers 5.23, ``models/glm`` and ``models/glm4``. ``chatglm`` is in ``published.py``.
"""

from __future__ import annotations

from typing import Final

from cfgexplain.families.common import decoder_keys, key, share
from cfgexplain.families.llama import LLAMA, PRE_NORMS, decoder
from cfgexplain.families.schema import Norm, attention, linear, norm, replace, slots

GATE_UP_MLP: Final = slots(
    linear("mlp.gate_up_proj", "ffn", "gate_up", "2*ffn", "hidden"),
    linear("mlp.down_proj", "ffn", "down", "hidden", "ffn"),
)

GLM: Final = replace(
    LLAMA,
    id="glm",
    source="transformers 5.23 GlmConfig, GlmAttention (o never biased), GlmMLP (gate_up_proj: gate first)",
    keys=decoder_keys(
        rotary_share=share(0.5),
        hidden=4096, ffn=13696, layers=40, heads=32, kv_heads=2, head_dim=128, vocab=151552, eps=1.5625e-07,
        max_pos=131072, attention_bias=key("attention_bias", True),
    ),
    body=decoder(attention(bias="attention_bias", o_bias=""), GATE_UP_MLP, PRE_NORMS),
)

#: In the order in which a token meets them: Llama's second name is the one before the feed-forward block.
AROUND_NORMS: Final = slots(
    norm("input_layernorm"), norm("post_self_attn_layernorm"), norm("post_attention_layernorm"),
    norm("post_mlp_layernorm"),
)

GLM4: Final = replace(
    GLM,
    id="glm4",
    source="transformers 5.23 Glm4Config, Glm4DecoderLayer (post_self_attn_layernorm and post_mlp_layernorm on "
    "the outputs)",
    body=decoder(
        attention(bias="attention_bias", o_bias=""), GATE_UP_MLP, AROUND_NORMS,
    ),
    norm=Norm(placement="sandwich"),
)
