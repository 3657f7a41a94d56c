"""What the hub library's cache has of a repo, without a server."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from cfgexplain.checkpoint import Checkpoint, Target
from cfgexplain.errors import CfgexplainError
from cfgexplain.sources.local import load_folder

if TYPE_CHECKING:
    from cfgexplain.sources.options import Options
    from cfgexplain.sources.spec import Spec

#: Any of these, found in the cache, tells where the snapshot is.
_SOUGHT = ("config.json", "params.json", "model.safetensors.index.json", "model.safetensors", "adapter_config.json")


def load_cached(spec: Spec, options: Options) -> Checkpoint:
    """Reads the cached snapshot of a revision. Files that are not in it were not downloaded, which is no fault."""
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
    from huggingface_hub import try_to_load_from_cache

    repo_id, revision = spec.repo_id or "", spec.revision or "main"
    if (
        not any(part in ("", ".", "..") for part in revision.split("/"))
        and "\\" not in revision
        and "\0" not in revision
    ):
        for name in _SOUGHT:
            wanted = f"{spec.subfolder}/{name}" if spec.subfolder else name
            try:
                found = try_to_load_from_cache(repo_id, wanted, revision=revision)
            except (OSError, ValueError):
                continue
            if isinstance(found, str):
                folder = os.path.dirname(found)
                target = Target(spec.input, "hub", repo_id, spec.revision, _commit(folder))
                return load_folder(folder, options, target, prefer=spec.file, cached=True)
    what = repo_id if spec.subfolder is None else f"{repo_id}/{spec.subfolder}"
    at = f" at {spec.revision}" if spec.revision else ""
    raise CfgexplainError(
        "not-found", f"{what}{at} is not in the local cache", "Go online, or fetch it first with: hf download."
    )  # fmt: skip


def _commit(folder: str) -> str | None:
    parts = folder.split(os.sep)
    for i in range(len(parts) - 2, 0, -1):
        if parts[i] == "snapshots" and parts[i - 1].startswith("models--"):
            return parts[i + 1]
    return None
