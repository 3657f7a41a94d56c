"""A repo on the hub to a Checkpoint: config, index and headers, never weights.

At once: the config, the index and the start of ``model.safetensors``; then every shard's header at once. What is in
the repo is asked for only where one of these is not there.
"""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from cfgexplain.checkpoint import Checkpoint, ConfigFile, Index, Note, Problem, Target
from cfgexplain.errors import CfgexplainError
from cfgexplain.header import LENGTH_BYTES, LfsPointer, parse_header, parse_length
from cfgexplain.sources.assemble import Gathered, assemble
from cfgexplain.sources.configs import read_config, refuse_by_name
from cfgexplain.sources.files import MAX_CONFIG_BYTES, WeightRead
from cfgexplain.sources.hub_errors import is_missing_file, status_error
from cfgexplain.sources.index import MAX_INDEX_BYTES, parse_index
from cfgexplain.sources.layout import CONFIG_NAMES, Layout, choose, config_error, weights_error
from cfgexplain.sources.transport import Answer, Transport
from cfgexplain.text import clean

if TYPE_CHECKING:
    from collections.abc import Iterable

    from cfgexplain.sources.options import Options
    from cfgexplain.sources.spec import Spec

_FIRST_RANGE: Final = 65_536
_MAX_LISTING: Final = 50_000_000
_SINGLE: Final = "model.safetensors"
_INDEX: Final = "model.safetensors.index.json"


def load_hub(spec: Spec, options: Options, transport: Transport | None = None) -> Checkpoint:
    """Reads a repo, or with ``offline`` (or HF_HUB_OFFLINE) what the hub library's cache has of it.

    Raises CfgexplainError: "not-found", "gated", "unauthorized", "revision-not-found", "no-config", "no-weights",
    "unsupported", "rate-limited", "network", and whatever its files are worth.
    """
    if spec.file is not None:
        refuse_by_name(spec.file)
    if options.offline or _library_is_offline():
        from cfgexplain.sources.hub_cache import load_cached

        return load_cached(spec, options)
    repo = _Repo(spec, transport or Transport(options.token, options.timeout))
    with ThreadPoolExecutor(max(1, options.jobs)) as pool:
        return _load(repo, spec, options, pool)


def _library_is_offline() -> bool:
    import os

    words = (os.environ.get("HF_HUB_OFFLINE") or os.environ.get("TRANSFORMERS_OFFLINE") or "").upper()
    return words in ("1", "ON", "YES", "TRUE")


class _Repo:
    """One repo at one revision, which the first answer pins to a commit."""

    def __init__(self, spec: Spec, transport: Transport) -> None:
        self.id = spec.repo_id or ""
        self.asked = spec.revision
        self.folder = f"{spec.subfolder}/" if spec.subfolder else ""
        self.where = self.id if spec.subfolder is None else f"{self.id}/{spec.subfolder}"
        self.commit: str | None = None
        self._transport = transport

    def fetch(self, name: str, cap: int, span: tuple[int, int] | None = None) -> Answer | None:
        """A file of the folder, or None where it is not there."""
        from huggingface_hub import hf_hub_url

        url = hf_hub_url(self.id, self.folder + name, revision=self.commit or self.asked)
        answer = self._transport.get(url, span=span, cap=cap)
        if answer.status in (200, 206) or (answer.status == 416 and span is not None):
            return answer
        if is_missing_file(answer):
            return None
        raise status_error(answer, self._transport, self.id, self.asked)

    def pin(self, answer: Answer) -> None:
        commit = answer.first.get("x-repo-commit", "")
        if self.commit is None and len(commit) == 40 and all(c in "0123456789abcdef" for c in commit):
            self.commit = commit

    def is_of(self, answer: Answer) -> bool:
        """Whether an answer comes from the pinned commit. Mirrors do not say."""
        return self.commit is None or answer.first.get("x-repo-commit", self.commit) == self.commit

    def names(self) -> frozenset[str]:
        """All files below the folder. Raises what is wrong with repo or revision."""
        revision = quote(self.commit or self.asked or "main", safe="")
        url = f"{self._transport.endpoint}/api/models/{self.id}/revision/{revision}"
        answer = self._transport.get(url, cap=_MAX_LISTING)
        if answer.status != 200:
            raise status_error(answer, self._transport, self.id, self.asked)
        try:
            value: object = json.loads(answer.body)
        except (ValueError, RecursionError):
            raise _no_hub(self._transport, "its list of files is no JSON") from None
        siblings = value.get("siblings") if isinstance(value, dict) else None
        if not isinstance(siblings, list):
            raise _no_hub(self._transport, "its list of files has no siblings")
        files = [s.get("rfilename") for s in siblings if isinstance(s, dict)]
        return frozenset(
            f[len(self.folder) :] for f in files if isinstance(f, str) and f.startswith(self.folder)
        )  # fmt: skip

    def header(self, name: str, first: int) -> WeightRead | None:
        """The header of a weight file, or None where the file is not there."""
        answer = self.fetch(name, 0, (0, first - 1))
        return None if answer is None else self.read_header(name, answer)

    def read_header(self, name: str, answer: Answer) -> WeightRead:
        """Parses a header whose start has come, and fetches the rest where there is one."""
        body = b"" if answer.status == 416 else answer.body
        size = 0 if answer.status == 416 else answer.size
        try:
            length = parse_length(body, size, name)
        except LfsPointer as pointer:
            return WeightRead(name, size, None, pointer.size)
        end = LENGTH_BYTES + length
        if len(body) < end:
            rest = self.fetch(name, 0, (len(body), end - 1))
            body += b"" if rest is None or rest.status == 416 else rest.body
        if len(body) < end:
            raise CfgexplainError("network", f"the header of {clean(name)} came incomplete", "Try again.")
        return WeightRead(name, size, parse_header(body[LENGTH_BYTES:end], name, size))


def _no_hub(transport: Transport, why: str) -> CfgexplainError:
    return CfgexplainError(
        "network", f"{transport.origin[1]} does not answer as a hub does: {why}", "Check HF_ENDPOINT."
    )


def _load(repo: _Repo, spec: Spec, options: Options, pool: ThreadPoolExecutor) -> Checkpoint:
    wanted_index = None if options.config_only else pool.submit(repo.fetch, _INDEX, MAX_INDEX_BYTES)
    wanted_start = None if options.config_only else pool.submit(repo.fetch, _SINGLE, 0, (0, _FIRST_RANGE - 1))
    answer = repo.fetch(CONFIG_NAMES[0], MAX_CONFIG_BYTES)
    index_answer = wanted_index.result() if wanted_index is not None else None
    start = wanted_start.result() if wanted_start is not None else None
    for one in (answer, index_answer, start):
        if one is not None:
            repo.pin(one)
    # The three were asked by branch, and somebody may have pushed between them.
    if answer is not None and not repo.is_of(answer):
        answer = repo.fetch(CONFIG_NAMES[0], MAX_CONFIG_BYTES)
    if index_answer is not None and not repo.is_of(index_answer):
        index_answer = repo.fetch(_INDEX, MAX_INDEX_BYTES)
    if start is not None and not repo.is_of(start):
        start = repo.fetch(_SINGLE, 0, (0, _FIRST_RANGE - 1))
    names: frozenset[str] | None = None
    config_name = CONFIG_NAMES[0]
    if answer is None:
        names = repo.names()
        answer = repo.fetch(CONFIG_NAMES[1], MAX_CONFIG_BYTES) if CONFIG_NAMES[1] in names else None
        config_name = CONFIG_NAMES[1]
        if answer is None:
            raise config_error(names, repo.where, _base_model(repo, names), on_disk=False)
        repo.pin(answer)
    config, problems = _config(repo, answer, config_name)
    target = Target(spec.input, "hub", repo.id, spec.revision, repo.commit)
    if options.config_only:
        return Checkpoint(target, config, problems=tuple(problems))
    notes: list[Note] = []
    if index_answer is not None or start is not None:
        single = (_SINGLE,) if start is not None else ()
        if index_answer is not None:
            layout = Layout(config_name, index_file=_INDEX, others=single)
        else:
            layout = Layout(config_name, weights=single)
    else:
        names = repo.names() if names is None else names
        layout = choose(names, spec.file)
        if not layout.has_weights:
            raise weights_error(names, repo.where, required=True) or AssertionError
        if layout.variant is not None:
            notes.append(Note("variant", {"variant": layout.variant}))
    if layout.index_file is not None and index_answer is None:
        index_answer = repo.fetch(layout.index_file, MAX_INDEX_BYTES)
    index, reads, missing = _headers(repo, layout, index_answer, start, problems, notes, pool)
    if missing and names is None:
        names = repo.names()
        layout = layout._replace(others=choose(names, layout.index_file).others)
    return assemble(Gathered(target, config, layout, index, reads, missing, names or (), False, problems, notes))


def _config(repo: _Repo, answer: Answer, name: str) -> tuple[ConfigFile, list[Problem]]:
    if answer.body.lstrip()[:1] == b"<":
        message = f"a web page came in place of {name} of {repo.where}"
        raise CfgexplainError("network", message, "Is there a log-in page or a proxy in between? check HF_ENDPOINT.")
    return read_config(answer.body, name)


def _headers(
    repo: _Repo,
    layout: Layout,
    index_answer: Answer | None,
    start: Answer | None,
    problems: list[Problem],
    notes: list[Note],
    pool: ThreadPoolExecutor,
) -> tuple[Index | None, list[WeightRead], list[str]]:
    """Fetches every header of a layout at once. Appends what is wrong with its index to ``problems``."""
    index: Index | None = None
    wanted = dict.fromkeys(layout.weights, _FIRST_RANGE)
    if layout.index_file is not None and index_answer is not None:
        index, faults = parse_index(index_answer.body, layout.index_file)
        problems += faults
        if index.total_size is None:
            notes.append(Note("index-no-total-size", {"file": index.file}))
        wanted = _first_ranges(index)
    if start is not None and _SINGLE in wanted:
        del wanted[_SINGLE]
        reads = [repo.read_header(_SINGLE, start)]
    else:
        reads = []
    missing: list[str] = list(layout.absent)
    futures = {name: pool.submit(repo.header, name, first) for name, first in sorted(wanted.items())}
    try:
        for name, future in futures.items():
            read = future.result()
            if read is None:
                missing.append(name)
            else:
                reads.append(read)
    finally:
        for future in futures.values():
            future.cancel()
    return index, reads, missing


def _first_ranges(index: Index) -> dict[str, int]:
    """Bytes to ask for first of each shard, so that one read holds its header: about 96 beside each name."""
    out: dict[str, int] = {}
    for name, shard in index.weight_map.items():
        out[shard] = out.get(shard, 1024) + len(name.encode("utf-8", "surrogatepass")) + 96
    return {shard: min(size, 100_000_008) for shard, size in out.items()}


def _base_model(repo: _Repo, names: Iterable[str]) -> str | None:
    """What an adapter says that it adapts, for the hint."""
    if "adapter_config.json" not in names:
        return None
    answer = repo.fetch("adapter_config.json", MAX_CONFIG_BYTES)
    try:
        value: object = json.loads(answer.body) if answer is not None else None
    except (ValueError, RecursionError):
        return None
    base = value.get("base_model_name_or_path") if isinstance(value, dict) else None
    return clean(base, 200) if isinstance(base, str) and base else None
