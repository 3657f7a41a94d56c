"""``check --against``: each drift is found where it is, and a twin of the base has none."""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any

import pytest

import cli as command
from cfgexplain.checks.base import Wishes
from cfgexplain.checks.drift import CHECKS
from cfgexplain.compare import Side
from cfgexplain.inspect import Wanted, examine
from corpus import cases
from corpus import checkpoint as corpus_checkpoint
from models import GEMMA_2_2B, LLAMA_2_7B, MIXTRAL, sound
from weights import safetensors

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from cfgexplain.report import FindingR

    Header = dict[str, dict[str, Any]]

DRIFTS = frozenset(c.name for c in CHECKS)
QWEN: dict[str, object] = {
    **LLAMA_2_7B, "model_type": "qwen2", "architectures": ["Qwen2ForCausalLM"], "num_hidden_layers": 4,
    "num_key_value_heads": 8,
}  # fmt: skip
LLAMA: dict[str, object] = {**LLAMA_2_7B, "num_hidden_layers": 4}
QWEN_3: dict[str, object] = {**QWEN, "model_type": "qwen3", "architectures": ["Qwen3ForCausalLM"], "head_dim": 128}


def header(config: Mapping[str, object], dtype: str = "BF16") -> Header:
    return {n: {"dtype": dtype, "shape": list(s)} for n, s in sound(config).items()}


def side(config: Mapping[str, object], tensors: Header | None, name: str = "base") -> Side:
    return Side(*examine(corpus_checkpoint(dict(config), tensors, name), Wanted(explanations=False)))


def drifts(base: Side, config: Mapping[str, object], tensors: Header | None) -> list[FindingR]:
    """Findings of the drift checks."""
    wanted = Wanted(explanations=False, wishes=Wishes(against=base))
    found = examine(corpus_checkpoint(dict(config), tensors), wanted)[1]["findings"]
    assert found is not None
    return [f for f in found if f["name"] in DRIFTS]


LLAMA_BASE = side(LLAMA, header(LLAMA))


# --- each fires ---


@pytest.mark.parametrize(
    ("changes", "name", "pointer", "says"),
    [
        ({"rms_norm_eps": 1e-06}, "eps-drift", "/rms_norm_eps", "1e-05"),
        ({"rms_norm_eps": ...}, "eps-drift", "", "1e-06"),
        ({"hidden_act": "gelu"}, "activation-drift", "/hidden_act", "silu"),
        ({"rope_theta": 500000.0}, "rope-drift", "/rope_theta", "10000"),
        ({"rope_scaling": {"rope_type": "linear", "factor": 4.0}}, "rope-drift", "/rope_scaling", "factor 4.0"),
        (
            {"rope_parameters": {"rope_type": "default", "rope_theta": 5e5}},
            "rope-drift",
            "/rope_parameters/rope_theta",
            "500000",
        ),
        ({"num_attention_heads": 64, "num_key_value_heads": 64}, "shape-drift", "/num_attention_heads", "32 → 64"),
    ],
    ids=lambda x: x if isinstance(x, str) else "",
)
def test_config(changes: dict[str, object], name: str, pointer: str, says: str) -> None:
    config = {k: v for k, v in {**LLAMA, **changes}.items() if v is not ...}
    (found,) = drifts(LLAMA_BASE, config, header(LLAMA))
    assert (found["name"], found["severity"], found["file"], found["pointer"]) == (
        name,
        "error",
        "config.json",
        pointer,
    )
    assert says in found["message"]
    assert "base" in found["message"]
    assert found["hint"]


def test_shapes_of_the_tensors() -> None:
    config = {**LLAMA, "intermediate_size": 11264}
    (found,) = drifts(LLAMA_BASE, config, header(config))
    assert found["name"] == "shape-drift"
    assert found["tensors"][0] == "model.layers.{0-3}.mlp.down_proj.weight"
    assert "gate_proj.weight is [11264, 4096], it was [11008, 4096]" in found["message"]


def test_sizes_of_the_config_without_weights() -> None:
    (found,) = drifts(
        side(LLAMA, None), {**LLAMA, "hidden_size": 2048, "num_attention_heads": 16, "num_key_value_heads": 16}, None
    )
    assert (found["name"], found["pointer"]) == ("shape-drift", "/hidden_size")


def test_a_layer_less_is_one_drift() -> None:
    config = {**QWEN_3, "num_hidden_layers": 3}
    (found,) = drifts(side(QWEN_3, header(QWEN_3)), config, header(config))
    assert (found["name"], found["pointer"]) == ("shape-drift", "/num_hidden_layers")


def test_biases_that_are_gone() -> None:
    tensors = {n: t for n, t in header(QWEN).items() if not n.endswith("bias")}
    (found,) = drifts(side(QWEN, header(QWEN)), QWEN, tensors)
    assert (found["name"], found["severity"]) == ("bias-drift", "error")
    assert "model.layers.{0-3}.self_attn.k_proj.bias" in found["tensors"]


def test_biases_that_a_conversion_to_another_family_lost() -> None:
    config = {**QWEN, "model_type": "llama", "architectures": ["LlamaForCausalLM"]}
    found = drifts(side(QWEN, header(QWEN)), config, header(config))
    assert [f["name"] for f in found] == ["bias-drift"]


def test_biases_that_have_come() -> None:
    tensors = header(LLAMA) | {
        f"model.layers.{i}.mlp.up_proj.bias": {"dtype": "BF16", "shape": [11008]} for i in range(4)
    }
    (found,) = drifts(LLAMA_BASE, LLAMA, tensors)
    assert (found["name"], found["tensors"]) == ("bias-drift", ["model.layers.{0-3}.mlp.up_proj.bias"])


def test_a_flag_that_asks_for_biases_without_weights() -> None:
    (found,) = drifts(LLAMA_BASE, {**LLAMA, "attention_bias": True}, None)
    assert found["name"] == "bias-drift"


@pytest.mark.parametrize(
    ("config", "gone"),
    [
        (LLAMA, "model.norm.weight"),
        (LLAMA, "model.layers.2.input_layernorm.weight"),
        (QWEN_3, "model.layers.1.self_attn.q_norm.weight"),
    ],
    ids=["final", "layer", "q"],
)
def test_norms_that_are_gone(config: dict[str, object], gone: str) -> None:
    tensors = header(config)
    del tensors[gone]
    (found,) = drifts(side(config, header(config)), config, tensors)
    assert (found["name"], found["severity"], found["tensors"]) == ("norm-drift", "error", [gone])


def test_a_gain_of_another_form() -> None:
    gemma = {**LLAMA, "model_type": "gemma", "architectures": ["GemmaForCausalLM"], "head_dim": 128,
             "hidden_activation": "silu", "rms_norm_eps": 1e-05}  # fmt: skip
    found = drifts(side(gemma, header(LLAMA)), LLAMA, header(LLAMA))
    assert [f["name"] for f in found] == ["norm-drift"]
    assert "norm.gain is w; in base it is 1+w" in found[0]["message"]


def test_a_head_that_was_tied_away() -> None:
    tensors = header(LLAMA)
    del tensors["lm_head.weight"]
    (found,) = drifts(LLAMA_BASE, {**LLAMA, "tie_word_embeddings": True}, tensors)
    assert (found["name"], found["severity"], found["tensors"]) == ("head-drift", "error", ["lm_head.weight"])
    assert found["pointer"] == "/tie_word_embeddings"


def test_a_head_that_is_gone() -> None:
    tensors = header(LLAMA)
    del tensors["lm_head.weight"]
    (found,) = drifts(LLAMA_BASE, LLAMA, tensors)
    assert (found["name"], found["severity"], found["tensors"]) == ("head-drift", "error", ["lm_head.weight"])


def test_a_head_that_the_config_alone_ties() -> None:
    (found,) = drifts(side(LLAMA, None), {**LLAMA, "tie_word_embeddings": True}, None)
    assert (found["name"], found["pointer"]) == ("head-drift", "/tie_word_embeddings")


def test_a_model_without_a_head_lost_none() -> None:
    """An embedding model made of a language model has no head on purpose, and its class says so."""
    config = {**LLAMA, "architectures": ["LlamaModel"]}
    tensors = {n.removeprefix("model."): t for n, t in header(LLAMA).items() if n != "lm_head.weight"}
    assert drifts(LLAMA_BASE, config, tensors) == []


def test_a_vocabulary_that_grew_is_a_note() -> None:
    config = {**LLAMA, "vocab_size": 32064}
    (found,) = drifts(LLAMA_BASE, config, header(config))
    assert (found["name"], found["severity"], found["pointer"]) == ("vocab-drift", "note", "/vocab_size")
    assert found["tensors"] == ["lm_head.weight", "model.embed_tokens.weight"]


def test_a_vocabulary_padded_in_the_tensors_alone() -> None:
    tensors = header(LLAMA)
    for name in ("lm_head.weight", "model.embed_tokens.weight"):
        tensors[name] = {"dtype": "BF16", "shape": [32064, 4096]}
    assert [f["name"] for f in drifts(LLAMA_BASE, LLAMA, tensors)] == ["vocab-drift"]


def test_the_epsilon_of_a_tower() -> None:
    case = cases()["image_text--gemma3"]
    config = copy.deepcopy(case["config"])
    config["vision_config"]["layer_norm_eps"] = 0.125
    (found,) = drifts(side(case["config"], case["header"]), config, case["header"])
    assert (found["name"], found["pointer"]) == ("eps-drift", "/vision_config/layer_norm_eps")


# --- and a twin is silent ---


def retyped(tensors: Header) -> Header:
    other = {"F32": "BF16", "BF16": "F16", "F16": "F32"}
    return {n: {**t, "dtype": other.get(t["dtype"], t["dtype"])} for n, t in tensors.items()}


@pytest.mark.parametrize("name", sorted(cases()))
def test_twins_of_every_family_are_silent(name: str) -> None:
    config, tensors = cases()[name]["config"], cases()[name]["header"]
    base = side(config, tensors)
    saved = {**config, "transformers_version": "9.0", "dtype": "float16", "_name_or_path": "twin"}
    assert not drifts(base, saved, {f"_orig_mod.{n}": t for n, t in retyped(tensors).items()})


def packed(tensors: Header, pack: Callable[[str, int, int], Header]) -> Header:
    """Every matrix of a layer in the form of a quantizer."""
    out: Header = {}
    for n, t in tensors.items():
        if len(t["shape"]) == 2 and ".layers." in n and ".gate.weight" not in n:
            out |= pack(n.removesuffix("weight"), *t["shape"])
        else:
            out[n] = t
    return out


def gptq(stem: str, rows: int, cols: int) -> Header:
    return {
        f"{stem}qweight": {"dtype": "I32", "shape": [cols // 8, rows]},
        f"{stem}qzeros": {"dtype": "I32", "shape": [cols // 128, rows // 8]},
        f"{stem}scales": {"dtype": "F16", "shape": [cols // 128, rows]},
        f"{stem}g_idx": {"dtype": "I32", "shape": [cols]},
    }


def awq(stem: str, rows: int, cols: int) -> Header:
    return {
        f"{stem}qweight": {"dtype": "I32", "shape": [cols, rows // 8]},
        f"{stem}qzeros": {"dtype": "I32", "shape": [cols // 128, rows // 8]},
        f"{stem}scales": {"dtype": "F16", "shape": [cols // 128, rows]},
    }


def fp8(stem: str, rows: int, cols: int) -> Header:
    return {
        f"{stem}weight": {"dtype": "F8_E4M3", "shape": [rows, cols]},
        f"{stem}weight_scale_inv": {"dtype": "F32", "shape": [rows // 128, cols // 128]},
    }


def nf4(stem: str, rows: int, cols: int) -> Header:
    n = rows * cols
    return {
        f"{stem}weight": {"dtype": "U8", "shape": [n // 2, 1]},
        f"{stem}weight.absmax": {"dtype": "U8", "shape": [n // 64]},
        f"{stem}weight.quant_map": {"dtype": "F32", "shape": [16]},
        f"{stem}weight.nested_absmax": {"dtype": "F32", "shape": [n // 64 // 256]},
        f"{stem}weight.nested_quant_map": {"dtype": "F32", "shape": [256]},
        f"{stem}weight.quant_state.bitsandbytes__nf4": {"dtype": "U8", "shape": [128]},
    }


@pytest.mark.parametrize(
    "config",
    [LLAMA, QWEN, {**MIXTRAL, "num_hidden_layers": 2}, {**GEMMA_2_2B, "num_hidden_layers": 2}],
    ids=["llama", "qwen2", "mixtral", "gemma2"],
)
@pytest.mark.parametrize(
    ("pack", "declared"),
    [
        (gptq, {"quant_method": "gptq", "bits": 4, "group_size": 128, "desc_act": False, "sym": True}),
        (awq, {"quant_method": "awq", "bits": 4, "group_size": 128, "version": "gemm", "zero_point": True}),
        (fp8, {"quant_method": "fp8", "weight_block_size": [128, 128], "activation_scheme": "dynamic"}),
        (nf4, {"quant_method": "bitsandbytes", "load_in_4bit": True, "bnb_4bit_quant_type": "nf4"}),
    ],
    ids=["gptq", "awq", "fp8", "nf4"],
)
def test_quantized_twins_are_silent(
    config: dict[str, object], pack: Callable[[str, int, int], Header], declared: dict[str, object]
) -> None:
    tensors = header(config)
    quantized = {**config, "quantization_config": declared}
    assert not drifts(side(config, tensors), quantized, packed(tensors, pack))
    assert not drifts(side(quantized, packed(tensors, pack)), config, tensors)


def test_zero_biases_of_a_quantizer_are_said_once() -> None:
    config = {**LLAMA, "quantization_config": {"quant_method": "gptq", "bits": 4, "group_size": 128}}
    tensors = packed(header(LLAMA), gptq)
    tensors |= {f"model.layers.{i}.self_attn.o_proj.bias": {"dtype": "F16", "shape": [4096]} for i in range(4)}
    assert not drifts(LLAMA_BASE, config, tensors)


@pytest.mark.parametrize(
    "weights", [(True, False), (False, True), (False, False)], ids=["base only", "twin only", "neither"]
)
def test_twins_without_weights_are_silent(weights: tuple[bool, bool]) -> None:
    for config in (LLAMA, QWEN, QWEN_3, {**GEMMA_2_2B, "num_hidden_layers": 2}):
        tensors = header(config)
        assert not drifts(side(config, tensors if weights[0] else None), config, tensors if weights[1] else None)


def test_the_same_model_as_its_publisher_and_the_library_save_it() -> None:
    config = {**LLAMA, "rope_parameters": {"rope_type": "default", "rope_theta": 10000.0}}
    del config["num_key_value_heads"]
    assert not drifts(LLAMA_BASE, config, {n.removeprefix("model."): t for n, t in header(LLAMA).items()})


def test_without_a_base_nothing_drifts() -> None:
    found = examine(corpus_checkpoint({**LLAMA, "hidden_act": "gelu"}, header(LLAMA)))[1]["findings"]
    assert found is not None
    assert not DRIFTS & {f["name"] for f in found}


# --- the command ---


def model(folder: Path, **changes: object) -> str:
    case = cases()["llama"]
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps({**case["config"], **changes}, indent=2))
    (folder / "model.safetensors").write_bytes(
        safetensors({n: (t["dtype"], t["shape"]) for n, t in case["header"].items()})
    )
    return str(folder)


def test_exit_codes(tmp_path: Path) -> None:
    base, twin = model(tmp_path / "base"), model(tmp_path / "twin")
    drifted = model(tmp_path / "drifted", rms_norm_eps=1e-3)
    assert command.run("check", twin, "--against", base).code == 0
    out = command.run("check", drifted, twin, "--against", base, "--format", "jsonl")
    assert out.code == 1
    first, second = (json.loads(line)["findings"] for line in out.out.splitlines())
    assert [f["name"] for f in first if f["severity"] != "note"] == ["eps-drift"]
    assert not [f for f in second if f["severity"] != "note"]
    assert command.run("check", drifted, "--against", base, "--ignore", "eps-drift").code == 0


def test_a_base_that_cannot_be_read(tmp_path: Path) -> None:
    out = command.run("check", model(tmp_path / "twin"), "--against", str(tmp_path / "gone"))
    assert out.code == 3
    assert "gone" in out.err


def test_every_drift_has_a_manual_page() -> None:
    for name in DRIFTS:
        page = command.run("rule", name)
        assert page.code == 0
        assert "With --against" in page.out


def test_what_is_computed_beside_the_matrices_is_no_drift() -> None:
    base, other = ({**GEMMA_2_2B, "num_hidden_layers": 2, "final_logit_softcapping": x} for x in (30.0, 50.0))
    assert drifts(side(base, header(base)), other, header(other)) == []
