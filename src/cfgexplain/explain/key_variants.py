"""The same spelling with another meaning: in one family, or under a condition that the report states.

A variant has texts of its own, "key.<name>.does" and "key.<name>.wrong"; its name is the topic's with a word behind it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from cfgexplain.explain.key_topics import topic as t
from cfgexplain.families.remarks import FORMULAS
from cfgexplain.remarked import has

if TYPE_CHECKING:
    from cfgexplain.explain.key_scope import KeyScope
    from cfgexplain.explain.key_topics import Topic

#: Families whose activation is written in their code: nothing reads a key for it.
FIXED_ACTIVATION: Final = frozenset(f for f, (text, _) in FORMULAS.items() if "{act}" not in text)

#: Vision towers whose windows are squares: their side in pixels, and in patches.
PIXEL_WINDOWS: Final = frozenset(("qwen2_5_vl_vision", "qwen2_5_omni_vision_encoder", "exaone4_5_vision"))
PATCH_WINDOWS: Final = frozenset(
    ("sam_vision_model", "got_ocr2_vision", "deepseek_ocr2_sam_vision_model", "deepseek_ocr2_sam_published",
     "pp_formulanet_vision", "unlimited_ocr_sam_vision_model")
)  # fmt: skip


class Variant(NamedTuple):
    """One other meaning, with all that has to hold for it.

    Attributes:
        topic: what is said in its place.
        of: the topic whose place it takes.
        names: of its spellings those that it is for; empty for all.
        families: those that mean it; empty for any.
        attention: the report's word for the attention, or "".
        positions: the report's words for how tokens know their place; empty for any.
        remark: a remark that the report has, or "".
        values: what the key says; empty for anything.
    """

    topic: Topic
    of: str
    names: tuple[str, ...] = ()
    families: frozenset[str] = frozenset()
    attention: str = ""
    positions: tuple[str, ...] = ()
    remark: str = ""
    values: tuple[object, ...] = ()

    def holds(self, k: KeyScope) -> bool:
        """Whether it is meant here."""
        model = k.scope.report["model"]
        if (self.names and k.leaf not in self.names) or (self.families and k.owner.family.id not in self.families):
            return False
        if self.values and (isinstance(k.value, (list, dict)) or k.value not in self.values):
            return False
        if not (self.attention or self.positions or self.remark):
            return True
        return (
            k.main
            and model is not None
            and (not self.attention or model["attention"] == self.attention)
            and (not self.positions or model["positions"]["kind"] in self.positions)
            and (not self.remark or has(k.scope.report, self.remark))
        )


VARIANTS: Final[tuple[Variant, ...]] = (
    Variant(t("hidden_act.fixed", "free", "activation", "", "swiglu_limit"), "hidden_act", families=FIXED_ACTIVATION),
    Variant(t("hidden_act.xielu", "flag", "activation", "", "intermediate_size", "huang2024"), "hidden_act",
            values=("xielu",)),
    Variant(t("attention_type.chunk", "runtime", "", "", "layer_types", "minimax01"), "attention_type",
            names=("block_size",), families=frozenset(("minimax",))),
    Variant(t("num_key_value_heads.latent", "latent", "", "", "num_attention_heads kv_lora_rank", "deepseekv2"),
            "num_key_value_heads", attention="mla"),
    Variant(t("head_dim.latent", "derived", "head_dim", "", "qk_nope_head_dim qk_rope_head_dim v_head_dim",
              "deepseekv2"), "head_dim", attention="mla"),
    Variant(t("qk_rope_head_dim.still", "shape", "mla_kv", "", "qk_nope_head_dim", "deepseekv2"), "qk_rope_head_dim",
            attention="mla", positions=("none",)),
    Variant(t("max_position_embeddings.free", "free", "context", "", "", ""), "max_position_embeddings",
            positions=("none",)),
    Variant(t("sliding_window.two-sided", "window", "window", "", "layer_types max_position_embeddings",
              "beltagy2020"), "sliding_window", remark="two-sided"),
    Variant(t("conv_kernel.strided", "shape"), "conv_kernel", ("conv_kernel",), frozenset(("omniasr_audio",))),
    Variant(t("conv_kernel.centred", "shape"), "conv_kernel", ("conv_kernel_size",),
            frozenset(("convbert", "deberta-v2", "granite_speech_encoder", "nystromformer"))),
    Variant(t("linear_key_head_dim.channels", "shape", "linear", "", "linear_num_value_heads conv_kernel",
              "kimi2025 yang2024"), "linear_key_head_dim", families=frozenset(("kimi_linear", "bailing_hybrid"))),
    Variant(t("linear_num_value_heads.channels", "shape", "linear", "", "linear_key_head_dim layer_types",
              "kimi2025 yang2024"), "linear_num_value_heads", families=frozenset(("kimi_linear", "bailing_hybrid"))),
    Variant(t("num_attention_heads.ssm", "shape", "", "", "head_dim state_size", "dao2024"), "num_attention_heads",
            ("num_heads",), frozenset(("mamba2",))),
    Variant(t("num_attention_heads.mlstm", "shape", "", "", "hidden_size"), "num_attention_heads", ("num_heads",),
            frozenset(("xlstm",))),
    Variant(t("head_dim.ssm", "derived", "", "", "num_attention_heads mamba_expand hidden_size", "dao2024"), "head_dim",
            families=frozenset(("mamba2",))),
    Variant(t("multi_query.new", "structure", "", "", "num_key_value_heads num_attention_heads"), "multi_query",
            ("new_decoder_architecture",), frozenset(("falcon",))),
    Variant(t("use_qk_norm.plain", "silent", "", "", "rms_norm_eps no_rope_layers", "henry2020"), "use_qk_norm",
            families=frozenset(("llama4_text",))),
    Variant(t("sliding_window.pixels", "silent", "", "", "patch_size fullatt_block_indexes"), "sliding_window",
            ("window_size",), PIXEL_WINDOWS),
    Variant(t("sliding_window.patches", "shape", "", "", "patch_size use_rel_pos"), "sliding_window",
            ("window_size",), PATCH_WINDOWS),
    Variant(t("sliding_window.frames", "shape"), "sliding_window", ("window_size",),
            frozenset(("granite_speech", "granite_speech_plus"))),
    Variant(t("tie_word_embeddings.scale", "silent", "", "", "hidden_size"), "tie_word_embeddings",
            families=frozenset(("t5", "umt5", "longt5"))),
    Variant(t("tie_word_embeddings.set", "tie", "", "", "vocab_size hidden_size", "press2017"), "tie_word_embeddings",
            families=frozenset(("mt5", "udop"))),
)  # fmt: skip


def meant(topic: Topic | None, k: KeyScope) -> Topic | None:
    """The topic, or what its spelling means here."""
    if topic is None:
        return None
    return next((v.topic for v in VARIANTS if v.of == topic.name and v.holds(k)), topic)


def apart(topic: Topic, name: str) -> list[Variant]:
    """The variants of a spelling that belong to families by name."""
    leaf = name.rpartition(".")[2]
    return [v for v in VARIANTS if v.of == topic.name and v.families and (not v.names or leaf in v.names)]
