"""Image towers as their publishers' own code writes them: DeepSeek-VL2's SigLIP under timm's names, MiniCPM-V's SigLIP
and resampler, Molmo's CLIP.

Sources: deepseek-ai/DeepSeek-VL2 (``siglip_vit.py``, ``modeling_deepseek_vl_v2.py``), openbmb/MiniCPM-V-2_6
(``modeling_navit_siglip.py``, ``resampler.py``), allenai/Molmo-7B-D-0924 (``modeling_molmo.py``).
"""

from __future__ import annotations

from typing import Final

from cfgexplain.families.common import key
from cfgexplain.families.schema import (
    E,
    Family,
    Norm,
    Slots,
    linear,
    norm,
    plain_mlp,
    replace,
    slots,
    tensor,
    under,
    when,
)
from cfgexplain.families.vision import SIGLIP_VISION, tower_keys

# --- DeepSeek-VL2 ---

DEEPSEEK_VL2_VISION: Final = Family(
    id="deepseek_vl_v2_vision",
    source="deepseek-ai/DeepSeek-VL2, VisionEncoderConfig, siglip_vit.py: VisionTransformer (LayerNorm, ε 1e-6)",
    base="",
    keys={
        "hidden": key("width", 1024), "layers": key("layers", 24), "heads": key("heads", 16),
        "ratio": key("mlp_ratio", 4, "int float"), "ffn": key((), E("int(hidden*ratio)")),
        "image": key("image_size", 384), "patch": key("patch_size", 16), "pooled": key("global_pool", "map"),
        "token": key("class_token", False),
    },
    lets={"patches": "(image // patch)**2 + (1 if token else 0)"},
    body=slots(
        linear("patch_embed.proj", "vision", "", "hidden", "3, patch, patch", "1"),
        tensor("pos_embed", "position-embedding", "1, patches, hidden"),
        tensor("cls_token", "vision", "1, 1, hidden", cond="token"),
        under(
            "blocks.{i}.",
            norm("norm1", bias="1"), linear("attn.qkv", "attention", "qkv", "3*hidden", "hidden", "1"),
            linear("attn.proj", "attention", "o", "hidden", "hidden", "1"),
            norm("norm2", bias="1"), plain_mlp("mlp.fc1", "mlp.fc2", bias="1"), layers="layers",
        ),
        when("pooled != 'avg'", norm("norm", "final-norm", bias="1")),
        when("pooled == 'avg'", norm("fc_norm", "final-norm", bias="1")),
        when(
            "pooled == 'map'",
            under(
                "attn_pool.",
                tensor("latent", "vision", "1, 1, hidden"), linear("q", "attention", "q", "hidden", "hidden", "1"),
                linear("kv", "attention", "kv", "2*hidden", "hidden", "1"),
                linear("proj", "attention", "o", "hidden", "hidden", "1"), norm("norm", bias="1"),
                plain_mlp("mlp.fc1", "mlp.fc2", bias="1"),
            ),
        ),
    ),
    norm=Norm("layernorm", eps=1e-6),
    head="Model",
    kv="0",
)

# --- MiniCPM-V ---

#: Without the pooling head; images of any size.
MINICPMV_VISION: Final = replace(
    SIGLIP_VISION,
    id="minicpmv_vision",
    source="openbmb/MiniCPM-V-2_6, modeling_navit_siglip.py: SiglipVisionTransformer",
    keys=tower_keys(
        hidden=1152, ffn=4304, layers=27, heads=16, image=980, patch=14, pool=key((), False),
    ),
)
#: ``drop_vision_last_layer``: the last block is read by nobody and was taken out.
MINICPMV_DROPPED: Final = replace(
    MINICPMV_VISION,
    id="minicpmv_vision-dropped",
    body=tuple(s._replace(layers="layers - 1") if s.layers else s for s in MINICPMV_VISION.body),
)


def resampler(queries: str, wide: str, seen: str) -> Slots:
    """Learned queries [queries, wide] that attend once to patches ``seen`` wide; the order is that of the data."""
    return under(
        "resampler.",
        when(f"{seen} != {wide}", linear("kv_proj", "projector", "", wide, seen)),
        norm("ln_kv", "projector", wide, "1"), tensor("query", "projector", f"{queries}, {wide}"),
        norm("ln_q", "projector", wide, "1"),
        tensor("attn.in_proj_weight", "projector", f"3*{wide}, {wide}"),
        tensor("attn.in_proj_bias", "projector", f"3*{wide}"),
        linear("attn.out_proj", "projector", "", wide, wide, "1"),
        norm("ln_post", "projector", wide, "1"), tensor("proj", "projector", f"{wide}, {wide}"),
        tensor("pos_embed", "buffer", "", kind="buffer"),
    )


# --- Molmo ---

#: OpenAI's CLIP, large, 336 pixels, without the last block: two of the others are read. The code fixes the sizes.
MOLMO_BACKBONE: Final = Family(
    id="molmo_backbone",
    source="allenai/Molmo-7B-D-0924, VisionBackboneConfig, MolmoPretrainedVisionBackbone (the width key counts gate and"
    " value together)",
    base="",
    keys={"hidden": key("hidden_size", 4096), "ffn": key("intermediate_size", 11008), "layers": key((), 23)},
    body=slots(
        under(
            "image_vit.",
            tensor("class_embedding", "vision", "1024"), tensor("positional_embedding", "vision", "577, 1024"),
            tensor("patch_embedding.weight", "vision", "1024, 588"), norm("pre_ln", "vision", "1024", "1"),
            under(
                "transformer.resblocks.{i}.",
                norm("attention_norm", "vision", "1024", "1"),
                *(linear(f"attention.w{n}", "vision", "", "1024", "1024", "1") for n in "qkvo"),
                norm("ffn_norm", "vision", "1024", "1"),
                plain_mlp("feed_forward.w1", "feed_forward.w2", "4096", "vision", "1", cols="1024"),
                layers="23",
            ),
        ),
        tensor("pad_embed", "projector", "2, 2048"),
        *(linear(f"image_pooling_2d.w{n}", "projector", "", "1024", "2048", "1") for n in "qkv"),
        linear("image_pooling_2d.wo", "projector", "", "1024", "1024", "1"),
        linear("image_projector.w1", "projector", "", "ffn // 2", "1024"),
        linear("image_projector.w3", "projector", "", "ffn // 2", "1024"),
        linear("image_projector.w2", "projector", "", "hidden", "ffn // 2"),
    ),
    norm=Norm("layernorm", eps=1e-5, final=False),
    head="Model",
    kv="0",
)
