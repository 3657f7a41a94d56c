"""A wrapper without a table around a language model that has one (LLaVA and its many kin).

The nested config names the language model's type; where its tensors stand is read off the names. What is around
it (towers, projectors) is not written down: it gets roles by name, is never unexpected, and leaves the total from
the config alone unknown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cfgexplain.config import walk
from cfgexplain.expand import expand, settle
from cfgexplain.families.common import key
from cfgexplain.families.registry import find
from cfgexplain.families.schema import Family, Norm, Part
from cfgexplain.families.unknown import NESTED
from cfgexplain.match import wrapper_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

#: The share of a language model's names that must be there: a damaged checkpoint lacks few, another layout many.
FIT: Final = 0.9


def adopt(config: Mapping[str, object], names: Sequence[str]) -> Family | None:
    """A family for this one config and these tensors, or None where no nested config names a known type."""
    path, name = _nested(config)
    child = find(name) if name else None
    if child is None or child.parts:
        return None
    wrapper = wrapper_of(names)
    names = [n[len(wrapper) :] for n in names]
    place = _where(child, walk(config, path), names)
    if place is None:
        return None
    prefix, head = place
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


def _where(child: Family, inner: object, names: Sequence[str]) -> tuple[str, str] | None:
    """(what stands before the body's names, what stands before the head's): the prefix under which most names fit.

    None where the language model's names are not there under any prefix: then it is spelled in another way.
    """
    base = child.base + "." if child.base else ""
    if not names:
        return base, ""
    items = expand(settle(child, inner if isinstance(inner, dict) else {})).items
    body = [n.removeprefix(base) for e in items if e.slot.kind == "param" and _in_body(e.name, base) for n in e.names()]
    mark = next((n for n in body if ".0." in n), body[0] if body else "")
    there = set(names)
    found = {n[: -len(mark)] for n in names if mark and n.endswith(mark)}
    fits = {p: sum(p + n in there for n in body) for p in found}
    prefix = max(fits, key=lambda p: (fits[p], -len(p)), default=base)
    if fits.get(prefix, 0) < FIT * len(body):
        return None
    head = next((s.name for s in child.heads.get(child.head, ())), "")
    before = [
        n[: -len(head)]
        for n in names
        if head and n.endswith(head) and (not n[: -len(head)] or n[: -len(head)].endswith("."))
    ]
    return prefix, min(before, key=len) if before else prefix.removesuffix(base)


def _in_body(name: str, base: str) -> bool:
    """Whether a name is the body's: it stands behind the base, where there is one."""
    return not base or name.startswith(base)


def _around(names: Sequence[str], prefix: str, head: str) -> tuple[tuple[str, str], ...]:
    """Every branch that is not the language model's, with the role that its name shows."""
    from cfgexplain.infer import tower_of

    branches: dict[str, str] = {}
    for n in names:
        if (n.startswith(prefix) and prefix) or n.removeprefix(head).startswith("lm_head"):
            continue
        parts = n.split(".")
        branches.setdefault(".".join(parts[: min(2, len(parts) - 1)]) or n, tower_of(n) or "other")
    return tuple(branches.items()) or (("", "other"),)
