"""Keys and head tensors that many families share under the same names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cfgexplain.families.schema import E, Key, Slots, lm_head, slots, tensor

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cfgexplain.families.schema import Default


def key(
    name: str | tuple[str, ...], default: Default = None, kind: str = "", low: int | None = None, null: E | None = None
) -> Key:
    """One key, by its name or names."""
    return Key((name,) if isinstance(name, str) else name, default, kind, low, null)


def rope_theta(default: Default, *names: str) -> Key:
    """The base of the rotary frequencies, as transformers 5 writes it, as earlier releases did, or by ``names``.

    Where kinds of layers differ, that of full attention.
    """
    found = ("rope_parameters.rope_theta", "rope_parameters.full_attention.rope_theta", "rope_theta", *names)
    return Key(found, default, "int float")


def window_theta(default: Default, *names: str) -> Key:
    """The base in layers with a window, where those turn by one of their own and are never scaled."""
    return Key(("rope_parameters.sliding_attention.rope_theta", *names), default, "int float")


def share(default: Default, *names: str) -> Key:
    """The part of each head that rotary positions turn, where it is not the whole of it (``partial_rotary_factor``)."""
    found = ("rope_parameters.partial_rotary_factor", "rope_parameters.full_attention.partial_rotary_factor")
    return Key((*found, "partial_rotary_factor", *names), default, "int float")


def flag(name: str | tuple[str, ...], default: bool) -> Key:
    """A switch that may be null, which is off."""
    return Key((name,) if isinstance(name, str) else name, default, "bool", None, E("False"))


#: Class labels of a classifier: ``num_labels``, or as many as ``id2label`` names, or two (PreTrainedConfig).
LABELS: Final[Mapping[str, Key]] = {
    "labels": key("num_labels", E("len(id2label) if id2label else 2")),
    "id2label": key("id2label", None, "dict"),
}


def decoder_keys(
    *,
    hidden: int,
    ffn: int | E,
    layers: int,
    heads: int,
    kv_heads: int | E = E("heads"),
    head_dim: int | E = E("hidden // heads"),
    vocab: int,
    eps: float,
    eps_key: str | tuple[str, ...] = "rms_norm_eps",
    act: str = "silu",
    tie: bool = False,
    max_pos: int = 2048,
    theta: float = 10000.0,
    **more: Key,
) -> dict[str, Key]:
    """The keys of a decoder in the names that Llama's config made common, with one family's defaults."""
    return {
        "hidden": key("hidden_size", hidden),
        "ffn": key("intermediate_size", ffn),
        "layers": key("num_hidden_layers", layers),
        "heads": key("num_attention_heads", heads),
        # Whatever a family's default for the absent key: a null means what it meant before the key existed.
        "kv_heads": key("num_key_value_heads", kv_heads, null=E("heads")),
        "head_dim": key("head_dim", head_dim, null=E("hidden // heads")),
        "vocab": key("vocab_size", vocab),
        "eps": key(eps_key, eps),
        "act": key("hidden_act", act),
        "tie": key("tie_word_embeddings", tie),
        "max_pos": key("max_position_embeddings", max_pos),
        "theta": rope_theta(theta),
        **LABELS,
        **more,
    }


#: What the classes on top of a decoder add: a language-model head, or a classifier without bias on the last token.
def decoder_heads(head: Slots | None = None) -> dict[str, Slots]:
    """Heads by model class; ``head`` is the language-model head, by default ``lm_head`` [vocab, hidden]."""
    score = tensor("score.weight", "other", "labels, hidden")
    return {
        "ForCausalLM": lm_head() if head is None else head,
        "ForSequenceClassification": score,
        "ForTokenClassification": slots(score, tensor("score.bias", "other", "labels")),
        "ForQuestionAnswering": slots(
            tensor("qa_outputs.weight", "other", "2, hidden"), tensor("qa_outputs.bias", "other", "2")
        ),
    }


#: Buffers that older releases stored with the weights; today's recompute them.
ROTARY_BUFFERS: Final = slots(
    tensor("layers.{i}.self_attn.rotary_emb.inv_freq", "buffer", "", kind="buffer")[0]._replace(layers="layers"),
)


def window(default: int) -> Key:
    """``sliding_window``: how far back a layer looks; null is no limit."""
    return key("sliding_window", default, "int", null=E("None"))
