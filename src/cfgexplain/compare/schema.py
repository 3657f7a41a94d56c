"""The JSON Schema (2020-12) of what ``cfgexplain diff --format json`` prints."""

from __future__ import annotations

from typing import Final

from cfgexplain import SCHEMA_VERSION
from cfgexplain.schema import DEFS as REPORT_DEFS

Schema = dict[str, object]

_GRAVITY: Final[Schema] = {"enum": ["loading", "function", "usage", "bookkeeping"]}
_TEXT: Final[Schema] = {"type": "string"}
_COUNT: Final[Schema] = {"type": "integer", "minimum": 0}
_PATTERNS: Final[Schema] = {"type": "array", "items": _TEXT}
_SOURCE: Final[Schema] = {"enum": ["config", "default", "derived", None]}


def _obj(description: str, /, **properties: Schema) -> Schema:
    return {"type": "object", "description": description, "properties": properties, "required": list(properties)}


def _list(of: str) -> Schema:
    return {"type": "array", "items": {"$ref": f"#/$defs/{of}"}}


def _or_null(schema: Schema) -> Schema:
    return {"anyOf": [schema, {"type": "null"}]}


_COUNTS: Final[Schema] = {"$ref": "#/$defs/Count"}
DEFS: Final[dict[str, Schema]] = {
    "Target": REPORT_DEFS["Target"],
    "WeightFile": REPORT_DEFS["WeightFile"],
    "Key": _obj(
        "A key that differs. canonical: the family's name for it; aspect: the entry of structure that it decides.",
        key=_TEXT,
        canonical=_or_null(_TEXT),
        aspect=_or_null(_TEXT),
        a={},
        b={},
        a_source=_SOURCE,
        b_source=_SOURCE,
        gravity=_GRAVITY,
        text=_TEXT,
    ),
    "Aspect": _obj(
        "A property of the architecture that differs.",
        aspect=_TEXT,
        title=_TEXT,
        a={},
        b={},
        gravity=_GRAVITY,
        text=_TEXT,
    ),
    "Form": _obj(
        "Shape and dtype on one side; null where they are not what the group has in common.",
        shape=_or_null({"type": "array", "items": _COUNT}),
        dtype=_or_null(_TEXT),
    ),
    "Group": _obj(
        "Tensors with one difference, folded.",
        tensors=_PATTERNS,
        count=_COUNT,
        role=_or_null(_TEXT),
        params=_or_null(_COUNT),
        a=_or_null({"$ref": "#/$defs/Form"}),
        b=_or_null({"$ref": "#/$defs/Form"}),
        gravity=_GRAVITY,
        text=_TEXT,
    ),
    "Regrouped": _obj(
        "The same parameters, stored in two ways.",
        group=_TEXT,
        a_form=_TEXT,
        b_form=_TEXT,
        a_tensors=_PATTERNS,
        b_tensors=_PATTERNS,
        gravity=_GRAVITY,
        text=_TEXT,
    ),
    "Tensors": _obj(
        "compared: on both sides; renamed: of these, stored under other names.",
        compared=_COUNT,
        renamed=_COUNT,
        added=_list("Group"),
        removed=_list("Group"),
        reshaped=_list("Group"),
        retyped=_list("Group"),
        regrouped=_list("Regrouped"),
    ),
    "Count": _obj(
        "A number on both sides and what it grows by; null where it is not known.",
        a={"type": ["integer", "null"]},
        b={"type": ["integer", "null"]},
        change={"type": ["integer", "null"]},
    ),
    "Params": _obj(
        "by_role holds the roles that differ.",
        total=_COUNTS,
        active=_COUNTS,
        bytes=_COUNTS,
        by_role={"type": "object", "additionalProperties": _COUNTS},
    ),
    "Diff": _obj(
        "Two models. same: nothing differs but names and paperwork. related: one kind, so that tensors correspond; "
        "where they do not, differences have no text. tensors: null there, and where one has no weights.",
        a={"$ref": "#/$defs/Target"},
        b={"$ref": "#/$defs/Target"},
        same={"type": "boolean"},
        related={"type": "boolean"},
        config=_list("Key"),
        structure=_list("Aspect"),
        tensors=_or_null({"$ref": "#/$defs/Tensors"}),
        params={"$ref": "#/$defs/Params"},
    ),
}
DIFF_SCHEMA: Final[Schema] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "cfgexplain diff",
    **_obj(
        "What cfgexplain diff --format json prints.",
        schema_version={"const": SCHEMA_VERSION},
        cfgexplain_version=_TEXT,
        diff={"$ref": "#/$defs/Diff"},
    ),
    "$defs": DEFS,
}
