"""The printed schema, the report's types and real reports agree."""

from __future__ import annotations

import json
import typing

import jsonschema
import pytest

from cfgexplain import report as types
from cfgexplain import report_ffn
from cfgexplain.errors import CfgexplainError
from cfgexplain.inspect import failed
from cfgexplain.render import Style
from cfgexplain.render.json_ import render
from cfgexplain.schema import DEFS, SCHEMA
from models import GEMMA_2_2B, GPT2, LLAMA_2_7B, MIXTRAL, report_of, sound, sound_report

VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
TYPES = {name: t for name, t in {**vars(types), **vars(report_ffn)}.items() if typing.is_typeddict(t)}
#: TypedDict → its definition.
NAMES = {name: "Report" if name == "Report" else name.removesuffix("R") for name in TYPES}


def document(*reports: types.Report) -> object:
    return json.loads("".join(render(reports, Style())))


def test_schema_itself_is_valid() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("config", [LLAMA_2_7B, GEMMA_2_2B, MIXTRAL, GPT2], ids=lambda c: str(c["model_type"]))
def test_sound_models_validate(config: dict[str, object]) -> None:
    VALIDATOR.validate(document(sound_report(config), report_of(config)))


def test_every_section_validates_when_full() -> None:
    tensors: dict[str, tuple[int, ...]] = dict(sound(LLAMA_2_7B))
    del tensors["model.norm.weight"]
    tensors["model.layers.0.self_attn.q_proj.bias"] = (4096,)
    config = {**LLAMA_2_7B, "quantization_config": {"quant_method": "awq", "bits": 4, "group_size": 128}}
    r = report_of(config, tensors, listing=True)
    assert r["findings"]
    assert r["quantization"]
    assert r["tensors"]
    VALIDATOR.validate(document(r))


@pytest.mark.parametrize(
    "config",
    [
        {},
        {"model_type": "nobody-knows"},
        {"model_type": "llama", "rms_norm_eps": float("inf")},
        {"model_type": "llama", "hidden_size": "4096", "intermediate_size": None},
    ],
)
def test_odd_configs_validate(config: dict[str, object]) -> None:
    VALIDATOR.validate(document(report_of(config)))


def test_error_validates() -> None:
    VALIDATOR.validate(document(failed("nope", CfgexplainError("not-found", "nope: no such directory", "Check it."))))


def test_no_report_validates() -> None:
    VALIDATOR.validate(document())


def test_a_missing_key_is_refused() -> None:
    broken = document(sound_report(GPT2))
    del broken["reports"][0]["norm"]["eps"]["key"]  # type: ignore[index]
    with pytest.raises(jsonschema.ValidationError):
        VALIDATOR.validate(broken)


@pytest.mark.parametrize("name", NAMES)
def test_keys_of_the_types_are_the_keys_of_the_schema(name: str) -> None:
    definition = DEFS[NAMES[name]]
    keys = set(TYPES[name].__annotations__)
    assert keys == set(typing.cast("dict[str, object]", definition["properties"]))
    assert keys == set(typing.cast("list[str]", definition["required"]))


def test_every_definition_has_a_type() -> None:
    assert set(DEFS) == set(NAMES.values())


def test_examples_validate() -> None:
    from cfgexplain.inspect import inspect
    from cfgexplain.sources import list_examples, open_target
    from cfgexplain.sources.options import Options

    names = list_examples()
    assert names
    VALIDATOR.validate(document(*(inspect(open_target(f"example:{name}", Options())) for name in names)))
