"""A repo on the hub to a Checkpoint: config, index and headers, never weights.

At once: the config, the index, the start of ``model.safetensors``, and on the default branch the hub's answer with
all headers; then every shard's header at once. What is in the repo is asked for only where one of these is not there.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Final

from cfgexplain.checkpoint import Checkpoint, ConfigFile, Index, Note, Problem, Target
from cfgexplain.errors import CfgexplainError, HeaderError
from cfgexplain.header import parse_header
from cfgexplain.sources.all_headers import agrees, split_headers
from cfgexplain.sources.assemble import Gathered, assemble
from cfgexplain.sources.configs import LFS_MAGIC, read_config, read_extra, refuse_by_name
from cfgexplain.sources.files import MAX_CONFIG_BYTES, WeightRead
from cfgexplain.sources.hub_repo import HubRepo, listed
from cfgexplain.sources.index import MAX_INDEX_BYTES, parse_index
from cfgexplain.sources.layout import CONFIG_NAMES, EXTRA_NAMES, Layout, choose, config_error, weights_error
from cfgexplain.sources.transport import Transport
from cfgexplain.text import clean

if TYPE_CHECKING:
    from collections.abc import Iterable
    from concurrent.futures import Future

    from cfgexplain.sources.http_body import Answer
    from cfgexplain.sources.options import Options
    from cfgexplain.sources.spec import Spec

#: Nothing tells the length of a lone file's header beforehand. Most are shorter.
_FIRST_RANGE: Final = 65_536
_SINGLE: Final = "model.safetensors"
_INDEX: Final = "model.safetensors.index.json"
#: Files of one model that are asked for, whatever its index says.
_MAX_SHARDS: Final = 4096
#: Seconds that the answer with all headers may take longer than the index.
_HEADERS_WAIT: Final = 2.0


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
    repo = HubRepo(spec, options, transport or Transport(options.token, options.timeout, jobs=options.jobs))
    try:
        checkpoint = _Loading(repo, spec, options).load()
        repo.remember()
        return checkpoint
    finally:
        repo.close()


def _library_is_offline() -> bool:
    words = (os.environ.get("HF_HUB_OFFLINE") or os.environ.get("TRANSFORMERS_OFFLINE") or "").upper()
    return words in ("1", "ON", "YES", "TRUE")


class _Loading:
    """One model on its way from requests to a Checkpoint."""

    def __init__(self, repo: HubRepo, spec: Spec, options: Options) -> None:
        self.repo = repo
        self.spec = spec
        self.options = options
        self.problems: list[Problem] = []
        self.notes: list[Note] = []
        self.names: frozenset[str] | None = None
        self._all: Future[Answer | None] | None = None
        self._index: Future[bytes | None] | None = None
        self._start: Future[WeightRead | None] | None = None

    def load(self) -> Checkpoint:
        repo = self.repo
        repo.recall()
        wanted = repo.submit(repo.whole, CONFIG_NAMES[0], MAX_CONFIG_BYTES)
        if not self.options.config_only:
            if not repo.has(CONFIG_NAMES[0]) and repo.is_known():
                repo.wait(wanted)  # it tells the commit, and with that the cache may tell the rest
                repo.recall()
            self._index = repo.submit(repo.whole, _INDEX, MAX_INDEX_BYTES)
            self._start = repo.submit(repo.header, _SINGLE, _FIRST_RANGE)
            if repo.transport.lists_headers is None and self._may_list():
                self._all = repo.submit(repo.all_headers, _INDEX)
        config = self._config(repo.wait(wanted))
        if self._index is None or self._start is None:
            return Checkpoint(self._target(), config, problems=tuple(self.problems))
        body = repo.wait(self._index)
        if body is not None:
            index, reads, missing = self._indexed(_INDEX, body)
            layout = Layout(config.name, index_file=_INDEX, others=(_SINGLE,) if self._single_is_there() else ())
        elif (single := repo.wait(self._start)) is not None:
            layout, index, reads, missing = Layout(config.name, weights=(_SINGLE,)), None, [single], []
        else:
            layout, index, reads, missing = self._chosen(config.name)
        if missing and self.names is None:
            self.names = repo.names()
            layout = layout._replace(others=choose(self.names, layout.index_file).others)
        names, extra = self.names or (), self._extras(config, reads)
        return assemble(
            Gathered(
                self._target(), config, layout, index, reads, missing, names, False, self.problems, self.notes, extra
            )
        )

    def _extras(self, config: ConfigFile, reads: Iterable[WeightRead]) -> dict[str, object]:
        """The files in which some quantizers declare themselves, where the tensors need one and the config has none."""
        from cfgexplain.packing import LOW
        from cfgexplain.packing.declared import KEYS

        value = config.value if isinstance(config.value, dict) else {}
        if any(k in value for k in KEYS) or all(
            LOW.isdisjoint({t.dtype for t in r.table.tensors}) for r in reads if r.table is not None
        ):
            return {}
        wanted = {n: self.repo.submit(self._extra, n) for n in EXTRA_NAMES if self.names is None or n in self.names}
        found = {name: self.repo.wait(future) for name, future in wanted.items()}
        out: dict[str, object] = {}
        for name, body in found.items():
            if body is not None:
                value_of, remarks = read_extra(body, name)
                self.notes += remarks
                if not remarks:
                    out[name] = value_of
        return out

    def _extra(self, name: str) -> bytes | None:
        """A small file that may be there. One that cannot be had is a remark: the tensors speak for themselves."""
        try:
            return self.repo.whole(name, MAX_CONFIG_BYTES)
        except CfgexplainError as e:
            self.notes.append(Note("extra-unreadable", {"file": name, "reason": e.message}))
            return None

    def _single_is_there(self) -> bool:
        """Whether a lone file stands beside the index. It is not read, so that its faults are not the model's."""
        try:
            return self._start is not None and self.repo.wait(self._start) is not None
        except HeaderError:
            return True
        except CfgexplainError:
            return False

    def _may_list(self) -> bool:
        """Whether the hub may have all headers in one answer: it knows the default branch only."""
        known = self.repo.has(_INDEX) or self.repo.has(_SINGLE)
        return self.spec.revision in (None, "main") and self.repo.transport.lists_headers is not False and not known

    def _target(self) -> Target:
        return Target(self.spec.input, "hub", self.repo.id, self.spec.revision, self.repo.commit)

    def _config(self, body: bytes | None) -> ConfigFile:
        name = CONFIG_NAMES[0]
        if body is None:
            self.names = self.repo.names()
            name = CONFIG_NAMES[1]
            body = self.repo.whole(name, MAX_CONFIG_BYTES) if name in self.names else None
        if body is None:
            base = _base_model(self.repo, self.names or ())
            raise config_error(self.names or (), self.repo.where, base, on_disk=False)
        _refuse_page(body, name, self.repo.where)
        config, self.problems = read_config(body, name)
        return config

    def _chosen(self, config_name: str) -> tuple[Layout, Index | None, list[WeightRead], list[str]]:
        """Other names than transformers' own: the list of files tells."""
        self.names = self.repo.names() if self.names is None else self.names
        layout = choose(self.names, self.spec.file)
        if not layout.has_weights:
            raise weights_error(self.names, self.repo.where, required=True) or AssertionError
        if layout.variant is not None:
            self.notes.append(Note("variant", {"variant": layout.variant}))
        layout = layout._replace(config=config_name)
        if layout.index_file is None:
            reads, missing = self._headers(dict.fromkeys(layout.weights, _FIRST_RANGE))
            return layout, None, reads, [*layout.absent, *missing]
        body = self.repo.whole(layout.index_file, MAX_INDEX_BYTES)
        if body is None:
            raise CfgexplainError("network", f"{layout.index_file} is listed, but not there", "Try again.")
        index, reads, missing = self._indexed(layout.index_file, body)
        return layout, index, reads, missing

    def _indexed(self, name: str, body: bytes) -> tuple[Index, list[WeightRead], list[str]]:
        """Every header that an index names, by one answer or by one read each."""
        _refuse_page(body, name, self.repo.where)
        if body.startswith(LFS_MAGIC):
            raise CfgexplainError("unreadable", f"{name} of {self.repo.where} is a Git LFS pointer", "git lfs push.")
        index, faults = parse_index(body, name)
        self.problems += faults
        if index.total_size is None and all(p.check != "index-total-size" for p in faults):
            self.notes.append(Note("index-no-total-size", {"file": index.file}))
        if self.repo.commit is None:
            self._single_is_there()
            self.repo.recall()  # a mirror without commits: the etags of these three stand for one
        shards = set(index.weight_map.values())
        if len(shards) > _MAX_SHARDS:
            message = f"{name} names {len(shards):,} files, more than the {_MAX_SHARDS:,} that are asked for"
            raise CfgexplainError("unsupported", message, "Pass --config-only to explain the config alone.")
        reads = self._listed(index) if self._all is not None or (name == _INDEX and self._may_list()) else None
        if reads is not None:
            return index, reads, []
        return index, *self._headers(_first_ranges(index))

    def _listed(self, index: Index) -> list[WeightRead] | None:
        """All headers from one answer, where it came and agrees with the index."""
        repo = self.repo
        if self._all is None:
            self._all = repo.submit(repo.all_headers, _INDEX)
        sizes = repo.submit(repo.sizes) if repo.transport.lists_headers else None
        try:
            answer = repo.wait(self._all, _HEADERS_WAIT)
        except TimeoutError:
            return None
        headers = split_headers(answer.body) if answer is not None and repo.pin(answer) else None
        if headers is None:
            return None
        sizes = sizes or repo.submit(repo.sizes)
        try:
            tables = {shard: parse_header(raw, shard, None) for shard, raw in headers.items()}
            listing = {shard: [t.name for t in table.tensors] for shard, table in tables.items()}
            if not agrees(listing, index.weight_map):
                return None
            known = repo.wait(sizes)
        except CfgexplainError:
            return None  # the files themselves tell what is wrong with them
        for shard, raw in headers.items():
            repo.keep_listed(shard, raw, known.get(shard))
        return [listed(shard, headers[shard], table, known.get(shard)) for shard, table in tables.items()]

    def _headers(self, wanted: dict[str, int]) -> tuple[list[WeightRead], list[str]]:
        """The headers of these files, all at once, and the names of those that are not there."""
        repo = self.repo
        futures = {name: repo.submit(repo.header, name, first) for name, first in sorted(wanted.items())}
        found = {name: repo.wait(future) for name, future in futures.items()}
        return [r for r in found.values() if r is not None], [name for name, r in found.items() if r is None]


def _refuse_page(body: bytes, name: str, where: str) -> None:
    if body.lstrip()[:1] == b"<":
        message = f"a web page came in place of {clean(name)} of {where}"
        raise CfgexplainError("network", message, "Is there a log-in page or a proxy in between? check HF_ENDPOINT.")


def _first_ranges(index: Index) -> dict[str, int]:
    """Bytes to ask for first of each shard, so that one read holds its header: about 96 beside each name."""
    out: dict[str, int] = {}
    for name, shard in index.weight_map.items():
        out[shard] = out.get(shard, 1024) + len(name.encode("utf-8", "surrogatepass")) + 96
    return {shard: min(size, 100_000_008) for shard, size in out.items()}


def _base_model(repo: HubRepo, names: Iterable[str]) -> str | None:
    """What an adapter says that it adapts, for the hint."""
    if "adapter_config.json" not in names:
        return None
    body = repo.whole("adapter_config.json", MAX_CONFIG_BYTES)
    try:
        value: object = json.loads(body) if body is not None else None
    except (ValueError, RecursionError):
        return None
    base = value.get("base_model_name_or_path") if isinstance(value, dict) else None
    return clean(base, 200) if isinstance(base, str) and base else None
