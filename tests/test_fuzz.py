"""Bytes that nobody meant: headers, configs, indexes and server answers end in a report or in a clean error.

Runs for CFGEXPLAIN_FUZZ seconds in all (by default 30 in CI and 8 elsewhere; 600 by hand). What ever broke is a
file in tests/fuzz_corpus, and is tried first each time; a new find is written there.
"""

from __future__ import annotations

import hashlib
import json
import os
import struct
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from cfgexplain.errors import CfgexplainError
from cfgexplain.inspect import Wanted, inspect
from cfgexplain.render import Style, renderer
from cfgexplain.sources import Options, open_target
from hub_fixtures import load
from models import GEMMA_2_2B, GPT2, LLAMA_2_7B, MIXTRAL
from weights import CONFIG, index, layer, safetensors, sharded, single, write

if TYPE_CHECKING:
    from collections.abc import Callable

    from cfgexplain.checkpoint import Checkpoint
    from hub_server import Hub
    from hub_wire import Reply, Request

CORPUS = Path(__file__).parent / "fuzz_corpus"
SECONDS = float(os.environ.get("CFGEXPLAIN_FUZZ") or (30 if os.environ.get("CI") else 8))
KINDS = ("header", "config", "index", "answer")

QUICK = settings(
    max_examples=60, deadline=None, database=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck)
)


def report(c: Checkpoint) -> None:
    """All that happens to a checkpoint after it is read."""
    found = inspect(c, Wanted(tensors=True))
    for form in ("text", "jsonl"):
        "".join(renderer(form)(iter([_located(found)]), Style(80, False, True, "en", 1, False)))


def _located(found: Any) -> Any:
    from cfgexplain.places import Located, Place

    return Located(found, Place("x", "none"))


def clean(kind: str, data: bytes, work: Callable[[], Checkpoint]) -> None:
    """Runs ``work`` and reports on its checkpoint; anything but a clean error is kept, and fails."""
    try:
        try:
            report(work())
        except CfgexplainError as e:
            said = e.message
            if not said or len(said) > 2000:
                pytest.fail(f"an error of {len(said)} characters")
    except BaseException:
        (CORPUS / kind).mkdir(parents=True, exist_ok=True)
        (CORPUS / kind / hashlib.sha256(data).hexdigest()[:12]).write_bytes(data)
        raise


def mutations(seeds: list[bytes]) -> st.SearchStrategy[bytes]:
    """Seeds with bytes changed, taken out, doubled and put in; and bytes that were never anything."""
    words = st.sampled_from([
        b"null", b"[]", b"{}", b'""', b"0", b"-1", b"1e999", b"NaN", b"true", b"9" * 25, b"1.5", b'"\\ud800"', b"\xff",
        b"\x00", b'"__metadata__"', b"[[[[", b'"shape":', b"18446744073709551616", b",", b":", b"}", b"{", b'"',
        b"\xef\xbb\xbf",
        b'"..\\/..\\/x"', b'"\\u001b[2J"', b"\xe2\x80\xae",
    ])  # fmt: skip
    edit = st.tuples(st.integers(0, 1 << 20), st.integers(0, 40), st.one_of(words, st.binary(max_size=6)))

    def apply(seed: bytes, edits: list[tuple[int, int, bytes]]) -> bytes:
        for at, gone, put in edits:
            at %= len(seed) + 1
            seed = seed[:at] + put + seed[at + gone :]
        return seed

    edited = st.builds(apply, st.sampled_from(seeds), st.lists(edit, max_size=4))
    return st.one_of(edited, edited, edited, st.binary(max_size=300))


def for_a_while(share: float, check: Callable[[], None]) -> None:
    until = time.monotonic() + SECONDS * share
    while True:
        check()
        if time.monotonic() > until:
            return


# Each kind of bytes, and what is done with them.


def try_header(folder: Path, data: bytes) -> None:
    (folder / "model.safetensors").write_bytes(data)
    clean("header", data, lambda: open_target(str(folder), Options()))
    clean("header", data, lambda: open_target(str(folder / "model.safetensors"), Options()))


def try_config(folder: Path, data: bytes) -> None:
    (folder / "config.json").write_bytes(data)
    clean("config", data, lambda: open_target(str(folder), Options()))
    clean("config", data, lambda: open_target(str(folder / "config.json"), Options(config_only=True)))


def try_index(folder: Path, data: bytes) -> None:
    (folder / "model.safetensors.index.json").write_bytes(data)
    clean("index", data, lambda: open_target(str(folder), Options()))


def try_answer(hub: Hub, data: bytes) -> None:
    """The first byte says which answer is replaced, the second how; the rest is its body."""
    which, how, body = data[0] % 6, data[1] if len(data) > 1 else 0, data[2:]
    part = ("config.json", ".index.json", "model.safetensors", "model-0000", "/api/", "")[which]
    status = (200, 200, 200, 206, 301, 400, 401, 403, 404, 416, 418, 503)[how % 12]

    def hook(word: str, request: Request, reply: Reply) -> Reply:
        if part in request.path and (how < 128) == (word == "hub"):
            reply.status, reply.body = status, body
            if how & 16:
                reply.raw = body
            if how & 32:
                reply.headers |= {"Content-Encoding": "gzip", "Content-Range": body[:20].decode("latin-1").strip()}
            if how & 64:
                reply.headers = {k.strip(): v.strip() for k, _, v in (x.partition(":") for x in _lines(body))}
        return reply

    hub.faults.hook = hook
    target = "org/many" if which % 2 else "org/one"
    clean("answer", data, lambda: load(target, timeout=0.3, no_cache=True))
    hub.faults.hook = None


def _lines(body: bytes) -> list[str]:
    text = "".join(c for c in body.decode("latin-1") if c.isprintable() or c == "\n")
    return [line for line in text.split("\n") if line.partition(":")[0].replace("-", "").isalnum() and line.isascii()]


def header_seeds() -> list[bytes]:
    bodies = [
        {}, {"__metadata__": {"format": "pt"}}, {"a": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}},
        {"a": {"dtype": "F4", "shape": [2, 8], "data_offsets": [0, 8]},
         "b": {"dtype": "X", "shape": [], "data_offsets": [8, 8]}},
    ]  # fmt: skip
    raws = [json.dumps(b).encode() for b in bodies]
    sound = [safetensors(layer(0)), single()["model.safetensors"]]
    return [struct.pack("<Q", len(r)) + r + bytes(16) for r in raws] + sound


def config_values() -> st.SearchStrategy[Any]:
    leaf = st.one_of(
        st.none(), st.booleans(), st.integers(-5, 70_000), st.floats(), st.text(max_size=6),
        st.sampled_from([2**31, 2**64, 10**30, -(2**63), 1e308, 1e-320]),
        st.sampled_from(["silu", "gelu", "full_attention", "float16", "auto", "eager"]),
    )  # fmt: skip
    keys = st.text(max_size=8)
    return st.recursive(
        leaf, lambda v: st.one_of(st.lists(v, max_size=5), st.dictionaries(keys, v, max_size=4)), max_leaves=8
    )


def config_seeds() -> list[dict[str, Any]]:
    from cfgexplain.families import registry
    from cfgexplain.families.registry import find

    names = sorted(n for n in dir(registry) if isinstance(getattr(registry, n), dict))
    types = sorted({k for n in names for k in getattr(registry, n) if isinstance(k, str) and k.isidentifier()})
    out: list[dict[str, Any]] = [LLAMA_2_7B, GEMMA_2_2B, MIXTRAL, GPT2, dict(CONFIG), {}]
    out += [{"model_type": t} for t in types if find(t) is not None]
    return out


@st.composite
def configs(draw: st.DrawFn, seeds: list[dict[str, Any]]) -> bytes:
    """A config of any family, with some of its keys given values that they were not meant to have."""
    from cfgexplain.families.registry import find

    value = dict(draw(st.sampled_from(seeds)))
    family = find(str(value.get("model_type")))
    keys = sorted({a for k in family.keys.values() for a in k.names}) if family is not None else []
    keys += ["quantization_config", "text_config", "architectures", "model_type", "torch_dtype", "rope_scaling"]
    for key in draw(st.lists(st.sampled_from(keys), max_size=5)):
        value[key] = draw(config_values())
    return json.dumps(value).encode("utf-8", "surrogatepass")


@pytest.mark.parametrize("kind", KINDS)
def test_what_broke_before(kind: str, tmp_path: Path, hub: Hub) -> None:
    folder = write(tmp_path / "m", sharded(2) if kind == "index" else single())
    found = sorted((CORPUS / kind).iterdir())
    assert found, "the corpus is gone"
    for file in found:
        data = file.read_bytes()
        if kind == "answer":
            try_answer(hub, data)
        else:
            {"header": try_header, "config": try_config, "index": try_index}[kind](folder, data)


def test_headers(tmp_path: Path) -> None:
    folder = write(tmp_path / "m", single())
    strategy = mutations(header_seeds())

    @QUICK
    @given(strategy)
    def check(data: bytes) -> None:
        try_header(folder, data)
        if len(data) > 8:  # the same with a length that fits, so that more than the length is read
            try_header(folder, struct.pack("<Q", len(data) - 8) + data[8:])

    for_a_while(0.2, check)


def test_configs(tmp_path: Path) -> None:
    folder = write(tmp_path / "m", single())
    seeds = config_seeds()
    strategy = st.one_of(configs(seeds), configs(seeds), mutations([json.dumps(s).encode() for s in seeds[:5]]))

    @QUICK
    @given(strategy)
    def check(data: bytes) -> None:
        try_config(folder, data)

    for_a_while(0.4, check)


def test_indexes(tmp_path: Path) -> None:
    files = sharded(2)
    folder = write(tmp_path / "m", files)
    own = files["model.safetensors.index.json"]
    strategy = mutations([own, index({"a": "b.safetensors"}), b'{"weight_map":{"":""}}'])

    @QUICK
    @given(strategy)
    def check(data: bytes) -> None:
        try_index(folder, data)

    for_a_while(0.1, check)


def test_answers(hub: Hub) -> None:
    answer = {"headers": {}, "index": {"metadata": {}}}
    page = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
    lines = b"Location: http://127.0.0.1:1/\nETag: x\nX-Repo-Commit: " + b"b" * 40
    lines += b"\nX-Linked-Size: -5\nRetry-After: 1\n"
    bodies = [single()["model.safetensors"], json.dumps(CONFIG).encode(), sharded(3)["model.safetensors.index.json"]]
    bodies += [json.dumps(answer).encode(), page, lines, b"bytes 0-5/10"]
    strategy = st.builds(lambda a, b, c: bytes([a, b]) + c, st.integers(0, 255), st.integers(0, 255), mutations(bodies))

    @QUICK
    @given(strategy)
    def check(data: bytes) -> None:
        try_answer(hub, data)

    for_a_while(0.3, check)
