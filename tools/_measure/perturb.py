"""Random variations of a small config that its architecture still accepts.

Sizes are replaced value by value (every key that said 64 says the new width), so that keys which must agree still do;
counts, flags and eps change key by key.
"""

from __future__ import annotations

import random
from typing import Any, NamedTuple

from .shrink import EXPERTS, HEADS, KV, LAYERS, STACKS, TOPK, Json

WIDTHS = ((2, 48), (2, 80), (2, 96), (4, 96), (4, 128), (6, 96), (6, 144), (8, 128), (3, 72), (5, 80), (3, 96))
FFN = (88, 104, 136, 152, 168, 184, 200, 232, 248, 264)
EPS = (3e-6, 2e-5, 7e-8, 5e-4, 1.3e-5, 4e-7, 2.5e-6, 1e-3, 6e-9)
MIXERS = (("mamba_n_heads", "mamba_d_head", "mamba_expand"), ("num_heads", "head_dim", "expand"),
          ("mamba_num_heads", "mamba_head_dim", "expand"))
NOT_SIZES = ("token", "image", "patch", "index", "chunk", "window", "position", "seed", "rope", "size_divisor", "conv",
             "channels", "mel", "grid", "seq_length", "sparsity", "buckets", "block_size", "kernel", "stride", "bins")
FLAGS = ("bias", "tie_word_embeddings")
DROPPABLE = ("initializer_range", "attention_dropout", "use_cache", "hidden_act", "activation_function",
             "rms_norm_eps", "layer_norm_eps", "norm_eps", "layer_norm_epsilon", "layernorm_epsilon", "norm_epsilon",
             "tie_word_embeddings", "attention_bias", "mlp_bias", "pretraining_tp", "head_dim")


class Change(NamedTuple):
    """config: the new config, without the dropped keys. dropped: top-level keys left to the library's default."""

    config: Json
    dropped: tuple[str, ...]


def base_sizes(config: Json) -> tuple[int, int, bool]:
    """(heads, width, whether the head size has a key of its own) of the text model."""
    part = config.get("text_config")
    text: Json = part if isinstance(part, dict) else config
    heads = next((text[k] for k in sorted(HEADS) if isinstance(text.get(k), int)), 4)
    width = next((text[k] for k in ("hidden_size", "d_model", "n_embd", "dim") if isinstance(text.get(k), int)), 64)
    return heads, width, isinstance(text.get("head_dim", text.get("d_kv")), int)


def perturb(config: Json, seed: int, effort: int = 0) -> Change:
    """effort 0 changes everything; each further step leaves more as it is, for architectures that refuse."""
    r = random.Random(seed * 101 + effort)  # noqa: S311 - test data, no secret
    heads0, width0, own = base_sizes(config)
    heads, width = r.choice([w for w in WIDTHS if w[1] != width0])
    if effort >= 2:
        heads, width = heads0, r.choice([w for w in (96, 128, 160) if w != width0])
    if effort >= 4:
        heads, width = heads0, width0
    ffn = r.sample(FFN, 4)
    sizes = {width0: width, 176: ffn[0], 208: ffn[1], 112: ffn[2], 40: r.choice((24, 32, 48, 72)),
             56: r.choice((60, 68, 76, 84)), 160: r.choice((170, 192, 208, 224))}
    if own:
        sizes[24] = r.choice((16, 32, 40)) if effort < 3 else 24
    kv = r.choice([k for k in range(1, heads + 1) if heads % k == 0]) if effort < 3 else 2
    if effort >= 3 and heads == 4:
        kv = r.choice((1, 2, 4))
    layers = r.choice((2, 4, 5)) if effort < 3 else 3
    stack = r.choice((1, 3)) if effort < 3 else 2
    experts, top = r.choice(((4, 1), (8, 3), (10, 2), (4, 2))) if effort < 3 else (8, 2)
    eps = r.choice(EPS)

    def number(key: str, value: int, at: Json) -> int:
        if key in HEADS and value == heads0:
            return heads
        if key in KV:
            return heads if value == heads0 else kv if heads0 // 2 == value else value
        if key in (*LAYERS, "num_blocks") and value == 3:
            return layers
        if key in STACKS and value == 2:
            return stack
        if key in EXPERTS and value == 6:
            return experts
        if key in TOPK and value == 2:
            return top
        if any(word in key for word in NOT_SIZES):
            return value
        return sizes.get(value, value) if value >= 24 else value

    def walk(at: Json) -> Json:
        out: Json = {}
        n = next((at[k] for k in sorted(LAYERS) if isinstance(at.get(k), int)), None)
        for key, value in at.items():
            if isinstance(value, bool):
                flip = any(f in key for f in FLAGS) and "correction" not in key and effort < 5
                out[key] = r.random() < 0.5 if flip else value
            elif isinstance(value, int):
                out[key] = number(key, value, at)
            elif isinstance(value, float):
                norm_eps = "eps" in key and 0 < value < 1e-2 and "time" not in key
                out[key] = eps if norm_eps else value
            elif isinstance(value, dict):
                out[key] = value if "rope" in key or "label" in key else walk(value)
            elif isinstance(value, list) and value and n == 3 and len(value) == 3 and layers != 3 and "layer" in key:
                kinds = [v for i, v in enumerate(value) if v not in value[:i]]
                more: list[Any] = [r.choice(kinds) for _ in range(max(0, layers - len(kinds)))]
                mixed = (kinds + more)[:layers]
                r.shuffle(mixed)
                out[key] = [number(key, v, at) if type(v) is int else v for v in mixed]
            else:
                out[key] = value
        wide = out.get("hidden_size")
        if isinstance(wide, int) and "head_dim" not in at:
            # A tower keeps its width, so it keeps its heads too where the new count does not divide it.
            heads_here = [k for k in at if k in HEADS and type(out[k]) is int and wide % out[k]]
            out |= {k: at[k] for k in (*heads_here, *(k for k in at if k in KV and heads_here))}
        for count, size, expand in MIXERS:
            known = all(isinstance(at.get(k), int) for k in (count, size, expand, "hidden_size"))
            if known and at[count] * at[size] == at[expand] * at["hidden_size"]:
                out[size] = at[size]
                out[count] = out[expand] * out["hidden_size"] // at[size]
        return out

    new = walk(config)
    keys = [k for k in DROPPABLE if k in new and not (k == "head_dim" and width % heads)]
    dropped = tuple(k for k in keys if r.random() < 0.25) if effort < 3 else ()
    return Change({k: v for k, v in new.items() if k not in dropped}, dropped)
