"""The skeletons that ship inside the package: ``example:NAME``."""

from __future__ import annotations

import os
from typing import Final

from cfgexplain.checkpoint import Checkpoint, Target
from cfgexplain.errors import CfgexplainError
from cfgexplain.text import clean

#: Beside this package, as plain files: importlib.resources costs more than reading one does.
_FOLDER: Final = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "examples")
_SUFFIXES: Final = (".json", ".json.gz")


def list_examples() -> list[str]:
    """Names of the examples, sorted."""
    try:
        names = os.listdir(_FOLDER)
    except OSError:
        return []
    return sorted({n.removesuffix(".gz").removesuffix(".json") for n in names if n.endswith(_SUFFIXES)})


def load_example(name: str, shown_as: str, *, config_only: bool = False) -> Checkpoint:
    """Reads an example. An unknown name raises "not-found" and says which are near."""
    from cfgexplain.sources.files import read_file
    from cfgexplain.sources.skeleton import MAX_PACKED_BYTES, load_skeleton

    known = list_examples()
    if name not in known:
        from difflib import get_close_matches

        near = get_close_matches(name.lower(), known, n=3, cutoff=0.5)
        hint = f"Did you mean {' or '.join(near)}?" if near else "`cfgexplain examples` lists them."
        raise CfgexplainError("not-found", f"there is no example {clean(name, 100)!r}", hint)
    path = next(p for s in _SUFFIXES if os.path.exists(p := os.path.join(_FOLDER, name + s)))
    data = read_file(path, os.path.basename(path), MAX_PACKED_BYTES)
    return load_skeleton(data, os.path.basename(path), Target(shown_as, "example"), config_only=config_only)
