"""Decoders of GPT-2's time and names: GPT (1), GPT-Neo, GPT-J, CodeGen, GPT-BigCode (StarCoder 1).

Facts from transformers 5.23, ``models/{openai,gpt_neo,gptj,codegen,gpt_bigcode}``. Radford et al. 2018;
Wang and Komatsuzaki 2021 (attention and FFN in parallel from one norm); Li et al. 2023 (2305.06161).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cfgexplain.families.common import LABELS, decoder_heads, key
from cfgexplain.families.expr import function
from cfgexplain.families.schema import (
    E,
    Family,
    Key,
    Norm,
    Slots,
    conv1d,
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
    from cfgexplain.families.schema import Default

H: Final = "h.{i}."


def classic_keys(*, hidden: int, layers: int, heads: int, vocab: int, max_pos: int, act: str, tie: bool,
                 act_key: str = "activation_function", ffn: Key = key("n_inner", E("4*hidden")), eps: Default = 1e-5,
                 **more: Key) -> dict[str, Key]:
    """The keys of GPT-2's config in the names of its time."""
    return {
        "hidden": key(("n_embd", "hidden_size"), hidden),
        "ffn": ffn,
        "layers": key(("n_layer", "num_hidden_layers"), layers),
        "heads": key(("n_head", "num_attention_heads"), heads),
        "kv_heads": key((), E("heads")),
        "head_dim": key((), E("hidden // heads")),
        "vocab": key("vocab_size", vocab),
        "max_pos": key(("n_positions", "max_position_embeddings"), max_pos),
        "eps": key("layer_norm_epsilon", eps),
        "act": key(act_key, act),
        "tie": key("tie_word_embeddings", tie),
        **LABELS,
        **more,
    }


def classic_heads(head: Slots | None = None) -> dict[str, Slots]:
    """A language-model head, or a classifier: on the last token without bias, on every token with one."""
    return decoder_heads(head) | {
        "ForTokenClassification": slots(
            tensor("classifier.weight", "other", "labels, hidden"), tensor("classifier.bias", "other", "labels")
        ),
    }


def old_mask(prefix: str = "attn.") -> Slots:
    """The causal mask and its fill value, which releases before 4.30 or so stored in every layer."""
    return slots(
        tensor(f"{prefix}bias", "buffer", "", kind="buffer"),
        tensor(f"{prefix}masked_bias", "buffer", "", kind="buffer"),
    )


OPENAI_GPT: Final = Family(
    id="openai-gpt",
    source="transformers 5.23 OpenAIGPTConfig, openai Block (norms after the residual sums, none at the end); "
    "width fixed at 4*n_embd",
    base="transformer",
    keys={
        **classic_keys(hidden=768, layers=12, heads=12, vocab=40478, max_pos=512, act="gelu", act_key="afn", tie=True,
                       ffn=key((), E("4*hidden"))),
        # What this one calls gelu is the tanh approximation (its own ACT_FNS).
        "afn": key("afn", "gelu"), "act": key((), E("'gelu_new' if afn == 'gelu' else afn"), "str"),
    },
    body=slots(
        embedding("tokens_embed"),
        embedding("positions_embed", "max_pos", role="position-embedding"),
        tensor("position_ids", "buffer", "", kind="buffer"),
        under(
            H,
            conv1d("attn.c_attn", "attention", "qkv", "3*hidden", "hidden"),
            conv1d("attn.c_proj", "attention", "o", "hidden", "hidden"),
            old_mask(),
            norm("ln_1", bias="1"),
            conv1d("mlp.c_fc", "ffn", "up", "ffn", "hidden"),
            conv1d("mlp.c_proj", "ffn", "down", "hidden", "ffn"),
            norm("ln_2", bias="1"),
            layers="layers",
        ),
    ),
    heads=classic_heads() | {"LMHeadModel": lm_head()},
    head="LMHeadModel",
    norm=Norm("layernorm", "post", final=False),
)


@function
def neo_kind(types: object, expanded: object, i: int) -> str:
    """GPT-Neo's layer kind: ``attention_types`` [[[kinds], times], …] written out; ``local`` has a window.

    ``attention_layers``, where a config carries it, is the same list written out already.
    """
    if isinstance(expanded, list):
        return "sliding" if expanded[i] == "local" else "full"
    left = i
    groups: list[tuple[list[str], int]] = types if isinstance(types, list) else [(["global", "local"], 12)]
    for kinds, times in groups:
        if left < len(kinds) * times:
            return "sliding" if kinds[left % len(kinds)] == "local" else "full"
        left -= len(kinds) * times
    raise IndexError(i)


GPT_NEO: Final = Family(
    id="gpt_neo",
    source="transformers 5.23 GPTNeoConfig, GPTNeoSelfAttention (only out_proj has a bias)",
    base="transformer",
    keys={
        **classic_keys(hidden=2048, layers=24, heads=16, vocab=50257, max_pos=2048, act="gelu_new", tie=True,
                       ffn=key("intermediate_size", E("4*hidden"))),
        "hidden": key("hidden_size", 2048),
        "layers": key(("num_layers", "num_hidden_layers"), 24),
        "heads": key(("num_heads", "num_attention_heads"), 16),
        "max_pos": key("max_position_embeddings", 2048),
        "window": key("window_size", 256),
        "attention_types": key("attention_types", None, "list"),
        "attention_layers": key("attention_layers", None, "list"),
    },
    body=slots(
        embedding("wte"),
        embedding("wpe", "max_pos", role="position-embedding"),
        under(
            H,
            norm("ln_1", bias="1"),
            linear("attn.attention.q_proj", "attention", "q", "hidden", "hidden"),
            linear("attn.attention.k_proj", "attention", "k", "hidden", "hidden"),
            linear("attn.attention.v_proj", "attention", "v", "hidden", "hidden"),
            linear("attn.attention.out_proj", "attention", "o", "hidden", "hidden", "1"),
            old_mask("attn.attention."),
            norm("ln_2", bias="1"),
            plain_mlp("mlp.c_fc", "mlp.c_proj", bias="1"),
            layers="layers",
        ),
        norm("ln_f", "final-norm", bias="1"),
    ),
    heads=classic_heads(),
    norm=Norm("layernorm"),
    layer_kind="neo_kind(attention_types, attention_layers, i)",
)

GPTJ: Final = Family(
    id="gptj",
    source="transformers 5.23 GPTJConfig, GPTJBlock (attention and FFN side by side from ln_1; the head has a bias)",
    base="transformer",
    keys=classic_keys(
        hidden=4096, layers=28, heads=16, vocab=50400, max_pos=2048, act="gelu_new", tie=False,
        theta=key((), 10000.0), rotary_dim=key("rotary_dim", 64),
    ),
    body=slots(
        embedding("wte"),
        under(
            H,
            norm("ln_1", bias="1"),
            linear("attn.q_proj", "attention", "q", "hidden", "hidden"),
            linear("attn.k_proj", "attention", "k", "hidden", "hidden"),
            linear("attn.v_proj", "attention", "v", "hidden", "hidden"),
            linear("attn.out_proj", "attention", "o", "hidden", "hidden"),
            old_mask(),
            plain_mlp("mlp.fc_in", "mlp.fc_out", bias="1"),
            layers="layers",
        ),
        norm("ln_f", "final-norm", bias="1"),
    ),
    heads=classic_heads(lm_head(bias="1")),
    norm=Norm("layernorm", "parallel"),
)

CODEGEN: Final = replace(
    GPTJ,
    id="codegen",
    source="transformers 5.23 CodeGenConfig, CodeGenAttention (fused qkv_proj, ordered in four blocks)",
    body=slots(
        embedding("wte"),
        under(
            H,
            norm("ln_1", bias="1"),
            linear("attn.qkv_proj", "attention", "qkv", "3*hidden", "hidden"),
            linear("attn.out_proj", "attention", "o", "hidden", "hidden"),
            tensor("attn.causal_mask", "buffer", "", kind="buffer"),
            old_mask(),
            plain_mlp("mlp.fc_in", "mlp.fc_out", bias="1"),
            layers="layers",
        ),
        norm("ln_f", "final-norm", bias="1"),
    ),
)

#: Query, key and value in one matrix; with ``multi_query`` all heads share one key and one value.
GPT_BIGCODE: Final = Family(
    id="gpt_bigcode",
    source="transformers 5.23 GPTBigCodeConfig, GPTBigCodeAttention (Linear, not Conv1D)",
    base="transformer",
    keys={
        **classic_keys(hidden=768, layers=12, heads=12, vocab=50257, max_pos=1024, act="gelu_pytorch_tanh", tie=True,
                       multi_query=key("multi_query", True), cross=key("add_cross_attention", False)),
        "kv_heads": key((), E("1 if multi_query else heads")),
    },
    body=slots(
        embedding("wte"),
        embedding("wpe", "max_pos", role="position-embedding"),
        under(
            H,
            norm("ln_1", bias="1"),
            linear("attn.c_attn", "attention", "qkv", "hidden + 2*kv_heads*head_dim", "hidden", "1"),
            linear("attn.c_proj", "attention", "o", "hidden", "hidden", "1"),
            old_mask(),
            norm("ln_2", bias="1"),
            when(
                "cross",
                linear("crossattention.c_attn", "cross-attention", "kv", "2*hidden", "hidden", "1"),
                linear("crossattention.q_attn", "cross-attention", "q", "hidden", "hidden", "1"),
                linear("crossattention.c_proj", "cross-attention", "o", "hidden", "hidden", "1"),
                norm("ln_cross_attn", bias="1"),
            ),
            plain_mlp("mlp.c_fc", "mlp.c_proj", bias="1"),
            layers="layers",
        ),
        norm("ln_f", "final-norm", bias="1"),
    ),
    heads=classic_heads(),
    norm=Norm("layernorm"),
)
