"""How the routers of each family make weights out of scores. Families that are not listed: not known.

Facts from transformers 5.24, the router classes of ``models/<family>/modeling_*.py``.
"""

from __future__ import annotations

from typing import Final, NamedTuple


class Routing(NamedTuple):
    """One way to route.

    Attributes:
        score: "softmax" (over all experts), "selected" (a softmax over those picked), "sigmoid", "softplus" (the root
            of a softplus), or "mixer" (one after the other, a softmax each over those that are close).
        normed: whether the weights of those picked are divided by their sum; a string is the config key that says so
            (``default`` where it is absent). None where the score needs none.
        default: of that key; None where it is not the same for all that use the table.
        biased: a bias joins the scores for the choice and not for the weights.
        groups: how many groups of experts there are, and how many of them are looked at, where ``n_group`` and
            ``topk_group`` are absent; None where the router knows no groups.
        method: what ``topk_method`` must say for groups to count, or "".
        scaled: the config key of a factor on the weights, or "".
        times: that factor where the key is absent.
        by: the config key that names the score ("sigmoid", or another word, which is ``score`` then), or "".
        joint: the router scores the shared experts too, and their weights are part of the sum.
        stored: each weight is multiplied by a stored number of its expert.
    """

    score: str
    normed: bool | str | None = None
    default: bool | None = False
    biased: bool = False
    groups: tuple[int, int] | None = None
    method: str = ""
    scaled: str = ""
    times: float = 1.0
    by: str = ""
    joint: bool = False
    stored: bool = False


QWEN: Final = Routing("softmax", "norm_topk_prob")
DEEPSEEK: Final = Routing("sigmoid", "norm_topk_prob", True, True, (1, 1), "", "routed_scaling_factor")
DEEPSEEK_V3: Final = DEEPSEEK._replace(groups=(8, 4), times=2.5)
SELECTED: Final = Routing("selected")

ROUTING: Final[dict[str, Routing]] = {
    **dict.fromkeys(("mixtral", "minimax", "hunyuan_v1_moe", "qwen3_5_moe_text"), Routing("softmax", True)),
    **dict.fromkeys(("qwen2_moe", "olmoe", "flex_olmo"), QWEN),
    # Its wrappers with vision and audio use it too, and take another default.
    "qwen3_moe": QWEN._replace(default=None), "qwen3_next": Routing("softmax", "norm_topk_prob", True),
    "mellum": Routing("softmax", "norm_topk_prob", True),
    **dict.fromkeys(
        ("gpt_oss", "granitemoe", "granitemoeshared", "granitemoe_swa", "granitemoehybrid",
         "aria_text", "jetmoe"), SELECTED,
    ),
    **dict.fromkeys(("deepseek_v3", "deepseek_v32", "bailing_hybrid", "axk1"), DEEPSEEK_V3),
    "sarvam_moe": DEEPSEEK._replace(times=2.5), "glm4_moe": DEEPSEEK, "glm4v_moe_text": DEEPSEEK,
    "glm4_moe_lite": DEEPSEEK._replace(times=1.8), "glm_moe_dsa": DEEPSEEK._replace(times=2.5),
    "dots1": DEEPSEEK._replace(default=False), "solar_open": DEEPSEEK, "exaone_moe": DEEPSEEK._replace(times=2.5),
    "nemotron_h": DEEPSEEK,
    "deepseek_v2": Routing(
        "softmax", False, groups=(1, 1), method="group_limited_greedy", scaled="routed_scaling_factor"
    ),
    "longcat_flash": Routing("softmax", False, biased=True, scaled="routed_scaling_factor", times=6.0),
    "minimax_m2": Routing("sigmoid", True, biased=True), "afmoe": Routing("sigmoid", None, biased=True),
    "ernie4_5_moe": Routing("softmax", True, biased=True),
    "lfm2_moe": Routing("sigmoid", "norm_topk_prob", True, True, scaled="routed_scaling_factor"),
    "kimi_linear": DEEPSEEK._replace(normed="moe_renormalize", times=2.446),
    "laguna": Routing("sigmoid", True, biased=True, scaled="moe_routed_scaling_factor"),
    "step3p5": Routing("sigmoid", True, biased=True, scaled="moe_router_scaling_factor"),
    "dbrx": Routing("softmax", "ffn_config.moe_normalize_expert_weights", True),
    "cohere2_moe": Routing("selected", "norm_topk_prob", True, by="expert_selection_fn"),
    "phimoe": Routing("mixer"),
    "inkling_text": Routing("sigmoid", biased=True, scaled="route_scale", times=8.0, joint=True),
    "llama4_text": Routing("sigmoid", False), "jamba": Routing("softmax", False),
    **dict.fromkeys(("gemma4_text", "diffusion_gemma_text"), Routing("softmax", True, stored=True)),
    "zaya": Routing("softmax", False, biased=True),
    "minimax_m3_vl_text": Routing("sigmoid", True, biased=True, scaled="routed_scaling_factor", times=2.0),
    "deepseek_v4": Routing(
        "softplus", True, biased=True, scaled="routed_scaling_factor", times=1.5, by="scoring_func"
    ),
}  # fmt: skip
