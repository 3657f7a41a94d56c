"""The tables: every one loads, names only what exists, and needs nothing beyond itself."""

from __future__ import annotations

import ast
import contextlib
import sys
from types import ModuleType

import pytest

from cfgexplain.expand import expand, settle
from cfgexplain.families.expr import FUNCTIONS, UnknownValue
from cfgexplain.families.registry import NATIVE, TABLES, find, native
from cfgexplain.families.schema import E, Family, Norm, replace
from cfgexplain.inspect import Wanted, inspect
from corpus import cases, checkpoint

ROLES = {
    "embedding",
    "position-embedding",
    "attention",
    "cross-attention",
    "block-norm",
    "attention-norm",
    "final-norm",
    "other-norm",
    "ffn",
    "experts",
    "shared-experts",
    "router",
    "mixer",
    "lm-head",
    "mtp",
    "vision",
    "audio",
    "projector",
    "adapter",
    "quantization",
    "buffer",
    "other",
    "unclassified",
}
#: What a table without attention keys leaves as it is: it has no cache to compute.
DEFAULT_KV = "2*kv_heads*head_dim"
KINDS = {"param", "buffer", "tied", "optional", "unsaved"}


def every_family() -> dict[str, Family]:
    """Every table by model type, the publishers' own formats included."""
    found = {t: f for t in TABLES if (f := find(t)) is not None}
    for keys, place in NATIVE:
        table = native(dict.fromkeys(keys, 1))
        assert table is not None
        found[place] = table
    return found


FAMILIES = every_family()


def expressions(f: Family) -> list[str]:
    """Every expression of a table."""
    texts = [*f.lets.values(), f.kv, f.layer_kind]
    texts += [k.default for k in f.keys.values() if isinstance(k.default, E)]
    texts += [k.null for k in f.keys.values() if k.null is not None]
    texts += [str(x) for x in f.norm if isinstance(x, E)]
    for s in (*f.body, *(s for head in f.heads.values() for s in head)):
        texts += [t for t in (s.when, f"({s.shape},)" if s.shape else "", s.layers, s.experts) if t]
    return texts


@pytest.mark.parametrize("name", sorted(FAMILIES))
def test_a_table_names_only_what_it_has(name: str) -> None:
    f = FAMILIES[name]
    known = {*f.keys, *f.lets, *FUNCTIONS, *(p.name for p in f.parts), "i", "cls", "True", "False", "None"}
    if f.kv == DEFAULT_KV:
        known |= {"kv_heads", "head_dim"}  # a family without attention keys has no cache to compute
    inner = {p.name: find(p.family) for p in f.parts}
    for text in expressions(f):
        for node in ast.walk(ast.parse(text, mode="eval")):
            if isinstance(node, ast.Name):
                assert node.id in known, f"{name}: {node.id} in {text}"
            elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in inner:
                child = inner[node.value.id]
                assert child is not None
                assert node.attr in {*child.keys, *child.lets, *(p.name for p in child.parts)}, (
                    f"{name}: {node.attr} in {text}"
                )


@pytest.mark.parametrize("name", sorted(FAMILIES))
def test_a_table_uses_the_contracts_words_and_cites_its_source(name: str) -> None:
    f = FAMILIES[name]
    assert len(f.source) > 10
    for s in (*f.body, *(s for head in f.heads.values() for s in head)):
        assert s.role in ROLES, s
        assert s.kind in KINDS, s
        assert ("{i}" in s.name) == bool(s.layers), s
        assert not s.experts or "{e}" in s.name, s


@pytest.mark.parametrize("name", sorted(FAMILIES))
def test_an_empty_config_gives_the_defaults_and_no_error(name: str) -> None:
    f = FAMILIES[name]
    s = settle(f, {})
    x = expand(s)
    assert x.items or f.open or not f.body
    for key in f.keys:
        s.value(key)
    for i in range(2):
        for text in (f.layer_kind, f.kv):
            if text != DEFAULT_KV or "kv_heads" in f.keys:
                with contextlib.suppress(UnknownValue):
                    s.evaluate(text, i)


def test_the_registry_covers_what_the_reference_accepts() -> None:
    assert len(TABLES) > 300


def test_a_new_family_is_one_literal_and_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    base = find("llama")
    assert base is not None
    module = ModuleType("cfgexplain.families.brand_new")
    module.BRAND_NEW = replace(base, id="brand_new", source="a test", norm=Norm(gain="1+w"))  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "cfgexplain.families.brand_new", module)
    monkeypatch.setitem(TABLES, "brand_new", "brand_new:BRAND_NEW")
    row = cases()["llama"]
    r = inspect(checkpoint({**row["config"], "model_type": "brand_new"}, row["header"]), Wanted(explanations=False))
    assert r["model"] is not None
    assert r["norm"] is not None
    assert r["params"] is not None
    assert (r["model"]["family"], r["model"]["family_known"], r["norm"]["gain"]) == ("brand_new", True, "1+w")
    assert r["params"]["total"] == row["expect"]["params_total"]
    assert [f for f in r["findings"] or [] if f["severity"] != "note"] == []
