"""What a built model is measured to do: numbers through its norms, data flow through its layers, parameters by role.

Names are only trusted where known cases (measured by others) agree on what they mean; otherwise the answer is None.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any

import torch
from torch import nn

if TYPE_CHECKING:
    from pathlib import Path

    from .shrink import Json

FFN_ROLES = {"mlp": "dense", "moe_experts": "experts", "moe_shared_experts": "shared_experts",
             "moe_router": "router", "moe_shared_expert_gate": "router"}
MIXING = {"attention", "mixer", "cross_attention"}
QK = re.compile(r"(^|[._])(q|k|v|kv|qk|query|key|value|kv_a|q_a)(_a|_b)?_?(layer_?)?norm(alization)?$|norm_[qk]$")


def fold(name: str) -> str:
    return re.sub(r"\d+", "N", name)


CLEAR = {"attention", "cross_attention", "mlp", "norm_layer", "moe_experts", "moe_shared_experts"}
TOWER = re.compile(r"(^|[._])(vision|visual|audio|image|speech)")


def verdict(votes: Counter[str]) -> str | None:
    """What nearly all known types mean by a name; roles that say "not traced" do not vote against a traced one."""
    told = Counter({r: n for r, n in votes.items() if r not in ("other", "other_untraced", "layer_other")}) or votes
    role, n = told.most_common(1)[0]
    return role if n >= 0.9 * sum(told.values()) else None


def plausible(pattern: str, role: str | None) -> str | None:
    """A feed-forward role that the path contradicts is no knowledge."""
    shared, routed = "shared" in pattern, "expert" in pattern
    wrong = {"mlp": routed, "moe_experts": "shared_expert" in pattern, "moe_shared_experts": not shared}
    return None if role is None or wrong.get(role, False) else role


class Knowledge:
    """Tensor-name pattern -> role, learned from measured cases."""

    def __init__(self, corpus: Path | None, leave_out: str = "") -> None:
        self.exact: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
        self.tail: dict[str, Counter[str]] = defaultdict(Counter)
        for path in sorted(corpus.glob("*/expect.json")) if corpus else []:
            e = json.loads(path.read_text())
            if e["model_type"] == leave_out:
                continue
            seen: set[tuple[str, str]] = set()
            for name, role in e["roles"].items():
                pattern = fold(name)
                self.exact[e["model_type"]][pattern].add(role)
                if (pattern, role) not in seen:
                    seen.add((pattern, role))
                    for k in (4, 3, 2):
                        self.tail[".".join(pattern.split(".")[-k:])][role] += 1

    def role(self, model_type: str, name: str) -> str | None:
        pattern = fold(name)
        known = self.exact.get(model_type, {})
        for p in (pattern, swap_bias(pattern)):
            if p in known:
                return next(iter(known[p])) if len(known[p]) == 1 else None
        if TOWER.search(pattern):
            return "other_untraced"
        for k in (4, 3, 2):
            for p in (pattern, swap_bias(pattern)):
                votes = self.tail.get(".".join(p.split(".")[-k:]))
                if votes and (k > 2 or len(p.split(".")) <= 3 or "N" not in p):
                    return plausible(pattern, verdict(votes))
                if votes and (told := verdict(votes)) in CLEAR:
                    return plausible(pattern, told)
        return None


def swap_bias(pattern: str) -> str:
    head, _, last = pattern.rpartition(".")
    if last in ("bias", "weight"):
        return f"{head}.{'weight' if last == 'bias' else 'bias'}"
    return pattern.removesuffix("_bias")


def randomise(model: nn.Module) -> None:
    """Gives every parameter values of its own, so that a tensor on disk can be found again by value."""
    torch.manual_seed(7)
    with torch.no_grad():
        for p in model.parameters():
            if p.is_floating_point():
                p.copy_(torch.randn(p.shape) * 0.05 + (1 if p.dim() == 1 else 0))


def mark(t: torch.Tensor) -> tuple[Any, ...]:
    """What tells one tensor from another: its shape, a few of its values, their sum."""
    flat = t.detach().float().flatten()
    return (tuple(t.shape), *flat[:6].tolist(), float(flat.double().sum()))


def disk_names(model: nn.Module, disk: dict[str, torch.Tensor]) -> dict[str, str]:
    """Parameter name in memory -> name on disk, for tensors that are stored whole."""
    by_value = {mark(t): name for name, t in disk.items()}
    return {n: by_value[mark(p)] for n, p in model.named_parameters(remove_duplicate=False) if mark(p) in by_value}


def width(module: nn.Module, fallback: int) -> int:
    for p in module.parameters(recurse=False):
        if p.dim() == 1:
            return int(p.shape[0])
    return fallback


def call(module: nn.Module, x: torch.Tensor) -> torch.Tensor | None:
    try:
        y = module(x)
    except Exception:  # noqa: BLE001 - a norm with another signature is not probed
        return None
    return y if isinstance(y, torch.Tensor) and y.shape == x.shape else None


def probe_norm(module: nn.Module, n: int) -> Json | None:
    """type, eps and gain of one norm module, by numbers: y(s) for inputs of +-s."""
    m = module.float()
    params = dict(m.named_parameters(recurse=False))
    with torch.no_grad():
        for name, p in params.items():
            p.fill_(0.0 if "bias" in name else 0.7)
        sign = torch.tensor([1.0, -1.0]).repeat(n // 2 + 1)[:n].reshape(1, 1, n)
        if n % 2:
            return None
        far = call(m, sign * 1e4)
        shifted = call(m, sign * 10 + 20)
        plain = call(m, sign * 10)
        if far is None or shifted is None or plain is None or float(far.abs().min()) < 1e-6:
            return None
        kind = "layernorm" if torch.allclose(shifted, plain, atol=1e-3) else "rmsnorm"
        s = 1e-3
        eps = 0.0
        for _ in range(6):
            near = call(m, sign * s)
            if near is None:
                return None
            rho = float((near.abs().mean() / far.abs().mean()).double())
            if not 0 < rho < 1:
                s /= 30
                continue
            eps = s * s * (1 / rho**2 - 1)
            s = math.sqrt(eps)
        gain = "none"
        weight = [p for name, p in params.items() if "bias" not in name]
        if len(weight) > 1:
            return None
        if weight:
            weight[0].zero_()
            zero = call(m, sign * 10)
            top = math.inf if zero is None else float(zero.abs().max())
            gain = "w" if top < 1e-6 else "1+w" if abs(top - 1) < 1e-3 else "other"
        else:
            top = float(plain.abs().max())
            if abs(top - 1) > 1e-3:
                kind = "other"
    return {"type": kind, "eps": eps, "gain": gain}


def layer_of(name: str) -> str | None:
    """The path of the outermost numbered module that holds this one."""
    m = re.match(r"(.*?\.\d+)(\.|$)", name)
    return m.group(1) if m else None


def norms(model: nn.Module, roles: dict[str, str | None], hidden: int) -> dict[str, nn.Module]:
    """The block norms: as wide as the residual stream, inside a numbered layer, not q/k or mixer-inner norms."""
    out: dict[str, nn.Module] = {}
    for name, module in model.named_modules():
        own = [p for p, _ in module.named_parameters(recurse=False)]
        role = {roles.get(f"{name}.{p}") for p in own}
        free = not own and "norm" in type(module).__name__.lower() and layer_of(name) is not None
        if (role == {"norm_layer"} or free) and width(module, hidden) == hidden and not QK.search(name):
            out[name] = module
    return out


def ids(model: Any, length: int = 8) -> Json:
    torch.manual_seed(3)
    text = torch.randint(10, 90, (1, length))
    out: Json = {"input_ids": text}
    if getattr(model.config, "is_encoder_decoder", False):
        out["decoder_input_ids"] = text[:, :5] + 1
    return out


def first(x: Any) -> torch.Tensor | None:
    if isinstance(x, torch.Tensor):
        return x
    if isinstance(x, (tuple, list)) and x:
        return first(x[0])
    return None


def runs(model: nn.Module) -> str | None:
    """None when a forward pass on tokens works, else what went wrong."""
    try:
        with torch.no_grad():
            model(**ids(model))
    except Exception as e:  # noqa: BLE001 - any failure means "cannot be run on tokens"
        return f"{type(e).__name__}: {str(e)[:200]}"
    return None


def placement(model: nn.Module, block: dict[str, nn.Module], roles: dict[str, str | None]) -> str | None:
    """Where the block norms sit, from the tensors that go in and out of them in a forward pass."""
    layers: dict[str, set[str]] = defaultdict(set)
    for param, role in roles.items():
        at = layer_of(param)
        if at and role:
            layers[at].add(role)
    log: dict[str, list[tuple[str, torch.Tensor | None, torch.Tensor | None]]] = defaultdict(list)
    handles = []
    modules = dict(model.named_modules())
    for name, module in modules.items():
        at = layer_of(name)
        if at in layers:
            def hook(_m: Any, args: Any, kwargs: Any, out: Any, name: str = name, at: str = at or "") -> None:
                x = first(args) if args else first(list(kwargs.values()))
                x = first(kwargs["hidden_states"]) if x is None and "hidden_states" in kwargs else x
                if x is None or not x.is_floating_point():
                    floating = (v for v in kwargs.values() if isinstance(v, torch.Tensor) and v.is_floating_point())
                    x = next(floating, None)
                y = first(out)
                log[at].append((name, None if x is None else x.clone(), None if y is None else y.clone()))
            handles.append(module.register_forward_hook(hook, with_kwargs=True))
    wrong = runs(model)
    for h in handles:
        h.remove()
    if wrong:
        return None

    def same(a: torch.Tensor | None, b: torch.Tensor | None) -> bool:
        return a is not None and b is not None and a.numel() == b.numel() and torch.equal(a.flatten(), b.flatten())

    for name, module in modules.items():
        inner = [p for p, _ in module.named_parameters(recurse=False)]
        a_norm = "norm" in type(module).__name__.lower() and layer_of(name) in layers
        if a_norm and any(roles.get(f"{name}.{p}") is None for p in inner):
            return None  # an unknown norm may be part of the block
    found: set[str] = set()
    for at, rows in log.items():
        mine = [r for r in rows if r[0] in block]
        whole = [r for r in rows if r[0] == at]
        if not mine or not layers[at] & (MIXING | set(FFN_ROLES)):
            continue
        if len(whole) != 1 or len({r[0] for r in mine}) != len(mine):
            return None
        _, start, end = whole[0]
        if start is None or end is None:
            return None
        # A module with a block norm inside is no branch: it may add the residual itself (T5).
        others = [r[2] for r in rows if r[0] not in block and r[0] != at
                  and not any(n.startswith(f"{r[0]}.") for n in block)
                  and not isinstance(modules[r[0]], (nn.Dropout, nn.Identity))]
        outside = [r for r in mine if any(same(r[1], y) for y in others)]
        inside = [r for r in mine if r not in outside]
        if any(same(r[2], end) for r in mine):
            found.add("post")
        elif outside and any(same(r[2], end) for r in rows if r[0].rpartition(".")[0] == at and r[0] not in block):
            return None  # the sub-layer adds the residual itself, so its output is not a branch's
        elif outside:
            found.add("sandwich" if inside else "output")
        elif layers[at] & MIXING and layers[at] & set(FFN_ROLES) and all(same(r[1], start) for r in inside):
            found.add("parallel")
        else:
            found.add("pre")
    return next(iter(found)) if len(found) == 1 else None


def gated(disk: dict[str, Json], roles: dict[str, str | None], hidden: int) -> bool | None:
    """Three matrices of hidden x width (however fused) against two, per feed-forward block."""
    verdicts: set[bool] = set()
    groups: dict[tuple[str, str], list[list[int]]] = defaultdict(list)
    for name, t in disk.items():
        role = roles.get(name)
        if role in ("mlp", "moe_experts", "moe_shared_experts"):
            at = layer_of(name) or ""
            inner = re.search(r"experts?[._](\d+)", name)
            shape = t["shape"]
            if len(shape) == 3:
                shape = shape[1:]
            if len(shape) == 2:
                groups[at, f"{role}{inner.group(1) if inner else ''}"].append(shape)
    for shapes in groups.values():
        sides = {a if b == hidden else b if a == hidden else 0 for a, b in shapes}
        if 0 in sides or not sides:
            return None
        ratio = sum(a * b for a, b in shapes) / (hidden * min(sides))
        if ratio not in (2.0, 3.0):
            return None
        verdicts.add(ratio == 3.0)
    return next(iter(verdicts)) if len(verdicts) == 1 else None


def measure(model: Any, group: str, disk: dict[str, torch.Tensor], know: Knowledge, model_type: str) -> Json:
    """An expect.json; the model is changed by the probes, so this comes last."""
    text = getattr(model.config, "text_config", None) or model.config
    hidden = int(getattr(text, "hidden_size", 0) or getattr(text, "d_model", 0) or 0)
    table: dict[str, Json] = {n: {"shape": list(t.shape)} for n, t in disk.items()}
    on_disk = disk_names(model, disk)
    stored = set(on_disk.values())
    buffers = {mark(x) for _, x in model.named_buffers()}  # parameters are random, so these do not look like one
    roles: dict[str, str | None] = {}
    for n in table:
        roles[n] = know.role(model_type, n)
        if n not in stored and mark(disk[n]) in buffers:
            roles[n] = "buffer"
    memory = {m: roles[d] for m, d in on_disk.items()}
    total = sum(p.numel() for p in model.parameters())
    out: Json = {
        "model_type": model_type, "architecture": type(model).__name__, "group": group,
        "norm": dict.fromkeys(("type", "placement", "eps", "gain", "qk_norm")),
        "final_norm": {"expected": None, "tensors": [n for n, r in roles.items() if r == "norm_final"]},
        "ffn": {"gated": None, "activations": [], "bias": None, "params": {}},
        "attention_bias_tensors": [n for n, r in roles.items() if r in ("attention", "cross_attention")
                                   and n.endswith("bias")],
        "params_total": total, "roles": {n: r for n, r in roles.items() if r is not None},
    }
    if group == "image_text":
        out["roles"] = {}
        out["final_norm"]["tensors"] = []
        return out
    unknown = [n for n, r in roles.items() if r is None]
    ffn = {"dense": 0, "experts": 0, "shared_experts": 0, "router": 0}
    for n, r in roles.items():
        if r in FFN_ROLES:
            ffn[FFN_ROLES[r]] += math.prod(table[n]["shape"])
    if not unknown:
        out["ffn"]["params"] = ffn
        out["ffn"]["gated"] = gated(table, roles, hidden)
        out["ffn"]["bias"] = any(r in ("mlp", "moe_experts", "moe_shared_experts") and n.endswith("bias")
                                 for n, r in roles.items())
        out["norm"]["qk_norm"] = any(QK.search(n.rpartition(".")[0]) and layer_of(n) for n, r in roles.items()
                                     if r == "norm_layer")
        bare = any("norm" in type(m).__name__.lower() and not list(m.parameters()) and layer_of(n)
                   for n, m in model.named_modules())
        if bare and not out["norm"]["qk_norm"]:
            out["norm"]["qk_norm"] = None  # a norm without a weight may be one of these
    model.float()
    block = norms(model, memory, hidden)
    out["norm"]["placement"] = placement(model, block, memory)
    if out["norm"]["placement"] in ("pre", "sandwich", "parallel", "output") and out["final_norm"]["tensors"]:
        out["final_norm"]["expected"] = True
    elif out["norm"]["placement"] == "post" and not unknown and not out["final_norm"]["tensors"]:
        out["final_norm"]["expected"] = False
    probes = [probe_norm(m, hidden) for m in block.values()]
    if probes and all(probes):
        for key in ("type", "gain"):
            values = {p[key] for p in probes if p}
            out["norm"][key] = next(iter(values)) if len(values) == 1 and "other" not in values else None
        eps = [p["eps"] for p in probes if p]
        if out["norm"]["type"] and min(eps) > 0 and max(eps) / min(eps) < 1.002:
            out["norm"]["eps"] = float(f"{eps[0]:.4g}")
    return out
