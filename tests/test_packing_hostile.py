"""Headers and configs that no quantizer wrote: whatever stands there, a report comes out."""

from __future__ import annotations

import random
from typing import Any

import pytest

from cfgexplain.checkpoint import Checkpoint, ConfigFile, Target, Tensor
from cfgexplain.dtypes import BITS
from cfgexplain.inspect import Wanted, inspect
from cfgexplain.packing.names import BEHIND, ENDINGS, LEAVES
from test_packing import written

WORDS = [
    *LEAVES, *(f"weight.{w}" for w in BEHIND), *(f"gate_up_proj{e}" for e, _ in ENDINGS), "weight", "bias",
    "centroids.weight",
    "weight.quant_state.bitsandbytes__nf4",
]  # fmt: skip
CONFIGS: list[Any] = [
    *({"bits": b, "group_size": g} for b in (0, -1, 1e9, "4", None, [], 3.5, True) for g in (0, -5, -1, "x", 2**70)),
    {"config_groups": {"a": None, "b": {"weights": 5}}, "weight_block_size": [0, 0]},
    {"quantized_layers": {"a": 3}, "quant_algo": "MIXED_PRECISION"},
    {"quant_method": ["x"], "ignore": 3},
    {"quant_type": {"default": 3}},
    {"quant_config": {"weight_quant_params": {"nbits": 0}}},
    {"global_quant_config": {"weight": [None]}},
    {"kv_cache_scheme": {"num_bits": "8"}, "kv_cache_quant_algo": 5},
    {"quant_method": "vptq", "config_for_layers": {"x": {"in_features": 0, "out_features": -1}}},
    {}, [], 5, None,
]  # fmt: skip


@pytest.mark.parametrize("seed", range(20))
def test_any_header_gives_a_report(seed: int) -> None:
    rng = random.Random(seed)  # noqa: S311 - repeatable noise, no secret
    twin = written()["twin"]["config"]
    configs = [*CONFIGS, *(row["config"].get("quantization_config") for row in written().values())]
    for n in range(60):
        tensors = []
        for module in ("model.layers.0.mlp.up_proj", "model.layers.0.self_attn.k_proj", "x"):
            for word in rng.sample(WORDS, rng.randint(1, 5)):
                shape = tuple(rng.choice([0, 1, 2, 3, 8, 16, 640, 2**40]) for _ in range(rng.randint(0, 4)))
                size = rng.choice([0, 1, 8, 4096])
                tensors.append(Tensor(f"{module}.{word}", rng.choice(list(BITS)), shape, size, "m.safetensors"))
        config = {**twin, "quantization_config": rng.choice(configs)}
        if n % 5 == 0:
            config["model_type"] = "nobody-knows"
        c = Checkpoint(Target("x", "directory"), ConfigFile("config.json", "", config), tuple(tensors))
        r = inspect(c, Wanted(tensors=True))
        assert r["error"] is None
        assert r["tensors"] is not None
        assert len(r["tensors"]) == len(tensors)
