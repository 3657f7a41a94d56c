"""Reports of models that exist only in a test: a config, and tensors as the architecture would have them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cfgexplain.checkpoint import Checkpoint, ConfigFile, Target, Tensor, WeightFile
from cfgexplain.dtypes import BITS
from cfgexplain.inspect import Wanted, inspect, subject

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cfgexplain.report import Report

    Shapes = Mapping[str, tuple[int, ...] | list[int]]

LLAMA_2_7B: dict[str, object] = {
    "model_type": "llama",
    "architectures": ["LlamaForCausalLM"],
    "hidden_size": 4096,
    "intermediate_size": 11008,
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "num_key_value_heads": 32,
    "vocab_size": 32000,
    "max_position_embeddings": 4096,
    "rms_norm_eps": 1e-05,
    "hidden_act": "silu",
    "tie_word_embeddings": False,
    "torch_dtype": "float16",
}
GEMMA_2_2B: dict[str, object] = {
    "model_type": "gemma2",
    "architectures": ["Gemma2ForCausalLM"],
    "hidden_size": 2304,
    "intermediate_size": 9216,
    "num_hidden_layers": 26,
    "num_attention_heads": 8,
    "num_key_value_heads": 4,
    "head_dim": 256,
    "rms_norm_eps": 1e-06,
}
MIXTRAL: dict[str, object] = {
    "model_type": "mixtral",
    "architectures": ["MixtralForCausalLM"],
    "hidden_size": 4096,
    "intermediate_size": 14336,
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "num_local_experts": 8,
    "num_experts_per_tok": 2,
    "vocab_size": 32000,
    "rms_norm_eps": 1e-05,
}
GPT2: dict[str, object] = {"model_type": "gpt2", "architectures": ["GPT2LMHeadModel"]}


def checkpoint(config: Mapping[str, object] | None, tensors: Shapes | None = None, dtype: str = "BF16",
               name: str = "test-model") -> Checkpoint:
    """A checkpoint without files."""
    table = None
    files: tuple[WeightFile, ...] = ()
    if tensors is not None:
        file = "model.safetensors"
        table = tuple(
            Tensor(n, dtype, tuple(shape), (BITS[dtype] * _elements(shape) + 7) // 8, file)
            for n, shape in tensors.items()
        )
        files = (WeightFile(file, sum(t.nbytes for t in table) + 1000, 992, len(table)),)
    return Checkpoint(
        Target(name, "directory"), None if config is None else ConfigFile("config.json", "", config), table, files
    )


def _elements(shape: tuple[int, ...] | list[int]) -> int:
    n = 1
    for size in shape:
        n *= size
    return n


def sound(config: Mapping[str, object]) -> dict[str, tuple[int, ...]]:
    """The tensors that the architecture has under this config, as the reference implementation would save them."""
    from cfgexplain.expand import forms

    s = subject(checkpoint(config))
    out: dict[str, tuple[int, ...]] = {}
    for e in forms(s.expansion.items, {}):
        if e.slot.kind == "param":
            assert e.shape is not None
            out.update(dict.fromkeys(e.names(), e.shape))
    return out


def report_of(config: Mapping[str, object] | None, tensors: Shapes | None = None, dtype: str = "BF16",
              name: str = "test-model", listing: bool = False) -> Report:
    """The report of a model that exists only here."""
    return inspect(checkpoint(config, tensors, dtype, name), Wanted(tensors=listing))


def sound_report(config: Mapping[str, object], dtype: str = "BF16", name: str = "test-model") -> Report:
    """The report of a model with every tensor that it should have."""
    return report_of(config, sound(config), dtype, name)
