"""English: the story around the numbers: norms inside attention, latents, routing, windows, states."""

from typing import Final

TEXTS: Final[dict[str, str]] = {
    # --- norms on queries and keys ---
    "explain.qk-norm.title": "Norms on queries and keys",
    "explain.qk-norm.why": (
        "A logit of attention is the product of a query and a key, and little in training keeps these from growing. "
        "When they do, the softmax puts all its weight on one token and gradients vanish; large models were seen to "
        "diverge of it. Norms on both bring them to a fixed size first."
    ),
    "explain.qk-norm.each": (
        "Here each head's {size} numbers are normalised by themselves, with one gain for all heads."
    ),
    "explain.qk-norm.own": (
        "Here each head's {size} numbers are normalised by themselves, and each head has a gain of its own."
    ),
    "explain.qk-norm.bound": (
        "But for the gains and the scale that follow, no product can then exceed {bound}, whatever the input."
    ),
    "explain.qk-norm.whole": (
        "Here the {wide:,} numbers of all {heads} heads are normalised together, so that heads may still differ in "
        "size. "
        "Such a norm cannot be split over ranks without a sum across them."
    ),
    "explain.qk-norm.unlike-cap": (
        "Soft caps on logits serve the same end; fast attention kernels favour the norms, which are done before they "
        "begin."
    ),
    # --- latents ---
    "explain.latent.title": "Latent attention: what the cache holds",
    "explain.latent.kept": (
        "Keys and values of all heads are computed from one latent of {rank} numbers. For each token and layer a "
        "cache needs that and a part of a key, {rope} numbers beside it: {small:,} numbers, where keys and values "
        "for each head would be {full:,}, {times:.1f} times as many."
    ),
    "explain.latent.fold": (
        "The way up from the latent need not be computed for past tokens: its matrix can be multiplied into the "
        "query's "
        "and the output's once and for all, and attention runs on the latents themselves."
    ),
    "explain.latent.rotary": (
        "A rotary position stands between these matrices and would forbid that. So {rope} numbers of each query and "
        "key "
        "carry the position, and the others have none; that key is shared by all heads."
    ),
    # --- routing ---
    "explain.routing.title": "Routing: how a token finds its experts",
    "explain.routing.how": (
        "The router gives a score to each of {experts} experts; {k} of them are computed, with weights g that come "
        "from the scores, and their results are added."
    ),
    "explain.routing.idle": "Of these {idle} hand their input on unchanged, without any parameters.",
    "explain.routing.skip": "One more choice is to skip them all; then nothing is added.",
    "explain.routing.score.softmax": "Scores are a softmax over all experts: they compete.",
    "explain.routing.score.selected": "The weights are a softmax over the scores of those picked, and of no others.",
    "explain.routing.score.sigmoid": "Scores come from a sigmoid: each expert is judged by itself.",
    "explain.routing.score.softplus": "Scores are the root of a softplus: each expert is judged by itself.",
    "explain.routing.score.mixer": (
        "The experts are picked one after the other, the highest score first; the weight of each is a softmax "
        "over the scores of those that are left and lie close enough below it, so the weights need not add up to "
        "one."
    ),
    "explain.routing.normed.yes": "The weights of those picked are divided by their sum.",
    "explain.routing.normed.no": "The weights of those picked are not divided by their sum.",
    "explain.routing.normed.joint": (
        "The router scores the shared experts as well; the weights of those picked and of the shared ones are "
        "divided by their common sum and multiplied by a stored number."
    ),
    "explain.routing.biased": (
        "For the choice alone a bias is added to each score; it is no part of the weights."
    ),
    "explain.routing.hashed": (
        "In layers where the token's number alone decides which experts it visits, scores are weights and no choice."
    ),
    "explain.routing.stored": "Each weight is then multiplied by a stored number of its expert.",
    "explain.routing.grouped": (
        "The experts stand in {groups} groups, and only the {kept} best groups of a token are looked at."
    ),
    "explain.routing.scaled": "The weights are then multiplied by {value} ({key}).",
    "explain.routing.inside": "The weight multiplies what an expert reads, not what it puts out.",
    "explain.routing.shared": "Whatever is picked, every token goes through the shared part as well.",
    "explain.routing.choice": (
        "Each layer chooses anew for each token. Experts need not stand for topics that a reader would name: in "
        "Mixtral its authors found the choice to follow syntax more than subject."
    ),
    "explain.routing.balance": (
        "Left alone, routers were seen to send ever more tokens to a few experts (Shazeer et al. 2017). What training "
        "mostly sets against it is an extra loss, or a bias that is raised for experts that are short of tokens."
    ),
    "explain.routing.cost": (
        "A token goes through {active:,} of {total:,} parameters ({share:.1%}): its matrices cost about as much to "
        "compute as those of a dense model with that many parameters (looking back at other tokens comes on top), "
        "and memory has to hold the whole."
    ),
    "explain.routing.beside": "The parts for images and sound are left out: a token of text does not pass them.",
    "explain.routing.batch": (
        "In a large batch nearly all experts are wanted by some token, so all have to be at hand."
    ),
    # --- windows ---
    "explain.windows.title": "Windows: how far a token sees",
    "explain.windows.mixed": (
        "Layers that look at the last {window:,} tokens, a token itself among them, and no further back: {count} of "
        "{layers}. Layers that look at everything: {full}."
    ),
    "explain.windows.all": (
        "Layers that look at the last {window:,} tokens, a token itself among them, and no further back: {count} of "
        "{layers}."
    ),
    "explain.windows.both-ways": (
        "Layers with a window of {window:,} tokens around each token, {half:,} back and {half:,} ahead: {count} of "
        "{layers}."
    ),
    "explain.windows.chunked": (
        "Layers that cut the text into chunks of {window:,} tokens: {count} of {layers}. A token sees there what stands "
        "before it in its own chunk; the first of a chunk sees nothing but itself."
    ),
    "explain.windows.reach": (
        "What lies further back still arrives, passed on from layer to layer, one window each: {reach:,} tokens at "
        "most, and blurred on the way."
    ),
    "explain.windows.full": "Looking up a far token exactly is left to the layers that look at everything ({full}).",
    "explain.windows.saved": (
        "A windowed layer's cache stops growing at its window: {bytes:,} bytes at {context:,} tokens in place of "
        "{all:,}, {times:.1f} times less."
    ),
    "explain.windows.idle": (
        "The window of {window:,} tokens is no shorter than the context of {context:,}: it never cuts anything off."
    ),
    # --- states ---
    "explain.states.title": "A state in place of a cache",
    "explain.states.what": (
        "Layers with a state of fixed size, rewritten with every token, where attention keeps keys and values for "
        "each: {count} of {layers}. What the state takes, in memory and in time per token, stays the same however "
        "long the text."
    ),
    "explain.states.kind.ssm": (
        "A state-space layer lets its state fade at a rate that depends on the input, and so decides what to keep."
    ),
    "explain.states.kind.linear": (
        "Linear attention writes each token's key and value into a matrix, and a query reads from it; without a "
        "softmax nothing else has to be kept."
    ),
    "explain.states.kind.delta-rule": (
        "These layers keep a matrix for each head. With every token it fades by a rate that depends on the input, what "
        "it held under the token's key is replaced and not added to (the gated delta rule), and a query reads from it."
    ),
    "explain.states.kind.lightning": (
        "Linear attention adds each token's key and value to a matrix that fades at a fixed rate of each head, and a "
        "query reads from it."
    ),
    "explain.states.kind.mlstm": (
        "Each head keeps a matrix; one gate says how much of it is kept, and an exponential one how much of a key "
        "and value enters."
    ),
    "explain.states.kind.time-mix": (
        "Each channel keeps weighted sums of past values that fade at a rate of its own."
    ),
    "explain.states.kind.recurrent": "A gated recurrence mixes the last state with the new input, channel by channel.",
    "explain.states.kind.conv": "A short convolution remembers the last few tokens only.",
    "explain.states.bytes": (
        "All of them together keep {bytes:,} bytes for a sequence, at 2 bytes an element; what an implementation "
        "keeps in float32 takes twice as much."
    ),
    "explain.states.break-even": (
        "The layers with attention take as much after {tokens:,} tokens, and go on growing."
    ),
    "explain.states.limit": (
        "A fixed state cannot hold an arbitrarily long text word for word: copying and exact look-up are what such "
        "layers are worse at."
    ),
    "explain.states.with-attention": "Layers with attention, which look up exactly what they still see: {count}.",
    "explain.states.alone": "Here no layer has attention.",
    # --- references ---
    "ref.jelassi2024": (
        "Jelassi et al. 2024, Repeat After Me: Transformers are Better than State Space Models at Copying, "
        "arXiv:2402.01032"
    ),
}
