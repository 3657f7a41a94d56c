"""Perception LM: Meta's Perception Encoder, which lives in timm, before a Llama. The sizes belong to the tower's name.

Facts from transformers 5.24, ``models/perception_lm``, ``models/timm_wrapper``, and timm 1.0, ``eva.py`` (Eva and the
``vit_pe_*`` models; Bolya et al. 2025, 2504.13181). Other architectures stay unknown.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from cfgexplain.families.common import key
from cfgexplain.families.expr import UnknownValue, function
from cfgexplain.families.schema import (
    E,
    Family,
    Norm,
    Part,
    linear,
    norm,
    plain_mlp,
    replace,
    slots,
    tensor,
    under,
    when,
)
from cfgexplain.families.vision import pair  # noqa: F401 - a function of the expressions below
from cfgexplain.families.wrappers import wrapper


class Sizes(NamedTuple):
    """What timm builds by a name: patch and image in pixels, width, blocks, and what is there besides them."""

    patch: int
    image: int
    hidden: int
    layers: int
    ratio: float = 4.0
    token: bool = True
    pool: str = "map"
    post: bool | None = None
    fc_norm: bool | None = None
    scaled: float | None = None


_WIDE: Final = 8960 / 1536


def _bare(sizes: Sizes) -> Sizes:
    """The language and spatial encoders have no norm behind the blocks and no pool that has weights."""
    return sizes._replace(pool="avg", post=False, fc_norm=False)


PE: Final = {
    "vit_pe_core_tiny_patch16_384": Sizes(16, 384, 192, 12),
    "vit_pe_core_small_patch16_384": Sizes(16, 384, 384, 12),
    "vit_pe_core_base_patch16_224": Sizes(16, 224, 768, 12),
    "vit_pe_core_large_patch14_336": Sizes(14, 336, 1024, 24),
    "vit_pe_core_gigantic_patch14_448": Sizes(14, 448, 1536, 50, _WIDE, token=False),
    "vit_pe_lang_large_patch14_448": _bare(Sizes(14, 448, 1024, 23, scaled=0.1)),
    "vit_pe_lang_gigantic_patch14_448": _bare(Sizes(14, 448, 1536, 47, _WIDE, token=False, scaled=0.1)),
    "vit_pe_spatial_tiny_patch16_512": _bare(Sizes(16, 512, 192, 12)),
    "vit_pe_spatial_small_patch16_512": _bare(Sizes(16, 512, 384, 12)),
    "vit_pe_spatial_base_patch16_512": _bare(Sizes(16, 512, 768, 12)),
    "vit_pe_spatial_large_patch14_448": _bare(Sizes(14, 448, 1024, 24)),
    "vit_pe_spatial_gigantic_patch14_448": _bare(Sizes(14, 448, 1536, 50, _WIDE, token=False, scaled=0.1)),
}
#: What ``model_args`` may change of them that this table follows, or that no tensor's shape depends on.
_FOLLOWED: Final = frozenset({
    "patch_size", "img_size", "embed_dim", "depth", "mlp_ratio", "class_token", "global_pool", "init_values",
    "use_post_transformer_norm", "use_fc_norm", "num_heads", "ref_feat_shape", "rope_grid_offset",
    "rope_grid_indexing", "attn_pool_num_heads", "dynamic_img_size", "drop_path_rate", "num_classes",
})


@function
def is_pe(architecture: object) -> bool:
    """Whether the tower is a Perception Encoder that is written down."""
    return isinstance(architecture, str) and architecture.partition(".")[0] in PE


@function
def pe(architecture: object, args: object, name: str, size: str) -> object:
    """A size of the tower: what ``model_args`` says under ``name``, or what the architecture has.

    Raises:
        UnknownValue: another architecture, or an argument that this table does not follow.
    """
    if not is_pe(architecture) or not isinstance(architecture, str):
        raise UnknownValue("architecture")
    given = args if isinstance(args, dict) else {}
    if not _FOLLOWED.issuperset(given):
        raise UnknownValue("model_args")
    return given[name] if name in given else getattr(PE[architecture.partition(".")[0]], size)


def _size(name: str, size: str) -> E:
    return E(f"pe(architecture, args, {name!r}, {size!r})")


PE_VISION: Final = Family(
    id="timm_vit_pe",
    source="timm 1.0, Eva with the arguments of vit_pe_*, under transformers 5.24 TimmWrapperModel",
    base="",
    keys={
        "architecture": key("architecture", "vit_pe_core_large_patch14_336"), "args": key("model_args", None, "any"),
        "hidden": key((), _size("embed_dim", "hidden")), "layers": key((), _size("depth", "layers")),
        "patch": key((), _size("patch_size", "patch")), "image": key((), _size("img_size", "image")),
        "ratio": key((), _size("mlp_ratio", "ratio")), "token": key((), _size("class_token", "token")),
        "pooled": key((), _size("global_pool", "pool")), "scaled": key((), _size("init_values", "scaled")),
        "fc_given": key((), _size("use_fc_norm", "fc_norm")),
        "post_given": key((), _size("use_post_transformer_norm", "post")),
    },
    lets={
        "ffn": "int(hidden*ratio)",
        "positions": "(pair(image, 0) // patch)*(pair(image, 1) // patch) + (1 if token else 0)",
        "fc": "fc_given if fc_given is not None else pooled == 'avg'",
        "post": "post_given if post_given is not None else not fc",
    },
    body=slots(
        tensor("cls_token", "vision", "1, 1, hidden", cond="token"),
        tensor("pos_embed", "position-embedding", "1, positions, hidden"),
        tensor("patch_embed.proj.weight", "vision", "hidden, 3, patch, patch"), norm("norm_pre", bias="1"),
        under(
            "blocks.{i}.",
            when("scaled is not None", tensor("gamma_1", "vision", "hidden"), tensor("gamma_2", "vision", "hidden")),
            norm("norm1", bias="1"), linear("attn.qkv", "attention", "qkv", "3*hidden", "hidden", "1"),
            linear("attn.proj", "attention", "o", "hidden", "hidden", "1"),
            norm("norm2", bias="1"), plain_mlp("mlp.fc1", "mlp.fc2", bias="1"), layers="layers",
        ),
        when("post", norm("norm", "final-norm", bias="1")), when("fc", norm("fc_norm", "final-norm", bias="1")),
        when(
            "pooled == 'map'",
            under(
                "attn_pool.",
                tensor("latent", "vision", "1, 1, hidden"), linear("q", "attention", "q", "hidden", "hidden", "1"),
                linear("kv", "attention", "kv", "2*hidden", "hidden", "1"),
                linear("proj", "attention", "o", "hidden", "hidden", "1"), norm("norm", bias="1"),
                plain_mlp("mlp.fc1", "mlp.fc2", "4*hidden", bias="1"),
            ),
        ),
    ),
    norm=Norm("layernorm", eps=1e-5),
    head="Model",
    kv="0",
)
#: A tower that no table describes.
TIMM: Final = Family(
    id="timm-open", source="any timm model", base="", keys={}, body=(), open=(("model.vision_tower.", "vision"),),
)
_ONE_TOWER: Final = wrapper(
    "perception_lm", "transformers 5.24 PerceptionLMConfig, PerceptionLMForConditionalGeneration (a tower from timm)",
    text="llama", vision="timm_vit_pe", fixed=True,
    more={
        # The outer config decides where it says anything.
        "inner_tie": key("text_config.tie_word_embeddings", False),
        "tie": key("tie_word_embeddings", E("inner_tie"), "bool"),
        "seen": key("vision_config.model_args.embed_dim", None, "int"),
        "tower": key("vision_config.architecture", "resnet50"),
    },
    connector=under(
        "multi_modal_projector.", linear("linear_1", "projector", "", "text.hidden", "seen", "1"),
        linear("linear_2", "projector", "", "text.hidden", "text.hidden", "1"),
    ),
)
PERCEPTION_LM: Final = replace(
    _ONE_TOWER,
    parts=(
        *(
            p._replace(prefix="model.vision_tower.timm_model.", when="is_pe(tower)") if p.name == "vision" else p
            for p in _ONE_TOWER.parts
        ),
        Part("unlisted", "vision_config", "timm-open", "model.vision_tower.", role="vision", fixed=True,
             when="not is_pe(tower)"),
    ),
)
