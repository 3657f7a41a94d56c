"""Inkling with its image and audio towers: version 1 (names as published), 2 and the looped one.

Facts from transformers 5.24, ``models/inkling``, ``models/inkling2``, ``models/inkling2_loop``; ``inkling.py`` has the
text models.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Final

from cfgexplain.families.common import key
from cfgexplain.families.expr import UnknownValue, function
from cfgexplain.families.inkling import INKLING_TEXT
from cfgexplain.families.schema import (
    E,
    Family,
    Norm,
    Part,
    Slots,
    attention,
    linear,
    lm_head,
    norm,
    plain_mlp,
    rename,
    replace,
    slots,
    tensor,
    under,
    when,
    without,
)


def _factors(n: int) -> list[int]:
    """Prime factors, ascending."""
    found: list[int] = []
    p = 2
    while p * p <= n:
        while n % p == 0:
            found.append(p)
            n //= p
        p += 1
    return [*found, n] if n > 1 else found


@function
def inkling_plan(frames: object, patch: object, layers: object, channels: object, out: object) -> list[tuple[int, int]]:
    """Inputs and outputs of each layer of version 1's image tower (``plan_out_scales``).

    The patch grows by its prime factors, the largest first,
    then time does; each layer takes the size nearest to an even
    spacing of logarithms, or, where there are fewer layers than sizes, layers take the sizes that fit best in all.
    """
    if not (isinstance(frames, int) and isinstance(patch, int) and isinstance(layers, int)):
        raise UnknownValue("inkling_plan")
    if not (isinstance(channels, int) and isinstance(out, int)) or not (
        0 < frames <= 4096 and 1 < patch <= 4096 and 0 < layers <= 512 and 0 < channels <= 4096
    ):
        raise UnknownValue("inkling_plan")
    sizes = [(1, 1, channels)]
    side = time = 1
    for p in reversed(_factors(patch)):
        side *= p
        sizes.append((1, side, math.ceil(side * side * channels / 64) * 64))
    for p in reversed(_factors(frames)):
        time *= p
        sizes.append((time, side, side * side * channels * time * 64))
    last = math.log(patch * patch * frames * channels)
    cost = [[abs(last * k / layers - math.log(t * s * s)) for t, s, _ in sizes] for k in range(layers + 1)]
    picked = _nearest(cost) if layers >= len(sizes) else _matched(cost)
    picked[0], picked[-1] = 0, len(sizes) - 1
    plan: list[tuple[int, int]] = []
    for k, (a, b) in enumerate(pairwise(picked)):
        (t0, s0, c0), (t1, s1, c1) = sizes[a], sizes[b]
        plan.append((c0 * (t1 // t0) * (s1 // s0) ** 2, out if k == layers - 1 else c1))
    return plan


def _nearest(cost: list[list[float]]) -> list[int]:
    return [row.index(min(row)) for row in cost]


def _matched(cost: list[list[float]]) -> list[int]:
    """The cheapest choice of a column for each row, columns ascending (as they are in any cheapest one)."""
    best: list[tuple[float, list[int]]] = [(c, [k]) for k, c in enumerate(cost[0])]
    for row in cost[1:]:
        best = [
            min(((b[0] + c, [*b[1], k]) for b in best[:k] if b[1][-1] < k), default=(math.inf, [k]), key=lambda x: x[0])
            if k else (math.inf, [0])
            for k, c in enumerate(row)
        ]
    return min(best, key=lambda x: x[0])[1]


PLAN: Final = {"plan": "inkling_plan(frames, patch, layers, channels, out)"}
#: Version 1's text model under its publisher's names; gate and up rows alternate.
_PUBLISHED: Final = {
    "embed_tokens.embed_norm.": "embed_norm.", "embed_tokens.": "embed.", "self_attn.": "attn.",
    "attn.q_proj": "attn.wq_du",
    "attn.k_proj": "attn.wk_dv", "attn.v_proj": "attn.wv_dv", "attn.o_proj": "attn.wo_ud", "attn.r_proj": "attn.wr_du",
    ".conv1d.weight": ".weight", "input_layernorm": "attn_norm", "post_attention_layernorm": "mlp_norm",
    "experts.gate_up_proj": "experts.w13_weight", "mlp.experts.down_proj": "mlp.experts.w2_weight",
    "gate.e_score_correction_bias": "gate.bias",
}


def _published(body: Slots) -> Slots:
    """The library's slots, those that stay whole renamed, gate and up in one matrix where the publisher has one."""
    kept = without(body, "*.mlp.gate_proj.*", "*.mlp.up_proj.*", "*.mlp.down_proj.*", "*shared_experts*")
    return slots(
        rename(kept, _PUBLISHED),
        under(
            "layers.{i}.mlp.",
            when("not sparse", tensor("w13_dn.weight", "ffn", "2*ffn, hidden", "gate_up"),
                 tensor("w2_md.weight", "ffn", "hidden, ffn", "down")),
            when(
                "sparse",
                tensor("shared_experts.shared_w13_weight", "shared-experts", "n_shared, 2*moe_ffn, hidden", "gate_up"),
                tensor("shared_experts.shared_w2_weight", "shared-experts", "n_shared, hidden, moe_ffn", "down"),
            ),
            layers="layers",
        ),
    )


INKLING_LLM: Final = replace(
    INKLING_TEXT, id="inkling_llm", body=_published(INKLING_TEXT.body), interleaved=True,
    source="transformers 5.24 InklingTextConfig, InklingForConditionalGeneration; names as published",
    open=(("model.llm.mtp.", "mtp"), ("model.mtp.", "mtp")),
)
INKLING_MM: Final = Family(
    id="inkling_mm_model",
    source="transformers 5.24 InklingConfig, InklingForConditionalGeneration; names as published",
    base="",
    keys={
        "layers": key(("vision_config.n_layers", "vision_config.num_hidden_layers"), 24),
        "patch": key("vision_config.patch_size", 40), "frames": key("vision_config.temporal_patch_size", 2),
        "channels": key("vision_config.num_channels", 3),
        "mels": key(("audio_config.n_mel_bins", "audio_config.num_codebooks"), 80),
        "levels": key(("audio_config.mel_vocab_size", "audio_config.codebook_size"), 256),
    },
    lets={"out": "text.hidden", **PLAN},
    body=slots(
        under(
            "model.visual.",
            tensor("layers.linear_{i}.weight", "vision", "plan[i][1], plan[i][0]")[0]._replace(layers="layers"),
            tensor("layers.norm_{i}.weight", "vision", "plan[i][1]")[0]._replace(layers="layers - 1"),
            norm("final_norm", "vision", "text.hidden"),
        ),
        tensor("model.audio.encoder.weight", "audio", "mels*levels, text.hidden"),
        norm("model.audio.final_norm", "audio", "text.hidden"),
    ),
    heads={"ForConditionalGeneration": lm_head("model.llm.unembed", "text.vocab", "text.hidden", tie="")},
    head="ForConditionalGeneration",
    parts=(Part("text", "text_config", "inkling_llm", "model.llm.", main=True, fixed=True),),
)

# --- version 2 ---

INKLING2_VISION: Final = Family(
    id="inkling2_vision",
    source="transformers 5.24 Inkling2VisionConfig, Inkling2VisionModel; names as published",
    base="",
    keys={
        "hidden": key("hidden_size", 1024), "ffn": key("intermediate_size", E("int(hidden*ratio)")),
        "ratio": key("mlp_ratio", 4.0, "int float"), "layers": key("num_hidden_layers", 23),
        "heads": key("num_attention_heads", 16), "kv_heads": key((), E("heads")),
        "head_dim": key((), E("hidden // heads")),
        "channels": key("num_channels", 3), "patch": key(("patch_size", "native_patch_size"), 20),
        "eps": key("layer_norm_eps", 1e-5), "act": key("hidden_act", "gelu"), "grid": key("posemb_grid_size", 32),
        "merge": key(("spatial_merge_size", "adapter_merge_size"), 2), "project": key("projection_hidden_dim", 4096),
        "biased": key("projector_bias", False), "out": key("text_hidden_size", 4608),
    },
    body=slots(
        under(
            "backbone.",
            tensor("embeddings.class_embedding", "vision", "hidden"),
            tensor("embeddings.cls_position_embedding", "vision", "hidden"),
            tensor("embeddings.patch_embedding.weight", "vision", "hidden, channels*patch**2"),
            tensor("embeddings.position_embedding", "position-embedding", "grid**2, hidden"),
            norm("ln_pre", "other-norm", bias="1"),
            under(
                "layers.{i}.",
                norm("ln_1", bias="1"), attention(o="out_proj", bias="1", kv_heads="heads"),
                norm("ln_2", bias="1"), plain_mlp("mlp.c_fc", "mlp.c_proj", bias="1"),
                tensor("ls_1.gamma", "vision", "hidden"), tensor("ls_2.gamma", "vision", "hidden"),
                layers="layers",
            ),
        ),
        linear("proj_in", "projector", "", "project", "hidden*merge**2", "biased"),
        linear("proj_out", "projector", "", "out", "project", "biased"),
    ),
    norm=Norm("layernorm", final=False),
    head="Model",
    kv="0",
)
INKLING2: Final = Family(
    id="inkling2",
    source="transformers 5.24 Inkling2Config, Inkling2ForConditionalGeneration; names as published",
    base="",
    keys={},
    body=(),
    heads={"ForConditionalGeneration": ()},
    head="ForConditionalGeneration",
    parts=(
        Part("text", "text_config", "inkling2_text", "model.", "", main=True, fixed=True, cls="ForCausalLM"),
        Part("vision", "vision_config", "inkling2_vision", "model.visual.", role="vision", fixed=True),
    ),
)
INKLING2_LOOP: Final = replace(
    INKLING2,
    id="inkling2_loop",
    source="transformers 5.24 Inkling2LoopConfig, Inkling2LoopForConditionalGeneration; names as published",
    parts=(
        Part("text", "text_config", "inkling2_loop_text", "model.", "", main=True, fixed=True, cls="ForCausalLM"),
        Part(
            "vision", "vision_config", "inkling2_vision", "model.visual.", role="vision",
            absent=(("text_hidden_size", 2304),)
        ),
    ),
)
