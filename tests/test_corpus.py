"""Every case of the corpus: what is said of it is what the reference implementation was measured to do."""

from __future__ import annotations

import math
from typing import Any

import pytest

from cfgexplain.inspect import Wanted, inspect
from corpus import cases, checkpoint

ROLES = {
    "mlp": {"ffn"},
    "moe_experts": {"experts"},
    "moe_shared_experts": {"shared-experts"},
    "moe_router": {"router"},
    "moe_shared_expert_gate": {"router"},
    "norm_layer": {"block-norm", "attention-norm", "other-norm", "mixer"},
    "norm_final": {"final-norm"},
    "embed": {"embedding"},
    "lm_head": {"lm-head"},
    "attention": {"attention", "attention-norm"},
    "cross_attention": {"cross-attention"},
    "mixer": {"mixer"},
}
#: (case, field) where the measurement is not what the reference's own source says, with the place that proves it.
DISPUTED: dict[tuple[str, str], str] = {}


def facts(row: dict[str, Any]) -> dict[str, tuple[object, object]]:
    """field → (wanted, said)."""
    r = inspect(checkpoint(row["config"], row["header"], row["name"]), Wanted(tensors=True))
    want = row["expect"]
    norm, ffn, params = r["norm"], r["ffn"], r["params"]
    assert norm
    assert ffn
    assert params
    out: dict[str, tuple[object, object]] = {}
    for key in ("type", "placement", "gain", "qk_norm"):
        if want["norm"][key] is not None:
            out[f"norm.{key}"] = (want["norm"][key], norm[key])  # type: ignore[literal-required]
    if want["norm"]["eps"] is not None:
        out["norm.eps"] = (want["norm"]["eps"], norm["eps"]["value"])
    if want["final_norm"]["expected"] is not None:
        out["final_norm.expected"] = (want["final_norm"]["expected"], norm["final_norm"]["expected"])
        if want["final_norm"]["tensors"] and want["group"] != "seq2seq":
            out["final_norm.tensor"] = (True, norm["final_norm"]["tensor"] in want["final_norm"]["tensors"])
    if want["ffn"]["gated"] in (True, False):
        out["ffn.gated"] = (want["ffn"]["gated"], ffn["gated"])
        out["ffn.bias"] = (want["ffn"]["bias"], ffn["bias"])
    for key, value in want["ffn"]["params"].items():
        out[f"ffn.params.{key}"] = (value, ffn["params"][key])  # type: ignore[literal-required]
    out["params.total"] = (want["params_total"], params["total"])
    out["alarms"] = ([], [f["name"] for f in r["findings"] or [] if f["severity"] != "note"])
    roles = {t["name"]: t["role"] for t in r["tensors"] or []}
    out["roles"] = (
        [],
        [f"{n}={roles.get(n)} ({c})" for n, c in want["roles"].items() if c in ROLES and roles.get(n) not in ROLES[c]],
    )
    return out


def same(want: object, got: object) -> bool:
    """Equal; a measured ε is known to four parts in a thousand."""
    if isinstance(want, float) and isinstance(got, (int, float)):
        return math.isclose(want, got, rel_tol=4e-3)
    return want == got


@pytest.mark.parametrize("name", sorted(cases()))
def test_says_what_was_measured(name: str) -> None:
    wrong = {
        field: pair for field, pair in facts(cases()[name]).items() if not same(*pair) and (name, field) not in DISPUTED
    }
    assert not wrong


@pytest.mark.parametrize("name", sorted(cases()))
def test_config_alone_gives_the_total_or_nothing(name: str) -> None:
    row = cases()[name]
    r = inspect(checkpoint(row["config"], None))
    assert r["params"] is not None
    assert r["params"]["total"] in (None, row["expect"]["params_total"])
    assert [f for f in r["findings"] or [] if f["severity"] == "error"] == []
