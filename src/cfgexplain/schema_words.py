"""The words in which the JSON Schema is written."""

from __future__ import annotations

from typing import Final, TypeAlias

Schema: TypeAlias = "dict[str, object]"


def obj(title: str, properties: dict[str, Schema]) -> Schema:
    """An object with all of these keys."""
    return {"type": "object", "description": title, "properties": properties, "required": list(properties)}


def list_of(items: Schema) -> Schema:
    return {"type": "array", "items": items}


def map_of(values: Schema) -> Schema:
    return {"type": "object", "additionalProperties": values}


def ref(name: str) -> Schema:
    return {"$ref": f"#/$defs/{name}"}


def or_null(schema: Schema) -> Schema:
    return {"anyOf": [schema, {"type": "null"}]}


def each(schema: Schema, *names: str) -> dict[str, Schema]:
    """Several keys of one kind."""
    return dict.fromkeys(names, schema)


def one_of(*words: str) -> Schema:
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
SOURCE: Final = one_of("config", "default", "derived", "hardcoded")
ROLES: Final = (
    "embedding", "position-embedding", "attention", "cross-attention", "block-norm", "attention-norm", "final-norm",
    "other-norm", "ffn", "experts", "shared-experts", "router", "mixer", "lm-head", "mtp", "vision", "audio",
    "projector", "adapter", "quantization", "buffer", "other", "unclassified",
)  # fmt: skip
ROLE: Final[Schema] = {"enum": list(ROLES)}
BY_ROLE: Final[Schema] = {"propertyNames": ROLE}
