"""English: what a model computes beside what its drawing shows. Phrases, each after a dot in a list."""

from typing import Final

TEXTS: Final[dict[str, str]] = {
    "text.draw.beside": "Not in this drawing:",
    "text.draw.remark-key": "{text} ({key})",
    "text.draw.remark.embedding-times": "the embedding is multiplied by {value}",
    "text.draw.remark.embedding-root": "the embedding is multiplied by the root of its width",
    "text.draw.remark.embedding-norm": "a norm without a weight stands between embedding and first layer",
    "text.draw.remark.residual-times": "what each sub-layer adds to the stream is multiplied by {value}",
    "text.draw.remark.residual-depth": (
        "what each sub-layer adds to the stream is multiplied by {value} / √(number of "
        "layers)"
    ),
    "text.draw.remark.residual-alphas": (
        "each sum is weighted: α times the stream plus β times the sub-layer's result, with keys for each "
        "kind of layer"
    ),
    "text.draw.remark.residual-vectors": "each sum weights the stream with a learned vector",
    "text.draw.remark.residual-normed": (
        "each norm's output also becomes the residual: x = norm(x), and then the sub-layer's result is added "
        "to that"
    ),
    "text.draw.remark.attention-scale": "attention scores are multiplied by {value} in place of 1/√(head size)",
    "text.draw.remark.attention-scalar": "attention scores are divided by √{value}",
    "text.draw.remark.attention-unscaled": "attention scores are not divided by √(head size)",
    "text.draw.remark.attention-mup": "attention scores are divided by the head size, not by its root",
    "text.draw.remark.attention-layer": "attention scores are also divided by the layer's number",
    "text.draw.remark.attention-cap": "attention scores are softly capped: {value} · tanh(score / {value})",
    "text.draw.remark.attention-blocks": "most layers attend to a pattern of blocks of {value} tokens",
    "text.draw.remark.attention-gate": "a gate computed from the input multiplies what attention puts out",
    "text.draw.remark.logits-times": "the logits are multiplied by {value}",
    "text.draw.remark.logits-divided": "the logits are divided by {value}",
    "text.draw.remark.logits-base": "the head reads the last vector divided by hidden size / {value}",
    "text.draw.remark.logits-root": "the head reads the last vector divided by the root of the hidden size",
    "text.draw.remark.logits-cap": "the logits are softly capped: {value} · tanh(logit / {value})",
    "text.draw.remark.keys-times": "the keys of attention are multiplied by {value}",
    "text.draw.remark.branch-multipliers": (
        "attention, state space and feed-forward block have multipliers of their own at their "
        "ends"
    ),
    "text.draw.remark.branch-gate": "a second branch multiplies what the recurrence puts out",
    "text.draw.remark.qk-normed": (
        "in layers with rotary positions, queries and keys have a norm without a weight, after they are turned"
    ),
    "text.draw.remark.clip-qkv": "queries, keys and values are clipped to ±{value}",
    "text.draw.remark.values-normed": "values have a norm without a weight",
    "text.draw.remark.distances-bounded": "distances from {value} tokens on, and some before, share one bucket",
    "text.draw.remark.ffn-clamped": "gate and value are clamped at {value} in the feed-forward block",
    "text.draw.remark.sinks": (
        "attention sinks: each head has a logit that takes part in the softmax and stands for no "
        "token"
    ),
    "text.draw.remark.indexer": "an indexer scores the past tokens first, and attention reads only the best of them",
    "text.draw.remark.shared-gate": "a gate computed from the input multiplies the shared expert's result",
    "text.draw.remark.head-transform": "before the head stands a small block of its own: a matrix and what follows it",
    "text.draw.remark.altup": (
        "the stream is {value} wide streams, of which each layer updates one and predicts the others "
        "(AltUp)"
    ),
    "text.draw.remark.laurel": "a low-rank branch stands beside each attention (LAuReL)",
    "text.draw.remark.per-layer-inputs": (
        "each layer adds a vector of its own that is looked up by token (per-layer "
        "embeddings)"
    ),
    "text.draw.remark.layer-scalar": "each layer's output is multiplied by a stored scalar",
    "text.draw.remark.activation-sparsity": "some feed-forward blocks keep only their largest gates",
    "text.draw.remark.wider-full": (
        "layers with full attention have another head size, and maybe other key-value heads, than the "
        "windowed ones drawn here"
    ),
    "text.draw.remark.dense-beside-experts": (
        "a dense block and the experts run side by side, each with norms of its "
        "own"
    ),
    "text.draw.remark.hyper-connections": (
        "the stream is {value} parallel streams that are mixed anew around every sub-layer "
        "(hyper-connections)"
    ),
    "text.draw.remark.low-rank-output": "queries and outputs go through a low rank, the output in groups of heads",
    "text.draw.remark.compressed-cache": (
        "beside a window, layers {value} read entries that each stand for several past tokens"
    ),
    "text.draw.remark.hash-routing": "in layers {value} the token's number alone decides which experts it visits",
    "text.draw.remark.v4-routing": (
        "in layers {value} experts are chosen by score plus a bias that takes no part in the weights"
    ),
    "text.draw.remark.reversible": (
        "there are two residual streams: attention reads one and adds to the other, the feed-forward block "
        "the reverse"
    ),
    "text.draw.remark.lsh": (
        "the layers that are no windows attend within buckets of similar keys (LSH), not to "
        "everything"
    ),
    "text.draw.remark.final-both": "the last norm and the head read both streams, twice the hidden size",
    "text.draw.remark.hrm-loops": (
        "a slow and a fast stack of these layers run in loops, several times each; the drawing shows a "
        "single pass"
    ),
    "text.draw.remark.loops": "the middle layers run {value} times; the drawing shows a single pass",
    "text.draw.remark.loops-some": "some layers run several times; the drawing shows a single pass",
    "text.draw.remark.unit-sphere": "states are projected onto a sphere around every sub-layer, and sums are weighted",
    "text.draw.remark.blt-stacks": (
        "only the decoder over bytes is drawn; before it run an encoder over bytes and a decoder over "
        "patches of bytes ({value}, layers × width), which keeps no cache"
    ),
    "text.draw.remark.fourier": "what mixes tokens is a Fourier transform over tokens and channels, without parameters",
    "text.draw.remark.zamba-shared": (
        "the layers with attention share blocks, which read the stream joined with the embedding and feed a "
        "state-space layer"
    ),
    "text.draw.remark.zamba-adapters": "each use of a shared block has adapters of its own",
    "text.draw.remark.towers-apart": "the image and the text encoder run apart: only what each puts out is compared",
    "text.draw.remark.bottlenecks": "each layer narrows the stream on the way in and widens it on the way out",
    "text.draw.remark.stacked-ffn": "each layer has {value} feed-forward blocks one after the other",
    "text.draw.remark.shared-layers": "all layers use the same weights, stored once",
    "text.draw.remark.pooled-blocks": "the sequence is shortened between blocks of layers and restored at the end",
    "text.draw.remark.no-positions-added": (
        "its stored positions rotate queries and keys; nothing is added to the "
        "stream"
    ),
    "text.draw.remark.latent-array": "the layers run over an array of latents that reads the input by cross-attention",
    "text.draw.remark.mixed-convolution": (
        "half of the heads are replaced by a convolution whose kernel depends on the "
        "input"
    ),
    "text.draw.remark.grouped-convolutions": "its matrices are convolutions in groups",
    "text.draw.remark.nystrom": "attention is approximated from a few landmarks (Nyström)",
    "text.draw.remark.yoso": "attention is approximated by sampling with hashes",
    "text.draw.remark.mra": "attention is approximated at several resolutions",
    "text.draw.remark.block-sparse": (
        "where attention_type is block_sparse, each token attends to neighbouring, random and global "
        "blocks"
    ),
    "text.draw.remark.two-sided": "windows reach half their size to each side, back and ahead",
    "text.draw.remark.global-tokens": "chosen tokens attend to everything, with projections of their own",
    "text.draw.remark.disentangled": "content and position have attention scores of their own, which are added",
    "text.draw.remark.two-streams": "training runs a second stream of queries; segments may be carried over",
    "text.draw.remark.differential": "attention is the difference of two softmaxes",
    "text.draw.remark.ngram-streams": "the decoder predicts several tokens ahead with further streams",
    "text.draw.remark.doge-experts": (
        "an expert is a pair of vectors picked by two sets of keys, not a block of "
        "matrices"
    ),
    "text.draw.remark.cross-gates": "cross-attention layers multiply what they add by the tanh of a learned gate",
    "text.draw.remark.inserted-cross": "gated cross-attention layers stand between layers of the decoder",
    "text.draw.remark.two-attentions": (
        "each layer has two attentions and two dense blocks, each {value} wide; the experts read what the first "
        "block reads, and their result joins the stream after the second"
    ),
    "text.draw.remark.zero-experts": (
        "the router can also pick {value} experts that have no tensors and hand their input on unchanged"
    ),
    "text.draw.remark.chunks": (
        "chunked layers look at their own chunk of the text only, not at a window that moves "
        "along"
    ),
    "text.draw.remark.temperature": "layers without rotary positions scale their queries with the position",
    "text.draw.remark.llama4-routing": "the router's weight multiplies what an expert reads, not what it puts out",
    "text.draw.remark.delta-rule": (
        "linear layers let their state fade and overwrite what a key stood for (gated delta rule), after a "
        "short convolution"
    ),
    "text.draw.remark.lightning": "linear layers let their state fade at a rate of each head (lightning attention)",
    "text.draw.remark.mlstm": "the state is a matrix with exponential gates (mLSTM)",
    "text.draw.remark.receptance": "a gate made from the input multiplies what recurrence and feed-forward block put out",
    "text.draw.remark.short-convolutions": "short convolutions stand around attention and feed-forward block",
    "text.draw.remark.score-scaling": "attention scores are scaled by a learned function of the number of tokens",
    "text.draw.remark.time-mix": "each projection reads a mixture of this token and the one before",
    "text.draw.remark.ffn-clamps": "some feed-forward blocks clamp their gate and value",
    "text.draw.remark.ffn-caps": "feed-forward blocks softly cap their gate and value",
    "text.draw.remark.axes": (
        "multimodal RoPE: an image's tokens turn by time, height and width, {value} pairs of each head"
    ),
    "text.draw.remark.deepstack": (
        "DeepStack: outputs of the image encoder's layers {value} are added to the image's tokens after the first "
        "layers, one each"
    ),
    "text.draw.remark.keys-lent": (
        "layers {value} have no keys and values of their own and attend to those of an earlier layer"
    ),
    "text.draw.remark.values-keys": "in layers with full attention the values are the keys, before norm and rotation",
    "text.draw.remark.router-normed": (
        "the router reads the stream through a norm without a weight, times a learned vector / √(hidden size)"
    ),
    "text.draw.remark.expert-scales": "each expert's weight is also multiplied by a stored number of its own",
    "text.draw.remark.indexer-entries": (
        "in layers {value} an indexer scores those entries first, and attention reads only the best of them"
    ),
    "text.draw.remark.indexer-blocks": (
        "in layers {value} an indexer scores blocks of past tokens first, and attention reads only the best "
        "blocks"
    ),
    "text.draw.remark.keys-are-values": "one vector a token is key and value of all heads at once",
    "text.draw.remark.output-unrotated": (
        "what attention puts out is rotated back, since its values were rotated as keys"
    ),
    "text.draw.remark.queries-normed": "queries have a norm without a weight, head by head",
    "text.draw.remark.prefix-lm": "tokens marked as the prompt (token_type_ids) also see those after them within it",
    "text.draw.remark.loops-restart": (
        "each pass begins with the stream's norm plus the norm of what the first layers put out"
    ),
    "text.draw.remark.logits-learned": "each logit is multiplied by a learned scale of its entry in the vocabulary",
    "text.draw.remark.blt-patcher": "a small model of its own ({value}, layers × width) says where a patch ends",
    "text.draw.remark.blt-cross": (
        "before attention, cross-attention reads the patches in {value} of these layers, from the first on"
    ),
    "text.draw.remark.blt-hashes": (
        "to each byte's embedding are added those of the groups of bytes that end there, found by hash in a "
        "table of {value}"
    ),
    "text.draw.remark.key-bias": "each key's scores get a bias that is computed from its values",
    "text.draw.remark.keys-kept": "of a longer past, a head reads only the {value} keys with the largest bias",
    "text.draw.remark.router-choices": "the router chooses among {value} in all",
    "text.draw.remark.queries-times": "queries are multiplied by {value}, the root of hidden size / their rank",
    "text.draw.remark.latent-times": (
        "the normed latent of keys and values is multiplied by {value}, the root of hidden size / its rank"
    ),
    "text.draw.remark.qk-convolutions": (
        "queries and keys pass two causal convolutions, to which the mean of query and key is added"
    ),
    "text.draw.remark.values-delayed": "half of the values come from the token before",
    "text.draw.remark.residual-scales": (
        "each sum shifts and scales by learned vectors both the stream and the sub-layer's result"
    ),
    "text.draw.remark.embedding-scaled": "the embedding is shifted and scaled by learned vectors",
    "text.draw.remark.router-network": (
        "the router is a small network (down, norm, three matrices) that also reads the state of the previous layer's router"
    ),
    "text.draw.remark.skip-choice": "the router's last choice skips the experts, and nothing is added",
    "text.draw.remark.windowed-heads": "layers with a window have {value} query heads",
    "text.draw.remark.gates-cap": "input and forget gates are softly capped: {value} · tanh(gate / {value})",
    "text.draw.remark.attention-experts": (
        "query and output projections are {value} experts, of which a router picks some for each token; all share "
        "one set of keys and values"
    ),
    "text.draw.remark.token-types": (
        "the embedding of each token's type is added as well (token_type_ids; rows of the table: {value})"
    ),
    "text.draw.remark.state-normed": "in state-space layers dt, B and C each have a norm of their own",
    "text.draw.remark.output-normed": "a norm stands on what attention puts out, before its output projection",
    "text.draw.remark.ffn-normed": "a norm stands inside the feed-forward block, before its down projection",
}
