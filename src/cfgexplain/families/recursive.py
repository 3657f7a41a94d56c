"""Decoders that run layers more than once, or several stacks in one: HRM-Text, BLT, Dory.

Facts from transformers 5.23, ``models/hrm_text``, ``models/blt`` and ``models/dory``.
"""

from __future__ import annotations

from typing import Final

from cfgexplain.families.common import decoder_keys, key, rope_theta, window, window_theta
from cfgexplain.families.schema import (
    E,
    Family,
    Key,
    Norm,
    Slots,
    attention,
    embedding,
    form,
    gated_mlp,
    linear,
    lm_head,
    norm,
    slots,
    tensor,
    under,
    when,
)

# --- HRM-Text: a fast and a slow stack, each run several times; norms have no weight ---

_HRM_LAYER: Final = slots(
    linear("attn.gqkv_proj", "attention", "qkv", "4*heads*head_dim", "hidden"),
    linear("attn.o_proj", "attention", "o", "hidden", "heads*head_dim", "attention_bias"),
    # The library fuses weights when it writes, not biases.
    when(
        "attention_bias",
        tensor("self_attn.gate_proj.bias", "attention", "heads*head_dim"),
        tensor("self_attn.q_proj.bias", "attention", "heads*head_dim", "q"),
        tensor("self_attn.k_proj.bias", "attention", "heads*head_dim", "k"),
        tensor("self_attn.v_proj.bias", "attention", "heads*head_dim", "v"),
    ),
    linear("mlp.gate_up_proj", "ffn", "gate_up", "2*ffn", "hidden"),
    linear("mlp.down_proj", "ffn", "down", "hidden", "ffn", "mlp_bias"),
    when(
        "mlp_bias", tensor("mlp.gate_proj.bias", "ffn", "ffn", "gate"), tensor("mlp.up_proj.bias", "ffn", "ffn", "up"),
    ),
)

HRM_TEXT: Final = Family(
    id="hrm_text",
    source="transformers 5.23 HrmTextConfig (num_hidden_layers counts every pass), HrmTextStack, conversion_mapping.py",
    base="model",
    keys={
        **decoder_keys(
            hidden=1536, ffn=4096, layers=16, heads=12, head_dim=128, vocab=151808, eps=1e-6,
            attention_bias=key("attention_bias", False), mlp_bias=key("mlp_bias", False),
            slow=key("H_cycles", 2), fast=key("L_cycles", 3), stack=key("num_layers_per_stack", None, "int"),
            passes=key("num_hidden_layers", 16),
            embedding_scale=key("embedding_scale", E("1 / initializer"), "int float"),
            initializer=key("initializer_range", 0.02, "int float"),
        ),
        "layers": key((), E("stack or passes")),
        "kv_heads": key((), E("heads")),
    },
    body=slots(
        embedding("embed_tokens"),
        tensor("z_L_init", "other", "hidden"),
        under("L_module.layers.{i}.", _HRM_LAYER, layers="layers"),
        under("H_module.layers.{i}.", _HRM_LAYER, layers="layers"),
    ),
    heads={"ForCausalLM": lm_head()},
    norm=Norm(gain="none"),
    kv="2*heads*head_dim*slow*(fast + 1)",
    unread=("num_key_value_heads",),
)

# --- BLT: bytes into patches, a global decoder over patches, back to bytes; an entropy model cuts the patches ---


#: What the keys of the decoder over bytes are called: it is the stack that reads the tokens before it, and caches.
_MAIN: Final = {"hidden": "hidden", "layers": "layers", "heads": "heads", "kv": "kv_heads", "width": "ffn"}


def _named(letter: str) -> dict[str, str]:
    """Canonical names of one stack's keys."""
    return _MAIN if letter == "d" else {name: f"{letter}_{name}" for name in _MAIN}


def _stack_keys(letter: str, path: str, *, hidden: int, layers: int, heads: int, ffn: int | None) -> dict[str, Key]:
    """Keys of one of the four stacks; a width of nought or null is 8/3 of the hidden size."""
    n = _named(letter)
    return {
        n["hidden"]: key(f"{path}.hidden_size", hidden),
        n["layers"]: key(f"{path}.num_hidden_layers", layers),
        n["heads"]: key(f"{path}.num_attention_heads", heads),
        n["kv"]: key(f"{path}.num_key_value_heads", E(n["heads"])),
        n["width"]: key(f"{path}.intermediate_size", ffn, "int", null=E(f"int(8*{n['hidden']}/3)")),
    }


def _stack(letter: str, prefix: str) -> Slots:
    """Llama's layer under one stack's widths."""
    n = _named(letter)
    h = n["hidden"]
    return under(
        prefix + "layers.{i}.",
        attention(hidden=h, heads=n["heads"], kv_heads=n["kv"], head_dim=f"({h} // {n['heads']})"),
        gated_mlp(width=f"({n['width']} or int(8*{h}/3))", cols=h),
        norm("input_layernorm", size=h), norm("post_attention_layernorm", size=h),
        layers=n["layers"],
    )


def _cross(letter: str, prefix: str) -> Slots:
    """Attention between bytes and patches, after each layer or once."""
    n = _named(letter)
    h = n["hidden"]
    return under(
        prefix + "cross_attn_layers.{i}.",
        attention(
            "", hidden=h, heads=n["heads"], kv_heads=n["kv"], head_dim=f"({h} // {n['heads']})",
            role="cross-attention",
        ),
        norm("q_norm", "attention-norm", h, part="q_norm"), norm("k_norm", "attention-norm", h, part="k_norm"),
        layers=f"({n['layers']} if {letter}_all else 1)",
    )


_BLT_TIED: Final = "tie and cls == 'ForCausalLM'"
BLT: Final = Family(
    id="blt",
    source="transformers 5.24 BltConfig and its four sub-configs, BltModel (norms on q and k in cross attention only;"
    " one window for the stacks over bytes, which alone keep a cache); a tied table is saved under the head's name",
    base="model",
    keys={
        **_stack_keys("e", "encoder_config", hidden=1024, layers=1, heads=16, ffn=None),
        **_stack_keys("g", "global_config", hidden=2048, layers=25, heads=16, ffn=5632),
        **_stack_keys("d", "decoder_config", hidden=1024, layers=9, heads=16, ffn=2816),
        **_stack_keys("p", "patcher_config", hidden=768, layers=14, heads=12, ffn=2048),
        "e_vocab": key("encoder_config.vocab_size", 260), "p_vocab": key("patcher_config.vocab_size", 260),
        "e_all": key("encoder_config.cross_attn_all_layers", False),
        "d_all": key("decoder_config.cross_attn_all_layers", True),
        "e_k": key("encoder_config.cross_attn_k", 2),
        "d_k": key("decoder_config.cross_attn_k", 2),
        "k": key("cross_attn_k", 2),
        "d_global": key("decoder_config.hidden_size_global", 2048),
        "hash_sizes": key("encoder_hash_byte_group_size", None, "list"),
        "hash_vocab": key("encoder_hash_byte_group_vocab", 500002),
        "hash_functions": key("encoder_hash_byte_group_nb_functions", 1),
        "patcher": key("patch_in_forward", True), "patching": key("patching_mode", "entropy"),
        "head_dim": key((), E("hidden // heads")),
        "vocab": key("vocab_size", 260),
        "eps": key(("decoder_config.rms_norm_eps",), 1e-5),
        "act": key("decoder_config.hidden_act", "silu"),
        "tie": key("tie_word_embeddings", False),
        "max_pos": key("max_position_embeddings", 4096),
        "window": key("local_attention_window_len", 512, "int", null=E("None")),
        "theta": rope_theta(500000.0, "decoder_config.rope_parameters.rope_theta", "decoder_config.rope_theta"),
    },
    lets={"hash_rows": "hash_vocab*hash_functions*len(hash_sizes or '345678')"},
    body=slots(
        when(f"not ({_BLT_TIED})", embedding("local_encoder.embed_tokens", "e_vocab", "e_hidden")),
        tensor("local_encoder.embed_tokens.weight", "embedding", "vocab, e_hidden", cond=_BLT_TIED, kind="tied"),
        tensor("encoder_hash_tok_embedding.weight", "embedding", "hash_rows, e_hidden"),
        # Before the others, so that the decoder is the last stack.
        when(
            "patcher",
            embedding("patcher.embed_tokens", "p_vocab", "p_hidden"),
            _stack("p", "patcher."),
            norm("patcher.norm", "final-norm", "p_hidden"),
            linear("patcher.lm_head", "other", "", "p_vocab", "p_hidden"),
        ),
        _stack("e", "local_encoder."), _cross("e", "local_encoder."),
        linear("local_encoder.patch_embedding_projection", "other", "", "e_hidden*e_k", "e_hidden"),
        when(
            "e_hidden*k != g_hidden",
            linear("global_transformer.token_embedding_projection", "other", "", "g_hidden", "e_hidden*k"),
        ),
        _stack("g", "global_transformer."),
        linear("local_decoder.patch_embedding_projection", "other", "", "hidden*d_k", "d_global"),
        _stack("d", "local_decoder."), _cross("d", "local_decoder."),
        norm("local_decoder.norm", "final-norm", "hidden"),
    ),
    heads={"ForCausalLM": lm_head(tie="")},
    norm=Norm(qk=False),
    # BltModel.forward: both stacks over bytes cache, the encoder's layers beside the decoder's.
    kv="2*kv_heads*head_dim + (2*e_kv*(e_hidden // e_heads)*e_layers if i == 0 else 0)",
    layer_kind="'full' if window is None else 'sliding'",
)

# --- Dory: nGPT's unit sphere; the middle layers run in a loop ---

_DORY_ATTN: Final = slots(
    attention("", bias="attention_bias"),
    linear("g_proj", "attention", "", "heads*head_dim", "hidden"),
    tensor("sqk", "attention", "heads*head_dim"), tensor("s_gate", "attention", "heads*head_dim"),
)
_DORY_MLP: Final = slots(
    gated_mlp("", bias="mlp_bias"), tensor("suv_gate", "ffn", "ffn"), tensor("suv_up", "ffn", "ffn"),
)

DORY: Final = Family(
    id="dory",
    source="transformers 5.23 DoryConfig (published configs count attention and FFN as two layers), DoryL2Norm "
    "(eps fixed), "
    "conversion_mapping.py (LayerPairCollapse)",
    base="backbone",
    keys={
        **decoder_keys(
            hidden=2560, ffn=7168, layers=36, heads=16, kv_heads=4, head_dim=256, vocab=131072, eps=1e-6, max_pos=8192,
            attention_bias=key("attention_bias", False), mlp_bias=key("mlp_bias", False),
            blocks=key("num_hidden_layers", 36),
            window=window(1024), listed=key("layer_types", None, "list"),
            first=key("n_input_layers", 8), last=key("n_output_layers", 8), loops=key("n_recurrent_loops", 2),
            cache=key("recurrent_kv_cache_mode", "per_loop"),
        ),
        "layers": key((), E("blocks // (2 if paired else 1)")),
        "theta": rope_theta(10000000.0),
        "window_theta": window_theta(10000.0, "rope_local_base_freq"),
    },
    lets={
        "paired": "has(listed, 'mlp')",
        "step": "2 if paired else 1",
        "looped": "first // step <= i < layers - last // step",
    },
    body=slots(
        embedding("embeddings"),
        form(
            "layers/joined",
            under("layers.{i}.self_attn.", _DORY_ATTN, layers="layers"),
            under("layers.{i}.mlp.", _DORY_MLP, layers="layers"),
            under(
                "layers.{i}.", tensor("lambda_1", "other", "hidden"), tensor("lambda_2", "other", "hidden"),
                layers="layers",
            ),
        ),
        form(
            "layers/paired",
            when("i % 2 == 0", under("layers.{i}.mixer.", _DORY_ATTN, layers="2*layers")),
            when("i % 2 == 1", under("layers.{i}.mixer.", _DORY_MLP, layers="2*layers")),
            when("i % 2 == 0", under("layers.{i}.", tensor("attn_alpha", "other", "hidden"), layers="2*layers")),
            when("i % 2 == 1", under("layers.{i}.", tensor("mlp_alpha", "other", "hidden"), layers="2*layers")),
        ),
    ),
    heads={"ForCausalLM": slots(lm_head(), tensor("lm_head.logit_scale", "lm-head", "vocab"))},
    # Inputs are projected onto the sphere before each sub-layer and stay there as the residual; outputs too.
    norm=Norm("other", "mixed", "none", 1e-6, qk=True),
    kv="2*kv_heads*head_dim*(loops if looped and cache == 'per_loop' else 1)",
    layer_kind="kind(listed[i*step]) if listed else ('sliding' if (i + 1) % 4 else 'full')",
    renames=((
        (r"^model\.", "backbone."), (r"\.embed_tokens\.", ".embeddings."),
        (r"\.self_attn\.gate_proj\.", ".self_attn.g_proj."),
    ),),
    unread=("rms_norm_eps", "layer_norm_eps"),
)
