"""How many faults are seen, by the right name and at the right place: a table by mutation and by family.

    python benchmarks/mutations.py [--only GLOB] [-v] [--min PCT]

Each sound checkpoint of the corpus is damaged in each way it can be (tests/mutations.py). A fault counts as caught
when a finding of the right name points at it, and at most one finding of another name comes with it; notes that the
sound checkpoint has too do not count.
"""

from __future__ import annotations

import argparse
import collections
import fnmatch
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from cfgexplain.inspect import Wanted, inspect
from corpus import cases, checkpoint
from mutations import Mutation, mutations

#: (case, mutation) that the reference implementation would load to the same model, or that is no fault, and why.
_SHARED = "the layers share one set of tensors: their number cannot be seen"
_LISTED = "the library goes by a list of layers (or another key) in the same config: the same model"
SAME_MODEL: dict[tuple[str, str], str] = {
    ("deepseek_v4", "kv heads changed"): "its latent attention reads no such key",
    **{("masked_lm--albert", m): _SHARED for m in ("layers +1", "layers -1")},
    **{(c, m): _LISTED for c in ("reformer", "reformer-masked", "xlstm", "zamba2") for m in ("layers +1", "layers -1")},
    **{
        (c, "bias on the head"): "the library has this bias in its newer releases"
        for c in ("reformer", "reformer-masked")
    },
    **{
        ("mpt-bias", m): "no_bias is false: the published code has these biases"
        for m in ("bias on q", "bias on down", "bias on a norm")
    },
    **{
        (c, "vocab +1"): "the library reads the nested configs' vocab_size"
        for c in ("image_text--t5gemma2", "seq2seq--t5gemma2")
    },
}


def caught(m: Mutation, before: set[str]) -> tuple[bool, str]:
    """Whether the fault was seen, and what was said."""
    r = inspect(checkpoint(m.config, m.header), Wanted(explanations=False))
    findings = r["findings"] or []
    right = [f for f in findings if f["name"] in m.wanted]
    others = {f["name"] for f in findings} - set(m.wanted) - before
    if not right:
        return False, f"silent: {sorted({f['name'] for f in findings} - before)}"
    if len(others) > 1:
        return False, f"also {sorted(others)}"
    place = "/" + m.place.replace(".", "/")
    if m.place and not any(f["pointer"] == place or any(_points(t, m.place) for t in f["tensors"]) for f in right):
        return False, f"elsewhere: {[(f['pointer'], f['tensors'][:2]) for f in right]}"
    return True, ""


def _points(pattern: str, name: str) -> bool:
    from cfgexplain.fold import unfold

    return any(n == name or n.startswith(name) for n in unfold(pattern, 10_000))


def measure(only: str = "*") -> tuple[dict[str, collections.Counter[bool]], list[str], int]:
    """(mutation → caught or not, what was missed, sound checkpoints with an alarm)."""
    table: dict[str, collections.Counter[bool]] = collections.defaultdict(collections.Counter)
    missed: list[str] = []
    alarms = 0
    for name, row in cases().items():
        if not fnmatch.fnmatch(name, only):
            continue
        config: dict[str, Any] = row["config"]
        r = inspect(checkpoint(config, row["header"]), Wanted(tensors=True, explanations=False))
        if r["model"] is None or not r["model"]["family_known"]:
            missed.append(f"{name}: no table")
            continue
        before = {f["name"] for f in r["findings"] or []}
        alarms += any(f["severity"] != "note" for f in r["findings"] or [])
        for m in mutations(config, row["header"], r):
            if (name, m.name) in SAME_MODEL:
                continue
            ok, why = caught(m, before)
            table[m.name][ok] += 1
            if not ok:
                missed.append(f"{m.name:22} {name:36} {why}")
    return table, missed, alarms


def main() -> int:
    """Prints the table; 1 below --min."""
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--only", default="*")
    p.add_argument("--min", type=float, default=99.5)
    p.add_argument("-v", "--verbose", action="store_true")
    a = p.parse_args()
    table, missed, alarms = measure(a.only)
    total: collections.Counter[bool] = collections.Counter()
    print(f"{'mutation':24}{'caught':>8}{'missed':>8}{'%':>8}")
    for name, c in table.items():
        total += c
        print(f"{name:24}{c[True]:8}{c[False]:8}{100 * c[True] / sum(c.values()):8.1f}")
    share = 100 * total[True] / max(1, sum(total.values()))
    print(f"{'all':24}{total[True]:8}{total[False]:8}{share:8.2f}\n{alarms} alarms on sound checkpoints")
    if a.verbose:
        print("\n".join(missed))
    return 0 if share >= a.min and not alarms else 1


if __name__ == "__main__":
    sys.exit(main())
