"""Roles from names and shapes, for a model type without a table.

Names are split into words and read from the outside in: which stack of numbered blocks, which sub-layer, which
matrix. Shapes settle what names leave open (which of two matrices of a block is the way down). What neither shows
stays ``unclassified``, and the counts that depend on it stay unknown.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Final, NamedTuple

from cfgexplain.logical import Row, with_companions
from cfgexplain.match import BUFFERS, Match, wrapper_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from cfgexplain.checkpoint import Tensor
    from cfgexplain.config import Settings
    from cfgexplain.packing import Packed, Packing

#: Load-balancing biases of routers: set by hand during training, held as buffers by most libraries.
CORRECTION: Final = re.compile(r"(^|\.)(e_score_correction_bias|expert_bias|correction_bias|router_bias)$")

TOWERS: Final[tuple[tuple[str, re.Pattern[str]], ...]] = (
    ("projector", re.compile(r"(^|\.)([a-z_]*projector|[a-z_]*connector|aligner|merger|mm_[a-z_]+|vl_connector|language_projection|qformer|resampler|multimodal_[a-z_]+|embed_vision|embed_audio)(\.|$)")),
    ("audio", re.compile(r"(^|\.)(audio[a-z_0-9]*|speech[a-z_]*|whisper)(\.|$)")),
    ("vision", re.compile(r"(^|\.)(vision[a-z_0-9]*|visual[a-z_]*|vit[a-z_]*|image_(encoder|tower|model|newline)|vpm|img_[a-z_]+)(\.|$)")),
)
MIXER: Final = re.compile(r"(^|\.)(mamba\d*|ssm|mixer|linear_attn|gated_deltanet|delta_net|temporal_block|recurrent_block|rg_lru|time_mix\w*|short_conv|conv|mlstm_layer|slstm|kda)(\.|$)")
MIXER_SIGN: Final = re.compile(r"(^|\.|_)(A_log|a_log|dt_bias|dt_proj|conv1d|x_proj|time_decay|time_maa\w*|lambda_p|recurrent_param)(\.|_|$)")
CROSS: Final = re.compile(r"(^|\.)(cross_?attn\w*|crossattention|encoder_attn\w*|EncDecAttention|cross_attention\w*|multihead_attn|encoder_attention)(\.|$)")
ATTENTION: Final = re.compile(r"(^|\.)(self_?attn\w*|attn_[a-z]+|multi_?head_attention|attn|attention|attentions|SelfAttention|self_attention|rel_attn|q_lin|k_lin|v_lin|out_lin|mixed_attention|attention_block)(\.|$)")
ATTENTION_PART: Final = re.compile(r"(^|\.)(q_proj|k_proj|v_proj|o_proj|qkv_proj|qkv|wq|wk|wv|wo|wqkv|Wqkv|query_key_value|c_attn|query|key|value|out_proj|q_a_proj|q_b_proj|kv_a_proj\w*|kv_b_proj|in_proj_(weight|bias)|sinks)(\.|$)")
FFN: Final = re.compile(r"(^|\.)(mlp|ffn|feed_?forward\w*|DenseReluDense|fc1|fc2|fc_in|fc_out|intermediate|dense_h_to_4h|dense_4h_to_h|ff|ff_layer|lin1|lin2|w1|w2|w3|wi|wi_0|wi_1|up_proj|down_proj|gate_proj|gate_up_proj|linear1|linear2|block_sparse_moe|moe|channel_mix\w*|ffn_layer|mlp_block|experts|dense_relu_dense|shared_mlp|shared_expert|shared_experts|moe_layer|layer1|ffn_\w+)(\.|$|_)")
EXPERT: Final = re.compile(r"(^|\.)(experts?|local_experts|deepspeed_experts)(\.|_|$)")
SHARED: Final = re.compile(r"(^|\.|_)shared(_|\.)?(experts?|mlp|ffn)?(\.|_|$)")
ROUTER: Final = re.compile(r"(^|\.)(router|gate|wg|gating|gate_network|router\.layer|router\.classifier|shared_expert_gate)(\.|$)")
NORM: Final = re.compile(r"(^|[._])(norm|layernorm|layer_norm|rmsnorm|rms_norm|ln|LayerNorm|norm\d|ln_?\d|ln_[a-z]+|ln\d|norm_[a-z\d]+|[a-z_]*layernorm\w*|[a-z_]*layer_?norm\w*|[a-z_]*norm\d?|sa_layer_norm|ln_attn|ln_mlp)(\.|$|_)", re.IGNORECASE)
QK_NORM: Final = re.compile(r"(q|k|query|key|kv|v|q_a|kv_a|qk)_?(layer_?norm|norm|ln|layernorm)")
EMBEDDING: Final = re.compile(r"(^|\.)(embed_tokens|wte|word_embeddings?|tok_embeddings|embed_in|token_embedding|embeddings|embed|embedding|shared|tokens_embed|embedding_weight|word_embedding|token_embed\w*|embed_token)(\.|$)")
POSITION: Final = re.compile(r"(^|\.)(wpe|\w*position\w*_embed\w*|embed_positions|positions_embed|pos_embed\w*|position_embeddings?|token_type_embeddings|rel_pos\w*|relative_attention_bias)(\.|$)")
HEAD: Final = re.compile(r"(^|\.)(lm_head|embed_out|output|score|classifier|head|lm_head\.\w+|cls|predictions|qa_outputs|output_layer|proj_out|generator_lm_head)(\.|$)")
FINAL: Final = re.compile(r"(^|\.)(norm|ln_f|final_?layer_?norm|norm_f|final_norm|layer_norm|ln_final|final_layernorm|ln_out|out_norm|layernorm|norm_out|post_layernorm|last_norm)$", re.IGNORECASE)
DOWN: Final = re.compile(r"(^|[._])(down_proj|w2|c_proj|fc2|fc_out|wo|dense_4h_to_h|lin2|linear2|down|output|o_proj|proj_out|value|dense_output|w_out|ff_out)(\.|_|$)")
GATE_UP: Final = re.compile(r"(^|[._])(gate_up_proj|gate_up|up_gate_proj|wi_fused|w12|fc1_fused|Wi|input_linear|gate_and_up_proj|w13)(\.|_|$)")
GATE: Final = re.compile(r"(^|[._])(gate_proj|gate|wi_0|linear_gate|w_gate|fc1_g|c_fc_0)(\.|_|$)")


class _Place(NamedTuple):
    """Where a name stands: the prefix of its stack, the block's index, what is left of the name."""

    stack: str
    layer: int | None
    rest: str


def infer(stored_tensors: Sequence[Tensor], s: Settings, complete: bool, packing: Packing | None = None) -> Match:
    """Every tensor with the role that its name and shape show; a quantized one with what it stands for."""
    tensors = stored_tensors if packing is None else logical_tensors(stored_tensors, packing)
    stored = [t.name for t in tensors]
    wrapper = wrapper_of(stored)
    names = [n[len(wrapper):] for n in stored] if wrapper else stored
    places = [_place(n) for n in names]
    hidden = _hidden(tensors, names, s)
    mixers: set[tuple[str, int | None, str]] = {
        (p.stack, p.layer, _branch(p.rest))
        for p in places
        if p.layer is not None and MIXER_SIGN.search(p.rest) and not ATTENTION.search(p.rest)
    }
    routed: set[tuple[str, int | None]] = {
        (p.stack, p.layer)
        for t, p in zip(tensors, places, strict=True)
        if p.layer is not None and not SHARED.search(p.rest)
        and (EXPERT.search(p.rest) or (len(t.shape) == 3 and FFN.search(p.rest) and not MIXER.search(p.rest)))
    }
    rows: list[Row] = []
    for t, name, place in zip(tensors, names, places, strict=True):
        role = _role(t, name, place, hidden, mixers, routed)
        params = 0 if role == "buffer" else math.prod(t.shape)
        rows.append(Row(t, name, role, "", place.layer, None, params, t.shape))
    rows = _parts(rows, places, hidden)
    if packing is not None:
        rows = [_stored(r, stored_tensors[k], packing.found.get(k)) for r, k in zip(rows, packing.main, strict=True)]
    return Match(with_companions(rows, stored_tensors, packing), (), wrapper=wrapper)


def logical_tensors(tensors: Sequence[Tensor], packing: Packing) -> list[Tensor]:
    """The tensors that are no companions, under their logical names and in the shapes that their headers show."""
    return [
        tensors[k]._replace(name=packing.names[k], shape=packing.found[k].settle(None)[0] if k in packing.found else tensors[k].shape)
        for k in packing.main
    ]


def _stored(r: Row, t: Tensor, packed: Packed | None) -> Row:
    if packed is None:
        return r._replace(tensor=t)
    return r._replace(tensor=t, packed=packed, params=0 if r.role == "buffer" else packed.settle(None)[1])


def _place(name: str) -> _Place:
    parts = name.split(".")
    for k, part in enumerate(parts):
        if part.isdecimal() and 0 < k < len(parts) - 1 and len(part) < 6:
            return _Place(".".join(parts[:k]) + ".", int(part), ".".join(parts[k + 1:]))
    return _Place("", None, name)


def _branch(rest: str) -> str:
    """The sub-layer's module within its block."""
    return rest.partition(".")[0]


def _hidden(tensors: Sequence[Tensor], names: Sequence[str], s: Settings) -> int | None:
    """The hidden size: declared, or the width of the embedding, or the commonest size of a 1-D tensor."""
    declared = s.int("hidden")
    if declared is not None:
        return declared
    sizes: dict[int, int] = {}
    for t, name in zip(tensors, names, strict=True):
        if len(t.shape) == 2 and EMBEDDING.search(name) and _place(name).layer is None and t.shape[0] > t.shape[1]:
            return t.shape[1]
        if len(t.shape) == 1:
            sizes[t.shape[0]] = sizes.get(t.shape[0], 0) + 1
    return max(sizes, key=lambda n: sizes[n]) if sizes else None


def tower_of(name: str) -> str | None:
    """The role of a tensor outside the language model, by the name of its branch."""
    return next((role for role, pattern in TOWERS if pattern.search(name)), None)


def _role(t: Tensor, name: str, place: _Place, hidden: int | None, mixers: set[tuple[str, int | None, str]],
          routed: set[tuple[str, int | None]]) -> str:
    if BUFFERS.search(name) or CORRECTION.search(name):
        return "buffer"
    if tower := tower_of(name):
        return tower
    if place.layer is None:
        return _outer_role(t, name)
    return _inner_role(t, place, mixers, routed)


def _outer_role(t: Tensor, name: str) -> str:
    module = name.rpartition(".")[0] or name
    if POSITION.search(name):
        return "position-embedding"
    if len(t.shape) == 1 and NORM.search(module):
        if re.search(r"(^|\.)(embed\w*|word_embeddings?_layernorm|layernorm_embedding|embeddings)\.", name + ".") or "embed" in module:
            return "other-norm"
        if re.search(r"(cls|predictions|lm_head|transform|head)\b", module):
            return "other-norm"
        return "final-norm" if FINAL.search(module) else "other-norm"
    if HEAD.search(name) and not EMBEDDING.search(name):
        return "lm-head"
    if EMBEDDING.search(name) and len(t.shape) == 2:
        return "embedding"
    return "unclassified"


def _inner_role(t: Tensor, place: _Place, mixers: set[tuple[str, int | None, str]], routed: set[tuple[str, int | None]]) -> str:
    rest = place.rest
    module = rest.rpartition(".")[0] or rest
    is_norm = bool(NORM.search(module)) and (len(t.shape) == 1 or bool(QK_NORM.search(module)))
    branch = _branch(rest)
    if (place.stack, place.layer, branch) in mixers and branch not in ("mlp", "ffn", "feed_forward"):
        return "mixer"
    if CROSS.search(rest):
        return "block-norm" if is_norm and "norm" in branch.lower() and module == branch else "cross-attention"
    in_attention = bool(ATTENTION.search(rest))
    if is_norm:
        if QK_NORM.search(module) and (in_attention or "." in module):
            return "attention-norm"
        if MIXER.search(rest):
            return "mixer"
        if SHARED.search(rest) and FFN.search(rest):
            return "other-norm"
        return "block-norm"
    if MIXER.search(rest) and not in_attention and not FFN.search(rest):
        return "mixer"
    if EXPERT.search(rest) or (FFN.search(rest) and (place.stack, place.layer) in routed):
        if ROUTER.search(rest) and not EXPERT.search(rest):
            return "router"
        if ROUTER.search(rest) and re.search(r"shared_expert_gate", rest):
            return "router"
        if SHARED.search(rest):
            return "shared-experts"
        if EXPERT.search(rest) or len(t.shape) == 3:
            return "experts"
    if ROUTER.search(rest) and (place.stack, place.layer) in routed:
        return "router"
    if FFN.search(rest) and not in_attention:
        return "ffn"
    if in_attention:
        if re.search(r"(^|\.)(output|intermediate)\.dense", rest) and not re.search(r"attention\.output", rest):
            return "ffn"
        return "attention"
    if re.search(r"^output\.dense", rest):
        return "ffn"
    if ATTENTION_PART.search(rest):
        return "attention"
    if len(t.shape) == 1 and NORM.search(module):
        return "block-norm"
    return "unclassified"


# --- which matrix is which ---

_FFN: Final = ("ffn", "experts", "shared-experts")


def _parts(rows: list[Row], places: list[_Place], hidden: int | None) -> list[Row]:
    """Names the matrices of every feed-forward block; by name where it says so, else by shape."""
    blocks: dict[tuple[str, int | None, str, str], list[int]] = {}
    for k, (r, p) in enumerate(zip(rows, places, strict=True)):
        if r.role in _FFN and len(r.shape) >= 2:
            expert = re.search(r"experts?\.(\d+)\.", p.rest)
            blocks.setdefault((p.stack, p.layer, r.role, expert.group(1) if expert else ""), []).append(k)
    out = list(rows)
    for members in blocks.values():
        for k, part in _of_block([rows[k] for k in members], [places[k].rest for k in members], hidden):
            out[members[k]] = out[members[k]]._replace(part=part)
    return out


def _of_block(rows: list[Row], rests: list[str], hidden: int | None) -> list[tuple[int, str]]:
    weights = [k for k, rest in enumerate(rests) if not rest.endswith("bias")]
    found: dict[int, str] = {}
    for k in weights:
        rest = rests[k]
        if GATE_UP.search(rest) and len(weights) == 2:
            found[k] = "gate_up"
        elif DOWN.search(rest):
            found[k] = "down"
        elif GATE.search(rest):
            found[k] = "gate"
    if len(weights) == 3 and sum(p == "down" for p in found.values()) == 1:
        others = [k for k in weights if found.get(k) != "down"]
        gate = next((k for k in others if found.get(k) == "gate"), None)
        if gate is None:
            gate = next((k for k in others if re.search(r"(^|\.)w1(\.|_|$)", rests[k])), others[0])
        for k in others:
            found[k] = "gate" if k == gate else "up"
    elif len(weights) == 2:
        down = [k for k in weights if found.get(k) == "down"]
        if len(down) != 1 and hidden is not None:
            down = [k for k in weights if rows[k].shape[-2] == hidden and rows[k].shape[-1] != hidden][:1]
        if len(down) == 1:
            up = next(k for k in weights if k != down[0])
            found = {down[0]: "down", up: _up_or_both(rows[up].shape, rows[down[0]].shape, hidden)}
    return list(found.items())


def _up_or_both(up: tuple[int, ...], down: tuple[int, ...], hidden: int | None) -> str:
    """A way up that has twice the width of the way down holds gate and up together."""
    if hidden is None or hidden not in up[-2:] or hidden not in down[-2:]:
        return "up"
    wide = math.prod(up[-2:]) // hidden
    narrow = math.prod(down[-2:]) // hidden
    return "gate_up" if wide == 2 * narrow else "up"


def guess(config: Mapping[str, object]) -> str | None:
    """The family that the class name in ``architectures`` points to, or None."""
    from cfgexplain.families.registry import TABLES

    classes = config.get("architectures")
    name = classes[0] if isinstance(classes, list) and classes else None
    if not isinstance(name, str):
        return None
    head = re.split(r"For[A-Z]|LMHead|Model$", name)[0].lower()
    return next((t for t in TABLES if t.replace("_", "").replace("-", "") == head), None)
