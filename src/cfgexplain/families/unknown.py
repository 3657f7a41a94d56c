"""What is read of a config whose ``model_type`` has no table: plainly named sizes, and no default of any kind.

The names are those that a config would have to use on purpose (``hidden_size`` is no accident); nothing is
claimed where they are absent.
"""

from __future__ import annotations

from typing import Final

from cfgexplain.families.common import key
from cfgexplain.families.schema import E, Family, Norm

UNKNOWN: Final = Family(
    id="unknown",
    source="names and shapes of the tensors",
    base="",
    keys={
        "hidden": key(("hidden_size", "n_embd", "d_model", "dim", "model_dim"), None, "int|list|dict"),
        "ffn": key(
            ("intermediate_size", "n_inner", "d_ff", "ffn_dim", "ffn_hidden_size", "hidden_dim"), None, "int|list|dict"
        ),
        "layers": key(("num_hidden_layers", "n_layer", "n_layers", "num_layers"), None, "int|list|dict"),
        "heads": key(("num_attention_heads", "n_head", "n_heads", "num_heads"), None, "int|list|dict"),
        "kv_heads": key(("num_key_value_heads", "n_kv_heads", "num_kv_heads"), None, "int|list|dict"),
        "head_dim": key("head_dim", None, "int|list|dict")._replace(low=0),
        "vocab": key("vocab_size", None, "int|list|dict"),
        "eps": key(
            (
                "rms_norm_eps",
                "layer_norm_eps",
                "layer_norm_epsilon",
                "layernorm_epsilon",
                "norm_epsilon",
                "norm_eps",
                "rms_norm_epsilon",
                "block_norm_eps",
                "layernorm_eps",
                "rmsnorm_eps",
                "ln_eps",
            ),
            None,
            "float",
        ),
        "act": key(("hidden_act", "hidden_activation", "activation_function", "mlp_hidden_act"), None, "str"),
        "tie": key("tie_word_embeddings", None, "bool"),
        "max_pos": key(("max_position_embeddings", "n_positions"), None, "int|list|dict"),
        "experts": key(("num_experts", "num_local_experts", "n_routed_experts"), None, "int|list|dict"),
        "top_k": key(("num_experts_per_tok", "moe_topk", "num_experts_per_token"), None, "int|list|dict"),
        "moe_ffn": key("moe_intermediate_size", None, "int|list|dict"),
        "theta": key(("rope_parameters.rope_theta", "rope_theta"), None, "float"),
        "window": key("sliding_window", None, "int|list|dict"),
    },
    body=(),
    head="",
    norm=Norm(type="", placement="", gain="", eps="eps", final=E("None"), qk=None),
    kv="None",
    layer_kind="None",
)
#: Where a config keeps its language model, in the order they are tried.
NESTED: Final = (
    "text_config",
    "llm_config",
    "language_config",
    "thinker_config.text_config",
    "language_model_config",
    "decoder",
    "text_model_config",
)
