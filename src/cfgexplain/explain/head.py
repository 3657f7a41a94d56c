"""The output head and the embedding: one matrix or two (Press & Wolf 2017, 1608.05859)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cfgexplain.explain.base import Writer

if TYPE_CHECKING:
    from cfgexplain.explain.base import Scope
    from cfgexplain.report import ExplanationR


def _table(c: Scope) -> int:
    """Parameters of the token embedding; other tables (of layers, entities, a second stack) save nothing."""
    rows = c.subject.main.int("vocab")
    return next(
        (p.elements or 0 for p in c.subject.pieces
         if p.main and p.role == "embedding" and p.shape and p.shape[0] == rows and "per_layer" not in p.tensor), 0
    )  # fmt: skip


def tied(c: Scope) -> ExplanationR | None:
    """Whether the head is the embedding's transpose."""
    model, params = c.report["model"], c.report["params"]
    if model is None or params is None or model["tie_word_embeddings"] is None or model["head"] == "none":
        return None
    roles = params["by_role"] or {}
    # Counted here: the parameters by role are not known where any one of the model's sizes is not.
    head = roles.get("lm-head", 0) or sum(p.elements or 0 for p in c.subject.pieces if p.role == "lm-head")
    table = _table(c)
    w = Writer(c, "tied")
    if model["head"] == "tied" or (model["head"] is None and model["tie_word_embeddings"]):
        w.say("yes")
        w.refer("press2017")
        if table:
            w.say("saved", count=table)
            if params["total"]:
                w.say("trade", share=table / params["total"])
    elif head:
        w.say("no", count=head)
    else:
        return None
    m = c.subject.top if "tie" in c.subject.top.family.keys else c.subject.main
    value = m.value("tie") if "tie" in m.family.keys else None
    key = value.key if value and value.key else "tie_word_embeddings"
    return w.done(
        m.dotted(key), model["tie_word_embeddings"], value.origin if value else "default",
        key=key, value="true" if model["tie_word_embeddings"] else "false",
    )
