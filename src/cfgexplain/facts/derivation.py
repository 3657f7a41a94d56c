"""How a feed-forward width follows from the hidden size, in whole numbers.

Sources:
    - Vaswani et al. 2017, arXiv:1706.03762: two matrices, width 4·d, so 8·d² parameters a layer.
    - Shazeer 2020, arXiv:2002.05202: a gated block has three matrices; × 2/3 keeps 8·d².
    - Touvron et al. 2023, arXiv:2302.13971: 2/3 · 4·d, and Meta's published ``FeedForward.__init__``, which truncates
      twice and rounds up once: ``int(2 * (4 * d) / 3)``, ``int(ffn_dim_multiplier * that)``, up to ``multiple_of``.

Nothing here claims that a rule was used because it fits: many pairs of multiplier and multiple give the same number.
``derive`` lists what fits and chooses only where somebody stated the recipe, or where a default of the field fits.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from cfgexplain.report_ffn import DerivationR, LlamaRuleR, RuleR

from cfgexplain.families.expr import ceil_to

#: Exact ratios: the values that Meta published for ``ffn_dim_multiplier``, and 1.25, which fits some widths too.
MULTIPLIERS: Final = ((1, 1), (6, 5), (5, 4), (13, 10), (3, 2))
MULTIPLES: Final = (1, 64, 128, 256, 512, 1024, 2048, 4096)
#: A ratio counts as simple up to this denominator: 7/2, 8/3 and 15/4 are, 19/5 is not.
MAX_DENOMINATOR: Final = 4
LLAMA_MULTIPLE: Final = 256

#: Above this a number in a config is no width, and its digits are not worth printing.
MAX_SIZE: Final = 2**63
#: Above this a width is no width, and trial division would not be fast.
FACTOR_CAP: Final = 2**32
#: Whole numbers are exact in a float up to here; beyond, Meta's own float arithmetic means nothing.
_FLOAT_EXACT: Final = 2**53

_META: Final = "Touvron et al. 2023, arXiv:2302.13971; Meta's FeedForward.__init__"
_LLAMA: Final = "Shazeer 2020, arXiv:2002.05202; Touvron et al. 2023, arXiv:2302.13971"
_FOUR: Final = "Vaswani et al. 2017, arXiv:1706.03762"

#: (hidden, multiplier, multiple_of) as Meta's own params.json gives them. Others reach the same widths otherwise.
_PUBLISHED: Final = {
    (8192, (13, 10), 4096): "Llama-2-70B",
    (4096, (13, 10), 1024): "Llama-3-8B",
    (16384, (6, 5), 4096): "Llama-3.1-405B",
    (2048, (3, 2), 256): "Llama-3.2-1B",
}


class RecipeHint(NamedTuple):
    """A recipe that somebody wrote down: the file itself, or the family's published code.

    Attributes:
        multiplier: Meta's ``ffn_dim_multiplier``; None where there is none.
        multiple_of: the width is rounded up to a multiple of this.
        reference: where it is written down.
        stated: the file itself states it, so it stands even where it does not give this width.
        ratio: what is multiplied with d first, 8/3 in Meta's code.
    """

    multiplier: float | None
    multiple_of: int
    reference: str
    stated: bool = False
    ratio: tuple[int, int] = (8, 3)


#: What ``Family.recipe`` may name.
RECIPES: Final[dict[str, RecipeHint]] = {
    "llama": RecipeHint(None, LLAMA_MULTIPLE, _LLAMA),
    "4d": RecipeHint(None, 1, _FOUR, ratio=(4, 1)),
}


def meta_width(hidden: int, multiplier: tuple[int, int] = (1, 1), multiple_of: int = LLAMA_MULTIPLE) -> int:
    """Meta's rule with its truncations, for d = ``hidden``.

    The floors are exact. They equal the floats of the original for every width below 2**49: a product with a tenth
    or a quarter is at least 0.1 from the next whole number, or is whole and rounds to itself.
    """
    return ceil_to(8 * hidden // 3 * multiplier[0] // multiplier[1], multiple_of)


def fraction(num: int, den: int) -> str:
    """``num/den`` in lowest terms: "32768/3", "8192"."""
    common = math.gcd(num, den)
    num, den = num // common, den // common
    return str(num) if den == 1 else f"{num}/{den}"


def factorize(n: int) -> dict[str, int] | None:
    """Prime to power, smallest first; None where ``n`` is not positive or above ``FACTOR_CAP``."""
    if not 1 <= n <= FACTOR_CAP:
        return None
    factors: dict[str, int] = {}
    prime = 2
    while prime * prime <= n:
        while n % prime == 0:
            factors[str(prime)] = factors.get(str(prime), 0) + 1
            n //= prime
        prime += 1 if prime == 2 else 2
    if n > 1:
        factors[str(n)] = factors.get(str(n), 0) + 1
    return factors


def derive(hidden: int, width: int, gated: bool | None, recipe: RecipeHint | None = None) -> DerivationR:
    """Every rule that leads from d = ``hidden`` to ``width`` (of one matrix, so half of a doubled key).

    ``chosen`` is the recipe that the file states, or the family's where it fits. Failing that, the Llama rule where
    it fits and the block is not known to have two matrices, or 4·d where it fits and the block is not known to be
    gated: 4·d in a gated block has 12·d² parameters, so it is not the convention of 2017, only a number like it.
    Where both fit (d ≤ 128) and nothing tells them apart, none is chosen.

    Where a number is not positive, or above ``MAX_SIZE``, there is nothing to derive: no rule, no candidate.
    """
    if not (1 <= hidden <= MAX_SIZE and 1 <= width <= MAX_SIZE):
        return {"llama_rule": None, "chosen": None, "candidates": []}
    value = meta_width(hidden)
    llama: LlamaRuleR = {
        "exact": fraction(8 * hidden, 3),
        "multiple_of": LLAMA_MULTIPLE,
        "value": value,
        "matches": value == width,
    }
    candidates = [
        _meta_rule(hidden, width, multiplier, multiple)
        for multiplier in MULTIPLIERS
        for multiple in MULTIPLES
        if meta_width(hidden, multiplier, multiple) == width
    ]
    ratio = _ratio_rule(hidden, width)
    if ratio is not None:
        candidates.append(ratio)
    return {"llama_rule": llama, "chosen": _choose(hidden, width, gated, recipe), "candidates": candidates}


def _choose(hidden: int, width: int, gated: bool | None, recipe: RecipeHint | None) -> RuleR | None:
    if recipe is not None:
        rule = _hinted_rule(hidden, width, recipe)
        if rule is not None and (rule["matches"] or recipe.stated):
            return rule
    llama = gated is not False and meta_width(hidden) == width
    four = gated is not True and 4 * hidden == width
    if llama == four:
        return None
    return _meta_rule(hidden, width, (1, 1), LLAMA_MULTIPLE) if llama else _ratio_rule(hidden, width)


def _meta_rule(hidden: int, width: int, multiplier: tuple[int, int], multiple: int) -> RuleR:
    factor = multiplier[0] / multiplier[1]
    product = 8 * hidden // 3 * multiplier[0] // multiplier[1]
    published = _PUBLISHED.get((hidden, multiplier, multiple))
    plain = multiplier == (1, 1) and multiple == LLAMA_MULTIPLE
    return {
        "name": "llama_rule" if plain else f"meta({factor:g}, {multiple})",
        "multiplier": factor,
        "multiple_of": multiple,
        "steps": _steps(hidden, (8, 3), None if multiplier == (1, 1) else factor, product, multiple),
        "value": ceil_to(product, multiple),
        "matches": ceil_to(product, multiple) == width,
        "reference": _LLAMA if plain else f"{_META}; params.json of {published}" if published else _META,
    }


def _ratio_rule(hidden: int, width: int) -> RuleR | None:
    """``width`` as p/q · d with q ≤ 4, or None."""
    common = math.gcd(hidden, width)
    if hidden // common > MAX_DENOMINATOR:
        return None
    ratio = fraction(width, hidden)
    return {
        "name": f"{ratio}·d",
        "multiplier": None,
        "multiple_of": None,
        "steps": [f"{ratio} × {hidden} = {width}"],
        "value": width,
        "matches": True,
        "reference": {"4": _FOUR, "8/3": _LLAMA}.get(ratio, ""),
    }


def _hinted_rule(hidden: int, width: int, recipe: RecipeHint) -> RuleR | None:
    """The recipe's own width, or None where its numbers are none (a file may say anything)."""
    multiplier, multiple, (num, den) = recipe.multiplier, recipe.multiple_of, recipe.ratio
    if not 1 <= multiple <= MAX_SIZE or (multiplier is not None and not (math.isfinite(multiplier) and multiplier > 0)):
        return None
    product = num * hidden // den
    if multiplier is not None:
        # Meta multiplies in floats. Past their precision only the exact product is left to give.
        over, under = multiplier.as_integer_ratio()
        exact = product * over // under
        product = int(multiplier * product) if max(product, exact) < _FLOAT_EXACT else exact
    value = ceil_to(product, multiple)
    return {
        "name": "stated" if recipe.stated else "family",
        "multiplier": multiplier,
        "multiple_of": multiple,
        "steps": _steps(hidden, recipe.ratio, multiplier, product, multiple),
        "value": value,
        "matches": value == width,
        "reference": recipe.reference,
    }


def _steps(hidden: int, ratio: tuple[int, int], multiplier: float | None, product: int, multiple: int) -> list[str]:
    """The calculation as a person would write it, a line a step. No words, so that it needs no translation."""
    num, den = ratio
    base = num * hidden // den
    if ratio == (8, 3):
        steps = [f"4 × {hidden} = {4 * hidden}", f"2/3 × {4 * hidden} = {fraction(8 * hidden, 3)}"]
    else:
        steps = [f"{fraction(num, den)} × {hidden} = {fraction(num * hidden, den)}"]
    if num * hidden % den:
        steps.append(f"int({fraction(num * hidden, den)}) = {base}")
    if multiplier is not None:
        steps.append(f"int({multiplier} × {base}) = {product}")
    if multiple > 1:
        times = -(-product // multiple)
        steps.append(f"ceil({product} / {multiple}) × {multiple} = {times} × {multiple} = {times * multiple}")
    return steps
