"""What the mixture-of-experts and latent-attention decoders share: ways to store experts, routers, prediction layers.

Facts from transformers 5.24, ``conversion_mapping.py`` (how experts stand on disk and in memory) and the modeling
files named by each family. Latent attention: DeepSeek-V2 (2405.04434); shared experts: DeepSeekMoE (2401.06066).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cfgexplain.families.common import decoder_keys, key
from cfgexplain.families.schema import E, Slot, Slots, form, gated_mlp, linear, norm, slots, tensor, under, when

if TYPE_CHECKING:
    from collections.abc import Iterable

    from cfgexplain.families.schema import Key

L: Final = "layers.{i}."

#: RMSNorm over each head's own width.
HEAD_NORMS: Final = slots(
    norm("self_attn.q_norm", "attention-norm", "head_dim", part="q_norm"),
    norm("self_attn.k_norm", "attention-norm", "head_dim", part="k_norm"),
)
#: RMSNorm over all heads together.
WIDE_NORMS: Final = slots(
    norm("self_attn.q_norm", "attention-norm", "heads*head_dim", part="q_norm"),
    norm("self_attn.k_norm", "attention-norm", "kv_heads*head_dim", part="k_norm"),
)
PRE_NORMS: Final = slots(norm("input_layernorm"), norm("post_attention_layernorm"))
SINKS: Final = tensor("self_attn.sinks", "attention", "heads", "sinks")

#: A null that says "there is none" where an absent key means some number.
NONE: Final = E("None")

# --- experts ---


def split_experts(prefix: str = "mlp.experts.", width: str = "moe_ffn", experts: str = "experts",
                  gate: str = "gate_proj",
                  up: str = "up_proj", down: str = "down_proj") -> Slots:
    """A matrix of its own for each expert: gate and up [width, hidden], down [hidden, width]."""
    return under(prefix + "{e}.", gated_mlp("", width, "experts", gate=gate, up=up, down=down), experts=experts)


def stacked_experts(prefix: str = "mlp.experts.", width: str = "moe_ffn", experts: str = "experts",
                    gate_up: str = "gate_up_proj", down: str = "down_proj") -> Slots:
    """All experts in two tensors: gate and up [experts, 2*width, hidden], down [experts, hidden, width]."""
    return slots(
        tensor(prefix + gate_up, "experts", f"{experts}, 2*({width}), hidden", "gate_up"),
        tensor(prefix + down, "experts", f"{experts}, hidden, {width}", "down"),
    )


def transposed_experts(prefix: str = "mlp.experts.", width: str = "moe_ffn", gate_up: str = "gate_up_proj",
                       down: str = "down_proj") -> Slots:
    """The same with inputs before outputs: gate and up [experts, hidden, 2*width], down [experts, width, hidden]."""
    return slots(
        tensor(prefix + gate_up, "experts", f"experts, hidden, 2*({width})", "gate_up"),
        tensor(prefix + down, "experts", f"experts, {width}, hidden", "down"),
    )


def split_or_stacked(prefix: str = "mlp.experts.", width: str = "moe_ffn") -> Slots:
    """One matrix per expert, as the library writes and most publish, or stacked, as it holds them in memory."""
    return slots(
        form("experts/split", split_experts(prefix, width)), form("experts/stacked", stacked_experts(prefix, width))
    )


def w_experts(prefix: str = "block_sparse_moe.experts.", width: str = "moe_ffn") -> Slots:
    """Mixtral's names: w1 is the gate, w3 the value, w2 the way back."""
    return split_experts(prefix, width, gate="w1", up="w3", down="w2")


def router(name: str = "mlp.gate", rows: str = "experts") -> Slots:
    """The router's matrix [experts, hidden]."""
    return linear(name, "router", "router", rows, "hidden")


def correction(name: str = "mlp.gate.e_score_correction_bias", shape: str = "experts") -> Slots:
    """The bias that balances experts without a loss (2408.15664); the library holds it as a buffer."""
    return tensor(name, "buffer", shape, "router", kind="buffer")


#: DeepSeek's block of experts: router, its balancing bias, routed experts, and the shared ones as one wide block.
SHARED: Final = when("shared_ffn", gated_mlp("mlp.shared_experts.", "shared_ffn", "shared-experts"))
MOE: Final = slots(router(), correction(), split_or_stacked(), SHARED)
DENSE: Final = gated_mlp()


def mixed(sparse: str, moe: Slots = MOE, dense: Slots = DENSE) -> Slots:
    """Experts where ``sparse`` holds, one dense block elsewhere."""
    return slots(when(f"not ({sparse})", dense), when(sparse, moe))


# --- latent attention ---

#: Queries through a low rank or straight; keys and values through a latent, and a rotary key that all heads share.
MLA: Final = slots(
    when(
        "q_lora_rank",
        linear("self_attn.q_a_proj", "attention", "q_a", "q_lora_rank", "hidden", "attention_bias"),
        norm("self_attn.q_a_layernorm", "attention-norm", "q_lora_rank", part="q_norm"),
        linear("self_attn.q_b_proj", "attention", "q_b", "heads*(qk_nope_head_dim + qk_rope_head_dim)", "q_lora_rank"),
    ),
    when(
        "not q_lora_rank",
        linear("self_attn.q_proj", "attention", "q", "heads*(qk_nope_head_dim + qk_rope_head_dim)", "hidden")
    ),
    linear(
        "self_attn.kv_a_proj_with_mqa", "attention", "kv_a", "kv_lora_rank + qk_rope_head_dim", "hidden",
        "attention_bias"
    ),
    norm("self_attn.kv_a_layernorm", "attention-norm", "kv_lora_rank", part="kv_norm"),
    linear("self_attn.kv_b_proj", "attention", "kv_b", "heads*(qk_nope_head_dim + v_head_dim)", "kv_lora_rank"),
    linear("self_attn.o_proj", "attention", "o", "hidden", "heads*v_head_dim", "attention_bias"),
)
MLA_KV: Final = "kv_lora_rank + qk_rope_head_dim"
#: The lightning indexer of DeepSeek sparse attention: which tokens to attend to.
INDEXER: Final = slots(
    linear("self_attn.indexer.wq_b", "attention", "indexer_q", "index_heads*index_head_dim", "q_lora_rank"),
    linear("self_attn.indexer.wk", "attention", "indexer_k", "index_head_dim", "hidden"),
    norm("self_attn.indexer.k_norm", "attention-norm", "index_head_dim", bias="1", part="indexer_norm"),
    linear("self_attn.indexer.weights_proj", "attention", "indexer_weights", "index_heads", "hidden"),
)


def mla_keys(*, q_lora: int | None, kv_lora: int, nope: int, rope: int, v: int | E) -> dict[str, Key]:
    """Widths of latent attention under the names of DeepSeek's config."""
    return {
        "q_lora_rank": key("q_lora_rank", q_lora, "int")._replace(null=NONE),
        "kv_lora_rank": key("kv_lora_rank", kv_lora),
        "qk_nope_head_dim": key("qk_nope_head_dim", nope),
        "qk_rope_head_dim": key("qk_rope_head_dim", rope),
        "v_head_dim": key("v_head_dim", v, "int"),
        "head_dim": key((), E("qk_nope_head_dim + qk_rope_head_dim")),
        "attention_bias": key("attention_bias", False),
    }


def index_keys(heads: int, head_dim: int, topk: int) -> dict[str, Key]:
    """Widths of the indexer."""
    return {
        "index_heads": key("index_n_heads", heads),
        "index_head_dim": key("index_head_dim", head_dim),
        "index_topk": key("index_topk", topk),
    }


# --- keys ---

MOE_NAMES: Final = ("n_routed_experts", "num_local_experts", "num_experts")
#: Prediction layers: 0 unless the config says so, since the library neither builds nor saves them.
MTP: Final = key(("num_nextn_predict_layers", "num_mtp_layers"), 0, "int")._replace(null=E("0"))


def moe_keys(
    *, experts: int | None, top_k: int | None, moe_ffn: int | E, shared: int | None = 0,
    names: str | tuple[str, ...] = MOE_NAMES, top_k_names: str | tuple[str, ...] = "num_experts_per_tok",
    moe_ffn_names: str | tuple[str, ...] = "moe_intermediate_size",
    shared_names: str | tuple[str, ...] = ("n_shared_experts", "num_shared_experts"),
) -> dict[str, Key]:
    """Experts, how many a token visits, their width, and how many shared ones of that width run always."""
    return {
        "experts": key(names, experts, "int", low=0),
        "top_k": key(top_k_names, top_k, "int"),
        "moe_ffn": key(moe_ffn_names, moe_ffn, "int"),
        "n_shared": key(shared_names, shared if shared != 0 else None, "int")._replace(null=NONE),
        "shared_ffn": key((), E("moe_ffn * (n_shared or 0)")),
    }


#: Which layers hold experts: a list of words where the config has one, else from some layer on, every so many layers.
SPARSE_FROM: Final = "i >= first_dense"
SPARSE_LISTED: Final = "mlp_types[i] == 'sparse' if mlp_types else i >= first_dense"


def first_dense(layers: int) -> dict[str, Key]:
    """The leading layers that stay dense."""
    return {"first_dense": key("first_k_dense_replace", layers)}


def mlp_types(first: int | None = None) -> dict[str, Key]:
    """``mlp_layer_types``; with ``first``, what ``first_k_dense_replace`` defaults to where the list is absent."""
    listed = {"mlp_types": key("mlp_layer_types", None, "list")}
    return listed if first is None else listed | first_dense(first)


# --- prediction layers after the last block ---


def mtp_layers(*block: Iterable[Slot], own_embedding: bool = True) -> Slots:
    """DeepSeek-V3's multi-token prediction: whole blocks that go on with the decoder's numbering, never counted."""
    extra = slots(
        tensor("embed_tokens.weight", "mtp", "vocab, hidden") if own_embedding else (),
        norm("enorm", "mtp"), norm("hnorm", "mtp"),
        tensor("eh_proj.weight", "mtp", "hidden, 2*hidden"),
        norm("shared_head.norm", "mtp"),
        tensor("shared_head.head.weight", "mtp", "vocab, hidden") if own_embedding else (),
    )
    return tuple(
        s._replace(
            name=L + s.name, role=s.role if s.kind == "buffer" else "mtp", layers="mtp", first="layers",
            kind="optional" if s.kind == "param" else s.kind, when=s.when,
        )
        for s in slots(*block, extra)
    )


__all__ = [
    "DENSE",
    "HEAD_NORMS",
    "INDEXER",
    "MLA",
    "MLA_KV",
    "MOE",
    "MOE_NAMES",
    "MTP",
    "NONE",
    "PRE_NORMS",
    "SHARED",
    "SINKS",
    "SPARSE_FROM",
    "SPARSE_LISTED",
    "WIDE_NORMS",
    "L",
    "correction",
    "decoder_keys",
    "first_dense",
    "index_keys",
    "mixed",
    "mla_keys",
    "mlp_types",
    "moe_keys",
    "mtp_layers",
    "router",
    "split_experts",
    "split_or_stacked",
    "stacked_experts",
    "transposed_experts",
    "w_experts",
]
