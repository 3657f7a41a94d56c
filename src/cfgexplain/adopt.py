"""A wrapper without a table around a language model that has one (LLaVA and its many kin).

The nested config names the language model's type; where its tensors stand is read off the names. What is around
it (towers, projectors) is not written down: it gets roles by name, is never unexpected, and leaves the total from
the config alone unknown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cfgexplain.config import walk
from cfgexplain.families.common import key
from cfgexplain.families.registry import find
from cfgexplain.families.schema import Family, Norm, Part
from cfgexplain.families.unknown import NESTED
from cfgexplain.match import wrapper_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from cfgexplain.checkpoint import Tensor

def adopt(config: Mapping[str, object], tensors: Sequence[Tensor] | None) -> Family | None:
    """A family for this one config, or None where no nested config names a known type."""
    path, name = _nested(config)
    child = find(name) if name else None
    if child is None or child.parts:
        return None
    names = [t.name for t in tensors or ()]
    wrapper = wrapper_of(names)
    names = [n[len(wrapper):] for n in names]
    prefix, head = _where(child, names)
    return Family(
        id="wrapper",
        source="names of the tensors; the language model's own table",
        base="",
        keys={"tie": key("tie_word_embeddings", None, "bool"), "act": key("hidden_act", None, "str")},
        body=(),
        heads={},
        head=child.head,
        norm=Norm(type="", placement="", gain="", eps="eps"),
        parts=(Part("text", path, name, prefix, head, main=True, cls=child.head),),
        open=_around(names, prefix, head),
        listed=False,
    )


def _nested(config: Mapping[str, object]) -> tuple[str, str]:
    """(path, model type) of the nested language model; ("", "") where there is none."""
    for path in NESTED:
        inner = walk(config, path)
        declared = inner.get("model_type") if isinstance(inner, dict) else None
        if isinstance(declared, str) and find(declared) is not None:
            return path, declared
    return "", ""


def _where(child: Family, names: Sequence[str]) -> tuple[str, str]:
    """(what stands before the body's names, what stands before the head's): the prefix under which most names fit."""
    first = next((s.name for s in child.body if s.layers and s.kind == "param"), "")
    mark = first.replace("{i}", "0").partition("{e}")[0]
    found = [n[: -len(mark)] for n in names if mark and n.endswith(mark)]
    base = child.base + "." if child.base else ""
    prefix = min(found, key=len) if found else base
    head = next((s.name for s in child.heads.get(child.head, ())), "")
    before = [n[: -len(head)] for n in names if head and n.endswith(head) and (not n[: -len(head)] or n[: -len(head)].endswith("."))]
    return prefix, min(before, key=len) if before else prefix.removesuffix(base)


def _around(names: Sequence[str], prefix: str, head: str) -> tuple[tuple[str, str], ...]:
    """Every branch that is not the language model's, with the role that its name shows."""
    from cfgexplain.infer import tower_of

    branches: dict[str, str] = {}
    for n in names:
        if n.startswith(prefix) and prefix or n.removeprefix(head).startswith("lm_head"):
            continue
        parts = n.split(".")
        branches.setdefault(".".join(parts[: min(2, len(parts) - 1)]) or n, tower_of(n) or "other")
    return tuple(branches.items()) or (("", "other"),)
