"""What is asked for, how often and how much: boundaries of the first range, the answer with all headers, one commit."""

from __future__ import annotations

import itertools
import json
import struct
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from cfgexplain.sources.all_headers import agrees, split_headers
from cfgexplain.sources.transport import Transport
from hub_fixtures import bounded, load, use
from hub_server import Big, Faults, Hub, Repo
from weights import index, layer, safetensors, sharded

if TYPE_CHECKING:
    from pathlib import Path


def header_of(length: int) -> bytes:
    """A sound weight file whose header has exactly so many bytes."""
    base = json.dumps({"w": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}, "__metadata__": {"pad": ""}})
    raw = base.replace('"pad": ""', f'"pad": "{"x" * (length - len(base))}"').encode()
    assert len(raw) == length
    return struct.pack("<Q", length) + raw + bytes(4)


@pytest.mark.parametrize(
    "length",
    [65_519, 65_520, 65_527, 65_528, 65_529, 65_536, 65_537, 99_993, 99_994, 99_999, 100_000, 100_001, 131_072],
)
def test_headers_around_every_boundary(hub: Hub, length: int) -> None:
    """Others stop at 99,994 to 100,000 bytes; our own first range ends with the 65,528th."""
    hub.repos["org/edge"] = Repo({"config.json": b"{}", "model.safetensors": header_of(length)})
    with bounded(hub, body_bytes=max(length, 65_536) + 100):
        c = load("org/edge")
    assert [t.name for t in c.tensors or ()] == ["w"]
    assert c.weight_files[0].header_bytes == length
    assert len(hub.paths("cdn")) == (1 if length <= 65_528 else 2)


@pytest.mark.parametrize("off", [-1, 0, 1])
def test_a_shard_whose_header_is_as_long_as_was_guessed(hub: Hub, off: int) -> None:
    guess = 1024 + len("w") + 96
    files = {"config.json": b"{}", "model.safetensors.index.json": index({"w": "s.safetensors"})}
    hub.repos["org/edge"] = Repo({**files, "s.safetensors": header_of(guess - 8 + off)})
    c = load("org/edge")
    assert [t.name for t in c.tensors or ()] == ["w"]
    assert len(hub.paths("cdn")) == (2 if off > 0 else 1)


def test_the_rest_of_a_header_comes_from_where_the_hub_sent_us(hub: Hub) -> None:
    hub.repos["org/edge"] = Repo({"config.json": b"{}", "model.safetensors": header_of(200_000)})
    load("org/edge")
    assert [s.server for s in hub.seen if s.path.endswith("/model.safetensors")] == ["hub", "cdn", "cdn"]
    hub.forget()
    left = [1]

    def expired(word: str, request: object, reply: object) -> object:
        if word == "cdn" and "bytes=0-" not in str(request) and left[0]:
            left[0] = 0
            reply.status, reply.body = 403, b"<Error>Request has expired</Error>"  # type: ignore[attr-defined]
        return reply

    hub.faults.hook = expired  # type: ignore[assignment]
    assert len(load("org/edge", no_cache=True).tensors or ()) == 1


def test_everything_that_can_be_asked_at_once_is(hub: Hub) -> None:
    hub.wire.latency = 0.6
    hub.repos["org/wide"] = Repo(sharded(12))
    load("org/wide")
    came = sorted(e.came for e in hub.wire.log)
    waves = 1 + sum(b - a > 0.3 for a, b in itertools.pairwise(came))
    assert waves == 3, [round(c - came[0], 3) for c in came]


def test_no_request_that_the_job_does_not_need(hub: Hub, tmp_path: Path) -> None:
    """In a process of its own, with the hub library as it comes: it asks once a day for a list of agents."""
    import os

    env = {k: v for k, v in os.environ.items() if not k.startswith("HF_")}
    env |= {"HF_ENDPOINT": hub.endpoint, "HF_HOME": str(tmp_path / "hf"), "AI_AGENT": "x"}
    command = [sys.executable, "-m", "cfgexplain", "org/one", "--format", "jsonl"]
    done = subprocess.run(command, env=env, capture_output=True, timeout=60, check=True)
    assert json.loads(done.stdout)["error"] is None
    names = ("config.json", "model.safetensors.index.json", "model.safetensors")
    wanted = {f"/org/one/resolve/main/{n}" for n in names}
    wanted |= {"/api/models/org/one/safetensors-metadata/model.safetensors.index.json"}
    asked = {s.path.replace("a" * 40, "main") for s in hub.seen if s.server == "hub"}  # the first may pin the others
    assert asked == wanted
    assert len(hub.seen) == 5


# All headers in one answer.


def test_all_headers_in_one_answer(hub: Hub) -> None:
    by_ranges = load("org/many", no_cache=True)
    hub.lists_headers = True
    with bounded(hub, requests=5):
        c = load("org/many")
    assert c.tensors == by_ranges.tensors
    assert (c.problems, c.complete, c.index) == (by_ranges.problems, True, by_ranges.index)
    assert [f.bytes for f in c.weight_files] == [f.bytes for f in by_ranges.weight_files]
    assert [f.header_bytes for f in c.weight_files] == [None] * 3, "the answer does not tell them"
    assert hub.paths("cdn") == []


def test_a_hub_that_is_known_to_have_it_is_asked_only_for_sharded_models(hub: Hub) -> None:
    t = Transport(None, 3.0)
    t.lists_headers = True
    hub.lists_headers = True
    from cfgexplain.sources import Options
    from cfgexplain.sources.hub import load_hub
    from cfgexplain.sources.spec import parse_target

    assert len(load_hub(parse_target("org/one"), Options(), t).tensors or ()) == 6
    assert not any("/api/" in p for p in hub.paths())
    assert len(load_hub(parse_target("org/many"), Options(), t).tensors or ()) == 9
    assert sum("safetensors-metadata" in p for p in hub.paths()) == 1
    hub.lists_headers = False
    t.lists_headers = None
    for _ in range(3):
        load_hub(parse_target("org/many"), Options(no_cache=True), t)
    assert sum("safetensors-metadata" in p for p in hub.paths()) == 2, "asked again though it has no such route"


def other(value: object) -> bytes:
    return json.dumps(value).encode()


@pytest.mark.parametrize(
    "body",
    [
        b"", b"{", b"[]", b"null", b"<html>", b'{"headers": 5}', b'{"headers": {}}', b'{"headers": {"a": 5}}',
        b'{"headers": {"a": {}, "a": {}}}', b'{"headers": {"a": ' + b"[" * 5000 + b"]" * 5000 + b"}}", b"\xff",
        other({"headers": {"model-00001-of-00003.safetensors": {}}}),
        other({"headers": {f"model-0000{i}-of-00003.safetensors": {} for i in (1, 2, 3)}}),
        other({"headers": {f"model-0000{i}-of-00003.safetensors": {"w": {"dtype": "F32", "shape": [1], "data_offsets":
               [0, 4]}} for i in (1, 2, 3)}}),
    ],
)  # fmt: skip
def test_an_answer_that_disagrees_with_the_index_is_not_used(hub: Hub, body: bytes) -> None:
    hub.lists_headers = True

    def hook(word: str, request: object, reply: object) -> object:
        if "safetensors-metadata" in str(request):
            reply.body = body  # type: ignore[attr-defined]
        return reply

    hub.faults.hook = hook  # type: ignore[assignment]
    with bounded(hub):
        c = load("org/many")
    assert (len(c.tensors or ()), c.problems, c.complete) == (9, (), True)
    assert len(hub.paths("cdn")) == 3


@pytest.mark.parametrize("status", [301, 400, 401, 403, 404, 405, 422, 429, 500, 501, 503])
def test_a_refusal_of_the_endpoint_is_no_refusal_of_the_model(hub: Hub, status: int) -> None:
    hub.lists_headers = True

    def hook(word: str, request: object, reply: object) -> object:
        if "safetensors-metadata" in str(request):
            reply.status, reply.body = status, b""  # type: ignore[attr-defined]
        return reply

    hub.faults.hook = hook  # type: ignore[assignment]
    with bounded(hub):
        assert len(load("org/many").tensors or ()) == 9


def test_an_endpoint_that_takes_its_time_is_not_waited_for(hub: Hub) -> None:
    hub.lists_headers = True

    def hook(word: str, request: object, reply: object) -> object:
        if "safetensors-metadata" in str(request):
            reply.delay = 30.0  # type: ignore[attr-defined]
        return reply

    hub.faults.hook = hook  # type: ignore[assignment]
    with bounded(hub, seconds=4):
        assert len(load("org/many").tensors or ()) == 9


def test_other_revisions_are_read_by_ranges(hub: Hub) -> None:
    hub.lists_headers = True
    hub.repos["org/many"].revisions = ("main", "v1")
    for target in ("org/many@v1", f"org/many@{'a' * 40}"):
        load(target, no_cache=True)
    assert not any("safetensors-metadata" in p for p in hub.paths())
    load("org/many@main", no_cache=True)
    assert any("safetensors-metadata" in p for p in hub.paths())


def test_a_shard_that_ends_early_is_seen_in_the_listing(hub: Hub) -> None:
    hub.lists_headers = True
    files = sharded(2)
    name = "model-00001-of-00002.safetensors"
    whole = files[name]
    files[name] = whole[:-150]
    hub.repos["org/cut"] = Repo(files)
    c = load("org/cut")
    assert [(p.check, p.file) for p in c.problems] == [("truncated-file", name)]
    assert not c.complete
    again = load("org/cut")
    assert (again.problems, again.tensors) == (c.problems, c.tensors), "the cache tells another story"


def test_the_splitter_keeps_headers_as_they_are() -> None:
    text = '{ "index" : {"metadata":{"headers": 1}} ,\n"headers": '
    text += '{"a b": {"x" : [1, 2]}, "\\u00e9": {"k":"}"}} , "z":[]}'
    assert split_headers(text.encode()) == {"a b": b'{"x" : [1, 2]}', "é": b'{"k":"}"}'}
    assert agrees({"s": ["a", "b"]}, {"a": "s", "b": "s"})
    assert not agrees({"s": ["a"]}, {"a": "s", "b": "s"})
    assert not agrees({"s": ["a"], "t": []}, {"a": "s"})


# The emulator against the library's other function.


def test_the_librarys_own_function_reads_the_emulators_answer(hub: Hub) -> None:
    from huggingface_hub import HfApi

    hub.lists_headers = True
    hub.repos["org/wide"] = Repo(sharded(7))
    api = HfApi(endpoint=hub.endpoint)
    found = api.get_sharded_safetensors_metadata("org/wide")
    assert found.weight_map == api.get_safetensors_metadata("org/wide").weight_map
    assert set(found.weight_map) == {t.name for t in load("org/wide").tensors or ()}
    sizes = {f.path: f.size for f in api.list_repo_tree("org/wide")}  # type: ignore[union-attr]
    assert sizes["config.json"] == len(hub.repos["org/wide"].files["config.json"])  # type: ignore[arg-type]


def test_a_large_index_is_redirected_and_read(hub: Hub) -> None:
    weight_map = {f"w{i}" + "x" * 60: "s.safetensors" for i in range(130_000)}
    text = json.dumps({"metadata": {}, "weight_map": weight_map}).encode()
    assert len(text) > 10_000_000
    hub.repos["org/big"] = Repo({"config.json": b"{}", "model.safetensors.index.json": text,
                                 "s.safetensors": safetensors(layer(0))})  # fmt: skip
    with bounded(hub, seconds=20, body_bytes=60_000_000):
        c = load("org/big", no_cache=True)
    assert len(c.tensors or ()) == 3
    assert any(p.key == "absent" for p in c.problems)


def test_files_whose_data_nobody_could_hold(hub: Hub) -> None:
    """Sizes of terabytes are numbers like any other."""
    raw = json.dumps({"w": {"dtype": "F32", "shape": [1 << 20, 1 << 20], "data_offsets": [0, 4 << 40]}}).encode()
    head = struct.pack("<Q", len(raw)) + raw
    hub.repos["org/huge"] = Repo({"config.json": b"{}", "model.safetensors": Big(head, len(head) + (4 << 40))})
    with bounded(hub):
        c = load("org/huge")
    assert (c.weight_files[0].bytes, c.problems) == (len(head) + (4 << 40), ())


def test_a_mirror_at_a_path_with_all_headers(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    hub.lists_headers = True
    use(hub.endpoint + "/mirror/hf/", monkeypatch)
    assert len(load("org/many").tensors or ()) == 9
    assert all(p.startswith("/mirror/hf/") for p in hub.paths())
    hub.faults = Faults()
