"""BLIP, its successors with a query transformer (Q-Former), and GIT.

Facts from transformers 5.24,
``models/{blip,blip_2,instructblip,instructblipvideo,granite4_vision,git}``. Li et al. 2022
(2201.12086), 2023 (2301.12597).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cfgexplain.families.common import key
from cfgexplain.families.schema import (
    E,
    Family,
    Norm,
    Part,
    Slot,
    Slots,
    embedding,
    linear,
    lm_head,
    norm,
    plain_mlp,
    replace,
    slots,
    tensor,
    under,
    when,
)
from cfgexplain.families.wrappers import wrapper

if TYPE_CHECKING:
    from cfgexplain.families.schema import Key


def bert_attention(name: str, role: str, inner: str = "self", encoded: str = "hidden", hidden: str = "hidden") -> Slots:
    """BERT's attention and the norm after it; keys and values come from vectors ``encoded`` wide."""
    return slots(
        linear(f"{name}.{inner}.query", role, "q", hidden, hidden, "1"),
        linear(f"{name}.{inner}.key", role, "k", hidden, encoded, "1"),
        linear(f"{name}.{inner}.value", role, "v", hidden, encoded, "1"),
        linear(f"{name}.output.dense", role, "o", hidden, hidden, "1"),
        norm(f"{name}.output.LayerNorm", "block-norm" if role != "projector" else role, hidden, "1"),
    )


def bert_mlp(suffix: str = "", role: str = "ffn", width: str = "ffn", hidden: str = "hidden") -> Slots:
    """BERT's two matrices and the norm after them."""
    return slots(
        plain_mlp(f"intermediate{suffix}.dense", f"output{suffix}.dense", width, role, "1", hidden),
        norm(f"output{suffix}.LayerNorm", "block-norm" if role == "ffn" else role, hidden, "1"),
    )


# --- BLIP ---


def text(prefix: str, pooler: bool = False) -> Slots:
    """BLIP's BERT, with attention to the image where ``is_decoder``."""
    return under(
        prefix,
        embedding("embeddings.word_embeddings"),
        embedding("embeddings.position_embeddings", "max_pos", role="position-embedding"),
        tensor("embeddings.position_ids", "buffer", "1, max_pos", kind="buffer"),
        norm("embeddings.LayerNorm", "other-norm", bias="1"),
        under(
            "encoder.layer.{i}.",
            bert_attention("attention", "attention"),
            when("decoder", bert_attention("crossattention", "cross-attention", encoded="vision.hidden")),
            bert_mlp(),
            layers="layers",
        ),
        linear("pooler.dense", "other", "", "hidden", "hidden", "1") if pooler else (),
    )


def prediction(prefix: str) -> Slots:
    """The masked-language head: its own bias, and a copy of it in the decoder's layer."""
    return under(
        prefix,
        linear("transform.dense", "other", "", "hidden", "hidden", "1"),
        norm("transform.LayerNorm", "other-norm", bias="1"),
        tensor("bias", "lm-head", "vocab"),
        lm_head("decoder", tie="tie or inner_tie"),
        tensor("decoder.bias", "lm-head", "vocab", cond="not (tie or inner_tie)"),
        tensor("decoder.bias", "lm-head", "vocab", cond="tie or inner_tie", kind="tied"),
    )


_DECODER: Final = slots(text("text_decoder.bert."), prediction("text_decoder.cls.predictions."))
BLIP: Final = Family(
    id="blip",
    source="transformers 5.24 BlipConfig, BlipForConditionalGeneration, BlipTextLayer (keys as wide as images)",
    base="",
    keys={
        "hidden": key("text_config.hidden_size", 768),
        "ffn": key("text_config.intermediate_size", 3072),
        "layers": key("text_config.num_hidden_layers", 12),
        "heads": key("text_config.num_attention_heads", 8),
        "kv_heads": key((), E("heads")),
        "head_dim": key((), E("hidden // heads")),
        "vocab": key("text_config.vocab_size", 30524),
        "max_pos": key("text_config.max_position_embeddings", 512),
        "eps": key("text_config.layer_norm_eps", 1e-12),
        "act": key("text_config.hidden_act", "gelu"),
        "decoder": key("text_config.is_decoder", True),
        "tie": key("tie_word_embeddings", True),
        "inner_tie": key("text_config.tie_word_embeddings", True),
        "project": key("projection_dim", 512), "joint": key("image_text_hidden_size", 256),
    },
    body=(),
    heads={
        "ForConditionalGeneration": _DECODER,
        "ForQuestionAnswering": slots(_DECODER, text("text_encoder.")),
        "ForImageTextRetrieval": slots(
            text("text_encoder."),
            linear("vision_proj", "projector", "", "joint", "vision.hidden", "1"),
            linear("text_proj", "projector", "", "joint", "hidden", "1"),
            linear("itm_head", "other", "", "2", "hidden", "1"),
        ),
        "BlipModel": slots(
            text("text_model.", pooler=True),
            linear("visual_projection", "projector", "", "project", "vision.hidden"),
            linear("text_projection", "projector", "", "project", "hidden"),
            tensor("logit_scale", "other", ""),
        ),
    },
    head="ForConditionalGeneration",
    norm=Norm("layernorm", "post", final=False),
    parts=(Part("vision", "vision_config", "blip_vision_model", "vision_model.", role="vision", fixed=True),),
)

# --- BLIP-2: a query transformer before a language model of any family ---


def q_keys(**more: Key) -> dict[str, Key]:
    """The query transformer's keys, in a config of its own."""
    return {
        "q_hidden": key("qformer_config.hidden_size", 768),
        "q_ffn": key("qformer_config.intermediate_size", 3072),
        "q_layers": key("qformer_config.num_hidden_layers", 12),
        "q_every": key("qformer_config.cross_attention_frequency", 2, low=1),
        "q_vocab": key("qformer_config.vocab_size", 30522),
        "q_max_pos": key("qformer_config.max_position_embeddings", 512),
        **more,
    }


def qformer(text_input: str, hidden: str = "q_hidden") -> Slots:
    """Queries attend to each other, to the image in every other layer, and to a text where there is one."""
    return slots(
        norm("layernorm", "projector", hidden, "1"),
        under(
            "encoder.layer.{i}.",
            bert_attention("attention", "projector", "attention", hidden, hidden),
            when(
                "i % q_every == 0",
                bert_attention("crossattention", "projector", "attention", "vision.hidden", hidden),
            ),
            when(text_input, bert_mlp("", "projector", "q_ffn", hidden)) if text_input else (),
            bert_mlp("_query", "projector", "q_ffn", hidden),
            layers="q_layers",
        ),
    )


BLIP2: Final = Family(
    id="blip-2",
    source="transformers 5.24 Blip2Config, Blip2ForConditionalGeneration, Blip2QFormerLayer",
    base="",
    keys=q_keys(
        queries=key("num_query_tokens", 32), q_text=key("qformer_config.use_qformer_text_input", False),
        inner=key("text_config.model_type", "opt"),
    ),
    lets={"pair": "inner in ('t5', 'mt5', 'umt5', 'bart', 'mbart')", "width": "seq.hidden if pair else text.hidden"},
    body=slots(
        tensor("query_tokens", "projector", "1, queries, q_hidden"),
        under("qformer.", qformer("q_text")),
        linear("language_projection", "projector", "", "width", "q_hidden", "1"),
    ),
    heads={"ForConditionalGeneration": ()},
    head="ForConditionalGeneration",
    parts=(
        Part(
            "text", "text_config", "opt", "language_model.{base}", "language_model.", main=True, when="not pair",
            cls="ForCausalLM",
        ),
        Part(
            "seq", "text_config", "t5", "language_model.{base}", "language_model.", main=True, when="pair",
            cls="ForConditionalGeneration",
        ),
        Part("vision", "vision_config", "blip_2_vision_model", "vision_model.", role="vision", fixed=True),
    ),
)
#: The query transformer reads the instruction too.
INSTRUCTBLIP: Final = replace(
    BLIP2,
    id="instructblip",
    source="transformers 5.24 InstructBlipConfig, InstructBlipQFormerModel (InstructBlipVideo is the same)",
    keys=q_keys(queries=key("num_query_tokens", 32), inner=key("text_config.model_type", "opt")),
    body=slots(
        tensor("query_tokens", "projector", "1, queries, q_hidden"),
        under(
            "qformer.",
            norm("embeddings.layernorm", "projector", "q_hidden", "1"),
            embedding("embeddings.word_embeddings", "q_vocab", "q_hidden", "projector"),
            embedding("embeddings.position_embeddings", "q_max_pos", "q_hidden", "projector"),
            tensor("embeddings.position_ids", "buffer", "1, q_max_pos", kind="buffer"),
            (s for s in qformer("True") if not s.name.startswith("layernorm")),
        ),
        linear("language_projection", "projector", "", "width", "q_hidden", "1"),
    ),
)

#: One such transformer, as wide as the image tower, for each layer that is fed and for each quarter of the image.
_WINDOW: Final = slots(
    tensor("image_positions", "projector", "1, int(rate.split('/')[1])**2, vision.hidden"),
    tensor("query", "projector", "1, int(rate.split('/')[0])**2, vision.hidden"),
    norm("norm", "projector", "vision.hidden", "1"),
    linear("out_linear", "projector", "", "text.hidden", "vision.hidden", "1"),
    under("qformer.", qformer("q_text", "vision.hidden")),
)
GRANITE4_VISION: Final = wrapper(
    "granite4_vision", "transformers 5.24 Granite4VisionConfig, Granite4VisionWindowQFormerDownsampler",
    text="granite4_vision_text", vision="clip_vision_model", text_fixed=True,
    more=q_keys(
        q_text=key("qformer_config.use_qformer_text_input", False), rate=key("downsample_rate", None, "str"),
        fed=key("deepstack_layer_map", None, "list"), inner=key("qformer_config", None, "dict"),
        q_layers=key("qformer_config.num_hidden_layers", E("12 if inner is not None else 1")),
        q_every=key("qformer_config.cross_attention_frequency", E("2 if inner is not None else 1"), low=1),
    ),
    connector=slots(
        tensor("image_newline", "projector", "text.hidden"),
        *(when(f"fed is not None and len(fed) > {n}", under(f"layerwise_projectors.{n}.", _WINDOW)) for n in range(8)),
        *(under(f"spatial_projectors.{n}.", _WINDOW) for n in range(4)),
    ),
)

# --- GIT ---

GIT: Final = Family(
    id="git",
    source="transformers 5.24 GitConfig, GitForCausalLM (post-norm; the image stands before the text)",
    base="git",
    keys={
        "hidden": key("hidden_size", 768), "ffn": key("intermediate_size", 3072), "layers": key("num_hidden_layers", 6),
        "heads": key("num_attention_heads", 12), "kv_heads": key((), E("heads")),
        "head_dim": key((), E("hidden // heads")), "vocab": key("vocab_size", 30522),
        "max_pos": key("max_position_embeddings", 1024), "eps": key("layer_norm_eps", 1e-12),
        "act": key("hidden_act", "gelu"), "tie": key("tie_word_embeddings", False),
        "frames": key("num_image_with_embedding", None, "int"),
    },
    body=slots(
        embedding("embeddings.word_embeddings"),
        embedding("embeddings.position_embeddings", "max_pos", role="position-embedding"),
        tensor("embeddings.position_ids", "buffer", "1, max_pos", kind="buffer"),
        norm("embeddings.LayerNorm", "other-norm", bias="1"),
        under("encoder.layer.{i}.", bert_attention("attention", "attention"), bert_mlp(), layers="layers"),
        linear("visual_projection.visual_projection.0", "projector", "", "hidden", "vision.hidden", "1"),
        norm("visual_projection.visual_projection.1", "projector", bias="1"),
        when("frames", (Slot("img_temporal_embedding.{e}", "projector", "", "1, 1, vision.hidden", experts="frames"),)),
    ),
    heads={"ForCausalLM": lm_head("output", bias="1")},
    norm=Norm("layernorm", "post", final=False),
    parts=(
        Part(
            "vision", "vision_config", "git_vision_model", "git.image_encoder.vision_model.", role="vision", fixed=True
        ),
    ),
)
