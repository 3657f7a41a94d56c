"""Models that see, as their publishers' own code writes them: DeepSeek-VL2, MiniCPM-V and -o, LLaVA's first layout.

Their towers are not written down: they have a role, and the total from the config alone is unknown. Sources:
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
    replace,
    slots,
    under,
    when,
)

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
    keys={"mla": key("language_config.use_mla", True)},
    body=(),
    heads={},
    head="ForCausalLM",
    parts=(
        Part("latent", "language_config", "deepseek_vl2_text", "language.model.", "language.", main=True, fixed=True,
             when="mla", cls="ForCausalLM"),
        Part("plain", "language_config", "deepseek_vl2_plain", "language.model.", "language.", main=True, fixed=True,
             when="not mla", cls="ForCausalLM"),
    ),
    open=(("vision.", "vision"), ("projector.", "projector"), ("image_newline", "projector"),
        ("view_seperator", "projector"),
          ("tile_indicators", "projector")),
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
MINICPMV: Final = Family(
    id="minicpmv",
    source="openbmb/MiniCPM-V-2_6, modeling_minicpmv.py (remote code; the text model's keys are at the top)",
    base="",
    keys={"tie": key("tie_word_embeddings", False)},
    body=(),
    heads={},
    head="ForCausalLM",
    parts=(
        Part("text", "", "minicpmv_text", "llm.model.", "llm.", main=True, fixed=True, cls="ForCausalLM"),
    ),
    open=(("vpm.", "vision"), ("resampler.", "projector"), ("apm.", "audio"), ("audio_projection_layer.", "projector"),
          ("audio_avg_pooler", "audio"), ("tts.", "audio")),
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
