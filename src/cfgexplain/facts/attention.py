"""Attention, layers, and the numbers of the whole model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cfgexplain.facts.ffn_layers import is_bias, stacks
from cfgexplain.facts.positions import positions, window
from cfgexplain.facts.remarks import remarks
from cfgexplain.families.remarks import REMARKS, SHARED_HYBRIDS, SHARED_LAYERS
from cfgexplain.text import clean

if TYPE_CHECKING:
    from cfgexplain.report import LayerKindR, LayersR, MatrixR, ModelR, TaskHeadR
    from cfgexplain.report_ffn import FfnLayersR
    from cfgexplain.subject import Subject

#: Roles of the tensors that mix tokens.
MIXING = ("attention", "mixer")


def model(s: Subject) -> ModelR:
    """Names and sizes."""
    m = s.main
    declared = s.top.config.get("model_type")
    classes = s.top.config.get("architectures")
    tie = s.top.value("tie") if "tie" in s.top.family.keys else (m.value("tie") if "tie" in m.family.keys else None)
    shown = s.match.seen if s.match is not None else None
    dtype = next((s.top.config[k] for k in ("dtype", "torch_dtype") if isinstance(s.top.config.get(k), str)), None)
    return {
        "model_type": declared if isinstance(declared, str) else None,
        "architectures": [c for c in classes if isinstance(c, str)] if isinstance(classes, list) else None,
        "family": m.family.id if s.known else s.guess,
        "family_known": s.known,
        "text_config_path": m.path or None,
        "hidden_size": m.int("hidden") or (shown.hidden if shown else None),
        "embedding_size": _embedded(s),
        "embedding_rows": _rows(s),
        "input_patch": _patch(s),
        "num_layers": m.int("layers") or (shown.layers if shown else None),
        "vocab_size": m.int("vocab") or (shown.vocab if shown else None),
        "max_position_embeddings": m.int("max_pos"),
        "num_attention_heads": m.int("heads"),
        "num_key_value_heads": m.int("kv_heads"),
        "head_dim": m.int("head_dim") or _seen_head(s),
        "attention": attention(s),
        "positions": positions(s, kinds(s)),
        "remarks": remarks(s),
        "tie_word_embeddings": tie.value if tie and isinstance(tie.value, bool) else None,
        "head": (found := head(s)),
        "has_head": _open(s) or None if found is None else found != "none",
        "task_head": _task(s) if found == "none" else None,
        "dtype": dtype if isinstance(dtype, str) else None,
    }


def head(s: Subject) -> str | None:
    """The output head of this model class: own, tied to the embedding, or none (BertModel has none to tie)."""
    # BERT's head has a bias of its own beside the embedding's matrix.
    if any(p.role == "lm-head" and (p.shape is None or len(p.shape) > 1) for p in s.pieces):
        return "own"
    if not s.known:
        return None
    matrices = {e.slot.kind for e in s.expansion.items if e.role == "lm-head" and len(e.shape or ()) > 1}
    if "tied" in matrices:
        return "tied"
    if "optional" in matrices:
        # T5 1.1: untied by its config and by releases before 5. Without a matrix in the file, the embedding serves.
        return "tied" if s.stored is not None else None
    return "none" if s.expansion.whole or s.top.cls in s.top.family.heads or s.top.cls == "Model" else None


def _task(s: Subject) -> TaskHeadR | None:
    """The head of a class that is not there for tokens: labels, spans, choices. Its last matrix gives the answer."""
    own = {slot.name for slot in s.top.family.heads.get(s.top.cls, ()) if slot.role == "other" and not slot.layers}
    found = [e for e in s.expansion.items if e.slot.name in own and e.owner is s.top and len(e.shape or ()) > 1]
    if not found:
        return None
    last = found[-1]
    rows, columns = last.shape if last.shape and len(last.shape) == 2 else (None, None)
    return {"name": last.name.removesuffix(".weight"), "input": columns, "output": rows}


def _open(s: Subject) -> bool:
    """Whether there is a head for certain, and only its weights are open: its own, or the embedding's."""
    return s.known and any(e.role == "lm-head" and len(e.shape or ()) > 1 for e in s.expansion.items)


def _embedded(s: Subject) -> int | None:
    """The width of the token embedding, which some models project to the hidden size (OPT-350m, ALBERT)."""
    vocab = s.main.int("vocab")
    # A table that is the head's (BLT) is no piece of its own.
    for e in s.expansion.items:
        if e.main and e.role == "embedding" and e.slot.kind == "tied" and e.shape and e.shape[:-1] == (vocab,):
            return e.shape[-1]
    for p in s.pieces:
        if p.main and p.role == "embedding" and p.layer is None and p.shape and p.shape[:-1] == (vocab,):
            return p.shape[-1]
    return None


def _rows(s: Subject) -> int | None:
    """Rows of the token embedding: mostly the vocabulary's, a few more in some (Mllama's image token)."""
    vocab = s.main.int("vocab")
    found = {p.shape[0] for p in s.pieces if p.main and p.role == "embedding" and p.layer is None and p.shape
             and len(p.shape) == 2}  # fmt: skip
    return found.pop() if len(found) == 1 and vocab not in found else vocab


def _patch(s: Subject) -> list[int] | None:
    """Height, width and channels of the patches of an image that one convolution turns into the stream's vectors."""
    for p in s.pieces if s.main.int("vocab") is None else ():
        if p.main and p.layer is None and p.shape and len(p.shape) == 4 and "patch" in p.tensor:
            out, channels, high, wide = p.shape
            if out == s.main.int("hidden"):
                return [high, wide, channels]
    return None


def _seen_head(s: Subject) -> int | None:
    """The width of a head where only the tensors show it: the same from queries, by heads, and from keys."""
    if s.known or s.match is None:
        return None
    found: set[tuple[int, int]] = set()
    for name, count in ((".q_proj.weight", s.main.int("heads")), (".k_proj.weight", s.main.int("kv_heads"))):
        here = (p for p in s.pieces if p.main and p.role == "attention" and p.tensor.endswith(name))
        rows = {p.shape[0] for p in here if p.shape is not None and len(p.shape) == 2}
        if len(rows) != 1 or not count:
            return None
        found.add(divmod(rows.pop(), count))
    size, rest = found.pop()
    return size if not found and not rest else None


def kinds(s: Subject) -> list[str] | None:
    """What each layer of the language model mixes tokens with; None where it is unknown."""
    layers = s.main.int("layers")
    if layers is None or not s.known or layers > 4096:
        return None
    found = [s.main.maybe(s.main.family.layer_kind, i) for i in range(layers)]
    return [k for k in found if isinstance(k, str)] if all(isinstance(k, str) for k in found) else None


def attention(s: Subject) -> str | None:
    """mha, gqa, mqa, mla, none or mixed."""
    if not s.known:
        heads, kv = s.main.int("heads"), s.main.int("kv_heads")
        if heads is None or kv is None:
            return None
        return "mha" if kv == heads else "mqa" if kv == 1 else "gqa"
    roles = {p.role for p in s.expected if p.main}
    if "attention" not in roles:
        # Layers of unknown kinds may have it.
        return None if kinds(s) is None and not s.expansion.whole else "none"
    if any(p.part in ("kv_a", "kv_b") for p in s.expected if p.main):
        return "mla"
    heads = s.main.int("heads")
    layers = s.main.int("layers") or 0
    values = {s.main.known("kv_heads", i) for i in range(min(layers, 4096))}
    if heads is None or None in values or not all(isinstance(v, int) for v in values):
        return None
    words = {"mha" if v == heads else "mqa" if v == 1 else "gqa" for v in values}
    return words.pop() if len(words) == 1 else "mixed"


def layers(s: Subject, groups: list[FfnLayersR] | None) -> LayersR:
    """How many layers of each kind there are, and runs of equal ones. ``groups``: of the feed-forward blocks."""
    found = kinds(s)
    ffns = {i: g["kind"] for g in groups or [] for i in range(g["first"], g["last"] + 1)}
    if found is not None and ffns:
        ffns = _lent(s, found, ffns)
    if found is None:
        seen = _seen_kinds(s)
        runs = _runs(seen, ffns) if seen else None
        return {"window": None, "mix": None, "kinds": runs, "matrices": _matrices(s, seen) if seen else None}
    mix: dict[str, int] = {}
    for kind in found:
        mix[kind] = mix.get(kind, 0) + 1
    return {"window": window(s, found), "mix": mix, "kinds": _runs(found, ffns), "matrices": _matrices(s, found)}


def _lent(s: Subject, found: list[str], ffns: dict[int, str]) -> dict[int, str]:
    """The blocks with those of layers that use another layer's weights: they are like the ones that store them."""
    told = REMARKS.get(s.main.family.id, ())
    if SHARED_LAYERS in told:
        return {i: ffns.get(i * len(ffns) // len(found), "none") for i in range(len(found))}
    if SHARED_HYBRIDS in told and "hybrid" in found:
        first = ffns.get(found.index("hybrid"), "none")
        return {i: first if kind == "hybrid" else ffns.get(i, "none") for i, kind in enumerate(found)}
    return ffns


def _runs(found: list[str], ffns: dict[int, str]) -> list[LayerKindR]:
    """Runs of layers that mix tokens and widths alike."""
    runs: list[LayerKindR] = []
    for i, kind in enumerate(found):
        ffn = ffns.get(i)
        if runs and runs[-1]["attention"] == kind and runs[-1]["ffn"] == ffn:
            runs[-1]["last"] = i
        else:
            runs.append({"first": i, "last": i, "attention": kind, "ffn": ffn})
    return runs


def _seen_kinds(s: Subject) -> list[str] | None:
    """Of a model without a table: attention or another mixer, layer by layer, where every layer shows one.

    What the tensors do not show is which attention (a window needs no tensor) and which mixer.
    """
    stack, _ = stacks(s)
    if s.known or s.match is None or not stack:
        return None
    roles: dict[int, set[str]] = {}
    for p in s.pieces:
        if p.main and p.stack == stack and p.layer is not None and p.role != "mtp":
            roles.setdefault(p.layer, set()).add(p.role)
    if set(roles) != set(range(len(roles))) or any({"unclassified", "cross-attention"} & r for r in roles.values()):
        return None
    here = [tuple(x for x in MIXING if x in roles[i]) for i in range(len(roles))]
    return ["hybrid" if len(x) > 1 else x[0] for x in here] if all(here) else None


def _matrices(s: Subject, found: list[str]) -> dict[str, list[MatrixR]] | None:
    """What the first layer of each kind mixes tokens with, by names within the layer; of two stacks, the last."""
    first: dict[int, str] = {found.index(kind): kind for kind in dict.fromkeys(found) if kind != "none"}
    here = [p for p in s.pieces if p.layer in first and p.main and p.role in MIXING and p.shape is not None]
    biases = {p.tensor for p in here if is_bias(p.tensor)}
    out: dict[str, dict[str, list[MatrixR]]] = {}
    for p in here:
        if p.shape is not None and p.layer is not None and len(p.shape) > 1:
            name = p.tensor.partition(f".{p.layer}.")[2] or p.tensor
            module = p.tensor.removesuffix(".weight")
            row: MatrixR = {
                "name": clean(name, 200),
                "shape": list(p.shape),
                "role": p.role,
                "bias": f"{module}.bias" in biases or f"{module}_bias" in biases,
            }
            out.setdefault(first[p.layer], {}).setdefault(p.stack, []).append(row)
    return {kind: list(stacks.values())[-1] for kind, stacks in out.items()} or None
