"""Stored name → (logical weight, kind): which weight a tensor belongs to, and as what."""

from __future__ import annotations

from typing import Final

#: Last word of a name → kind, for tensors that stand beside (or for) ``<module>.weight``.
LEAVES: Final[dict[str, str]] = {
    # GPTQ, AWQ, auto-round, FP-Quant
    "qweight": "qweight",
    "qzeros": "qzeros",
    "scales": "scales",
    "g_idx": "g_idx",
    "act_scales": "act_scales",
    "dqweight": "dqweight",
    "forward_hadamard_matrix": "hadamard_f",
    "backward_hadamard_matrix": "hadamard_b",
    "weight_global_scale": "global_scale",
    "act_global_scale": "act_global",
    # MLX
    "biases": "biases",
    "qbiases": "qbiases",
    # compressed-tensors, FP8, modelopt, Quark
    "weight_packed": "packed",
    "weight_scale": "scale",
    "weight_scale_inv": "scale_inv",
    "weight_scale_2": "scale_2",
    "weight_zero_point": "zero_point",
    "weight_shape": "shape",
    "weight_g_idx": "g_idx",
    "scale_packed": "scale_packed",
    "meta": "meta",
    "input_scale": "input_scale",
    "input_zero_point": "input_zero_point",
    "input_global_scale": "input_global_scale",
    "input_scale_ub": "input_scale_ub",
    "output_scale": "output_scale",
    "output_zero_point": "output_zero_point",
    "activation_scale": "activation_scale",
    "act_scale": "activation_scale",
    "pre_quant_scale": "pre_quant_scale",
    "bias_scale": "bias_scale",
    "bias_zero_point": "bias_zero_point",
    "scale": "scale",
    "scale_inv": "scale_inv",
    # bitsandbytes, EETQ
    "SCB": "SCB",
    "weight_format": "weight_format",
    "weight_scales": "scales",
    # HQQ
    "W_q": "W_q",
    "zero": "zero",
    "nbits": "nbits",
    "group_size": "group_size",
    "axis": "axis",
    "packing": "packing",
    "shape": "shape",
    "view_as_float": "view_as_float",
    "unpack_view_dtype": "unpack_view_dtype",
    "optimize": "optimize",
    "round_zero": "round_zero",
    "compute_dtype": "compute_dtype",
    "encoded_state_dict": "encoded_state_dict",
    "stores_quant_config": "stores_quant_config",
    "channel_wise": "channel_wise",
    "quant_scale": "quant_scale",
    "quant_zero": "quant_zero",
    "offload_meta": "offload_meta",
    # AQLM, VPTQ, SpQR
    "codes": "codes",
    "codebooks": "codebooks",
    "indices": "indices",
    "res_indices": "res_indices",
    "outlier_indices": "outlier_indices",
    "weight_bias": "weight_bias",
    "perm": "perm",
    "dense_weights": "dense_weights",
    "row_offsets": "row_offsets",
    "col_vals": "col_vals",
    "in_perm": "in_perm",
    # EXL2, EXL3
    "q_weight": "q_weight",
    "q_scale": "q_scale",
    "q_scale_max": "q_scale_max",
    "q_groups": "q_groups",
    "q_invperm": "q_invperm",
    "q_perm": "q_perm",
    "q_group_map": "q_group_map",
    "trellis": "trellis",
    "suh": "suh",
    "svh": "svh",
    "su": "su",
    "sv": "sv",
    "mcg": "mcg",
    "mul1": "mul1",
    # HIGGS
    "tables": "tables",
    "tables2": "tables2",
}
#: The same, where the name goes on from the weight's own name: ``<module>.weight.absmax``.
BEHIND: Final[dict[str, str]] = {
    "absmax": "absmax",
    "quant_map": "quant_map",
    "nested_absmax": "nested_absmax",
    "nested_quant_map": "nested_quant_map",
    "bitsandbytes__nf4": "state_nf4",
    "bitsandbytes__fp4": "state_fp4",
    "_data": "q_data",
    "_scale": "q_scale",
    "_shift": "q_shift",
    "_zeropoint": "q_zeropoint",
    "bitmask": "bitmask",
    "compressed": "compressed",
}
#: Endings behind a fused parameter's own name (``gate_up_proj_blocks``), longest first.
ENDINGS: Final[tuple[tuple[str, str], ...]] = (
    ("_weight_scale_2", "scale_2"),
    ("_weight_scale_inv", "scale_inv"),
    ("_weight_packed", "packed"),
    ("_weight_scale", "scale"),
    ("_input_scale", "input_scale"),
    ("_activation_scale", "activation_scale"),
    ("_global_scale", "global_scale"),
    ("_per_tensor_scale", "per_tensor_scale"),
    ("_act_pre_scale", "pre_quant_scale"),
    ("_scale_and_zero", "scale_and_zero"),
    ("_zero_point", "zero_point"),
    ("_scale_inv", "scale_inv"),
    ("_scale_2", "scale_2"),
    ("_blocks", "blocks"),
    ("_scales", "scales"),
    ("_scale", "scale"),
    ("_qdata", "qdata"),
    ("_packed", "packed"),
    ("_shape", "shape"),
    ("_bias", "fused_bias"),
)
_ENDS: Final = tuple(e for e, _ in ENDINGS if e != "_bias")
#: Kinds that stand for the weight, with a name of their own.
PRIMARY: Final = frozenset(
    {
        "qweight",
        "packed",
        "W_q",
        "codes",
        "indices",
        "dense_weights",
        "q_weight",
        "trellis",
        "blocks",
        "qdata",
        "q_data",
        "compressed",
    }
)
#: Scales of the cache and of attention's own sums: of no weight at all.
CACHE: Final = frozenset(
    {"k_scale", "v_scale", "kv_scale", "prob_output_scale", "prob_scale", "k_zero_point", "v_zero_point"}
)
MAYBE_CACHE: Final = frozenset({"q_scale", "output_scale", "input_scale", "scaled_fp8"})


def parse(name: str) -> tuple[str, str] | None:
    """(logical weight's name, kind), or None for a name that no layout uses. A plain weight is None too."""
    head, _, leaf = name.rpartition(".")
    if leaf == "weight" and not head.endswith("centroids"):
        return None
    kind = LEAVES.get(leaf)
    if kind is not None:
        # A sparse weight's parts stand behind its own name (``weight.shape``).
        return (head if head.endswith(".weight") else f"{head}.weight" if head else "weight"), kind
    kind = BEHIND.get(leaf)
    if kind is not None:
        # quanto nests its packed integers once more (``weight._data._data``).
        return head.removesuffix(".quant_state").removesuffix("._data"), kind
    if leaf == "weight" and head.endswith("centroids"):
        module, _, books = head.rpartition(".")
        return f"{module}.weight", books
    if leaf.endswith(_ENDS):
        for end, kind in ENDINGS:
            if leaf.endswith(end) and len(leaf) > len(end):
                base = leaf[: -len(end)].removeprefix("_")
                return (f"{head}.{base}" if head else base), kind
    return None


def logical_name(name: str) -> str | None:
    """What a listed name stands for: the logical weight's name, or None for a companion."""
    found = parse(name)
    if found is None:
        return name
    return found[0] if found[1] in PRIMARY else None
