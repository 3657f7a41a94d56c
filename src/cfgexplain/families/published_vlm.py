"""Models that see, as their publishers' own code writes them: DeepSeek-VL2, MiniCPM-V and -o, LLaVA's first layout.

The towers are in ``vision_published.py``, MiniCPM-o's voice in ``voice_published.py``; of LLaVA, which takes another
repository's tower, the total from the config alone is unknown. Sources:
deepseek-ai/DeepSeek-VL2 (``modeling_deepseek_vl_v2.py``), openbmb/MiniCPM-V-2_6, MiniCPM-V-4_5 and MiniCPM-o-2_6
(``modeling_minicpmv.py``, ``modeling_minicpmo.py``), haotian-liu/LLaVA (``llava_llama.py``).
"""

from __future__ import annotations

from typing import Final

from cfgexplain.families.common import key
from cfgexplain.families.deepseek import DEEPSEEK, DEEPSEEK_V2
from cfgexplain.families.llama import LLAMA, MISTRAL, PRE_NORMS, QK_HEAD_NORMS, QWEN2, decoder
from cfgexplain.families.moe_blocks import correction
from cfgexplain.families.schema import (
    E,
    Family,
    Part,
    attention,
    gated_mlp,
    linear,
    replace,
    slots,
    tensor,
    under,
    when,
)
from cfgexplain.families.vision_published import resampler

# --- DeepSeek-VL2 ---

_BALANCED: Final = under("layers.{i}.", correction(), layers="layers")
#: DeepSeek-V2 with the balancing bias that the largest of the three has.
DEEPSEEK_VL2_TEXT: Final = replace(DEEPSEEK_V2, body=slots(DEEPSEEK_V2.body, _BALANCED))
#: The two smaller ones have plain attention (``use_mla`` false) and ranks of null.
DEEPSEEK_VL2_PLAIN: Final = replace(DEEPSEEK, id="deepseek_v2", body=slots(DEEPSEEK.body, _BALANCED))
DEEPSEEK_VL_V2: Final = Family(
    id="deepseek_vl_v2",
    source="deepseek-ai/DeepSeek-VL2, modeling_deepseek_vl_v2.py (remote code)",
    base="",
    keys={
        "mla": key("language_config.use_mla", True), "projector": key("projector_config.projector_type",
            "downsample_mlp_gelu"),
        "seen": key("projector_config.input_dim", 1152), "out": key("projector_config.n_embed", 2048),
        "depth": key("projector_config.depth", 2, low=1), "times": key("projector_config.mlp_ratio", 1),
        "joined": key("projector_config.downsample_ratio", 2), "pooling": key("projector_config.token_pooling", False),
        "tiles": key("tile_tag", "2D"), "sizes": key("candidate_resolutions", E("[[384, 384]]"), "list"),
    },
    body=slots(
        when("projector == 'linear'", linear("projector.layers", "projector", "", "out", "seen", "1")),
        when(
            "projector in ('mlp_gelu', 'downsample_mlp_gelu')",
            under(
                "projector.layers.{i}.",
                when(
                    "i % 2 == 0",
                    tensor("weight", "projector", "out if i == last else inner, first if i == 0 else inner"),
                    tensor("bias", "projector", "out if i == last else inner"),
                ),
                layers="last + 1",
            ),
        ),
        when("pooling", linear("projector.token_pooling_layer", "projector", "", "seen", "4*seen", "1")),
        when("tiles == '2D'", tensor("image_newline", "projector", "out"), tensor("view_seperator", "projector",
            "out")),
        when("tiles == '1D'", tensor("tile_indicators", "projector", "len(sizes) + 1, out")),
    ),
    lets={
        "joins": "projector == 'downsample_mlp_gelu'", "inner": "out*times if joins else out",
        "first": "seen*joined*joined if joins else seen", "last": "2*(max(depth, 2) if joins else depth) - 2",
    },
    heads={},
    head="ForCausalLM",
    parts=(
        Part("vision", "vision_config", "deepseek_vl_v2_vision", "vision.", role="vision", fixed=True),
        Part("latent", "language_config", "deepseek_vl2_text", "language.model.", "language.", main=True, fixed=True,
             when="mla", cls="ForCausalLM"),
        Part("plain", "language_config", "deepseek_vl2_plain", "language.model.", "language.", main=True, fixed=True,
             when="not mla", cls="ForCausalLM"),
    ),
)

# --- MiniCPM-V, MiniCPM-o ---

#: Which decoder is inside follows from the version: Qwen2 in 2.6, Qwen3 in 4.5, Llama's blocks else.
MINICPMV_TEXT: Final = replace(
    LLAMA,
    id="minicpmv",
    source="openbmb/MiniCPM-V-2_6, MiniCPM-V-4, MiniCPM-V-4_5, configuration_minicpm.py (remote code)",
    keys={
        **LLAMA.keys, "version": key("version", None, "int float str"),
        "given": key("attention_bias", False),
    },
    lets={"biased": "given or str(version)[:3] == '2.6'", "normed": "str(version)[:3] == '4.5'"},
    body=decoder(
        attention(bias="biased", o_bias="given"), when("normed", QK_HEAD_NORMS), gated_mlp(), PRE_NORMS,
    ),
    norm=LLAMA.norm._replace(qk=E("normed")),
)
#: The releases whose tower is SigLIP behind a resampler; 2.0 has one from timm, and 2.5 stated no version at first.
_RELEASES: Final = "str(version)[:3] in ('2.5', '2.6', '4', '4.0', '4.5')"
_TOWER: Final = (
    ("hidden_size", 1152), ("image_size", 980), ("intermediate_size", 4304), ("num_attention_heads", 16),
    ("num_hidden_layers", 27), ("patch_size", 14),
)
MINICPMV: Final = Family(
    id="minicpmv",
    source="openbmb/MiniCPM-V-2_6, modeling_minicpmv.py (remote code; the text model's keys are at the top)",
    base="",
    keys={
        "tie": key("tie_word_embeddings", False), "version": key("version", None, "int float str"),
        "queries": key("query_num", 64), "dropped": key("drop_vision_last_layer", True),
    },
    lets={
        "known": f"({_RELEASES}) if version is not None else not (text.hidden == 2304 and queries == 64)",
        "wide": "text.hidden", "seen": "vision.hidden",
    },
    body=when("known", resampler("queries", "wide", "seen")),
    heads={},
    head="ForCausalLM",
    parts=(
        Part("text", "", "minicpmv_text", "llm.model.", "llm.", main=True, fixed=True, cls="ForCausalLM"),
        Part("vision", "vision_config", "minicpmv_vision", "vpm.", role="vision", fixed=True, absent=_TOWER,
             when="known and not dropped"),
        Part("shorter", "vision_config", "minicpmv_vision-dropped", "vpm.", role="vision", fixed=True, absent=_TOWER,
             when="known and dropped"),
        Part("unlisted", "vision_config", "minicpmv-open", "vpm.", fixed=True, when="not known"),
    ),
)
#: Whisper's encoder behind the image tower, and a voice; which one there is in 4.5 is not written down.
MINICPMO: Final = replace(
    MINICPMV,
    id="minicpmo",
    source="openbmb/MiniCPM-o-2_6, configuration_minicpm.py, modeling_minicpmo.py (remote code)",
    keys={
        **MINICPMV.keys, "sees": key("init_vision", True), "hears": key("init_audio", True),
        "speaks": key("init_tts", True),
    },
    lets={**MINICPMV.lets, "known": "sees", "voice": "str(version)[:3]"},
    body=slots(
        MINICPMV.body,
        when(
            "hears",
            linear("audio_projection_layer.linear1", "projector", "", "wide", "audio.ffn // 4", "1"),
            linear("audio_projection_layer.linear2", "projector", "", "wide", "wide", "1"),
        ),
    ),
    parts=(
        *MINICPMV.parts[:3],
        Part("audio", "audio_config", "minicpmo_audio", "apm.", role="audio", fixed=True, when="hears"),
        Part("tts", "tts_config", "conditional_chattts", "tts.", role="audio", fixed=True,
             when="speaks and voice == '2.6'"),
        Part("unlisted", "tts_config", "minicpmo-open", "tts.", fixed=True, when="speaks and voice != '2.6'"),
    ),
)
MINICPMO_OPEN: Final = Family(
    id="minicpmo-open", source="openbmb/MiniCPM-o-4_5, modeling_minicpmo.py (another voice)", base="", keys={},
    body=(), open=(("tts.", "audio"),),
)
#: What surrounds the text model in a release that is not written down.
MINICPMV_OPEN: Final = Family(
    id="minicpmv-open", source="openbmb/MiniCPM-V-2, modeling_minicpmv.py (a tower from timm)", base="", keys={},
    body=(), open=(("vpm.", "vision"), ("resampler.", "projector")),
)

# --- LLaVA's own code ---

_AROUND: Final = (
    ("model.vision_tower.", "vision"), ("model.mm_projector.", "projector"), ("model.image_newline", "projector"),
    ("model.vision_resampler.", "projector"),
)
LLAVA_LLAMA: Final = replace(
    LLAMA, source="haotian-liu/LLaVA, llava_llama.py (the text model's keys are at the top)", open=_AROUND, renames=(),
)
LLAVA_MISTRAL: Final = replace(MISTRAL, source="haotian-liu/LLaVA, llava_mistral.py", open=_AROUND, renames=())
LLAVA_QWEN: Final = replace(QWEN2, source="LLaVA-VL/LLaVA-NeXT, llava_qwen.py", open=_AROUND, renames=())
