"""English: the feed-forward width, its parameters and experts. See ``en_explain`` for the conventions."""

from typing import Final

TEXTS: Final[dict[str, str]] = {
    # --- the width ---
    "explain.width.title": "{key} = {value:,}",
    "explain.width.nameless": "Feed-forward width",
    "explain.width.source.config": "The config sets {key} to {value:,}.",
    "explain.width.source.default": (
        "The config does not set {key}; {value:,} is the default of {family} in the reference implementation."
    ),
    "explain.width.source.derived": "The config gives no {key}; {family} derives {value:,} from its other sizes.",
    "explain.width.source.derived-nameless": "No key holds it: {family} derives {value:,} from its other sizes.",
    "explain.width.source.tensors": "No key of the config holds it; the tensors show {value:,}.",
    "explain.width.doubled": (
        "{family} counts gate and up together: {value:,} means 2 × {width:,}, and each matrix is {width:,} wide."
    ),
    "explain.width.differs": "The tensors say {width:,}.",
    "explain.width.unused": (
        "No layer of this model uses it; in use: {widths}. What the experts of one token come to together is said under "
        "the experts."
    ),
    "explain.width.per-expert": "It is the width of each expert; no layer has a dense block.",
    "explain.width.shared": "It is the width of the shared expert; no layer has a dense block.",
    "explain.width.beside": "It is the width of the dense block that stands beside the experts in every such layer.",
    "explain.width.rule.llama": (
        "A feed-forward block of two matrices with width 4·d has 8·d² parameters. A gated one has three, so the "
        "width is "
        "cut to two thirds to keep the count: 8/3 · {d:,} = {exact}, rounded up to a multiple of {multiple} for the "
        "kernels. "
        "{width:,} is exactly that."
    ),
    "explain.width.rule.llama.exact": (
        "A feed-forward block of two matrices with width 4·d has 8·d² parameters. A gated one has three, so the "
        "width is "
        "cut to two thirds to keep the count: 8/3 · {d:,} = {width:,}, already a multiple of {multiple}, so nothing "
        "is rounded."
    ),
    "explain.width.rule.four": (
        "The width is four times the hidden size, {d:,}, as in the Transformer of 2017, where two such matrices "
        "have 8·d² parameters a layer."
    ),
    "explain.width.rule.recipe": "The recipe is known ({reference}) and gives {value:,}.",
    "explain.width.rule.stated-differs": "That is not the {width:,} in use.",
    "explain.width.rule.not-llama": (
        "Llama's rule (two thirds of 4·d, up to a multiple of {multiple}) would give {value:,}; this model has "
        "{width:,}. "
        "By itself that is no fault."
    ),
    "explain.width.rule.label": "Llama's rule, which ends in another number:",
    "explain.width.rule.none": (
        "None of the rules tried here leads from {d:,} to {width:,}: the ratio is {ratio:.4f}, and 4·d would be "
        "{four:,}."
    ),
    "explain.width.rule.convention": (
        "It is {ratio} times {plain:,}, the rule's own width: some tools count gate and up together (Qwen 1), or apply the "
        "2/3 twice. The number alone cannot tell."
    ),
    "explain.width.ratio.simple": "{width:,} is {ratio} · {d:,} exactly.",
    "explain.width.ratio.four-gated": (
        "{width:,} is {ratio} · {d:,} exactly, but with three matrices, so it has half as many parameters again as the "
        "two-matrix block of that width."
    ),
    "explain.width.ratio.expert": (
        "{width:,} is {ratio:.4g} · {d:,}. The rules for dense blocks do not apply: how wide an expert is goes with how "
        "many a token visits."
    ),
    "explain.width.candidates.one": (
        "Of the settings of Meta's rule tried here (ffn_dim_multiplier, multiple_of) one gives {width:,}: {names}. "
        "That it fits does not prove that it was used."
    ),
    "explain.width.candidates.some": (
        "Of the settings of Meta's rule tried here (ffn_dim_multiplier, multiple_of) {count} give {width:,}: "
        "{names}. The number alone does not tell which of them, if any, was used."
    ),
    "explain.width.candidates.more": "The JSON report has {count} more.",
    "explain.width.candidates.published": (
        "For {model}, which has these two sizes, Meta published an ffn_dim_multiplier of {multiplier} and a "
        "multiple_of of {multiple}."
    ),
    "explain.width.candidates.also-one": (
        "The same rule rounded up to a multiple of {multiple} (multiple_of) also gives {width:,}; {usual} is the "
        "usual setting."
    ),
    "explain.width.candidates.also": (
        "The rule with other settings (ffn_dim_multiplier, multiple_of) also gives {width:,}: {names}; {usual} "
        "without a multiplier is the usual one."
    ),
    "explain.width.why-three": (
        "In its plain form a gated block computes down(act(gate · x) ⊙ (up · x)): three matrices where there were "
        "two."
    ),
    "explain.width.cost.equal": (
        "Three matrices of {d:,} × {width:,} have {gated:,} parameters a layer, exactly the 8·d² of a block of two "
        "with width 4·d."
    ),
    "explain.width.cost.rounding": (
        "Three matrices of {d:,} × {width:,} have {gated:,} parameters a layer against {plain:,} for two of width 4·d: "
        "rounding costs {extra:,} ({share:.2%})."
    ),
    "explain.width.cost.more": (
        "Three matrices of {d:,} × {width:,} have {gated:,} parameters a layer, {extra:,} ({share:.1%}) more than "
        "the 8·d² = "
        "{plain:,} of two with width 4·d."
    ),
    "explain.width.cost.less": (
        "Three matrices of {d:,} × {width:,} have {gated:,} parameters a layer, {extra:,} ({share:.1%}) fewer than "
        "the 8·d² = "
        "{plain:,} of two with width 4·d."
    ),
    "explain.width.shazeer": (
        "Why gating helps is not known. Shazeer's paper found that it does and offers no explanation: “we attribute "
        "their "
        "success, as all else, to divine benevolence”."
    ),
    "explain.width.factors": "{width:,} = {product}.",
    "explain.width.prime": "{width:,} is a prime number.",
    "explain.width.ranks": (
        "Of the powers of two up to 64, these numbers of tensor-parallel ranks split it evenly: {ranks}."
    ),
    "explain.width.tiles": "Kernel tiles and quantization groups, from 8 to 256, that divide it evenly: {sizes}.",
    "explain.width.no-tiles": "It is no multiple of 8: kernels that need one have to pad it.",
    "explain.width.super-block": (
        "{width:,} mod 256 = {rest}: the rows of {matrix}, whose input it is, do not fill the 256-wide super-blocks "
        "of k-quants, "
        "and a converter falls back to another type there."
    ),
    "explain.width.super-block.hidden": (
        "{hidden:,} mod 256 = {rest}: the same holds for the matrices that read the hidden size."
    ),
    "explain.width.group": (
        "{key} sets groups of {size} along a matrix's input; for {matrix} that is {width:,} wide, split over the "
        "ranks."
    ),
    "explain.width.group.count": "{tp} ({groups})",
    "explain.width.group.uneven": "{tp} (no even split)",
    "explain.width.group.whole": "Ranks (groups on each) that work: {ranks}.",
    "explain.width.group.broken": "Ranks that cut a group: {ranks}.",
    "explain.width.group.next": "Padded with zeros to {width:,}, it would fit up to 8 ranks.",
    "explain.width.group.attention": (
        "Attention's output projection reads {wide:,}; with groups of {size} it does not split over {ranks} ranks."
    ),
    # --- experts ---
    "explain.experts.title": "Experts: {key} = {value:,}",
    "explain.experts.nameless": "width",
    "explain.experts.all": "Each layer has {experts} experts, feed-forward blocks of width {width:,}.",
    "explain.experts.some": (
        "{layers} of {all} layers have {experts} experts each, feed-forward blocks of width {width:,}."
    ),
    "explain.experts.dense": "The other feed-forward layers are ordinary (“dense”) ones, with width {widths}.",
    "explain.experts.shared": (
        "Beside the experts stands a shared part ({count}) of width {width:,} that every token goes through."
    ),
    "explain.experts.visited": (
        "A router sends each token to {k} of them; together these are like one ordinary (“dense”) block of width "
        "{active:,}."
    ),
    "explain.experts.visited.shared": (
        "A router sends each token to {k} of the {experts}; with the shared part these are like one ordinary "
        "(“dense”) block of width {active:,}."
    ),
    "explain.experts.visited.idle": (
        "A router sends each token to {k} of {experts}: besides these experts it can pick {idle} that hand their "
        "input on unchanged and have no tensors. All that a token goes through there is at most {active:,} wide "
        "together, and less for each of those."
    ),
    "explain.experts.visited-unknown": "How many of them a token visits is not known.",
    "explain.experts.router": "The routers have {params:,} parameters, counted apart.",
    "explain.experts.factors": "{width:,} = {product}.",
    "explain.experts.prime": "{width:,} is a prime number.",
    "explain.experts.ranks": (
        "Of the powers of two up to 64, these numbers of tensor-parallel ranks split each expert evenly: {ranks}."
    ),
    "explain.experts.tiles": (
        "Kernel tiles and quantization groups, from 8 to 256, that divide the width evenly: {sizes}."
    ),
    "explain.experts.no-tiles": "The width is no multiple of 8: kernels that need one have to pad it.",
    "explain.experts.super-block": (
        "{width:,} mod 256 = {rest}: the rows of each expert's {matrix} matrix do not fill the 256-wide super-blocks "
        "of k-quants."
    ),
    "explain.experts.group": (
        "{key} sets groups of {size} along a matrix's input; for an expert's {matrix} matrix that is {width:,} wide, "
        "split over the ranks."
    ),
    "explain.experts.group.count": "{tp} ({groups})",
    "explain.experts.group.uneven": "{tp} (no even split)",
    "explain.experts.group.whole": "Ranks (groups on each) that work: {ranks}.",
    "explain.experts.group.broken": "Ranks that cut a group: {ranks}.",
    "explain.experts.group.next": "Padded with zeros to {width:,}, it would fit up to 8 ranks.",
    # --- parameters ---
    "explain.ffn-params.title": "Feed-forward parameters: {total:,}",
    "explain.ffn-params.activation": "the activation",
    "explain.ffn-params.total": (
        "The feed-forward blocks have {total:,} of the model's {model:,} parameters, {share:.1%}."
    ),
    "explain.ffn-params.total-alone": "The feed-forward blocks have {total:,} parameters.",
    "explain.ffn-params.active": "One token goes through {active:,} of them, {share:.1%}.",
    "explain.ffn-params.agree": "Config and tensors agree on the number.",
    "explain.ffn-params.differ": (
        "The config implies {config:,}, the tensors hold {tensors:,}: they differ by {difference:,}."
    ),
    "explain.ffn-params.tensors-only": "Counted from the tensors; no table says what the config implies.",
    "explain.ffn-params.config-only": "Counted from the config; no tensors were read.",
    "explain.ffn-params.names": (
        "{gate} is the gate, which goes through {act}; {up} is the value that it multiplies; {down} leads back to "
        "the residual "
        "stream."
    ),
    "explain.ffn-params.special": (
        "{family} computes another function than act(gate) × up between its matrices: what the formula says, with g, "
        "gate and up component by component. Activation keys that the config carries besides do not tell it."
    ),
    "explain.ffn-params.fused-plain": "{both} holds gate and up in one matrix; {down} leads back to the stream.",
    "explain.ffn-params.numbered": (
        "The numbers in w1, w2 and w3 mean different things: in Meta's and Mixtral's code w1 is the gate, w3 the "
        "value and w2 "
        "the way down; in Qwen 1 w2 is the gate and w1 the value."
    ),
    "explain.ffn-params.swap-unseen": (
        "Gate and up have the same shape, so a header cannot show whether a converter swapped them."
    ),
    "explain.ffn-params.fused": (
        "{both} holds gate and up in one matrix; the gate half goes through {act}, and {down} leads back to the "
        "residual stream."
    ),
    "explain.ffn-params.interleaved": "In {family} their rows alternate: gate, up, gate, up.",
    "explain.ffn-params.concatenated": "In {family} they are two halves, one after the other.",
    "explain.ffn-params.layout-unseen": (
        "That is the family's convention; a header cannot show whether a converter kept it."
    ),
}
