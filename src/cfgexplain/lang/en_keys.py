"""English: the sentences around a key's text, its page without a model, and the references that only keys need.

"key.<topic>.does" and "key.<topic>.wrong" come from the tables of ``en_keys_core`` and its neighbours.
"""

from typing import Final

from cfgexplain.lang import en_keys_attention, en_keys_core, en_keys_moe

_KEYS: Final = {**en_keys_core.KEYS, **en_keys_attention.KEYS, **en_keys_moe.KEYS}

TEXTS: Final[dict[str, str]] = {
    **{f"key.{name}.does": pair[0] for name, pair in _KEYS.items()},
    **{f"key.{name}.wrong": pair[1] for name, pair in _KEYS.items()},
    # --- where the value comes from ---
    "explain.key.title": "{key} = {value}",
    "explain.key.title.unset": "{key}: not set",
    "explain.key.title.object": "{key}",
    "explain.key.origin.config": "The config sets {key} to {value}.",
    "explain.key.origin.null": "The config has {key} as null.",
    "explain.key.origin.null-derived": "The config has {key} as null; {family} then derives {value}.",
    "explain.key.origin.default": (
        "The config does not set {key}; {value} is the default of {family} in the reference implementation."
    ),
    "explain.key.origin.derived": "The config does not set {key}; {family} derives {value} from {rule}.",
    "explain.key.origin.varies": "The config does not set {key}; {family} derives it layer by layer from {rule}.",
    "explain.key.origin.off": "The config does not set {key}, and {family} takes that as none.",
    "explain.key.origin.built": (
        "The config does not set {key}; {family} then goes by its other keys and its own code."
    ),
    "explain.key.origin.object": "The config has {key}.",
    "explain.key.origin.unknown": "What the config has as {key} is not a value that {family} can use.",
    "explain.key.origin.absent": "The config has no {key}, and the table of {family} does not use one.",
    "explain.key.origin.unset": "The config does not set {key}.",
    "explain.key.origin.elsewhere": "In {family} it is called {key}.",
    "explain.key.unread": "The reference implementation of {family} does not read this key: it changes nothing.",
    "explain.key.unread-while": (
        "With {other} set, the reference implementation of {family} does not read this key: it changes nothing."
    ),
    "explain.key.not-rotary": "This model has no rotary positions: nothing reads it.",
    "explain.key.not-structural": (
        "No tensor's presence or shape follows from it in {family}."
    ),
    "explain.key.shadowed": "The config also has {other}, which {family} reads first.",
    "explain.key.unknown-family": "No table says what this model type does with it.",
    "explain.key.unexplained": "No text explains this key.",
    "explain.key.see": "See {key} above.",
    "explain.key.shapes": "Tensors whose shape follows from it: {names}.",
    "explain.key.shapes-more": "Tensors whose shape follows from it: {names}, and {count} more.",
    "explain.key.decides": "Tensors that exist, or not, by it: {names}.",
    "explain.key.decides-more": "Tensors that exist, or not, by it: {names}, and {count} more.",
    "explain.key.wrong": "If it is wrong: {text}",
    "explain.key.after": "After training: {text}",
    "explain.key.related": "Read with it: {names}.",
    "explain.key.related.value": "{key} = {value}",
    "explain.key.left.title": "Keys without an explanation: {count}",
    "explain.key.left.text": "No text explains these keys, and the table of {family} does not use them: {names}.",
    "explain.key.left.text.unknown": "No text explains these keys: {names}.",
    "explain.key.left.unread": "Of these the reference implementation is known not to read {names}.",
    "explain.key.value.list": "a list of {count}",
    "explain.key.value.object": "an object of {count}",
    # --- whether it can be changed ---
    "explain.key.after.shape": (
        "it cannot be changed. Stored tensors were made for it; another value needs other tensors."
    ),
    "explain.key.after.layers": (
        "layers can be cut off or repeated, and the model then needs training again; the number has to match the "
        "tensors."
    ),
    "explain.key.after.structure": "it cannot be changed. The tensors were trained in the places that it gives them.",
    "explain.key.after.flag": "it has to match what is stored. Change it only together with the tensors.",
    "explain.key.after.silent": (
        "it cannot be changed. It is part of the function that was trained, and no header can confirm it."
    ),
    "explain.key.after.derived": "it follows from other keys and changes with them only.",
    "explain.key.after.latent": "it has to stay what num_attention_heads is.",
    "explain.key.after.resize": "rows can be added or removed together with it; new ones have to be trained.",
    "explain.key.after.extend": (
        "with learned positions only together with the table. With rotary positions it can be raised along with θ or a "
        "scaling, at a loss that training at the new length repairs."
    ),
    "explain.key.after.free": "it can be changed freely: no tensor depends on it.",
    "explain.key.after.rope": (
        "it is part of the function that was trained. Published recipes change it to stretch the context, mostly with "
        "some training at the new length."
    ),
    "explain.key.after.window": (
        "it is part of what was trained. A smaller window runs and forgets sooner; a larger one reaches distances that "
        "those layers never saw."
    ),
    "explain.key.after.tie": (
        "tied matrices can be untied by storing a copy. Separate ones cannot be tied without training."
    ),
    "explain.key.after.topk": (
        "it can be changed, for no tensor depends on it, but the model was trained with this number."
    ),
    "explain.key.after.capacity": "it can be changed at the price of dropped tokens or of memory.",
    "explain.key.after.mtp": "the extra layers can be dropped together with the key; the main model is the same.",
    "explain.key.after.training": "it can be changed freely. Only training reads it.",
    "explain.key.after.training.mostly": (
        "it can be changed where only training reads it, which is most families; for the others it is part of the "
        "function that was trained."
    ),
    "explain.key.after.head": (
        "it cannot be changed under a classifier that was trained with it. Without such a classifier nothing reads it."
    ),
    "explain.key.after.runtime": "it can be changed freely. It steers the program and not the function.",
    "explain.key.after.generation": "it can be changed freely, better in generation_config.json.",
    "explain.key.after.storage": "only together with the stored tensors; converting them changes both.",
    "explain.key.after.resolution": (
        "towers that stretch their positions accept another size; others need the table changed."
    ),
    "explain.key.after.tokens": "only together with the tokenizer.",
    "explain.key.after.label": "it names things; it has to name what is there.",
    # --- numbers ---
    "explain.key.layers.each": (
        "The layers hold {inside:,} parameters, {share:.1%} of the model; the formula divides them by {count} layers."
    ),
    "explain.key.layers.shared": (
        "The layers hold {inside:,} parameters, {share:.1%} of the model; weights that several layers use are counted "
        "once."
    ),
    "explain.key.hidden.embedding": "The embedding is {wide:,} wide; a projection leads from there to {hidden:,}.",
    "explain.key.vocab.share": "One such matrix has {count:,} parameters, {share:.1%} of the model.",
    "explain.key.vocab.round": "{rows:,} is a multiple of {two:,}, a power of two that kernels like.",
    "explain.key.vocab.odd": (
        "{rows:,} is a multiple of no power of two above {two:,}; matrices of such a height can be slower, and "
        "split badly over ranks."
    ),
    "explain.key.context.cache": "One sequence of full length takes {bytes:,} bytes of cache.",
    "explain.key.context.usable": (
        "The table of positions has {rows:,} rows, but positions are counted from the row after the padding's: a text "
        "may have at most {usable:,} tokens."
    ),
    "explain.key.context.rows": (
        "The table of positions has {rows:,} rows, {more} on top of the positions: transformers begins to count "
        "beyond them."
    ),
    "explain.key.context.cache-windowed": (
        "One sequence of full length takes {bytes:,} bytes of cache; without windows it would be {all:,}."
    ),
    "explain.key.init.compare": (
        "A matrix of independent numbers with deviation 1/√d keeps the size of what goes through it; {std} is this "
        "model's choice."
    ),
    "explain.key.qk-norm.count": "The norms inside attention have {count:,} parameters in all.",
    "explain.key.heads.other": (
        "The heads together are {wide:,} wide, and the residual stream {hidden:,}: the output projection leads back."
    ),
    "explain.key.head.latent": (
        "With latent attention a head's query and key are {size} wide, {nope} without position and {rope} beside "
        "the latent; that is what logits are scaled by, not this key."
    ),
    "explain.key.softcap.none": "It is off here.",
    "explain.key.scale.same": "That is the usual 1/√head_dim for heads of {size}.",
    "explain.key.scale.other": "That is not the usual 1/√head_dim for heads of {size}.",
    "explain.key.scale.mup": "It is 1/{size}, the scale of μP: logits are divided by head_dim itself, not by its root.",
    "explain.key.window.layers": (
        "Layers that have it: {count} of {layers}. Through all of them, one window each, something can travel at "
        "most the distance of the formula; other layers have no such limit."
    ),
    "explain.key.window.unused": "No layer of this model has a window.",
    "explain.key.dtype.bytes": "All parameters as {name} take {bytes:,} bytes.",
    "explain.key.dtype.stored": "The headers count: {stored}.",
    "explain.key.quantization.bits": "As stored, a parameter takes {bits:.3f} bits on average, scales included.",
    "explain.key.token.inside": "The embedding has {rows:,} rows, so it is in range.",
    "explain.key.token.outside": "The embedding has {rows:,} rows: not every id here has one.",
    "explain.key.theta.range": (
        "Of {pairs} pairs the fastest (j = 0) makes a full turn in 2π = 6.28 tokens, the slowest (j = {last}) in 2π "
        "· {base}^({top} / {d}) = {longest}."
    ),
    "explain.key.theta.range-before": (
        "Before any stretching: of {pairs} pairs the fastest (j = 0) makes a full turn in 2π = 6.28 tokens, the "
        "slowest (j = {last}) in 2π · {base}^({top} / {d}) = {longest}."
    ),
    "explain.key.theta.range-after": "Stretched as this config says, the slowest takes {longest} tokens.",
    "explain.key.theta.full": "In layers with full attention:",
    "explain.key.theta.window": "In layers with a window:",
    "explain.key.theta.still": "Pairs of a head that do not turn at all: {still} of {pairs}.",
    "explain.key.theta.turns": (
        "Pairs that complete a turn within the context of {context:,} tokens: {count} of {pairs}; the others only ever "
        "see a part of the circle."
    ),
    "explain.key.theta.turns-window": (
        "Pairs that complete a turn within the {context:,} tokens that such a layer reaches: {count} of {pairs}; "
        "the others only ever see a part of the circle."
    ),
    "explain.key.rope.none": "The positions are not stretched here.",
    "explain.key.rope.linear": "Every position is divided by {factor}: the pairs all turn that much slower.",
    "explain.key.rope.dynamic": (
        "Up to {length:,} tokens nothing changes; for a longer input of n tokens the base grows as in the formula."
    ),
    "explain.key.rope.yarn": (
        "Of {pairs} pairs, counted from 0, those up to {low} are left alone, those from {high} on turn {factor} times "
        "slower, and those between are mixed."
    ),
    "explain.key.rope.yarn.sharp": (
        "yarn also makes attention sharper: the turned queries and keys are multiplied by 0.1 · ln(factor) + 1."
    ),
    "explain.key.rope.yarn.given": "The turned queries and keys are multiplied by attention_factor, {value}.",
    "explain.key.rope.yarn.ratio": (
        "With both mscale and mscale_all_dim, the turned queries and keys are multiplied by the ratio of their "
        "two corrections."
    ),
    "explain.key.rope.yarn.square": (
        "Latent attention reads mscale_all_dim a second time: it multiplies all scores by the square of its "
        "correction."
    ),
    "explain.key.rope.llama3": (
        "Pairs that are left alone: {kept}; that turn {factor} times slower: {whole}; that lie between: {part}."
    ),
    "explain.key.rope.longrope": (
        "Beyond {original:,} tokens the long list of divisors takes over; queries and keys are scaled by the formula, "
        "for a context of {context:,}, unless the config sets a factor."
    ),
    "explain.key.rope.unknown": "No formula is known here for the rule “{kind}” with the keys given.",
    "explain.key.partial.some": "{turned} numbers of each head are turned, {rest} are not.",
    "explain.key.mrope.fits": "That is the number of rotary pairs, {pairs}.",
    "explain.key.mrope.other": "A head has {pairs} rotary pairs.",
    "explain.key.buckets.encoder": (
        "In the encoder, whose classes are halved between what lies behind and ahead, the last class begins at "
        "{begins} tokens."
    ),
    "explain.key.buckets.decoder": "In the decoder the last class begins at {begins} tokens.",
    "explain.key.experts.choices": "Ways to pick {top} of them: {choices}.",
    "explain.key.experts.active": "A token goes through {active:,} of {total:,} parameters, {share:.1%}.",
    "explain.key.experts.active-most": (
        "A token goes through at most {active:,} of {total:,} parameters, {share:.1%}."
    ),
    "explain.key.experts.idle": (
        "Of the {count} that the router chooses among, {idle} hand their input on unchanged and have no tensors."
    ),
    "explain.key.groups.one": "One group is no grouping.",
    "explain.key.groups.reach": "A token can reach {reach} of {count} experts, once its groups are picked.",
    "explain.key.mla.cache": (
        "A cache needs {small:,} numbers for a token and layer, where keys and values for each head would be "
        "{full:,}: {times:.1f} times as many."
    ),
    "explain.key.mla.no-q": "Here queries come from one full matrix.",
    "explain.key.ssm.state": "A layer remembers {count:,} numbers, however long the text.",
    # --- the page of a key, without a model ---
    "page.key.also": "Also written: {names}",
    "page.key.beside": "Explained together with: {names}",
    "page.key.wrong": "If it is wrong: {text}",
    "page.key.apart": "In {families} it is another thing: {text}",
    "page.key.after": "After training: {text}",
    "page.key.related": "Read with it: {names}",
    "page.key.table": "In the tables of cfgexplain",
    "page.key.families": "{name}: {families}",
    "page.key.families-more": "{name}: {families}, and {count} more",
    "page.key.default": "default {value}",
    "page.key.derived": "derived from {value}",
    "page.key.fixed": "a fixed default",
    "page.key.no-default": "no default",
    "page.key.shapes": "tensors whose shape follows from it",
    "page.key.unread": "not read by",
    "page.key.no-text": "No text explains this key. The tables use it as follows.",
    "page.key.hint": "`cfgexplain TARGET --key {name}` explains it with a model's own numbers.",
    "page.key.references": "References",
    # --- references ---
    "ref.abf2023": "Xiong et al. 2023, Effective Long-Context Scaling of Foundation Models, arXiv:2309.16039",
    "ref.beltagy2020": "Beltagy, Peters & Cohan 2020, Longformer, arXiv:2004.05150",
    "ref.brandon2024": (
        "Brandon et al. 2024, Reducing Transformer Key-Value Cache Size with Cross-Layer Attention, arXiv:2405.12981"
    ),
    "ref.chen2023": (
        "Chen et al. 2023, Extending Context Window of Large Language Models via Positional Interpolation, "
        "arXiv:2306.15595"
    ),
    "ref.dao2024": "Dao & Gu 2024, Transformers are SSMs (Mamba-2), arXiv:2405.21060",
    "ref.de2024": "De et al. 2024, Griffin, arXiv:2402.19427",
    "ref.deepseekmoe": "Dai et al. 2024, DeepSeekMoE, arXiv:2401.06066",
    "ref.deepseekv3": "DeepSeek-AI 2024, DeepSeek-V3 Technical Report, arXiv:2412.19437",
    "ref.deepseekv32": "DeepSeek-AI 2025, DeepSeek-V3.2, arXiv:2512.02556",
    "ref.dehghani2023": "Dehghani et al. 2023, Scaling Vision Transformers to 22 Billion Parameters, arXiv:2302.05442",
    "ref.devlin2018": "Devlin et al. 2018, BERT, arXiv:1810.04805",
    "ref.ding2024": "Ding et al. 2024, LongRoPE, arXiv:2402.13753",
    "ref.dosovitskiy2020": "Dosovitskiy et al. 2020, An Image is Worth 16x16 Words, arXiv:2010.11929",
    "ref.fan2019": (
        "Fan, Grave & Joulin 2019, Reducing Transformer Depth on Demand with Structured Dropout, arXiv:1909.11556"
    ),
    "ref.fedus2021": "Fedus, Zoph & Shazeer 2021, Switch Transformers, arXiv:2101.03961",
    "ref.frantar2022": "Frantar et al. 2022, GPTQ, arXiv:2210.17323",
    "ref.gemma3": "Gemma Team 2025, Gemma 3 Technical Report, arXiv:2503.19786",
    "ref.gemma3n": "Baykal et al. 2023, Alternating Updates for Efficient Transformers, arXiv:2301.13310",
    "ref.gloeckle2024": (
        "Gloeckle et al. 2024, Better & Faster Large Language Models via Multi-token Prediction, arXiv:2404.19737"
    ),
    "ref.gu2023": "Gu & Dao 2023, Mamba, arXiv:2312.00752",
    "ref.hendrycks2016": "Hendrycks & Gimpel 2016, Gaussian Error Linear Units, arXiv:1606.08415",
    "ref.kazemnejad2023": (
        "Kazemnejad et al. 2023, The Impact of Positional Encoding on Length Generalization, arXiv:2305.19466"
    ),
    "ref.kimi2025": "Kimi Team 2025, Kimi Linear: An Expressive, Efficient Attention Architecture, arXiv:2510.26692",
    "ref.he2020": "He et al. 2020, DeBERTa: Decoding-enhanced BERT with Disentangled Attention, arXiv:2006.03654",
    "ref.lan2019": "Lan et al. 2019, ALBERT, arXiv:1909.11942",
    "ref.laurel": "Menghani, Kumar & Kumar 2024, LAuReL: Learned Augmented Residual Layer, arXiv:2411.07501",
    "ref.lin2023": "Lin et al. 2023, AWQ, arXiv:2306.00978",
    "ref.llama3": "Llama Team 2024, The Llama 3 Herd of Models, arXiv:2407.21783",
    "ref.mhc": "DeepSeek-AI 2025, mHC: Manifold-Constrained Hyper-Connections, arXiv:2512.24880",
    "ref.minicpm": "Hu et al. 2024, MiniCPM, arXiv:2404.06395",
    "ref.minimax01": "MiniMax 2025, MiniMax-01: Scaling Foundation Models with Lightning Attention, arXiv:2501.08313",
    "ref.mistral7b": "Jiang et al. 2023, Mistral 7B, arXiv:2310.06825",
    "ref.mixtral": "Jiang et al. 2024, Mixtral of Experts, arXiv:2401.04088",
    "ref.peng2023": "Peng et al. 2023, YaRN, arXiv:2309.00071",
    "ref.press2021": "Press, Smith & Lewis 2021, Train Short, Test Long (ALiBi), arXiv:2108.12409",
    "ref.qiu2025": "Qiu et al. 2025, Gated Attention for Large Language Models, arXiv:2505.06708",
    "ref.qwen2vl": "Wang et al. 2024, Qwen2-VL, arXiv:2409.12191",
    "ref.raffel2020": "Raffel et al. 2020, Exploring the Limits of Transfer Learning (T5), arXiv:1910.10683",
    "ref.ramachandran2017": "Ramachandran, Zoph & Le 2017, Searching for Activation Functions, arXiv:1710.05941",
    "ref.srivastava2014": "Srivastava et al. 2014, Dropout, JMLR 15",
    "ref.su2021": "Su et al. 2021, RoFormer: Enhanced Transformer with Rotary Position Embedding, arXiv:2104.09864",
    "ref.wang2024": (
        "Wang et al. 2024, Auxiliary-Loss-Free Load Balancing Strategy for Mixture-of-Experts, arXiv:2408.15664"
    ),
    "ref.xiao2023": "Xiao et al. 2023, Efficient Streaming Language Models with Attention Sinks, arXiv:2309.17453",
    "ref.yang2022": "Yang et al. 2022, Tensor Programs V (μTransfer), arXiv:2203.03466",
    "ref.yang2024": "Yang, Kautz & Hatamizadeh 2024, Gated Delta Networks, arXiv:2412.06464",
    "ref.zaheer2020": "Zaheer et al. 2020, Big Bird, arXiv:2007.14062",
    "ref.zhu2024": "Zhu et al. 2024, Hyper-Connections, arXiv:2409.19606",
    "ref.zoph2022": "Zoph et al. 2022, ST-MoE, arXiv:2202.08906",
    "ref.huang2024": "Huang & Schlag 2024, Deriving Activation Functions Using Integration, arXiv:2411.13010",
}
