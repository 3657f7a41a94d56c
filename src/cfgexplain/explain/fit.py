"""What a width divides into: ranks, kernel tiles, quantization groups."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cfgexplain.facts.derivation import MAX_SIZE, factorize
from cfgexplain.facts.quant_groups import groups
from cfgexplain.facts.widths import alignment, groups_per_rank, next_fit, tensor_parallel

if TYPE_CHECKING:
    from cfgexplain.explain.base import Scope, Writer

#: The k-quants' super-block, along a matrix's input.
SUPER_BLOCK: Final = 256
#: Degrees that a table of groups goes through.
RANKS: Final = (1, 2, 4, 8, 16, 32)


def fit(c: Scope, w: Writer, width: int, hidden: int | None, down: str | None) -> None:
    """Sentences on the factors of a width, and on the configured quantization groups along it."""
    if not 1 <= width <= MAX_SIZE:
        return
    factors = factorize(width)
    if factors:
        product = " · ".join(f"{p}^{n}" if n > 1 else p for p, n in factors.items())
        w.say("factors" if sum(factors.values()) > 1 else "prime", width=width, product=product)
    ranks = tensor_parallel(width)
    w.say("ranks", ranks=w.listed(ranks))
    sizes = alignment(width)
    if sizes:
        w.say("tiles", sizes=w.listed(sizes))
    else:
        w.say("no-tiles")
    name = down or "down"
    if SUPER_BLOCK not in sizes:
        w.say("super-block", width=width, rest=width % SUPER_BLOCK, matrix=name)
    if hidden and hidden % SUPER_BLOCK:
        w.say("super-block.hidden", hidden=hidden, rest=hidden % SUPER_BLOCK)
    block = groups(c.subject)
    if block is not None:
        _groups(w, width, block.size, block.key, name)
        if hidden and block.size > 1:
            _attention(c, w, block.size)


def _groups(w: Writer, width: int, size: int, key: str, matrix: str) -> None:
    """How the groups of the config fall on each number of ranks."""
    w.paragraph()
    good: list[str] = []
    bad: list[str] = []
    for tp in RANKS:
        g = groups_per_rank(width, size, tp)
        if g.per_rank is None or g.groups is None:
            bad.append(w.words("group.uneven", tp=tp))
        elif g.fits:
            good.append(w.words("group.count", tp=tp, groups=f"{g.groups:g}"))
        else:
            bad.append(w.words("group.count", tp=tp, groups=f"{g.groups:g}"))
    w.say("group", key=key, size=size, matrix=matrix, width=width)
    if good:
        w.say("group.whole", ranks=w.listed(good))
    if bad:
        w.say("group.broken", ranks=w.listed(bad))
        wider = next_fit(width, size, 8)
        if wider > width:
            w.say("group.next", width=wider, size=size)


def _attention(c: Scope, w: Writer, size: int) -> None:
    """The same for the attention's output projection, whose input is what the heads give."""
    model = c.report["model"]
    if (
        model is None
        or not model["num_attention_heads"]
        or not model["head_dim"]
        or model["attention"] not in ("mha", "gqa", "mqa")
    ):
        return
    wide = model["num_attention_heads"] * model["head_dim"]
    broken = [tp for tp in RANKS[:4] if not groups_per_rank(wide, size, tp).fits]
    if broken:
        w.say("group.attention", wide=wide, size=size, ranks=w.listed(broken))
