"""The hub's own words about a repo: its files, their sizes, and every header of a sharded model."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from cfgexplain.errors import CfgexplainError
from cfgexplain.sources.hub_errors import error_code, status_error

if TYPE_CHECKING:
    from cfgexplain.sources.http_body import Answer
    from cfgexplain.sources.transport import Transport

_MAX_LISTING: Final = 50_000_000
_MAX_HEADERS: Final = 256_000_000


def all_headers(transport: Transport, repo_id: str, index: str) -> Answer | None:
    """The answer with every header of the default branch. None where there is none; never an error."""
    url = f"{transport.endpoint}/api/models/{repo_id}/safetensors-metadata/{quote(index)}"
    try:
        answer = transport.get(url, cap=_MAX_HEADERS, tries=1)
    except CfgexplainError:
        return None
    if answer.status == 200:
        transport.lists_headers = True
        return answer
    if answer.status in (404, 405, 501) and not error_code(answer):
        transport.lists_headers = False  # no such route; a repo without an index is told by a code
    return None


def names(transport: Transport, repo_id: str, revision: str) -> list[str]:
    """All files of a repo. Raises what is wrong with repo or revision."""
    value = _ask(transport, repo_id, f"revision/{quote(revision, safe='')}", revision)
    siblings = value.get("siblings") if isinstance(value, dict) else None
    if not isinstance(siblings, list):
        raise _no_hub(transport, "its list of files has no siblings")
    files = [s.get("rfilename") for s in siblings if isinstance(s, dict)]
    return [f for f in files if isinstance(f, str)]


def sizes(transport: Transport, repo_id: str, revision: str, folder: str) -> dict[str, int]:
    """Bytes of the files in a folder ("" or with a slash at its end), as far as one answer tells. Never an error."""
    where = f"/{quote(folder[:-1])}" if folder else ""
    try:
        value = _ask(transport, repo_id, f"tree/{quote(revision, safe='')}{where}", revision)
    except CfgexplainError:
        return {}
    out: dict[str, int] = {}
    for entry in value if isinstance(value, list) else ():
        path, size = (entry.get("path"), entry.get("size")) if isinstance(entry, dict) else (None, None)
        if isinstance(path, str) and isinstance(size, int) and path.startswith(folder) and size >= 0:
            out[path[len(folder) :]] = size
    return out


def _ask(transport: Transport, repo_id: str, rest: str, revision: str) -> object:
    answer = transport.get(f"{transport.endpoint}/api/models/{repo_id}/{rest}", cap=_MAX_LISTING)
    if answer.status != 200:
        raise status_error(answer, transport, repo_id, revision)
    try:
        value: object = json.loads(answer.body)
    except (ValueError, RecursionError):
        raise _no_hub(transport, "its list of files is no JSON") from None
    return value


def _no_hub(transport: Transport, why: str) -> CfgexplainError:
    host = transport.origin[1]
    return CfgexplainError("network", f"{host} does not answer as a hub does: {why}", "Check HF_ENDPOINT.")
