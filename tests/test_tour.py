"""The tour: what a beginner is told, on models of every kind, and that it never waits where nobody is."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from cfgexplain.inspect import Wanted, inspect
from cfgexplain.lang import catalogue
from cfgexplain.render.text_layout import Ink
from cfgexplain.render.tour_pages import Guide
from cfgexplain.sources import list_examples
from cli import run, shell
from corpus import cases, checkpoint
from models import GPT2, LLAMA_2_7B, MIXTRAL, report_of

if TYPE_CHECKING:
    from pathlib import Path


def told(config: dict[str, object]) -> dict[str, str]:
    """Page → text, in one line each."""
    pages = Guide(report_of(config), config, Ink(100, False, True), catalogue("en")).pages()
    return {p.title: " ".join(" ".join(p.lines).split()) for p in pages}


def test_the_first_lesson_is_llama_2_and_ends_well() -> None:
    out = run("tour")
    assert out.code == 0
    assert out.out.startswith("1/10  What a model is, on disk\n")
    assert "cfgexplain check ./my-model" in out.out.rpartition("10/10")[2]
    assert "ceil(10922 / 256) x 256 = 43 x 256 = 11008" in out.out
    assert max(map(len, out.out.splitlines())) <= 100


def test_no_key_is_asked_for_and_no_prompt_printed_when_piped() -> None:
    out = shell("tour")
    assert (out.code, out.err) == (0, "")
    assert "Enter" not in out.out


def test_a_reader_who_leaves_early_is_no_error() -> None:
    import subprocess
    import sys

    p = subprocess.Popen(
        [sys.executable, "-m", "cfgexplain", "tour"],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )
    assert p.stdout
    assert p.stderr
    p.stdout.close()
    assert p.stderr.read() == b""
    p.stderr.close()
    assert p.wait() == 0


@pytest.mark.parametrize("name", list_examples())
def test_every_example_has_a_tour(name: str) -> None:
    out = run("tour", f"example:{name}")
    assert (out.code, out.err) == (0, "")
    assert "{" not in out.out.replace("{0", "").replace("{i}", "")


def test_what_the_model_has_is_told_and_nothing_else() -> None:
    llama, gpt2, mixtral = told(LLAMA_2_7B), told(GPT2), told(MIXTRAL)
    assert "experts" not in llama
    assert "experts" not in gpt2
    assert "picks 2 of them for each token" in mixtral["experts"]
    assert "divine" not in llama["ffn"]
    assert "Why a gate helps is not known" in llama["ffn"]
    assert "two tables" in gpt2["ffn"]
    assert "gate" not in gpt2["ffn"]
    assert "LayerNorm: subtract the mean" in gpt2["norm"]
    assert "used a second time" in gpt2["head"]


def test_what_is_told_holds_for_this_model() -> None:
    gated = told({**LLAMA_2_7B, "intermediate_size": 16384})["ffn"]
    assert "half as many parameters again" in gated
    assert "custom since 2017" not in gated
    assert "custom since 2017" in told(GPT2)["ffn"]
    olmo = told({"model_type": "olmo", "vocab_size": 512, "hidden_size": 64, "num_attention_heads": 4})["norm"]
    assert "Nothing is learned in it" in olmo
    assert "factor" not in olmo
    assert "a learned number is added" in told(GPT2)["norm"]
    bert = told({"model_type": "bert", "architectures": ["BertForMaskedLM"]})
    assert "next token" not in bert["head"]
    assert "next token" in told(GPT2)["head"]
    assert "cross-attention" in told({"model_type": "t5"})["layers"]
    assert "each expert" in told(MIXTRAL)["ffn"]
    assert "--key layer_norm_epsilon" in told(GPT2)["next"]


@pytest.mark.parametrize(
    "config",
    [LLAMA_2_7B, {**GPT2, "n_embd": 768, "n_layer": 12, "n_head": 12, "vocab_size": 50257, "n_positions": 1024,
                  "layer_norm_epsilon": 1e-5}, MIXTRAL],
    ids=["llama", "gpt2", "mixtral"],
)  # fmt: skip
def test_the_first_page_lists_the_keys_that_a_later_page_names(config: dict[str, object]) -> None:
    pages = Guide(report_of(config), config, Ink(100, False, True), catalogue("en")).pages()
    first, *others = ("\n".join(p.lines) for p in pages)
    listed = [line.split()[0] for line in first.split("\n") if line.startswith("    ")]
    assert len(listed) > 5
    assert [k for k in listed if f"({k}" not in "\n".join(others) and f"{k})" not in "\n".join(others)] == []


@pytest.mark.parametrize(
    ("config", "words"),
    [
        (LLAMA_2_7B, "rotary positions, RoPE). How fast they turn is set by the base θ (rope_theta), 10,000"),
        (GPT2, "learned positions"),
        ({"model_type": "bloom", "hidden_size": 64, "n_head": 4}, "ALiBi"),
        ({"model_type": "t5"}, "relative positions"),
        ({"model_type": "jamba"}, "adds nothing for that"),
    ],
    ids=["rope", "learned", "alibi", "relative", "none"],
)
def test_how_a_token_knows_its_place_is_told_as_the_model_has_it(config: dict[str, object], words: str) -> None:
    text = told(config)["attention"]
    assert "compares what tokens hold, and not where they stand" in text
    assert words in text


def test_a_block_that_computes_something_else_is_not_called_a_plain_gate() -> None:
    page = run("tour", "example:gpt-oss-20b").out
    assert "simple function" not in page
    assert "sigma(1.702" in page or "σ(1.702" in page


def test_a_layer_count_of_experts_is_told_for_all_and_for_some() -> None:
    assert "In all 32 layers there are 8 feed-forward blocks" in told(MIXTRAL)["experts"]
    some = {"model_type": "deepseek_v3", "num_hidden_layers": 4, "first_k_dense_replace": 1}
    assert "In 3 of 4 layers there are 256" in told(some)["experts"]


def test_a_key_that_counts_gate_and_up_is_not_the_width_of_a_table() -> None:
    pages = told({"model_type": "recurrent_gemma", "intermediate_size": 7680, "hidden_size": 2560})
    assert "each makes 3,840 numbers out of it (intermediate_size)" in pages["ffn"]
    assert "intermediate_size is 7,680 there" in pages["ffn"]
    assert "One of 2,560 × 3,840 makes 3,840 numbers" in pages["layers"]
    assert "counts both" not in told(LLAMA_2_7B)["ffn"]


def test_grouped_query_attention_is_told_with_its_numbers() -> None:
    text = told({**LLAMA_2_7B, "num_key_value_heads": 8})["attention"]
    assert "4 question heads share one set of keys and values" in text


def test_an_unknown_target_is_an_error_in_two_lines() -> None:
    out = run("tour", "./nothing-here")
    assert out.code == 3
    assert out.err.startswith("cfgexplain: error: ")


NOT_OF_TEXT: dict[str, dict[str, object]] = {
    "unknown, sound": {"model_type": "wav2vec2", "hidden_size": 768, "vocab_size": 32, "num_hidden_layers": 12},
    "unknown, images": {"model_type": "resnet", "hidden_sizes": [256, 512], "depths": [3, 4]},
    "unknown, no size": {"model_type": "x"},
    "encoder of images": {"model_type": "vit", "hidden_size": 768},
    "tower by itself": {"model_type": "clip_vision_model"},
    "visual vocabulary": {"model_type": "ovis2_vision"},
    "codes of sound": {"model_type": "musicgen_decoder"},
}


@pytest.mark.parametrize("name", NOT_OF_TEXT)
def test_what_is_no_language_model_has_no_tour_but_an_example_is_named(name: str, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps(NOT_OF_TEXT[name]))
    out = run("tour", str(tmp_path))
    assert (out.code, out.out) == (3, "")
    first, second = out.err.splitlines()
    assert "no language model" in first or "is not known, and no tensor shows an embedding" in first
    assert "cfgexplain tour example:gpt2" in second
    assert "traceback" not in out.err.lower()


def test_an_unknown_type_has_a_tour_where_tensors_show_its_embedding(tmp_path: Path) -> None:
    from weights import safetensors

    (tmp_path / "config.json").write_text(json.dumps({"model_type": "strange", "vocab_size": 64, "hidden_size": 8}))
    (tmp_path / "model.safetensors").write_bytes(safetensors({"model.embed_tokens.weight": ("F32", [64, 8])}))
    out = run("tour", str(tmp_path))
    assert (out.code, out.err) == (0, "")
    assert "There are 64 of them" in " ".join(out.out.split())


@pytest.mark.parametrize("family", ["clip", "siglip", "clip_text_model", "siglip_text_model", "bert"])
def test_what_only_reads_is_not_said_to_write(family: str) -> None:
    pages = told({"model_type": family, "hidden_size": 64, "num_attention_heads": 4})
    assert "pieces of words" in pages["tokens"]
    assert "writes" not in " ".join(pages.values())


def test_findings_wrap_where_the_terminal_is_narrow() -> None:
    config = {**LLAMA_2_7B, "rms_norm_eps": 0.1, "num_key_value_heads": 5}
    pages = Guide(report_of(config), config, Ink(60, False, True), catalogue("en")).pages()
    lines = next(p.lines for p in pages if p.title == "faults")
    found = [x for x in lines if x.startswith("    ")]
    assert len(found) > 2
    assert max(map(len, lines)) <= 60


def test_a_hostile_config_stays_text() -> None:
    evil = "\x1b[31mred\u202e"
    pages = told({**LLAMA_2_7B, evil: evil, "hidden_act": evil})
    assert "\x1b" not in str(pages)
    assert "\u202e" not in "".join(pages.values())


@pytest.mark.parametrize("name", sorted(cases()))
def test_every_architecture_has_a_tour(name: str) -> None:
    row = cases()[name]
    r = inspect(checkpoint(row["config"], row["header"], name), Wanted(explanations=False))
    titles = [p.title for p in Guide(r, row["config"], Ink(80, False, False), catalogue("en")).pages()]
    assert titles[0] == "start"
    assert titles[-1] == "next"
