"""English: what each finding says, and what to do about it.

Keys are "check.variant"; placeholders are the values of the problem, and ``{where}``, the tensors folded into
patterns.
"""

from typing import Final

FINDINGS: Final[dict[str, tuple[str, str]]] = {
    # --- norms ---
    "missing-final-norm.absent": (
        "The norm after the last layer is missing: no tensor for {where}.",
        "Without it the head reads the residual stream unscaled, and the logits are wrong. Take the tensor from the source "
        "checkpoint; converters lose it when they copy layers only.",
    ),
    "missing-final-norm.encoder": (
        "The norm after the encoder's last layer is missing: no tensor for {where}.",
        "Without it the decoder's cross-attention reads the encoder's residual stream unscaled. Take the tensor from the source "
        "checkpoint.",
    ),
    "missing-layer-norm.absent": (
        "Norm tensors missing: {count} ({where}).",
        "The architecture has this norm in every such layer. Copy it from the source checkpoint.",
    ),
    "norm-type-mismatch.absent": (
        "The architecture uses LayerNorm with bias, but no norm in the checkpoint has a bias: {where}.",
        "Either model_type is wrong (an RMSNorm model), or the conversion dropped the biases.",
    ),
    # --- biases ---
    "unexpected-bias.norm": (
        "Norm biases where the architecture has none ({type}): {count} ({where}).",
        "They are ignored when the model is loaded. If the model was trained with them, model_type names the wrong architecture.",
    ),
    "unexpected-bias.plain": (
        "Bias tensors that {family} has no place for: {count} ({where}).",
        "They are ignored when the model is loaded. If the model needs them, set the config's bias flag or the right "
        "model_type; otherwise remove them.",
    ),
    "unexpected-bias.quantized": (
        "Bias tensors that {family} has no place for: {count} ({where}).",
        "Quantization exporters often write zero-filled biases (values are not read here). Remove them, or set the bias "
        "flag if the original model had them.",
    ),
    "missing-bias.always": (
        "Bias tensors missing: {count} ({where}). This architecture always has them.",
        "They start at zero or at random when the model is loaded, and the output degrades. Restore them from the source checkpoint.",
    ),
    "missing-bias.flag": (
        "Bias tensors missing: {count} ({where}). The config asks for them ({flag}).",
        "Set {flag} to what the checkpoint was trained with, or restore the biases from the source checkpoint.",
    ),
    # --- tensors ---
    "missing-tensor.absent": (
        "Tensors missing: {count} ({where}).",
        "A library fills them with random numbers when it loads the model. Restore them from the source checkpoint.",
    ),
    "missing-tensor.companion": (
        "Quantized weights ({format}) without what unpacks them: {count} ({where}).",
        "Packed numbers mean nothing without their scales: loading fails, or gives noise. Restore these tensors, or quantize again.",
    ),
    "missing-tensor.experts": (
        "{key} = {wanted}, experts stored: {stored}. Without any tensor, in every layer: {gone}.",
        "Set {key} to {stored}. If experts were lost, restore them: a library fills them with random numbers.",
    ),
    "missing-tensor.norms": (
        "Norm tensors missing: {count} ({where}).",
        "A library fills the gains with ones and the biases with zeros: nothing crashes, and the output degrades. Restore "
        "them from the source checkpoint.",
    ),
    "missing-tensor.embedding": (
        "The token embedding is missing ({where}) while an output head is stored.",
        "When two names share one tensor a safetensors file keeps one of them; probably the embedding was saved under the "
        "head's name. Save it under its own name, or set tie_word_embeddings.",
    ),
    "missing-tensor.layout": (
        "The tensors have another layout than this model type: names expected and absent: {missing}, other names: "
        "{unexpected} (found {example}, expected {wanted}).",
        "Check model_type, or convert the names to the layout of this architecture.",
    ),
    "unexpected-tensor.stranger": (
        "Tensors that {family} has no place for: {count} ({where}).",
        "They are ignored when the model is loaded. If they matter, model_type is another architecture's.",
    ),
    "shape-mismatch.root": (
        "{key} = {value} gives {expected_shape} for {tensor}, which is stored as {stored_shape} ({rule}). Every tensor fits "
        "{key} = {right}. Tensors that differ: {count}.",
        "Set {key} to {right}.",
    ),
    "shape-mismatch.rule": (
        "{tensor} has shape {stored_shape}, but {expected_shape} follows from the config ({rule}). Tensors that differ so: {count}.",
        "Loading fails or drops data. Correct the config, or the tensor.",
    ),
    "shape-mismatch.key": (
        "{tensor} has shape {stored_shape}, but {key} = {value} gives {expected_shape} ({rule}). Tensors that differ so: {count}.",
        "Set {key} to what the tensors have.",
    ),
    "shape-mismatch.turned": (
        "{tensor} is stored as {stored_shape}, the transpose of {expected_shape} ({rule}). Tensors that differ so: {count}.",
        "Transpose it: linear layers are stored [out, in], GPT-2's Conv1D [in, out].",
    ),
    # --- quantization ---
    "quantization-group-mismatch.divide": (
        "Groups of {group} do not divide the {inner} inputs of {tensor} ({rest} are left over). Tensors like this: {count} ({where}).",
        "Kernels work on whole groups and refuse such a matrix. Quantize with a group that divides the width, or pad the "
        "weights with zeros first.",
    ),
    "quantization-group-mismatch.config": (
        "Groups of {group} do not divide {key} = {value} ({rest} are left over).",
        "Kernels work on whole groups and refuse such a matrix. Use a group that divides the width.",
    ),
    "quantization-group-mismatch.shape": (
        "{tensor} has shape {stored_shape}, but {expected_shape} follows from its weight ({weight_shape}) and the group "
        "({group}). Tensors that differ so: {count} ({where}).",
        "The group in the quantization config is not the one that the weights were quantized with, or the tensors come from "
        "two different runs.",
    ),
    "quantization-group-mismatch.shape-alone": (
        "{tensor} has shape {stored_shape}, but {expected_shape} follows from its weight ({weight_shape}). Tensors that "
        "differ so: {count} ({where}).",
        "The tensors come from two different runs, or one of them was cut or padded.",
    ),
    "quantization-config-mismatch.nothing": (
        "The config declares quantized weights ({key}: {method}), but no tensor is quantized.",
        "Loaders look for packed tensors and find none. Remove the quantization config from a checkpoint that was "
        "dequantized, or upload the quantized weights.",
    ),
    "quantization-config-mismatch.undeclared": (
        "Quantized weights ({format}) without a quantization config that says so: {count} ({where}).",
        "Loaders take the packed tensors for plain ones and fail, or load noise. Put the quantizer's config into "
        "config.json (quantization_config).",
    ),
    "quantization-config-mismatch.bits": (
        "The config declares {declared} bits, but the tensors hold {stored} bits for each weight (weights: {count}, {where}).",
        "Set bits to what the weights were quantized with; a loader unpacks by this number.",
    ),
    "index-total-parameters.differs": (
        "The index declares total_parameters = {declared:,}, but the tensors are {counted:,} parameters.",
        "The number in the index is shown by model hubs. Correct it, or remove it.",
    ),
    "index-total-parameters.stored": (
        "The index declares total_parameters = {declared:,}: that is stored elements ({elements:,}), packed weights counted as "
        "one each. The tensors are {counted:,} parameters.",
        "Count what the packed weights stand for. Correct the number, or remove it.",
    ),
    "wrapped-names.all": (
        "All names carry the prefix {prefix} of a training wrapper ({count}).",
        "Nothing loads by these names. Save the unwrapped model, or strip the prefix. What follows was read without it.",
    ),
    "dtype-mismatch.stored": (
        "{key} says {declared}, but tensors are stored as {stored} ({count}).",
        "Sizes here come from the headers. Correct {key} if it is only left over.",
    ),
    # --- sizes ---
    "head-mismatch.root": (
        "{key} = {value} gives {expected_shape} for {tensor}, which is stored as {stored_shape} ({rule}). Every tensor fits "
        "{key} = {right}. Tensors that differ: {count}.",
        "Set {key} to {right}.",
    ),
    "head-mismatch.groups": (
        "{heads} attention heads do not divide by {kv_heads} key-value heads.",
        "Grouped-query attention needs a whole number of query heads for each key-value head.",
    ),
    "head-mismatch.divide": (
        "hidden size {hidden} does not divide by {heads} attention heads, and no head_dim is given.",
        "Set head_dim, or a head count that divides the hidden size.",
    ),
    "head-mismatch.key": (
        "{key} = {value} gives {expected_shape} for {tensor}, but it is stored as {stored_shape}. Tensors that differ so: {count}.",
        "Set {key} (and head_dim) to what the projections have.",
    ),
    "head-mismatch.rule": (
        "{tensor} has shape {stored_shape}, but {expected_shape} follows from the head counts ({rule}). Tensors that differ so: {count}.",
        "Set the head counts and head_dim to what the projections have.",
    ),
    "layer-count-mismatch.extra": (
        "{key} = {wanted}, layers stored: {stored}. Beyond the count, and dropped on loading: {extra}.",
        "Set {key} to {stored}, or remove the extra layers if a merge left them.",
    ),
    "layer-count-mismatch.absent": (
        "{key} = {wanted}, layers stored: {stored}. Without any tensor: {absent}.",
        "A library fills them with random numbers. Restore the layers, or set {key} to {stored} and renumber.",
    ),
    "layer-count-mismatch.both": (
        "{key} = {wanted}. Layers without any tensor: {absent}; layers beyond the count: {extra}.",
        "The numbering has a gap, as after a merge: renumber the layers without gaps.",
    ),
    "vocab-size-mismatch.root": (
        "{key} = {value} gives {expected_shape} for {tensor}, which is stored as {stored_shape} ({rule}). Every tensor fits "
        "{key} = {right}. Tensors that differ: {count}.",
        "Set {key} to {right}.",
    ),
    "vocab-size-mismatch.key": (
        "{key} = {value}, but {tensor} has {stored} rows.",
        "Set {key} to {stored}, or resize the embedding to the tokenizer.",
    ),
    "vocab-size-mismatch.rule": (
        "{tensor} has {stored} rows, the config gives {config}.",
        "Set the vocabulary size to {stored}, or resize the embedding to the tokenizer.",
    ),
    "intermediate-size-mismatch.root": (
        "{key} = {value} gives {expected_shape} for {tensor}, which is stored as {stored_shape} ({rule}). Every tensor fits "
        "{key} = {right}. Tensors that differ: {count}.",
        "Set {key} to {right}.",
    ),
    "intermediate-size-mismatch.key": (
        "{key} = {value}, but {tensor} is stored as {stored_shape} where {expected_shape} follows from it. Tensors that differ so: {count}.",
        "Set {key} to what the tensors have. Loading with another width fails, or silently drops columns.",
    ),
    "intermediate-size-mismatch.rule": (
        "{tensor} is stored as {stored_shape}, where {expected_shape} follows from the config. Tensors that differ so: {count}.",
        "Set the width to what the tensors have.",
    ),
    "incomplete-ffn.absent": (
        "Feed-forward matrices missing where the block's others are stored: {count} ({where}).",
        "Its other matrices are there. Restore the missing ones from the source checkpoint.",
    ),
    "incomplete-ffn.other-block": (
        "{key} = {value} asks for {wanted} in every feed-forward block, but {found} are stored instead ({where}).",
        "Set {key} to what the model was trained with: the matrices show another kind of block (gated or not).",
    ),
    "intermediate-size-convention.ratio": (
        "intermediate_size {value} is {ratio} times {plain}, the usual width for hidden size {hidden}.",
        "Some tools count gate and up together, or apply the 2/3 twice. If each matrix has {plain} rows, write {plain}.",
    ),
    "intermediate-size-alignment.tile": (
        "{key} = {value} is no multiple of {tile}.",
        "Matrix kernels and tensor parallelism work in multiples of {tile}; the next is {next}. An existing checkpoint can "
        "only be padded, not cut.",
    ),
    "intermediate-size-alignment.ranks": (
        "{key} = {value} does not divide by {ranks} tensor-parallel ranks: {rest} columns are left over.",
        "Choose another number of ranks, or pad config and weights to {next}.",
    ),
    "intermediate-size-alignment.rank-groups": (
        "{key} = {value} gives each of {ranks} ranks {per_rank} columns: no whole number of quantization groups of {group} "
        "({group_key}).",
        "A group has one scale and cannot be split. Choose fewer ranks, smaller groups, or pad config and weights to {next}.",
    ),
    "head-mismatch.ranks": (
        "{heads} attention heads do not divide by {ranks} tensor-parallel ranks.",
        "Each rank takes whole heads. Choose a number of ranks that divides {heads}.",
    ),
    "head-mismatch.kv-ranks": (
        "{kv_heads} key-value heads neither divide by {ranks} tensor-parallel ranks nor divide them.",
        "Ranks share or repeat whole key-value heads. Choose another number of ranks.",
    ),
    "head-mismatch.rank-groups": (
        "{heads} attention heads give each of {ranks} ranks {columns} inputs of the output projection: no whole number of "
        "quantization groups of {group} ({group_key}).",
        "A group has one scale and cannot be split. Choose fewer ranks or smaller groups.",
    ),
    # --- heads ---
    "tied-head-conflict.no-head": (
        "The config does not tie the head to the embedding, and no head is stored ({where}).",
        "Fine for an embedding model, fatal for generation: the head would be random. Set tie_word_embeddings to true if "
        "the model was trained so, or add the tensor.",
    ),
    "tied-head-conflict.embedding-gone": (
        "Neither a token embedding nor an output head is stored ({where}).",
        "Restore the embedding from the source checkpoint.",
    ),
    "tied-head-stored.both": (
        "The config ties the head to the embedding, and a head is stored all the same: {where} (elements: {elements}).",
        "Headers cannot tell whether the two differ. Where they do, transformers 5 does not tie them and runs with the "
        "stored head; older releases, and engines that go by the config, ignore it and run with the embedding. Store "
        "one, or set tie_word_embeddings to false. It is counted once in the parameters and twice in the bytes.",
    ),
    # --- eps ---
    "eps-missing.default": (
        "{key} is not in the config; {family} then uses {value}, the default of transformers.",
        "Write it down: another engine may have another default, and nothing would crash.",
    ),
    "eps-missing.unread": (
        "{key} is not in the config; {family} then uses {value}, the default of transformers. {other} = {given} is there, a key that "
        "{family} does not read.",
        "Write the value under {key}: nothing crashes, and the norms use another ε.",
    ),
    "eps-invalid.type": ("{key} is {value}, not a number.", "Write a positive number such as 1e-05."),
    "eps-invalid.null": ("{key} is null; transformers refuses it.", "Write the number that the model was trained with."),
    "eps-invalid.value": (
        "{key} = {value} is not a positive finite number.",
        "ε keeps the root away from zero; write the number that the model was trained with, such as 1e-05.",
    ),
    "eps-unusual.range": (
        "{key} = {value} lies outside {low} … {high}, where published models lie.",
        "Check it against the training code: it cannot be seen in the weights.",
    ),
    "eps-conflict.keys": (
        "{first} = {value} and {second} = {other}: two keys for the same ε.",
        "Keep the one that the model was trained with, or make both equal; engines read one or the other.",
    ),
    "eps-underflow.fp16": (
        "{key} = {value} rounds to zero in float16, the dtype of the weights.",
        "It is safe where the norm is computed in float32, as transformers does; a kernel that takes ε in float16 divides by zero.",
    ),
    # --- config ---
    "invalid-config.null": ("{key} is null, and has no meaning without a value.", "Write the number, or remove the key."),
    "invalid-config.type": ("{key} is {value}, where a value of type {kind} belongs.", "Correct the value."),
    "invalid-config.range": ("{key} = {value} is out of range.", "Correct the value."),
    "invalid-config.not-whole": ("{key} = {value} is written with a fraction.", "Write {number}: transformers wants a whole number."),
    "invalid-config.length": (
        "Entries of {key}: {length}; layers: {layers}.",
        "Give one entry for each layer.",
    ),
    "invalid-config.top-k": (
        "{key} = {top_k}, but there are only {experts} experts.",
        "A token cannot visit more experts than there are.",
    ),
    "invalid-config.activation": (
        "{key} is {value}: transformers has no activation of this name.",
        "Loading fails. Write the name that the model was trained with, such as silu, gelu or relu.",
    ),
    "invalid-config.activation-near": (
        "{key} is {value}: transformers has no activation of this name.",
        "Loading fails. Is {near} meant?",
    ),
    "invalid-config.layer-type": (
        "layer_types has {value} for layer {layer} (entries of unknown kind: {count}).",
        "transformers refuses it. Write full_attention, sliding_attention, linear_attention or another that it knows.",
    ),
    "invalid-config.padding": (
        "pad_token_id = {value} is no row of an embedding of {rows} rows.",
        "transformers refuses it. Write the padding token's id, or null.",
    ),
    "invalid-config.rope-type": (
        "{key} is {value}: transformers has no rotary positions of this kind.",
        "Loading fails. It knows {known}.",
    ),
    "invalid-config.rope-type-near": (
        "{key} is {value}: transformers has no rotary positions of this kind.",
        "Loading fails. Is {near} meant?",
    ),
    "invalid-config.rope-keys": (
        "{key} asks for {kind} scaling without what it needs: {gone}.",
        "transformers refuses it. Write what the model was trained with.",
    ),
    "invalid-config.rope-factor": (
        "{key} = {value}: a factor below 1 shortens the context instead of stretching it.",
        "Write the ratio of the new context to the trained one, 1 or more.",
    ),
    "invalid-config.odd-head": (
        "{key} = {value} is odd, and rotary positions turn pairs of numbers.",
        "transformers refuses it. Write an even head size.",
    ),
    "invalid-config.dtype": (
        "{key} is {value}, which is no dtype.",
        "Loading fails. Write {near}, or another dtype of torch.",
    ),
    "invalid-config.no-method": (
        "{key} does not say how the weights are quantized: it has no quant_method.",
        "Loaders refuse it. Write the quantizer's method, or remove {key}.",
    ),
    "invalid-config.no-experts": (
        "{key} = 0, while {other} = {value}: a token has no expert to go to.",
        "Write the number of experts, or use a dense model type.",
    ),
    "invalid-config.no-top-k": (
        "{key} = 0, while {other} = {value}: no token goes to any expert.",
        "Write how many experts a token visits.",
    ),
    "invalid-config.gate": (
        "{key} is {value}, neither an activation nor gated- with one behind it.",
        "transformers refuses it. Write relu, or gated-gelu.",
    ),
    "key-conflict.class": (
        "architectures names {class}, a class of {other}, but model_type is {model_type}.",
        "Some tools go by the class, others by model_type, and build different models. Make both name the same family.",
    ),
    "key-conflict.keys": (
        "{first} = {value} and {second} = {other}: two names of one setting.",
        "Readers differ in which one they take. Keep the one that the model was trained with, or make both equal.",
    ),
    "unexpected-value.differs": (
        "{key} is {value}, where {expected} is expected.",
        "Correct the config, or what the settings expect of it.",
    ),
    "unexpected-value.absent": (
        "{key} is not in the config, where {expected} is expected.",
        "Write it into the config, or remove it from what the settings expect.",
    ),
    "unexpected-value.misspelt": (
        "{key} is not in the config, where {expected} is expected, and {near} has nearly the same name.",
        "Do the settings mean {near}?",
    ),
    "numeric-string.number": (
        '{key} is the string "{value}", not the number {number}.',
        "Remove the quotes: transformers refuses a string. YAML reads 1e-05 without a dot as a string.",
    ),
    "unknown-family.type": (
        "No table for model_type {model_type}: what is said comes from the tensors alone.",
        "What cannot be seen there (the default of ε, the gain convention, where norms stand) is left unknown.",
    ),
    "unknown-family.type-near": (
        "No table for model_type {model_type}: what is said comes from the tensors alone.",
        "Is {near} meant? Nothing loads under another name.",
    ),
    "unknown-family.type-config": (
        "No table for model_type {model_type}, and there are no tensors to go by: little is said.",
        "Check the spelling, or point at a checkpoint with weights.",
    ),
    "unknown-family.type-near-config": (
        "No table for model_type {model_type}, and there are no tensors to go by: little is said.",
        "Is {near} meant? Nothing loads under another name.",
    ),
    "unknown-family.wrapper": (
        "No table for the wrapper {model_type}; the language model in it is a {family}, and is checked as one.",
        "Towers and projectors get roles by name; the total from the config alone is unknown.",
    ),
    "unknown-family.guess": (
        "The config names no model_type (the class name points to {guess}): what is said comes from the tensors alone.",
        "Add model_type to the config.",
    ),
    "unknown-family.none": (
        "The config names no model_type: what is said comes from the tensors alone.",
        "Add model_type to the config.",
    ),
    "unknown-family.no-config": (
        "There is no config beside the weights: what is said comes from the tensors alone.",
        "Point at a directory that holds config.json too.",
    ),
}
