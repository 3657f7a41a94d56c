"""State-space models: Mamba 1 and 2, and the hybrids with plain FFNs (Bamba, Falcon-H1).

Facts from transformers 5.23, ``models/{mamba,mamba2,falcon_mamba,bamba,falcon_h1}``. Gu and Dao 2023 (2312.00752),
Dao and Gu 2024 (2405.21060).
"""

from __future__ import annotations

from typing import Final

from cfgexplain.families.common import LABELS, decoder_heads, decoder_keys, flag, key, share
from cfgexplain.families.expr import function
from cfgexplain.families.schema import (
    E,
    Family,
    Key,
    Norm,
    Slots,
    attention,
    embedding,
    gated_mlp,
    linear,
    norm,
    replace,
    slots,
    tensor,
    under,
    when,
)

L: Final = "layers.{i}."


@function
def is_full(types: object, i: int) -> bool:
    """Whether layer ``i`` of ``layer_types`` is softmax attention, in the new or the old spelling."""
    return isinstance(types, (list, tuple)) and types[i] in ("full_attention", "attention")


def kv_heads(default: int) -> Key:
    """Key-value heads with a default of their own; a null means as many as heads."""
    return Key(("num_key_value_heads",), default, "int", None, E("heads"))


def mamba1(prefix: str = "mixer.", norms: bool = False) -> Slots:
    """Mamba 1's mixer over ``inner`` channels with ``state`` numbers each; dt comes through ``rank`` numbers.

    in_proj [2*inner, hidden] gives x and the gate; x_proj [rank + 2*state, inner] gives dt, B and C.
    """
    return under(
        prefix,
        linear("in_proj", "mixer", "", "2*inner", "hidden", "proj_bias"),
        tensor("conv1d.weight", "mixer", "inner, 1, kernel"),
        tensor("conv1d.bias", "mixer", "inner", cond="conv_bias"),
        linear("x_proj", "mixer", "", "rank + 2*state", "inner"),
        linear("dt_proj", "mixer", "", "inner", "rank", "1"),
        tensor("A_log", "mixer", "inner, state"),
        tensor("D", "mixer", "inner"),
        linear("out_proj", "mixer", "", "hidden", "inner", "proj_bias"),
        slots(norm("dt_layernorm", "mixer", "rank"), norm("b_layernorm", "mixer", "state"),
              norm("c_layernorm", "mixer", "state")) if norms else (),
    )


def mamba2(prefix: str = "mixer.", bias: str = "proj_bias", out_bias: str | None = None, normed: str = "",
           conv_bias: str = "conv_bias") -> Slots:
    """Mamba 2's mixer: ``m_heads`` heads over ``inner`` channels, ``groups`` pairs of B and C of ``state`` numbers.

    in_proj [2*inner + 2*groups*state + m_heads, hidden] gives gate, x, B, C and dt. Its norm exists where ``normed``.
    """
    return under(
        prefix,
        linear("in_proj", "mixer", "", "2*inner + 2*groups*state + m_heads", "hidden", bias),
        tensor("conv1d.weight", "mixer", "inner + 2*groups*state, 1, kernel"),
        tensor("conv1d.bias", "mixer", "inner + 2*groups*state", cond="" if conv_bias == "1" else conv_bias),
        tensor("dt_bias", "mixer", "m_heads"),
        tensor("A_log", "mixer", "m_heads"),
        when(normed, norm("norm", "mixer", "inner")),
        tensor("D", "mixer", "m_heads"),
        linear("out_proj", "mixer", "", "hidden", "inner", bias if out_bias is None else out_bias),
    )


#: The keys that the hybrids' Mamba 2 layers read.
MAMBA2_KEYS: Final[dict[str, Key]] = {
    # The library takes 128 heads and refuses the config where a head's width, if given, says otherwise.
    "m_heads": key("mamba_n_heads", E("inner // m_head_dim if m_head_dim != 'auto' else 128")),
    "m_head_dim": Key(("mamba_d_head",), "auto", "str int"),
    "groups": key("mamba_n_groups", 1),
    "state": key("mamba_d_state", 256),
    "kernel": key("mamba_d_conv", 4),
    "expand": key("mamba_expand", 2),
    "inner": key((), E("int(expand * hidden)")),
    "conv_bias": flag("mamba_conv_bias", True),
    "proj_bias": flag("mamba_proj_bias", False),
}


def pure_keys(*, hidden: int, layers: int, vocab: int, tie: bool, state: int, **more: Key) -> dict[str, Key]:
    """The keys of a model of state-space layers only."""
    return {
        "hidden": key("hidden_size", hidden),
        "layers": key("num_hidden_layers", layers),
        "vocab": key("vocab_size", vocab),
        "eps": key("layer_norm_epsilon", 1e-5),
        "tie": key("tie_word_embeddings", tie),
        "state": key("state_size", state),
        "kernel": key("conv_kernel", 4),
        "expand": key("expand", 2, "int float"),
        "proj_bias": key("use_bias", False),
        "conv_bias": key("use_conv_bias", True),
        **LABELS,
        **more,
    }


#: A width given in the config wins over ``expand * hidden_size`` (Falcon-Mamba-7B: 8192, with expand 16).
MAMBA: Final = Family(
    id="mamba",
    source="transformers 5.23 MambaConfig (intermediate_size is the mixer's width, no FFN), MambaBlock",
    base="backbone",
    keys=pure_keys(
        hidden=768, layers=32, vocab=50280, tie=True, state=16,
        inner=key("intermediate_size", E("int(expand * hidden)")), dt_rank=key("time_step_rank", "auto", "str int"),
    ),
    lets={"rank": "ceil(hidden / 16) if dt_rank == 'auto' else dt_rank"},
    body=slots(
        embedding("embeddings"),
        under(L, norm("norm"), mamba1(), layers="layers"),
        norm("norm_f", "final-norm"),
    ),
    heads=decoder_heads(),
    kv="0",
    layer_kind="'ssm'",
    state="inner*(kernel + state)",
    renames=(((r"(^|\.)embedding\.", r"\1embeddings."),),),
)

FALCON_MAMBA: Final = replace(
    MAMBA,
    id="falcon_mamba",
    source="transformers 5.23 FalconMambaConfig, FalconMambaMixer (norms without tensors on dt, B and C)",
)

MAMBA2: Final = replace(
    MAMBA,
    state="(inner + 2*groups*state)*kernel + inner*state",
    id="mamba2",
    source="transformers 5.23 Mamba2Config, Mamba2Block",
    keys=pure_keys(
        hidden=4096, layers=64, vocab=32768, tie=False, state=128, m_heads=key("num_heads", 128),
        groups=key("n_groups", 8), inner=key((), E("int(expand * hidden)")),
    ),
    lets={},
    body=slots(
        embedding("embeddings"),
        under(L, norm("norm"), mamba2(), layers="layers"),
        norm("norm_f", "final-norm"),
    ),
)

BAMBA: Final = Family(
    id="bamba",
    source="transformers 5.23 BambaConfig, BambaDecoderLayer (attention where attn_layer_indices says, else Mamba 2)",
    base="model",
    keys={
        **decoder_keys(
            hidden=4096, ffn=14336, layers=32, heads=32, vocab=128000, eps=1e-5, max_pos=262144,
            attention_bias=key("attention_bias", False), mlp_bias=key("mlp_bias", False),
            attn_layers=key("attn_layer_indices", None, "list"),
        ),
        **MAMBA2_KEYS,
        "kv_heads": kv_heads(8),
        "rotary_share": share(0.5),
    },
    lets={"full": "bool(attn_layers) and has(attn_layers, i)"},
    body=slots(
        embedding("embed_tokens"),
        under(
            L,
            when("full", attention(bias="attention_bias")),
            when("not full", mamba2("mamba.")),
            norm("input_layernorm"),
            norm("pre_ff_layernorm"),
            gated_mlp("feed_forward.", bias="mlp_bias"),
            layers="layers",
        ),
        norm("final_layernorm", "final-norm"),
    ),
    heads=decoder_heads(),
    kv="2*kv_heads*head_dim if full else 0",
    layer_kind="'full' if full else 'ssm'",
    state="0 if full else (inner + 2*groups*state)*kernel + inner*state",
)

FALCON_H1: Final = replace(
    BAMBA,
    id="falcon_h1",
    source="transformers 5.23 FalconH1Config, FalconH1DecoderLayer (attention and Mamba 2 side by side, then the FFN)",
    keys={
        **decoder_keys(
            hidden=4096, ffn=14336, layers=32, heads=32, vocab=128000, eps=1e-5, max_pos=8192,
            attention_bias=key("attention_bias", False), mlp_bias=key("mlp_bias", False),
            out_bias=flag("projectors_bias", False), mamba_norm=flag("mamba_rms_norm", False),
        ),
        **MAMBA2_KEYS,
        "kv_heads": kv_heads(8),
        "inner": Key(("mamba_d_ssm",), 1024, "int", None, E("int(expand * hidden)")),
    },
    lets={},
    body=slots(
        embedding("embed_tokens"),
        under(
            L,
            attention(bias="attention_bias"),
            mamba2("mamba.", out_bias="out_bias", normed="mamba_norm"),
            norm("input_layernorm"),
            norm("pre_ff_layernorm"),
            gated_mlp("feed_forward.", bias="mlp_bias"),
            layers="layers",
        ),
        norm("final_layernorm", "final-norm"),
    ),
    norm=Norm(),
    kv="2*kv_heads*head_dim",
    layer_kind="'hybrid'",
    state="(inner + 2*groups*state)*kernel + inner*state",
)
