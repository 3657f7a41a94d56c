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
        "A language model on disk is two things. config.json is a page of settings. The weights are a few very large "
        "tables of numbers, found by training. A safetensors file begins with a header that says which tables are in "
        "it and how large they are; cfgexplain reads the config and these headers, and never the numbers themselves."
    ),
    "tour.start.tensors": "This model has {params:,} numbers to learn, its parameters.",
    "tour.start.config": "Some of its settings, as config.json has them:",
    "tour.start.none": "This target has no config: what follows comes from the tables' names and sizes.",
    "tour.start.promise": "At the end of the tour you will know what each of the important ones does.",
    # --- 2 ---
    "tour.tokens.title": "From words to vectors",
    "tour.tokens.text": (
        "Text is cut into tokens, pieces of words. There are {vocab:,} of them (vocab_size), and each has a number. "
        "The "
        "first table, the embedding, has a row for each token: {hidden:,} numbers (the hidden size) that stand for "
        "what "
        "the token means."
    ),
    "tour.tokens.stream": (
        "From here to the end every token is such a row of {hidden:,} numbers. It is called the residual stream: layer "
        "after layer reads it and adds something to it."
    ),
    # --- 3 ---
    "tour.layers.title": "Layer upon layer",
    "tour.layers.text": (
        "The model has {layers} layers, one upon the other. Mostly a layer does two things: it lets tokens look at one "
        "another (attention, or something in its place), and it works on each token by itself (the feed-forward "
        "block). Drawn from top to bottom:"
    ),
    "tour.layers.crossed": (
        "The stack that puts out the result has {layers} layers, one upon the other. A layer lets tokens look at one "
        "another (attention), works on each token by itself (the feed-forward block), and may in between look at what "
        "another stack has read (cross-attention). Drawn from top to bottom:"
    ),
    "tour.layers.plain": (
        "The model has {layers} layers, one upon the other. Most do two things: first they let tokens look at one "
        "another, then they work on each token by itself (the feed-forward block)."
    ),
    "tour.layers.plus": "The sign ⊕ is where a result is added to the stream.",
    # --- 4 ---
    "tour.norm.title": "Keeping the size: norms",
    "tour.norm.why": (
        "Adding again and again makes numbers grow, and layers work best on numbers of a steady size. So a norm brings "
        "each token's row back to one size wherever that is needed."
    ),
    "tour.norm.rmsnorm": (
        "This model uses RMSNorm: square the numbers, take their mean, take the root, divide."
    ),
    "tour.norm.layernorm": (
        "This model uses LayerNorm: subtract the mean, then divide by the standard deviation."
    ),
    "tour.norm.gain": "Then each of the numbers is multiplied by a learned factor of its own.",
    "tour.norm.shift": (
        "Then each of the numbers is multiplied by a learned factor of its own, and a learned number is added."
    ),
    "tour.norm.plain": "Nothing is learned in it, so no table is stored for it.",
    "tour.norm.eps": (
        "If all numbers were zero this would divide by zero, so a tiny ε is added under the root: {eps} here. Nothing "
        "in the weights shows which ε training used. If a program uses another one nothing crashes; answers get "
        "worse, by little or by much. That is why it is worth checking."
    ),
    "tour.norm.pre": (
        "Here the norm comes before each part of a layer (pre-norm), so the stream itself is never scaled back."
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
        "In attention each token asks a question (query), offers a label (key) and a content (value). Where a question "
        "meets a fitting label, the content flows. This happens {heads} times side by side, in as many heads."
    ),
    "tour.attention.size": "Each head works on {size} numbers (head_dim); {heads} × {size} = {wide:,}.",
    "tour.attention.mha": "Each head has keys and values of its own.",
    "tour.attention.gqa": (
        "To save memory {each} question heads share one set of keys and values, so there are only {kv} of these "
        "(num_key_value_heads). This is grouped-query attention."
    ),
    "tour.attention.mqa": "To save memory all question heads share a single set of keys and values.",
    "tour.attention.mla": (
        "To save memory the keys and values of all heads are computed from one short row (a latent), and only that row "
        "is kept."
    ),
    "tour.attention.cache": (
        "While the model writes, it keeps the keys and values of all tokens so far: {bytes:,} bytes for each token "
        "here."
    ),
    "tour.attention.cache-latent": (
        "While the model writes, it keeps these short rows of all tokens so far: {bytes:,} bytes for each token here."
    ),
    "tour.attention.cache-full": "With the longest context, {context:,} tokens, that is {full}.",
    "tour.attention.mix": "Not all layers do the same here: {mix}.",
    "tour.attention.none": (
        "This model has no attention. Each layer carries a memory of fixed size from token to token instead: it never "
        "grows with the text, and cannot hold everything."
    ),
    # --- 6 ---
    "tour.ffn.title": "Working on one token: the feed-forward block",
    "tour.ffn.plain": (
        "The row of {hidden:,} numbers is made wider, to {width:,} ({key}), bent by a simple function "
        "({act}), and made narrow again: two tables."
    ),
    "tour.ffn.gated": (
        "The row of {hidden:,} numbers is made {width:,} wide ({key}) twice, by two tables. One result is "
        "bent by a simple function ({act}) and serves as a gate for the other: they are multiplied number by number. A "
        "third table makes the product narrow again."
    ),
    "tour.ffn.rule": "Why just {width:,}? Someone chose a simple rule, and the computer rounded:",
    "tour.ffn.rule-why": (
        "Two tables of four times the width were the custom. Three tables should cost the same, so each gets two "
        "thirds "
        "of it; and round numbers run faster."
    ),
    "tour.ffn.four": "{width:,} is four times {hidden:,}, the custom since 2017.",
    "tour.ffn.four-gated": (
        "{width:,} is four times {hidden:,}. That was the custom for two tables; with three of this width the block "
        "has half as many parameters again."
    ),
    "tour.ffn.expert": "in each expert, see the next page",
    "tour.ffn.choice": "{width:,} follows from no published rule: it is a choice, {ratio:.2f} times the hidden size.",
    "tour.ffn.share": "All these blocks together hold {share:.0%} of the model's parameters.",
    "tour.ffn.gate-why": "Why a gate helps is not known: its paper found that it does, and gives no reason (Shazeer 2020).",
    # --- 7 ---
    "tour.experts.title": "Many experts, few at work",
    "tour.experts.text": (
        "Layers that have not one feed-forward block but {experts}, each {width:,} wide: {layers}. A small router picks "
        "{k} of them for each token. All of them have to be stored; only those few are computed."
    ),
    "tour.experts.active": "A token goes through {active:,} of {total:,} parameters.",
    # --- 8 ---
    "tour.head.title": "From vectors back to words",
    "tour.head.final": "After the last layer comes one more norm, and then the head:",
    "tour.head.nofinal": "After the last layer comes the head:",
    "tour.head.own": (
        "a table of {vocab:,} × {hidden:,} that gives a score to each token of the vocabulary. The highest scores are "
        "the likeliest tokens."
    ),
    "tour.head.tied": (
        "the embedding, used a second time to give a score to each of {vocab:,} tokens. The highest scores are the "
        "likeliest tokens. Sharing the table saves its parameters (tie_word_embeddings)."
    ),
    "tour.head.next": "When it writes, one of them is picked as the next token, and all begins again.",
    "tour.head.none": "This model has no head: what comes out are the rows themselves, one for each token.",
    # --- 9 ---
    "tour.sum.title": "Adding up",
    "tour.sum.text": "Every parameter belongs to one of these roles:",
    "tour.sum.bytes": "On disk the weights take {bytes}, and as much in memory where they are loaded as they are stored.",
    # --- 10 ---
    "tour.faults.title": "What can go wrong, and who would notice",
    "tour.faults.loud": (
        "If a size in the config is wrong, the tables do not fit and loading fails. That is the harmless kind of fault."
    ),
    "tour.faults.silent": (
        "The other kind is silent. ε, the base of the positions, the activation, the place of the norms, a scale: no "
        "table depends on them, so a wrong value loads without a word, and the model may be a little worse, or "
        "worse on long texts, or talk nonsense. Not even cfgexplain can see from the headers what training used; it can say where a value "
        "comes "
        "from, what others used, and what does not agree."
    ),
    "tour.faults.none": "In this model cfgexplain found nothing wrong.",
    "tour.faults.some": "In this model cfgexplain found this:",
    "tour.next.title": "Where to go from here",
    "tour.next.text": "The same model in full, one key of it, what any key means, and a model of your own:",
}
