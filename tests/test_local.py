"""Folders and files on disk: which files are the model, what is wrong with them, and nothing ever hangs."""

from __future__ import annotations

import io
import json
import os
import socket
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from cfgexplain.errors import CfgexplainError, HeaderError
from cfgexplain.lang.en_sources import TEXTS
from cfgexplain.sources import Options, open_target
from weights import CONFIG, index, layer, safetensors, sharded, single, write

if TYPE_CHECKING:
    from cfgexplain.checkpoint import Checkpoint, Problem

needs_posix = pytest.mark.skipif(sys.platform == "win32", reason="links, FIFOs and permissions of POSIX")
LFS = b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"0" * 64 + b"\nsize 9953362604\n"


def load(path: Path, **options: object) -> Checkpoint:
    c = open_target(str(path), Options(**options))  # type: ignore[arg-type]
    for p in c.problems:
        if f"finding.{p.check}.{p.key}" in TEXTS:
            for template in TEXTS[f"finding.{p.check}.{p.key}"]:
                assert template.format(**{"examples": "", **p.values})
    for n in c.notes:
        assert TEXTS[f"note.{n.key}"][0].format(**n.values)
    return c


def error(path: Path, **options: object) -> CfgexplainError:
    with pytest.raises(CfgexplainError) as caught:
        load(path, **options)
    assert caught.value.message.isprintable()
    return caught.value


def problem(c: Checkpoint) -> Problem:
    assert len(c.problems) == 1, c.problems
    return c.problems[0]


def names(c: Checkpoint) -> set[str]:
    return {t.name for t in c.tensors or ()}


# Which files are the model.


def test_single_and_sharded(tmp_path: Path) -> None:
    one = load(write(tmp_path / "one", single()))
    many = load(write(tmp_path / "many", sharded()))
    for c in (one, many):
        assert names(c) == set(layer(0) | layer(1))
        assert (c.problems, c.notes, c.complete, c.target.kind) == ((), (), True, "directory")
        assert c.config is not None
        assert c.config.value == CONFIG
        assert all(f.bytes and f.header_bytes and f.tensors for f in c.weight_files)
    assert one.index is None
    assert many.index is not None
    assert many.index.total_size == 384


@pytest.mark.parametrize("named", ["config.json", "model.safetensors.index.json", "model-00002-of-00002.safetensors"])
def test_a_file_of_a_model_is_its_folder(tmp_path: Path, named: str) -> None:
    c = load(write(tmp_path, sharded()) / named)
    assert names(c) == set(layer(0) | layer(1))
    assert c.target.kind == "directory"


def test_an_index_and_its_shards_need_no_config(tmp_path: Path) -> None:
    files = sharded()
    del files["config.json"]
    write(tmp_path, files)
    for name in ("model.safetensors.index.json", "model-00001-of-00002.safetensors"):
        c = load(tmp_path / name)
        assert (c.config, len(names(c))) == (None, 6)


def test_a_lone_weight_file_has_no_config(tmp_path: Path) -> None:
    write(tmp_path, {"x.safetensors": safetensors(layer(0)), "y-00001-of-00002.safetensors": safetensors(layer(1))})
    c = load(tmp_path / "x.safetensors")
    assert (c.target.kind, c.config, len(names(c)), c.complete) == ("file", None, 3, True)
    assert not load(tmp_path / "y-00001-of-00002.safetensors").complete


def test_config_only_and_a_config_alone(tmp_path: Path) -> None:
    assert load(write(tmp_path / "m", single()), config_only=True).tensors is None
    write(tmp_path / "c", {"config.json": b"{}", "my.json": json.dumps(CONFIG).encode()})
    for path in (tmp_path / "c/config.json", tmp_path / "c/my.json"):
        c = load(path)
        assert (c.target.kind, c.tensors) == ("file", None)
    assert load(tmp_path / "c").tensors is None


@pytest.mark.parametrize(
    ("files", "read", "unused"),
    [
        (["model.safetensors", "consolidated.safetensors"], ["model.safetensors"], True),
        (["consolidated.safetensors"], ["consolidated.safetensors"], False),
        (["consolidated.00.safetensors", "consolidated.01.safetensors"], None, False),
        (["diffusion_pytorch_model.safetensors"], ["diffusion_pytorch_model.safetensors"], False),
        (["weights.safetensors"], ["weights.safetensors"], False),
        (["weights.safetensors", "adapter_model.safetensors"], ["weights.safetensors"], False),
        (["model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"], None, False),
        (["model.safetensors", "model.fp16.safetensors"], ["model.safetensors"], True),
        (["model.fp16.safetensors"], ["model.fp16.safetensors"], False),
        (["model.fp16-00001-of-00001.safetensors"], ["model.fp16-00001-of-00001.safetensors"], False),
    ],
)
def test_choice_without_an_index(tmp_path: Path, files: list[str], read: list[str] | None, unused: bool) -> None:
    contents = {f: safetensors(layer(i)) for i, f in enumerate(files)}
    c = load(write(tmp_path, {"config.json": b"{}", **contents}))
    assert [f.name for f in c.weight_files] == (files if read is None else read)
    assert [p.check for p in c.problems] == (["unreferenced-weights"] if unused else [])
    assert [n.key for n in c.notes] == (["variant"] if "fp16" in files[-1] and not unused else [])


def test_several_sets_are_listed_and_a_named_one_is_read(tmp_path: Path) -> None:
    files = {f: safetensors(layer(0)) for f in ("model.fp16.safetensors", "model.bf16.safetensors")}
    write(tmp_path, {"config.json": b"{}", **files})
    e = error(tmp_path)
    assert e.kind == "unsupported"
    assert "model.bf16.safetensors" in e.message
    assert "model.fp16.safetensors" in e.message
    assert [f.name for f in load(tmp_path / "model.fp16.safetensors").weight_files] == ["model.fp16.safetensors"]
    c = load(tmp_path / "config.json")
    assert (c.tensors, [n.key for n in c.notes]) == (None, ["weights-skipped"])


def test_an_index_of_a_variant_and_of_a_diffusers_part(tmp_path: Path) -> None:
    for old, new, name in (
        ("model-", "model.fp16-", "model.safetensors.index.fp16.json"),
        ("model-", "diffusion_pytorch_model-", "diffusion_pytorch_model.safetensors.index.json"),
    ):
        files = {f.replace(old, new): d for f, d in sharded().items()}
        files[name] = files.pop("model.safetensors.index.json").replace(old.encode(), new.encode())
        c = load(write(tmp_path / name, files))
        assert c.index is not None
        assert c.index.file == name
        assert (len(names(c)), c.problems) == (6, ())


def test_subfolder(tmp_path: Path) -> None:
    write(tmp_path, {f"te/{k}": v for k, v in single().items()} | {"model_index.json": b"{}"})
    assert len(names(load(tmp_path, subfolder="te"))) == 6
    e = error(tmp_path)
    assert e.kind == "unsupported"
    assert "--subfolder te" in e.hint
    assert error(tmp_path, subfolder="nope").kind == "not-found"


# What is no model.


@pytest.mark.parametrize(
    ("files", "kind", "word"),
    [
        ({}, "no-config", "empty"),
        ({"notes.txt": b""}, "no-config", "no config.json"),
        ({"model.safetensors": safetensors(layer(0))}, "no-config", "no config.json"),
        ({"adapter_config.json": b"{", "adapter_model.safetensors": b""}, "unsupported", "adapter"),
        ({"x.Q4.gguf": b""}, "unsupported", "GGUF"),
        ({"config.json": b"{}", "x.gguf": b""}, "unsupported", "GGUF"),
        ({"config.json": b"{}", "pytorch_model.bin": b""}, "unsupported", "pickle"),
        ({"params.json": b"{}", "consolidated.00.pth": b""}, "unsupported", "pickle"),
        ({"config.json": b"{}", "tf_model.h5": b""}, "no-weights", "safetensors"),
        ({"a/config.json": b"{}", "b/config.json": b"{}"}, "no-config", "a, b"),
    ],
)
def test_folders_that_hold_no_model(tmp_path: Path, files: dict[str, bytes], kind: str, word: str) -> None:
    e = error(write(tmp_path, files))
    assert e.kind == kind
    assert word in e.message
    assert e.hint
    if "config.json" in files:
        assert load(tmp_path / "config.json").tensors is None
        assert load(tmp_path, config_only=True).tensors is None


def test_training_files_are_no_weights(tmp_path: Path) -> None:
    assert load(write(tmp_path, {"config.json": b"{}", "training_args.bin": b"", "optimizer.pt": b""})).tensors is None


@pytest.mark.parametrize(
    ("name", "data", "kind"),
    [
        ("adapter_config.json", b"{}", "unsupported"),
        ("model_index.json", b"{}", "unsupported"),
        ("x.gguf", b"GGUF\x03\0\0\0", "unsupported"),
        ("x.bin", b"\x80\x02}q\0.", "unsupported"),
        ("config.json", LFS, "unreadable"),
        ("config.json", b"", "invalid-config"),
        ("config.json", b"[]", "invalid-config"),
        ("config.json", b"{" + b" " * 10_000_000 + b"}", "unreadable"),
        ("x.safetensors", b"", "invalid-header"),
        ("x.safetensors", b"\xff" * 100, "invalid-header"),
        ("model.safetensors.index.json", b"[]", "invalid-index"),
        ("model.safetensors.index.json", b'{"weight_map": {}}', "invalid-index"),
        ("model.safetensors.index.json", b'{"weight_map": {"a": 1}}', "invalid-index"),
        ("model.safetensors.index.json", b'{"weight_map": ' + b"[" * 99_999, "invalid-index"),
    ],
)
def test_single_files_that_cannot_be_read(tmp_path: Path, name: str, data: bytes, kind: str) -> None:
    write(tmp_path, {name: data})
    e = error(tmp_path / name)
    assert e.kind == kind
    assert name in e.message or kind == "invalid-config"


# Faults of index and shards.


def test_a_missing_shard_is_one_problem(tmp_path: Path) -> None:
    files = sharded(3)
    del files["model-00003-of-00003.safetensors"]
    c = load(write(tmp_path, files))
    p = problem(c)
    assert (p.check, p.key, p.file) == ("index-missing-shard", "some", "model.safetensors.index.json")
    assert set(p.tensors) == {f"model.layers.2.mlp.{m}_proj.weight" for m in ("down", "gate", "up")}
    assert p.values["tensors"] == 3
    assert not c.complete
    assert [f.tensors for f in c.weight_files] == [3, 3, None]
    (tmp_path / "x.incomplete").write_bytes(b"")
    assert problem(load(tmp_path)).key == "incomplete"


def test_a_stale_index_names_the_set_that_is_there(tmp_path: Path) -> None:
    files = sharded(30)
    shards = [f for f in files if "-of-" in f]
    for f in shards:
        del files[f]
    files |= {f"model-{i:05d}-of-00015.safetensors": safetensors(layer(i)) for i in range(1, 16)}
    c = load(write(tmp_path, files))
    p = problem(c)
    assert (p.check, p.key) == ("index-missing-shard", "stale")
    assert (p.values["count"], p.values["others"], c.tensors) == (30, 15, None)


def test_a_set_without_an_index_misses_a_member(tmp_path: Path) -> None:
    files = {f"model-0000{i}-of-00003.safetensors": safetensors(layer(i)) for i in (1, 3)}
    c = load(write(tmp_path, {"config.json": b"{}", **files}))
    p = problem(c)
    assert (p.check, p.key, p.values["files"]) == ("index-missing-shard", "set", "model-00002-of-00003.safetensors")
    assert not c.complete


def test_index_and_headers_disagree(tmp_path: Path) -> None:
    files = sharded()
    one, two = "model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"
    weight_map = dict.fromkeys(layer(0), one) | dict.fromkeys(layer(1), one) | {"ghost.0.w": two, "ghost.1.w": two}
    files["model.safetensors.index.json"] = index(weight_map, total_size=1)
    files[two] = safetensors(layer(1) | {"extra.w": ("F32", [1])})
    c = load(write(tmp_path, files))
    assert [(p.check, p.key, p.values["count"]) for p in c.problems] == [
        ("index-tensor-mismatch", "absent", 2),
        ("index-tensor-mismatch", "elsewhere", 3),
        ("index-tensor-mismatch", "unlisted", 1),
    ]
    assert c.problems[0].tensors == ("ghost.0.w", "ghost.1.w")


def test_a_tensor_in_two_shards_counts_once(tmp_path: Path) -> None:
    files = sharded()
    files["model-00002-of-00002.safetensors"] = safetensors(layer(0) | layer(1))
    c = load(write(tmp_path, files))
    assert (problem(c).check, problem(c).key) == ("index-tensor-mismatch", "twice")
    assert len(c.tensors or ()) == 6
    assert {t.file for t in c.tensors or () if ".0." in t.name} == {"model-00001-of-00002.safetensors"}


@pytest.mark.parametrize(
    ("metadata", "checks", "notes"),
    [
        (b'{"total_size": 384}', [], []),
        (b'{"total_size": 384.0}', [], []),
        (b'{"total_size": 385}', ["index-total-size"], []),
        (b'{"total_size": "384"}', ["index-total-size"], []),
        (b'{"total_size": -1}', ["index-total-size"], []),
        (b'{"total_size": true}', ["index-total-size"], []),
        (b'{"total_size": null}', [], ["index-no-total-size"]),
        (b'{"quantization_level": "4"}', [], ["index-no-total-size"]),
        (b"null", [], ["index-no-total-size"]),
    ],
)
def test_total_size(tmp_path: Path, metadata: bytes, checks: list[str], notes: list[str]) -> None:
    files = sharded()
    name = "model.safetensors.index.json"
    files[name] = files[name].replace(b'{"total_size": 384}', metadata)
    c = load(write(tmp_path, files))
    assert [p.check for p in c.problems] == checks
    assert [n.key for n in c.notes] == notes


def test_a_doubled_key_in_the_index(tmp_path: Path) -> None:
    files = sharded()
    name = "model.safetensors.index.json"
    key = b'"model.layers.0.mlp.up_proj.weight": "model-00001-of-00002.safetensors"'
    files[name] = files[name].replace(key, key + b", " + key)
    p = problem(load(write(tmp_path, files)))
    assert (p.check, p.key, p.values["count"]) == ("duplicate-key", "index", 1)


def test_unsafe_paths_are_one_problem_and_are_not_opened(tmp_path: Path) -> None:
    (tmp_path / "outside.safetensors").write_bytes(safetensors(layer(5)))
    unsafe = [
        "../outside.safetensors", str(tmp_path / "outside.safetensors"), "..\\outside.safetensors", "C:\\x", "C:x",
        "https://host/x", "a/../../outside.safetensors", "a//b", "./x", "", "x\0y", "x\ny", "~\x7f",
    ]  # fmt: skip
    weight_map = {f"t.{i}": s for i, s in enumerate(unsafe)} | dict.fromkeys(layer(0), "sub/dir/ok.safetensors")
    files = {"config.json": b"{}", "model.safetensors.index.json": index(weight_map)}
    c = load(write(tmp_path / "m", {**files, "m/sub/x": b"", "sub/dir/ok.safetensors": safetensors(layer(0))}))
    p = problem(c)
    assert (p.check, p.key, p.values["count"]) == ("unsafe-shard-path", "path", len(unsafe))
    assert str(p.values["paths"]).isprintable()
    assert names(c) == set(layer(0))
    assert not c.complete


@needs_posix
def test_links_out_of_the_folder_and_into_the_librarys_blobs(tmp_path: Path) -> None:
    repo = tmp_path / "models--org--name"
    files = sharded()
    write(repo / "blobs", {f.replace(".", "_"): d for f, d in files.items()})
    snapshot = repo / "snapshots" / ("a" * 40)
    snapshot.mkdir(parents=True)
    for f in files:
        (snapshot / f).symlink_to(repo / "blobs" / f.replace(".", "_"))
    assert load(snapshot).problems == ()
    write(tmp_path / "models--org--other" / "blobs", {"x": safetensors(layer(0))})
    shard = snapshot / "model-00001-of-00002.safetensors"
    shard.unlink()
    shard.symlink_to(tmp_path / "models--org--other" / "blobs" / "x")
    p = problem(load(snapshot))
    assert (p.check, p.key, p.values["paths"]) == ("unsafe-shard-path", "link", shard.name)
    inside = write(tmp_path / "inside", sharded())
    (inside / "real.bin").write_bytes((inside / shard.name).read_bytes())
    (inside / shard.name).unlink()
    (inside / shard.name).symlink_to("real.bin")
    assert load(inside).problems == ()


def test_lfs_pointers(tmp_path: Path) -> None:
    files = sharded()
    files["model-00002-of-00002.safetensors"] = LFS
    c = load(write(tmp_path / "shard", files))
    assert (problem(c).check, problem(c).key, problem(c).values["bytes"]) == ("weights-not-fetched", "lfs", 9953362604)
    assert (len(names(c)), c.complete) == (3, False)
    c = load(write(tmp_path / "single", {"config.json": b"{}", "model.safetensors": LFS}))
    assert (problem(c).check, c.tensors, c.complete) == ("weights-not-fetched", None, False)
    files = sharded()
    files["model.safetensors.index.json"] = LFS
    c = load(write(tmp_path / "index", files))
    assert (problem(c).check, c.tensors) == ("weights-not-fetched", None)


def test_a_truncated_shard_and_a_broken_one(tmp_path: Path) -> None:
    files = sharded()
    files["model-00002-of-00002.safetensors"] = safetensors(layer(1), cut=10)
    c = load(write(tmp_path, files))
    assert problem(c).check == "truncated-file"
    assert (len(names(c)), c.complete) == (6, False)
    (tmp_path / "model-00002-of-00002.safetensors").write_bytes(b"\x08\0\0\0\0\0\0\0notjson!")
    with pytest.raises(HeaderError, match="model-00002-of-00002"):
        load(tmp_path)


def test_weights_that_the_index_does_not_name(tmp_path: Path) -> None:
    files = sharded()
    files["model.safetensors"] = safetensors(layer(7))
    c = load(write(tmp_path, files))
    assert (problem(c).check, problem(c).key, problem(c).values["files"]) == (
        "unreferenced-weights",
        "index",
        "model.safetensors",
    )
    assert len(names(c)) == 6


# What a file system may hold.


@needs_posix
@pytest.mark.parametrize("name", ["config.json", "model.safetensors", "model.safetensors.index.json"])
def test_fifos_sockets_and_devices_do_not_hang(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # a socket's path is short
    for kind in ("fifo", "socket", "device", "folder"):
        folder = write(tmp_path / kind, single())
        path = folder / name
        path.unlink(missing_ok=True)
        if kind == "fifo":
            os.mkfifo(path)
        elif kind == "socket":
            with socket.socket(socket.AF_UNIX) as s:
                s.bind(str(path.relative_to(tmp_path)))
        elif kind == "device":
            path.symlink_to("/dev/zero")
        else:
            path.mkdir()
        if kind != "folder":
            assert error(folder).kind == "unreadable"
            assert error(path).kind == "unreadable"
    assert error(Path("/dev/zero")).kind == "unreadable"


@needs_posix
def test_no_permission(tmp_path: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may read everything")
    folder = write(tmp_path / "m", single())
    (folder / "model.safetensors").chmod(0)
    assert error(folder).kind == "unreadable"
    folder.chmod(0)
    assert error(folder).kind == "unreadable"
    folder.chmod(0o700)


@needs_posix
def test_a_dangling_link(tmp_path: Path) -> None:
    (tmp_path / "gone").symlink_to(tmp_path / "nowhere")
    assert error(tmp_path / "gone").kind == "not-found"


def test_odd_names(tmp_path: Path) -> None:
    folder = write(tmp_path / "a [b] ünï", single())
    assert len(names(load(folder))) == 6
    if sys.platform != "win32":
        odd = write(tmp_path / "x\x1b[31my", {"notes": b""})
        assert error(odd).kind == "no-config"


def test_only_headers_are_read(tmp_path: Path) -> None:
    write(tmp_path, single())
    path = tmp_path / "model.safetensors"
    data = path.read_bytes()
    length = int.from_bytes(data[:8], "little")
    raw = json.loads(data[8 : 8 + length])
    raw["big"] = {"dtype": "U8", "shape": [1 << 34], "data_offsets": [384, 384 + (1 << 34)]}
    head = json.dumps(raw).encode()
    with path.open("wb") as f:
        f.write(len(head).to_bytes(8, "little") + head)
        f.truncate(8 + len(head) + 384 + (1 << 34))
    assert len(names(load(tmp_path))) == 7


def test_stdin(monkeypatch: pytest.MonkeyPatch) -> None:
    class Stdin:
        def __init__(self, data: bytes) -> None:
            self.buffer = io.BytesIO(data)

    monkeypatch.setattr(sys, "stdin", Stdin(json.dumps(CONFIG).encode()))
    c = open_target("-", Options())
    assert (c.target.kind, c.target.input, c.tensors) == ("stdin", "-", None)
    assert c.config is not None
    assert c.config.value == CONFIG
    monkeypatch.setattr(sys, "stdin", Stdin(b"x" * 10_000_001))
    with pytest.raises(CfgexplainError, match="larger"):
        open_target("-", Options())
    monkeypatch.setattr(sys, "stdin", Stdin(b'{"cfgexplain_skeleton": 1, "config": {"a": 1}}'))
    assert open_target("-", Options()).config is not None


def test_names_of_lost_tensors_are_folded_once(tmp_path: Path) -> None:
    """A finding's patterns come from names as stored: a pattern folded again would show ``{{0-2}``."""
    from cfgexplain.inspect import inspect

    folder = write(tmp_path / "m", sharded(3))
    gone = next(p for p in sorted(folder.iterdir()) if p.name.startswith("model-00002"))
    gone.unlink()
    found = [
        f for f in inspect(open_target(str(folder), Options()))["findings"] or () if f["name"].startswith("index-")
    ]
    assert [f["name"] for f in found] == ["index-missing-shard"]
    assert found[0]["tensors"]
    assert not [t for t in (*found[0]["tensors"], found[0]["message"]) if "{{" in t]
    lost = tuple(f"l.{i}.w" for i in range(4))
    from cfgexplain.checkpoint import Problem
    from cfgexplain.checks import finding
    from cfgexplain.inspect import subject

    values = {"count": 4, "files": "a"}
    s = subject(open_target(str(folder), Options()))
    assert finding(Problem("index-tensor-mismatch", "absent", values, "i", None, lost), "error", s, "en")[
        "tensors"
    ] == ["l.{0-3}.w"]
