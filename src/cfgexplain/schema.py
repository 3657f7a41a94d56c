"""The JSON Schema (2020-12) of what ``--format json`` prints; ``$defs/Report`` is one line of ``--format jsonl``.

Written by hand, in the contract's words. Every key is required, because every key is always present; further keys
are allowed, because later versions may add some. A test holds it and ``report.py`` together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cfgexplain import SCHEMA_VERSION
from cfgexplain.schema_words import (
    BOOL,
    BOOL_OR_NULL,
    BY_ROLE,
    COUNT,
    COUNT_OR_NULL,
    INT_OR_NULL,
    NUMBER_OR_NULL,
    ODD_NUMBER,
    ROLE,
    SOURCE,
    STR,
    STR_OR_NULL,
    each,
    list_of,
    map_of,
    obj,
    one_of,
    or_null,
    ref,
)

if TYPE_CHECKING:
    from cfgexplain.schema_words import Schema

DEFS: Final[dict[str, Schema]] = {
    "Report": obj(
        "One model. Where error is set, everything but target is null.",
        {
            "target": ref("Target"),
            "error": or_null(ref("Error")),
            "model": or_null(ref("Model")),
            "norm": or_null(ref("Norm")),
            "ffn": or_null(ref("Ffn")),
            "bias": or_null(ref("Bias")),
            "params": or_null(ref("Params")),
            "layers": or_null(ref("Layers")),
            "memory": or_null(ref("Memory")),
            "quantization": or_null(ref("Quantization")),
            "findings": or_null(list_of(ref("Finding"))),
            "explanations": or_null(list_of(ref("Explanation"))),
            "tensors": or_null(list_of(ref("Tensor"))),
        },
    ),
    "Target": obj(
        "What was asked for, and the files behind it.",
        {
            "input": STR,
            "kind": one_of("hub", "directory", "file", "skeleton", "example", "stdin"),
            **each(STR_OR_NULL, "repo_id", "revision", "commit", "config_file"),
            "weight_files": list_of(ref("WeightFile")),
        },
    ),
    "WeightFile": obj(
        "One weight file.",
        {"name": STR, "bytes": COUNT_OR_NULL, "header_bytes": COUNT_OR_NULL, "tensors": COUNT_OR_NULL},
    ),
    "Error": obj("Why the target could not be inspected, and what to do.", {"kind": STR, "message": STR, "hint": STR}),
    "Model": obj(
        "Names and sizes.",
        {
            "model_type": STR_OR_NULL,
            "architectures": or_null(list_of(STR)),
            "family": STR_OR_NULL,
            "family_known": BOOL,
            "text_config_path": STR_OR_NULL,
            **each(COUNT_OR_NULL, "hidden_size", "embedding_size", "embedding_rows", "num_layers", "vocab_size"),
            "input_patch": or_null(list_of(COUNT)),
            "max_position_embeddings": INT_OR_NULL,
            **each(COUNT_OR_NULL, "num_attention_heads", "num_key_value_heads", "head_dim"),
            "attention": one_of("mha", "gqa", "mqa", "mla", "none", "mixed"),
            "positions": ref("Positions"),
            "remarks": or_null(list_of(ref("Remark"))),
            "tie_word_embeddings": BOOL_OR_NULL,
            "head": one_of("own", "tied", "none"),
            "has_head": BOOL_OR_NULL,
            "task_head": or_null(ref("TaskHead")),
            "dtype": STR_OR_NULL,
        },
    ),
    "TaskHead": obj(
        "A head that is not over the vocabulary: its last matrix, and its widths where they are known.",
        {"name": STR, **each(COUNT_OR_NULL, "input", "output")},
    ),
    "Remark": obj(
        "Something that the model computes and the drawing does not show; the config key of its number, if it has one.",
        {"name": STR, "key": STR_OR_NULL, "value": {"type": ["number", "string", "boolean", "null"]}},
    ),
    "Positions": obj(
        "How the model knows the order of its tokens; theta, fraction and scaling of rotary positions.",
        {
            "kind": one_of("rope", "learned", "sinusoidal", "alibi", "relative", "none"),
            **each(NUMBER_OR_NULL, "theta", "local_theta", "fraction", "local_fraction"),
            **each(STR_OR_NULL, "scaling", "local_scaling"),
            **each(COUNT_OR_NULL, "layers", "table", "usable"),
        },
    ),
    "Norm": obj(
        "The block norms, and the one after the last layer.",
        {
            "type": one_of("rmsnorm", "layernorm", "other"),
            "placement": one_of("pre", "post", "sandwich", "output", "parallel", "mixed", "none"),
            "eps": ref("Eps"),
            "gain": one_of("w", "1+w", "none"),
            **each(BOOL_OR_NULL, "bias", "qk_norm"),
            "final_norm": ref("FinalNorm"),
            "sites": or_null(list_of(ref("NormSite"))),
        },
    ),
    "Eps": obj(
        "The number inside the root of the block norms.", {"value": ODD_NUMBER, "key": STR_OR_NULL, "source": SOURCE}
    ),
    "FinalNorm": obj(
        "Whether the last layer's output is normalised before the head.",
        {"expected": BOOL_OR_NULL, "present": BOOL_OR_NULL, "tensor": STR_OR_NULL},
    ),
    "NormSite": obj(
        "One norm of a layer, all layers folded, in the order of the flow.",
        {"tensor": STR, "role": ROLE, "size": COUNT_OR_NULL, "count": COUNT},
    ),
    "Ffn": obj(
        "The feed-forward blocks.",
        {
            "kind": one_of("swiglu", "geglu", "reglu", "glu", "other-gated", "mlp", "mixed", "none"),
            "gated": BOOL_OR_NULL,
            **each(STR_OR_NULL, "activation", "formula"),
            **each(BOOL_OR_NULL, "bias", "fused_gate_up"),
            "names": ref("FfnNames"),
            "expert_names": or_null(ref("FfnNames")),
            "encoder_names": or_null(ref("FfnNames")),
            "intermediate_size": ref("Width"),
            "derivation": or_null(ref("Derivation")),
            "layers": or_null(list_of(ref("FfnLayers"))),
            "encoder_layers": or_null(list_of(ref("FfnLayers"))),
            "params": ref("FfnParams"),
        },
    ),
    "FfnNames": obj("Modules within a layer.", {"gate": STR_OR_NULL, "up": STR_OR_NULL, "down": STR_OR_NULL}),
    "Width": obj(
        "The feed-forward width.",
        {
            "value": COUNT_OR_NULL,
            "key": STR_OR_NULL,
            "source": SOURCE,
            "ratio": NUMBER_OR_NULL,
            "from_tensors": COUNT_OR_NULL,
            "factors": or_null(map_of(COUNT)),
        },
    ),
    "Derivation": obj(
        "How the width follows from the hidden size.",
        {
            "llama_rule": or_null(ref("LlamaRule")),
            "chosen": or_null(ref("Rule")),
            "candidates": list_of(ref("Rule")),
        },
    ),
    "LlamaRule": obj(
        "8/3 of the hidden size, rounded up.", {"exact": STR, "multiple_of": COUNT, "value": COUNT, "matches": BOOL}
    ),
    "Rule": obj(
        "One way to the width.",
        {
            "name": STR,
            "multiplier": NUMBER_OR_NULL,
            "multiple_of": COUNT_OR_NULL,
            "steps": list_of(STR),
            "value": COUNT,
            "matches": BOOL,
            "reference": STR,
        },
    ),
    "FfnLayers": obj(
        "A run of layers with equal feed-forward blocks.",
        {
            **each(COUNT, "first", "last"),
            "kind": {"enum": ["dense", "moe", "none"]},
            **each(
                COUNT_OR_NULL, "intermediate_size", "experts", "experts_per_token", "shared_experts",
                "shared_intermediate_size", "input_size", "params"
            ),
        },
    ),
    "FfnParams": obj(
        "Parameters of the feed-forward blocks.",
        {
            **each(COUNT_OR_NULL, "dense", "experts", "shared_experts", "router", "total", "active"),
            "share_of_model": NUMBER_OR_NULL,
            **each(COUNT_OR_NULL, "from_config", "from_tensors"),
        },
    ),
    "Bias": obj(
        "Bias tensors as folded patterns.",
        {name: or_null(list_of(STR)) for name in ("present", "expected", "unexpected", "missing")},
    ),
    "Params": obj(
        "Parameters, each once.",
        {
            **each(COUNT_OR_NULL, "total", "active", "active_without_embeddings"),
            "by_role": or_null({**map_of(COUNT), **BY_ROLE}),
            "by_dtype": or_null(map_of(COUNT)),
            **each(COUNT_OR_NULL, "stored_elements", "bytes"),
            "stored_by_role": or_null({**map_of(ref("Stored")), **BY_ROLE}),
        },
    ),
    "Stored": obj("What is stored under one role.", {"elements": COUNT, "bytes": COUNT}),
    "Layers": obj(
        "What each layer mixes tokens with.",
        {
            "window": COUNT_OR_NULL,
            "mix": or_null(map_of(COUNT)),
            "kinds": or_null(list_of(ref("LayerKind"))),
            "matrices": or_null(map_of(list_of(ref("Matrix")))),
        },
    ),
    "Matrix": obj(
        "A tensor of two or more axes, named within the layer.",
        {"name": STR, "shape": list_of(COUNT), "role": ROLE, "bias": BOOL},
    ),
    "LayerKind": obj(
        "A run of equal layers.", {"first": COUNT, "last": COUNT, "attention": STR_OR_NULL, "ffn": STR_OR_NULL}
    ),
    "Memory": obj(
        "What weights and cache take.",
        {
            **each(
                COUNT_OR_NULL, "weights_bytes", "kv_cache_bytes_per_token", "kv_cache_bytes_at_context",
                "constant_state_bytes", "kv_cache_dtype_bytes", "caching_layers", "windowed_layers"
            ),
            "kv_cache_formula": STR_OR_NULL,
        },
    ),
    "Quantization": obj(
        "What the config says about quantization.",
        {
            "method": STR_OR_NULL,
            "bits": NUMBER_OR_NULL,
            "group_size": INT_OR_NULL, "block_size": or_null(list_of(COUNT)),
            "modules": list_of(ref("QuantModule")),
            "formats": list_of(ref("QuantFormat")),
            "bits_per_parameter": NUMBER_OR_NULL,
        },
    ),
    "QuantFormat": obj(
        "What is stored in one format: weights with their scales and zero points, or tensors of a plain dtype.",
        {"format": STR, "tensors": COUNT, "params": COUNT_OR_NULL, "bytes": COUNT},
    ),
    "QuantModule": obj("Modules stored in one format.", {"pattern": STR, "format": STR}),
    "Finding": obj(
        "Something that is wrong, or worth knowing.",
        {
            "name": STR,
            "severity": {"enum": ["error", "warning", "note"]},
            **each(STR, "message", "hint"),
            **each(STR_OR_NULL, "file", "pointer"),
            "tensors": list_of(STR),
        },
    ),
    "Explanation": obj(
        "What one number means. Lines of text are paragraphs, lines of formula are steps.",
        {
            "key": STR,
            "value": True,  # type: ignore[dict-item]  # a schema too: anything that a config may hold
            "source": {"enum": ["config", "default", "derived"]},
            **each(STR, "title", "text"),
            "formula": STR_OR_NULL,
            "references": list_of(STR),
        },
    ),
    "Tensor": obj(
        "One stored tensor.",
        {
            **each(STR, "name", "file", "dtype"),
            "shape": list_of(COUNT),
            "params": COUNT_OR_NULL,
            "role": ROLE,
            "part": STR_OR_NULL,
            "layer": COUNT_OR_NULL,
        },
    ),
}

SCHEMA: Final[Schema] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "cfgexplain report",
    **obj(
        "What cfgexplain --format json prints. --format jsonl prints one #/$defs/Report a line.",
        {
            "schema_version": {"const": SCHEMA_VERSION},
            "cfgexplain_version": STR,
            "reports": list_of(ref("Report")),
        },
    ),
    "$defs": DEFS,
}
