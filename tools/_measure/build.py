"""Builds reference models from configs and reads what the library writes to disk."""

from __future__ import annotations

import contextlib
import copy
import json
import struct
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
import transformers
from safetensors.torch import load_file
from transformers.models.auto import modeling_auto as auto
from transformers.models.auto.configuration_auto import CONFIG_MAPPING

from .shrink import Json, shrink

if TYPE_CHECKING:
    from collections.abc import Iterator

GROUPS = {
    "causal_lm": auto.MODEL_FOR_CAUSAL_LM_MAPPING,
    "masked_lm": auto.MODEL_FOR_MASKED_LM_MAPPING,
    "seq2seq": auto.MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING,
    "image_text": auto.MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING,
}
NAMES = {
    "causal_lm": auto.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES,
    "masked_lm": auto.MODEL_FOR_MASKED_LM_MAPPING_NAMES,
    "seq2seq": auto.MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES,
    "image_text": auto.MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES,
}
BIG = 450_000_000


class TooBig(Exception):
    """The config was not shrunk enough to build with real memory."""


def pairs() -> Iterator[tuple[str, str]]:
    for group, names in NAMES.items():
        for model_type in names:
            yield group, model_type


def default_config(model_type: str) -> Json:
    """The library's defaults; nested configs left out by default are filled with theirs."""
    cls: Any = CONFIG_MAPPING[model_type]
    try:
        out: Json = json.loads(json.dumps(cls().to_dict(), default=str))
    except Exception:  # noqa: BLE001 - a composite class may demand its parts
        out = {"model_type": model_type}
    for key, sub in (getattr(cls, "sub_configs", None) or {}).items():
        if out.get(key) is None and getattr(sub, "model_type", None):
            with contextlib.suppress(Exception):  # a class may refuse its own defaults; then its parent decides
                out[key] = json.loads(json.dumps(sub().to_dict(), default=str))
    return out


def floats(value: Any) -> Any:
    """Undoes the library's own way of writing infinities, {"__float__": "Infinity"}."""
    if isinstance(value, dict):
        if list(value) == ["__float__"]:
            return float(value["__float__"])
        return {k: floats(v) for k, v in value.items()}
    return [floats(v) for v in value] if isinstance(value, list) else value


def make_config(config: Json) -> Any:
    cls: Any = CONFIG_MAPPING[config["model_type"]]
    return cls.from_dict({k: floats(v) for k, v in config.items() if k not in ("transformers_version",)})


def model_class(group: str, config: Any, architecture: str | None = None) -> Any:
    if architecture and hasattr(transformers, architecture):
        return getattr(transformers, architecture)
    cls = GROUPS[group][type(config)]
    return cls[0] if isinstance(cls, (tuple, list)) else cls


def config_for(cls: Any, config: Any) -> Any:
    """The part of a composite config that the class reads (a text-only class reads the text config)."""
    want = getattr(cls, "config_class", None)
    if want is None or isinstance(config, want):
        return config
    text = config.get_text_config()
    return text if isinstance(text, want) else config


def meta_total(cls: Any, config: Any) -> int:
    with torch.device("meta"):
        model = cls(copy.deepcopy(config))
    return sum(p.numel() for p in model.parameters())


def build(group: str, config: Json, architecture: str | None = None) -> Any:
    """The model with random weights in bfloat16, as `from_config` makes it."""
    cfg = make_config(config)
    cls = model_class(group, cfg, architecture)
    cfg = config_for(cls, cfg)
    try:
        total = meta_total(cls, cfg)
    except TooBig:
        raise
    except Exception:  # noqa: BLE001 - some models cannot be made on the meta device; real memory decides then
        total = 0
    if total > BIG:
        raise TooBig(f"{total:,} parameters")
    torch.manual_seed(0)
    return cls._from_config(cfg, dtype=torch.bfloat16).eval()


def read_headers(folder: Path) -> dict[str, Json]:
    out: dict[str, Json] = {}
    for path in sorted(folder.glob("*.safetensors")):
        with path.open("rb") as f:
            (n,) = struct.unpack("<Q", f.read(8))
            head = json.loads(f.read(n))
        head.pop("__metadata__", None)
        out |= {k: {"dtype": v["dtype"], "shape": v["shape"]} for k, v in head.items()}
    return dict(sorted(out.items()))


def save(model: Any) -> tuple[Json, dict[str, Json]]:
    """(config.json, tensor table) as `save_pretrained` writes them."""
    config, table, _ = save_with_values(model)
    return config, table


def save_with_values(model: Any) -> tuple[Json, dict[str, Json], dict[str, torch.Tensor]]:
    """As `save`, with the tensors themselves."""
    with tempfile.TemporaryDirectory() as tmp:
        model.save_pretrained(tmp)
        values: dict[str, torch.Tensor] = {}
        for path in sorted(Path(tmp).glob("*.safetensors")):
            values |= {k: v.clone() for k, v in load_file(path).items()}
        return json.loads((Path(tmp) / "config.json").read_text()), read_headers(Path(tmp)), values


def unique_total(model: Any) -> int:
    return sum(p.numel() for p in model.parameters())


def try_levels(group: str, start: Json, architecture: str | None = None) -> tuple[Any, int, list[str]]:
    """The first shrink level that builds, and what stopped the earlier ones."""
    errors: list[str] = []
    for level in range(4):
        try:
            return build(group, shrink(start, level), architecture), level, errors
        except Exception as e:  # noqa: BLE001 - the reference library raises anything; each failure is recorded
            errors.append(f"level {level}: {type(e).__name__}: {str(e)[:300]}")
    raise RuntimeError(" | ".join(errors))


__all__ = ["build", "default_config", "make_config", "model_class", "pairs", "read_headers", "save",
           "try_levels", "unique_total"]
