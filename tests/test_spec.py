"""What a TARGET means: every form that people paste, and what no target can be."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from cfgexplain.errors import CfgexplainError
from cfgexplain.sources import dedupe_targets
from cfgexplain.sources.spec import Spec, parse_target

if TYPE_CHECKING:
    from pathlib import Path


def parse(text: str, revision: str | None = None, subfolder: str | None = None, on_disk: tuple[str, ...] = ()) -> Spec:
    return parse_target(text, revision=revision, subfolder=subfolder, exists=lambda p: p in on_disk)


@pytest.fixture(autouse=True)
def _no_endpoint(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HF_ENDPOINT", raising=False)


@pytest.mark.parametrize(
    ("text", "repo_id", "revision", "subfolder", "file"),
    [
        ("org/name", "org/name", None, None, None),
        ("org/name/", "org/name", None, None, None),
        (" org/name ", "org/name", None, None, None),
        ("gpt2", "gpt2", None, None, None),
        ("gpt2@main", "gpt2", "main", None, None),
        ("org/name@v1.0", "org/name", "v1.0", None, None),
        ("org/name@refs/pr/11", "org/name", "refs/pr/11", None, None),
        ("Org-1/na_me.v2-7b", "Org-1/na_me.v2-7b", None, None, None),
        ("https://huggingface.co/org/name", "org/name", None, None, None),
        ("HTTPS://HuggingFace.co/org/name", "org/name", None, None, None),
        ("https://huggingface.co/org/name/", "org/name", None, None, None),
        ("https://huggingface.co/org/name?library=transformers#x", "org/name", None, None, None),
        ("https://hf.co/gpt2", "gpt2", None, None, None),
        ("https://huggingface.co/gpt2/tree/main", "gpt2", "main", None, None),
        ("https://huggingface.co/models/org/name", "org/name", None, None, None),
        ("huggingface.co/org/name", "org/name", None, None, None),
        ("https://huggingface.co/org/name.git", "org/name", None, None, None),
        ("https://huggingface.co/org/name/tree/main", "org/name", "main", None, None),
        ("https://huggingface.co/org/name/tree/v2/sub/dir", "org/name", "v2", "sub/dir", None),
        ("https://huggingface.co/org/name/tree/refs%2Fpr%2F3/sub", "org/name", "refs/pr/3", "sub", None),
        ("https://huggingface.co/org/name/tree/refs/pr/3", "org/name", "refs/pr/3", None, None),
        ("https://huggingface.co/org/name/blob/main/config.json", "org/name", "main", None, "config.json"),
        ("https://huggingface.co/org/name/blob/main/te/config.json", "org/name", "main", "te", "config.json"),
        ("https://huggingface.co/org/name/resolve/v1/config.json?download=true", "org/name", "v1", None, "config.json"),
        ("https://huggingface.co/org/name/commit/0123abc", "org/name", "0123abc", None, None),
        ("https://huggingface.co/org/name/discussions/4", "org/name", None, None, None),
        ("hf://org/name@v1/sub", "org/name", "v1", "sub", None),
        ("hf://models/org/name/config.json", "org/name", None, None, "config.json"),
    ],
)
def test_hub_targets(text: str, repo_id: str, revision: str | None, subfolder: str | None, file: str | None) -> None:
    assert parse(text) == Spec(text, "hub", "", repo_id, revision, subfolder, file)


@pytest.mark.parametrize(
    ("endpoint", "text"),
    [
        ("http://127.0.0.1:8090", "http://127.0.0.1:8090/org/name/tree/v1"),
        ("https://mirror.example/hub/", "https://mirror.example/hub/org/name/tree/v1"),
        ("https://mirror.example", "mirror.example/org/name/tree/v1"),
    ],
)
def test_a_mirrors_urls(monkeypatch: pytest.MonkeyPatch, endpoint: str, text: str) -> None:
    monkeypatch.setenv("HF_ENDPOINT", endpoint)
    assert parse(text)[:5] == (text, "hub", "", "org/name", "v1")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "  ",
        "org/name/extra",
        "a b",
        "org//name",
        "org/-name",
        "org/name.",
        "org/na--me",
        "org/..",
        "org/name@",
        "@main",
        "ünïcode/name",
        "org/" + "x" * 97,
        "x" * 5000,
        "org/na\x1b[31mme",
        "org/na\nme",
        "https://example.com/org/name",
        "https://huggingface.co",
        "https://huggingface.co/datasets/org/name",
        "https://huggingface.co/spaces/org/name",
        "https://huggingface.co/org/name/%2e%2e/%2e%2e/x",
        "https://huggingface.co/a%2Fb%2Fc",
        "https://huggingface.co/org/name/tree/main/%2E%2E%2Fx",
        "s3://bucket/name",
        "file:///etc/passwd",
    ],
)
def test_what_no_target_can_be(text: str) -> None:
    with pytest.raises(CfgexplainError) as caught:
        parse(text)
    assert caught.value.kind == "usage"
    assert (caught.value.message + caught.value.hint).isprintable()


@pytest.mark.parametrize(
    "text",
    [
        "./does/not/exist",
        "../x",
        ".hidden",
        "/no/such",
        "~/models/x/",
        "C:\\models\\llama",
        "c:/models",
        "models\\llama",
        "\\\\server\\share",
        "config.json",
        "sub/config.json",
        "a/b/c/model.safetensors",
        "x.json.gz",
        "model-q4.GGUF",
    ],
)
def test_a_path_that_is_not_there_never_goes_to_the_hub(text: str) -> None:
    with pytest.raises(CfgexplainError, match="no such file or directory") as caught:
        parse(text)
    assert caught.value.kind == "not-found"


def test_what_is_on_disk_is_local(monkeypatch: pytest.MonkeyPatch) -> None:
    for text in ("gpt2", "org/name", "org/name@v1", "check", "a b", "C:\\x", "https://huggingface.co/a/b"):
        assert parse(text, on_disk=(text,)) == Spec(text, "path", path=text)
    monkeypatch.setenv("HOME", "/home/u")
    monkeypatch.setenv("USERPROFILE", "/home/u")
    assert parse("~/m", on_disk=("/home/u/m",)).path == "/home/u/m"


def test_stdin_and_examples() -> None:
    assert parse("-", on_disk=("-",)).kind == "stdin"
    assert parse("example:llama-2-7b") == Spec("example:llama-2-7b", "example", path="llama-2-7b")


def test_options_fill_in_and_may_not_disagree() -> None:
    assert parse("org/name", revision="v1", subfolder="a/b/")[4:6] == ("v1", "a/b")
    assert parse("org/name@v1", revision="v1").revision == "v1"
    for kwargs in (
        {"revision": "v2"},
        {"revision": " "},
        {"subfolder": "../x"},
        {"subfolder": "/x"},
        {"subfolder": "C:x"},
    ):
        with pytest.raises(CfgexplainError) as caught:
            parse("org/name@v1", **kwargs)
        assert caught.value.kind == "usage"


def test_files_of_one_folder_are_one_target(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in ("a", "b", "c"):
        (tmp_path / folder).mkdir()
    for name in (
        "a/config.json",
        "a/model-00001-of-00002.safetensors",
        "a/other.json",
        "b/x.safetensors",
        "b/y.safetensors",
    ):
        (tmp_path / name).write_bytes(b"{}")
    (tmp_path / "c/model.safetensors.index.json").write_bytes(b"{}")
    (tmp_path / "c/model-00001-of-00001.safetensors").write_bytes(b"{}")
    monkeypatch.chdir(tmp_path)
    targets = [
        "a/config.json", "a/model-00001-of-00002.safetensors", "a", "./a/", "a/other.json",
        "b/x.safetensors", "b/y.safetensors",
        "c/model-00001-of-00001.safetensors", "c/model.safetensors.index.json",
        "org/name", "org/name", "-", "example:x", "absent.json",
    ]  # fmt: skip
    assert dedupe_targets(targets) == [
        "a/config.json", "a/other.json", "b/x.safetensors", "b/y.safetensors",
        "c/model-00001-of-00001.safetensors", "org/name", "-", "example:x", "absent.json",
    ]  # fmt: skip
