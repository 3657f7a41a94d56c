"""English: keys of attention, positions, windows and latents. See ``en_keys_core`` for the conventions."""

from typing import Final

KEYS: Final[dict[str, tuple[str, str]]] = {
    # --- heads ---
    "num_attention_heads": (
        "How many attention patterns a layer computes side by side, each on head_dim numbers of its own.",
        "If the product with head_dim changes, loading fails. If it does not (16 × 128 for 32 × 64) every tensor fits, "
        "and the output is nonsense.",
    ),
    "num_key_value_heads": (
        "How many heads have keys and values of their own; query heads share them in groups. As many as query heads is "
        "multi-head attention, one is multi-query, in between is grouped-query. Only the cache and the k and v "
        "matrices shrink; queries keep their number. Checkpoints from before the key existed leave it out and mostly "
        "mean as many as query heads.",
        "The k and v matrices do not fit, and loading fails.",
    ),
    "num_key_value_heads.latent": (
        "With latent attention every head gets keys and values of its own out of the latent, so there is nothing "
        "to share in groups. No tensor depends on the key: it has to equal num_attention_heads.",
        "Loading succeeds, and the reference implementation fails at the first input: it repeats keys and values "
        "by the quotient of the two numbers, and they no longer fit the queries.",
    ),
    "num_attention_heads.ssm": (
        "How many heads the inner width of a state-space layer is cut into, each with one rate of forgetting: it sizes "
        "A_log, D, dt_bias and part of in_proj. There is no attention here.",
        "The tensors do not fit, and loading fails.",
    ),
    "num_attention_heads.mlstm": (
        "How many heads the mLSTM of a layer has, each with a matrix as its memory, an input gate and a forget gate. "
        "There is no attention here.",
        "The tensors of the gates do not fit, and loading fails.",
    ),
    "head_dim.ssm": (
        "The width of one head of a state-space layer: num_heads · head_dim must be expand · hidden_size. There is no "
        "attention here.",
        "The reference implementation refuses a config in which the two products differ.",
    ),
    "multi_query.new": (
        "The layer of the later Falcon models: as many key-value heads as num_kv_heads says, whatever multi_query is, "
        "and attention and feed-forward block side by side, unless num_ln_in_parallel_attn says otherwise each with a "
        "norm of its own (ln_attn, ln_mlp).",
        "Norms are made that no tensor fills, or stored ones are ignored, and the fused matrix of queries, keys and "
        "values is cut in the wrong places.",
    ),
    "sliding_window.pixels": (
        "The side, in pixels, of the square windows within which most layers of this vision tower look around, in all "
        "directions. Divided by the patch size it is in patches; which layers see the whole image is in "
        "fullatt_block_indexes.",
        "Nothing fails; patches see more or less of the image than in training.",
    ),
    "sliding_window.patches": (
        "The side, in patches, of the square windows within which most layers of this vision tower look around, in all "
        "directions. Which layers see the whole image is in global_attn_indexes.",
        "Tables of relative positions, where there are some, are made for this size and do not fit; without them "
        "nothing fails.",
    ),
    "sliding_window.frames": (
        "How many frames of sound the projector reads at a time; of each such window it makes window_size / "
        "downsample_rate vectors for the language model.",
        "The table of learned queries does not fit, and loading fails.",
    ),
    "fullatt_block_indexes": (
        "Which layers of a vision tower look at the whole image, counted from 0; the others only within their windows.",
        "Nothing fails; layers see more or less of the image than in training.",
    ),
    "pos_att_type": (
        "Which terms disentangled attention adds to a token's score: c2p, its content against the other's relative "
        "position, p2c the reverse (pos_att_type); and whether positions go through the same query and key matrices "
        "as contents instead of some of their own (share_att_key).",
        "Matrices for positions are made that no tensor fills, or stored ones are ignored; where they are shared "
        "nothing fails, and attention is wrong.",
    ),
    "relative_attention": (
        "Whether attention also reads how far apart two tokens are, from a table that all layers share "
        "(relative_attention), and how far that is told apart (max_relative_positions; below 1 it is "
        "max_position_embeddings; where position_buckets is set, distances share its rows).",
        "The table and its matrices are made and no tensor fills them, or stored ones are ignored.",
    ),
    "norm_rel_ebd": (
        "The norm on the table of relative positions: layer_norm, or none.",
        "A norm is made that no tensor fills, or a stored one is ignored.",
    ),
    "multi_query": (
        "Whether query heads share key-value heads: a single one (multi_query), or as many as another key says "
        "(multi_query_attention, new_decoder_architecture).",
        "The k and v matrices do not fit.",
    ),
    "head_dim": (
        "The width of one head. Where it is left out, many families take hidden_size / num_attention_heads and others a "
        "number of their own; where it is given, the "
        "heads together may be wider or narrower than the hidden size. Most attention divides its logits by √head_dim "
        "(T5's does not, and some families have a key for it); positions, where they are rotary, turn pairs of its "
        "numbers.",
        "If the tensors' shapes change, loading fails; engines that ignore the key and divide instead fail on such "
        "models.",
    ),
    "head_dim.latent": (
        "With latent attention the widths of a head have keys of their own: qk_nope_head_dim + qk_rope_head_dim "
        "for queries and keys, v_head_dim for values. Where head_dim is read at all, it is the part that rotary "
        "positions turn.",
        "Where rotary positions are made from it, they no longer fit what they turn, and the first input fails; "
        "elsewhere nothing changes.",
    ),
    "global_head_dim": (
        "Head width or key-value heads of the layers with full attention, where these differ from the windowed ones.",
        "The projections of those layers do not fit.",
    ),
    "swa_num_attention_heads": (
        "Heads of the layers with a sliding window, where these differ from the others.",
        "The projections of those layers do not fit.",
    ),
    "attention_k_eq_v": (
        "Whether some layers use the keys as values too: one matrix less, and no v tensor.",
        "A v matrix is made that no tensor fills, or a stored one is ignored.",
    ),
    "num_kv_shared_layers": (
        "How many of the last layers compute no keys and values of their own, and read those of an earlier layer: less "
        "cache, less time.",
        "Layers attend to the wrong keys, or matrices are made that no tensor fills.",
    ),
    "attn_output_gate": (
        "Whether the result of attention is multiplied by a gate computed from the same input, before the output "
        "projection. Where it is fused, the q matrix is twice as tall.",
        "The q matrix does not fit, or the gate is ignored.",
    ),
    "add_swa_attention_sink_bias": (
        "Whether each head has a learned logit that no token stands behind. A head that has nothing to attend to can "
        "put its weight there, instead of on the first token.",
        "The logits are made at random, or stored ones are ignored.",
    ),
    "attn_logit_softcapping": (
        "A soft limit on attention logits: cap · tanh(logit / cap), before the softmax. Far below the cap nothing "
        "changes; above it the logit levels off.",
        "Nothing fails. Some fast kernels leave it out: near the cap, the attention pattern differs.",
    ),
    "final_logit_softcapping": (
        "A soft limit on the output logits: cap · tanh(logit / cap). The order of the tokens is unchanged, and greedy "
        "decoding with it; probabilities are not.",
        "Nothing fails; probabilities, and with them sampling and perplexity, are off.",
    ),
    "query_pre_attn_scalar": (
        "The number whose inverse root scales queries before attention, in place of 1/√head_dim.",
        "Nothing fails: it has no tensor. The attention is sharper or flatter than trained.",
    ),
    "attention_multiplier": (
        "The factor on attention logits, in place of 1/√head_dim.",
        "Nothing fails: it has no tensor. The attention is sharper or flatter than trained.",
    ),
    "scale_attn_weights": (
        "Details of how attention logits are scaled: by 1/√head_dim or not, by the inverse of the layer's index or "
        "not, in float32 or not.",
        "Nothing fails; the attention is sharper or flatter than trained.",
    ),
    "logit_scale": (
        "A constant on the output logits: some families multiply by it, others (logits_scaling) divide.",
        "Greedy decoding is unchanged; probabilities are too sharp or too flat.",
    ),
    "embedding_multiplier": (
        "A constant that embeddings are multiplied by before the first layer.",
        "Nothing fails: it has no tensor. The first layers see vectors of the wrong size.",
    ),
    "scale_embedding": (
        "Whether embeddings are multiplied by √hidden_size before the first layer, as in the Transformer of 2017.",
        "Nothing fails: it has no tensor. Token vectors are too small or too large beside the positions.",
    ),
    "residual_multiplier": (
        "A constant on what each sub-layer adds to the residual stream.",
        "Nothing fails: it has no tensor. Every layer weighs too much or too little.",
    ),
    "scale_depth": (
        "Constants of a scaling by width and depth (μP): what a sub-layer adds is multiplied by "
        "scale_depth / √layers, and logits are divided by hidden_size / dim_model_base.",
        "Nothing fails: they have no tensor. Every layer, or every logit, weighs too much or too little.",
    ),
    "key_multiplier": (
        "Constants on the inputs and outputs of sub-layers and on keys, left over from a scaling by width (μP).",
        "Nothing fails: they have no tensor. A sub-layer weighs too much or too little.",
    ),
    "attention_type": (
        "Which attention the layers compute over long inputs: all pairs, or blocks with a few random and global ones.",
        "Nothing fails; tokens see other tokens than in training.",
    ),
    "attention_type.chunk": (
        "How many tokens lightning attention computes at once: within such a chunk as a masked product of "
        "matrices, and from chunk to chunk through the state.",
        "Speed and rounding, not the result.",
    ),
    "clip_qkv": (
        "Cuts queries, keys and values off at ± this value, so that attention logits stay bounded.",
        "Nothing fails; it only matters where values are that large.",
    ),
    "use_bidirectional_attention": (
        "Whether tokens (all, or those of an image) also attend to what follows them.",
        "The mask is another one than in training; nothing fails.",
    ),
    "attn_temperature_tuning": (
        "Makes queries larger with their position, so that attention stays sharp over very long contexts.",
        "Nothing fails; far positions attend too flatly or too sharply.",
    ),
    "index_topk": (
        "Sparse attention: a small indexer scores all past tokens, and the layer attends only to this many of the "
        "best. "
        "Time per token stops growing with the context beyond it, apart from the indexer's own.",
        "Nothing fails; the layer reads fewer or more tokens than it was trained to.",
    ),
    "index_n_heads": (
        "Heads, or their width, of the indexer that picks which tokens sparse attention reads.",
        "The indexer's tensors do not fit.",
    ),
    # --- windows ---
    "sliding_window": (
        "How many tokens a windowed layer looks at: the last so many, itself among them, or in encoders half as "
        "many to each side. Where there is a cache, it stops growing there; what is further away reaches a token "
        "only through the layers below, one window for each. null is no window.",
        "Nothing fails. Too small, and text that the model should see is out of reach; too large, and it sees "
        "distances that it never trained on.",
    ),
    "sliding_window.two-sided": (
        "The size of the window of the layers that have one: half of it to each side, back and ahead, for the "
        "model reads the whole text at once. What is further away reaches a token only through the layers below, "
        "half a window for each. It keeps no cache.",
        "Nothing fails. Too small, and text that the model should see is out of reach; too large, and it sees "
        "distances that it never trained on.",
    ),
    "use_sliding_window": (
        "Whether the window is used at all. Configs often carry a sliding_window that this switches off.",
        "Nothing fails; long inputs are read differently than in training.",
    ),
    "max_window_layers": (
        "Which layers have the window, where the config gives only a number of layers: those from this index on. It "
        "means nothing where use_sliding_window is off.",
        "Nothing fails; the wrong layers are windowed.",
    ),
    "sliding_window_pattern": (
        "The rhythm in which layers with full attention come between the others.",
        "Nothing fails where all layers have the same tensors; the wrong layers are windowed.",
    ),
    "attn_layer_period": (
        "Which layers have attention in a stack whose other layers have a fixed-size state: one in so many, from an "
        "offset. Few are enough to look far tokens up exactly, and only they need a cache.",
        "Attention is made in layers that have other tensors, and loading fails.",
    ),
    "attention_chunk_size": (
        "Chunked layers cut the sequence into pieces of this length, and a token sees only its own piece.",
        "Nothing fails; tokens see other neighbours than in training.",
    ),
    "per_layer_config": (
        "Settings of single layers that differ from the rest, by the layer's index.",
        "The tensors of those layers do not fit, or they attend otherwise than in training.",
    ),
    "layer_types": (
        "What each layer mixes tokens with, layer by layer: full attention, a window, linear attention, a state space, "
        "a convolution.",
        "Where kinds have different tensors loading fails; where they do not (full and windowed), nothing does, and "
        "long inputs suffer.",
    ),
    "cross_attention_layers": (
        "Which layers read another stack (an image, an encoder).",
        "Cross-attention is made in the wrong layers.",
    ),
    # --- positions ---
    "rope_theta": (
        "The base θ of rotary positions (RoPE). The numbers of each query and key are turned in pairs, by angles "
        "that grow with the position: pair j (0, 1, 2, …) turns by θ^(-2j/d) radians a token, where d is the rotary "
        "width of a head. So the pairs range from fast to slow like the hands of a clock. A larger base slows the "
        "slow ones, and leaves room for longer contexts.",
        "Nothing fails: no tensor holds it. Short texts may look fine; the longer the text, the worse. An engine "
        "that misses the key mostly falls back to 10,000.",
    ),
    "rope_scaling": (
        "How rotary positions are stretched beyond the length of pre-training. linear divides every position by the "
        "factor; dynamic raises θ as the input grows; yarn and llama3 divide only the slow pairs and leave the fast "
        "ones; longrope has a factor for each pair. default (or null) is none. In models that mix windowed and full "
        "layers it mostly holds for the full ones only.",
        "Nothing fails. Left out, the model breaks down beyond its original length (llama3: it is wrong at every "
        "length); applied where training had none, it is wrong from the first token.",
    ),
    "rope_type": (
        "Which rule stretches the rotary positions: default, linear, dynamic, yarn, llama3, longrope (older: su), and "
        "mrope for three axes.",
        "Nothing fails where the other keys happen to suffice; positions are wrong.",
    ),
    "rope_scaling.factor": (
        "By how much the context is stretched.",
        "Nothing fails; positions are wrong for part or all of the text.",
    ),
    "original_max_position_embeddings": (
        "The context of pre-training, before the rotary positions were stretched. The scaling rule decides by it which "
        "pairs are fast (they have turned often within it) and which are slow.",
        "Nothing fails; the wrong pairs are stretched.",
    ),
    "beta_fast": (
        "yarn's borders, in full turns within the original context: pairs that turn more often than beta_fast are left "
        "alone, pairs that turn less often than beta_slow are stretched in full, and those between in part. Defaults "
        "are 32 and 1; truncate rounds the borders to whole pairs.",
        "Nothing fails; some pairs are stretched by the wrong amount.",
    ),
    "low_freq_factor": (
        "llama3's borders: wavelengths shorter than original / high_freq_factor are left alone, those longer than "
        "original / low_freq_factor are divided by the factor, and those between in part.",
        "Nothing fails; some pairs are stretched by the wrong amount.",
    ),
    "short_factor": (
        "longrope's divisors, one for each rotary pair, found by search: one list for inputs up to the original "
        "context, another for longer ones.",
        "A list of the wrong length is an error; wrong numbers are not.",
    ),
    "mscale": (
        "yarn's correction of the attention's sharpness, 0.1 · mscale · ln(factor) + 1: a stretched context would "
        "otherwise make attention flatter.",
        "Nothing fails; the attention is too flat or too sharp.",
    ),
    "partial_rotary_factor": (
        "Which part of each head is turned by rotary positions; the rest carries content without position.",
        "Nothing fails: no tensor depends on it. Every distance is wrong.",
    ),
    "mrope_section": (
        "How the rotary pairs are divided among time, height and width, so that image and video tokens have three "
        "positions. For text all three are equal and it is plain rotary positions.",
        "The sections have to add up to the number of pairs; otherwise images are misplaced, or it is an error.",
    ),
    "rope_interleave": (
        "Which numbers form a rotary pair: neighbours (0 and 1), or halves (0 and d/2). The q and k matrices are "
        "permuted to match.",
        "Nothing fails: the shapes are equal, so that a converter can get it wrong unnoticed.",
    ),
    "no_rope_layers": (
        "Layer by layer, whether it has rotary positions. The name misleads: in the reference implementation 1 means "
        "that it has them, 0 that it does not and tells order from the causal mask alone. no_rope_layer_interval puts "
        "one layer without them after every so many.",
        "Nothing fails; positions are added where there were none, or are missing.",
    ),
    "alibi": (
        "Positions as a penalty on attention logits that grows with the distance, at a slope of its own for each "
        "head; nothing is learned and nothing is stored.",
        "Nothing fails; order is told by another means than in training, or by none. In Falcon it is always "
        "exactly one of the two, this or rotary positions.",
    ),
    "position_embedding_type": (
        "How tokens know their place: a learned vector for each position, a fixed one, or something inside attention.",
        "A table is made that no tensor fills, or a stored one is ignored.",
    ),
    "relative_attention_num_buckets": (
        "Into how many classes distances between tokens are sorted; each head learns one number for each class "
        "(DeBERTa learns a vector for each, which queries and keys are compared with). Small distances have a class "
        "of their own, larger ones share.",
        "The table of the classes does not fit.",
    ),
    "relative_attention_max_distance": (
        "The distance by which the last class has begun: up to it classes widen with the logarithm of the "
        "distance, and whatever lies further away shares the last one.",
        "Nothing fails; distances fall into other classes than in training.",
    ),
    # --- latents ---
    "kv_lora_rank": (
        "The width of the latent from which all heads' keys and values are computed. A cache needs only this latent "
        "and a part of a key that all heads share, instead of keys and values for each head.",
        "The tensors do not fit, and loading fails.",
    ),
    "q_lora_rank": (
        "The width of the latent that queries are computed from: two thin matrices in place of one. null is one full "
        "matrix. It saves parameters and activations, not cache.",
        "The tensors have other names and shapes, and loading fails.",
    ),
    "qk_nope_head_dim": (
        "The part of each head's query and key without position; it comes from the latent.",
        "The tensors do not fit, and loading fails.",
    ),
    "qk_rope_head_dim": (
        "The part of each head's query and key with rotary position. Its key is computed beside the latent, once for "
        "all heads, because a turned key cannot be folded into the latent's matrices.",
        "The tensors do not fit, and loading fails.",
    ),
    "qk_rope_head_dim.still": (
        "The part of each head's query and key that other latent attention turns by the position. This model "
        "turns nothing: it is a second part without position, whose key is computed beside the latent, once for "
        "all heads.",
        "The tensors do not fit, and loading fails.",
    ),
    "v_head_dim": (
        "The width of one head's values, which need not equal that of its keys.",
        "The tensors do not fit, and loading fails.",
    ),
    "qk_head_dim": (
        "The width of one head's query and key: the part without position and the rotary part together.",
        "It follows from the two; where it disagrees, code that reads it scales the logits wrongly.",
    ),
    "o_lora_rank": (
        "The output projection as two thin matrices (in groups of heads) in place of one.",
        "The tensors do not fit, and loading fails.",
    ),
}
