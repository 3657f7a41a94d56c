"""The words in which an architecture is written down.

A family is a literal: which tensors it has, *under its own names*, what each is for, and how its shape
follows from the config. Nothing here reads a config or a tensor; ``cfgexplain.expand`` does that.

Shapes and conditions are short expressions over the family's own keys, kept as text so that a message can
show them ("heads*head_dim, hidden") and a reader can check them against the reference code. Names in an
expression are, in this order: ``i`` (the layer's index within its stack), ``e`` never, the family's ``lets``,
its ``keys``, ``cls`` (the model class without the family's name: ``ForCausalLM``, ``Model``, …), and the
functions of ``cfgexplain.families.expr``.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


class E(str):
    """An expression, where a plain string would be taken for a value."""

    __slots__ = ()


Default: TypeAlias = "int | float | bool | str | E | tuple[int | str, ...] | None"


class Key(NamedTuple):
    """Where one number of the model stands in its config.

    Attributes:
        names: paths of keys in the family's own config, dots between levels, the first one present wins.
            The first is what the family's config class calls it.
        default: what the reference implementation takes when the key is absent: a value, or ``E("…")`` to
            derive it. A null in the config means the derived default; with a plain default it is a fault,
            unless that default is None.
        kind: "int", "float", "bool", "str", "list", "dict" or "any"; what the value must be. Empty: from the default.
        low: the least value allowed for a number, or None.
        null: what a null in the config means where that is another thing than an absent key (kv heads: 8, or as
            many as heads), or None.
    """

    names: tuple[str, ...]
    default: Default = None
    kind: str = ""
    low: int | None = None
    null: E | None = None


class Slot(NamedTuple):
    """One tensor that the architecture has, or one for each layer (and each expert).

    Attributes:
        name: the tensor's name, with ``{i}`` for the layer and ``{e}`` for the expert. In ``body`` it is
            relative to the family's ``base``.
        role: one of the contract's roles.
        part: which matrix it is (``q``, ``gate``, ``down``, …), or "".
        shape: expressions, comma-separated, axis by axis as stored ("" for a scalar).
        when: expression; the slot exists only where it is true. "" is always.
        layers: expression for the number of layers, where the name has ``{i}``.
        first: expression for the first of them, where they are not counted from 0 (a prediction layer that comes
            after the last block and goes on with its numbering).
        experts: expression for the number of experts, or the list of their names, where the name has ``{e}``.
        form: "group/form": of the forms of one group a checkpoint has just one; the first one listed is what
            the reference implementation writes. "" where there is only one way to store it.
        kind: "param", "buffer" (never counted, never missing), "tied" (shares another parameter's data: may
            be stored, never counted, never missing), "optional" (counted when there, never missing) or "unsaved"
            (a parameter that the reference implementation makes anew and does not write: counted, never missing).
    """

    name: str
    role: str
    part: str = ""
    shape: str = ""
    when: str = ""
    layers: str = ""
    experts: str = ""
    form: str = ""
    kind: str = "param"
    first: str = ""


Slots: TypeAlias = tuple[Slot, ...]


class Norm(NamedTuple):
    """The block norms: what they compute and where they stand. Each may be ``E("…")``.

    Attributes:
        type: "rmsnorm", "layernorm", "other" or "none".
        placement: "pre", "post", "sandwich", "output", "parallel", "mixed" or "none".
        gain: "w", "1+w" or "none".
        eps: name of the key in ``Family.keys`` that holds ε, or the number itself where the code fixes it.
        final: whether the last layer's output is normalised before the head.
        qk: whether attention has norms of its own; None derives it from the slots.
    """

    type: str = "rmsnorm"
    placement: str = "pre"
    gain: str = "w"
    eps: str | float = "eps"
    final: bool | E = True
    qk: bool | E | None = None


class Part(NamedTuple):
    """A model inside the model: a text decoder, a vision tower, with its own part of the config.

    Attributes:
        name: how the outer family's expressions reach its keys (``text.hidden``).
        path: where its config stands in the outer one, dots between levels; "" shares the outer config.
        family: name in the registry, used where the config there names no ``model_type`` (or ``fixed``).
        prefix: what stands before its body's names, with its trailing dot; replaces the child's own base, which
            ``{base}`` puts back in (``decoder.{base}`` is ``decoder.bert.``).
        head: what stands before its head's names (``lm_head``), or None: the head is not part of it.
        role: "" to keep the child's roles; "vision", "audio", "projector" … to give all of them this one.
        main: this is the language model whose norms, FFN and attention the report is about.
        fixed: always ``family``, whatever ``model_type`` says.
        when: expression in the outer config.
        cls: the model class of the child (``Model``, ``ForCausalLM``), for its own ``cls`` conditions.
        joint: its tensors count with the main model's, as the encoder's do in an encoder-decoder.
        absent: the config, as pairs, that the reference takes where the outer one has none there (a config that is
            there but short gets the child's own defaults).
        flat: where the outer config has no config there, its own keys at the top are this model's (configs written
            before the nested one existed).
    """

    name: str
    path: str
    family: str
    prefix: str
    head: str | None = None
    role: str = ""
    main: bool = False
    fixed: bool = False
    when: str = ""
    cls: str = "Model"
    joint: bool = False
    absent: tuple[tuple[str, object], ...] = ()
    flat: bool = False


class Family(NamedTuple):
    """One architecture.

    Attributes:
        id: the family's own name, as the report shows it.
        source: the reference for the facts below: library version and class, or paper.
        base: name of the base model inside a model with a head (``model``, ``transformer``); names in
            ``body`` stand behind it, and lose it in a checkpoint of the base class alone.
        keys: canonical name to config key. The canonical names that facts know: hidden, layers, vocab, heads,
            kv_heads, head_dim, ffn, eps, act, max_pos, tie, experts, top_k, moe_ffn, shared_ffn, dtype, window.
        lets: further names for expressions; may use ``i``.
        body: the tensors of the base model.
        heads: model class suffix to its extra tensors, names absolute.
        head: the class suffix assumed where ``architectures`` says nothing.
        norm: the block norms.
        gated: None derives it from the slots (a gate or gate_up part).
        kv: expression: elements that one token adds to the cache in layer ``i`` (0 for a mixer).
        state: expression: elements that layer ``i`` keeps for a sequence of any length (a recurrence, a convolution);
            "" where it is not written down.
        layer_kind: expression for layer ``i``: "full", "sliding", "chunked", "linear", "ssm", "conv", "recurrent",
            "none".
        interleaved: gate and up rows alternate in the fused matrix.
        ffn_of_config: what one width key counts: 2 where the config gives the sum of gate and up (Qwen 1).
        parts: models inside it.
        renames: alternative spellings on disk, each a tuple of (regular expression, replacement) that turns a
            stored name into a canonical one; the spelling under which most names fit is taken.
        active: expression: experts that one token visits; "" is ``top_k``.
        recipe: name of the published FFN recipe that this family is known to follow, or "".
        eps_used: values that this lineage was published with, as catalogue key suffix, or "".
        open: prefixes whose tensors this table does not list (a tower that is not written down): they get the
            role given, are never unexpected, and the total from the config alone is unknown.
        unread: keys that configs carry but the reference implementation does not read.
        listed: False for a wrapper that no table lists and that was made for one config (``cfgexplain.adopt``).
    """

    id: str
    source: str
    base: str
    keys: Mapping[str, Key]
    body: Slots
    heads: Mapping[str, Slots] = MappingProxyType({})
    head: str = "ForCausalLM"
    lets: Mapping[str, str] = MappingProxyType({})
    norm: Norm = Norm()
    gated: bool | None = None
    kv: str = "2*kv_heads*head_dim"
    layer_kind: str = "'full'"
    state: str = ""
    interleaved: bool = False
    ffn_of_config: int = 1
    parts: tuple[Part, ...] = ()
    renames: tuple[tuple[tuple[str, str], ...], ...] = ()
    active: str = "top_k"
    recipe: str = ""
    eps_used: str = ""
    open: tuple[tuple[str, str], ...] = ()
    unread: tuple[str, ...] = ()
    listed: bool = True


def replace(family: Family, **changes: Any) -> Family:
    """A relative: the same family with what differs. What a lineage was published with is not inherited."""
    return family._replace(**{"eps_used": "", **changes})


# --- building blocks ------------------------------------------------------------------------------------------


def _and(*conditions: str) -> str:
    """Both conditions, without needless brackets."""
    parts = [c for c in conditions if c]
    return " and ".join(f"({c})" for c in parts) if len(parts) > 1 else "".join(parts)


def slots(*groups: Slot | Iterable[Slot]) -> Slots:
    """One flat tuple from slots and groups of slots."""
    flat: list[Slot] = []
    for g in groups:
        if isinstance(g, Slot):
            flat.append(g)
        else:
            flat.extend(g)
    return tuple(flat)


def when(condition: str, *groups: Slot | Iterable[Slot]) -> Slots:
    """The same slots, only where the condition holds."""
    return tuple(s._replace(when=_and(condition, s.when)) for s in slots(*groups))


def form(name: str, *groups: Slot | Iterable[Slot]) -> Slots:
    """The same slots as one way ("group/form") to store what they hold."""
    return tuple(s._replace(form=name) for s in slots(*groups))


def under(prefix: str, *groups: Slot | Iterable[Slot], layers: str = "", experts: str = "") -> Slots:
    """The same slots with a prefix before their names; ``layers`` for a prefix with ``{i}``."""
    return tuple(
        s._replace(name=prefix + s.name, layers=layers or s.layers, experts=experts or s.experts)
        for s in slots(*groups)
    )


def tensor(name: str, role: str, shape: str, part: str = "", cond: str = "", kind: str = "param") -> Slots:
    """One tensor under its full name."""
    return (Slot(name, role, part, shape, cond, kind=kind),)


def linear(name: str, role: str, part: str, rows: str, cols: str, bias: str = "") -> Slots:
    """A linear layer: ``name.weight`` [rows = out, cols = in], and ``name.bias`` [rows] where ``bias`` holds.

    ``bias``: "" never, "1" always, or an expression.
    """
    weight = Slot(f"{name}.weight", role, part, f"{rows}, {cols}")
    if not bias:
        return (weight,)
    return (weight, Slot(f"{name}.bias", role, part, rows, "" if bias == "1" else bias))


def conv1d(name: str, role: str, part: str, rows: str, cols: str) -> Slots:
    """GPT-2's Conv1D: the weight is stored [in = cols, out = rows], the bias [rows] is always there."""
    return (Slot(f"{name}.weight", role, part, f"{cols}, {rows}"), Slot(f"{name}.bias", role, part, rows))


def norm(name: str, role: str = "block-norm", size: str = "hidden", bias: str = "", part: str = "") -> Slots:
    """A norm's gain [size], and its bias where it holds ("" never, "1" always, or an expression)."""
    dot = f"{name}." if name else ""
    gain = Slot(f"{dot}weight", role, part, size)
    if not bias:
        return (gain,)
    return (gain, Slot(f"{dot}bias", role, part, size, "" if bias == "1" else bias))


def embedding(name: str, rows: str = "vocab", cols: str = "hidden", role: str = "embedding") -> Slots:
    """An embedding table [rows, cols]."""
    return (Slot(f"{name}.weight", role, "", f"{rows}, {cols}"),)


def lm_head(
    name: str = "lm_head", rows: str = "vocab", cols: str = "hidden", bias: str = "", tie: str = "tie"
) -> Slots:
    """The output head: a parameter of its own, or the embedding's where ``tie`` holds.

    A tied head has no tensor; where one is stored all the same it is not counted again.
    """
    own = (
        tuple(
            s._replace(when=_and(f"not ({tie})", s.when)) if s.name.endswith(".weight") else s
            for s in linear(name, "lm-head", "", rows, cols, bias)
        )
        if tie
        else linear(name, "lm-head", "", rows, cols, bias)
    )
    if not tie:
        return own
    return (*own, Slot(f"{name}.weight", "lm-head", "", f"{rows}, {cols}", tie, kind="tied"))


def without(group: Iterable[Slot], *patterns: str) -> Slots:
    """The slots whose names match none of the patterns (shell style)."""
    from fnmatch import fnmatchcase

    return tuple(s for s in group if not any(fnmatchcase(s.name, p) for p in patterns))


def only(group: Iterable[Slot], *patterns: str) -> Slots:
    """The slots whose names match one of the patterns (shell style)."""
    from fnmatch import fnmatchcase

    return tuple(s for s in group if any(fnmatchcase(s.name, p) for p in patterns))


def rename(group: Iterable[Slot], changes: Mapping[str, str]) -> Slots:
    """The same slots with parts of their names replaced, in the order given."""
    out: list[Slot] = []
    for s in group:
        name = s.name
        for old, new in changes.items():
            name = name.replace(old, new)
        out.append(s._replace(name=name))
    return tuple(out)


def swap(group: Iterable[Slot], old: Iterable[Slot], new: Iterable[Slot]) -> Slots:
    """``group`` with the run of slots ``old`` replaced by ``new``; ``old`` must all be there."""
    gone = set(old)
    everything = tuple(group)
    missing = gone - set(everything)
    if missing:
        raise ValueError(f"not in the group: {sorted(s.name for s in missing)}")
    at = min(k for k, s in enumerate(everything) if s in gone)
    rest = [s for s in everything if s not in gone]
    return (*rest[:at], *new, *rest[at:])


# --- the SwiGLU block under its usual names ---------------------------------------------------------------------


def gated_mlp(
    prefix: str = "mlp.",
    width: str = "ffn",
    role: str = "ffn",
    bias: str = "",
    cols: str = "hidden",
    gate: str = "gate_proj",
    up: str = "up_proj",
    down: str = "down_proj",
) -> Slots:
    """A gated feed-forward block: gate and up [width, cols], down [cols, width]."""
    return slots(
        linear(f"{prefix}{gate}", role, "gate", width, cols, bias),
        linear(f"{prefix}{up}", role, "up", width, cols, bias),
        linear(f"{prefix}{down}", role, "down", cols, width, bias),
    )


def plain_mlp(up: str, down: str, width: str = "ffn", role: str = "ffn", bias: str = "", cols: str = "hidden") -> Slots:
    """A feed-forward block of two matrices: up [width, cols], down [cols, width]."""
    return slots(linear(up, role, "up", width, cols, bias), linear(down, role, "down", cols, width, bias))


def attention(
    prefix: str = "self_attn.",
    q: str = "q_proj",
    k: str = "k_proj",
    v: str = "v_proj",
    o: str = "o_proj",
    bias: str = "",
    o_bias: str | None = None,
    hidden: str = "hidden",
    heads: str = "heads",
    kv_heads: str = "kv_heads",
    head_dim: str = "head_dim",
    role: str = "attention",
) -> Slots:
    """Separate q [heads*head_dim, hidden], k and v [kv_heads*head_dim, hidden], o [hidden, heads*head_dim]."""
    wide, narrow = f"{heads}*{head_dim}", f"{kv_heads}*{head_dim}"
    return slots(
        linear(prefix + q, role, "q", wide, hidden, bias),
        linear(prefix + k, role, "k", narrow, hidden, bias),
        linear(prefix + v, role, "v", narrow, hidden, bias),
        linear(prefix + o, role, "o", hidden, wide, bias if o_bias is None else o_bias),
    )
