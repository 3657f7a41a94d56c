"""Cases from other projects' issues: files and formats (D), the hub (E), the command line as people run it (H).

Each test is named after its case. Those about counting quantized weights are tested with the counting.
"""

from __future__ import annotations

import json
import os
import struct
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from cli import Outcome, run, shell
from hub_fixtures import SECRET, bounded, error, load
from hub_server import Faults, Hub, Repo
from models import checkpoint, sound
from weights import CONFIG, index, layer, safetensors, sharded, single, write

if TYPE_CHECKING:
    from pathlib import Path

    from hub_wire import Reply, Request

SMALL = {
    **CONFIG, "architectures": ["LlamaForCausalLM"], "num_attention_heads": 2, "num_key_value_heads": 2,
    "vocab_size": 8, "hidden_size": 64, "intermediate_size": 256, "tie_word_embeddings": False,
    "torch_dtype": "bfloat16",
}  # fmt: skip


def model(extra: dict[str, tuple[str, list[int]]] | None = None) -> dict[str, bytes]:
    """A model that is sound, and what a test adds to it."""
    tensors = {name: ("BF16", list(shape)) for name, shape in sound(SMALL).items()}
    return {"config.json": json.dumps(SMALL).encode(), "model.safetensors": safetensors({**tensors, **(extra or {})})}


def raw(header: str, data: bytes = b"") -> bytes:
    text = header.encode()
    return struct.pack("<Q", len(text)) + text + data


def report(target: Path | str, *words: str) -> dict[str, Any]:
    outcome = run("check", str(target), "--format", "jsonl", *words)
    value: dict[str, Any] = json.loads(outcome.out)
    return value


def findings(target: Path | str, *words: str) -> dict[str, str]:
    """Name → message of the findings, each name at most once."""
    found = report(target, *words)["findings"]
    names = [f["name"] for f in found]
    assert len(names) == len(set(names)), names
    return {f["name"]: f["message"] for f in found}


def failure(target: Path | str) -> dict[str, str]:
    outcome = run("check", str(target), "--format", "jsonl")
    assert outcome.code == 3
    value: dict[str, str] = json.loads(outcome.out)["error"]
    return value


# D: files and their format.


def test_d03_a_stale_index(tmp_path: Path) -> None:
    weight_map = {f"w{i}": f"model-{i:05d}-of-00030.safetensors" for i in range(1, 31)}
    files = {"config.json": b"{}", "model.safetensors.index.json": index(weight_map)}
    files |= {f"model-{i:05d}-of-00015.safetensors": safetensors(layer(i)) for i in range(1, 16)}
    found = findings(write(tmp_path / "m", files))
    assert "30 of 30" in found["index-missing-shard"]
    assert "stale index" in found["index-missing-shard"]
    assert "15" in found["index-missing-shard"]
    assert "missing-tensor" not in found


def test_d04_a_stray_file_beside_an_index(tmp_path: Path) -> None:
    folder = write(tmp_path / "m", {**sharded(2), "model.safetensors": safetensors({"stray": ("U32", [8, 2])})})
    assert "model.safetensors" in findings(folder)["unreferenced-weights"]
    value = report(folder, "--tensors")
    assert "stray" not in {t["name"] for t in value["tensors"]}
    assert value["params"]["stored_elements"] == 192


def test_d06_metadata_in_every_form(tmp_path: Path) -> None:
    entry = '"t":{"dtype":"BF16","shape":[1],"data_offsets":[0,2]}'
    seen = []
    for k, metadata in enumerate(("", '"__metadata__":{},', '"__metadata__":null,')):
        files = {"config.json": b"{}", "model.safetensors": raw("{" + metadata + entry + "}", b"12")}
        value = report(write(tmp_path / str(k), files), "--tensors")
        assert "invalid-header" not in {f["name"] for f in value["findings"]}
        seen.append((value["params"], value["tensors"]))
    assert seen[0] == seen[1] == seen[2]
    assert len(seen[0][1]) == 1


def test_d07_a_number_in_the_metadata(tmp_path: Path) -> None:
    header = '{"__metadata__":{"unquoted_int":0},"t":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}'
    folder = write(tmp_path / "m", {"config.json": b"{}", "model.safetensors": raw(header, b"1234")})
    assert "unquoted_int" in findings(folder)["invalid-header"]
    assert [t["name"] for t in report(folder, "--tensors")["tensors"]] == ["t"]


def test_d08_duplicate_keys(tmp_path: Path) -> None:
    first, second = (f'"a":{{"dtype":"F32","shape":[1],"data_offsets":{at}}}' for at in ([0, 4], [4, 8]))
    header = f"{{{first},{second}}}"
    files = {"config.json": b'{"x": 1, "x": 2}', "model.safetensors": raw(header, bytes(8))}
    found = findings(write(tmp_path / "m", files))
    assert "duplicate key 'a'" in found["invalid-header"]
    assert "'x'" in found["duplicate-key"]


@pytest.mark.parametrize("length", [132_095_296, 2**63])
def test_d09_headers_beyond_the_limit(tmp_path: Path, hub: Hub, length: int) -> None:
    start = struct.pack("<Q", length) + b'{"a'
    if length == 132_095_296:
        assert start[:8] == bytes.fromhex("409DDF0700000000")
    folder = write(tmp_path / "m", {"config.json": b"{}", "model.safetensors": start})
    with (folder / "model.safetensors").open("r+b") as f:
        f.truncate(min(length, 1 << 20) + 140_000_000)  # sparse
    e = failure(folder)
    assert f"{length:,}" in e["message"]
    assert ("100,000,000" if length < 1 << 30 else "not a safetensors file") in e["message"]
    hub.repos["org/long"] = Repo({"config.json": b"{}", "model.safetensors": start + b" " * 200_000})
    with bounded(hub, body_bytes=100_000):
        assert error("org/long").kind == "invalid-header"


def test_d10_what_lies_in_place_of_weights(tmp_path: Path) -> None:
    pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"0" * 64 + b"\nsize 9953362604\n"
    assert int.from_bytes(pointer[:8], "little") == 2_336_927_755_350_992_246
    folder = write(tmp_path / "lfs", {"config.json": json.dumps(SMALL).encode(), "model.safetensors": pointer})
    value = report(folder)
    found = {f["name"]: f for f in value["findings"]}["weights-not-fetched"]
    assert "Git LFS" in found["message"]
    assert "git lfs pull" in found["hint"]
    assert value["target"]["weight_files"][0]["bytes"] == 9_953_362_604
    for body, word in ((b"<!DOCTYPE html>", "HTML"), (b'{"error":"Entry not found"}', "JSON")):
        files = {"config.json": b"{}", "model.safetensors": body}
        assert word in failure(write(tmp_path / word, files))["message"]


def test_d16_an_index_without_a_total(tmp_path: Path) -> None:
    for k, metadata in enumerate(({"quantization_level": "4"}, None, {})):
        value = {"metadata": metadata, "weight_map": {"a": "0.safetensors"}}
        files = {"config.json": b"{}", "0.safetensors": safetensors({"a": ("F32", [1])})}
        files["model.safetensors.index.json"] = json.dumps(value).encode()
        folder = write(tmp_path / str(k), files)
        outcome = run(str(folder), "--format", "jsonl")
        assert "no total_size" in outcome.err
        assert json.loads(outcome.out)["params"]["bytes"] == 4
        assert "index-total-size" not in findings(folder)
    value = {"metadata": {"total_size": 8}, "weight_map": {"a": "0.safetensors"}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(value), encoding="utf-8")
    message = findings(folder)["index-total-size"]
    assert "8" in message
    assert "4" in message


def test_d17_empty_tensors_and_ones_that_only_say_so(tmp_path: Path) -> None:
    empty = '"scaled_fp8":{"dtype":"F8_E4M3","shape":[0],"data_offsets":[0,0]}'
    scalar = '"s":{"dtype":"F32","shape":[],"data_offsets":[0,4]}'
    fine = write(tmp_path / "a", {"config.json": b"{}", "model.safetensors": raw(f"{{{empty},{scalar}}}", bytes(4))})
    assert "invalid-header" not in findings(fine)
    assert report(fine)["params"]["stored_elements"] == 1
    wrong = f'{{{empty},"x":{{"dtype":"F32","shape":[1],"data_offsets":[0,0]}}}}'
    message = findings(write(tmp_path / "b", {"config.json": b"{}", "model.safetensors": raw(wrong)}))["invalid-header"]
    assert "'x'" in message
    assert "needs 4 bytes" in message
    assert "scaled_fp8" not in message


@pytest.mark.parametrize(
    ("entries", "words"),
    [
        ({"t": ([1000, 1000], 0, 4)}, ["'t'", "4,000,000", "4"]),
        ({"a": ([1], 0, 4), "b": ([1], 4, 0)}, ["'b'"]),
        ({"a": ([2], 0, 8), "b": ([1], 4, 8)}, ["'b'", "'a'"]),
        ({"a": ([1], 0, 4), "b": ([1], 6, 10)}, ["'b'", "2"]),
    ],
)
def test_d18_offsets(tmp_path: Path, entries: dict[str, tuple[list[int], int, int]], words: list[str]) -> None:
    header = {n: {"dtype": "F32", "shape": s, "data_offsets": [b, e]} for n, (s, b, e) in entries.items()}
    end = max(e for _, _, e in entries.values())
    files = {"config.json": b"{}", "model.safetensors": raw(json.dumps(header), bytes(end))}
    found = report(write(tmp_path / "m", files))["findings"]
    text = " ".join(f["message"] for f in found if f["name"] == "invalid-header")
    assert all(w in text for w in words), text


def test_d18_an_end_beyond_the_file(tmp_path: Path) -> None:
    files = {"config.json": b"{}", "model.safetensors": safetensors({"a": ("F32", [10])}, cut=15)}
    assert "15 are missing" in findings(write(tmp_path / "m", files))["truncated-file"]


def test_d19_two_splits_beside_an_index(tmp_path: Path) -> None:
    stem = "diffusion_pytorch_model"
    parts = {
        n: {f"{stem}-{k:05d}-of-{n:05d}.safetensors": safetensors(layer(k)) for k in range(1, n + 1)} for n in (4, 8)
    }
    weight_map = {t: f"{stem}-{k:05d}-of-00004.safetensors" for k in range(1, 5) for t in layer(k)}
    files = {**parts[4], **parts[8], f"{stem}.safetensors.index.json": index(weight_map), "config.json": b"{}"}
    folder = write(tmp_path / "pipe", {f"transformer/{k}": v for k, v in files.items()})
    value = report(folder, "--subfolder", "transformer", "--tensors")
    assert len(value["tensors"]) == 12
    message = {f["name"]: f["message"] for f in value["findings"]}["unreferenced-weights"]
    assert "8" in message
    assert "of-00008" in message


def test_d20_mistrals_own_format(tmp_path: Path, hub: Hub) -> None:
    shards = {f"consolidated-{k:05d}-of-00003.safetensors": safetensors(layer(k)) for k in (1, 2, 3)}
    weight_map = {t: f"consolidated-{k:05d}-of-00003.safetensors" for k in (1, 2, 3) for t in layer(k)}
    own = {**shards, "consolidated.safetensors.index.json": index(weight_map), "params.json": b'{"dim": 64}'}
    hub.repos["org/own"] = Repo(own)
    assert len(load("org/own").tensors or ()) == 9
    assert len(report(write(tmp_path / "own", own), "--tensors")["tensors"]) == 9
    both = write(tmp_path / "both", {**own, **model()})
    value = report(both, "--tensors")
    assert len(value["tensors"]) == len(sound(SMALL))
    assert "consolidated" in {f["name"]: f["message"] for f in value["findings"]}["unreferenced-weights"]


def test_d21_an_index_that_leads_elsewhere(tmp_path: Path, hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    other = "../../../../some-org/private/resolve/main/model.safetensors"
    bad = {"w": other, "v": "/etc/passwd", "u": "..\\..\\x.safetensors"}
    weight_map = {**bad, "k": "sub/dir/model.safetensors"}
    files = {"config.json": b"{}", "sub/dir/model.safetensors": safetensors({"k": ("F32", [1])})}
    files["model.safetensors.index.json"] = index(weight_map)
    opened: list[str] = []
    real = os.open
    monkeypatch.setattr(os, "open", lambda path, *args, **kw: opened.append(str(path)) or real(path, *args, **kw))
    folder = write(tmp_path / "m", files)
    opened.clear()
    value = report(folder, "--tensors")
    message = {f["name"]: f["message"] for f in value["findings"]}["unsafe-shard-path"]
    assert "3" in message
    assert "some-org/private" in message
    assert [t["name"] for t in value["tensors"]] == ["k"]
    assert not any("passwd" in path or "some-org" in path for path in opened)
    hub.repos["org/evil"] = Repo(dict(files))
    monkeypatch.setenv("HF_TOKEN", SECRET)
    c = load("org/evil")
    assert [p.check for p in c.problems] == ["unsafe-shard-path"]
    assert len(c.tensors or ()) == 1
    assert all("/org/evil/" in p for p in hub.paths())


def test_d22_variants(tmp_path: Path) -> None:
    files = {"text_encoder/config.json": b"{}", "text_encoder/model.fp16.safetensors": safetensors(layer(0))}
    folder = write(tmp_path / "one", files)
    outcome = run(str(folder), "--subfolder", "text_encoder", "--format", "jsonl")
    assert "fp16" in outcome.err
    assert json.loads(outcome.out)["target"]["weight_files"][0]["name"] == "model.fp16.safetensors"
    files["text_encoder/model.int8.safetensors"] = safetensors(layer(1))
    outcome = run(str(write(tmp_path / "two", files)), "--subfolder", "text_encoder")
    assert outcome.code == 3
    assert "fp16" in outcome.err + outcome.out
    files["text_encoder/model.safetensors"] = safetensors({"plain": ("F32", [1])})
    value = report(write(tmp_path / "three", files), "--subfolder", "text_encoder", "--tensors")
    assert [t["name"] for t in value["tensors"]] == ["plain"]


# E: the hub.


def test_e02_no_token_in_clear(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    from cfgexplain.sources.transport import Broken, Transport
    from hub_fixtures import use

    with pytest.raises(Broken, match="from https to http"):
        Transport(SECRET, 1.0).next_url("https://hub.example/a", "http://hub.example/a")
    monkeypatch.setenv("HF_TOKEN", SECRET)
    use("http://mirror.example", monkeypatch)
    t = Transport(None, 1.0)
    assert (t.has_token, t.withheld) == (False, True)
    use(hub.endpoint, monkeypatch)
    assert Transport(None, 1.0).has_token, "loopback"


def test_e03_five_refusals_in_five_messages(hub: Hub) -> None:
    hub.repos["org/gated"] = Repo(single(), gated=True)
    hub.repos["org/empty"] = Repo({"README.md": b""})
    found = [
        error("org/absent"), error("org/gated"), error("org/gated", token=SECRET), error("org/empty"),
        error("org/one@nope"),
    ]  # fmt: skip
    assert len({e.message for e in found}) == 5
    assert all("\n" not in e.message for e in found)
    assert all(word in found[0].message for word in ("missing", "private", "gated"))
    assert "HF_TOKEN" in found[0].hint
    assert all(f"{hub.endpoint}/org/gated" in e.hint for e in found[1:3])
    assert run("org/absent").code == 3
    hub.repos["org/bad"] = Repo({"config.json": b"{}", "model.safetensors": safetensors({"a": ("F32", [10])}, cut=1)})
    assert run("check", "org/bad").code == 1


def test_e05_mirrors(hub: Hub) -> None:
    def hook(word: str, request: Request, reply: Reply) -> Reply:
        if word == "hub" and "resolve/main" in request.path and "?" not in request.path:
            reply.status, reply.body = 308, b""
            reply.headers = {"Location": request.path.rpartition("/")[2] + "?a=b%2F"}
        return reply

    hub.faults = Faults(no_headers=True, no_content_range=True, hook=hook)
    for target, count in (("org/many", 9), ("org/one", 6)):
        c = load(target)
        assert (len(c.tensors or ()), c.problems, c.target.commit) == (count, (), None)
    hub.faults = Faults(no_headers=True, no_content_range=True, direct=True, ignore_range=True)
    assert len(load("org/many", no_cache=True).tensors or ()) == 9
    hub.repos["org/other"] = Repo({"weights.bin": b""})
    hub.faults = Faults(hook=lambda w, q, r: r if "/api/" not in q.path else type(r)(200, b"<html>"))
    e = error("org/other")
    assert "127.0.0.1" in e.message
    assert "HF_ENDPOINT" in e.hint


def test_e07_rate_limits(hub: Hub) -> None:
    slept: list[float] = []
    from cfgexplain.sources.transport import Transport

    for headers in ({"RateLimit": '"api";r=0;t=2'}, {"Retry-After": "2"}):
        slept.clear()
        hub.faults.statuses = [(429, headers)]
        t = Transport(None, 3.0, sleep=slept.append)
        assert t.get(f"{hub.endpoint}/org/one/resolve/main/config.json", cap=10_000).status == 200
        assert 2 <= slept[0] <= 2.5
    hub.faults.statuses = [(429, {"RateLimit": '"api";r=0;t=158'})] * 20
    e = error("org/one")
    assert (e.kind, "158" in e.hint) == ("rate-limited", True)
    hub.faults.statuses = []
    hub.repos["org/wide"] = Repo(sharded(50))
    hub.forget()
    load("org/wide")
    assert len([p for p in hub.paths("cdn") if "/wide/" in p]) == 50, "one read for each header"


def test_e08_revisions(hub: Hub) -> None:
    hub.repos["org/one"].revisions = ("main", "refs/pr/11", "resolve/6_5")
    assert load("org/one", revision="refs/pr/11").target.commit == "a" * 40
    assert any("/resolve/refs%2Fpr%2F11/" in p for p in hub.paths())
    assert not any("%252F" in p for p in hub.paths())
    assert load("org/one", revision="resolve/6_5").target.commit == "a" * 40
    e = error("org/one", revision="61330c1")
    assert e.kind == "revision-not-found"
    assert "org/one has no revision 61330c1" in e.message
    assert "40" in e.hint
    value = report("org/one")
    assert value["target"]["commit"] == "a" * 40


def test_e09_parts_of_a_pipeline(hub: Hub, tmp_path: Path) -> None:
    files = {"model_index.json": b"{}", "text_encoder/config.json": b"{}", "transformer/config.json": b"{}"}
    files["text_encoder/model.safetensors"] = safetensors(layer(0))
    hub.repos["org/pipe"] = Repo(dict(files))
    for outcome in (run("org/pipe"), run(str(write(tmp_path / "pipe", files)))):
        text = outcome.out + outcome.err
        assert outcome.code == 3
        assert "text_encoder" in text
        assert "transformer" in text
        assert "--subfolder" in text
        assert "Traceback" not in text


@pytest.mark.parametrize(
    ("target", "code", "word"),
    [
        ("./does/not/exist", 3, "no such file or directory"),
        ("C:\\models\\llama", 3, "no such file or directory"),
        ("C:/models/llama", 3, "no such file or directory"),
        ("\\\\server\\share\\m", 3, "no such file or directory"),
        ("~/models/x/", 3, "no such file or directory"),
        ("org/name/extra", 2, "org/name"),
        ("https://huggingface.co/datasets/a/b", 2, "model"),
        ("ftp://x/y", 2, "ftp"),
    ],
)
def test_e10_what_people_type(hub: Hub, target: str, code: int, word: str) -> None:
    outcome = run(target)
    assert outcome.code == code
    assert word in outcome.err + outcome.out
    assert hub.seen == [], "the hub was asked"


@pytest.mark.parametrize(
    "target",
    ["{hub}/org/one", "{hub}/org/one/", "{hub}/org/one/tree/main", "{hub}/org/one/blob/main/config.json",
     "{hub}/org/one/resolve/main/model.safetensors?download=true", "org/one", "org/one/", "org/one@main", "gpt2",
     "https://huggingface.co/org/one", "huggingface.co/org/one", "hf.co/org/one", "https://hf.co/org/one.git",
     "hf://org/one", "git@hf.co:org/one", "git@huggingface.co:org/one.git", "ssh://git@hf.co/org/one",
     "https://user:hf_good@huggingface.co/org/one", "user:hf_good@huggingface.co/org/one", "  org/one "],
)  # fmt: skip
def test_e10_what_people_paste(hub: Hub, target: str) -> None:
    hub.renames["gpt2"] = "org/one"
    for form in ("text", "jsonl"):
        outcome = run(target.format(hub=hub.endpoint), "--format", form)
        assert outcome.code == 0, outcome
        assert SECRET not in outcome.out + outcome.err
    assert hub.seen
    assert not any(SECRET in s.path or "authorization" in s.headers for s in hub.seen)


def test_e11_an_interrupted_download(tmp_path: Path) -> None:
    files = sharded(3)
    lost = "model-00002-of-00003.safetensors"
    del files[lost]
    folder = write(tmp_path / "a", {**files, ".cache/huggingface/download/x.incomplete": b"12"})
    message = findings(folder)["index-missing-shard"]
    assert lost in message
    assert "incomplete download" in message
    files = sharded(3)
    size = len(files[lost])
    files[lost] = files[lost][:-50]
    message = findings(write(tmp_path / "b", files))["truncated-file"]
    assert f"{size - 50:,}" in message
    assert f"{size:,}" in message


# H: the command line as people run it.


@pytest.mark.parametrize("encoding", ["cp1252", "ascii", "latin-1", "cp437", "utf-8"])
def test_h01_any_encoding(tmp_path: Path, encoding: str) -> None:
    folder = write(tmp_path / "m", model({"模型.weight": ("BF16", [2])}))
    expected = shell(str(folder), "--tensors", env={"PYTHONIOENCODING": "utf-8"}).code
    env = {"PYTHONIOENCODING": encoding, "LC_ALL": "C", "PYTHONUTF8": "0"}
    done = subprocess.run(
        [sys.executable, "-m", "cfgexplain", str(folder)], env={**os.environ, **env}, capture_output=True, check=False
    )
    text = done.stdout.decode(encoding)
    assert (done.returncode, done.stderr) == (expected, b"")
    assert not any(f"\\u2{k}" in text for k in "0123456789"), text  # box and arrows as escapes
    check = subprocess.run(
        [sys.executable, "-m", "cfgexplain", "check", str(folder)],
        env={**os.environ, **env}, capture_output=True, check=False,
    )  # fmt: skip
    assert b"Traceback" not in check.stderr
    if encoding != "utf-8":
        assert "\\u6a21" in check.stdout.decode(encoding), "a name outside the charset is escaped"


def test_h03_standard_output_is_one_document(hub: Hub, tmp_path: Path) -> None:
    broken = write(tmp_path / "m", {**model(), "model.safetensors": safetensors({"a": ("F32", [10])}, cut=1)})
    for targets in (["org/one"], ["org/absent"], ["org/one", "org/absent", str(broken)], [str(broken)], ["./none"]):
        hub.faults.statuses = [(503, {})]
        for command in ("explain", "check"):
            outcome = run(command, *targets, "--json", "--no-cache")
            value = json.loads(outcome.out)
            assert len(value["reports"]) == len(targets)
            assert outcome.code in (0, 1, 3)


def test_h04_no_codes_in_a_pipe(tmp_path: Path) -> None:
    folder = str(write(tmp_path / "m", model()))
    for env in ({}, {"FORCE_COLOR": "1", "CLICOLOR_FORCE": "1"}, {"TERM": "dumb", "NO_COLOR": "1"}):
        for words in ((), ("--json",)):
            assert "\x1b" not in shell(folder, *words, env=env).out


@pytest.mark.skipif(sys.platform == "win32", reason="a pseudo-terminal")
@pytest.mark.parametrize(("env", "colored"), [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)])
def test_h04_on_a_terminal(tmp_path: Path, env: dict[str, str], colored: bool) -> None:
    folder = str(write(tmp_path / "m", model({"odd.bias": ("BF16", [2])})))
    assert ("\x1b" in on_terminal(["check", folder], {"TERM": "xterm-256color", **env})) is colored
    assert "\x1b" not in on_terminal([folder, "--json"], {"TERM": "xterm-256color", "FORCE_COLOR": "1"})


def on_terminal(words: list[str], env: dict[str, str], columns: int = 80) -> str:
    import fcntl
    import pty
    import termios

    main_end, end = pty.openpty()
    fcntl.ioctl(end, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    with subprocess.Popen(
        [sys.executable, "-m", "cfgexplain", *words], stdin=end, stdout=end, stderr=end, env={**os.environ, **env}
    ):
        os.close(end)
        out = b""
        while True:
            try:
                piece = os.read(main_end, 65_536)
            except OSError:
                break
            if not piece:
                break
            out += piece
    os.close(main_end)
    return out.decode("utf-8", "replace")


@pytest.mark.skipif(sys.platform == "win32", reason="a pseudo-terminal")
def test_h05_names_stay_whole(tmp_path: Path) -> None:
    name = "model.layers.0.mlp.gate_proj.a_name_that_is_longer_than_any_column_of_any_table.weight"
    folder = str(write(tmp_path / "m", model({name: ("BF16", [2])})))
    for columns in ("40", "80", "200"):
        assert name in shell("check", folder, env={"COLUMNS": columns}).out
    shown = on_terminal(["check", folder], {"TERM": "xterm", "NO_COLOR": "1"}, 40)
    assert name in shown.replace("\r\n", "").replace(" ", "")


@pytest.mark.skipif(not os.path.exists("/bin/bash"), reason="a shell of POSIX")
def test_h07_a_reader_that_leaves(tmp_path: Path) -> None:
    many = {f"model.layers.{i}.extra.{j}": ("BF16", [1]) for i in range(80) for j in range(20)}
    folder = str(write(tmp_path / "m", model(many)))
    for words in ("", "--json --tensors", "check"):
        words = f"check {folder}" if words == "check" else f"{folder} {words}"
        command = f"{sys.executable} -m cfgexplain {words} | head -1; echo ${{PIPESTATUS[0]}}"
        done = subprocess.run(["/bin/bash", "-c", command], capture_output=True, timeout=60, check=False)
        assert b"Traceback" not in done.stderr
        assert b"BrokenPipe" not in done.stderr
        assert b"\x1b" not in done.stdout
        assert int(done.stdout.split()[-1]) in (0, 1, 141)


def test_h08_many_unexpected_tensors_are_one_line(tmp_path: Path) -> None:
    experts = {
        f"model.layers.61.mlp.experts.{e}.{p}_proj.weight": ("BF16", [2, 2])
        for e in range(256)
        for p in ("gate", "up", "down")
    }
    folder = write(tmp_path / "m", model(experts))
    outcome: Outcome = run("check", str(folder))
    lines = [line for line in outcome.out.splitlines() if "experts" in line]
    assert 1 <= len(lines) <= 6, lines
    assert "{0-255}" in outcome.out or "{0..255}" in outcome.out or "768" in outcome.out
    full = report(folder)["findings"]
    assert any("experts" in t for f in full for t in f["tensors"])


def test_h08_ninety_thousand_tensors_in_seconds(tmp_path: Path) -> None:
    import time

    experts = {
        f"model.layers.{i}.mlp.experts.{e}.{p}_proj.weight": ("BF16", [2, 2])
        for i in range(118)
        for e in range(256)
        for p in ("gate", "up", "down")
    }
    folder = write(tmp_path / "m", model(experts))
    began = time.monotonic()
    outcome = run("check", str(folder))
    assert time.monotonic() - began < 30
    assert len(outcome.out) < 20_000


def test_the_sound_model_is_sound(tmp_path: Path) -> None:
    """What all of the above start from has nothing of its own to report."""
    found = findings(write(tmp_path / "m", model()))
    assert set(found) <= {"eps-missing", "intermediate-size-alignment"}, found
    assert checkpoint(SMALL).config is not None
