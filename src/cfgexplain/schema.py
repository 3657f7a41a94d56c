"""The JSON Schema (2020-12) of what ``--format json`` prints; ``$defs/Report`` is one line of ``--format jsonl``.

Written by hand, in the contract's words. Every key is required, because every key is always present; further keys
are allowed, because later versions may add some. A test holds it and ``report.py`` together.
"""

from __future__ import annotations

from typing import Final, TypeAlias

from cfgexplain import SCHEMA_VERSION

Schema: TypeAlias = "dict[str, object]"


def _obj(title: str, properties: dict[str, Schema]) -> Schema:
    """An object with all of these keys."""
    return {"type": "object", "description": title, "properties": properties, "required": list(properties)}


def _list(items: Schema) -> Schema:
    return {"type": "array", "items": items}


def _map(values: Schema) -> Schema:
    return {"type": "object", "additionalProperties": values}


def _ref(name: str) -> Schema:
    return {"$ref": f"#/$defs/{name}"}


def _or_null(schema: Schema) -> Schema:
    return {"anyOf": [schema, {"type": "null"}]}


def _each(schema: Schema, *names: str) -> dict[str, Schema]:
    """Several keys of one kind."""
    return dict.fromkeys(names, schema)


def _words(*words: str) -> Schema:
    """One of these words, or null."""
    return {"enum": [*words, None]}


STR: Final[Schema] = {"type": "string"}
STR_OR_NULL: Final[Schema] = {"type": ["string", "null"]}
INT: Final[Schema] = {"type": "integer"}
COUNT: Final[Schema] = {"type": "integer", "minimum": 0}
COUNT_OR_NULL: Final[Schema] = {"type": ["integer", "null"], "minimum": 0}
INT_OR_NULL: Final[Schema] = {"type": ["integer", "null"]}
BOOL: Final[Schema] = {"type": "boolean"}
BOOL_OR_NULL: Final[Schema] = {"type": ["boolean", "null"]}
NUMBER_OR_NULL: Final[Schema] = {"type": ["number", "null"]}
#: JSON has no word for NaN and Infinity: they are written as strings.
ODD_NUMBER: Final[Schema] = {"anyOf": [{"type": ["number", "null"]}, {"enum": ["nan", "inf", "-inf"]}]}
SOURCE: Final = _words("config", "default", "derived", "hardcoded")
ROLES: Final = (
    "embedding", "position-embedding", "attention", "cross-attention", "block-norm", "attention-norm", "final-norm",
    "other-norm", "ffn", "experts", "shared-experts", "router", "mixer", "lm-head", "mtp", "vision", "audio",
    "projector", "adapter", "quantization", "buffer", "other", "unclassified",
)  # fmt: skip
ROLE: Final[Schema] = {"enum": list(ROLES)}
BY_ROLE: Final[Schema] = {"propertyNames": ROLE}

DEFS: Final[dict[str, Schema]] = {
    "Report": _obj(
        "One model. Where error is set, everything but target is null.",
        {
            "target": _ref("Target"),
            "error": _or_null(_ref("Error")),
            "model": _or_null(_ref("Model")),
            "norm": _or_null(_ref("Norm")),
            "ffn": _or_null(_ref("Ffn")),
            "bias": _or_null(_ref("Bias")),
            "params": _or_null(_ref("Params")),
            "layers": _or_null(_ref("Layers")),
            "memory": _or_null(_ref("Memory")),
            "quantization": _or_null(_ref("Quantization")),
            "findings": _or_null(_list(_ref("Finding"))),
            "explanations": _or_null(_list(_ref("Explanation"))),
            "tensors": _or_null(_list(_ref("Tensor"))),
        },
    ),
    "Target": _obj(
        "What was asked for, and the files behind it.",
        {
            "input": STR,
            "kind": _words("hub", "directory", "file", "skeleton", "example", "stdin"),
            **_each(STR_OR_NULL, "repo_id", "revision", "commit", "config_file"),
            "weight_files": _list(_ref("WeightFile")),
        },
    ),
    "WeightFile": _obj(
        "One weight file.",
        {"name": STR, "bytes": COUNT_OR_NULL, "header_bytes": COUNT_OR_NULL, "tensors": COUNT_OR_NULL},
    ),
    "Error": _obj("Why the target could not be inspected, and what to do.", {"kind": STR, "message": STR, "hint": STR}),
    "Model": _obj(
        "Names and sizes.",
        {
            "model_type": STR_OR_NULL,
            "architectures": _or_null(_list(STR)),
            "family": STR_OR_NULL,
            "family_known": BOOL,
            "text_config_path": STR_OR_NULL,
            **_each(COUNT_OR_NULL, "hidden_size", "embedding_size", "num_layers", "vocab_size"),
            "max_position_embeddings": INT_OR_NULL,
            **_each(COUNT_OR_NULL, "num_attention_heads", "num_key_value_heads", "head_dim"),
            "attention": _words("mha", "gqa", "mqa", "mla", "none", "mixed"),
            "positions": _ref("Positions"),
            "remarks": _or_null(_list(_ref("Remark"))),
            "tie_word_embeddings": BOOL_OR_NULL,
            "head": _words("own", "tied", "none"),
            "dtype": STR_OR_NULL,
        },
    ),
    "Remark": _obj(
        "Something that the model computes and the drawing does not show; the config key of its number, if it has one.",
        {"name": STR, "key": STR_OR_NULL, "value": {"type": ["number", "string", "boolean", "null"]}},
    ),
    "Positions": _obj(
        "How the model knows the order of its tokens; theta, fraction and scaling of rotary positions.",
        {
            "kind": _words("rope", "learned", "sinusoidal", "alibi", "relative", "none"),
            **_each(NUMBER_OR_NULL, "theta", "local_theta", "fraction", "local_fraction"),
            "scaling": STR_OR_NULL,
            "layers": COUNT_OR_NULL,
        },
    ),
    "Norm": _obj(
        "The block norms, and the one after the last layer.",
        {
            "type": _words("rmsnorm", "layernorm", "other"),
            "placement": _words("pre", "post", "sandwich", "output", "parallel", "mixed", "none"),
            "eps": _ref("Eps"),
            "gain": _words("w", "1+w", "none"),
            **_each(BOOL_OR_NULL, "bias", "qk_norm"),
            "final_norm": _ref("FinalNorm"),
            "sites": _or_null(_list(_ref("NormSite"))),
        },
    ),
    "Eps": _obj(
        "The number inside the root of the block norms.", {"value": ODD_NUMBER, "key": STR_OR_NULL, "source": SOURCE}
    ),
    "FinalNorm": _obj(
        "Whether the last layer's output is normalised before the head.",
        {"expected": BOOL_OR_NULL, "present": BOOL_OR_NULL, "tensor": STR_OR_NULL},
    ),
    "NormSite": _obj(
        "One norm of a layer, all layers folded, in the order of the flow.",
        {"tensor": STR, "role": ROLE, "size": COUNT_OR_NULL, "count": COUNT},
    ),
    "Ffn": _obj(
        "The feed-forward blocks.",
        {
            "kind": _words("swiglu", "geglu", "reglu", "glu", "other-gated", "mlp", "mixed", "none"),
            "gated": BOOL_OR_NULL,
            **_each(STR_OR_NULL, "activation", "formula"),
            **_each(BOOL_OR_NULL, "bias", "fused_gate_up"),
            "names": _ref("FfnNames"),
            "expert_names": _or_null(_ref("FfnNames")),
            "encoder_names": _or_null(_ref("FfnNames")),
            "intermediate_size": _ref("Width"),
            "derivation": _or_null(_ref("Derivation")),
            "layers": _or_null(_list(_ref("FfnLayers"))),
            "encoder_layers": _or_null(_list(_ref("FfnLayers"))),
            "params": _ref("FfnParams"),
        },
    ),
    "FfnNames": _obj("Modules within a layer.", {"gate": STR_OR_NULL, "up": STR_OR_NULL, "down": STR_OR_NULL}),
    "Width": _obj(
        "The feed-forward width.",
        {
            "value": COUNT_OR_NULL,
            "key": STR_OR_NULL,
            "source": SOURCE,
            "ratio": NUMBER_OR_NULL,
            "from_tensors": COUNT_OR_NULL,
            "factors": _or_null(_map(COUNT)),
        },
    ),
    "Derivation": _obj(
        "How the width follows from the hidden size.",
        {
            "llama_rule": _or_null(_ref("LlamaRule")),
            "chosen": _or_null(_ref("Rule")),
            "candidates": _list(_ref("Rule")),
        },
    ),
    "LlamaRule": _obj(
        "8/3 of the hidden size, rounded up.", {"exact": STR, "multiple_of": COUNT, "value": COUNT, "matches": BOOL}
    ),
    "Rule": _obj(
        "One way to the width.",
        {
            "name": STR,
            "multiplier": NUMBER_OR_NULL,
            "multiple_of": COUNT_OR_NULL,
            "steps": _list(STR),
            "value": COUNT,
            "matches": BOOL,
            "reference": STR,
        },
    ),
    "FfnLayers": _obj(
        "A run of layers with equal feed-forward blocks.",
        {
            **_each(COUNT, "first", "last"),
            "kind": {"enum": ["dense", "moe", "none"]},
            **_each(
                COUNT_OR_NULL, "intermediate_size", "experts", "experts_per_token", "shared_experts",
                "shared_intermediate_size", "input_size", "params"
            ),
        },
    ),
    "FfnParams": _obj(
        "Parameters of the feed-forward blocks.",
        {
            **_each(COUNT_OR_NULL, "dense", "experts", "shared_experts", "router", "total", "active"),
            "share_of_model": NUMBER_OR_NULL,
            **_each(COUNT_OR_NULL, "from_config", "from_tensors"),
        },
    ),
    "Bias": _obj(
        "Bias tensors as folded patterns.",
        {name: _or_null(_list(STR)) for name in ("present", "expected", "unexpected", "missing")},
    ),
    "Params": _obj(
        "Parameters, each once.",
        {
            **_each(COUNT_OR_NULL, "total", "active", "active_without_embeddings"),
            "by_role": _or_null({**_map(COUNT), **BY_ROLE}),
            "by_dtype": _or_null(_map(COUNT)),
            **_each(COUNT_OR_NULL, "stored_elements", "bytes"),
            "stored_by_role": _or_null({**_map(_ref("Stored")), **BY_ROLE}),
        },
    ),
    "Stored": _obj("What is stored under one role.", {"elements": COUNT, "bytes": COUNT}),
    "Layers": _obj(
        "What each layer mixes tokens with.",
        {
            "window": COUNT_OR_NULL,
            "mix": _or_null(_map(COUNT)),
            "kinds": _or_null(_list(_ref("LayerKind"))),
            "matrices": _or_null(_map(_list(_ref("Matrix")))),
        },
    ),
    "Matrix": _obj("A tensor of two or more axes, by its name within the layer.", {"name": STR, "shape": _list(COUNT)}),
    "LayerKind": _obj(
        "A run of equal layers.", {"first": COUNT, "last": COUNT, "attention": STR_OR_NULL, "ffn": STR_OR_NULL}
    ),
    "Memory": _obj(
        "What weights and cache take.",
        {
            **_each(
                COUNT_OR_NULL, "weights_bytes", "kv_cache_bytes_per_token", "kv_cache_bytes_at_context",
                "constant_state_bytes", "kv_cache_dtype_bytes"
            ),
            "kv_cache_formula": STR_OR_NULL,
        },
    ),
    "Quantization": _obj(
        "What the config says about quantization.",
        {
            "method": STR_OR_NULL,
            "bits": NUMBER_OR_NULL,
            "group_size": INT_OR_NULL, "block_size": _or_null(_list(COUNT)),
            "modules": _list(_ref("QuantModule")),
            "formats": _list(_ref("QuantFormat")),
            "bits_per_parameter": NUMBER_OR_NULL,
        },
    ),
    "QuantFormat": _obj(
        "What is stored in one format: weights with their scales and zero points, or tensors of a plain dtype.",
        {"format": STR, "tensors": COUNT, "params": COUNT_OR_NULL, "bytes": COUNT},
    ),
    "QuantModule": _obj("Modules stored in one format.", {"pattern": STR, "format": STR}),
    "Finding": _obj(
        "Something that is wrong, or worth knowing.",
        {
            "name": STR,
            "severity": {"enum": ["error", "warning", "note"]},
            **_each(STR, "message", "hint"),
            **_each(STR_OR_NULL, "file", "pointer"),
            "tensors": _list(STR),
        },
    ),
    "Explanation": _obj(
        "What one number means. Lines of text are paragraphs, lines of formula are steps.",
        {
            "key": STR,
            "value": True,  # type: ignore[dict-item]  # a schema too: anything that a config may hold
            "source": {"enum": ["config", "default", "derived"]},
            **_each(STR, "title", "text"),
            "formula": STR_OR_NULL,
            "references": _list(STR),
        },
    ),
    "Tensor": _obj(
        "One stored tensor.",
        {
            **_each(STR, "name", "file", "dtype"),
            "shape": _list(COUNT),
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
    **_obj(
        "What cfgexplain --format json prints. --format jsonl prints one #/$defs/Report a line.",
        {
            "schema_version": {"const": SCHEMA_VERSION},
            "cfgexplain_version": STR,
            "reports": _list(_ref("Report")),
        },
    ),
    "$defs": DEFS,
}
