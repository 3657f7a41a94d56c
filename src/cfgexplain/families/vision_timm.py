"""Image towers that live in timm, under the library's ``TimmWrapperModel``: the sizes belong to the name.

Facts from the tensors of timm 1.0's ``fastvit_mci3`` and ``mobilenetv5_300m_enc``. Other architectures stay unknown.
"""

from __future__ import annotations

from typing import Final

from cfgexplain.families.common import key
from cfgexplain.families.expr import UnknownValue, function
from cfgexplain.families.schema import Family, Norm, Slots, linear, norm, replace, slots, tensor, under, when


@function
def only_known(architecture: object, known: str) -> bool:
    """True for the one architecture that is written down; of others nothing is known."""
    if architecture != known:
        raise UnknownValue("architecture")
    return True


def _conv(name: str, out: str, into: str, side: int) -> Slots:
    return slots(
        tensor(f"{name}.weight", "vision", f"{out}, {into}, {side}, {side}"), tensor(f"{name}.bias", "vision", out),
    )


def _fastvit_stage(n: int, width: int, depth: int, attends: bool) -> Slots:
    """Blocks of a mixer and a convolutional feed-forward block; the last two stages mix by attention."""
    w = str(width)
    scales = ("layer_scale_1", "layer_scale_2") if attends else ("layer_scale",)
    mixer = slots(
        norm("norm", "vision", w, "1"), linear("token_mixer.qkv", "vision", "", f"3*{w}", w),
        linear("token_mixer.proj", "vision", "", w, w, "1"),
    ) if attends else _conv("token_mixer.reparam_conv", w, "1", 3)
    bn = slots(
        norm("mlp.conv.bn", "vision", w, "1"), tensor("mlp.conv.bn.running_mean", "buffer", w, kind="buffer"),
        tensor("mlp.conv.bn.running_var", "buffer", w, kind="buffer"),
        tensor("mlp.conv.bn.num_batches_tracked", "buffer", "", kind="buffer"),
    )
    down = slots(
        _conv("downsample.proj.0.reparam_conv", w, "1", 7), _conv("downsample.proj.1.reparam_conv", w, w, 1),
    ) if n else ()
    return under(
        f"stages.{n}.",
        down, _conv("pos_emb.reparam_conv", w, "1", 7) if attends else (),
        under(
            "blocks.{i}.", *(tensor(f"{s}.gamma", "vision", f"{w}, 1, 1") for s in scales), mixer,
            tensor("mlp.conv.conv.weight", "vision", f"{w}, 1, 7, 7"), bn,
            _conv("mlp.fc1", f"4*{w}", w, 1), _conv("mlp.fc2", w, f"4*{w}", 1),
            layers=str(depth),
        ),
    )


#: Convolutions as they are merged for inference; the sizes belong to the name.
FASTVIT: Final = Family(
    id="timm_fastvit_mci3",
    source="timm 1.0, fastvit_mci3 (Vasu et al. 2024, 2412.13303), under transformers' TimmWrapperModel",
    base="",
    keys={
        "hidden": key("hidden_size", 3072), "architecture": key("architecture", "fastvit_mci3"),
        "layers": key((), 44),
    },
    body=when(
        "only_known(architecture, 'fastvit_mci3')",
        _conv("stem.0.reparam_conv", "96", "3", 3), _conv("stem.1.reparam_conv", "96", "1", 3),
        _conv("stem.2.reparam_conv", "96", "96", 1),
        _fastvit_stage(0, 96, 2, False), _fastvit_stage(1, 192, 12, False), _fastvit_stage(2, 384, 24, False),
        _fastvit_stage(3, 768, 4, True), _fastvit_stage(4, 1536, 2, True),
        _conv("final_conv.reparam_conv", "3072", "1", 3), _conv("final_conv.se.fc1", "192", "3072", 1),
        _conv("final_conv.se.fc2", "3072", "192", 1),
    ),
    norm=Norm("other", "none", eps=1e-5, final=False),
    head="Model",
    kv="0",
)

# --- MobileNet-V5, Gemma 3n's ---


def _pointwise(name: str, out: int, into: int, side: int = 1, depthwise: bool = False) -> Slots:
    """A convolution and its RMSNorm."""
    return slots(
        tensor(f"{name}.conv.weight", "vision", f"{out}, {1 if depthwise else into}, {side}, {side}"),
        tensor(f"{name}.bn.weight", "vision", str(out)),
    )


def _edge(into: int, wide: int, out: int) -> Slots:
    """A full convolution that widens, a pointwise one that narrows."""
    return slots(
        tensor("conv_exp.weight", "vision", f"{wide}, {into}, 3, 3"), tensor("bn1.weight", "vision", str(wide)),
        tensor("conv_pwl.weight", "vision", f"{out}, {wide}, 1, 1"), tensor("bn2.weight", "vision", str(out)),
    )


def _inverted(into: int, wide: int, out: int, start: int = 0, mid: int = 0) -> Slots:
    """Universal inverted bottleneck: depthwise convolutions where their sides are given."""
    return slots(
        _pointwise("dw_start", into, into, start, True) if start else (),
        _pointwise("pw_exp", wide, into), _pointwise("dw_mid", wide, wide, mid, True) if mid else (),
        _pointwise("pw_proj", out, wide), tensor("layer_scale.gamma", "vision", str(out)),
    )


def _attend(width: int, heads: int, dim: int, down: bool) -> Slots:
    """Attention with one key and value head; ``down`` looks at fewer pixels."""
    return slots(
        tensor("norm.weight", "vision", str(width)), tensor("layer_scale.gamma", "vision", str(width)),
        tensor("attn.query.proj.weight", "vision", f"{heads*dim}, {width}, 1, 1"),
        tensor("attn.output.proj.weight", "vision", f"{width}, {heads*dim}, 1, 1"),
        *(
            slots(
                tensor(f"attn.{m}.proj.weight", "vision", f"{dim}, {width}, 1, 1"),
                tensor(f"attn.{m}.down_conv.weight", "vision", f"{width}, 1, 3, 3") if down else (),
                tensor(f"attn.{m}.norm.weight", "vision", str(width)) if down else (),
            )
            for m in ("key", "value")
        ),
    )


def _blocks(stage: int, *blocks: Slots) -> Slots:
    return slots(*(under(f"blocks.{stage}.{n}.", b) for n, b in enumerate(blocks)))


MOBILENETV5: Final = replace(
    FASTVIT,
    id="timm_mobilenetv5_300m_enc",
    source="timm 1.0, mobilenetv5_300m_enc, under Gemma3nVisionConfig",
    keys={
        "hidden": key("hidden_size", 2048), "vocab": key("vocab_size", 128),
        "architecture": key("architecture", "mobilenetv5_300m_enc"), "layers": key((), 84),
    },
    body=under(
        "timm_model.",
        when(
            "only_known(architecture, 'mobilenetv5_300m_enc')",
            tensor("conv_stem.conv.weight", "vision", "64, 3, 3, 3"), tensor("conv_stem.conv.bias", "vision", "64"),
            tensor("conv_stem.bn.weight", "vision", "64"),
            _blocks(0, _edge(64, 256, 128), _edge(128, 512, 128), _edge(128, 512, 128)),
            _blocks(1, _inverted(128, 768, 256, 3, 5), *(_inverted(256, 1024, 256, side) for side in (5, 3, 5, 3))),
            _blocks(
                2, _inverted(256, 1536, 640, 5, 5), *(_inverted(640, 2560, 640, 5) for _ in range(7)),
                _inverted(640, 640, 640),
                *(_attend(640, 12, 64, True) if n % 2 == 0 else _inverted(640, 1280, 640) for n in range(28)),
            ),
            _blocks(
                3, _inverted(640, 3840, 1280, 5, 5),
                *(_attend(1280, 16, 96, False) if n % 2 == 0 else _inverted(1280, 2560, 1280) for n in range(38)),
            ),
            _pointwise("msfa.ffn.pw_exp", 3840, 1920), _pointwise("msfa.ffn.pw_proj", 2048, 3840),
            tensor("msfa.norm.weight", "vision", "2048"),
        ),
    ),
    norm=Norm("other", "none", eps=1e-6, final=False),
)
