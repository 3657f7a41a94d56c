"""A tiny real checkpoint saved by safetensors, whole and damaged: the right finding each, and nothing else."""

from __future__ import annotations

import ctypes
import json
import math
import struct
from typing import TYPE_CHECKING

import pytest

import cli as command
from corpus import cases

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

safetensors = pytest.importorskip("safetensors")


def save(folder: Path, names: list[str], file: str, prefix: str = "") -> None:
    """Writes the named tensors of the Llama case with the library itself, all zeros."""
    header = cases()["llama"]["header"]
    # One buffer is enough for zeros, and it lives until the library has written them.
    zeros = ctypes.create_string_buffer(1 << 20)
    tensors = {}
    for n in names:
        shape = header[n]["shape"] if n in header else [176]
        tensors[prefix + n] = safetensors.TensorSpec(
            dtype="bfloat16", shape=shape, data_ptr=ctypes.addressof(zeros), data_len=2 * math.prod(shape)
        )
    safetensors.serialize_file(tensors, folder / file, None)


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """A whole model in one file."""
    (tmp_path / "config.json").write_text(json.dumps(cases()["llama"]["config"], indent=2))
    save(tmp_path, list(cases()["llama"]["header"]), "model.safetensors")
    return tmp_path


@pytest.fixture
def sharded(tmp_path: Path) -> Path:
    """The same model in two shards with an index."""
    names = list(cases()["llama"]["header"])
    parts = {"model-00001-of-00002.safetensors": names[:15], "model-00002-of-00002.safetensors": names[15:]}
    (tmp_path / "config.json").write_text(json.dumps(cases()["llama"]["config"], indent=2))
    total = 0
    for file, some in parts.items():
        save(tmp_path, some, file)
        with (tmp_path / file).open("rb") as f:
            length = struct.unpack("<Q", f.read(8))[0]
        total += (tmp_path / file).stat().st_size - 8 - length
    weight_map = {n: file for file, some in parts.items() for n in some}
    write_index(tmp_path, weight_map, total)
    return tmp_path


def write_index(folder: Path, weight_map: dict[str, str], total: int) -> None:
    """Writes the index."""
    text = json.dumps({"metadata": {"total_size": total}, "weight_map": weight_map}, indent=1)
    (folder / "model.safetensors.index.json").write_text(text)


def alarms(folder: Path) -> list[str]:
    """Names of errors and warnings, and the exit code of ``check`` where it is not 0 or 1."""
    out = command.run("check", str(folder), "--format", "jsonl")
    assert out.code in (0, 1), out.err
    report = json.loads(out.out)
    found = [f["name"] for f in report["findings"] if f["severity"] != "note"]
    assert out.code == (1 if any(f["severity"] == "error" for f in report["findings"]) else 0)
    return found


def test_sound_in_one_file(model: Path) -> None:
    assert alarms(model) == []


def test_sound_in_shards(sharded: Path) -> None:
    assert alarms(sharded) == []


@pytest.mark.parametrize("entry", ["config.json", "model.safetensors.index.json", "model-00002-of-00002.safetensors"])
def test_any_file_of_a_model_is_the_model(sharded: Path, entry: str) -> None:
    out = command.run("check", str(sharded / entry), "--format", "jsonl")
    report = json.loads(out.out)
    assert report["params"]["total"] == cases()["llama"]["expect"]["params_total"]
    assert len(report["target"]["weight_files"]) == 2


def edit_header(path: Path, change: Callable[[dict[str, object]], None]) -> None:
    """Changes a file's header in place, with the data kept as it is."""
    data = path.read_bytes()
    n = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8 : 8 + n])
    change(header)
    raw = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(raw)) + raw + data[8 + n :])


def test_truncated(model: Path) -> None:
    file = model / "model.safetensors"
    file.write_bytes(file.read_bytes()[:-1000])
    assert alarms(model) == ["truncated-file"]


@pytest.mark.parametrize(
    ("gone", "finding"),
    [
        ("model.norm.weight", "missing-final-norm"),
        ("model.layers.1.input_layernorm.weight", "missing-layer-norm"),
        ("model.layers.1.mlp.up_proj.weight", "incomplete-ffn"),
        ("model.layers.2.self_attn.k_proj.weight", "missing-tensor"),
        ("lm_head.weight", "tied-head-conflict"),
        ("model.layers.1.", "layer-count-mismatch"),
    ],
)
def test_dropped(tmp_path: Path, gone: str, finding: str) -> None:
    (tmp_path / "config.json").write_text(json.dumps(cases()["llama"]["config"]))
    save(tmp_path, [n for n in cases()["llama"]["header"] if not n.startswith(gone)], "model.safetensors")
    assert alarms(tmp_path) == [finding]


@pytest.mark.parametrize(
    ("name", "finding"),
    [
        ("model.layers.0.mlp.up_proj.bias", "unexpected-bias"),
        ("model.layers.0.self_attn.q_proj.bias", "unexpected-bias"),
        ("model.norm.bias", "unexpected-bias"),
        ("model.layers.0.mlp.extra.weight", "unexpected-tensor"),
    ],
)
def test_added(tmp_path: Path, name: str, finding: str) -> None:
    (tmp_path / "config.json").write_text(json.dumps(cases()["llama"]["config"]))
    save(tmp_path, [*cases()["llama"]["header"], name], "model.safetensors")
    assert alarms(tmp_path) == [finding]


def test_reshaped(model: Path) -> None:
    def change(header: dict[str, object]) -> None:
        t = header["model.layers.1.mlp.down_proj.weight"]
        assert isinstance(t, dict)
        t["shape"] = t["shape"][::-1]

    edit_header(model / "model.safetensors", change)
    assert alarms(model) == ["shape-mismatch"]


def test_renamed_with_a_wrapper(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps(cases()["llama"]["config"]))
    save(tmp_path, list(cases()["llama"]["header"]), "model.safetensors", "_orig_mod.")
    assert alarms(tmp_path) == ["wrapped-names"]


def test_a_missing_shard_is_one_finding(sharded: Path) -> None:
    (sharded / "model-00002-of-00002.safetensors").unlink()
    assert alarms(sharded) == ["index-missing-shard"]


def test_a_stale_index_entry(sharded: Path) -> None:
    index = json.loads((sharded / "model.safetensors.index.json").read_text())
    index["weight_map"]["model.layers.9.old.weight"] = "model-00001-of-00002.safetensors"
    (sharded / "model.safetensors.index.json").write_text(json.dumps(index))
    assert alarms(sharded) == ["index-tensor-mismatch"]


def test_a_wrong_total_size(sharded: Path) -> None:
    index = json.loads((sharded / "model.safetensors.index.json").read_text())
    index["metadata"]["total_size"] += 2
    (sharded / "model.safetensors.index.json").write_text(json.dumps(index))
    assert alarms(sharded) == ["index-total-size"]


def test_a_shard_outside_the_folder_is_not_opened(sharded: Path) -> None:
    index = json.loads((sharded / "model.safetensors.index.json").read_text())
    index["weight_map"]["evil.weight"] = "../../../etc/passwd"
    (sharded / "model.safetensors.index.json").write_text(json.dumps(index))
    assert alarms(sharded) == ["unsafe-shard-path"]


def test_an_lfs_pointer_leaves_the_config_to_be_checked(model: Path) -> None:
    (model / "model.safetensors").write_text(
        "version https://git-lfs.github.com/spec/v1\noid sha256:" + "0" * 64 + "\nsize 9953362604\n"
    )
    config = json.loads((model / "config.json").read_text())
    config["rms_norm_eps"] = 0
    (model / "config.json").write_text(json.dumps(config))
    assert sorted(alarms(model)) == ["eps-invalid", "weights-not-fetched"]
