"""What one token goes through: everything but the routed experts that it does not visit."""

from __future__ import annotations

import pytest

from cfgexplain.inspect import Wanted, inspect
from corpus import cases, checkpoint
from models import MIXTRAL
from models import checkpoint as model


def test_mixtral_8x7b() -> None:
    """46,702,792,704 in all, 12,879,925,248 for a token (Jiang et al. 2024, Mixtral of Experts)."""
    p = inspect(model(MIXTRAL), Wanted(explanations=False))["params"]
    assert p is not None
    assert (p["total"], p["active"]) == (46_702_792_704, 12_879_925_248)
    assert p["active_without_embeddings"] == 12_879_925_248 - 2 * 32000 * 4096


MIXTURES = [n for n, row in cases().items() if any("expert" in t for t in row["header"])]


@pytest.mark.parametrize("name", MIXTURES)
def test_a_third_of_the_experts(name: str) -> None:
    """Two of six experts in every mixture of the corpus, however they are stored (DBRX: one tall matrix)."""
    r = inspect(checkpoint(cases()[name]["config"], cases()[name]["header"]), Wanted(explanations=False))
    assert r["ffn"] is not None
    f, groups = r["ffn"]["params"], [g for g in r["ffn"]["layers"] or [] if g["kind"] == "moe"]
    assert groups
    assert all((g["experts"], g["experts_per_token"]) == (6, 2) for g in groups)
    assert f["experts"] is not None
    assert f["total"] is not None
    assert f["active"] is not None
    # JetMoE's experts share one bias, which every token goes through.
    shared = sum(v["shape"][0] for k, v in cases()[name]["header"].items() if k.endswith(".mlp.bias"))
    assert f["active"] == f["total"] - (f["experts"] - shared) * 4 // 6


LLAVA: dict[str, object] = {
    "model_type": "llava", "architectures": ["LlavaForConditionalGeneration"],
    "text_config": {"model_type": "llama"}, "vision_config": {"model_type": "clip_vision_model"},
}


@pytest.mark.parametrize(
    ("config", "beside"),
    [
        (LLAVA, ("vision", "projector")),
        ({"model_type": "llama4", "text_config": {}, "vision_config": {}}, ("vision", "projector")),
        ({"model_type": "qwen2_audio", "text_config": {"model_type": "qwen2"}}, ("audio", "projector")),
        # Both stacks of an encoder-decoder; pairs of encoders, and what is no language model at all.
        ({"model_type": "whisper"}, ()),
        ({"model_type": "clip"}, ()),
        ({"model_type": "vit", "architectures": ["ViTModel"]}, ()),
        ({"model_type": "llama"}, ()),
    ],
)
def test_a_token_of_text_passes_no_tower(config: dict[str, object], beside: tuple[str, ...]) -> None:
    r = inspect(model(config), Wanted())
    p, f = r["params"], r["ffn"]
    assert p
    assert f
    assert p["active"] is not None
    assert p["total"] is not None
    roles, blocks = p["by_role"] or {}, f["params"]
    assert all(roles[x] for x in beside)
    idle = (blocks["total"] or 0) - (blocks["active"] or 0)
    assert p["active"] == p["total"] - idle - sum(roles[x] for x in beside)
    outside = sum(roles.get(x, 0) for x in ("embedding", "position-embedding", "lm-head"))
    assert p["active_without_embeddings"] == p["active"] - outside
    told = any("a token of text does not pass them" in e["text"] for e in r["explanations"] or [])
    assert told is bool(beside and idle)
