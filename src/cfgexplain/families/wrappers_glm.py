"""GLM-4V and its successors, Hunyuan-VL and Hunyuan 4 VL: their decoders and the wrappers around them.

Facts from transformers 5.24, ``models/{glm4v,glm46v,glm4v_moe,glm_ocr,glm5_next,hunyuan_vl,hy_v4_vl}``.
"""

from __future__ import annotations

from typing import Final

from cfgexplain.families.common import decoder_keys, key, share
from cfgexplain.families.deepseek_v4 import HY_V4
from cfgexplain.families.glm import AROUND_NORMS, GATE_UP_MLP, GLM4
from cfgexplain.families.glm_moe import GLM4_MOE
from cfgexplain.families.kda import kda
from cfgexplain.families.llama import decoder
from cfgexplain.families.moe_blocks import (
    INDEXER,
    MLA,
    MLA_KV,
    MOE,
    MTP,
    PRE_NORMS,
    L,
    first_dense,
    index_keys,
    mixed,
    mla_keys,
    mlp_types,
    moe_keys,
    mtp_layers,
)
from cfgexplain.families.relatives import HUNYUAN_DENSE
from cfgexplain.families.schema import (
    E,
    Family,
    Norm,
    Part,
    attention,
    embedding,
    linear,
    lm_head,
    norm,
    rename,
    replace,
    slots,
    tensor,
    under,
    when,
)
from cfgexplain.families.wrappers import wrapper

GLM4V_TEXT: Final = replace(
    GLM4,
    id="glm4v_text",
    source="transformers 5.24 Glm4vTextConfig, Glm4vTextAttention (q, k and v always biased)",
    keys=decoder_keys(
        hidden=4096, ffn=13696, layers=40, heads=32, kv_heads=2, vocab=151552, eps=1e-5, max_pos=32768,
    ) | {"head_dim": key((), E("hidden // heads"))},
    body=decoder(attention(bias="1", o_bias=""), GATE_UP_MLP, AROUND_NORMS),
)
GLM_OCR_TEXT: Final = replace(
    GLM4,
    id="glm_ocr_text",
    source="transformers 5.24 GlmOcrTextConfig, GlmOcrTextAttention (no biases)",
    keys=decoder_keys(
        hidden=1024, ffn=4096, layers=16, heads=16, kv_heads=8, vocab=59392, eps=1e-5, max_pos=131072, mtp=MTP,
    ),
    body=slots(
        decoder(attention(), GATE_UP_MLP, AROUND_NORMS),
        mtp_layers(attention(), GATE_UP_MLP, AROUND_NORMS),
    ),
)
GLM4V_MOE_TEXT: Final = replace(
    GLM4_MOE,
    id="glm4v_moe_text",
    source="transformers 5.24 Glm4vMoeTextConfig, Glm4vMoeTextAttention",
    keys={
        **decoder_keys(hidden=4096, ffn=10944, layers=46, heads=96, kv_heads=8, vocab=151424, eps=1e-5, max_pos=65536,
                       attention_bias=key("attention_bias", True)),
        **moe_keys(experts=128, top_k=8, moe_ffn=1408, shared=1), **first_dense(1), "mtp": MTP,
        "rotary_share": share(0.5),
    },
    body=slots(
        decoder(attention(bias="attention_bias", o_bias=""), mixed("i >= first_dense"), PRE_NORMS),
        mtp_layers(attention(bias="attention_bias", o_bias=""), MOE, PRE_NORMS),
    ),
)

GLM4V: Final = wrapper(
    "glm4v", "transformers 5.24 Glm4vConfig, Glm4vForConditionalGeneration",
    text="glm4v_text", vision="glm4v_vision", tower="visual.", fixed=True, text_fixed=True, either=True,
)
GLM46V: Final = wrapper(
    "glm46v", "transformers 5.24 Glm46VConfig, Glm46VForConditionalGeneration",
    text="glm4v_text", vision="glm4v_vision", tower="visual.",
)
GLM4V_MOE: Final = wrapper(
    "glm4v_moe", "transformers 5.24 Glm4vMoeConfig, Glm4vMoeForConditionalGeneration",
    text="glm4v_moe_text", vision="glm4v_moe_vision", tower="visual.", fixed=True, text_fixed=True, either=True,
)
GLM_OCR: Final = wrapper(
    "glm_ocr", "transformers 5.24 GlmOcrConfig, GlmOcrForConditionalGeneration",
    text="glm_ocr_text", vision="glm_ocr_vision", tower="visual.", fixed=True, text_fixed=True, either=True,
)

# --- GLM 5 next ---

#: Residual streams are mixed before and after each sub-layer (manifold-constrained hyper-connections).
HYPER: Final = slots(
    *(
        slots(
            tensor(f"hc_{where}_fn", "other", "(2 + hc)*hc, hc*hidden"),
            tensor(f"hc_{where}_base", "other", "(2 + hc)*hc"),
            tensor(f"hc_{where}_scale", "other", "3"),
        )
        for where in ("attn", "ffn")
    )
)
GLM5_NEXT_TEXT: Final = Family(
    id="glm5_next_text",
    source="transformers 5.24 Glm5NextTextConfig, Glm5NextTextLinearAttention, Glm5NextTextAttention (latent, without"
    " rotary positions, an indexer over pooled keys)",
    base="model",
    keys={
        **decoder_keys(hidden=4096, ffn=12288, layers=45, heads=64, kv_heads=64, vocab=154880, eps=1e-5,
                       max_pos=1048576),
        **moe_keys(experts=288, top_k=8, moe_ffn=2048, shared=1),
        **mla_keys(q_lora=1536, kv_lora=512, nope=256, rope=0, v=256), **index_keys(32, 128, 2048), **mlp_types(),
        "lin_heads": key(("linear_attn_config.num_heads", "linear_num_heads"), 64),
        "lin_head_dim": key(("linear_attn_config.head_dim", "linear_head_dim"), 128),
        "kernel": key(("linear_attn_config.short_conv_kernel_size", "linear_conv_kernel_dim"), 4),
        "layer_types": key("layer_types", None, "list"), "indexer_types": key("indexer_types", None, "list"),
        "pattern": key("index_topk_pattern", None, "str list"), "every": key("index_topk_freq", 1),
        "offset": key("index_skip_topk_offset", 2), "pool": key("index_kpool", 16), "hc": key("hc_mult", 4),
    },
    lets={
        "wide": "lin_heads*lin_head_dim",
        "linear": "layer_types[i] == 'linear_attention' if layer_types else i % 4 != 3",
        "sparse": "mlp_types[i] == 'sparse' if mlp_types else i >= 3",
        "indexed": (
            "indexer_types[i] != 'shared' if indexer_types else pattern[i] not in ('S', 'shared') if pattern"
            " else max(i - offset + 1, 0) % max(every, 1) == 0"
        ),
    },
    body=slots(
        embedding("embed_tokens"),
        under(
            L,
            HYPER,
            when(
                "linear",
                under(
                    "self_attn.",
                    kda(
                        "",
                        linear("f_a_proj", "mixer", "", "lin_head_dim", "hidden"),
                        linear("f_b_proj", "mixer", "", "wide", "lin_head_dim"),
                        linear("g_a_proj", "mixer", "", "lin_head_dim", "hidden"),
                        linear("g_b_proj", "mixer", "", "wide", "lin_head_dim"),
                    ),
                ),
            ),
            when("not linear", MLA),
            when(
                "not linear and indexed",
                INDEXER,
                tensor("self_attn.indexer.index_kpool_compress_ape", "attention", "pool, index_head_dim"),
                tensor("self_attn.indexer.index_kpool_compress_gate", "attention", "index_head_dim, hidden"),
            ),
            mixed("sparse"),
            PRE_NORMS,
            layers="layers",
        ),
        norm("norm", "final-norm"),
    ),
    heads={"ForCausalLM": lm_head()},
    norm=Norm(qk=True),
    kv=f"0 if linear else {MLA_KV} + (index_head_dim if indexed else 0)",
    layer_kind="'linear' if linear else 'full'",
    unread=("head_dim",),
    open=(("model.language_model.layers.45.", "mtp"),),
)
GLM5_NEXT: Final = wrapper(
    "glm5_next", "transformers 5.24 Glm5NextConfig, Glm5NextForConditionalGeneration",
    text="glm5_next_text", vision="glm5_next_vision", tower="visual.", fixed=True, text_fixed=True,
)

# --- Hunyuan ---

HUNYUAN_TEXT: Final = replace(
    HUNYUAN_DENSE,
    id="hunyuan_vl_text",
    source="transformers 5.24 HunYuanVLTextConfig, HunYuanVLTextModel",
    keys={
        **HUNYUAN_DENSE.keys, "tie": key("tie_word_embeddings", True), "max_pos": key("max_position_embeddings", 2048),
        "head_dim": key(("head_dim", "attention_head_dim"), E("hidden // heads")),
        "vocab": key(("vocab_size", "org_vocab_size"), 290943),
    },
)
#: What the library calls the image tower's tensors in memory.
_IN_MEMORY: Final = (
    (r"^(model\.)?language_model\.", "model."), (r"^(model\.)?vision_tower\.", "vit."),
    (r"^(vit\.layers\.\d+)\.layer_norm1\.", r"\1.input_layernorm."),
    (r"^(vit\.layers\.\d+)\.layer_norm2\.", r"\1.post_attention_layernorm."),
    (r"^(vit\.layers\.\d+)\.mlp\.fc1\.", r"\1.mlp.dense_h_to_4h."),
    (r"^(vit\.layers\.\d+)\.mlp\.fc2\.", r"\1.mlp.dense_4h_to_h."),
    (r"^vit\.patch_merger\.", "vit.perceive."), (r"^vit\.perceive\.proj_conv\.", "vit.perceive.proj.0."),
    (r"^vit\.perceive\.proj_out\.", "vit.perceive.proj.2."),
)
#: The published configs list the text model's numbers at the top.
HUNYUAN_VL: Final = Family(
    id="hunyuan_vl",
    source="transformers 5.24 HunYuanVLConfig, HunYuanVLVisionPatchMerger; names as published",
    base="",
    keys={
        "tie": key("tie_word_embeddings", True), "inner_tie": key("text_config.tie_word_embeddings", True),
        "nested": key("text_config", None, "dict"),
    },
    lets={
        "width": "text.hidden if nested is not None else flat.hidden",
        "words": "text.vocab if nested is not None else flat.vocab",
    },
    body=under(
        "vit.perceive.",
        tensor("proj.0.weight", "projector", "2*vision.hidden, vision.hidden, vision.merge, vision.merge"),
        tensor("proj.0.bias", "projector", "2*vision.hidden"),
        tensor("proj.2.weight", "projector", "4*vision.hidden, 2*vision.hidden, 1, 1"),
        tensor("proj.2.bias", "projector", "4*vision.hidden"),
        linear("mlp", "projector", "", "width", "4*vision.hidden", "1"),
        norm("before_rms", "projector", "vision.hidden"), norm("after_rms", "projector", "width"),
        tensor("image_newline", "projector", "4*vision.hidden"),
        *(tensor(f"image_{where}", "projector", "width") for where in ("begin", "end", "sep")),
    ),
    heads={
        "ForConditionalGeneration": lm_head(
            "lm_head", "words", "width", tie="tie or (inner_tie if nested is not None else False)"
        ),
    },
    head="ForConditionalGeneration",
    parts=(
        Part("text", "text_config", "hunyuan_vl_text", "model.", main=True, fixed=True, when="nested is not None"),
        Part("flat", "", "hunyuan_vl_text", "model.", main=True, fixed=True, when="nested is None"),
        Part("vision", "vision_config", "hunyuan_vl_vision", "vit.", role="vision", fixed=True),
    ),
    renames=(_IN_MEMORY,),
)

HY_V4_VL_TEXT: Final = replace(
    HY_V4,
    id="hy_v4_vl_text",
    source="transformers 5.24 HYV4VLTextConfig, HYV4VLTextModel; names as published",
    keys={
        **HY_V4.keys,
        **decoder_keys(hidden=6144, ffn=18432, layers=78, heads=64, vocab=120832, eps=1e-5, max_pos=262144),
        **moe_keys(experts=256, top_k=8, moe_ffn=2048, shared=1),
        **mla_keys(q_lora=2048, kv_lora=512, nope=192, rope=64, v=256), **index_keys(32, 128, 2048),
    },
    body=rename(HY_V4.body, {"hc_pre.hc_head.": "hc_head.hc_pre."}),
)
HY_V4_VL: Final = Family(
    id="hy_v4_vl",
    source="transformers 5.24 HYV4VLConfig, HYV4VLForConditionalGeneration; names as published",
    base="",
    keys={"tie": key("tie_word_embeddings", False)},
    body=(),
    heads={"ForConditionalGeneration": lm_head("lm_head", "text.vocab", "text.hidden")},
    head="ForConditionalGeneration",
    parts=(
        Part("text", "text_config", "hy_v4_vl_text", "model.", main=True, fixed=True),
        Part("vision", "vision_config", "hy_v4_vl_vision", "vit.", role="vision", fixed=True),
    ),
)
