"""Measures architectures of an installed reference library (transformers + torch; a development tool only).

    measure.py survey OUT [--corpus DIR]          one JSON file per model type: names, shapes, norms, defaults
    measure.py check OUT [--survey DIR] ...       perturbed cases: config.json, header.json, expect.json
    measure.py gauge OUT --corpus DIR [--blind]   how far these measurements agree with known cases

--corpus is a folder of known cases (config.json, header.json, expect.json each). They give small configs to start
from and teach what tensor names mean; a field that cannot be measured as the known case has it stays null.
"""

from __future__ import annotations

import argparse
import fnmatch
import inspect
import json
import os
import re
import signal
import sys
import traceback
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TRANSFORMERS_VERBOSITY", "critical")

import torch
from _measure import build as b
from _measure.facts import Knowledge, measure, randomise, runs
from _measure.perturb import perturb
from transformers.models.auto.configuration_auto import CONFIG_MAPPING
from transformers.utils.logging import disable_progress_bar

if TYPE_CHECKING:
    from collections.abc import Callable

    from _measure.shrink import Json


def in_child(job: Callable[[], None], timeout: int) -> str | None:
    """Runs a job in a fork, so that a crash or a hang costs one case. Returns what went wrong."""
    r, w = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(r)
        signal.alarm(timeout)
        text = ""
        try:
            job()
        except BaseException:  # noqa: BLE001 - the child's only way to say what happened
            text = traceback.format_exc()[-3000:]
        os.write(w, text.encode()[-3500:])
        os._exit(1 if text else 0)
    os.close(w)
    with os.fdopen(r) as f:
        text = f.read()
    _, status = os.waitpid(pid, 0)
    if text:
        return text
    return None if status == 0 else f"child ended with status {status}"


def corpus_case(corpus: Path | None, group: str, model_type: str) -> Path | None:
    if corpus is None:
        return None
    for name in (f"{group}--{model_type}", model_type):
        p = corpus / name / "expect.json"
        if p.exists() and json.loads(p.read_text())["group"] == group:
            return p.parent
    return None


def nested(config: Json, model_type: str) -> Json | None:
    """The part of a config that is of this type."""
    if config.get("model_type") == model_type:
        return config
    for v in config.values():
        if isinstance(v, dict) and (found := nested(v, model_type)) is not None:
            return found
    return None


def start_config(corpus: Path | None, group: str, model_type: str) -> tuple[Json, str | None, Path | None] | None:
    """A small config for this type from the known cases: its own case, or a case that has the type inside."""
    case = corpus_case(corpus, group, model_type)
    if case:
        want = json.loads((case / "expect.json").read_text())
        return json.loads((case / "config.json").read_text()), want["architecture"], case
    for path in sorted(corpus.glob("*/config.json")) if corpus else []:
        part = nested(json.loads(path.read_text()), model_type)
        if part is not None and len(part) > 5:
            return part, None, None
    return None


def norm_modules(model: Any) -> list[Json]:
    rows: dict[tuple[str, str], Json] = {}
    for name, module in model.named_modules():
        kind = type(module).__name__
        if "norm" not in kind.lower():
            continue
        eps = {k: v for k, v in vars(module).items() if "eps" in k and isinstance(v, (int, float))}
        folded = re.sub(r"\d+", "N", name)
        row = rows.setdefault((folded, kind), {"name": folded, "class": kind, "eps": eps, "params": {}, "count": 0})
        row["params"] = {k: list(p.shape) for k, p in module.named_parameters(recurse=False)}
        row["count"] += 1
    return list(rows.values())


def eps_keys(config: Json, at: str = "") -> Json:
    out: Json = {}
    for k, v in config.items():
        if isinstance(v, dict):
            out |= eps_keys(v, f"{at}{k}.")
        elif ("eps" in k or k in ("norm_epsilon",)) and isinstance(v, (int, float)):
            out[at + k] = v
    return out


def class_facts(cls: Any) -> Json:
    return {
        "class": cls.__name__,
        "attribute_map": dict(getattr(cls, "attribute_map", None) or {}),
        "base_config_key": getattr(cls, "base_config_key", ""),
        "sub_configs": {k: getattr(v, "__name__", str(v)) for k, v in (getattr(cls, "sub_configs", {}) or {}).items()},
        "source": Path(inspect.getfile(cls)).name,
    }


def survey_one(group: str, model_type: str, out: Path, corpus: Path | None) -> None:
    row: Json = {"group": group, "model_type": model_type, "config": class_facts(CONFIG_MAPPING[model_type])}
    start = start_config(corpus, group, model_type)
    case = start[2] if start else None
    try:
        row["config"]["defaults"] = b.default_config(model_type)
    except Exception as e:  # noqa: BLE001 - recorded
        row["config"]["defaults_error"] = repr(e)[:500]
    try:
        model = None
        if start:
            try:
                model = b.build(group, start[0], start[1])
                row["started_from"] = "case"
            except Exception as e:  # noqa: BLE001 - then from the defaults
                row["start_error"] = repr(e)[:500]
        if model is None:
            model, row["shrink_level"], row["shrink_errors"] = b.try_levels(group, row["config"]["defaults"])
        cls = type(model)
        row["model"] = {
            "class": cls.__name__,
            "base_model_prefix": cls.base_model_prefix,
            "tied_weights_keys": getattr(cls, "_tied_weights_keys", None),
            "keys_to_ignore_on_save": getattr(cls, "_keys_to_ignore_on_save", None),
            "source": "/".join(Path(inspect.getfile(cls)).parts[-3:]),
        }
        row["params_total"] = b.unique_total(model)
        row["memory"] = {n: list(p.shape) for n, p in model.named_parameters(remove_duplicate=False)}
        row["buffers"] = {n: list(p.shape) for n, p in model.named_buffers()}
        row["norms"] = norm_modules(model)
        row["small_config"], disk = b.save(model)
        row["disk"] = {n: t["shape"] for n, t in disk.items()}
        row["eps_keys"] = eps_keys(row["small_config"])
        if case:
            want = json.loads((case / "header.json").read_text())
            row["same_shapes_as_case"] = {k: v["shape"] for k, v in want.items()} == row["disk"]
    except Exception:  # noqa: BLE001 - recorded
        row["error"] = traceback.format_exc()[-2500:]
    (out / f"{group}--{model_type}.json").write_text(json.dumps(row, indent=1, default=str))


def done(path: Path) -> bool:
    return path.exists() and "error" not in json.loads(path.read_text())


def survey(a: argparse.Namespace) -> int:
    a.out.mkdir(parents=True, exist_ok=True)
    for group, model_type in b.pairs():
        name = f"{group}--{model_type}"
        if not fnmatch.fnmatch(name, a.only) or (a.resume and done(a.out / f"{name}.json")):
            continue
        wrong = in_child(lambda g=group, t=model_type: survey_one(g, t, a.out, a.corpus), a.timeout)  # type: ignore[misc]
        if wrong:
            (a.out / f"{name}.json").write_text(json.dumps({"group": group, "model_type": model_type, "error": wrong}))
        print(name, "ok" if done(a.out / f"{name}.json") else "FAILED", flush=True)
    return 0


def scored(expect: Json) -> Json:
    """The fields that are held against an answer, flat."""
    out = {f"norm.{k}": expect["norm"][k] for k in ("type", "placement", "eps", "gain", "qk_norm")}
    out["final_norm.expected"] = expect["final_norm"]["expected"]
    out["final_norm.tensors"] = sorted(expect["final_norm"]["tensors"])
    out["ffn.gated"] = expect["ffn"]["gated"]
    out["ffn.bias"] = expect["ffn"]["bias"]
    out["ffn.params"] = expect["ffn"]["params"]
    out["params_total"] = expect["params_total"]
    return out


def agree(a: object, b: object) -> bool:
    if isinstance(a, float) and isinstance(b, (int, float)):
        return abs(a - b) <= 4e-3 * abs(a)
    return a == b


def measured(group: str, config: Json, know: Knowledge, model_type: str, architecture: str | None = None,
             drop: tuple[str, ...] = ()) -> tuple[Json, dict[str, Json], Json]:
    """(config.json, tensor table, expect.json) of one config; dropped keys are absent from what is written."""
    model = b.build(group, config, architecture)
    randomise(model)
    saved, table, values = b.save_with_values(model)
    return {k: v for k, v in saved.items() if k not in drop}, table, measure(model, group, values, know, model_type)


def gauge_one(case: Path, corpus: Path, blind: bool, out: Path) -> None:
    want = json.loads((case / "expect.json").read_text())
    group = "causal_lm" if want["group"] == "variants" else want["group"]
    know = Knowledge(corpus, leave_out=want["model_type"] if blind else "")
    config = json.loads((case / "config.json").read_text())
    _, table, got = measured(group, config, know, want["model_type"], want["architecture"])
    bad = {}
    a, b_ = scored(want), scored(got)
    for k, v in a.items():
        if v is not None and not agree(v, b_[k]):
            bad[k] = [v, b_[k]]
    wrong = {n: [r, got["roles"].get(n)] for n, r in want["roles"].items() if got["roles"].get(n) not in (r, None)}
    (out / f"{case.name}.json").write_text(json.dumps({
        "header": table == json.loads((case / "header.json").read_text()), "bad": bad, "roles_wrong": wrong,
        "roles_none": sum(n not in got["roles"] for n in want["roles"]), "group": want["group"]}, default=str))


def gauge(a: argparse.Namespace) -> int:
    """Measures the measurer: known cases are measured again and compared (--blind: without their own type's names)."""
    a.out.mkdir(parents=True, exist_ok=True)
    for case in sorted(a.corpus.iterdir()):
        if fnmatch.fnmatch(case.name, a.only):
            wrong = in_child(lambda c=case: gauge_one(c, a.corpus, a.blind, a.out), a.timeout)  # type: ignore[misc]
            if wrong:
                (a.out / f"{case.name}.json").write_text(json.dumps({"error": wrong}))
    return 0


def blank(expect: Json, keep: set[str], guessed: bool) -> None:
    """Sets to null (or leaves out) every field that is not in `keep`; guessed roles go where nobody scores them."""
    if guessed:
        expect["roles_guessed"], expect["roles"] = expect["roles"], {}
    for k in list(expect["norm"]):
        if f"norm.{k}" not in keep:
            expect["norm"][k] = None
    if "final_norm.expected" not in keep:
        expect["final_norm"]["expected"] = None
    if "final_norm.tensors" not in keep:
        expect["final_norm"]["tensors"] = []
    for k in ("gated", "bias"):
        if f"ffn.{k}" not in keep:
            expect["ffn"]["gated"] = None
    if "ffn.params" not in keep:
        expect["ffn"]["params"] = {}


def write_case(folder: Path, config: Json, table: dict[str, Json], expect: Json, note: Json) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(config, indent=1))
    (folder / "header.json").write_text(json.dumps(table, indent=0))
    (folder / "expect.json").write_text(json.dumps(expect, indent=1))
    (folder / "note.json").write_text(json.dumps(note, indent=1, default=str))


SURE_BLIND = {"norm.type", "norm.eps", "norm.gain", "norm.qk_norm", "ffn.gated", "ffn.bias", "ffn.params",
              "norm.placement"}


def small_start(a: argparse.Namespace, group: str, model_type: str) -> tuple[Json, str | None, Path | None] | None:
    start = start_config(a.corpus, group, model_type)
    if start and start[2]:
        return start
    if a.survey:
        path = a.survey / f"{group}--{model_type}.json"
        row = json.loads(path.read_text()) if path.exists() else {}
        if "small_config" in row:
            return row["small_config"], row["model"]["class"], None
    return start


def base_case(start: tuple[Json, str | None, Path | None], group: str, model_type: str,
              know: Knowledge) -> tuple[set[str], bool | None, Json, dict[str, Json], Json]:
    """Fields whose measurement agrees with the known case, and whether the unchanged model runs on tokens."""
    config, architecture, case = start
    saved, table, got = measured(group, config, know, model_type, architecture)
    if case is None:
        return set(SURE_BLIND), None, saved, table, got
    want, mine = scored(json.loads((case / "expect.json").read_text())), scored(got)
    keep = {k for k, v in want.items() if v is not None and agree(v, mine[k])}
    return keep, None, saved, table, got


def check_one(a: argparse.Namespace, group: str, model_type: str) -> None:
    start = small_start(a, group, model_type)
    if start is None:
        raise RuntimeError("no small config to start from: run survey first")
    know = Knowledge(a.corpus)
    name = model_type if group == "causal_lm" else f"{group}--{model_type}"
    keep, _, saved, table, got = base_case(start, group, model_type, know)
    if start[2] is None and a.heldout:
        blank(got, keep, guessed=True)
        write_case(a.heldout / name, saved, table, got, {"from": "shrunk defaults"})
    works = runs(b.build(group, start[0], start[1]).float()) is None
    made, tried, errors = 0, 0, []
    while made < a.n and tried < 7 * a.n:
        effort = tried // a.n
        change = perturb(start[0], seed=zlib.crc32(name.encode()) % 10_000 + made + 10 * tried + a.seed, effort=effort)
        tried += 1
        try:
            model = b.build(group, change.config, start[1])
            if works and (wrong := runs(model.float())):
                raise RuntimeError(f"builds, does not run: {wrong}")
            saved, table, got = measured(group, change.config, know, model_type, start[1], change.dropped)
        except Exception as e:  # noqa: BLE001 - an impossible combination; the next is tried
            errors.append(f"effort {effort}: {type(e).__name__}: {str(e)[:200]}")
            continue
        if "params_total" in keep or start[2] is None:
            blank(got, keep, guessed=start[2] is None)
            write_case(a.out / f"{name}~{made}", saved, table, got,
                       {"effort": effort, "dropped": change.dropped, "ran": works, "refused": errors})
            made += 1
        else:
            raise RuntimeError("the total differs from the known case")
    if not made:
        raise RuntimeError(" | ".join(errors[-3:]))


def check(a: argparse.Namespace) -> int:
    a.out.mkdir(parents=True, exist_ok=True)
    failed: Json = {}
    for group, model_type in b.pairs():
        name = f"{group}--{model_type}"
        folder = a.out / f"{model_type if group == 'causal_lm' else name}~0"
        if not fnmatch.fnmatch(name, a.only) or (a.resume and folder.exists()):
            continue
        wrong = in_child(lambda g=group, t=model_type: check_one(a, g, t), a.timeout)  # type: ignore[misc]
        if wrong:
            failed[name] = wrong[-600:]
        print(name, "FAILED" if wrong else "ok", flush=True)
    (a.out / "failed.json").write_text(json.dumps(failed, indent=1))
    return 0


def main() -> int:
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    sub = p.add_subparsers(dest="what", required=True)
    s = sub.add_parser("survey", help="one JSON file of measurements per model type")
    s.add_argument("out", type=Path)
    s.set_defaults(run=survey)
    g = sub.add_parser("gauge", help="measure known cases again and compare")
    g.add_argument("out", type=Path)
    g.add_argument("--blind", action="store_true", help="leave the case's own type out of what names mean")
    g.set_defaults(run=gauge)
    c = sub.add_parser("check", help="perturbed cases in the shape of the known ones")
    c.add_argument("out", type=Path)
    c.add_argument("--heldout", type=Path, help="also write unperturbed cases of types that --corpus lacks")
    c.add_argument("--survey", type=Path, help="what `survey` wrote: small configs to start from")
    c.add_argument("--n", type=int, default=2)
    c.add_argument("--seed", type=int, default=0)
    c.set_defaults(run=check)
    for q in (s, g, c):
        q.add_argument("--corpus", type=Path, help="folder of cases whose config.json to start from")
        q.add_argument("--only", default="*", help="glob on GROUP--TYPE")
        q.add_argument("--timeout", type=int, default=120, help="seconds for one case")
        q.add_argument("--resume", action="store_true", help="leave what is there")
    a = p.parse_args()
    torch.set_num_threads(1)
    disable_progress_bar()
    return int(a.run(a))


if __name__ == "__main__":
    sys.exit(main())
