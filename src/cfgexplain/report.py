"""All that a renderer may show, in the contract's words; exactly what ``--format json`` prints, every key always.

What is not known is None, never guessed. A test holds ``schema.py`` to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypedDict

if TYPE_CHECKING:
    from cfgexplain.report_ffn import FfnR

Source = Literal["config", "default", "hardcoded", "derived"]
Severity = Literal["error", "warning", "note"]


class WeightFileR(TypedDict):
    name: str
    bytes: int | None
    header_bytes: int | None
    tensors: int | None


class TargetR(TypedDict):
    input: str
    kind: str | None
    repo_id: str | None
    revision: str | None
    commit: str | None
    config_file: str | None
    weight_files: list[WeightFileR]


class ErrorR(TypedDict):
    kind: str
    message: str
    hint: str


class PositionsR(TypedDict):
    kind: str | None
    table: int | None
    usable: int | None
    theta: float | None
    local_theta: float | None
    fraction: float | None
    local_fraction: float | None
    scaling: str | None
    local_scaling: str | None
    layers: int | None


class RemarkR(TypedDict):
    name: str
    key: str | None
    value: float | str | bool | None


class TaskHeadR(TypedDict):
    name: str
    input: int | None
    output: int | None


class ModelR(TypedDict):
    model_type: str | None
    architectures: list[str] | None
    family: str | None
    family_known: bool
    text_config_path: str | None
    hidden_size: int | None
    embedding_size: int | None
    embedding_rows: int | None
    input_patch: list[int] | None
    num_layers: int | None
    vocab_size: int | None
    max_position_embeddings: int | None
    num_attention_heads: int | None
    num_key_value_heads: int | None
    head_dim: int | None
    attention: str | None
    positions: PositionsR
    remarks: list[RemarkR] | None
    tie_word_embeddings: bool | None
    head: str | None
    has_head: bool | None
    task_head: TaskHeadR | None
    dtype: str | None


class EpsR(TypedDict):
    value: float | None
    key: str | None
    source: str | None


class FinalNormR(TypedDict):
    expected: bool | None
    present: bool | None
    tensor: str | None


class NormSiteR(TypedDict):
    tensor: str
    role: str
    size: int | None
    count: int


class NormR(TypedDict):
    type: str | None
    placement: str | None
    eps: EpsR
    gain: str | None
    bias: bool | None
    qk_norm: bool | None
    final_norm: FinalNormR
    sites: list[NormSiteR] | None


class BiasR(TypedDict):
    present: list[str] | None
    expected: list[str] | None
    unexpected: list[str] | None
    missing: list[str] | None


class StoredR(TypedDict):
    elements: int
    bytes: int


class ParamsR(TypedDict):
    total: int | None
    active: int | None
    active_without_embeddings: int | None
    by_role: dict[str, int] | None
    by_dtype: dict[str, int] | None
    stored_elements: int | None
    bytes: int | None
    stored_by_role: dict[str, StoredR] | None


class LayerKindR(TypedDict):
    first: int
    last: int
    attention: str | None
    ffn: str | None


class MatrixR(TypedDict):
    name: str
    shape: list[int]
    role: str
    bias: bool


class LayersR(TypedDict):
    window: int | None
    mix: dict[str, int] | None
    kinds: list[LayerKindR] | None
    matrices: dict[str, list[MatrixR]] | None


class MemoryR(TypedDict):
    weights_bytes: int | None
    kv_cache_bytes_per_token: int | None
    kv_cache_bytes_at_context: int | None
    caching_layers: int | None
    windowed_layers: int | None
    constant_state_bytes: int | None
    kv_cache_dtype_bytes: int | None
    kv_cache_formula: str | None


class QuantModuleR(TypedDict):
    pattern: str
    format: str


class QuantFormatR(TypedDict):
    format: str
    tensors: int
    params: int | None
    bytes: int


class QuantizationR(TypedDict):
    method: str | None
    bits: float | None
    group_size: int | None
    block_size: list[int] | None
    modules: list[QuantModuleR]
    formats: list[QuantFormatR]
    bits_per_parameter: float | None


class FindingR(TypedDict):
    name: str
    severity: Severity
    message: str
    hint: str
    file: str | None
    pointer: str | None
    tensors: list[str]


class ExplanationR(TypedDict):
    key: str
    value: object
    source: str
    title: str
    text: str
    formula: str | None
    references: list[str]


class TensorR(TypedDict):
    name: str
    file: str
    dtype: str
    shape: list[int]
    params: int | None
    role: str
    part: str | None
    layer: int | None


class Report(TypedDict):
    """One model. Where ``error`` is set, everything but ``target`` is None."""

    target: TargetR
    error: ErrorR | None
    model: ModelR | None
    norm: NormR | None
    ffn: FfnR | None
    bias: BiasR | None
    params: ParamsR | None
    layers: LayersR | None
    memory: MemoryR | None
    quantization: QuantizationR | None
    findings: list[FindingR] | None
    explanations: list[ExplanationR] | None
    tensors: list[TensorR] | None
