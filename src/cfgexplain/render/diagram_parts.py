"""The parts of a model's drawing, and where a layer's norms go in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from cfgexplain.remarked import has

if TYPE_CHECKING:
    from cfgexplain.report import NormR, Report, TaskHeadR

#: Where the embedding is normalised before the first layer: words in the name of a norm outside the layers.
EMBEDDING_NORMS: Final = (
    "embeddings.layernorm", "embeddings.norm", "layernorm_embedding", "word_embeddings_layernorm", "embed_norm",
    "embedding_norm", "emb_norm", "layer_norm_emb", "embeddings_layernorm", "embedding_hidden_norm", "pre_ln", "emb_ln",
    "norm_embed",
)
#: Words in the name of a norm that belongs to cross-attention.
CROSS_WORDS: Final = ("cross", "encoder_attn", "encdec", "enc_dec")
#: Words in a norm's name that place it before the feed-forward block, where a layer has one norm and two branches.
FFN_WORDS: Final = ("mlp", "ffn", "ff_", "feed_forward", "feedforward")


class NormStep(NamedTuple):
    """A norm on the way. ``name`` is the module's own, "" where it has no tensor or its place is not known."""

    name: str


class Mixing(NamedTuple):
    """Attention or another mixer of tokens.

    Attributes:
        kind: "attention", "cross-attention", "mixer", or "unknown".
        words: the layer kinds behind it (``full``, ``sliding``, ``ssm``, …) and how many layers each has.
    """

    kind: Literal["attention", "cross-attention", "mixer", "unknown"]
    words: tuple[tuple[str, int], ...] = ()


class Ffn(NamedTuple):
    """A feed-forward block. Sizes are None where they are unknown or vary.

    Attributes:
        kind: "dense", "moe" or "unknown".
        width: of one matrix, of one expert in a mixture.
        names: gate, up and down as modules, "" where the report names another block's.
        shared_width: of the shared experts' matrices.
        reads: the width of its input where that is not the hidden size.
    """

    kind: Literal["dense", "moe", "unknown"]
    width: int | None = None
    experts: int | None = None
    per_token: int | None = None
    shared: int = 0
    names: tuple[str, str, str] = ("", "", "")
    shared_width: int | None = None
    reads: int | None = None


class Side(NamedTuple):
    """One of several sub-layers whose outputs are added before they go back together."""

    before: tuple[NormStep, ...]
    sub: Mixing | Ffn
    after: tuple[NormStep, ...]


class Branch(NamedTuple):
    """A way off the stream and back: norms before, the sub-layer, norms on its output, the sum, norms on the stream.

    ``stream_before``: norms on the stream ahead of the fork, whose output is the residual too.
    ``sides``: what stands abreast in the place of ``sub``, which is the last of them.
    ``lead``: what comes before it one after the other, with "join" where the embedding is joined on and "add" where the
    stream is added again (Zamba's shared blocks).
    """

    before: tuple[NormStep, ...]
    sub: Mixing | Ffn
    after: tuple[NormStep, ...] = ()
    on_stream: tuple[NormStep, ...] = ()
    stream_before: tuple[NormStep, ...] = ()
    sides: tuple[Side, ...] = ()
    lead: tuple[NormStep | Mixing | Ffn | Literal["join", "add"], ...] = ()


class Block(NamedTuple):
    """Layers of one make-up.

    Attributes:
        layers: their indices (``0-2``), "" where unknown.
        size: how many, None where unknown.
        parallel: the branches read the same input and are added at once.
        shared_norms: norms that both branches of a parallel block read through.
        loose: norms in these layers whose place is not known.
    """

    layers: str
    size: int | None
    branches: tuple[Branch, ...]
    parallel: bool = False
    shared_norms: tuple[NormStep, ...] = ()
    loose: tuple[str, ...] = ()


class Diagram(NamedTuple):
    """The whole model.

    Attributes:
        placement: the report's word, None for unknown.
        positions: whether positions are added to the embedding, from a table or computed.
        final_norm: True, False, or None for unknown; ``final_name`` its module.
        head: "own", "tied", "none" or "unknown"; "open" where there is one, and whether it is tied is not known.
        others: stacks of layers that ``blocks`` leaves out (the encoder of an encoder-decoder).
        encoder: the blocks of the first of them, where it is the encoder.
        embedding: width of the token embedding where it is projected to another hidden size.
        embedding_norm: the norm between the embedding (with its positions) and the first layer, "" where there is none.
        projected_last: positions and that norm have the embedding's width, and what they give is projected.
        encoder_norm: the norm after the encoder's last layer, "" where there is none.
        embedded: whether a table turns tokens into vectors; False where nothing shows one.
        task: the head over something else than the vocabulary, where the class has one.
    """

    placement: str | None
    positions: bool
    blocks: tuple[Block, ...]
    final_norm: bool | None
    final_name: str
    final_missing: bool
    head: Literal["own", "tied", "none", "open", "unknown"]
    others: tuple[str, ...] = ()
    encoder: tuple[Block, ...] = ()
    embedding: int | None = None
    embedding_norm: str = ""
    projected_last: bool = False
    encoder_norm: str = ""
    embedded: bool = True
    task: TaskHeadR | None = None

    @property
    def interleaved(self) -> bool:
        """Whether blocks of different kinds alternate, so that the drawing's order is not the stream's."""
        return len(self.blocks) > 1 and any("," in b.layers for b in self.blocks)


def block(
    report: Report, norm: NormR, layers: str, count: int | None, subs: list[Mixing | Ffn], names: list[str]
) -> Block:
    """Puts a layer's norms where the placement says, in the order of the flow; what does not fit stays loose."""
    place = norm["placement"]
    # Of an unknown model the names come in no order; one norm for each sub-layer still finds its place.
    known = bool(report["model"] and report["model"]["family_known"])
    if not known and place in ("pre", "post", "output", "parallel") and len(names) == len(subs) == 2:
        feeds = [any(word in name for word in FFN_WORDS) for name in names]
        if feeds[0] and not feeds[1] and isinstance(subs[1], Ffn):
            names = names[::-1]
        known = True
    steps = [NormStep(n) for n in (_ordered(names, subs) if known else ())]
    loose = () if known else tuple(names)
    n = len(subs)
    if place == "pre" or (place == "parallel" and len(steps) >= n > 1):
        before, rest = _deal(steps, subs)
        # A table that names one norm and not the other has no other (ModernBERT's first layer).
        whole = not known or not steps or norm["gain"] == "none"
        branches = tuple(Branch((b,) if b.name or whole else (), s) for b, s in zip(before, subs, strict=True))
        return Block(layers, count, branches, place == "parallel", (), loose + rest)
    if place == "parallel":
        shared = (steps[0] if steps else NormStep(""),)
        return Block(
            layers, count, tuple(Branch((), s) for s in subs), True, shared, loose + tuple(x.name for x in steps[1:])
        )
    if place == "post":
        after, rest = _deal(steps, subs)
        if has(report, "residual-normed"):
            return Block(
                layers,
                count,
                tuple(Branch((), s, stream_before=(a,)) for a, s in zip(after, subs, strict=True)),
                loose=loose + rest,
            )
        return Block(
            layers, count, tuple(Branch((), s, (), (a,)) for a, s in zip(after, subs, strict=True)), loose=loose + rest
        )
    if place == "output":
        after, rest = _deal(steps, subs)
        return Block(
            layers, count, tuple(Branch((), s, (a,)) for a, s in zip(after, subs, strict=True)), loose=loose + rest
        )
    if place == "sandwich":
        pairs = steps[:2 * n] if len(steps) >= 2 * n else [NormStep("")] * (2 * n)
        rest = tuple(x.name for x in (steps[2 * n:] if len(steps) >= 2 * n else steps))
        around = [Branch((pairs[2 * k],), s, (pairs[2 * k + 1],)) for k, s in enumerate(subs)]
        if has(report, "dense-beside-experts") and (abreast := _abreast(around[-1], rest)):
            around[-1], rest = abreast, ()
        return Block(layers, count, tuple(around), loose=loose + rest)
    return Block(layers, count, tuple(Branch((), s) for s in subs), loose=loose + tuple(x.name for x in steps))


def _abreast(x: Branch, names: tuple[str, ...]) -> Branch | None:
    """A dense block and experts side by side, each with the norms that its number is in the name of (Gemma 4)."""
    f = x.sub
    own = {(n.partition("_")[0], n[-1:]): NormStep(n) for n in names}
    if not isinstance(f, Ffn) or f.kind != "moe" or set(own) != {("post", "1"), ("pre", "2"), ("post", "2")}:
        return None
    dense = Side(x.before, Ffn("dense", f.shared_width), (own["post", "1"],))
    experts = Side((own["pre", "2"],), f._replace(shared=0, shared_width=None), (own["post", "2"],))
    return Branch((), experts.sub, x.after, sides=(dense, experts))


def led(subs: list[Mixing | Ffn], names: list[str], count: int) -> Branch | None:
    """A shared block ahead of each state space (Zamba): attention and feed-forward block, each behind its norm."""
    own = [n for n in names if "mamba" in n]
    inner = [n for n in names if any(word in n for word in FFN_WORDS)]
    first = [n for n in names if n not in own and n not in inner]
    blocks = [s for s in subs if isinstance(s, Ffn) and s.kind != "unknown"]
    if not len(own) == len(inner) == len(first) == len(blocks) == 1:
        return None
    shared = (NormStep(first[0]), Mixing("attention", (("hybrid", count),)), NormStep(inner[0]), blocks[0])
    return Branch((), Mixing("mixer", (("ssm", count),)), lead=("join", *shared, "add", NormStep(own[0])))


def _ordered(names: list[str], subs: list[Mixing | Ffn]) -> list[str]:
    """The norms of cross-attention between those of self-attention and those of the feed-forward block."""
    if not any(s.kind == "cross-attention" for s in subs) or len(subs) < 3:
        return names
    cross = [n for n in names if any(word in n.lower() for word in CROSS_WORDS)]
    rest = [n for n in names if n not in cross]
    return [*rest[:len(rest) // 2], *cross, *rest[len(rest) // 2:]] if cross else names


def _deal(steps: list[NormStep], subs: list[Mixing | Ffn]) -> tuple[list[NormStep], tuple[str, ...]]:
    """One norm for each sub-layer, and the names left over. A norm without a name stands for one without a tensor."""
    n = len(subs)
    if len(steps) >= n:
        return steps[:n], tuple(x.name for x in steps[n:])
    if len(steps) == 1 and n == 2 and any(word in steps[0].name for word in FFN_WORDS):
        return [NormStep(""), steps[0]], ()
    return [*steps, *[NormStep("")] * (n - len(steps))], ()


def placement_of(d: Diagram) -> str | None:
    """The placement as drawn, in the report's words: what a test holds against the measurement. None for unknown."""
    found: set[str] = set()
    for b in d.blocks:
        for x in b.branches:
            before = bool(x.before or b.shared_norms or any(s.before for s in x.sides))
            word = (
                "post"
                if x.on_stream or x.stream_before
                else "sandwich"
                if before and x.after
                else "output"
                if x.after
                else "pre"
                if before
                else ""
            )
            found.add("parallel" if b.parallel else word)
    found.discard("")
    if not found and d.placement == "mixed":
        return "mixed"
    return found.pop() if len(found) == 1 else None
