"""English: labels that several outputs share: parts of a model by role, columns of tables, short legends."""

from typing import Final

TEXTS: Final[dict[str, str]] = {
    # --- roles of tensors ---
    "role.embedding": "embedding",
    "role.position-embedding": "positions",
    "role.attention": "attention",
    "role.cross-attention": "cross-attention",
    "role.block-norm": "norms in the layers",
    "role.attention-norm": "norms in attention",
    "role.final-norm": "last norm",
    "role.other-norm": "other norms",
    "role.ffn": "feed-forward blocks",
    "role.experts": "experts",
    "role.shared-experts": "shared experts",
    "role.router": "router",
    "role.mixer": "mixers",
    "role.lm-head": "output head",
    "role.mtp": "predicting further tokens",
    "role.vision": "vision",
    "role.audio": "audio",
    "role.projector": "projector",
    "role.adapter": "adapter",
    "role.quantization": "scales of quantized weights",
    "role.buffer": "stored tables (buffers)",
    "role.other": "other",
    "role.unclassified": "of unknown use",
    # --- what the total leaves out ---
    "role.apart.mtp": "layers that predict tokens further ahead; not counted in the total",
    "role.apart.adapter": "weights beside the model itself; not counted in the total",
    "role.apart.quantization": "scales, zero points and the like; not counted in the total",
    "role.apart.buffer": "masks and tables that were not learned; not counted in the total",
    "role.apart.row": "{label}: {text}",
    # --- lists ---
    "join.more": "{names} and {count} more",
    # --- the end of a report ---
    "text.next.key": "One number in detail: --key {key}.",
    "text.next.tour": "New to these words: cfgexplain tour.",
    # --- memory ---
    "text.memory.windowed": "{count} of the {total} layers with a cache keep only the last {window} tokens",
    "text.memory.windowed.unknown": "{count} of the {total} layers with a cache keep only a window of the last tokens",
    "text.memory.row.with-state": "weights + state",
    "text.memory.legend.weights": (
        "The share of a card that the weights fill, or how many cards they take at least (×): an estimate. A card of "
        "8 GB counts as 8 billion bytes; many hold as many GiB, 7% more. Activations and what an engine keeps for "
        "itself come on top and are not estimated."
    ),
    "text.memory.factor.layer": "{n} layer",
    "text.memory.factor.layers": "{n} layers",
    "text.memory.factor.pair": "2 (keys, values)",
    "text.memory.factor.head": "{n} head",
    "text.memory.factor.heads": "{n} heads",
    "text.memory.factor.kv-head": "{n} key-value head",
    "text.memory.factor.kv-heads": "{n} key-value heads",
    "text.memory.factor.latent": "({latent} latent + {rotary} rotary)",
    "text.memory.factor.latent-shared": "({latent} latent + {rotary} of a key for all heads)",
    "text.memory.factor.byte": "{n} byte",
    "text.memory.factor.bytes": "{n} bytes",
    # --- the drawing ---
    "text.draw.legend": "⊕ added to the stream",
    "text.draw.legend.gated": "⊕ added to the stream, × multiplied number by number",
    # --- Markdown ---
    "markdown.column.severity": "severity",
    "markdown.column.check": "check",
    "markdown.column.where": "where",
    "markdown.column.what": "what",
    "markdown.column.fact": "fact",
    "markdown.column.value": "value",
    "markdown.column.origin": "from",
    "markdown.column.part": "part",
    "markdown.column.params": "parameters",
    "markdown.column.share": "share",
    "markdown.column.bytes": "bytes",
    "markdown.column.how": "how",
    "markdown.unread": "not read",
    "markdown.unread.one": "1 not read",
    "markdown.unread.many": "{count} not read",
    "markdown.more": "…and {count} more.",
    "markdown.clean.one": "1 model checked: no problems.",
    "markdown.clean.many": "{count} models checked: no problems.",
    "markdown.summary.one": "{found} in 1 model.",
    "markdown.summary.many": "{found} in {count} models.",
    # --- comparisons ---
    "join.groups": "; ",
    "diff.pair": "{name}: {value}",
    "diff.word.mixed": "several kinds",
    "diff.word.unscaled": "none (default)",
    # --- the page ---
    "html.recipe.llama_rule": "Llama's rule: 2/3 of 4 × d, up to a multiple of 256",
    "html.recipe.meta": "2/3 of 4 × d, up to a multiple of {multiple}",
    "html.recipe.meta.factor": "{factor} × 2/3 of 4 × d, up to a multiple of {multiple}",
    "html.recipe.ratio": "{ratio} × d",
    "html.recipe.stated": "As the file states it",
    "html.recipe.family": "As this family does it",
    # --- manual pages ---
    "page.rule.severity.error": "An error: `cfgexplain check` exits with 1 (unless --fail-on never).",
    "page.rule.severity.warning": "A warning: `cfgexplain check` prints it, and exits with 1 under --fail-on warning.",
    "page.rule.severity.note": "A note: `cfgexplain check` prints it, and exits with 1 under --fail-on note.",
    "page.rule.todo": "What to do",
    "page.key.more-defaults": "{count} more defaults, in {families} families (-v lists them)",
    "page.key.more-places": "and in {count} more places or spellings (-v lists them)",
}
