"""The words by which tensors of unknown models are told apart: one pattern for each kind of module.

Patterns are held against whole dotted names (``.search``), so that each names the borders that it needs.
"""

from __future__ import annotations

import re
from typing import Final


def _module(words: str) -> re.Pattern[str]:
    """A module of one of these names, anywhere in a dotted name."""
    return re.compile(rf"(^|\.)({words})(\.|$)")


# --- buffers ---

#: Values that libraries hold as buffers: routers' load-balancing biases, decays of lightning attention, scales of
#: integer layers, constants of activations.
HELD: Final = re.compile(
    r"(^|\.)(e_score_correction_bias|expert_bias|correction_bias|router_bias|final_logits_bias"
    r"|slope_rate|(query|key|diagonal)_decay|(weight|bias)_integer|\w*scaling_factor|x_(min|max)"
    r"|act\w*\.(beta|eps))$"
)

# --- towers ---

TOWERS: Final[tuple[tuple[str, re.Pattern[str]], ...]] = (
    (
        "projector",
        _module(
            r"[a-z_]*projector|[a-z_]*connector|aligner|merger|mm_[a-z_]+|vl_connector|language_projection|qformer|resampler"
            r"|multimodal_[a-z_]+|embed_vision|embed_audio"
        ),
    ),
    ("audio", _module(r"audio[a-z_0-9]*|speech[a-z_]*|whisper")),
    (
        "vision",
        _module(r"vision[a-z_0-9]*|visual[a-z_]*|vit[a-z_]*|image_(encoder|tower|model|newline)|vpm|img_[a-z_]+"),
    ),
)

# --- sub-layers ---

MIXER: Final = _module(
    r"mamba\d*|ssm|mixer|linear_attn|gated_deltanet|delta_net|temporal_block|recurrent_block|rg_lru|time_mix\w*|short_conv"
    r"|conv|conv_module|mlstm_layer|slstm|kda|gla|retention|lru"
)
#: Tensors that only a recurrence has, whatever its module is called.
RECURRENCE: Final = re.compile(
    r"(^|\.|_)(A_log|a_log|dt_bias|time_decay|time_maa\w*|recurrent_param|[fi]gate|igate_preact)(\.|_|$)"
)
#: Tensors that recurrences and convolutions have, and some attention too.
CONVOLUTION: Final = re.compile(r"(^|\.|_)(conv1d|conv_1d|x_proj|dt_proj|lambda_p|rg_lru)(\.|_|$)")
CROSS: Final = _module(
    r"cross_?attn\w*|crossattention|encoder_attn\w*|EncDecAttention|cross_attention\w*|multihead_attn|encoder_attention"
    r"|\w*_cross_attention|\w*_cross_attn"
)
ATTENTION: Final = _module(
    r"self_?attn\w*|attn_[a-z]+|multi_?head_attention|attn|attention|attentions|\w*SelfAttention|self_attention|rel_attn|q_lin"
    r"|k_lin|v_lin|out_lin|mixed_attention|attention_block|self_attention_layer|mha|sa"
)
ATTENTION_PART: Final = _module(
    r"q_proj|k_proj|v_proj|o_proj|qkv_proj|qkv|wq|wk|wv|wo|wqkv|Wqkv|Wq|Wk|Wv|query_key_value|c_attn|query|key|value|out_proj"
    r"|q_a_proj|q_b_proj|kv_a_proj\w*|kv_b_proj|in_proj_(weight|bias)|sinks|to_[qkv]|to_out"
)
#: What stands in a block beside its sub-layers: inputs for each layer, mixing of several residual streams.
BESIDE: Final = _module(r"per_layer_\w+|altup|laurel|\w*hyper_?connection\w*|(\w+_)?m?hc(_\w+)?|bottleneck")
#: What is enough to see attention in a module of any name: the queries' projection, alone or with the keys'.
QUERIES: Final = _module(
    r"q_proj|qkv_proj|qkv|wq|wqkv|Wqkv|Wq|query_key_value|c_attn|query|q_a_proj|in_proj_weight|to_q"
)
FFN: Final = re.compile(
    r"(^|\.)(mlps?|ffns?|feed_?forward\w*|DenseReluDense|fc1|fc2|fc_in|fc_out|c_fc|intermediate|dense_h_to_4h|dense_4h_to_h|ff"
    r"|ff_layer|lin1|lin2|w1|w2|w3|wi|wi_0|wi_1|up_proj|down_proj|gate_proj|gate_up_proj|linear1|linear2|block_sparse_moe|moe"
    r"|channel_mix\w*|ffn_layer|mlp_block|experts|dense_relu_dense|shared_mlp|shared_expert|shared_experts|moe_layer|layer1"
    r"|ffn_\w+)(\.|$|_)"
)
#: The way up, which shows a feed-forward block in a module of any name.
WAY_UP: Final = _module(
    r"up_proj|gate_up_proj|fc1|w1|c_fc|wi|wi_0|dense_h_to_4h|fc_in|linear1|lin1|experts|input_linear"
)
EXPERT: Final = re.compile(r"(^|\.)(experts?|local_experts|deepspeed_experts)(\.|_|$)")
SHARED: Final = re.compile(r"(^|\.|_)shared(_|\.)?(experts?|mlp|ffn)?(\.|_|$)")
ROUTER: Final = _module(
    r"router|gate|wg|gating|gate_network|router\.layer|router\.classifier|shared_expert_gate|router_gate|moe_gate|router_weights"
)
SHARED_GATE: Final = re.compile(r"shared_\w*gate(\.|$)(?!.*_proj)")
NORM: Final = re.compile(
    r"(^|[._])(norm|layernorm|layer_norm|rmsnorm|rms_norm|ln|LayerNorm|norm\d|ln_?\d|ln_[a-z]+|ln\d|norm_[a-z\d]+"
    r"|[a-z_]*layernorm\w*|[a-z_]*layer_?norm\w*|[a-z_]*norm\d?|sa_layer_norm|ln_attn|ln_mlp)(\.|$|_)",
    re.IGNORECASE,
)
QK_NORM: Final = re.compile(r"(q|k|query|key|kv|v|q_a|kv_a|qk)_?(layer_?norm|norm|ln|layernorm)")

# --- outside the blocks ---

EMBEDDING: Final = _module(
    r"embed_tokens|wte|word_embeddings?|tok_embeddings|embed_in|token_embedding|embeddings|embed|embedding|shared|tokens_embed"
    r"|embedding_weight|word_embedding|token_embed\w*|embed_token"
)
POSITION: Final = _module(
    r"wpe|\w*position\w*_embed\w*|embed_positions|positions_embed|pos_embed\w*|position_embeddings?|token_type_embeddings"
    r"|rel_pos\w*|relative_attention_bias"
)
HEAD: Final = _module(
    r"lm_heads?|embed_out|output|score|classifier|head|lm_head\.\w+|cls|predictions|qa_outputs|output_layer|proj_out"
    r"|generator_lm_head|lm_loss|pred_layer|output_projection"
)
FINAL: Final = re.compile(
    r"(^|\.)(norm|ln|ln_f|final_?layer_?norm|norm_f|final_norm|layer_norm|ln_final|final_layernorm|ln_out|out_norm|layernorm"
    r"|norm_out|post_layernorm|last_norm|\w*_norm_after)$",
    re.IGNORECASE,
)
#: Norms of an embedding or of a prediction head.
ASIDE: Final = re.compile(r"embed|(^|[._])(cls|predictions|lm_head|transform|head)(\.|$)")

# --- which matrix ---

DOWN: Final = re.compile(
    r"(^|[._])(down_proj|w2|c_proj|fc2|fc_out|wo|Wo|dense_4h_to_h|lin2|linear2|down|output|o_proj|proj_out|value|dense_output"
    r"|w_out|ff_out|proj_down|dense2|layer_2|linear_2)(\.|_|$)"
)
GATE_UP: Final = re.compile(
    r"(^|[._])(gate_up_proj|gate_up|up_gate_proj|wi_fused|w12|fc1_fused|Wi|input_linear|gate_and_up_proj|w13)(\.|_|$)"
)
GATE: Final = re.compile(r"(^|[._])(gate_proj|gate|wi_0|linear_gate|w_gate|fc1_g|c_fc_0)(\.|_|$)")
FIRST: Final = re.compile(r"(^|\.)w1(\.|_|$)")
#: A matrix beside the three: low-rank additions and the like.
ADDED: Final = re.compile(r"adapter|lora|bottleneck")
