"""English: what each config key does, and what happens if it is wrong. Sizes, feed-forward block, norms, the program.

Topic → (what it does, what happens if it is wrong). True of every model that has the key, so no conditions in the
code: what holds only somewhere says where.
"""

from typing import Final

KEYS: Final[dict[str, tuple[str, str]]] = {
    # --- sizes ---
    "hidden_size": (
        "The width of the residual stream: every token is a vector of this many numbers from the embedding to the last "
        "norm, and every sub-layer reads from it and adds to it.",
        "Nearly every tensor has this size as one of its axes, so loading fails at once.",
    ),
    "num_hidden_layers": (
        "How many blocks stand one after the other. Time grows in proportion to it, and so do the parameters of the "
        "layers, unless they share them.",
        "Too small, and a library drops the layers beyond the count, mostly without an error; too large, and it fills "
        "the missing ones with random numbers.",
    ),
    "vocab_size": (
        "How many rows the embedding has, one for each token id, and how many logits come out. It may exceed what the "
        "tokenizer uses: rows are padded to a round number for the kernels.",
        "Loading fails, or the embedding is cut; an id at or beyond it is an index out of range.",
    ),
    "type_vocab_size": (
        "How many segment ids there are (sentence A, sentence B); each adds a learned vector to its tokens. "
        "Where parameters are counted by part, this table is among the positions.",
        "Loading fails on the table of segment vectors.",
    ),
    "max_position_embeddings": (
        "The longest sequence that the model was built for. With learned positions it decides how many rows "
        "their table has; with rotary positions no tensor depends on it, and it says how far training went (or "
        "how far a scaling reaches).",
        "With learned positions a longer input is an error. With rotary positions nothing stops it: quality "
        "falls away beyond the trained length, and engines reserve cache for what this says.",
    ),
    "max_position_embeddings.free": (
        "The longest sequence that the model was built for. No tensor depends on it and nothing in the layers "
        "counts positions: order comes from the recurrent layers, or from the causal mask.",
        "Nothing stops a longer input; quality may fall beyond the lengths of training, and engines reserve "
        "cache for what this says.",
    ),
    "tie_word_embeddings": (
        "Whether the output head is the token embedding used a second time, or a matrix of its own. Sharing saves "
        "vocabulary × hidden parameters, a large part of a small model and next to nothing of a large one; in exchange "
        "one matrix has to serve both as what a token means and as what predicts it.",
        "True by mistake over a stored head that differs: transformers 5 uses the stored head all the same, older "
        "releases and engines that go by the config use the embedding, and produce nonsense. False by mistake, with no "
        "head stored: the head is random.",
    ),
    "embedding_size": (
        "In most families the width of the embedding where it is not the hidden size: a projection leads from one to "
        "the other. In OLMo's and Molmo's own formats it is the number of rows of the embedding, padded beyond "
        "vocab_size.",
        "Loading fails on the embedding.",
    ),
    "word_embed_proj_dim": (
        "The width of the embedding (output_embedding_size: of what the head reads) where it is not the hidden "
        "size: a projection leads from one to the other.",
        "Loading fails on the embedding or on the head.",
    ),
    "initializer_range": (
        "The standard deviation (in some families a factor) of the random numbers that weights begin with before "
        "training. A layer that is new, such as a classifier on top, still begins so.",
        "Nothing changes for a trained checkpoint: its tensors replace the random numbers.",
    ),
    "hidden_dropout": (
        "The share of activations that training sets to zero at random, so that none is relied upon; the others are "
        "scaled up to make up for it.",
        "Nothing in inference, where dropout is off; fine-tuning is regularised more or less than meant.",
    ),
    "attention_dropout": (
        "The share of attention weights that training sets to zero at random.",
        "Nothing in inference, where dropout is off. Some fast attention kernels refuse a value other than 0.",
    ),
    "layerdrop": (
        "The probability with which training skips a whole layer.",
        "Nothing in inference.",
    ),
    # --- feed-forward block ---
    "intermediate_size": (
        "The width inside the feed-forward block, between the way up and the way down. In a gated block gate and up "
        "both have it. Most of a dense model's parameters are here. In some mixtures of experts the same key is the "
        "width of each expert.",
        "The feed-forward tensors do not fit, and loading fails. Another tool's convention (gate and up "
        "counted together, or the two thirds applied twice) gives a number that looks reasonable.",
    ),
    "mlp_ratio": (
        "The feed-forward width as a multiple of the stack's hidden size.",
        "The feed-forward tensors do not fit, and loading fails.",
    ),
    "multiple_of": (
        "What the feed-forward width is rounded up to a multiple of, so that matrices split evenly over kernels' tiles "
        "and over ranks.",
        "The computed width is another one, and the feed-forward tensors do not fit.",
    ),
    "ffn_dim_multiplier": (
        "A factor on the feed-forward width, applied after the two thirds and before rounding up.",
        "The computed width is another one, and the feed-forward tensors do not fit.",
    ),
    "hidden_act": (
        "The non-linear function inside the feed-forward block: on the gate where there is one, else on the result of "
        "the way up. silu with a gate makes SwiGLU, gelu with a gate GeGLU.",
        "Nothing fails, for it has no tensor. Exact GELU and its tanh form differ by less than 0.001 and are often "
        "mistaken for each other; SiLU for GELU is a real loss.",
    ),
    "hidden_act.fixed": (
        "Meant as the name of the non-linear function inside the feed-forward block. Nothing reads it here: the "
        "function is written in the code, with constants of its own, as the formula has it.",
        "Nothing changes.",
    ),
    "hidden_act.xielu": (
        "The non-linear function inside the feed-forward block, here one with two learned numbers in each layer: "
        "alpha_p for what is above zero, alpha_n for what is below. It is applied to the result of the way up.",
        "With any other function the two stored numbers of each layer are ignored, and the output is wrong.",
    ),
    "is_gated_act": (
        "Whether the feed-forward block has a gate: a third matrix whose activated result multiplies the second's.",
        "The third matrix is made at random, or a stored one is ignored.",
    ),
    "use_double_wide_mlp": (
        "Whether the layers that share another layer's keys and values have a feed-forward block of twice the width.",
        "The feed-forward tensors of those layers do not fit.",
    ),
    "swiglu_limit": (
        "Constants of a clamped gate: values are cut off at the limit before gate and up are multiplied, and alpha is "
        "the factor inside the sigmoid.",
        "Nothing fails, for they have no tensor; outputs differ where activations are large.",
    ),
    "mlp_bias": (
        "Whether the feed-forward matrices have bias vectors.",
        "True by mistake, and transformers makes biases that no tensor fills; false by mistake, and stored ones are "
        "ignored.",
    ),
    "attention_bias": (
        "Whether the attention projections have bias vectors. Families differ in which of q, k, v and o it covers.",
        "True by mistake, and transformers makes biases that no tensor fills; false by mistake, and stored ones are "
        "ignored: for a model trained with them, the output is wrong and nothing fails.",
    ),
    "use_bias": (
        "Switches bias vectors of the layers that it is named after; without a name, those of the whole family. A true "
        "no_bias switches them off.",
        "Biases are made that no tensor fills, or stored ones are ignored.",
    ),
    # --- norms ---
    "rms_norm_eps": (
        "ε, a small number added inside the root of a norm, to the mean of squares (RMSNorm) or to the variance "
        "(LayerNorm), so that a vector of zeros is not divided by zero. Keys of several names mean it; in some of them "
        "“layer_norm” stands although the norm is an RMSNorm.",
        "Nothing fails: no tensor holds it. Outputs drift, most where activations are small.",
    ),
    "norm_type": (
        "Which norm the blocks use: LayerNorm subtracts the mean and divides by the standard deviation, RMSNorm "
        "only divides by the root mean square. MobileBERT's no_norm does neither: a gain and a bias alone.",
        "If the other kind has the same tensors nothing fails, and every activation is off.",
    ),
    "use_qk_norm.plain": (
        "Whether queries and keys of the layers with rotary positions are divided by their root mean square, head by "
        "head, after they are turned. There are no gains, and no tensor shows it.",
        "Nothing fails; attention is sharper or flatter than in training.",
    ),
    "tie_word_embeddings.scale": (
        "In transformers 5 this key decides whether what the decoder puts out is multiplied by 1/√d_model before the "
        "head: false, as in T5 1.1, leaves that out. Tying itself is set to true there, whatever the key says; older "
        "releases made a head of its own where it is false.",
        "Nothing fails; all logits are √d_model times too large or too small.",
    ),
    "tie_word_embeddings.set": (
        "In transformers 5 nothing follows from this key: tying is set to true, whatever it says. Older releases made "
        "a head of its own where it is false.",
        "Nothing changes in transformers 5. Elsewhere, false with no head stored leaves the head random, and true over "
        "a stored head that differs uses the embedding in its place.",
    ),
    "num_hidden_groups": (
        "How many sets of weights the layers share (num_hidden_groups; 1 is one set for all of them), and how many "
        "layers one set consists of (inner_group_num).",
        "Sets are made that no tensor fills, or stored ones are ignored.",
    ),
    "activation_sparsity_pattern": (
        "For each layer the share of gates that are set to zero before the activation: all below a cut-off, which is "
        "taken from their mean and deviation as if they were normally distributed and subtracted from the rest. A "
        "layer with 0 leaves its gates as they are.",
        "Nothing fails; feed-forward blocks compute with more or fewer gates than in training.",
    ),
    "use_qk_norm": (
        "Whether queries and keys are normalised, head by head or all together, before their product. Attention logits "
        "then cannot grow without bound, which was found to make training of large models diverge; the price is two "
        "small gains a layer.",
        "True by mistake, and gains are made that no tensor fills; false by mistake, and stored ones are ignored and "
        "the attention pattern is wrong.",
    ),
    "do_layer_norm_before": (
        "Switches where norms stand: before each sub-layer, after each sum, on outputs, or in more than one place. "
        "Families mean different places by such keys, and opposite ones by true.",
        "Where the tensors are the same nothing fails, and the output is nonsense; where a norm comes or goes with it, "
        "one is made anew or a stored one is ignored.",
    ),
    "_remove_final_layer_norm": (
        "Leaves out the norm after the last layer, for checkpoints that were saved before it existed.",
        "A stored norm is ignored, or one that is not stored is made: the logits are wrong.",
    ),
    "use_parallel_residual": (
        "Whether attention and feed-forward block read the same input side by side, and are added together, instead of "
        "one after the other.",
        "Where both forms have the same tensors nothing fails, and the output is nonsense. Where one of them has a norm "
        "more, that norm is made anew or a stored one is ignored.",
    ),
    "layer_norm_elementwise_affine": (
        "Whether the norms have a gain and a bias of their own, or only normalise.",
        "Gains are made that no tensor fills, or stored ones are ignored.",
    ),
    "residual_in_fp32": (
        "Whether the residual stream is kept in float32 while the layers compute in fewer bits.",
        "Small rounding differences that add up with depth.",
    ),
    "rescale_prenorm_residual": (
        "Whether initialisation divides the weights that write to the residual stream by the root of the number of "
        "layers, as GPT-2 did, so that the sum of all of them has a fixed size.",
        "Nothing changes for a trained checkpoint.",
    ),
    # --- storage ---
    "torch_dtype": (
        "The number format that the weights were saved in, and that a library may load them as. The headers say what "
        "each tensor really is.",
        "A library that follows it converts while loading: float32 takes twice the memory, float16 in place of "
        "bfloat16 may overflow above 65,504.",
    ),
    "quantization_config": (
        "How the weights are packed into fewer bits: the method, the bits, which modules, which scales.",
        "The packed numbers are unpacked wrongly or not at all; loading fails, or the output is noise.",
    ),
    "quant_method": (
        "The method of quantization, and with it the names and layout of the packed tensors.",
        "The loader looks for tensors that are not there.",
    ),
    "bits": (
        "Bits for each quantized number. Scales and zero points come on top.",
        "Packed integers are cut in the wrong places: shapes do not fit, or the output is noise.",
    ),
    "group_size": (
        "How many neighbouring weights along a matrix's input (or in a block) share one scale. -1 is a whole row. "
        "Smaller groups are more exact and cost more bits.",
        "The scales do not fit the weights. A width that the group does not divide cannot be split evenly.",
    ),
    "weight_block_size": (
        "Weights are quantized in blocks of so many rows and columns, and each block has one scale, stored "
        "beside it.",
        "The scales do not fit the weights: loading fails, or the output is noise.",
    ),
    "modules_to_not_convert": (
        "The modules that stay unquantized, mostly the head, norms and routers.",
        "A plain tensor is read as a packed one, or the reverse: loading fails.",
    ),
    "kv_cache_scheme": (
        "How the cache of keys and values is quantized while the model runs; the weights are another matter.",
        "The cache takes more memory than meant, or is less exact.",
    ),
    "activation_scheme": (
        "How the inputs of quantized matrices are quantized while the model runs: dynamic computes their scale "
        "from each input, static takes one that is stored. The cache is another matter.",
        "Static without stored scales fails, or takes arbitrary ones; dynamic in place of static is a little "
        "slower and rounds differently.",
    ),
    # --- names ---
    "model_type": (
        "The name of the architecture: a library picks its code by it, and by it every default that the config leaves "
        "out.",
        "Another architecture's code meets these tensors: names do not fit, or they do and their meaning differs.",
    ),
    "architectures": (
        "The class that the checkpoint was saved from: which head it has.",
        "A loader that goes by it makes another head, and fills what is missing with random numbers.",
    ),
    "auto_map": (
        "Code in the repository that a library runs instead of its own, if the user trusts it. cfgexplain never "
        "runs it.",
        "Without the code an architecture that transformers does not know cannot be loaded.",
    ),
    "transformers_version": (
        "The version of transformers that wrote the config. Defaults and key names have changed between versions.",
        "Nothing by itself.",
    ),
    "_name_or_path": (
        "What the model was loaded from before it was saved. Left over.",
        "Nothing.",
    ),
    "tokenizer_class": (
        "Which tokenizer class goes with the model, where the tokenizer's own files do not say.",
        "Text is cut into other tokens than in training, and the output suffers.",
    ),
    "text_config": (
        "The config of the language model inside a larger one.",
        "The keys in it decide the language model's sizes; keys of the same name outside are mostly not read for it.",
    ),
    # --- how the program runs ---
    "use_cache": (
        "Whether generation keeps the keys and values of past tokens instead of computing them again for each new one.",
        "Off, the time of generation grows at least with the square of the length; the output is the same.",
    ),
    "pretraining_tp": (
        "Over how many ranks pre-training split its matrices. A value above 1 once made transformers compute in slices, "
        "to repeat the rounding of training.",
        "Nothing but rounding.",
    ),
    "output_attentions": (
        "Whether the model returns attention weights, hidden states or tuples beside its result.",
        "More memory, and a slower attention kernel where weights are asked for.",
    ),
    "num_logits_to_keep": (
        "For how many of the last positions logits are computed: generation needs the last one only.",
        "Time and memory, not the result; training and scoring need all positions.",
    ),
    "chunk_size_feed_forward": (
        "Splits the computation over the sequence into chunks of this many tokens, to save memory. 0 is no splitting.",
        "Memory and time, not the result.",
    ),
    "gradient_checkpointing": (
        "Whether training computes activations a second time instead of keeping them.",
        "Memory and time of training, not the result.",
    ),
    "_attn_implementation": (
        "Which attention kernel is used.",
        "Speed, memory and rounding; some kernels lack windows, soft caps or other features.",
    ),
    "temperature": (
        "Settings for generating text that older checkpoints keep in the model's config. They have moved to "
        "generation_config.json.",
        "Generation follows other settings than meant; the model itself is unchanged.",
    ),
    "task_specific_params": (
        "Generation settings for named tasks, read by pipelines only.",
        "Nothing outside those pipelines.",
    ),
    "bos_token_id": (
        "The token that begins a sequence, or that a decoder starts with.",
        "The model sees a beginning that it never saw in training; the first tokens suffer most.",
    ),
    "eos_token_id": (
        "The token (or list of tokens) that ends a sequence: generation stops there.",
        "Generation never stops, or stops too early. A chat model's end of turn often differs from the base model's.",
    ),
    "pad_token_id": (
        "The token that fills up shorter sequences of a batch. It is masked out; in some families its embedding row "
        "stays zero.",
        "Positions count the padding, or a real token is masked. Beyond the vocabulary it is an error.",
    ),
    "mask_token_id": (
        "The id of a special token: what is masked out, or not known.",
        "The wrong token is predicted or replaced.",
    ),
    "image_token_id": (
        "The tokens that hold the place of images, video or audio in the text: their embeddings are replaced by "
        "what the tower gives.",
        "The features are put in the wrong place or nowhere: an error about their count, or an answer that "
        "ignores the image.",
    ),
    "boi_token_index": (
        "The tokens that stand around an image or a sound in the text. They are ordinary tokens with embeddings "
        "of their own; only the placeholders between them are replaced.",
        "The model sees a beginning or an end that it never saw in training.",
    ),
    "num_labels": (
        "How many classes a classifier on top tells apart, and what they are called.",
        "A head of another size is made, at random.",
    ),
    "summary_type": (
        "How a classifier on top makes one vector of a sequence: from which token, through which layer.",
        "A classifier reads another vector than it was trained on; generation does not read it.",
    ),
    "problem_type": ("Which loss a classifier is trained with.", "Training goes wrong; inference does not read it."),
    "is_decoder": (
        "Whether the stack masks the future, and whether there are two stacks.",
        "The attention mask is another one: a decoder that sees the future, or an encoder that does not see what "
        "follows.",
    ),
    "add_cross_attention": (
        "Whether each layer has a second attention that reads another stack's output, and how wide that is.",
        "Cross-attention is made that no tensor fills, or stored tensors are ignored.",
    ),
    "tie_encoder_decoder": (
        "Whether encoder and decoder share weights or embeddings.",
        "Matrices are made that no tensor fills, or stored ones are ignored.",
    ),
}
