"""BART and the encoder-decoders that kept its layout: two stacks, learned or sinusoidal positions, two FFN matrices.

Facts from transformers 5.23, ``models/<family>``. BART: Lewis et al. 2019 (1910.13461). The norms are PyTorch's with
its own eps, 1e-5, which no config sets. ``layers``, ``heads`` and ``ffn`` are the decoder's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cfgexplain.families.common import LABELS, key
from cfgexplain.families.schema import (
    E,
    Family,
    Norm,
    Slot,
    Slots,
    embedding,
    linear,
    norm,
    plain_mlp,
    replace,
    slots,
    tensor,
    under,
    when,
)

if TYPE_CHECKING:
    from cfgexplain.families.schema import Default, Key

#: Classes that hold the decoder alone.
DECODER_ONLY: Final = "cls == 'ForCausalLM'"
BOTH: Final = "cls != 'ForCausalLM'"


def seq2seq_keys(
    *, vocab: int, hidden: int = 1024, layers: int = 12, ffn: int = 4096, heads: int = 16, act: str = "gelu",
    max_pos: int = 1024, labels: int = 2, tie: bool = True, **more: Key,
) -> dict[str, Key]:
    """The keys of BART's config; both stacks default to the same sizes."""
    return {
        "hidden": key(("d_model", "hidden_size"), hidden),
        "layers": key("decoder_layers", layers),
        "enc_layers": key(("encoder_layers", "num_hidden_layers"), layers),
        "heads": key("decoder_attention_heads", heads),
        "enc_heads": key(("encoder_attention_heads", "num_attention_heads"), heads),
        "kv_heads": key((), E("heads")),
        "head_dim": key((), E("hidden // heads")),
        "ffn": key("decoder_ffn_dim", ffn),
        "enc_ffn": key("encoder_ffn_dim", ffn),
        "vocab": key("vocab_size", vocab),
        "max_pos": key("max_position_embeddings", max_pos),
        "act": key("activation_function", act),
        "tie": key("tie_word_embeddings", tie),
        **LABELS,
        "labels": key("num_labels", E(f"len(id2label) if id2label else {labels}")),
        **more,
    }


# --- blocks ---


def attend(prefix: str, role: str = "attention", bias: str = "1", k_bias: str | None = None) -> Slots:
    """Query, key, value and output [hidden, hidden]."""
    return slots(
        linear(f"{prefix}q_proj", role, "q", "hidden", "hidden", bias),
        linear(f"{prefix}k_proj", role, "k", "hidden", "hidden", bias if k_bias is None else k_bias),
        linear(f"{prefix}v_proj", role, "v", "hidden", "hidden", bias),
        linear(f"{prefix}out_proj", role, "o", "hidden", "hidden", bias),
    )


def encoder_layer(attention: Slots, mlp: Slots | None = None) -> Slots:
    """A layer of the encoder."""
    return slots(
        attention, norm("self_attn_layer_norm", bias="1"),
        plain_mlp("fc1", "fc2", width="enc_ffn", bias="1") if mlp is None else mlp, norm("final_layer_norm", bias="1"),
    )


def decoder_layer(bias: str = "1", k_bias: str | None = None, cross: str = "encoder_attn") -> Slots:
    """A layer of the decoder, with attention to the encoder's output."""
    return slots(
        attend("self_attn.", bias=bias, k_bias=k_bias), norm("self_attn_layer_norm", bias="1"),
        attend(f"{cross}.", "cross-attention", bias, k_bias), norm(f"{cross}_layer_norm", bias="1"),
        plain_mlp("fc1", "fc2", bias="1"), norm("final_layer_norm", bias="1"),
    )


def positions(rows: str, name: str = "embed_positions") -> Slots:
    """A table of positions [rows, hidden]."""
    return embedding(name, rows, role="position-embedding")


def word_embeddings(both: str = BOTH, alone: str = DECODER_ONLY) -> Slots:
    """One table shared by both stacks; each has a copy of its own where nothing is tied, and a lone decoder always."""
    name = "{}.embed_tokens.weight"
    shape = "vocab, hidden"
    return slots(
        Slot("shared.weight", "embedding", "", shape, both),
        *(Slot(name.format(s), "embedding", "", shape, f"({both}) and tie", kind="tied") for s in ("encoder",
            "decoder")),
        *(Slot(name.format(s), "embedding", "", shape, f"({both}) and not tie") for s in ("encoder", "decoder")),
        Slot(name.format("decoder"), "embedding", "", shape, alone),
    )


def body(encoder: Slots, decoder: Slots, first: Slots = (), last: Slots = (), enc_first: Slots | None = None) -> Slots:
    """Both stacks: ``first`` stands beside the layers of each, ``last`` after them; the decoder's come last."""
    return slots(
        word_embeddings(),
        when(BOTH, under("encoder.", first if enc_first is None else enc_first, under("layers.{i}.", encoder,
            layers="enc_layers"),
                         last)),
        under("decoder.", first, under("layers.{i}.", decoder, layers="layers"), last),
    )


def head(name: str = "lm_head") -> Slots:
    """The head [vocab, hidden]; ``final_logits_bias`` is a buffer."""
    return slots(
        Slot(f"{name}.weight", "lm-head", "", "vocab, hidden", "tie", kind="tied"),
        Slot(f"{name}.weight", "lm-head", "", "vocab, hidden", "not tie"),
        tensor("final_logits_bias", "buffer", "1, vocab", kind="buffer"),
    )


_CLASSIFIER: Final = slots(
    linear("classification_head.dense", "other", "", "hidden", "hidden", "1"),
    linear("classification_head.out_proj", "other", "", "labels", "hidden", "1"),
)


def seq2seq_heads(lm: Slots | None = None, **more: Slots) -> dict[str, Slots]:
    """Heads by model class."""
    own = head() if lm is None else lm
    return {
        "ForConditionalGeneration": own, "ForCausalLM": own, "ForSequenceClassification": _CLASSIFIER,
        "ForQuestionAnswering": linear("qa_outputs", "other", "", "2", "hidden", "1"),
    } | more


def opt(name: str, default: Default, kind: str = "") -> Key:
    """A further key under its own name."""
    return key(name, default, kind)


# --- families ---

FIRST: Final = slots(positions("max_pos + 2"), norm("layernorm_embedding", "other-norm", bias="1"))
LAST: Final = norm("layer_norm", "final-norm", bias="1")
ENCODER: Final = encoder_layer(attend("self_attn."))
DECODER: Final = decoder_layer()

BART: Final = Family(
    id="bart",
    source="transformers 5.23 BartConfig, BartForConditionalGeneration (post-norm; positions start at 2)",
    base="model",
    keys=seq2seq_keys(vocab=50265, labels=3),
    body=body(ENCODER, DECODER, FIRST),
    heads=seq2seq_heads(),
    head="ForConditionalGeneration",
    norm=Norm("layernorm", "post", eps=1e-5, final=False),
    kv="2*hidden",
)
PLBART: Final = replace(
    BART, id="plbart", source="transformers 5.23 PLBartConfig", keys=seq2seq_keys(vocab=50005, hidden=768, layers=6,
        ffn=3072, heads=12)
)

def _prompt(side: str, where: str, layers: str, kind: str) -> Slots:
    """One deep prompt: an embedding, and two matrices that make keys and values of it for every layer."""
    group = under(
        f"{side}.{where}_prompt.", embedding("prompt_embedding", "prompts", role="other"),
        linear("prompt_trans.0", "other", "", "prompt_mid", "hidden", "1"),
        linear("prompt_trans.2", "other", "", f"{layers}*2*hidden", "prompt_mid", "1"),
    )
    return when("use_prompt", tuple(s._replace(kind=kind) for s in group))


#: The reference builds the decoder's only; published checkpoints have the encoder's too.
_PROMPT: Final = slots(
    _prompt("encoder", "self_attn", "enc_layers", "optional"), _prompt("decoder", "self_attn", "layers", "param"),
    _prompt("decoder", "cross_attn", "layers", "param"),
)
MVP: Final = replace(
    BART,
    id="mvp",
    source="transformers 5.23 MvpConfig, MvpPrompt (deep prompts where use_prompt)",
    keys=seq2seq_keys(
        vocab=50267, use_prompt=opt("use_prompt", False), prompts=opt("prompt_length", 100),
            prompt_mid=opt("prompt_mid_dim", 800)
    ),
    body=slots(BART.body, _PROMPT),
)

MBART: Final = replace(
    BART,
    id="mbart",
    source="transformers 5.23 MBartConfig, MBartEncoderLayer (pre-norm, a norm after each stack)",
    keys=seq2seq_keys(vocab=50265),
    body=body(ENCODER, DECODER, FIRST, LAST),
    norm=Norm("layernorm", "pre", eps=1e-5),
)

PEGASUS: Final = replace(
    MBART,
    id="pegasus",
    source="transformers 5.23 PegasusConfig, PegasusSinusoidalPositionalEmbedding (stored as a parameter)",
    body=body(ENCODER, DECODER, positions("max_pos"), LAST),
)
BLENDERBOT: Final = replace(
    PEGASUS,
    id="blenderbot",
    source="transformers 5.23 BlenderbotConfig (the encoder has 2 layers by default)",
    keys=seq2seq_keys(vocab=8008, hidden=2560, layers=24, ffn=10240, heads=32, max_pos=128) | {
        "enc_layers": key(("encoder_layers", "num_hidden_layers"), 2)},
)
BLENDERBOT_SMALL: Final = replace(
    BART,
    id="blenderbot-small",
    source="transformers 5.23 BlenderbotSmallConfig (post-norm)",
    keys=seq2seq_keys(vocab=50265, hidden=512, layers=8, ffn=2048, max_pos=512),
    body=body(ENCODER, DECODER, slots(positions("max_pos"), norm("layernorm_embedding", "other-norm", bias="1"))),
)

#: A table for each stack, and a head like the decoder's, where the vocabularies differ.
_OWN_TABLES: Final = when(
    "not share", Slot("encoder.embed_tokens.weight", "embedding", "", "vocab, hidden", BOTH),
    Slot("decoder.embed_tokens.weight", "embedding", "", "dec_vocab, hidden"),
)
_MARIAN_HEAD: Final = slots(
    when("share", head()), Slot("lm_head.weight", "lm-head", "", "dec_vocab, hidden", "not share and tie", kind="tied"),
    Slot("lm_head.weight", "lm-head", "", "dec_vocab, hidden", "not share and not tie"),
    tensor("final_logits_bias", "buffer", "1, dec_vocab", cond="not share", kind="buffer"),
)
_MARIAN: Final = body(ENCODER, DECODER, slots(
    when("cls != 'MTModel'", positions("max_pos")),
    when("cls == 'MTModel'", (positions("max_pos")[0]._replace(kind="unsaved"),)),
))
MARIAN: Final = replace(
    BART,
    id="marian",
    source="transformers 5.23 MarianConfig, MarianMTModel (post-norm; its sinusoidal positions are not saved)",
    keys=seq2seq_keys(
        vocab=58101, dec_vocab=opt("decoder_vocab_size", E("vocab")), share=opt("share_encoder_decoder_embeddings",
            True)
    ),
    body=slots(when("share", word_embeddings()), _OWN_TABLES, _MARIAN[len(word_embeddings()):]),
    heads=seq2seq_heads(_MARIAN_HEAD, MTModel=_MARIAN_HEAD),
    head="MTModel",
)

PEGASUS_X: Final = replace(
    MBART,
    id="pegasus_x",
    source="transformers 5.23 PegasusXConfig, PegasusXEncoderLayer (global tokens; attention without biases)",
    keys=seq2seq_keys(vocab=96103, layers=16, max_pos=16384, tokens=opt("num_global_tokens", 32)),
    body=body(
        slots(encoder_layer(attend("self_attn.", bias="")), norm("global_self_attn_layer_norm", bias="1")),
            decoder_layer(bias=""),
        (), LAST, enc_first=embedding("embed_global", "tokens", role="position-embedding"),
    ),
)

_BIGBIRD: Final = slots(
    *(linear(f"self_attn.self.{n}", "attention", p, "hidden", "hidden", "bias") for n, p in (("query", "q"), ("key",
        "k"), ("value", "v"))),
    linear("self_attn.output", "attention", "o", "hidden", "hidden", "bias"),
)
BIGBIRD_PEGASUS: Final = replace(
    MBART,
    id="bigbird_pegasus",
    source="transformers 5.23 BigBirdPegasusConfig (layernorm_embedding comes last; a lone decoder's head is not tied)",
    keys=seq2seq_keys(vocab=96103, layers=16, act="gelu_new", max_pos=4096, bias=opt("use_bias", False)),
    body=body(encoder_layer(_BIGBIRD), decoder_layer(bias="bias"), positions("max_pos"), norm("layernorm_embedding",
        "final-norm", bias="1")),
    heads=seq2seq_heads() | {"ForCausalLM": linear("lm_head", "lm-head", "", "vocab", "hidden")},
)
