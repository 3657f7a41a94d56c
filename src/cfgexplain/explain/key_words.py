"""Words of the field that are no keys of a config: what `cfgexplain key GQA` answers.

The texts are in the catalogue ("word.<name>"). Keys of configs go first: a word that is one is told on its page.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cfgexplain.lang import Catalogue


class Word(NamedTuple):
    """One word.

    Attributes:
        name: in the catalogue.
        shown: as it is written.
        also: other ways to say or write it.
        keys: keys of configs to read on.
    """

    name: str
    shown: str
    also: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()


def _w(name: str, shown: str, also: str = "", keys: str = "") -> Word:
    return Word(name, shown, tuple(x for x in also.split(",") if x), tuple(keys.split()))


WORDS: Final = (
    _w("gqa", "GQA", "grouped-query attention,grouped query attention", "num_key_value_heads num_attention_heads"),
    _w("mha", "MHA", "multi-head attention", "num_attention_heads head_dim"),
    _w("mqa", "MQA", "multi-query attention", "multi_query num_key_value_heads"),
    _w("mla", "MLA", "multi-head latent attention,latent attention,latent", "kv_lora_rank qk_rope_head_dim"),
    _w("moe", "MoE", "mixture of experts,mixture-of-experts", "num_experts num_experts_per_tok moe_intermediate_size"),
    _w("swiglu", "SwiGLU", "", "hidden_act intermediate_size"),
    _w("geglu", "GeGLU", "", "hidden_act intermediate_size"),
    _w("glu", "GLU", "gated linear unit", "hidden_act intermediate_size"),
    _w("rope", "RoPE", "rotary position embedding,rotary embedding,rotary", "rope_theta rope_scaling"),
    _w("alibi", "ALiBi", "", "alibi position_embedding_type"),
    _w("yarn", "YaRN", "", "rope_scaling beta_fast original_max_position_embeddings"),
    _w("rmsnorm", "RMSNorm", "rms norm", "rms_norm_eps norm_type"),
    _w("layernorm", "LayerNorm", "layer norm,layer normalization", "rms_norm_eps norm_type"),
    _w("logits", "logits", "logit", "vocab_size final_logit_softcapping"),
    _w("head", "head", "heads,attention head,lm head,output head", "num_attention_heads head_dim tie_word_embeddings"),
    _w("router", "router", "routing", "num_experts_per_tok scoring_func router_aux_loss_coef"),
    _w("expert", "expert", "experts,shared expert", "num_experts moe_intermediate_size n_shared_experts"),
    _w("gate", "gate", "gated", "hidden_act intermediate_size"),
    _w("residual", "residual stream", "residual,stream,residual connection", "hidden_size"),
    _w("cache", "KV cache", "kv,cache,key-value cache", "num_key_value_heads use_cache kv_cache_scheme"),
    _w("token", "token", "tokens", "vocab_size"),
    _w("tensor", "tensor", "tensors", "torch_dtype"),
    _w("header", "header", "headers,safetensors header"),
    _w("checkpoint", "checkpoint", "checkpoints", "architectures model_type"),
    _w("dtype", "dtype", "data type", "torch_dtype"),
    _w("bias", "bias", "biases", "attention_bias mlp_bias"),
    _w("gain", "gain", "gains", "rms_norm_eps"),
    _w("softmax", "softmax", "", "attn_logit_softcapping"),
    _w("pre-norm", "pre-norm", "prenorm,pre norm", "do_layer_norm_before"),
    _w("post-norm", "post-norm", "postnorm,post norm", "do_layer_norm_before"),
    _w("qk-norm", "QK-norm", "qk norm,query-key norm", "use_qk_norm"),
    _w("tied", "tied", "tied head,tied embeddings,weight tying", "tie_word_embeddings"),
    _w("ffn", "FFN", "feed-forward,feed-forward block,feedforward,mlp", "intermediate_size hidden_act"),
    _w("embedding", "embedding", "embeddings", "vocab_size hidden_size"),
    _w("attention", "attention", "self-attention", "num_attention_heads num_key_value_heads head_dim"),
)  # fmt: skip


def folded(name: str) -> str:
    """A word whatever its case, hyphens and spaces."""
    return "".join(c for c in name.casefold() if c not in " -_")


@cache
def _by_name() -> Mapping[str, Word]:
    return {folded(n): w for w in WORDS for n in (*w.also, w.name, w.shown)}


def word_of(name: str) -> Word | None:
    """The word that a name stands for."""
    return _by_name().get(folded(name))


def word_page(w: Word, t: Catalogue) -> list[str]:
    """Paragraphs: what it means, and the keys to read on."""
    keys = [t.text("word.keys").format(names=t.text("join.list").join(w.keys))] if w.keys else []
    return [w.shown, t.text(f"word.{w.name}"), *keys, t.text("word.hint")]
