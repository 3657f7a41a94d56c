"""Missing, unexpected and misshapen tensors, each under the check that names its cause.

One cause is one finding: a layer that is gone is not twelve missing tensors, a wrong ``intermediate_size`` is not
ninety-six shapes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cfgexplain.checks.causes import sort_out
from cfgexplain.checks.faults import Faults, add, closure, key_of
from cfgexplain.checks.shapes import shapes
from cfgexplain.config import pointer
from cfgexplain.fold import natural_key, ranges
from cfgexplain.subject import FFN_ROLES

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from cfgexplain.expand import Expected
    from cfgexplain.match import Match, Row
    from cfgexplain.subject import Subject

NORM_ROLES: Final = frozenset({"block-norm", "attention-norm", "other-norm"})


def triage(s: Subject) -> Faults:
    """Every fault of the comparison, by the name of its check."""
    faults: Faults = {}
    m = s.match
    if m is None or not s.known:
        return faults
    if m.misfit:
        add(
            faults,
            "missing-tensor",
            "layout",
            {
                "missing": sum(len(n) for _, n in m.missing),
                "unexpected": len(m.unexpected),
                "example": m.unexpected[0].tensor.name if m.unexpected else "",
                "wanted": m.missing[0][1][0] if m.missing else "",
            },
            tensors=[r.tensor.name for r in m.unexpected],
        )
        return faults
    spell = _speller(m)
    _layers(m, faults, spell)
    missing = m.missing
    # The order in which a file lists its tensors decides nothing: the table's does, and the alphabet's for strangers.
    place = {id(e): k for k, e in enumerate(m.items)}
    unexpected = tuple(sorted(m.unexpected, key=lambda r: natural_key(r.tensor.name)))
    mismatched = tuple(sorted(m.mismatched, key=lambda r: place.get(id(r.item), len(place))))
    if "layer-count-mismatch" in faults:
        # What is where depends on the count in some architectures: nothing more can be said of that.
        missing = tuple((e, n) for e, n in missing if not _depends_on_count(e))
        mismatched = tuple(r for r in mismatched if r.item is None or not _depends_on_count(r.item))
        if any(_depends_on_count(e) for e in m.items if e.layer is not None):
            unexpected = ()
    missing, unexpected, mismatched = sort_out(m, missing, unexpected, mismatched, faults, spell)
    _missing(s, m, missing, faults, spell)
    _unexpected(s, unexpected, faults)
    shapes(m, mismatched, faults)
    return faults


def _depends_on_count(e: Expected) -> bool:
    """Whether the slot's existence or shape follows from how many layers there are."""
    return any(
        "layers" in closure(e.owner, text)
        for text in (e.slot.when, f"({e.slot.shape},)" if e.slot.shape else "")
        if text
    )


def _speller(m: Match) -> Callable[[str], str]:
    """From the table's spelling of a name to the one that this checkpoint would use, as its other tensors show it.

    A branch (``model.layers.``) is spelled as its own tensors are; one without any, as all others below its parent.
    """
    if not (m.missing or m.absent_layers):
        return str
    branches: dict[str, str] = {}
    parents: dict[str, set[str]] = {}
    packed: dict[str, str] = {}
    for r in m.rows:
        if r.item is None:
            continue
        if r.packed is not None and r.packed.primary != "weight" and r.name.endswith(".weight"):
            leaf = r.name.removesuffix("weight").rstrip(".").rpartition(".")[2] + "."
            at = r.tensor.name.rfind(leaf)
            if at >= 0:
                packed.setdefault(leaf, r.tensor.name[at + len(leaf) :])
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

    def as_packed(name: str) -> str:
        leaf = name.removesuffix("weight").rstrip(".").rpartition(".")[2] + "."
        return name.removesuffix("weight") + packed[leaf] if leaf in packed and name.endswith(".weight") else name

    def spell(name: str) -> str:
        name = as_packed(name)
        parts = name.split(".")
        for k in range(len(parts) - 1, 0, -1):
            head = _joined(parts[:k])
            if head in branches:
                return branches[head] + name[len(head) :]
            if len(found := parents.get(head, ())) == 1:
                return next(iter(found)) + name[len(head) :]
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
        key, path = key_of(items[0].owner, items[0].slot.layers)
        names = [
            r.tensor.name for r in m.rows if r.item is None and r.name.startswith(tuple(f"{stack}{i}." for i in extra))
        ]
        values: dict[str, object] = {
            "key": path,
            "wanted": len(wanted),
            "stored": on_disk,
            "extra": ranges(extra),
            "absent": ranges(absent),
            "stack": stack,
        }
        if extra and absent:
            kind = "both"
        elif extra:
            kind = "extra"
        else:
            kind = "absent"
        names = names or [spell(f"{stack}{i}.") for i in absent]
        add(faults, "layer-count-mismatch", kind, values, tensors=names, at=key)


# --- missing ---


def _missing(
    s: Subject,
    m: Match,
    missing: Sequence[tuple[Expected, tuple[str, ...]]],
    faults: Faults,
    spell: Callable[[str], str],
) -> None:
    groups: dict[str, list[str]] = {}
    weights = {e.name: e for e, _ in missing if e.name.endswith("weight")}
    there = {r.name for r in m.rows} | m.listed
    norm_biases = [
        e for e in m.items if e.main and e.role == "block-norm" and e.slot.kind == "param" and e.name.endswith(".bias")
    ]
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
            check = (
                "norm-type-mismatch" if no_bias_at_all and e.role in ("block-norm", "final-norm") else "missing-bias"
            )
        groups.setdefault(check, []).extend(names)
    spelled = {check: [spell(n) for n in names] for check, names in groups.items()}
    if not s.top.family.listed:
        # Whether the head is tied is for the wrapper to say, and nobody wrote this one down.
        groups.pop("tied-head-conflict", None)
    for check, gone in groups.items():
        values: dict[str, object] = {"count": len(gone)}
        key = "absent"
        if check == "missing-bias":
            rule = _bias_rule(next(e for e, n in missing if n[0] == gone[0]))
            key, values["flag"] = ("flag" if rule else "always"), rule
        if check == "missing-tensor" and all(e.role in NORM_ROLES for e, n in missing if n[0] in gone):
            key = "norms"
        if check == "missing-final-norm" and _of_encoder(m, gone):
            key = "encoder"
        if check == "tied-head-conflict":
            key = "embedding-gone" if any(e.role == "embedding" for e, _ in missing) else "no-head"
        if (
            check == "missing-tensor"
            and any(e.role == "embedding" and e.main for e, _ in missing)
            and any(r.role == "lm-head" for r in m.rows)
        ):
            key = "embedding"
        add(faults, check, key, values, tensors=spelled[check], at=_tie(s) if check == "tied-head-conflict" else None)


def _check_of(s: Subject, m: Match, e: Expected, there: set[str]) -> str:
    """The check that an absent weight (or another tensor without a bias's name) belongs to."""
    if e.role == "final-norm":
        return "missing-final-norm"
    if e.role in NORM_ROLES and e.layer is not None:
        return "missing-layer-norm"
    if (
        e.role == "lm-head"
        and e.name.endswith("weight")
        and ("tie" in s.top.family.keys or "tie" in e.owner.family.keys)
    ):
        return "tied-head-conflict"
    if e.role in FFN_ROLES and e.slot.part in ("gate", "up", "down", "gate_up") and _sibling(e, m, there):
        return "incomplete-ffn"
    return "missing-tensor"


def _of_encoder(m: Match, names: list[str]) -> bool:
    """Whether these are an encoder's, where a decoder reads what it gives."""
    return any(e.role == "cross-attention" for e in m.items) and all("encoder" in n.split(".") for n in names)


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
        o.layer == e.layer
        and o.stack == e.stack
        and o.role == e.role
        and o.slot.part not in ("", e.slot.part)
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
            add(
                faults,
                "unexpected-bias",
                "norm",
                {"count": len(norms), "type": s.main.literal(s.main.family.norm.type)},
                tensors=[r.tensor.name for r in norms],
            )
        if plain:
            quantized = s.declared is not None or s.packing is not None
            add(
                faults,
                "unexpected-bias",
                "quantized" if quantized else "plain",
                {"count": len(plain), "family": s.main.family.id},
                tensors=[r.tensor.name for r in plain],
            )
    if others:
        add(
            faults,
            "unexpected-tensor",
            "stranger",
            {"count": len(others), "family": s.top.family.id},
            tensors=[r.tensor.name for r in others],
        )
