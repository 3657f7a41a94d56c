"""Hub repos: what is asked, what comes out, who sees the token, and each refusal as its own short error."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cfgexplain.sources import Options, open_target
from cfgexplain.sources.http_words import asked_wait
from cfgexplain.sources.transport import Broken, Transport
from hub_fixtures import SECRET, error, load
from hub_server import Faults, Hub, Repo
from weights import CONFIG, Tensors, index, layer, safetensors, sharded, single

# The emulator itself, by the hub library's own client.


def test_the_emulator_serves_the_hub_librarys_client(hub: Hub) -> None:
    from huggingface_hub import HfApi, hf_hub_download

    path = Path(hf_hub_download("org/many", "config.json", endpoint=hub.endpoint))
    assert json.loads(path.read_text()) == CONFIG
    assert path.parent.name == "a" * 40
    api = HfApi(endpoint=hub.endpoint, token=SECRET)
    for repo, count in (("org/one", 1), ("org/many", 3)):
        found = api.get_safetensors_metadata(repo)
        assert len(found.files_metadata) == count
        assert set(found.weight_map) == {t.name for t in load(repo).tensors or ()}
    assert api.model_info("org/one").sha == "a" * 40
    assert not any("authorization" in s.headers for s in hub.seen if s.server == "cdn")


@pytest.mark.parametrize(
    ("repo", "revision", "name"),
    [
        ("org/absent", "main", "RepositoryNotFoundError"),
        ("org/one", "nope", "RevisionNotFoundError"),
        ("org/gated", "main", "GatedRepoError"),
    ],
)
def test_the_emulator_refuses_in_the_hubs_way(hub: Hub, repo: str, revision: str, name: str) -> None:
    from huggingface_hub import errors, hf_hub_download

    hub.repos["org/gated"] = Repo(single(), gated=True)
    with pytest.raises(getattr(errors, name)):
        hf_hub_download(repo, "config.json", revision=revision, endpoint=hub.endpoint)


# What comes out.


def test_a_single_file(hub: Hub) -> None:
    c = load("org/one")
    assert (c.target.kind, c.target.repo_id, c.target.commit) == ("hub", "org/one", "a" * 40)
    assert c.config is not None
    assert c.config.value == CONFIG
    assert {t.name for t in c.tensors or ()} == set(layer(0) | layer(1))
    assert [(f.name, f.tensors) for f in c.weight_files] == [("model.safetensors", 6)]
    assert (c.problems, c.complete) == ((), True)
    assert len([p for p in hub.paths("hub") if "/resolve/" in p]) == 3
    assert len(hub.paths("cdn")) == 1


def test_shards_are_read_by_range_at_the_pinned_commit(hub: Hub) -> None:
    c = load("org/many")
    assert len(c.tensors or ()) == 9
    assert (c.problems, c.complete) == ((), True)
    assert c.index is not None
    shards = [p for p in hub.paths() if "-of-" in p]
    assert len(shards) == 3
    assert all(f"/resolve/{'a' * 40}/" in p for p in shards)
    assert all("range" in s.headers for s in hub.seen if s.server == "cdn")


def test_a_header_longer_than_the_first_range(hub: Hub) -> None:
    tensors = {f"model.layers.{i}.a_rather_long_name_to_fill_the_header": ("F32", [1]) for i in range(3000)}
    files = {"config.json": b"{}", "model.safetensors": safetensors(tensors)}
    hub.repos["org/long"] = Repo(files)
    assert len(load("org/long").tensors or ()) == 3000
    assert len(hub.paths("cdn")) == 2


@pytest.mark.parametrize("fault", ["ignore_range", "no_content_range", "no_headers"])
def test_servers_that_leave_things_out(hub: Hub, fault: str) -> None:
    setattr(hub.faults, fault, True)
    c = load("org/many")
    assert len(c.tensors or ()) == 9
    assert c.problems == ()
    assert c.target.commit == (None if fault == "no_headers" else "a" * 40)


def test_a_legacy_id_follows_its_relative_redirect(hub: Hub) -> None:
    hub.renames["gpt2"] = "org/one"
    assert len(load("gpt2").tensors or ()) == 6


def test_revision_is_encoded_once(hub: Hub) -> None:
    hub.repos["org/one"].revisions = ("main", "refs/pr/11")
    assert load("org/one@refs/pr/11").target.revision == "refs/pr/11"
    assert any("/resolve/refs%2Fpr%2F11/config.json" in p for p in hub.paths())


def test_config_only_asks_for_one_file(hub: Hub) -> None:
    c = load("org/many", config_only=True)
    assert c.tensors is None
    assert hub.paths() == ["/org/many/resolve/main/config.json"]


def test_a_subfolder(hub: Hub) -> None:
    files = {f"text_encoder/{k}": v for k, v in single().items()} | {"model_index.json": b"{}"}
    hub.repos["org/pipe"] = Repo(files)
    assert len(load("org/pipe", subfolder="text_encoder").tensors or ()) == 6
    e = error("org/pipe")
    assert e.kind == "unsupported"
    assert "--subfolder text_encoder" in e.hint


def test_a_quantizers_own_file_is_asked_for_where_the_config_says_nothing(hub: Hub) -> None:
    fp8: Tensors = {f"{n}.weight": ("F8_E4M3", [8, 4]) for n in ("a", "b")}
    said = {"quantization": {"quant_algo": "FP8"}}
    hub.repos["org/modelopt"] = Repo(
        {**single(), "model.safetensors": safetensors(fp8), "hf_quant_config.json": json.dumps(said).encode()}
    )
    assert load("org/modelopt").extra == {"hf_quant_config.json": said}
    declared = {**CONFIG, "quantization_config": {"quant_method": "fp8"}}
    hub.repos["org/declared"] = Repo(
        {"config.json": json.dumps(declared).encode(), "model.safetensors": safetensors(fp8)}
    )
    assert load("org/declared").extra == {}
    load("org/one")
    assert {s.path.partition("/resolve/")[0] for s in hub.seen if "quant" in s.path} == {"/org/modelopt"}


def test_a_quantizers_file_that_cannot_be_had_or_read_is_a_remark(hub: Hub) -> None:
    fp8: Tensors = {"a.weight": ("F8_E4M3", [8, 4])}
    own = {"hf_quant_config.json": b"<html>", "quant_config.json": b"{}"}
    hub.repos["org/odd"] = Repo({**single(), "model.safetensors": safetensors(fp8), **own})
    c = load("org/odd")
    assert c.extra == {"quant_config.json": {}}
    assert "extra-unreadable" in [n.key for n in c.notes]


def test_mistrals_names_are_found_by_the_listing(hub: Hub) -> None:
    hub.repos["org/mistral"] = Repo({"params.json": b'{"dim": 4}', "consolidated.safetensors": safetensors(layer(0))})
    c = load("org/mistral")
    assert c.config is not None
    assert c.config.name == "params.json"
    assert [f.name for f in c.weight_files] == ["consolidated.safetensors"]


def test_an_absent_shard_is_a_problem_and_unsafe_paths_are_never_asked_for(hub: Hub) -> None:
    files = sharded(3)
    del files["model-00002-of-00003.safetensors"]
    hub.repos["org/gone"] = Repo(files)
    c = load("org/gone")
    assert [(p.check, p.key) for p in c.problems] == [("index-missing-shard", "some")]
    assert not c.complete
    weight_map = {"w": "../../../private/resolve/main/model.safetensors", "v": "/etc/passwd", "u": "http://x/y"}
    hub.repos["org/evil"] = Repo({"config.json": b"{}", "model.safetensors.index.json": index(weight_map)})
    c = load("org/evil")
    assert [p.check for p in c.problems] == ["unsafe-shard-path"]
    assert not any("private" in p or "passwd" in p for p in hub.paths())


def test_a_weight_file_beside_the_index_is_told(hub: Hub) -> None:
    hub.repos["org/many"].files["model.safetensors"] = safetensors(layer(9))
    c = load("org/many")
    assert [p.check for p in c.problems] == ["unreferenced-weights"]
    assert len(c.tensors or ()) == 9


# The token.


def test_the_token_goes_to_the_hub_and_never_to_the_cdn(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_TOKEN", SECRET)
    load("org/many")
    assert all(s.headers.get("authorization") == f"Bearer {SECRET}" for s in hub.seen if s.server == "hub")
    assert hub.paths("cdn")
    assert not any("authorization" in s.headers or "cookie" in s.headers for s in hub.seen if s.server == "cdn")


def test_the_token_is_not_sent_in_clear_over_a_network(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "ENDPOINT", "http://mirror.example")
    monkeypatch.setenv("HF_TOKEN", SECRET)
    assert not Transport(None, 1.0).has_token
    assert Transport(SECRET, 1.0).has_token


def test_https_does_not_become_http(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    t = Transport(None, 1.0)
    with pytest.raises(Broken, match="from https to http"):
        t.next_url("https://hub.example/a", "http://hub.example/a")
    assert t.next_url("https://hub.example/a/b", "/c") == "https://hub.example/c"


@pytest.mark.parametrize("location", ["ftp://x/y", "file:///etc/passwd", "http://", "http://[bad"])
def test_redirects_to_nowhere(hub: Hub, location: str) -> None:
    hub.faults.location = location
    assert error("org/one").kind == "network"


def test_a_redirect_loop_ends(hub: Hub) -> None:
    hub.faults.location = "/org/one/resolve/main/model.safetensors"
    assert "loop" in error("org/one").message


# Refusals.


@pytest.mark.parametrize(
    ("target", "token", "kind", "word"),
    [
        ("org/absent", None, "not-found", "missing, private or gated"),
        ("org/absent", SECRET, "not-found", "no access"),
        ("org/private", None, "not-found", "missing, private or gated"),
        ("org/gated", None, "gated", "gated"),
        ("org/gated", SECRET, "gated", "no access"),
        ("org/one", "hf_stale", "unauthorized", "does not accept the token"),
        ("org/one@nope", None, "revision-not-found", "no revision nope"),
    ],
)
def test_refusals(hub: Hub, target: str, token: str | None, kind: str, word: str) -> None:
    hub.repos["org/gated"] = Repo(single(), gated=True)
    hub.repos["org/private"] = Repo(single(), private=True)
    e = error(target, token=token)
    assert e.kind == kind
    assert word in e.message
    assert e.hint
    assert "hf_" not in e.message + e.hint
    if kind == "gated":
        assert f"{hub.endpoint}/org/gated" in e.hint
    if token is None and kind == "not-found":
        assert "HF_TOKEN" in e.hint


@pytest.mark.parametrize(
    ("files", "kind", "word"),
    [
        ({"README.md": b""}, "no-config", "no config.json"),
        ({"config.json": b"{}"}, "no-weights", "no safetensors"),
        ({"config.json": b"{}", "pytorch_model.bin": b""}, "unsupported", "pickle"),
        ({"model-q4.gguf": b""}, "unsupported", "GGUF"),
        (
            {"adapter_config.json": b'{"base_model_name_or_path": "org/base"}', "adapter_model.safetensors": b""},
            "unsupported",
            "adapter",
        ),
        ({"config.json": b"[1]", "model.safetensors": safetensors(layer(0))}, "invalid-config", "config.json"),
    ],
)
def test_repos_that_hold_no_model(hub: Hub, files: dict[str, bytes], kind: str, word: str) -> None:
    hub.repos["org/odd"] = Repo(files)
    e = error("org/odd")
    assert e.kind == kind
    assert word in e.message
    assert e.hint
    if word == "adapter":
        assert "org/base" in e.hint


def test_no_listing_is_asked_for_a_usual_repo(hub: Hub) -> None:
    load("org/many")
    load("org/one")
    assert not any("/revision/" in p or "/tree/" in p for p in hub.paths())


def test_faults_that_pass_are_tried_again(hub: Hub) -> None:
    hub.faults.statuses = [(503, {}), (429, {"Retry-After": "1"})]
    assert len(load("org/one").tensors or ()) == 6
    hub.faults.statuses = [(429, {"RateLimit": '"api";r=0;t=1'}), (500, {})]
    assert load("org/one", config_only=True, no_cache=True).config is not None


def test_a_rate_limit_that_lasts_is_told_with_its_end(hub: Hub) -> None:
    hub.faults.statuses = [(429, {"Retry-After": "158"})] * 9
    e = error("org/one", config_only=True)
    assert e.kind == "rate-limited"
    assert "158" in e.hint
    assert len(hub.seen) == 1


def test_five_hundreds_that_last(hub: Hub) -> None:
    hub.faults.statuses = [(500, {})] * 9
    e = error("org/one", config_only=True)
    assert (e.kind, len(hub.seen)) == ("network", 6)  # three tries, and three for the list of files


def test_other_answers_that_are_no_hubs(hub: Hub) -> None:
    hub.faults.html = True
    assert error("org/one", config_only=True).kind == "network"
    hub.faults = Faults(wrong_range=True)
    assert error("org/one").kind == "network"
    hub.faults = Faults(cut=50)
    assert error("org/one").kind == "network"


def test_nobody_listens(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", "http://127.0.0.1:9/{repo_id}/{revision}/{filename}")
    assert error("org/one", config_only=True).kind == "network"


def test_a_token_with_a_line_break_is_refused(hub: Hub) -> None:
    assert error("org/one", token=SECRET + "\r\nX: y").kind == "usage"
    assert hub.seen == []


def test_waits_that_servers_ask_for() -> None:
    assert asked_wait({"retry-after": "7"}) == 7
    assert asked_wait({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}) is None
    assert asked_wait({"ratelimit": '"api";r=0;t=158'}) == 158
    assert asked_wait({"ratelimit": '"api";r=3;t=158'}) is None
    assert asked_wait({}) is None


# Offline.


def test_offline_reads_the_hub_librarys_cache(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    from huggingface_hub import snapshot_download

    assert error("org/many", offline=True).kind == "not-found"
    snapshot_download("org/many", endpoint=hub.endpoint)
    hub.forget()
    c = load("org/many", offline=True)
    assert (len(c.tensors or ()), c.problems, c.complete) == (9, (), True)
    assert (c.target.kind, c.target.commit) == ("hub", "a" * 40)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    assert len(open_target("org/many", Options()).tensors or ()) == 9
    assert error("org/many@../../x", offline=True).kind == "not-found"
    assert hub.seen == []


def test_offline_with_a_part_of_the_files(hub: Hub) -> None:
    from huggingface_hub import hf_hub_download

    hf_hub_download("org/many", "config.json", endpoint=hub.endpoint)
    c = load("org/many", offline=True)
    assert c.tensors is None
    assert [n.key for n in c.notes] == ["cache-no-weights"]
    hf_hub_download("org/many", "model.safetensors.index.json", endpoint=hub.endpoint)
    hf_hub_download("org/many", "model-00001-of-00003.safetensors", endpoint=hub.endpoint)
    c = load("org/many", offline=True)
    assert [(p.check, p.key) for p in c.problems] == [("weights-not-fetched", "cache")]
    assert (len(c.tensors or ()), c.complete) == (3, False)
