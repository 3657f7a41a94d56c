"""English: the tour, for somebody who has never read a config. Sentences are whole; the code chooses among them."""

from typing import Final

TEXTS: Final[dict[str, str]] = {
    "tour.page": "{number}/{count}  {title}",
    "tour.more": "Enter: next page   q: stop",
    # --- 1 ---
    "tour.start.title": "What a model is, on disk",
    "tour.start.hello": (
        "This is a walk through {name}. It takes five minutes, and nothing is assumed but school arithmetic."
    ),
    "tour.start.files": (
        "A language model on disk is two things. config.json is a page of settings. The weights are large tables of "
        "numbers, found by training. A safetensors file begins with a header that says which tables are in it and "
        "how large they are; cfgexplain reads the config and these headers, and never the numbers themselves."
    ),
    "tour.start.tensors": "This model has {params:,} numbers that training has found, its parameters.",
    "tour.start.config": "Some of its settings, as config.json has them:",
    "tour.start.none": "This target has no config: what follows comes from the tables' names and sizes.",
    "tour.start.promise": "At the end of the tour you will know what each of these does.",
    # --- 2 ---
    "tour.tokens.title": "From words to vectors",
    "tour.tokens.text": (
        "Text is cut into tokens, pieces of words. There are {vocab:,} of them ({vocab_key}), and each has a "
        "number. The first table, the embedding, has a row for each token: {hidden:,} numbers that stand for what "
        "the token means. How many these are is called the hidden size ({hidden_key})."
    ),
    "tour.tokens.stream": (
        "From here to the end every token is such a row of {hidden:,} numbers. It is called the residual stream: layer "
        "after layer reads it and adds something to it."
    ),
    # --- 3 ---
    "tour.layers.title": "Layer upon layer",
    "tour.layers.text": (
        "The model has {layers} layers ({key}), one upon the other. Mostly a layer does two things: it lets tokens "
        "look at one another (attention, or something in its place), and it works on each token by itself (the "
        "feed-forward block). Drawn from top to bottom:"
    ),
    "tour.layers.crossed": (
        "The stack that puts out the result has {layers} layers ({key}), one upon the other. A layer lets tokens "
        "look at one another (attention), works on each token by itself (the feed-forward block), and may in "
        "between look at what another stack has read (cross-attention). Drawn from top to bottom:"
    ),
    "tour.layers.plain": (
        "The model has {layers} layers ({key}), one upon the other. Most do two things: first they let tokens look "
        "at one another, then they work on each token by itself (the feed-forward block)."
    ),
    "tour.layers.plus": "The sign ⊕ is where a result is added to the stream.",
    "tour.layers.table": (
        "A table turns one row of numbers into another. One of {a:,} × {b:,} makes {b:,} numbers out of {a:,}: each "
        "new one is a sum of all the old ones, each times its own entry of the table. Where there is a bias, one "
        "more number is added to each sum."
    ),
    # --- 4 ---
    "tour.norm.title": "Keeping the size: norms",
    "tour.norm.why": (
        "Adding again and again makes numbers grow, and layers work best on numbers of a steady size. So a norm brings "
        "each token's row back to one size wherever that is needed."
    ),
    "tour.norm.rmsnorm": (
        "This model uses RMSNorm: square the numbers, take their mean, take the root, and divide each number by it."
    ),
    "tour.norm.layernorm": (
        "This model uses LayerNorm: subtract the mean of the numbers from each, then divide each by their standard "
        "deviation."
    ),
    "tour.norm.gain": "Then each of the numbers is multiplied by a learned factor of its own.",
    "tour.norm.shift": (
        "Then each of the numbers is multiplied by a learned factor of its own, and a learned number is added."
    ),
    "tour.norm.plain": "Nothing is learned in it, so no table is stored for it.",
    "tour.norm.eps": (
        "If all numbers were zero this would divide by zero, so a tiny ε ({key}) is added under the root: {eps} "
        "here. Nothing in the weights shows which ε training used. If a program uses another one nothing crashes; "
        "answers get worse, by little or by much. That is why it is worth checking."
    ),
    "tour.norm.eps-code": (
        "If all numbers were zero this would divide by zero, so a tiny ε is added under the root: {eps} here, which "
        "this model's code fixes. Nothing in the weights shows which ε training used. If a program uses another one "
        "nothing crashes; answers get worse, by little or by much. That is why it is worth checking."
    ),
    "tour.norm.pre": (
        "Here the norm comes before each part of a layer (pre-norm), so no norm scales the stream itself back on "
        "its way through the layers."
    ),
    "tour.norm.last": "That is why one last norm comes at the very end.",
    "tour.norm.post": (
        "Here the norm comes after each sum (post-norm, as in 2017): the stream is brought back to size after every "
        "step, and no last norm is needed. Such models were found to need a slow start in training (Xiong et al. 2020)."
    ),
    "tour.norm.output": "Here the norm is on what each part puts out, before it is added (output norm).",
    "tour.norm.sandwich": "Here there is a norm on what each part reads, and another on what it puts out (sandwich).",
    "tour.norm.parallel": "Here attention and feed-forward block read the same normalised row, side by side.",
    "tour.norm.mixed": "Here the norms are not in the same place everywhere.",
    # --- 5 ---
    "tour.attention.title": "Looking at other tokens: attention",
    "tour.attention.text": (
        "In attention each token asks a question (query), offers a label (key) and a content (value). Where a "
        "question meets a fitting label, the content flows. This happens {heads} times side by side, in as many "
        "heads ({key})."
    ),
    "tour.attention.size": "Each head works on {size} numbers ({key}); {heads} × {size} = {wide:,}.",
    "tour.attention.mha": "Each head has keys and values of its own.",
    "tour.attention.gqa": (
        "To save memory {each} question heads share one set of keys and values, so there are only {kv} of these "
        "({key}). This is grouped-query attention."
    ),
    "tour.attention.mqa": "To save memory all question heads share a single set of keys and values.",
    "tour.attention.mla": (
        "To save memory the keys and values of all heads are computed from one short row (a latent): only that row "
        "has to be kept, and a small piece of a key that all heads share."
    ),
    "tour.attention.layers": "{kind} in {count} layers",
    "tour.attention.where": "Attention itself compares what tokens hold, and not where they stand in the text.",
    "tour.attention.where.rope": (
        "So numbers of each query and key are turned, two by two, by angles that grow with the token's place "
        "(rotary positions, RoPE)."
    ),
    "tour.attention.where.rope-some": (
        "So in {count} of the layers numbers of each query and key are turned, two by two, by angles that grow with "
        "the token's place (rotary positions, RoPE)."
    ),
    "tour.attention.where.theta": (
        "How fast they turn is set by the base θ ({key}), {theta} here: the larger it is, the slower the slow "
        "pairs, which leaves room for longer texts."
    ),
    "tour.attention.where.learned": (
        "So each place has learned numbers of its own, and they are added to the token's row before the first layer "
        "(learned positions)."
    ),
    "tour.attention.where.sinusoidal": (
        "So each place has a fixed pattern of sines and cosines, and it is added to the token's row before the "
        "first layer (sinusoidal positions)."
    ),
    "tour.attention.where.alibi": (
        "So each head lowers the score of two tokens the further apart they stand, at a rate of its own (ALiBi). "
        "Nothing is learned or stored for it."
    ),
    "tour.attention.where.relative": (
        "So the score of two tokens also depends on how far apart they stand, in a way that is learned (relative "
        "positions)."
    ),
    "tour.attention.where.none": (
        "This model adds nothing for that: other kinds of layers, and what a token is allowed to look at, have to "
        "bring the order in."
    ),
    "tour.attention.cache": (
        "While the model writes, it keeps the keys and values of all tokens so far: {bytes:,} bytes for each token "
        "here."
    ),
    "tour.attention.cache-latent": (
        "While the model writes, it keeps these short rows of all tokens so far: {bytes:,} bytes for each token here."
    ),
    "tour.attention.cache-full": "With the longest context, {context:,} tokens ({key}), that is {full}.",
    "tour.attention.mix": "Not all layers do the same here: {mix}.",
    "tour.attention.none": (
        "This model has no attention. Each layer carries a memory of fixed size from token to token instead: it never "
        "grows with the text, and cannot hold everything."
    ),
    # --- 6 ---
    "tour.ffn.title": "Working on one token: the feed-forward block",
    "tour.ffn.plain": (
        "A table makes {width:,} numbers ({key}) out of the row's {hidden:,}. Each of them goes through a simple "
        "function, {act}, and a second table makes {hidden:,} out of them again: two tables."
    ),
    "tour.ffn.gated": (
        "The row of {hidden:,} numbers goes through two tables, and each makes {width:,} numbers out of it ({key}). "
        "One of the results goes through a simple function, {act}, and serves as a gate for the other: they are "
        "multiplied number by number. A third table makes {hidden:,} numbers out of the product again."
    ),
    "tour.ffn.both": "The config counts both tables together: {key} is {value:,} there.",
    "tour.ffn.act": "{act} ({key})",
    "tour.ffn.special": (
        "The row of {hidden:,} numbers goes through two tables, gate and up, and each makes {width:,} numbers out "
        "of it ({key}). The two results become one, number by number; the gate decides how much of the other "
        "passes: {act}. A third table makes {hidden:,} numbers out of that again."
    ),
    "tour.ffn.unknown": "not known which",
    "tour.ffn.rule": "Why exactly {width:,}? Someone chose a simple rule, and the computer rounded up:",
    "tour.ffn.rule-exact": "Why exactly {width:,}? It comes out of a simple rule:",
    "tour.ffn.rule-why": (
        "Two tables of four times the hidden size were the custom. Three tables should cost the same, so each gets "
        "two thirds of that width; and round numbers run faster."
    ),
    "tour.ffn.four": "{width:,} is four times {hidden:,}, the custom since 2017.",
    "tour.ffn.four-gated": (
        "{width:,} is four times {hidden:,}. That was the custom for two tables; with three of this width the block "
        "has half as many parameters again."
    ),
    "tour.ffn.expert": "{key}, in each expert: see the next page",
    "tour.ffn.choice": (
        "{width:,} follows from none of the rules that cfgexplain knows: it is a choice, {ratio:.2f} times the "
        "hidden size."
    ),
    "tour.ffn.share": "All these blocks together hold {share:.0%} of the model's parameters.",
    "tour.ffn.gate-why": "Why a gate helps is not known: its paper found that it does, and gives no reason (Shazeer 2020).",
    # --- 7 ---
    "tour.experts.title": "Many experts, few at work",
    "tour.experts.all": (
        "In all {layers} layers there are {experts} feed-forward blocks (experts; {key}) instead of one, each "
        "{width:,} wide."
    ),
    "tour.experts.some": (
        "In {layers} of {all} layers there are {experts} feed-forward blocks (experts; {key}) instead of one, each "
        "{width:,} wide."
    ),
    "tour.experts.shared": "Besides, every token goes through a shared part that the router does not choose.",
    "tour.experts.text": (
        "A small router picks {k} of them for each token ({key}). All of them have to be stored; only those few are "
        "computed."
    ),
    "tour.experts.active": "A token goes through {active:,} of {total:,} parameters.",
    # --- 8 ---
    "tour.head.title": "From vectors back to words",
    "tour.head.final": "After the last layer comes one more norm, and then the head:",
    "tour.head.nofinal": "After the last layer comes the head:",
    "tour.head.own": (
        "a table of {vocab:,} × {hidden:,} that gives a score to each token of the vocabulary. The highest scores "
        "are the likeliest tokens. Some models use the embedding for this instead ({key}); this one has a table of "
        "its own."
    ),
    "tour.head.tied": (
        "the embedding, used a second time to give a score to each of {vocab:,} tokens. The highest scores are the "
        "likeliest tokens. Sharing the table saves its parameters ({key})."
    ),
    "tour.head.next": "When it writes, one of them is picked as the next token, and all begins again.",
    "tour.head.none": "This model has no head: what comes out are the rows themselves, one for each token.",
    "tour.head.task": "This model has no head over the vocabulary; what it answers comes from {name}.",
    # --- 9 ---
    "tour.sum.title": "Adding up",
    "tour.sum.text": "Every parameter belongs to one of these parts:",
    "tour.sum.bytes": "The weights take {bytes} on disk. Loaded as they are stored, they take the same memory.",
    "tour.sum.bytes-each": (
        "The weights take {bytes} on disk: {each} bytes for each parameter. Loaded as they are stored, they take "
        "the same memory."
    ),
    "tour.sum.bytes-average": (
        "The weights take {bytes} on disk: {each} bytes for a parameter on average. Loaded as they are stored, they "
        "take the same memory."
    ),
    # --- 10 ---
    "tour.faults.title": "What can go wrong, and who would notice",
    "tour.faults.loud": (
        "If a size in the config is wrong, the tables do not fit and loading fails. That is the harmless kind of fault."
    ),
    "tour.faults.silent": (
        "The other kind is silent. ε, the base of the positions, the activation, the place of the norms, a scale: "
        "the size of no table depends on them, so a wrong value loads without a word, and the model may be a little "
        "worse, or worse on long texts, or talk nonsense. Not even cfgexplain can see from the headers what "
        "training used; it can say where a value comes from, what others used, and what does not agree."
    ),
    "tour.faults.none": "In this model cfgexplain found nothing wrong.",
    "tour.faults.some": "In this model cfgexplain found this:",
    "tour.next.title": "Where to go from here",
    "tour.next.text": "Commands to try:",
    "tour.next.whole": "this model in full",
    "tour.next.key": "one of its keys, with its own numbers",
    "tour.next.html": "a page with drawings",
    "tour.next.examples": "other models that ship with cfgexplain",
    "tour.next.any-key": "what a key means, without a model",
    "tour.next.own": "a model of your own",
    "tour.next.check": "only what may be wrong with it",
    "tour.next.rule": "what a check looks for, and why",
    "tour.next.diff": "what differs between two models",
}
