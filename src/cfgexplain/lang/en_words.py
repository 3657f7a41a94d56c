"""English: the words of the field, each in a sentence or two, for `cfgexplain key WORD`."""

from typing import Final

TEXTS: Final[dict[str, str]] = {
    "word.keys": "Keys to read on: {names}",
    "word.hint": "`cfgexplain tour` shows most of these words on a model.",
    "word.also": "As a word, {name}: {text}",
    "word.gqa": (
        "Grouped-query attention: the query heads stand in groups, and those of a group share one key and value head. "
        "With groups of 4 the KV cache is a quarter of what it would be with a key and value head for every query head."
    ),
    "word.mha": "Multi-head attention: every query head has a key and value head of its own.",
    "word.mqa": "Multi-query attention: all query heads share one key and value head.",
    "word.mla": (
        "Multi-head latent attention: the keys and values of all heads are computed from one short vector for each "
        "token, the latent. The cache holds only the latent and a small part that carries the position."
    ),
    "word.moe": (
        "Mixture of experts: in place of one feed-forward block a layer has many, the experts, and a router picks a "
        "few of them for each token. A token is computed with a part of the parameters; all of them take memory."
    ),
    "word.swiglu": (
        "A feed-forward block with three matrices, down(silu(gate(x)) × up(x)): the gate's output goes through SiLU "
        "and multiplies the other projection number by number."
    ),
    "word.geglu": (
        "A feed-forward block with three matrices, down(gelu(gate(x)) × up(x)): as SwiGLU, with GELU in place of SiLU."
    ),
    "word.glu": (
        "Gated linear unit: two projections of the same input, one of which goes through a curve and then multiplies "
        "the other number by number. The first GLU took the sigmoid; SwiGLU and GeGLU take SiLU and GELU."
    ),
    "word.rope": (
        "Rotary position embedding: pairs of numbers in each query and key are turned by an angle that grows with the "
        "token's position. Scores then depend on how far apart two tokens are, and no table of positions is stored."
    ),
    "word.alibi": (
        "Attention with linear biases: each attention score is lowered in proportion to the distance of its two "
        "tokens, with a slope of its own in each head. There is no position embedding."
    ),
    "word.yarn": (
        "A way to stretch RoPE to a longer context: pairs that turn slowly are slowed by a factor, fast ones stay, "
        "those between get a part of it, and attention is sharpened a little."
    ),
    "word.rmsnorm": (
        "A norm that divides a vector by the root of the mean of its squares (plus ε) and multiplies each number by a "
        "learned gain. Unlike LayerNorm it subtracts no mean and has, as a rule, no bias."
    ),
    "word.layernorm": (
        "A norm that subtracts a vector's mean, divides by its standard deviation (ε is added to the variance), and "
        "multiplies each number by a learned gain, mostly adding a learned bias."
    ),
    "word.logits": (
        "The scores at the end of the model, one for each token of the vocabulary; softmax makes probabilities of them."
    ),
    "word.head": (
        "In attention, one of several attentions that run side by side in a layer, each with queries of its own. The "
        "output head (LM head) is another thing: the matrix that makes logits of the last layer's output."
    ),
    "word.router": (
        "In a mixture of experts, the small matrix that scores the experts for each token; the token goes through the "
        "few with the highest scores."
    ),
    "word.expert": (
        "One of the feed-forward blocks of a mixture of experts. A routed expert sees the tokens that the router sends "
        "it; a shared expert sees all of them."
    ),
    "word.gate": (
        "In a gated feed-forward block, the projection that goes through the activation and then multiplies the other "
        "one (up) number by number. In a mixture of experts the router is often called gate as well."
    ),
    "word.residual": (
        "The residual stream: the vector of each token on its way through the layers. Every sub-layer reads it and "
        "adds its own output to it."
    ),
    "word.cache": (
        "The KV cache: keys and values of all tokens so far, kept so that each further token need not compute them "
        "again. It grows with the length of the text and takes memory beside the weights."
    ),
    "word.token": (
        "A piece of text, such as a word, a part of one, or a byte, that the tokenizer gives a number. The number is "
        "the token's row in the embedding."
    ),
    "word.tensor": "An array of numbers with a name, a shape and a dtype: a weight matrix or a vector, for example.",
    "word.header": (
        "The beginning of a .safetensors file: a list in JSON of every tensor with its dtype, shape and place in the "
        "file. Of the weights cfgexplain reads no more than this."
    ),
    "word.checkpoint": "A model as it is saved: the files with its weights, and the config that says how to use them.",
    "word.dtype": (
        "The format of a tensor's numbers. A number takes 4 bytes in F32, 2 in BF16 and F16, and 1 in F8 and I8."
    ),
    "word.bias": (
        "A learned vector that is added after a multiplication by a matrix, y = W·x + b, or after a norm's gain. Many "
        "newer models have none."
    ),
    "word.gain": (
        "The learned factors of a norm, one for each number of the vector; they are the norm's weight tensor. Some "
        "models store the difference from 1, so that the gain is 1 + w."
    ),
    "word.softmax": (
        "Makes positive numbers that add up to 1 of a row of scores: each is exp(score), divided by the sum of them "
        "all. Attention uses it over tokens, the output over the vocabulary."
    ),
    "word.pre-norm": (
        "A norm before each sub-layer: x + f(norm(x)). The stream itself is never normalised on the way, so that a "
        "last norm stands before the output head."
    ),
    "word.post-norm": (
        "A norm after each sum: norm(x + f(x)), as in the first Transformer. What leaves a layer is normalised, so "
        "that no further norm stands before the output head."
    ),
    "word.qk-norm": (
        "Norms on queries and keys inside attention, before the scores are computed. They keep the scores from "
        "growing without limit during training."
    ),
    "word.tied": (
        "The output head is the token embedding once more: one matrix that is stored once and used at both ends."
    ),
    "word.ffn": (
        "The feed-forward block: the part of a layer that works on each token alone, widening its vector, applying a "
        "curve, and narrowing it again. In most dense models it holds most of the parameters."
    ),
    "word.embedding": "The table with one row, a learned vector, for each token of the vocabulary.",
    "word.attention": (
        "The part of a layer in which tokens see each other: each takes a weighted mean of the others' values, with "
        "weights from its query and their keys."
    ),
}
