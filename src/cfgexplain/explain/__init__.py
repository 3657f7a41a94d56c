"""Explanations of a model's numbers: one function for each topic, in the order in which they are read.

A new one is one function, one line here, and its texts in each language's catalogue (``explain.<topic>.…``). It
returns None where the model has nothing to explain. ``key`` is the config's own key where there is one, and the
report's path (``norm.placement``) for a fact that no key states.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cfgexplain.explain import attention, bias, eps, ffn_params, head, moe, norms, silent, width
from cfgexplain.explain.base import Scope
from cfgexplain.lang import catalogue

if TYPE_CHECKING:
    from collections.abc import Callable

    from cfgexplain.report import ExplanationR, Report
    from cfgexplain.subject import Subject

EXPLAINERS: Final[tuple[Callable[[Scope], ExplanationR | None], ...]] = (
    norms.kind,
    norms.placement,
    norms.final_norm,
    eps.epsilon,
    attention.heads,
    width.intermediate_size,
    moe.expert_width,
    ffn_params.parameters,
    bias.biases,
    head.tied,
    silent.unseen,
)
#: Explainer → the stories that follow it.
STORIES: Final = {attention.heads: "mixing", ffn_params.parameters: "experts"}


def explain(s: Subject, report: Report, lang: str) -> list[ExplanationR]:
    """All that can be said of this model, in one language."""
    scope = Scope(s, report, catalogue(lang))
    more = has_story(report)
    found: list[ExplanationR] = []
    for explainer in EXPLAINERS:
        e = explainer(scope)
        if e is not None:
            found.append(e)
        if more and explainer in STORIES:
            from cfgexplain.explain.story import stories

            found.extend(stories(scope, STORIES[explainer]))
    return found


def has_story(report: Report) -> bool:
    """Whether the model has more than plain attention and one feed-forward block a layer: most old ones have not."""
    norm, ffn, model, layers = report["norm"], report["ffn"], report["model"], report["layers"]
    return bool(
        (norm and norm["qk_norm"])
        or (model and model["attention"] in ("mla", "mixed"))
        or (layers and layers["mix"] and set(layers["mix"]) - {"full"})
        or (ffn and any(g["kind"] == "moe" for g in ffn["layers"] or ()))
    )
