"""The report's part on feed-forward blocks and their width (see ``report.py``)."""

from __future__ import annotations

from typing import TypedDict


class RuleR(TypedDict):
    name: str
    multiplier: float | None
    multiple_of: int | None
    steps: list[str]
    value: int
    matches: bool
    reference: str


class LlamaRuleR(TypedDict):
    exact: str
    multiple_of: int
    value: int
    matches: bool


class DerivationR(TypedDict):
    llama_rule: LlamaRuleR | None
    chosen: RuleR | None
    candidates: list[RuleR]


class WidthR(TypedDict):
    value: int | None
    key: str | None
    source: str | None
    ratio: float | None
    from_tensors: int | None
    factors: dict[str, int] | None


class FfnNamesR(TypedDict):
    gate: str | None
    up: str | None
    down: str | None


class FfnLayersR(TypedDict):
    first: int
    last: int
    kind: str
    intermediate_size: int | None
    experts: int | None
    experts_per_token: int | None
    shared_experts: int | None
    shared_intermediate_size: int | None
    input_size: int | None
    params: int | None


class FfnParamsR(TypedDict):
    dense: int | None
    experts: int | None
    shared_experts: int | None
    router: int | None
    total: int | None
    active: int | None
    share_of_model: float | None
    from_config: int | None
    from_tensors: int | None


class FfnR(TypedDict):
    kind: str | None
    gated: bool | None
    activation: str | None
    formula: str | None
    bias: bool | None
    fused_gate_up: bool | None
    names: FfnNamesR
    expert_names: FfnNamesR | None
    encoder_names: FfnNamesR | None
    intermediate_size: WidthR
    derivation: DerivationR | None
    layers: list[FfnLayersR] | None
    encoder_layers: list[FfnLayersR] | None
    params: FfnParamsR
