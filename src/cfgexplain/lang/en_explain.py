"""English: explanations of norms, biases, attention and the head, and the references.

"explain.<topic>.<sentence>" is one whole sentence or more; the code joins them. Placeholders are numbers (format them
here) and names.
"""

from typing import Final

TEXTS: Final[dict[str, str]] = {
    "join.sentence": " ",
    "join.list": ", ",
    "join.part": ", ",
    "join.after": "; ",
    # --- epsilon ---
    "explain.eps.title": "{key} = {value}",
    "explain.eps.nameless": "ε of the norms",
    "explain.eps.source.config": "The config sets {key} to {value}.",
    "explain.eps.source.default": (
        "The config does not set {key}; {value} is the default of {family} in the reference implementation."
    ),
    "explain.eps.source.hardcoded": "{value} is written in the code of {family}; no key of the config changes it.",
    "explain.eps.other-key": (
        "This is an RMSNorm whose key is {key}: tools that look for rms_norm_eps alone miss it and fall back to a "
        "default of their own."
    ),
    "explain.eps.sites.layers": (
        "{total:,} norms use it: {each} in each of the {layers} layers and {last} after the last layer."
    ),
    "explain.eps.sites.layers.only": "{total:,} norms use it: {each} in each of the {layers} layers.",
    "explain.eps.sites.total": (
        "{total:,} norms use it: {blocks:,} inside the layers and {last} after the last layer."
    ),
    "explain.eps.sites.total.only": "{total:,} norms use it, all of them inside the layers.",
    "explain.eps.sites.others": (
        "Norms elsewhere, inside attention or what takes its place, or outside the layers, are not counted here; "
        "most have the same ε."
    ),
    "explain.eps.latent": (
        "The norms on attention's latents ({norms}) are another matter: some implementations use {value} for them "
        "whatever "
        "the config says."
    ),
    "explain.eps.type-unknown": (
        "Where the norm adds it beside a mean of squares, its scale in units of x is its square root, {root}."
    ),
    "explain.eps.inside.rmsnorm": (
        "ε is added to the mean of squares, inside the root, so it is measured in units of x²; in units of x its "
        "scale is "
        "√ε = {root}."
    ),
    "explain.eps.inside.layernorm": (
        "ε is added to the variance, inside the root, so it is measured in units of x²; in units of x its scale is "
        "√ε = {root}."
    ),
    "explain.eps.half.rmsnorm": (
        "Where the values are much larger than that, ε changes next to nothing; a vector whose own root mean square is "
        "{root} comes out at 1/√2 = 0.707 of unit size, before the gain."
    ),
    "explain.eps.half.layernorm": (
        "Where the values spread much wider than that, ε changes next to nothing; a vector whose own standard deviation "
        "is {root} comes out with 1/√2 = 0.707 of unit deviation, before gain and bias."
    ),
    "explain.eps.zeros": "A vector of zeros stays zero where it would be 0/0.",
    "explain.eps.zeros.bias": "A vector of zeros comes out as the bias where it would be 0/0.",
    "explain.eps.equal": "A vector of equal numbers becomes zero where it would be 0/0.",
    "explain.eps.equal.bias": "A vector of equal numbers, zeros among them, comes out as the bias b where it would be 0/0.",
    "explain.eps.one-plus": (
        "The stored weight is an offset: the gain is 1 + w. A header cannot show whether a converter has already "
        "folded the "
        "1 in."
    ),
    "explain.eps.against-layernorm": (
        "Against LayerNorm, RMSNorm drops the mean, the bias and with them one of two reductions; its paper "
        "measured 7% to 64% less running time."
    ),
    "explain.eps.f16.subnormal": (
        "A kernel that rounds ε to fp16, this checkpoint's dtype, gets {rounded}: subnormal (below {normal}), so "
        "zero where "
        "subnormals are flushed."
    ),
    "explain.eps.f16.normal": "A kernel that rounds ε to fp16, this checkpoint's dtype, gets {rounded}.",
    "explain.eps.f16.zero": (
        "A kernel that rounds ε to fp16, this checkpoint's dtype, gets 0 (the smallest fp16 number is {least}), and "
        "a vector "
        "of zeros becomes 0/0."
    ),
    "explain.eps.f16.square": "In fp16 x² overflows as soon as |x| exceeds {limit}.",
    "explain.eps.bf16.normal": "A kernel that rounds ε to bf16, this checkpoint's dtype, gets {rounded}: close enough.",
    "explain.eps.bf16.subnormal": (
        "A kernel that rounds ε to bf16, this checkpoint's dtype, gets {rounded}, a subnormal number."
    ),
    "explain.eps.bf16.zero": "A kernel that rounds ε to bf16, this checkpoint's dtype, gets 0.",
    "explain.eps.bf16.square": (
        "bf16 has the range for x² but only 8 significant bits for the sum; run in fp16 instead, x² overflows as "
        "soon as |x| "
        "exceeds {limit}."
    ),
    "explain.eps.upcast": "That is why most implementations square and average in float32 and only then go back.",
    "explain.eps.fixed": (
        "ε is part of the function that was trained, and no tensor holds it: the headers cannot confirm it, and it "
        "should not "
        "be changed after training. An engine set to another value reports no error; its output degrades silently."
    ),
    "explain.eps.used.llama": (
        "Llama 2 and Llama 3 were published with 1e-05; the configs of Llama 1 from 7B to 33B, as converted for "
        "transformers, have 1e-06."
    ),
    "explain.eps.used.mistral": "Mistral 7B was published with 1e-05 (the default of transformers is 1e-06).",
    "explain.eps.used.qwen2": (
        "In this lineage most sizes were published with 1e-06, some with 1e-05, Qwen2.5-14B and Qwen2.5-32B among "
        "them."
    ),
    "explain.eps.used.qwen3": "Qwen3 was published with 1e-06.",
    "explain.eps.used.phi3": "Phi-3 was published with 1e-05.",
    "explain.eps.used.gemma": "Gemma was published with 1e-06.",
    "explain.eps.used.olmo2": "OLMo 2 was published with 1e-06 (the default of transformers is 1e-05).",
    "explain.eps.pointer.llama2": (
        "A context of {context:,} and a vocabulary of 32,000 point to Llama 2, which was trained with {published} "
        "and not {value} (1e-06 is what the small Llama 1 models have). An early upload of Llama-2-7B-chat carried "
        "the wrong one, and copies of it still do: compare with the source."
    ),
    # --- what the norms are ---
    "explain.norm-type.title": "Norms: {name}",
    "explain.norm-type.name.rmsnorm": "RMSNorm",
    "explain.norm-type.name.layernorm": "LayerNorm",
    "explain.norm-type.rmsnorm": (
        "RMSNorm divides a token's vector by its root mean square and scales each component; it neither subtracts "
        "the mean "
        "nor adds a bias."
    ),
    "explain.norm-type.layernorm": (
        "LayerNorm subtracts the mean of a token's vector, divides by its standard deviation and scales each component."
    ),
    "explain.norm-type.gain.w": "The gain is the stored weight w itself.",
    "explain.norm-type.gain.1+w": (
        "The gain is 1 + w: the weights are stored as offsets from one. A converter can forget the 1 or add it "
        "twice; values are not read here, so a header cannot show either."
    ),
    "explain.norm-type.gain.mixers": "Not so inside the layers without attention: there the gain is w itself ({norms}).",
    "explain.norm-type.gain.none": (
        "Here nothing is scaled: it has no gain and no bias, so no tensor is stored for it, and none is missing."
    ),
    "explain.norm-type.bias.rmsnorm.no": "No bias belongs to it.",
    "explain.norm-type.bias.rmsnorm.yes": "There is a bias all the same.",
    "explain.norm-type.bias.layernorm.no": (
        "Here it has no bias, which alone does not make it an RMSNorm: the mean is still subtracted."
    ),
    "explain.norm-type.bias.layernorm.yes": "It adds a bias.",
    "explain.norm-type.qk.named": (
        "Attention has norms of its own on queries and keys ({norms}); they keep the logits from growing."
    ),
    "explain.norm-type.qk.latent": (
        "Attention has norms inside it ({norms}). They stand on the low-rank latents that queries, keys and values are "
        "made from; the projections after them set the size of the logits anew."
    ),
    "explain.norm-type.qk.indexer": "Its indexer, which picks the tokens to attend to, has norms too ({norms}).",
    "explain.norm-type.qk.inner": "Attention has norms inside it ({norms}).",
    "explain.norm-type.qk.unnamed": "Attention has norms of its own, which keep the logits from growing.",
    # --- where they stand ---
    "explain.placement.title": "Norm placement: {name}",
    "explain.placement.name.pre": "pre",
    "explain.placement.name.post": "post",
    "explain.placement.name.output": "output",
    "explain.placement.name.sandwich": "sandwich",
    "explain.placement.name.parallel": "parallel",
    "explain.placement.name.mixed": "mixed",
    "explain.placement.pre": (
        "Each sub-layer reads a normalised copy of the residual stream and adds its result to the stream, which no "
        "norm changes on its way through the layers. Xiong et al. found gradients well behaved from the start, and "
        "no need of a learning-rate warm-up."
    ),
    "explain.placement.post": (
        "The norm stands on the residual stream itself, after each sum, as in the Transformer of 2017: every layer's "
        "output is normalised. Xiong et al. found that at the start of training gradients are large near the output, "
        "where full steps do damage, and give that as the reason why such models are trained with a learning-rate "
        "warm-up."
    ),
    "explain.placement.normed": (
        "Each norm stands on the residual stream ahead of a sub-layer, and its output is both what the sub-layer reads "
        "and what its result is added to: the stream is normalised before each sum."
    ),
    "explain.placement.output": (
        "The norm is on each sub-layer's output, before it is added to the residual stream, and nowhere else: what a "
        "layer adds has a bounded size, and the sub-layer itself reads the stream as it is. OLMo 2's report gives "
        "stability as the reason: with it, and norms on queries and keys, the loss spiked less than with norms on the "
        "input."
    ),
    "explain.placement.sandwich": (
        "Each sub-layer has a norm on its input and another on its output before the sum: it reads a normalised copy "
        "of the stream, and what it adds has a bounded size. Gemma 2's report gives stable training as the reason."
    ),
    "explain.placement.parallel": (
        "Attention and feed-forward block read the same input side by side, and both results are added at once: "
        "under tensor parallelism one synchronisation a layer less than one after the other."
    ),
    "explain.placement.mixed": "Not all sub-layers have their norms in the same place.",
    "explain.placement.names": (
        "In {family} the norms of a layer are called {norms}."
    ),
    # --- the final norm ---
    "explain.final-norm.title": "Norm after the last layer",
    "explain.final-norm.present": "It is there: {tensor}.",
    "explain.final-norm.absent": "It is missing: the architecture has it as {tensor}.",
    "explain.final-norm.unseen": "The architecture has it as {tensor}; the headers that would show it were not read.",
    "explain.final-norm.parameterless": "The architecture has it, without a weight: no tensor is stored for it.",
    "explain.final-norm.why.pre": (
        "With pre-norm every sub-layer adds to the stream and nothing scales it back, so it grows with depth; one "
        "last norm "
        "brings it to the size that the head was trained on."
    ),
    "explain.final-norm.why.output": (
        "Every sub-layer's output is normalised but the sum of all of them is not; one last norm brings it to the "
        "size that "
        "the head was trained on."
    ),
    "explain.final-norm.without": "Without it the output is wrong, and nothing fails: the shapes all fit.",
    "explain.final-norm.none.post": "This architecture has none: with post-norm the last layer already ends in a norm.",
    "explain.final-norm.none": "This architecture has none.",
    # --- biases ---
    "explain.bias.title": "Biases",
    "explain.bias.none": "{family} has no biases under this config.",
    "explain.bias.some": "{family} has these biases under this config: {where}.",
    "explain.bias.more": "The JSON report has {count} more.",
    "explain.bias.inferred": "No table says which biases belong to this model type; patterns of names that are stored: {count}.",
    "explain.bias.others": "The report lists more: those of towers and projectors, or of a state space's step.",
    "explain.bias.flags": "Keys that switch them: {flags}.",
    "explain.bias.no-flags": "No key of {family} is there to switch biases.",
    "explain.bias.flag.config": "{key} = {value}",
    "explain.bias.flag.default": "{key} = {value} (default)",
    # --- attention ---
    "explain.attention.title": "Attention: {name}",
    "explain.attention.name.mha": "multi-head",
    "explain.attention.name.gqa": "grouped-query",
    "explain.attention.name.mqa": "multi-query",
    "explain.attention.name.mla": "multi-head latent",
    "explain.attention.mha": "Heads: {heads}, each with keys and values of its own.",
    "explain.attention.gqa": (
        "{heads} query heads share {kv} key-value heads, {each} to one: keys and values, and with them a cache, are "
        "{each} times smaller than with one for each. Its paper found quality close to one for each, where a single "
        "shared head loses some."
    ),
    "explain.attention.mqa": (
        "All {heads} query heads share a single key-value head: keys and values, and with them a cache, are {each} "
        "times smaller than with one for each."
    ),
    "explain.attention.mla": (
        "{heads} heads whose keys and values are computed from one low-rank latent; a cache needs that and a small "
        "part of a key that all heads share, and not the keys and values of each."
    ),
    "explain.attention.not-hidden": (
        "The heads together are {wide:,} wide, and the residual stream {hidden:,}: the two need not be equal."
    ),
    "explain.attention.full": (
        "That is so in the layers with a window; those with full attention have heads of {size} and {kv} "
        "key-value heads."
    ),
    "explain.attention.cache": "A token of context takes {bytes:,} bytes of cache at {each} bytes an element.",
    "explain.attention.cache.windows": "Once a window is full, its layers take no more.",
    # --- the head ---
    "explain.tied.title": "{key} = {value}",
    "explain.tied.yes": "The output head is the token embedding, used a second time: one matrix, counted once.",
    "explain.tied.saved": "That saves {count:,} parameters.",
    "explain.tied.no": "The output head is a matrix of its own and has {count:,} parameters.",
    "explain.tied.trade": (
        "It is {share:.1%} of the model: a large saving where models are small, hardly any where they are large. In "
        "exchange one matrix has to say both what a token means and what predicts it."
    ),
    # --- what no header shows ---
    "explain.unseen.title": "What no header shows",
    "explain.unseen.values": (
        "These settings leave no trace in the names and sizes of the weights. If one is wrong, the model still "
        "loads and answers worse: {names}."
    ),
    "explain.unseen.after": "- They must not change after training, and nothing here can confirm them.",
    "explain.unseen.value": "{key} = {value}",
    "explain.unseen.default": "{key} = {value} (not set: default)",
    "explain.unseen.code": "ε = {value} (fixed in the code)",
    "explain.unseen.open": (
        "- The list is not complete: other keys, and what the code of transformers fixes without a key, leave no "
        "trace either."
    ),
    "explain.unseen.rotary": (
        "- Nor can it be seen which numbers of a head form a rotary pair, neighbours or halves; q and k are "
        "permuted to match."
    ),
    "explain.unseen.gate": "- Nor whether gate and up were swapped: their shapes are equal.",
    "explain.unseen.offset": "- Nor whether the 1 of the gain was folded into the weights.",
    "explain.unseen.quiet": "- To be sure, compare outputs with those of the source on a few prompts.",
    # --- references ---
    "ref.ainslie2023": (
        "Ainslie et al. 2023, GQA: Training Generalized Multi-Query Transformer Models, arXiv:2305.13245"
    ),
    "ref.ba2016": "Ba, Kiros & Hinton 2016, Layer Normalization, arXiv:1607.06450",
    "ref.deepseekv2": "DeepSeek-AI 2024, DeepSeek-V2, arXiv:2405.04434",
    "ref.ding2021": "Ding et al. 2021, CogView (Sandwich-LN), arXiv:2105.13290",
    "ref.gemma2": "Gemma Team 2024, Gemma 2, arXiv:2408.00118",
    "ref.gptj": "Wang & Komatsuzaki 2021, GPT-J-6B",
    "ref.henry2020": "Henry et al. 2020, Query-Key Normalization for Transformers, arXiv:2010.04245",
    "ref.olmo2": "OLMo Team 2024, 2 OLMo 2 Furious, arXiv:2501.00656",
    "ref.palm": "Chowdhery et al. 2022, PaLM, arXiv:2204.02311",
    "ref.press2017": "Press & Wolf 2017, Using the Output Embedding to Improve Language Models, arXiv:1608.05859",
    "ref.shazeer2017": "Shazeer et al. 2017, The Sparsely-Gated Mixture-of-Experts Layer, arXiv:1701.06538",
    "ref.shazeer2019": "Shazeer 2019, Fast Transformer Decoding: One Write-Head is All You Need, arXiv:1911.02150",
    "ref.shazeer2020": "Shazeer 2020, GLU Variants Improve Transformer, arXiv:2002.05202",
    "ref.touvron2023": "Touvron et al. 2023, LLaMA, arXiv:2302.13971",
    "ref.vaswani2017": "Vaswani et al. 2017, Attention Is All You Need, arXiv:1706.03762",
    "ref.xiong2020": "Xiong et al. 2020, On Layer Normalization in the Transformer Architecture, arXiv:2002.04745",
    "ref.zhang2019": "Zhang & Sennrich 2019, Root Mean Square Layer Normalization, arXiv:1910.07467",
}
