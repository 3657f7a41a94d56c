"""Missing, unexpected and misshapen tensors, each under the check that names its cause.

One cause is one finding: a layer that is gone is not twelve missing tensors, a wrong ``intermediate_size`` is not
ninety-six shapes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cfgexplain.checkpoint import Problem
from cfgexplain.config import pointer
from cfgexplain.families.expr import names_in
from cfgexplain.subject import FFN_ROLES, axes_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from cfgexplain.config import Settings
    from cfgexplain.expand import Expected
    from cfgexplain.match import Match, Row
    from cfgexplain.subject import Subject

Faults = dict[str, list[Problem]]
NORM_ROLES: Final = frozenset({"block-norm", "attention-norm", "other-norm"})
HEAD_KEYS: Final = frozenset({"heads", "kv_heads", "head_dim"})


def triage(s: Subject) -> Faults:
    """Every fault of the comparison, by the name of its check."""
    faults: Faults = {}
    m = s.match
    if m is None or not s.known:
        return faults
    if m.misfit:
        _add(faults, "missing-tensor", "layout", {
            "missing": sum(len(n) for _, n in m.missing), "unexpected": len(m.unexpected),
            "example": m.unexpected[0].tensor.name if m.unexpected else "",
            "wanted": m.missing[0][1][0] if m.missing else "",
        }, tensors=[r.tensor.name for r in m.unexpected])
        return faults
    spell = _speller(m)
    _layers(m, faults, spell)
    missing, unexpected, mismatched = m.missing, m.unexpected, m.mismatched
    if "layer-count-mismatch" in faults:
        # What is where depends on the count in some architectures: nothing more can be said of that.
        missing = tuple((e, n) for e, n in missing if not _depends_on_count(e))
        mismatched = tuple(r for r in mismatched if r.item is None or not _depends_on_count(r.item))
        if any(_depends_on_count(e) for e in m.items if e.layer is not None):
            unexpected = ()
    _missing(s, m, missing, faults, spell)
    _unexpected(s, unexpected, faults)
    _shapes(m, mismatched, faults)
    return faults


def _depends_on_count(e: Expected) -> bool:
    """Whether the slot's existence or shape follows from how many layers there are."""
    return any("layers" in closure(e.owner, text) for text in (e.slot.when, f"({e.slot.shape},)" if e.slot.shape else "") if text)


def _add(faults: Faults, check: str, key: str, values: dict[str, object], *, tensors: list[str] | None = None,
         at: str | None = None, file: str | None = None) -> None:
    faults.setdefault(check, []).append(Problem(check, key, values, file, at, tuple(tensors or ())))


def _speller(m: Match) -> Callable[[str], str]:
    """From the table's spelling of a name to the one that this checkpoint would use, as its other tensors show it.

    A branch (``model.layers.``) is spelled as its own tensors are; one without any, as all others below its parent.
    """
    branches: dict[str, str] = {}
    parents: dict[str, set[str]] = {}
    for r in m.rows:
        if r.item is None:
            continue
        ours, theirs = r.name.split("."), r.tensor.name.split(".")
        same = 0
        while same < min(len(ours), len(theirs)) and ours[-1 - same] == theirs[-1 - same]:
            same += 1
        if ours == theirs:
            for k in range(len(ours)):
                parents.setdefault(_joined(ours[:k]), set()).add(_joined(ours[:k]))
        elif same:
            head, stored = ours[: len(ours) - same], theirs[: len(theirs) - same]
            branches[_joined([*head, ours[len(head)]])] = _joined([*stored, ours[len(head)]])
            parents.setdefault(_joined(head), set()).add(_joined(stored))

    def spell(name: str) -> str:
        parts = name.split(".")
        for k in range(len(parts) - 1, 0, -1):
            head = _joined(parts[:k])
            if head in branches:
                return branches[head] + name[len(head):]
            if len(found := parents.get(head, ())) == 1:
                return next(iter(found)) + name[len(head):]
        top = parents.get("", set())
        return next(iter(top)) + name if len(top) == 1 else name

    return spell


def _joined(parts: list[str]) -> str:
    return ".".join(parts) + "." if parts else ""


# --- layers ---


def _layers(m: Match, faults: Faults, spell: Callable[[str], str]) -> None:
    for stack in dict.fromkeys((*m.extra_layers, *m.absent_layers)):
        items = [e for e in m.items if e.stack == stack and e.slot.kind == "param"]
        if not items:
            continue
        wanted = sorted({e.layer for e in items if e.layer is not None})
        extra, absent = m.extra_layers.get(stack, ()), m.absent_layers.get(stack, ())
        on_disk = len(wanted) - len(absent) + len(extra)
        key, path = _key_of(items[0].owner, items[0].slot.layers)
        names = [r.tensor.name for r in m.rows if r.item is None and r.name.startswith(tuple(f"{stack}{i}." for i in extra))]
        values: dict[str, object] = {
            "key": path, "wanted": len(wanted), "stored": on_disk, "extra": list(extra), "absent": list(absent), "stack": stack,
        }
        if extra and absent:
            kind = "both"
        elif extra:
            kind = "extra"
        else:
            kind = "absent"
        names = names or [spell(f"{stack}{i}.") for i in absent]
        _add(faults, "layer-count-mismatch", kind, values, tensors=names, at=key)


def _key_of(s: Settings, text: str) -> tuple[str | None, str]:
    """(JSON pointer, dotted path) of the config key that an expression comes from; pointer None for a default."""
    found: tuple[str | None, str] = (None, text)
    for name in sorted(closure(s, text)):
        if name not in s.family.keys:
            continue
        value = s.value(name)
        if value is None or not value.key:
            continue
        path = f"{s.path}.{value.key}" if s.path else value.key
        if value.origin == "config":
            return pointer(path), path
        found = (None, path)
    return found


def closure(s: Settings, text: str) -> frozenset[str]:
    """Every name that an expression reads, through lets and derived defaults."""
    seen: set[str] = set()
    todo = [text]
    while todo:
        for name in names_in(todo.pop()):
            if name in seen:
                continue
            seen.add(name)
            if name in s.family.lets:
                todo.append(s.family.lets[name])
    return frozenset(seen)


# --- missing ---


def _missing(s: Subject, m: Match, missing: Sequence[tuple[Expected, tuple[str, ...]]], faults: Faults,
             spell: Callable[[str], str]) -> None:
    groups: dict[str, list[str]] = {}
    weights = {e.name: e for e, _ in missing if e.name.endswith("weight")}
    there = {r.name for r in m.rows} | m.listed
    norm_biases = [e for e in m.items if e.main and e.role == "block-norm" and e.slot.kind == "param" and e.name.endswith(".bias")]
    lost = {e.name for e, _ in missing}
    no_bias_at_all = len(norm_biases) > 1 and all(e.name in lost for e in norm_biases)
    tied = _tied(s)
    for e, names in missing:
        if e.role == "lm-head" and tied:
            continue
        twin = weights.get(e.name[: -len("bias")] + "weight") if e.name.endswith(".bias") else None
        # A bias that went with its weight is no fault of its own.
        check = _check_of(s, m, twin or e, there)
        if twin is None and e.name.endswith("bias"):
            check = "norm-type-mismatch" if no_bias_at_all and e.role in ("block-norm", "final-norm") else "missing-bias"
        groups.setdefault(check, []).extend(names)
    spelled = {check: [spell(n) for n in names] for check, names in groups.items()}
    for check, gone in groups.items():
        values: dict[str, object] = {"count": len(gone)}
        key = "absent"
        if check == "missing-bias":
            rule = _bias_rule(next(e for e, n in missing if n[0] == gone[0]))
            key, values["flag"] = ("flag" if rule else "always"), rule
        if check == "tied-head-conflict":
            key = "embedding-gone" if any(e.role == "embedding" for e, _ in missing) else "no-head"
        if check == "missing-tensor" and any(e.role == "embedding" and e.main for e, _ in missing) and any(r.role == "lm-head" for r in m.rows):
            key = "embedding"
        _add(faults, check, key, values, tensors=spelled[check], at=_tie(s) if check == "tied-head-conflict" else None)


def _check_of(s: Subject, m: Match, e: Expected, there: set[str]) -> str:
    """The check that an absent weight (or another tensor without a bias's name) belongs to."""
    if e.role == "final-norm":
        return "missing-final-norm"
    if e.role in NORM_ROLES and e.layer is not None:
        return "missing-layer-norm"
    if e.role == "lm-head" and e.name.endswith("weight") and ("tie" in s.top.family.keys or "tie" in e.owner.family.keys):
        return "tied-head-conflict"
    if e.role in FFN_ROLES and e.slot.part in ("gate", "up", "down", "gate_up") and _sibling(e, m, there):
        return "incomplete-ffn"
    return "missing-tensor"


def _tied(s: Subject) -> bool:
    """Whether the whole config ties the head, or a wrapper that is not written down may: then none is missing."""
    top = s.top.known("tie")
    return top is True or (not s.top.family.listed and top is None)


def _tie(s: Subject) -> str | None:
    for t in (s.top, s.main):
        if "tie" in t.family.keys and (v := t.value("tie")) and v.origin == "config":
            return pointer(t.path, v.key)
    return None


def _bias_rule(e: Expected) -> str:
    """The config key behind a bias, as the user wrote it; "" where the architecture always has it."""
    if not e.slot.when:
        return ""
    for name in sorted(closure(e.owner, e.slot.when)):
        if name in e.owner.family.keys and "bias" in name:
            value = e.owner.value(name)
            return value.key if value else name
    return ""


def _sibling(e: Expected, m: Match, there: set[str]) -> bool:
    """Whether another matrix of the same feed-forward block (the same expert's, where experts are apart) is there."""
    return any(
        o.layer == e.layer and o.stack == e.stack and o.role == e.role and o.slot.part not in ("", e.slot.part)
        and any(n in there for n in o.names())
        for o in m.items
    )


# --- unexpected ---


def _unexpected(s: Subject, rows: Sequence[Row], faults: Faults) -> None:
    biases: list[Row] = []
    others: list[Row] = []
    for r in rows:
        (biases if r.name.endswith(("bias", ".beta")) and r.role != "unclassified" else others).append(r)
    if biases:
        norms = [r for r in biases if r.role in NORM_ROLES or r.role == "final-norm"]
        plain = [r for r in biases if r not in norms]
        if norms:
            _add(faults, "unexpected-bias", "norm", {"count": len(norms), "type": s.main.literal(s.main.family.norm.type)},
                 tensors=[r.tensor.name for r in norms])
        if plain:
            quantized = s.declared is not None or s.packing is not None
            _add(faults, "unexpected-bias", "quantized" if quantized else "plain", {"count": len(plain), "family": s.main.family.id},
                 tensors=[r.tensor.name for r in plain])
    if others:
        _add(faults, "unexpected-tensor", "stranger", {"count": len(others), "family": s.top.family.id},
             tensors=[r.tensor.name for r in others])


# --- shapes ---


def _shapes(m: Match, mismatched: Sequence[Row], faults: Faults) -> None:
    wrong: dict[tuple[str, str], list[tuple[Row, int]]] = {}
    for r in mismatched:
        e = r.item
        if e is None or e.shape is None:
            continue
        check, axis = _cause(r, e)
        wrong.setdefault((check, _blamed(check, e, axis)), []).append((r, axis))
    for (check, name), rows in wrong.items():
        r, axis = rows[0]
        e = r.item
        if e is None or e.shape is None:
            continue
        if name and _sound_elsewhere(name, e.owner, m, {x.tensor.name for x, _ in rows}):
            check, name = "shape-mismatch", ""
        at, path = _key_of(e.owner, name) if name else (None, "")
        turned = axis < 0 and r.shape == e.shape[::-1]
        values: dict[str, object] = {
            "tensor": r.tensor.name, "stored_shape": list(r.shape), "expected_shape": list(e.shape), "rule": e.slot.shape, "count": len(rows),
            "key": path, "config": e.shape[axis] if axis >= 0 else None, "stored": r.shape[axis] if axis >= 0 else None,
            "value": e.owner.maybe(name) if name else None,
        }
        known = {p.key for p in faults.get(check, ())}
        key = "turned" if turned else ("key" if name else "rule")
        if check == "shape-mismatch" and key in known:
            first = next(p for p in faults[check] if p.key == key)
            faults[check].remove(first)
            both = [*first.tensors, *(x.tensor.name for x, _ in rows)]
            _add(faults, check, key, {**first.values, "count": len(both)}, tensors=both, at=first.pointer)
        else:
            _add(faults, check, key, values, tensors=[x.tensor.name for x, _ in rows], at=at)


def _cause(r: Row, e: Expected) -> tuple[str, int]:
    """(check, axis that differs; -1 where more than one axis or the rank differs)."""
    assert e.shape is not None
    if len(r.shape) != len(e.shape):
        return "shape-mismatch", -1
    axes = [k for k, (a, b) in enumerate(zip(r.shape, e.shape, strict=True)) if a != b]
    if len(axes) != 1:
        return "shape-mismatch", -1
    texts = axes_of(e.slot.shape)
    names = closure(e.owner, texts[axes[0]]) if len(texts) == len(e.shape) else frozenset()
    if any("ffn" in n for n in names):
        return "intermediate-size-mismatch", axes[0]
    if "vocab" in names:
        return "vocab-size-mismatch", axes[0]
    if names & HEAD_KEYS:
        return "head-mismatch", axes[0]
    return "shape-mismatch", axes[0]


def _blamed(check: str, e: Expected, axis: int) -> str:
    """The expression on the axis that differs, which leads to the config key; "" where no axis is to blame."""
    if axis < 0:
        return ""
    text = axes_of(e.slot.shape)[axis]
    names = closure(e.owner, text)
    for wanted in ("kv_heads", "heads", "head_dim") if check == "head-mismatch" else ():
        if wanted in names:
            return wanted
    plain = sorted(n for n in names if n in e.owner.family.keys and ("ffn" in n or check != "intermediate-size-mismatch"))
    return plain[0] if plain else ""


def _sound_elsewhere(name: str, owner: Settings, m: Match, wrong: set[str]) -> bool:
    """Whether most tensors that depend on the same number agree with the config: then the tensor is at fault."""
    right = bad = 0
    depends: dict[str, bool] = {}
    for r in m.rows:
        e = r.item
        if e is None or e.slot.kind == "buffer" or e.owner is not owner or not e.slot.shape:
            continue
        if e.slot.shape not in depends:
            depends[e.slot.shape] = name in closure(owner, f"({e.slot.shape},)")
        if not depends[e.slot.shape]:
            continue
        if r.tensor.name in wrong:
            bad += 1
        else:
            right += 1
    return right > bad
