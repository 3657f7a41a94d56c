"""Checkpoint → Report: find the family, match, state the facts, explain, check."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, NamedTuple

from cfgexplain.checks.base import NO_WISHES, Wishes
from cfgexplain.collector import MANY, paused
from cfgexplain.config import walk
from cfgexplain.errors import CfgexplainError
from cfgexplain.expand import Expansion, expand, main_of, settle
from cfgexplain.families.registry import find, native
from cfgexplain.identify import class_of
from cfgexplain.match import match
from cfgexplain.packing import unpack
from cfgexplain.packing.declared import declared
from cfgexplain.subject import Subject, pieces_of_items, pieces_of_rows
from cfgexplain.text import readable

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from cfgexplain.checkpoint import Checkpoint, Tensor
    from cfgexplain.config import Settings
    from cfgexplain.logical import Row
    from cfgexplain.match import Match
    from cfgexplain.packing import Packing
    from cfgexplain.packing.declared import Declared
    from cfgexplain.report import ErrorR, ExplanationR, Report, TargetR, TensorR
    from cfgexplain.subject import Piece


class Wanted(NamedTuple):
    """What of a report is asked for, beyond what it always holds; and what the user wishes of the checks.

    ``keys``: these keys are explained, and nothing else. ``all_keys``: every key is, beside the usual.
    """

    tensors: bool = False
    lang: str = "en"
    explanations: bool = True
    wishes: Wishes = NO_WISHES
    keys: tuple[str, ...] = ()
    all_keys: bool = False


def subject(c: Checkpoint) -> Subject:
    """The checkpoint with its family and its match."""
    config: Mapping[str, object] = c.config.value if c.config else {}
    said = declared(config, c.extra)
    # Most checkpoints are not quantized, and then nothing more is imported or read.
    packing = unpack(c.tensors, said.hints if said else None) if c.tensors is not None else None
    model_type = config.get("model_type")
    family = find(model_type) if isinstance(model_type, str) else native(config)
    if family is None and isinstance(config.get("model_type", ""), str):
        from cfgexplain.adopt import adopt

        plain = (c.tensors or ()) if packing is None else _plain(c.tensors or (), packing)
        family = adopt(config, [*(t.name for t in plain), *(c.index.weight_map if c.index else ())])
    if family is None:
        return _unknown(c, config, said, packing)
    top = settle(family, config, class_of(family, config.get("architectures")))
    x = expand(top)
    found = stored = None
    if c.tensors is not None:
        read = {t.file for t in c.tensors}
        listed = [n for n, file in c.index.weight_map.items() if file not in read] if c.index else ()
        found = match(x, c.tensors, listed, c.complete, packing)
        if not family.listed and _another(found):
            return _unknown(c, config, said, packing)
        stored = pieces_of_rows(found.rows, x.main.int("hidden"))
    _read_all(x.main)
    problems = (*c.problems, *(p for s in _every(top) for p in s.problems))
    return Subject(
        c, True, top, x.main, x, found, problems, pieces_of_items(x.items), stored, declared=said, packing=packing
    )


def _another(found: Match) -> bool:
    """Whether an adopted table does not describe these tensors: they differ outside the layers, or in every layer.

    A wrapper that nobody wrote down may change the model inside it; a fault in one layer is a fault all the same. That
    the head is absent says nothing: it is the wrapper that ties it.
    """
    if any(r.layer is None for r in found.unexpected) or any(
        e.layer is None and e.role != "lm-head" for e, _ in found.missing
    ):
        return True
    gone: dict[tuple[str, str], int] = {}
    for e, _ in found.missing:
        gone[e.stack, e.slot.name] = gone.get((e.stack, e.slot.name), 0) + 1
    return any(
        n > 1 and n == sum(e.slot.name == slot and e.stack == stack for e in found.items)
        for (stack, slot), n in gone.items()
    )


def _plain(tensors: Sequence[Tensor], packing: Packing) -> Sequence[Tensor]:
    from cfgexplain.infer import logical_tensors

    return logical_tensors(tensors, packing)


def _unknown(c: Checkpoint, config: Mapping[str, object], said: Declared | None, packing: Packing | None) -> Subject:
    """A model type without a table: names and shapes are all there is."""
    from cfgexplain.families.unknown import NESTED, UNKNOWN
    from cfgexplain.infer import guess, infer

    path = next((p for p in NESTED if isinstance(walk(config, p), dict)), "")
    inner = walk(config, path) if path and "hidden_size" not in config else config
    where = path if inner is not config else ""
    s = settle(UNKNOWN, inner if isinstance(inner, dict) else {}, "", where)
    top = settle(UNKNOWN, config) if where else s
    found = infer(c.tensors, s, c.complete, packing) if c.tensors is not None else None
    stored: tuple[Piece, ...] | None = None
    if found is not None:
        hidden = s.int("hidden") or _hidden_of(found.rows)
        stored = pieces_of_rows(found.rows, hidden)
    _read_all(s)
    return Subject(
        c,
        False,
        top,
        s,
        Expansion((), False, top, s),
        found,
        (*c.problems, *s.problems),
        (),
        stored,
        guess(config),
        declared=said,
        packing=packing,
    )


def _hidden_of(rows: Iterable[Row]) -> int | None:
    for r in rows:
        if r.role == "embedding" and len(r.shape) == 2:
            return r.shape[1]
    return None


def _every(s: Settings) -> list[Settings]:
    return [s, *(c for p in s.parts.values() for c in _every(p))]


def _read_all(s: Settings) -> None:
    """Reads every key once, so that each impossible value becomes a problem."""
    for t in {id(x): x for x in (*_every(s), main_of(s))}.values():
        for name in t.family.keys:
            t.value(name)


def inspect(c: Checkpoint, wanted: Wanted | None = None) -> Report:
    """The report of one checkpoint.

    Raises:
        CfgexplainError: there is nothing in it to inspect.
    """
    return examine(c, wanted)[1]


def examine(c: Checkpoint, wanted: Wanted | None = None) -> tuple[Subject, Report]:
    """The same, with what it was made from: comparisons need both."""
    wanted = wanted or Wanted()
    if c.config is None and c.tensors is None:
        hint = "Name a model's folder, its config.json or a .safetensors file."
        if c.target.kind == "skeleton":
            hint = 'A skeleton holds "config", "tensors" or both: write it anew with: cfgexplain skeleton.'
        raise CfgexplainError("no-config", f"{c.target.input}: neither a config nor weights to read", hint)
    with paused(kept=True) if len(c.tensors or ()) > MANY else nullcontext():
        return _examined(c, wanted)


def _examined(c: Checkpoint, wanted: Wanted) -> tuple[Subject, Report]:
    from cfgexplain.checks import run
    from cfgexplain.facts import attention, biases, ffn, memory, norm, params
    from cfgexplain.facts.ffn_layers import layer_groups
    from cfgexplain.facts.quantization import quantization

    s = subject(c)
    blocks, groups = ffn.sums(s.pieces, s), layer_groups(s)
    counted = params.params(s, blocks)
    report: Report = {
        "target": target(c),
        "error": None,
        "model": attention.model(s),
        "norm": norm.norm(s),
        "ffn": ffn.ffn(s, counted["total"], blocks, groups),
        "bias": None,
        "params": counted,
        "layers": attention.layers(s, groups),
        "memory": memory.memory(s, counted["bytes"]),
        "quantization": quantization(s),
        "findings": [],
        "explanations": [],
        "tensors": _tensors(s) if wanted.tensors else None,
    }
    report["findings"] = run(s, report, wanted.lang, wanted.wishes)
    report["bias"] = biases.biases(s)
    if wanted.explanations:
        report["explanations"] = _explanations(s, report, wanted)
    return s, report


def _explanations(s: Subject, report: Report, wanted: Wanted) -> list[ExplanationR]:
    """The usual explanations; those of the keys named, alone; or every one."""
    if wanted.keys:
        from cfgexplain.explain.keys import explain_keys

        # Also where all are wanted: a name that nothing is called is an error.
        named = explain_keys(s, report, wanted.lang, wanted.keys)
        if not wanted.all_keys:
            return named
    from cfgexplain.explain import explain

    usual = explain(s, report, wanted.lang)
    if not wanted.all_keys:
        return usual
    from cfgexplain.explain.keys import explain_all

    report["explanations"] = usual
    return explain_all(s, report, wanted.lang)


def target(c: Checkpoint) -> TargetR:
    """Where it was found, and the files behind it."""
    return {
        "input": readable(c.target.input),
        "kind": c.target.kind,
        "repo_id": c.target.repo_id,
        "revision": c.target.revision,
        "commit": c.target.commit,
        "config_file": c.config.name if c.config else None,
        "weight_files": [
            {"name": w.name, "bytes": w.bytes, "header_bytes": w.header_bytes, "tensors": w.tensors}
            for w in c.weight_files
        ],
    }


def failed(text: str, e: CfgexplainError) -> Report:
    """The report of a target that could not be inspected: all null but the target and the error."""
    error: ErrorR = {"kind": e.kind, "message": e.message, "hint": e.hint}
    where: TargetR = {
        "input": readable(text),
        "kind": None,
        "repo_id": None,
        "revision": None,
        "commit": None,
        "config_file": None,
        "weight_files": [],
    }
    return {
        "target": where,
        "error": error,
        "model": None,
        "norm": None,
        "ffn": None,
        "bias": None,
        "params": None,
        "layers": None,
        "memory": None,
        "quantization": None,
        "findings": None,
        "explanations": None,
        "tensors": None,
    }


def _tensors(s: Subject) -> list[TensorR] | None:
    if s.match is None:
        return None
    return [
        {
            "name": r.tensor.name,
            "file": r.tensor.file,
            "dtype": r.tensor.dtype,
            "shape": list(r.tensor.shape),
            "params": r.params,
            "role": r.role,
            "part": r.part or None,
            "layer": r.layer,
        }
        for r in s.match.rows
    ]
