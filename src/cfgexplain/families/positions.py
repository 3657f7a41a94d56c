"""How each family tells one place in the sequence from another, where config keys and tensors do not show it.

Families that are not listed: rotary where the config or its defaults have a base, learned where a table of positions
is stored. Facts from transformers 5.24, ``models/<family>/modeling_*.py``.
"""

from __future__ import annotations

from typing import Final

#: Family → kind.
POSITIONS: Final[dict[str, str]] = {
    # Linear biases on the logits (Press et al. 2021, 2108.12409).
    "bloom": "alibi",
    # Buckets of distances, learned, added to the logits (Raffel et al. 2019, 1910.10683), or their relatives.
    **dict.fromkeys(
        ("t5", "mt5", "umt5", "longt5", "switch_transformers", "pop2piano", "udop", "pix2struct_text_model", "mpnet",
         "xlnet", "funnel", "inkling_text"), "relative",
    ),
    # Sines and cosines that nobody trains, stored or not (Vaswani et al. 2017, 1706.03762).
    **dict.fromkeys(
        ("m2m_100", "nllb-moe", "musicgen_decoder", "musicgen_melody_decoder", "ctrl", "pegasus", "pegasus_x",
         "xglm", "marian"),
        "sinusoidal",
    ),
    # Rotary without a base: RoFormer's stored table holds the angles (Su et al. 2021, 2104.09864).
    "roformer": "rope",
    # Order comes from the recurrence.
    **dict.fromkeys(
        ("mamba", "mamba2", "falcon_mamba", "rwkv", "xlstm", "jamba", "nemotron_h", "zamba",
         # Its full attention leaves the part that other latent attention turns as it is.
         "kimi_linear"), "none",
    ),
}  # fmt: skip
#: Families whose layers with full attention do not rotate, where there are layers with a window: their windows do.
WINDOWS_ONLY: Final = frozenset(
    ("afmoe", "beam", "cohere2", "cohere2_moe", "exaone4", "exaone4_5", "exaone_moe", "kolibri1", "flint")
)
#: Families with ``no_rope_layers`` (1 where a layer rotates, in spite of its name) → every so-manyth does not, where it
#: is not given.
INTERVALS: Final[dict[str, int]] = {"smollm3": 4, "llama4": 4, "llama4_text": 4, "mistral_large4_text": 4}
#: Family → the key that decides, what it is where absent, kinds by its value, and the kind for any other value.
SWITCHED: Final[dict[str, tuple[str, bool | None, dict[bool | str, str], str]]] = {
    "zamba2": ("use_mem_rope", False, {True: "rope"}, "none"),
    "granitemoehybrid": ("position_embedding_type", None, {"rope": "rope"}, "none"),
    # Disentangled scores by distance, else a table that is added to the stream (He et al. 2020, 2006.03654).
    **dict.fromkeys(("deberta", "deberta-v2"), ("relative_attention", False, {True: "relative"}, "learned")),
}
#: Families whose ``rope_parameters`` name kinds of layers otherwise → (full attention, window).
ROPE_KINDS: Final[dict[str, tuple[str, str]]] = {
    "deepseek_v4": ("compress", "main"), "deepseek_ref": ("compress", "main"), "zaya": ("hybrid", "hybrid_sliding"),
    "dots3_note_text": ("indexed_attention", "sliding_attention"),
}
#: Families that number a text's positions from the row after the padding's → its index where the config has none.
PADDED: Final[dict[str, int | None]] = {
    **dict.fromkeys(
        ("camembert", "data2vec-text", "ibert", "longformer", "luke", "mpnet", "roberta", "roberta-prelayernorm",
         "xlm-roberta", "xlm-roberta-xl", "xmod"), 1,
    ),
    "esm": None,
}  # fmt: skip
#: Those of them whose code fixes that index.
PADDED_ALWAYS: Final = frozenset(("mpnet",))
#: Config keys that switch linear biases on.
ALIBI_KEYS: Final = ("alibi", "attn_config.alibi")
#: What ``position_embedding_type`` and its like say.
WORDS: Final[dict[str, str]] = {
    "rope": "rope", "rotary": "rope", "nope": "none", "absolute": "learned", "learned": "learned",
    "learned_absolute": "learned", "alibi": "alibi", "sinusoidal": "sinusoidal",
}  # fmt: skip
