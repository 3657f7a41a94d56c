"""Skeletons keep config and tensors, stay small and diffable, and cannot be made to hurt."""

from __future__ import annotations

import gzip
import json
import time
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cfgexplain.checkpoint import Checkpoint, ConfigFile, Target, Tensor, WeightFile
from cfgexplain.errors import CfgexplainError
from cfgexplain.sources import Options, list_examples, open_target
from cfgexplain.sources import examples as examples_module
from cfgexplain.sources.skeleton import data_bytes, dump_skeleton, load_skeleton
from weights import CONFIG, sharded, write

if TYPE_CHECKING:
    from pathlib import Path

TARGET = Target("x", "skeleton")


def tensor(name: str, dtype: str = "BF16", shape: tuple[int, ...] = (4, 4), file: str = "m.safetensors") -> Tensor:
    return Tensor(name, dtype, shape, data_bytes(dtype, shape) or 0, file)


def checkpoint(tensors: list[Tensor]) -> Checkpoint:
    files = tuple(WeightFile(f, None, None, None) for f in dict.fromkeys(t.file for t in tensors))
    return Checkpoint(Target("x", "directory"), ConfigFile("config.json", "", CONFIG), tuple(tensors), files)


def test_a_folder_comes_back_from_its_skeleton(tmp_path: Path) -> None:
    before = open_target(str(write(tmp_path / "m", sharded(3))), Options())
    text = dump_skeleton(before)
    for name, data in (("s.json", text.encode()), ("s.json.gz", gzip.compress(text.encode()))):
        (tmp_path / name).write_bytes(data)
        after = open_target(str(tmp_path / name), Options())
        assert after.target.kind == "skeleton"
        assert before.config is not None
        assert after.config is not None
        assert after.config.value == before.config.value
        assert set(after.tensors or ()) == set(before.tensors or ())
        assert after.weight_files == before.weight_files
        assert after.index is not None
        assert after.index == before.index
        assert (after.complete, after.problems) == (True, ())
        assert dump_skeleton(after) == text
        assert open_target(str(tmp_path / name), Options(config_only=True)).tensors is None


def test_one_pattern_and_one_key_a_line() -> None:
    tensors = [tensor(f"l.{i}.w") for i in range(12)] + [tensor("e", "F4", (2, 8)), tensor("odd", "F7_NEW", (3,))]
    lines = dump_skeleton(checkpoint(tensors)).splitlines()
    assert '"l.{0-11}.w": ["BF16",[4,4]],' in lines
    assert '"odd": ["F7_NEW",[3],0,0]' in lines
    assert '"hidden_size": 4,' in lines


def test_without_weights_or_config() -> None:
    c = load_skeleton(dump_skeleton(Checkpoint(TARGET, None)).encode(), "x", TARGET)
    assert (c.config, c.tensors) == (None, None)
    c = load_skeleton(dump_skeleton(Checkpoint(TARGET, None, (), complete=False)).encode(), "x", TARGET)
    assert (c.tensors, c.complete) == ((), False)


_names = st.lists(
    st.sampled_from(["a", "0", "1", "2", "17", "{0-3}", "{", "é", "\u202e", '"', "%s"]), min_size=1, max_size=4
)


@settings(max_examples=200, deadline=None)
@given(
    st.dictionaries(
        _names.map(".".join),
        st.tuples(st.sampled_from(["BF16", "F4", "NEW"]), st.lists(st.integers(0, 9), max_size=3)),
        max_size=30,
    )
)
def test_any_names_come_back(table: dict[str, tuple[str, list[int]]]) -> None:
    before = [
        Tensor(n, d, tuple(s), data_bytes(d, tuple(s)) or 7, f"{len(s)}.safetensors") for n, (d, s) in table.items()
    ]
    text = dump_skeleton(checkpoint(before))
    after = load_skeleton(text.encode(), "x", TARGET)
    assert set(after.tensors or ()) == set(before)
    assert dump_skeleton(checkpoint(before[::-1])).count("\n") == text.count("\n")


def test_ninety_thousand_tensors_stay_small() -> None:
    tensors = []
    for i in range(3, 62):
        for j in range(256):
            file = f"model-{(i - 3) * 163 // 59 + j * 3 // 256 + 1:05d}-of-00163.safetensors"
            for m in ("gate", "up", "down"):
                tensors.append(
                    tensor(f"model.layers.{i}.mlp.experts.{j}.{m}_proj.weight", "F8_E4M3", (2048, 7168), file)
                )
                tensors.append(
                    tensor(f"model.layers.{i}.mlp.experts.{j}.{m}_proj.weight_scale_inv", "F32", (16, 56), file)
                )
    began = time.perf_counter()
    text = dump_skeleton(checkpoint(tensors)).encode()
    assert len(tensors) > 90_000
    assert len(gzip.compress(text)) < 100_000
    assert len(load_skeleton(text, "x", TARGET).tensors or ()) == len(tensors)
    assert time.perf_counter() - began < 6


def skeleton(**keys: object) -> bytes:
    return json.dumps({"cfgexplain_skeleton": 1, **keys}).encode()


@pytest.mark.parametrize(
    ("data", "word"),
    [
        (b'{"cfgexplain_skeleton": 1', "not JSON"),
        (b'["cfgexplain_skeleton"]', "no skeleton"),
        (b'{"cfgexplain_skeleton": 1, "config": "\xff"}', "UTF-8"),
        (b'{"cfgexplain_skeleton": 1, "config": ' + b"[" * 200_000, "nesting"),
        (b'{"cfgexplain_skeleton": 1, "x": ' + b"1" * 10_000 + b"}", "numbers"),
        (skeleton(cfgexplain_skeleton=True), "version"),
        (skeleton(config=[1]), "config"),
        (skeleton(files={"a": 1}), "files"),
        (skeleton(files=[["a", -1]]), "size"),
        (skeleton(source={"repo_id": 7}), "repo_id"),
        (skeleton(tensors=[1]), "tensors"),
        (skeleton(tensors={"a": ["BF16"]}), "dtype, shape"),
        (skeleton(tensors={"a": [1, []]}), "dtype"),
        (skeleton(tensors={"a": ["BF16", [-1]]}), "shape"),
        (skeleton(tensors={"a": ["BF16", [True]]}), "shape"),
        (skeleton(tensors={"a": ["BF16", [1] * 65]}), "shape"),
        (skeleton(tensors={"a": ["BF16", [1], 1]}), "file"),
        (skeleton(tensors={"a.{3-1}": ["BF16", [1]]}), "rising"),
        (skeleton(tensors={"a.{0-999999}.{0-999999}": ["BF16", [1]]}), "5,000,000"),
        (skeleton(tensors={"a.{0-4}": ["BF16", [1]], "a.3": ["F32", [1]]}), "twice"),
        (b"\x1f\x8b" + b"x" * 50, "gzip"),
        (gzip.compress(skeleton(config={}))[:-9], "too early"),
        (gzip.compress(skeleton()[:-1] + b" " * 210_000_000 + b"}", 1), "larger than"),
    ],
)
def test_broken_skeletons(data: bytes, word: str) -> None:
    with pytest.raises(CfgexplainError, match=word) as caught:
        load_skeleton(data, "s.json", TARGET)
    assert caught.value.kind == "unreadable"


def test_a_newer_version_says_so() -> None:
    with pytest.raises(CfgexplainError, match="version 2") as caught:
        load_skeleton(skeleton(cfgexplain_skeleton=2), "s.json", TARGET)
    assert caught.value.kind == "unsupported"


def test_examples_are_found_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tiny-1b.json").write_text(dump_skeleton(checkpoint([tensor("a")])))
    (tmp_path / "README.md").write_text("")
    monkeypatch.setattr(examples_module, "_FOLDER", str(tmp_path))
    assert list_examples() == ["tiny-1b"]
    c = open_target("example:tiny-1b", Options())
    assert (c.target.kind, c.target.input, len(c.tensors or ())) == ("example", "example:tiny-1b", 1)
    for name in ("tiny", "../tiny-1b", "", "x\x1b"):
        with pytest.raises(CfgexplainError) as caught:
            open_target(f"example:{name}", Options())
        assert caught.value.kind == "not-found"
        assert name != "tiny" or "tiny-1b" in caught.value.hint


def test_every_example_in_the_package_loads() -> None:
    for name in list_examples():
        c = open_target(f"example:{name}", Options())
        assert c.config is not None
        assert c.tensors


# --- what was wrong ---


def broken(folder: Path) -> dict[str, Path]:
    """Models with one fault each, by its check."""
    files = sharded(3)
    shard = "model-00002-of-00003.safetensors"
    index_name = "model.safetensors.index.json"
    value = json.loads(files[index_name])

    def index(**changes: object) -> dict[str, bytes]:
        return {**files, index_name: json.dumps({**value, **changes}).encode()}

    config = files["config.json"]
    models = {
        "index-missing-shard": {k: v for k, v in files.items() if k != shard},
        "truncated-file": {**files, shard: files[shard][:-8]},
        "weights-not-fetched": {
            **files,
            shard: b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"0" * 64 + b"\nsize 4000\n",
        },
        "index-total-size": index(metadata={"total_size": "12"}),
        "unsafe-shard-path": index(weight_map={**value["weight_map"], "ghost": "../x.safetensors"}),
        "index-tensor-mismatch": index(weight_map={**value["weight_map"], "ghost": shard}),
        "duplicate-key": {**files, "config.json": config.replace(b"{", b'{"model_type": "x", ', 1)},
        "non-finite-number": {**files, "config.json": config.replace(b"{", b'{"odd": NaN, ', 1)},
        "invalid-header": {**files, shard: files[shard] + b"    "},
    }
    return {check: write(folder / check, content) for check, content in models.items()}


def test_a_skeleton_tells_the_same_faults_as_what_it_was_made_from(tmp_path: Path) -> None:
    from cfgexplain.inspect import inspect

    for check, folder in broken(tmp_path).items():
        before = open_target(str(folder), Options())
        text = dump_skeleton(before)
        after = load_skeleton(text.encode(), "s.json", TARGET)
        assert check in {p.check for p in before.problems}, check
        assert [p.check for p in after.problems] == [p.check for p in before.problems], check
        assert inspect(after)["findings"] == inspect(before)["findings"], check
        assert after.complete == before.complete, check
        assert dump_skeleton(after) == text, check


def test_faults_of_weights_are_none_of_the_config(tmp_path: Path) -> None:
    models = broken(tmp_path)
    for check, shown in (("duplicate-key", 1), ("truncated-file", 0)):
        data = dump_skeleton(open_target(str(models[check]), Options())).encode()
        assert len(load_skeleton(data, "s.json", TARGET, config_only=True).problems) == shown


@pytest.mark.parametrize(
    "problems",
    [
        {},
        [1],
        [{"check": "truncated-file", "key": "data"}],
        [{"check": "no-such-check", "key": "data", "values": {}}],
        [{"check": "note", "key": "progress", "values": {"done": 1, "asked": 2}, "file": 3}],
        [{"check": "truncated-file", "key": "data", "values": {}}],
        [{"check": "truncated-file", "key": "data", "values": {"file": [], "size": 1}}],
        [{"check": "index-total-size", "key": "differs", "values": {"total_size": "x", "bytes": 2}}],
        [{"check": "index-total-size", "key": "differs", "values": {"total_size": 10**80, "bytes": 2}}],
        [{"check": "index-total-size", "key": "invalid", "values": {"value": "x"}, "tensors": ["a.{0-999999999}"]}],
        [{"check": "index-total-size", "key": "invalid", "values": {"value": "x"}, "tensors": "a"}],
        [{"check": "index-total-size", "key": "invalid", "values": {"value": "x"}, "pointer": ["a"]}],
    ],
)
def test_problems_that_no_reader_saw_are_refused(problems: object) -> None:
    text = json.dumps({"cfgexplain_skeleton": 1, "config": CONFIG, "tensors": {}, "problems": problems})
    with pytest.raises(CfgexplainError) as e:
        load_skeleton(text.encode(), "s.json", TARGET)
    assert e.value.kind == "unreadable"


@pytest.mark.parametrize("listed", [1, [1], [["f"]], [["f", ["a.{0-999999999}"]]], [[1, ["a"]]], [["f", [1]]]])
def test_a_list_of_absent_tensors_is_held_to_its_form(listed: object) -> None:
    index = {"file": "i.json", "listed": listed}
    text = json.dumps({"cfgexplain_skeleton": 1, "config": CONFIG, "tensors": {}, "index": index})
    with pytest.raises(CfgexplainError) as e:
        load_skeleton(text.encode(), "s.json", TARGET)
    assert e.value.kind == "unreadable"
