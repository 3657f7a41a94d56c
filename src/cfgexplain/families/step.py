"""StepFun's mixtures of experts, and the multimodal wrappers around DeepSeek's text model (Kimi).

Facts from transformers 5.24, ``models/step3p7`` and ``models/kimi_k25``, unless a line says otherwise.
"""

from __future__ import annotations

from typing import Final

from cfgexplain.families.common import decoder_heads, key
from cfgexplain.families.llama import decoder
from cfgexplain.families.moe import LAYER_TYPES, MIXTRAL
from cfgexplain.families.moe_blocks import (
    HEAD_NORMS,
    MTP,
    PRE_NORMS,
    correction,
    decoder_keys,
    moe_keys,
    mtp_layers,
    router,
)
from cfgexplain.families.moe_odd import listed  # noqa: F401 - makes the function known to the expressions below
from cfgexplain.families.schema import (
    E,
    Family,
    Norm,
    Part,
    Slots,
    attention,
    gated_mlp,
    linear,
    lm_head,
    norm,
    replace,
    slots,
    tensor,
    under,
    when,
)

# --- Step 3.5 ---


def step_moe(bias: str) -> Slots:
    """Experts stacked by matrix, a shared one beside them."""
    return slots(
        router("moe.gate"),
        correction("moe.router_bias"),
        tensor("moe.gate_proj.weight", "experts", "experts, moe_ffn, hidden", "gate"),
        tensor("moe.up_proj.weight", "experts", "experts, moe_ffn, hidden", "up"),
        tensor("moe.down_proj.weight", "experts", "experts, hidden, moe_ffn", "down"),
        gated_mlp("share_expert.", "shared_ffn", "shared-experts", bias),
    )


STEP_ATTENTION: Final = slots(
    attention(bias="attention_bias", heads="my_heads"), HEAD_NORMS,
    linear(
        "self_attn.g_proj", "attention", "gate",
        "my_heads if gating == True or gating == 'per-head' else my_heads*head_dim", "hidden"
    ),
)
STEP3P5: Final = replace(
    MIXTRAL,
    id="step3p5",
    source="transformers 5.24 Step3p7TextConfig, Step3p7Attention (head gates), Step3p7RMSNorm (gain 1 + w); names as"
    " published",
    keys={
        **decoder_keys(hidden=4096, ffn=11264, layers=45, heads=64, kv_heads=8, head_dim=128, vocab=128815, eps=1e-5,
                       max_pos=128000, window=key("sliding_window", None, "int"), layer_types=LAYER_TYPES,
                       attention_bias=key("attention_bias", False), mlp_bias=key("mlp_bias", False)),
        "kv_heads": key(("num_key_value_heads", "num_attention_groups"), 8), "act": key((), "silu"),
        **moe_keys(experts=288, top_k=8, moe_ffn=1280, names=("n_routed_experts", "moe_num_experts", "num_experts"),
                   top_k_names=("num_experts_per_tok", "moe_top_k")),
        "shared_ffn": key(("share_expert_dim", "share_expert_dims"), 1280),
        "mlp_types": key("mlp_layer_types", None, "list"), "moe_layers": key("moe_layers_enum", None, "str list"),
        "gating": key("gating", True, "bool str"),
        "sliding_heads": key(
            ("num_sliding_attention_heads", "attention_other_setting.num_attention_heads"), E("heads")
        ),
        "per_layer": key("per_layer_config", None, "dict"), "mtp": MTP,
    },
    lets={
        "sparse": "mlp_types[i] == 'sparse' if mlp_types else listed(moe_layers, i) if moe_layers else i >= 3",
        "sliding": "layer_types[i] == 'sliding_attention' if layer_types else False",
        "my_heads": (
            "layer_value(per_layer, i, 'num_attention_heads', heads) if per_layer else sliding_heads if sliding else"
            " heads"
        ),
    },
    body=slots(
        decoder(
            STEP_ATTENTION, when("not sparse", gated_mlp(bias="mlp_bias")), when("sparse", step_moe("mlp_bias")),
            PRE_NORMS
        ),
        mtp_layers(
            STEP_ATTENTION, gated_mlp(), step_moe(""), PRE_NORMS,
            norm("transformer.shared_head.norm", "mtp"),
            tensor("transformer.shared_head.output.weight", "mtp", "vocab, hidden"),
        ),
    ),
    heads=decoder_heads(),
    norm=Norm(gain="1+w"),
    layer_kind="'sliding' if sliding else 'full'",
    unread=("hidden_act",),
)

STEP_VISION: Final = Family(
    id="step3p5_vision",
    source="transformers 5.24 Step3p7VisionConfig, Step3p7VisionModel; names as published",
    base="",
    keys={
        "hidden": key(("width", "hidden_size"), 1536), "layers": key(("layers", "num_hidden_layers"), 47),
        "heads": key(("heads", "num_attention_heads"), 16), "ratio": key("mlp_ratio", 8960 / 1536),
        "ffn": key((), E("int(hidden*ratio)")), "patch": key("patch_size", 14), "image": key("image_size", 728),
        "channels": key("num_channels", 3), "eps": key("layer_norm_eps", 1e-5), "act": key("hidden_act", "quick_gelu"),
    },
    body=slots(
        tensor("conv1.weight", "vision", "hidden, channels, patch, patch"),
        tensor("positional_embedding", "vision", "(image // patch)**2, hidden"),
        norm("ln_pre", "vision", bias="1"),
        under(
            "transformer.resblocks.{i}.",
            tensor("attn.in_proj_weight", "vision", "3*hidden, hidden"),
            tensor("attn.in_proj_bias", "vision", "3*hidden"),
            linear("attn.out_proj", "vision", "", "hidden", "hidden", "1"),
            norm("ln_1", "vision", bias="1"), norm("ln_2", "vision", bias="1"),
            tensor("ls_1.gamma", "vision", "hidden"), tensor("ls_2.gamma", "vision", "hidden"),
            linear("mlp.c_fc", "vision", "", "ffn", "hidden", "1"),
            linear("mlp.c_proj", "vision", "", "hidden", "ffn", "1"),
            layers="layers",
        ),
        tensor("vit_downsampler1.weight", "vision", "2*hidden, hidden, 3, 3"),
        tensor("vit_downsampler1.bias", "vision", "2*hidden"),
        tensor("vit_downsampler2.weight", "vision", "4*hidden, 2*hidden, 3, 3"),
        tensor("vit_downsampler2.bias", "vision", "4*hidden"),
    ),
    norm=Norm("layernorm"),
)

STEP3P7: Final = Family(
    id="step3p7",
    source="transformers 5.24 Step3p7Config, Step3p7ForConditionalGeneration; names as published",
    base="",
    keys={
        "tie": key("tie_word_embeddings", False), "bias": key("projector_bias", False),
        "nested": key("text_config", None, "dict"), "flat": key("num_hidden_layers", None, "int"),
    },
    body=(),
    heads={
        "ForConditionalGeneration": slots(
            when(
                "nested is not None or not flat",
                linear("vit_large_projector", "projector", "", "text.hidden", "4*vision.hidden", "bias"),
                # The head is the outer model's, which the text config cannot tie.
                lm_head(rows="text.vocab", cols="text.hidden"),
            )
        ),
        "ForCausalLM": when("nested is not None or not flat", lm_head(rows="text.vocab", cols="text.hidden")),
    },
    head="ForConditionalGeneration",
    parts=(
        Part(
            "text", "text_config", "step3p5", "model.", main=True, fixed=True,
            when="nested is not None or not flat"
        ),
        Part(
            "vision", "vision_config", "step3p5_vision", "vision_model.", role="vision", fixed=True,
            when="nested is not None or not flat"
        ),
        # A config that lists the text model's numbers at the top, as some deployments write it.
        Part(
            "flat_text", "", "step3p5", "model.", "", main=True, fixed=True, when="nested is None and bool(flat)",
            cls="ForCausalLM"
        ),
    ),
)

# --- Step 3 (remote code) ---

STEP3_TEXT: Final = replace(
    MIXTRAL,
    id="step3_text",
    source="stepfun-ai/step3, modeling_step3.py (remote code): one key and value head, queries through a shared low"
    " rank",
    keys={
        **decoder_keys(
            hidden=7168, ffn=18432, layers=61, heads=64, head_dim=256, vocab=128815, eps=1e-5, max_pos=65536
        ),
        "kv_heads": key(("num_attention_groups", "num_key_value_heads"), 1),
        "max_pos": key(("max_position_embedding", "max_position_embeddings"), 65536),
        **moe_keys(experts=48, top_k=3, moe_ffn=5120, names="moe_num_experts", top_k_names="moe_top_k"),
        "shared_ffn": key("share_expert_dim", 5120), "q_rank": key("share_q_dim", 2048),
        "moe_layers": key("moe_layers_enum", None, "str list"),
    },
    lets={"sparse": "listed(moe_layers, i) if moe_layers else 4 <= i < layers - 1"},
    body=decoder(
        linear("self_attn.q_proj", "attention", "q_a", "q_rank", "hidden"),
        linear("self_attn.k_proj", "attention", "k", "kv_heads*head_dim", "hidden"),
        linear("self_attn.v_proj", "attention", "v", "kv_heads*head_dim", "hidden"),
        norm("self_attn.inter_norm", "attention-norm", "q_rank", part="q_norm"),
        linear("self_attn.wq", "attention", "q", "heads*head_dim", "q_rank"),
        linear("self_attn.o_proj", "attention", "o", "hidden", "heads*head_dim"),
        when("not sparse", gated_mlp()), when("sparse", tuple(s for s in step_moe("") if "router_bias" not in s.name)),
        PRE_NORMS,
    ),
    layer_kind="'full'",
)
STEP3: Final = Family(
    id="step3_vl",
    source="stepfun-ai/step3, modeling_step3.py (remote code)",
    base="",
    keys={"tie": key("tie_word_embeddings", False)},
    body=(),
    heads={"ForConditionalGeneration": (), "ForCausalLM": ()},
    head="ForConditionalGeneration",
    parts=(Part("text", "text_config", "step3_text", "model.", "", main=True, cls="ForCausalLM"),),
    open=(("vision_model.", "vision"), ("vit_downsampler", "projector"), ("vit_large_projector", "projector")),
)

# --- Kimi ---

KIMI_VISION: Final = Family(
    id="kimi_k25_vision",
    source="transformers 5.24 Kimi_K25VisionConfig, Kimi_K25VisionModel; names as published",
    base="",
    keys={
        "hidden": key(("hidden_size", "vt_hidden_size"), 1152),
        "layers": key(("num_hidden_layers", "vt_num_hidden_layers"), 27),
        "heads": key(("num_attention_heads", "vt_num_attention_heads"), 16),
        "ffn": key(("intermediate_size", "vt_intermediate_size"), 4304),
        "patch": key("patch_size", 14), "height": key(("pos_emb_height", "init_pos_emb_height"), 64),
        "width": key(("pos_emb_width", "init_pos_emb_width"), 64), "merge": key("merge_kernel_size", (2, 2)),
    },
    body=slots(
        tensor("patch_embed.pos_emb.weight", "vision", "height, width, hidden"),
        norm("encoder.final_layernorm", "vision", bias="1"),
        under(
            "encoder.blocks.{i}.",
            linear("wqkv", "vision", "", "3*hidden", "hidden", "1"),
            linear("wo", "vision", "", "hidden", "hidden", "1"),
            linear("mlp.fc0", "vision", "", "ffn", "hidden", "1"),
            linear("mlp.fc1", "vision", "", "hidden", "ffn", "1"),
            norm("norm0", "vision", bias="1"), norm("norm1", "vision", bias="1"),
            layers="layers",
        ),
        tensor("patch_embed.proj.weight", "vision", "hidden, 3, patch, patch"),
        tensor("patch_embed.proj.bias", "vision", "hidden"),
        tensor("patch_embed.pos_emb.time_weight", "buffer", "", kind="buffer"),
    ),
    norm=Norm("layernorm"),
)

#: What the library writes back: its own renaming turns the text model's ``layers`` into ``blocks``.
KIMI_SAVED: Final = (
    (r"^language_model\.model\.blocks\.", "language_model.model.layers."), (r"^model\.mm_projector\.", "mm_projector."),
    (r"^vision_tower\.encoder\.patch_embed\.", "vision_tower.patch_embed."),
)
KIMI_K25: Final = Family(
    id="kimi_k25",
    source="transformers 5.24 Kimi_K25Config, Kimi_K25ForConditionalGeneration (the outer config says whether the head"
    " is tied)",
    base="",
    keys={"tie": key("tie_word_embeddings", True), "wide": key((), E("vision.hidden*vision.merge[0]*vision.merge[1]")),
          "projected": key(("projection_hidden_size", "vision_config.mm_hidden_size"), 1152)},
    body=(),
    heads={
        "ForConditionalGeneration": slots(
            norm("mm_projector.pre_norm", "projector", "projected", bias="1"),
            linear("mm_projector.proj.0", "projector", "", "wide", "wide", "1"),
            linear("mm_projector.proj.2", "projector", "", "text.hidden", "wide", "1"),
            lm_head("language_model.lm_head", "text.vocab", "text.hidden"),
        ),
    },
    head="ForConditionalGeneration",
    parts=(
        Part("text", "text_config", "deepseek_v3", "language_model.model.", main=True),
        Part("vision", "vision_config", "kimi_k25_vision", "vision_tower.", role="vision", fixed=True),
    ),
    renames=(KIMI_SAVED,),
)
KIMI_VL: Final = Family(
    id="kimi_vl",
    source="moonshotai/Kimi-VL-A3B-Instruct, modeling_kimi_vl.py (remote code; MoonViT)",
    base="",
    keys={
        "tie": key("tie_word_embeddings", False),
        "wide": key((), E("vision.hidden*vision.merge[0]*vision.merge[1]")),
    },
    body=under(
        "multi_modal_projector.",
        norm("pre_norm", "projector", "vision.hidden", "1"), linear("linear_1", "projector", "", "wide", "wide", "1"),
        linear("linear_2", "projector", "", "text.hidden", "wide", "1"),
    ),
    heads={"ForConditionalGeneration": (), "ForCausalLM": ()},
    head="ForConditionalGeneration",
    parts=(
        Part(
            "text", "text_config", "deepseek_v3", "language_model.model.", "language_model.", main=True,
            cls="ForCausalLM"
        ),
        Part("vision", "vision_config", "kimi_k25_vision", "vision_tower.", role="vision", fixed=True),
    ),
)
