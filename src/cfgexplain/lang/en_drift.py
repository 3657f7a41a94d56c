"""English: findings and manual pages of ``check --against BASE``."""

from typing import Final

FINDINGS: Final[dict[str, tuple[str, str]]] = {
    "eps-drift.differs": (
        "{key} is {b}; in {base} it is {a}.",
        "ε belongs to the weights: set it back to {a}. Nothing crashes with the wrong one, the quality only goes down.",
    ),
    "activation-drift.differs": (
        "{key} is {b}; in {base} it is {a}.",
        "The weights were trained with {a}: set it back.",
    ),
    "activation-drift.kind": (
        "The feed-forward blocks are of kind {b}; in {base} they are {a}.",
        "The weights were trained with the other kind: check model_type, the activation, and which "
        "matrices were copied.",
    ),
    "rope-drift.theta": (
        "The rotary base is {b}; in {base} it is {a}.",
        "Set it back, unless the model was trained on with the new one. Short prompts do not show the difference.",
    ),
    "rope-drift.scaling": (
        "Rotary scaling is {b}; in {base} it is {a}.",
        "Set it back, unless the model was tuned for it. Some engines scale at every length, short prompts too.",
    ),
    "rope-drift.fraction": (
        "The share of each head that carries positions is {b}; in {base} it is {a}.",
        "Set it back: queries and keys were trained with the other one.",
    ),
    "shape-drift.layers": (
        "There are {b} layers; {base} has {a}.",
        "Fine-tuning, conversion and quantization keep every layer. A merge that stacks layers is another "
        "model: compare "
        "it with none.",
    ),
    "shape-drift.tensors": (
        "Tensors with other shapes than in {base}: {count} ({where}). {example} is {b}, it was {a}.",
        "The weights are not those of the base, or were cut, padded or transposed on the way.",
    ),
    "shape-drift.size": (
        "Sizes differ from {base}: {what}.",
        "Set them back. Where the shapes still fit, rows are cut into other heads, and nothing crashes.",
    ),
    "bias-drift.removed": (
        "Biases of {base} that are gone: {count} ({where}).",
        "They count as zero now. Take them from the base.",
    ),
    "bias-drift.added": (
        "Biases that {base} does not have: {count} ({where}).",
        "Remove them where they are zero. Where they were trained, the config must ask for them, or they are dropped.",
    ),
    "norm-drift.property": (
        "{key} is {b}; in {base} it is {a}.",
        "The norms compute something else with the same weights: check model_type and the norm keys of the config.",
    ),
    "norm-drift.removed": (
        "Norm tensors of {base} that are gone: {count} ({where}).",
        "A library fills their gains with ones. Take them from the base.",
    ),
    "norm-drift.added": (
        "Norm tensors that {base} does not have: {count} ({where}).",
        "Check model_type: the base computes without them.",
    ),
    "head-drift.tied": (
        "{base} has an output head of its own; here {key} ties it to the embedding, and none is stored.",
        "The model then answers with another matrix than it learned. Set {key} to false, and take the head from the base.",
    ),
    "head-drift.gone": (
        "The output head of {base} is gone ({where}).",
        "A library fills it with random numbers. Take it from the base.",
    ),
    "vocab-drift.size": (
        "The vocabulary has {b} entries; {base} has {a}.",
        "Often intended (added tokens, padding). Ship the tokenizer that belongs to it.",
    ),
    "vocab-drift.rows": (
        "Embedding or head have other rows than in {base}: {where} is {b}, it was {a}.",
        "Often intended (added tokens, padding). Ship the tokenizer that belongs to it.",
    ),
}


def _page(says: str, why: str, example: str, references: str = "") -> dict[str, str]:
    return {"says": says, "why": why, "example": example, "references": references}


RULES: Final[dict[str, dict[str, str]]] = {
    "eps-drift": _page(
        "With --against: ε differs from the base model's.",
        "No fine-tune, merge, conversion or quantization changes ε. A config that was rebuilt takes the "
        "default of transformers instead, and the model runs with another one than its weights were trained with: not a crash, a "
        "quieter loss of "
        "quality. A key that is absent counts as its default, and two numbers that are one float32 are equal.",
        "the base says 1e-05, the merged config lost the key, and transformers takes 1e-06.",
        "Zhang & Sennrich 2019, Root Mean Square Layer Normalization (arXiv:1910.07467)",
    ),
    "activation-drift": _page(
        "With --against: the feed-forward block's activation or kind differs from the base model's.",
        "The shapes are the same, so everything loads; every layer computes something else. Names of one function "
        "(gelu_new and gelu_pytorch_tanh, swish and silu) are equal.",
        "a Gemma converted with hidden_act gelu where its layers were trained with gelu_pytorch_tanh.",
        "Shazeer 2020, GLU Variants Improve Transformer (arXiv:2002.05202)",
    ),
    "rope-drift": _page(
        "With --against: base, scaling or share of the rotary positions differ from the base model's.",
        "Queries and keys were trained to turn at given speeds. Another θ or scaling looks fine on short "
        "prompts and falls "
        "apart on long ones. A model that was tuned for a longer context differs on purpose: ignore it "
        "there. The older "
        "rope_theta and rope_scaling and the newer rope_parameters are compared as what they mean.",
        "rope_theta 500000 was lost when the config was rewritten, and 10000 is the default.",
        "Su et al. 2021, RoFormer (arXiv:2104.09864); Peng et al. 2023, YaRN (arXiv:2309.00071)",
    ),
    "shape-drift": _page(
        "With --against: shapes, sizes or the number of layers differ from the base model's.",
        "The logical shapes are compared: a quantized weight counts as what it stands for. A head count "
        "that changed while "
        "all shapes still fit is reported too: rows are cut into other heads, and nothing crashes.",
        "num_attention_heads 32 became 64: q_proj is as large as before.",
    ),
    "bias-drift": _page(
        "With --against: biases of the base model are gone, or others have come.",
        "A bias that is gone counts as zero; one that the architecture has no place for is left "
        "out when the model is loaded. Zeros "
        "that an exporter of quantized models adds are reported as unexpected-bias and not again here.",
        "a Qwen2.5 was converted as a Llama, and lost its q, k and v biases.",
    ),
    "norm-drift": _page(
        "With --against: norms are of another type, stand elsewhere, have another form of gain, or came or went.",
        "Every one of these keeps the shapes and changes the function. Converting a Gemma, whose gain is "
        "1 + w, to an "
        "architecture with gain w without adding 1 makes each norm wrong.",
        "q_norm and k_norm of a Qwen3 were lost in a conversion.",
        "Zhang & Sennrich 2019 (arXiv:1910.07467); Xiong et al. 2020 (arXiv:2002.04745)",
    ),
    "head-drift": _page(
        "With --against: the base has an output head of its own, and this model has none.",
        "Nothing crashes where the config ties the head: the embedding takes its place, and the output is noise.",
        "A merge dropped lm_head.weight and wrote tie_word_embeddings: true.",
    ),
    "vocab-drift": _page(
        "With --against: the vocabulary has another size than the base model's.",
        "Often intended: added tokens, or padding to a round number. Then the tokenizer must be the one "
        "that belongs to it.",
        "a pad token was added: 32000 became 32001.",
    ),
}
