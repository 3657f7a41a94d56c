"""English: what differs between two models, and what each difference means."""

from typing import Final

TEXTS: Final[dict[str, str]] = {
    # --- what a difference does ---
    "diff.gravity.loading": "weights of one do not fit the other",
    "diff.gravity.function": "something else is computed, whatever the shapes",
    "diff.gravity.usage": "how it is run, stored or prompted",
    "diff.gravity.bookkeeping": "no effect on the model",
    # --- structure ---
    "diff.title.model.family": "architecture",
    "diff.model.family": (
        "Another table of tensors and another class in transformers. Where structure, config and tensors agree below, "
        "nothing that is known here tells them apart."
    ),
    "diff.title.size.layers": "layers",
    "diff.size.layers": (
        "Another depth. Where layers were added, dropped or repeated, the rest was not trained with that."
    ),
    "diff.title.size.hidden": "hidden size",
    "diff.size.hidden": "Every matrix has another shape: no weight of one fits the other.",
    "diff.title.size.vocab": "vocabulary",
    "diff.size.vocab": (
        "Other rows in embedding and head. Often intended (added tokens, padding), but the tokenizer must be the "
        "one that belongs to it."
    ),
    "diff.title.size.context": "context",
    "diff.size.context": (
        "How many positions are promised. With the same weights a higher number alone makes them no better at long "
        "distances."
    ),
    "diff.title.norm.type": "norm",
    "diff.norm.type": "LayerNorm subtracts the mean and RMSNorm does not: another function even with the same gains.",
    "diff.norm.type.other": "Another kind of norm, or none.",
    "diff.title.norm.placement": "norm placement",
    "diff.norm.placement": (
        "The norms stand elsewhere in the layer, so each sub-layer sees its input at another scale."
    ),
    "diff.title.norm.eps": "ε of the norms",
    "diff.norm.eps": (
        "With the same weights not a crash, a quieter loss of quality: ε is added to the mean of squares (or to the "
        "variance), and matters where activations are small. The right value is the one that the weights were trained "
        "with."
    ),
    "diff.title.norm.gain": "gain of the norms",
    "diff.norm.gain": (
        "w against 1 + w: with the wrong one every norm scales by 1 more or 1 less than it was trained to."
    ),
    "diff.norm.gain.other": "One side's norms have a gain to learn, the other's only normalise.",
    "diff.title.norm.bias": "bias in the norms",
    "diff.norm.bias": "A shift after each norm that only one side has.",
    "diff.title.norm.qk": "norms inside attention",
    "diff.norm.qk": "One side has norms inside attention (on queries and keys, or on latents), the other has none.",
    "diff.title.norm.final": "final norm",
    "diff.norm.final": (
        "One side normalises the last layer's output once more before the head, the other does not."
    ),
    "diff.title.ffn.kind": "feed-forward block",
    "diff.ffn.kind": "Another feed-forward block: gated blocks multiply two projections, plain ones have one.",
    "diff.title.ffn.activation": "activation",
    "diff.ffn.activation": (
        "Another curve in every feed-forward block. With the same weights nothing crashes, and every layer is off, by "
        "little or much."
    ),
    "diff.title.ffn.width": "feed-forward width",
    "diff.ffn.width": "The feed-forward matrices have other shapes.",
    "diff.title.ffn.bias": "bias in the feed-forward block",
    "diff.ffn.bias": "Only one side adds a bias in its feed-forward blocks.",
    "diff.title.ffn.experts": "experts",
    "diff.ffn.experts": "Another number of experts: the router has other rows.",
    "diff.title.ffn.experts_per_token": "experts per token",
    "diff.ffn.experts_per_token": (
        "Each token visits another number of experts: no tensor depends on it, quality and speed do."
    ),
    "diff.title.ffn.shared_experts": "shared experts",
    "diff.ffn.shared_experts": "Another number of experts that every token goes through.",
    "diff.title.ffn.expert_width": "width of an expert",
    "diff.ffn.expert_width": "The experts' matrices have other shapes.",
    "diff.title.ffn.layers": "dense and sparse layers",
    "diff.ffn.layers": "Other layers are mixtures of experts.",
    "diff.title.attention.kind": "attention",
    "diff.attention.kind": (
        "Keys and values are shared between query heads in another way: k and v have other shapes, and the cache "
        "another size."
    ),
    "diff.attention.kind.other": "Another kind of attention, or none: other matrices, and another cache.",
    "diff.title.attention.heads": "query heads",
    "diff.attention.heads": (
        "Another number of query heads. Where heads × head size stays equal the shapes still fit, and attention "
        "computes something else."
    ),
    "diff.title.attention.kv_heads": "key-value heads",
    "diff.attention.kv_heads": (
        "Another number of heads has keys and values: k and v have other shapes, and a token takes another amount of "
        "cache."
    ),
    "diff.title.attention.head_dim": "head size",
    "diff.attention.head_dim": (
        "Scores are mostly scaled by its root, and rotary positions turn over it: another function even where the "
        "shapes agree."
    ),
    "diff.title.attention.bias": "biases in attention",
    "diff.attention.bias": "Projections of attention add a bias on one side and not on the other.",
    "diff.title.attention.window": "attention window",
    "diff.attention.window": "Tokens further back than the window are not seen by the layers that have one.",
    "diff.title.positions.kind": "positions",
    "diff.positions.kind": "The order of the tokens reaches the layers in another way.",
    "diff.title.rope.theta": "rotary base θ",
    "diff.rope.theta": (
        "Positions turn at other speeds. Weights that were trained with one may look fine with the other on short "
        "texts, and are worse the longer the text."
    ),
    "diff.title.rope.fraction": "rotary share of a head",
    "diff.rope.fraction": "Another part of each head carries positions.",
    "diff.title.rope.scaling": "rotary scaling",
    "diff.rope.scaling": (
        "Positions are stretched in another way: right for weights that were tuned with it, and some engines apply it "
        "at every length."
    ),
    "diff.title.layers.kinds": "kinds of layers",
    "diff.layers.kinds": "Other layers see everything, a window, or a running state.",
    "diff.title.layers.encoder": "encoder with a decoder",
    "diff.layers.encoder": "One side has an encoder whose output its decoder reads, the other is a single stack.",
    "diff.title.head.tied": "tied head",
    "diff.head.tied": (
        "Whether the output head is the embedding. A head that is stored and not read, or read and not stored, "
        "gives other logits."
    ),
    "diff.title.remarks": "what else is computed",
    "diff.remarks": (
        "Scales, caps, norms and steps that hardly a shape shows: only one side computes them, or with another number. "
        "Weights of the one run as the other without a word, and something else comes out."
    ),
    "diff.title.quantization": "quantization",
    "diff.quantization": (
        "How weights are stored: as numbers, or as codes and scales, which are smaller and a little different."
    ),
    # --- config keys ---
    "diff.key.eps": "ε differs: with the same weights not a crash, a quieter loss of quality.",
    "diff.key.act": "Another activation: with the same weights nothing crashes, and every layer is off.",
    "diff.key.rope": "Positions turn at other speeds.",
    "diff.key.tie": "Whether the output head is the embedding.",
    "diff.key.top_k": "Each token visits another number of experts.",
    "diff.key.window": "How far back a layer looks.",
    "diff.key.vocab": "Other rows in embedding and head.",
    "diff.key.layers": "Another depth.",
    "diff.key.max_pos": "How many positions are promised.",
    "diff.key.labels": "Other classes, or other names of them.",
    "diff.key.shape": "Shapes of tensors follow from it.",
    "diff.key.function": "It changes what is computed, not what is stored: nothing crashes.",
    "diff.key.model_type": "transformers builds another architecture.",
    "diff.key.architectures": "Another class: another head on the same body, or none.",
    "diff.key.dtype": "What the weights are loaded as, unless the loader is told otherwise.",
    "diff.key.token.begins": "What a sequence begins with: it has to be the one of training.",
    "diff.key.token.ends": "Where generation stops: with the wrong one it does not stop, or stops too early.",
    "diff.key.token.fills": "What fills the shorter sequences of a batch.",
    "diff.key.token.other": "It names a special token, and has to agree with the tokenizer.",
    "diff.key.structure": "Where parts of a layer stand, or whether they exist, follows from it.",
    "diff.key.flag": "Whether some tensors exist follows from it.",
    "diff.key.idle": "Not in use: no layer has a window on either side.",
    "diff.key.runtime": "It steers the program, not what is computed.",
    "diff.key.generation": "A setting for generating text.",
    "diff.key.explained": "No table of these two families names this key; `cfgexplain key` says what it is.",
    "diff.key.quantization": "How the loader reads quantized weights.",
    "diff.key.unread": "transformers does not read this key for this architecture.",
    "diff.key.training": "Only training uses it.",
    "diff.key.paperwork": "Says where the file comes from, not what the model is.",
    "diff.key.other": "No table here names this key: whether it matters depends on the code that reads it.",
    # --- tensors ---
    "diff.tensor.added.bias": (
        "B has a bias that A does not have. Loaded by code without a place for it, B loses it."
    ),
    "diff.tensor.added.norm": "B has a norm that A does not have.",
    "diff.tensor.added.inner-norm": "B has a norm inside attention that A does not have: its scores have another scale.",
    "diff.tensor.added.foreign": "Only B has it under this name.",
    "diff.tensor.added.head": "B stores an output head of its own.",
    "diff.tensor.added.tower": "B has a tower or projector that A does not have.",
    "diff.tensor.added.layer": "Layers that A does not have.",
    "diff.tensor.added.adapter": "Adapter weights beside the model's own.",
    "diff.tensor.added.mtp": "Layers for multi-token prediction: plain generation does not use them.",
    "diff.tensor.added.other": "Only B has it.",
    "diff.tensor.removed.bias": (
        "A has a bias that B does not have. Where B's weights were trained with it, the output degrades."
    ),
    "diff.tensor.removed.norm": (
        "A has a norm that B does not have. Where B's architecture needs it, a library fills its gain with ones."
    ),
    "diff.tensor.removed.inner-norm": (
        "A has a norm inside attention that B does not have. Where B's architecture needs it, a library fills its gain "
        "with ones."
    ),
    "diff.tensor.removed.foreign": "Only A has it under this name.",
    "diff.tensor.removed.head": (
        "B stores no output head of its own: it is tied to the embedding, or B has none, or it is missing."
    ),
    "diff.tensor.removed.tower": "A has a tower or projector that B does not have.",
    "diff.tensor.removed.layer": "Layers that B does not have.",
    "diff.tensor.removed.adapter": "Adapter weights that B does not have.",
    "diff.tensor.removed.mtp": "Layers for multi-token prediction: plain generation does not miss them.",
    "diff.tensor.removed.other": (
        "Only A has it. Where B's architecture needs it, a library fills it with random numbers."
    ),
    "diff.tensor.reshaped.vocab": "Other rows: added tokens, padding, or another tokenizer.",
    "diff.tensor.reshaped.other": "The weights of one do not load into the other.",
    "diff.tensor.retyped.narrower": "Fewer bits: the values are rounded.",
    "diff.tensor.retyped.wider": "More bits: more bytes, and no information that was not there.",
    "diff.tensor.retyped.range": (
        "As many bits, cut in another way: F16 has 11 bits of precision and ends at 65,504, BF16 has 8 and the "
        "range of F32."
    ),
    "diff.tensor.retyped.codes": (
        "Codes of a quantization on one side, numbers on the other: rounded to the scales beside them."
    ),
    "diff.tensor.retyped.unknown": "Another dtype.",
    "diff.tensor.regrouped": "The same parameters, stored in another way.",
    # --- the report ---
    "diff.side": "{side}  {target}",
    "diff.side.about": "{family}, {params}",
    "diff.side.unknown": "unknown family",
    "diff.same": "The same model.",
    "diff.same.paperwork": "The same model: only what says nothing about it differs.",
    "diff.renamed": "Tensors at the same place under another name in the file: {count:,}.",
    "diff.no-tensors": "Tensors were not compared: one side was read without weights.",
    "diff.heading.structure": "Structure",
    "diff.heading.config": "Config",
    "diff.heading.tensors": "Tensors",
    "diff.heading.params": "Parameters",
    "diff.added": "only in B",
    "diff.removed": "only in A",
    "diff.reshaped": "other shape",
    "diff.retyped": "other dtype",
    "diff.regrouped": "stored otherwise",
    "diff.arrow": "{a} → {b}",
    "diff.absent": "absent",
    "diff.default": "{value} (default)",
    "diff.derived": "{value} (derived)",
    "diff.none": "none",
    "diff.yes": "yes",
    "diff.no": "no",
    "diff.unknown": "not known",
    "diff.count.total": "all",
    "diff.count.active": "used per token",
    "diff.count.bytes": "bytes",
    "diff.count.change": "change",
    "diff.more": "and {count} more (-v lists all)",
    "diff.unrelated": (
        "Different architectures: their tensors do not correspond one to one. Structure and sizes are compared, and "
        "nothing is said of loading one as the other."
    ),
    "diff.summary.one": "{count} difference",
    "diff.summary.many": "{count} differences",
    "diff.column.what": "what",
    "diff.column.meaning": "meaning",
    "diff.column.tensors": "tensors",
}
