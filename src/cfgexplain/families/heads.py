"""Which families take a hidden size that their heads do not divide."""

from __future__ import annotations

from typing import Final

#: Families whose heads are ``hidden_size // num_attention_heads`` wide, rounded down, with every matrix made to fit
#: that; the others refuse such a config or fail later. Measured with transformers 5.24: what models of 6 heads and a
#: hidden size of 100 compute.
FLOORED: Final = frozenset((
    "apertus", "apertus1p5_text", "cohere", "cohere2", "diffllama", "doge", "ernie4_5_moe", "exaone4", "exaone_moe",
    "falcon_h1", "flex_olmo", "glm4_moe", "granite", "granite_docling_text", "granite_swa", "granitemoe",
    "granitemoe_swa", "granitemoeshared", "gte", "jina_embeddings_v3", "lfm2", "minimax", "mistral", "mixtral",
    "nanochat", "nemotron", "nomic_bert", "olmo", "olmo2", "olmo3", "phi", "phimoe", "qwen2", "qwen2_moe",
    "qwen3_moe", "smollm3", "starcoder2"
))  # fmt: skip
