"""Qwen4-Exp: Qwen3.5's mixture of experts on several residual streams, with n-gram embeddings and an indexer.

Facts from transformers 5.23, ``models/qwen4_exp``.
"""

from __future__ import annotations

from functools import lru_cache
from math import isqrt
from typing import Final

from cfgexplain.families.common import key, share
from cfgexplain.families.delta import GATED_ATTENTION, LETS, MOE, QWEN3_5_MOE_TEXT, SPLIT_NET, moe_keys, with_images
from cfgexplain.families.expr import function
from cfgexplain.families.moe_blocks import L
from cfgexplain.families.schema import (
    E,
    Slot,
    Slots,
    embedding,
    form,
    linear,
    norm,
    replace,
    slots,
    tensor,
    under,
    when,
)


@function
def ple_index(ids: object, i: int) -> int:
    """Which of the layers with n-gram embeddings (``ple_layer_ids``, counted from 1) layer ``i`` is; -1 for none."""
    ordered = sorted(set(ids)) if isinstance(ids, (list, tuple)) else []
    return ordered.index(i + 1) if i + 1 in ordered else -1


@function
@lru_cache(maxsize=64)
def ngram_rows(base: int, heads: int, index: int, multiple: int) -> int:
    """Rows of one layer's n-gram table: ``heads`` consecutive primes from ``base`` on, up to a multiple.

    Each such layer goes on with the primes where the one before it stopped.
    """
    first, last = heads * index, heads * (index + 1)
    if not (0 < base <= 10**9 and 0 <= first < last <= 2048):
        raise ValueError("no such table")
    rows, seen, n = 0, 0, base - 1
    while seen < last:
        n += 1
        if n < 2 or any(n % d == 0 for d in range(2, isqrt(n) + 1)):
            continue
        if seen >= first:
            rows += n
        seen += 1
    return -(-rows // multiple) * multiple


def hyper(name: str, role: str = "block-norm", inject: bool = True) -> Slots:
    """A hyper-connection: ``streams`` residual streams normed, mixed to one, and how the result goes back to each."""
    return under(
        f"{name}.",
        norm("hc_norm", role, "streams*hidden"),
        linear("input_mix_weight_down", "other", "", "hc_rank", "streams*hidden"),
        linear("input_mix_weight_up", "other", "", "streams*hidden", "hc_rank"),
        linear("block_inject_weight", "other", "", "streams", "streams*hidden") if inject else (),
    )


#: The n-gram table is stored in shards; where the rows do not divide, the last one is shorter.
PLE: Final = under(
    "ple.",
    linear("key_proj", "other", "", "streams*hidden", "ple_dim"),
    linear("value_proj", "other", "", "hidden", "ple_dim"),
    norm("norm_key", "other-norm", "streams*hidden"),
    norm("norm_query", "other-norm", "streams*hidden"),
    norm("norm_conv", "other-norm", "streams*hidden"),
    tensor("conv1d.weight", "other", "streams*hidden, 1, ple_kernel"),
    under(
        "ple_embedding.",
        form("ngrams/whole", embedding("ngram_embedding", "rows", "ple_dim // ngram_heads")),
        form("ngrams/shards", Slot(
            "ngram_embedding.shard_{e}.weight", "embedding", "",
            "chunk if rows % chunk == 0 else None, ple_dim // ngram_heads",
            experts="-(-rows // chunk)", kind="optional",
        )),
        tensor("layer_multipliers", "buffer", "ngram", kind="buffer"),
        tensor("ngram_heads_offsets", "buffer", "ngram_heads", kind="buffer"),
        tensor("ngram_heads_vocab_sizes", "buffer", "ngram_heads", kind="buffer"),
    ),
)
INDEXER: Final = under(
    "self_attn.indexer.",
    linear("index_qk_proj", "attention", "", "(index_heads + index_kv_heads)*index_dim", "hidden"),
    norm("q_layernorm", "attention-norm", "index_dim"),
    norm("k_layernorm", "attention-norm", "index_dim"),
)

QWEN4_EXP_TEXT: Final = replace(
    QWEN3_5_MOE_TEXT,
    id="qwen4_exp_text",
    source="transformers 5.23 Qwen4ExpTextConfig, Qwen4ExpTextDecoderLayer, Qwen4ExpTextGatedResidual, "
    "Qwen4ExpTextPLELayer",
    keys={
        **QWEN3_5_MOE_TEXT.keys,
        "rotary_share": share(None),
        **moe_keys(512, 10),
        "streams": key("hc_count", 4),
        "hc_rank": key("hc_lowrank", 320),
        "ple_ids": key("ple_layer_ids", None, "list"),
        "ple_dim": key("ple_embed_dim", E("hidden")),
        "ple_kernel": key("ple_conv_kernel_size", 4),
        "ngram": key("ngram_size", 3),
        "heads_per_ngram": key("heads_per_ngram", 8),
        "ngram_base": key("ngram_vocab_size_base", 20_000_000),
        "ngram_multiple": key("make_ngram_vocab_size_divisible_by", 128, low=1),
        "parts": key("split_ngram_parts", 512, low=1),
        "index_heads": key("indexer_n_heads", None, "int"),
        "index_kv_heads": key("indexer_kv_heads", None, "int"),
        "index_dim": key("indexer_head_dim", None, "int"),
    },
    lets={
        **LETS,
        "full": "layer_types[i] != 'linear_attention' if layer_types else (i + 1) % interval == 0",
        "ngram_heads": "(ngram - 1) * heads_per_ngram",
        "rows": "ngram_rows(ngram_base, ngram_heads, ple_index(ple_ids, i), ngram_multiple)",
        "chunk": "-(-rows // parts)",
    },
    body=slots(
        embedding("embed_tokens"),
        under(
            L,
            when("ple_index(ple_ids, i) >= 0", PLE),
            hyper("attn_hyper_connection"),
            when("full", GATED_ATTENTION, INDEXER),
            when("not full", SPLIT_NET),
            hyper("mlp_hyper_connection"),
            MOE,
            layers="layers",
        ),
        hyper("hyper_connection_mixer", "final-norm", inject=False),
    ),
)

QWEN4_EXP: Final = with_images("qwen4_exp", "transformers 5.23 Qwen4ExpConfig, Qwen4ExpForConditionalGeneration")
