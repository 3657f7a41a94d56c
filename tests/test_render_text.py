"""The text report: nothing cut, nothing interpreted, no escape code without colour."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from cfgexplain.errors import CfgexplainError
from cfgexplain.inspect import failed
from cfgexplain.render import Style
from cfgexplain.render.text import render
from cfgexplain.render.text_layout import aligned, width_of, wrap
from models import GEMMA_2_2B, GPT2, LLAMA_2_7B, MIXTRAL, report_of, sound, sound_report

if TYPE_CHECKING:
    from cfgexplain.report import Report

CONFIGS = [
    LLAMA_2_7B,
    GEMMA_2_2B,
    MIXTRAL,
    GPT2,
    {"model_type": "bert"},
    {"model_type": "jamba"},
    {"model_type": "cohere"},
    {},
]
LONG = "model.layers.{0-31}.self_attn.q_proj.bias"


def shown(*reports: Report, style: Style | None = None) -> str:
    return "".join(render(reports, style or Style(80)))


def broken(name: str = "test-model") -> Report:
    tensors = sound(LLAMA_2_7B)
    del tensors["model.norm.weight"]
    tensors.update({f"model.layers.{i}.self_attn.q_proj.bias": (4096,) for i in range(32)})
    tensors["[bold]x\x1b[31m"] = (3,)
    return report_of(LLAMA_2_7B, tensors, "F16", name)


@pytest.mark.parametrize("config", CONFIGS, ids=lambda c: str(c.get("model_type")))
@pytest.mark.parametrize("width", [80, 120])
def test_lines_fit_the_terminal(config: dict[str, object], width: int) -> None:
    for line in shown(report_of(config), style=Style(width)).splitlines():
        assert width_of(line) <= width, line


@pytest.mark.parametrize("config", CONFIGS, ids=lambda c: str(c.get("model_type")))
def test_ascii_where_the_encoding_has_no_more(config: dict[str, object]) -> None:
    text = shown(report_of(config), style=Style(80, unicode=False))
    assert text.isascii(), sorted({c for c in text if not c.isascii()})


def test_no_escape_code_without_colour_and_some_with() -> None:
    assert "\x1b" not in shown(broken())
    coloured = shown(broken(), style=Style(80, color=True))
    assert "\x1b[1;31merror\x1b[0m" in coloured
    assert "\x1b[31m" not in coloured, "a stranger's escape code"


def test_colour_changes_no_text() -> None:
    import re

    coloured = shown(broken(), style=Style(80, color=True))
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == shown(broken())


def test_findings_come_first_and_notes_late() -> None:
    text = shown(broken())
    assert text.index("missing-final-norm") < text.index("hidden size") < text.index("rms_norm_eps = 1e-05")
    gpt2 = shown(report_of(GPT2))
    assert gpt2.index("Parameters") < gpt2.index("eps-missing")


def test_markup_stays_text() -> None:
    assert "[bold]x\\x1b[31m" in shown(broken())


@pytest.mark.parametrize("width", [40, 80, 0])
def test_tensor_names_are_complete(width: int) -> None:
    text = shown(broken(), style=Style(width, checking=True))
    assert LONG in text


def test_long_model_name_is_kept_whole_and_breaks_nothing() -> None:
    name = "org/" + "n" * 200
    text = shown(report_of(LLAMA_2_7B, name=name))
    assert text.splitlines()[0] == name
    assert all(width_of(line) <= 80 for line in text.splitlines()[1:])


def test_drawing_of_llama() -> None:
    text = shown(sound_report(LLAMA_2_7B))
    assert (
        " ┌───┼─ × 32 ─────────────────────────────────────────────────────────\n"
        " │   ├─▶  RMSNorm     input_layernorm\n"
        " │   │    attention   MHA, 32 heads × 128\n"
        " │   │                q 4,096 → 4,096; k, v 4,096 → 4,096; o 4,096 → 4,096\n"
        " │   │                RoPE on q and k, θ 10,000\n"
        " │   ⊕◀──┘\n"
        " │   ├─▶  RMSNorm     post_attention_layernorm\n"
        " │   │    SwiGLU\n"
        " │   │      gate  mlp.gate_proj  4,096 → 11,008 ── silu ─┐\n"
        " │   │      up    mlp.up_proj    4,096 → 11,008 ─────────×\n"
        " │   │      down  mlp.down_proj  11,008 → 4,096 ◀────────┘\n"
        " │   ⊕◀──┘\n"
    ) in text


def test_derivation_is_aligned() -> None:
    assert "      4 × 4096                = 16384\n      2/3 × 16384             = 32768/3\n" in shown(
        report_of(LLAMA_2_7B)
    )


def test_unknown_is_drawn_as_unknown() -> None:
    text = shown(report_of({}))
    assert "attention or mixer: unknown" in text
    assert "inferred from names and shapes" in text


def test_quiet_leaves_the_explanations_out() -> None:
    text = shown(report_of(LLAMA_2_7B), style=Style(80, verbose=-1))
    assert "hidden size" in text
    assert "divine benevolence" not in text


def test_tensors_are_listed_when_asked_for() -> None:
    text = shown(report_of(LLAMA_2_7B, sound(LLAMA_2_7B), listing=True))
    assert "  model.layers.31.mlp.gate_proj.weight  BF16 [11008, 4096]  ffn/gate\n" in text


# --- check ---


def test_check_shows_findings_only() -> None:
    text = shown(broken(), style=Style(80, checking=True))
    assert text.startswith("test-model: 2 errors, 1 warning\n")
    assert "hidden size" not in text


def test_check_of_a_sound_model_is_one_line() -> None:
    assert shown(sound_report(MIXTRAL), style=Style(80, checking=True)) == "test-model: no findings\n"


def test_quiet_check_shows_errors_only() -> None:
    quiet = Style(80, verbose=-1, checking=True)
    assert shown(sound_report(MIXTRAL), report_of(GPT2), style=quiet) == ""
    text = shown(broken(), style=quiet)
    assert "missing-final-norm" in text
    assert "unexpected-tensor" not in text


@pytest.mark.parametrize("checking", [False, True])
def test_error_is_two_lines(checking: bool) -> None:
    report = failed("nope", CfgexplainError("not-found", "nope\x07: no such directory", "Check the name."))
    assert (
        shown(report, style=Style(80, checking=checking)) == "error: nope\\x07: no such directory\n  Check the name.\n"
    )


# --- layout ---


def test_wrap_never_cuts_a_word() -> None:
    assert wrap("a " + "b" * 50 + " c", 20) == ["a", "b" * 50, "c"]


def test_wide_characters_take_two_columns_and_break_anywhere() -> None:
    assert width_of("正規化ε") == 7
    lines = wrap("均方根正規化，沒有偏置項。", 10)
    assert all(width_of(x) <= 12 for x in lines)
    assert "".join(lines) == "均方根正規化，沒有偏置項。"
    assert not any(x.startswith(("，", "。")) for x in lines)


def test_alignment_gives_way_where_it_does_not_fit() -> None:
    assert aligned(["a = 1", "bbb = 2"], 40) == ["a   = 1", "bbb = 2"]
    assert aligned(["a = " + "1" * 40, "bbb = 2"], 40) == ["a = " + "1" * 40, "bbb = 2"]
    assert aligned(["a = 1", "no equation"], 40) == ["a = 1", "no equation"]


def test_memory_says_what_is_exact_and_what_is_an_estimate() -> None:
    text = shown(sound_report(LLAMA_2_7B))
    assert "13.48 GB (12.55 GiB): exactly 13,476,831,232 bytes" in text
    assert "= 32 layers · 2 (keys, values) · 32 heads · 128 · 2 bytes" in " ".join(text.split())
    assert "2.15 GB (2.00 GiB)" in text
    lines = {x.split("  ")[1].strip(): x.split()[-11:] for x in text.splitlines() if x.startswith("  ")}
    assert lines["card, GB"] == ["8", "12", "16", "24", "32", "40", "48", "80", "96", "141", "192"]
    assert lines["weights"][0:4] == ["×2", "×2", "84%", "56%"]
    assert lines["weights + full cache"][0:4] == ["×2", "×2", "98%", "65%"]
    assert text.index("an estimate for one sequence") < text.index("card, GB")


def test_memory_from_the_config_alone_is_an_estimate() -> None:
    text = shown(report_of({**LLAMA_2_7B, "torch_dtype": "float16"}))
    assert "about 13.48 GB (12.55 GiB): an estimate" in text
    assert "exactly" not in text[text.index("\nMemory"):text.index("\nWhy")]


def test_quantization_lists_every_format_with_its_bits() -> None:
    from test_packing import report, stored

    text = shown(report(stored("gptq-4")))
    block = text[text.index("\nQuantization\n"):text.index("\nMemory\n")]
    assert "gptq, 4 bits, groups of 128; 6.14 bits per parameter" in block
    assert "gptq-int4-g128" in block
    assert "model.layers.{0-1}.mlp.down_proj" in block
    assert "bf16" in block
    assert "model.embed_tokens" in block


def test_formats_add_up_to_what_is_stored() -> None:
    from test_packing import report, stored, written

    for name in written():
        r = report(stored(name))
        q, params = r["quantization"], r["params"]
        assert params
        if q is not None:
            assert sum(f["bytes"] for f in q["formats"]) == params["bytes"], name
            if params["total"] is not None:
                assert sum(f["params"] or 0 for f in q["formats"]) == params["total"], name


# --- what a reader needs beside the numbers ---


def example(name: str) -> Report:
    from cfgexplain import inspect
    from cfgexplain.sources import open_target
    from cfgexplain.sources.options import Options

    return inspect.inspect(open_target(f"example:{name}", Options()))


def test_a_cache_that_is_less_than_tokens_times_bytes_says_why() -> None:
    text = shown(example("gemma-3-4b"))
    assert "29 of the 34 layers with a cache keep only the last 1,024 tokens" in " ".join(text.split())
    assert "keep only" not in shown(sound_report(LLAMA_2_7B))


def test_the_formula_of_a_latent_cache_names_its_factors() -> None:
    assert "= 61 layers · (512 latent + 64 rotary) · 2 bytes" in shown(example("deepseek-v3"))


def test_what_the_total_leaves_out_has_a_footnote() -> None:
    text = shown(example("deepseek-v3"))
    row = next(line for line in text.splitlines() if line.startswith("  predicting further tokens"))
    assert " * " in row
    assert "%" not in row
    assert "* predicting further tokens: layers that predict tokens further ahead" in text


def test_a_model_without_a_cache_is_told_nothing_of_one() -> None:
    text = shown(example("bert-base"))
    assert "full context" not in text
    assert "The share of a card that the weights fill" in text


def test_every_role_has_a_label_in_every_language() -> None:
    from cfgexplain import schema_words
    from cfgexplain.lang import LANGUAGES, catalogue
    from cfgexplain.render.text_facts import APART, ROLES, apart, role_label

    assert set(schema_words.ROLES) == ROLES
    for lang in LANGUAGES:
        t = catalogue(lang)
        labels = [role_label(r, t) for r in sorted(ROLES)]
        assert len(set(labels)) == len(labels)
        assert len(apart(sorted(APART), t)) == len(APART)
    assert role_label("no-such-role", catalogue("en")) == "no-such-role"


def test_one_expert_stands_for_all_of_them() -> None:
    from cfgexplain.render.text_matrices import every_expert

    assert "block_sparse_moe.experts.{0-7}.w1" in shown(sound_report(MIXTRAL))
    assert every_expert("mlp.experts.0.up_proj", 256) == "mlp.experts.{0-255}.up_proj"
    assert every_expert("mlp.experts.gate_up_proj", 32) == "mlp.experts.gate_up_proj"
    assert every_expert("a.0.experts.0.w", 8) == "a.0.experts.0.w"


def test_the_drawing_says_what_its_signs_mean() -> None:
    assert "  ⊕ added to the stream, × multiplied number by number\n" in shown(sound_report(LLAMA_2_7B))
    assert "  ⊕ added to the stream\n" in shown(report_of(GPT2))


def test_the_last_line_says_where_to_go_from_here() -> None:
    last = "\nOne number in detail: --key rms_norm_eps. New to these words: cfgexplain tour.\n"
    two = shown(sound_report(LLAMA_2_7B), sound_report(LLAMA_2_7B))
    assert two.endswith(last)
    assert two.count("cfgexplain tour") == 1
    for style in (Style(80, verbose=-1), Style(80, checking=True), Style(80, keys=True)):
        assert "cfgexplain tour" not in shown(sound_report(LLAMA_2_7B), style=style)


@pytest.mark.parametrize("lang", ["en", "zh-Hant"])
@pytest.mark.parametrize("width", [60, 80, 100])
def test_the_first_line_breaks_between_its_parts_only(lang: str, width: int) -> None:
    lines = shown(example("gemma-3-4b"), style=Style(width, lang=lang)).splitlines()[1:]
    head = lines[: lines.index("")]
    assert all(width_of(x) <= width for x in head)
    assert all(x.endswith(" ·") for x in head[:-1])
    assert len(" ".join(head).split(" · ")) == 6


def test_a_long_title_is_wrapped() -> None:
    report = report_of({**LLAMA_2_7B, "layer_types": ["full_attention"] * 32})
    report["explanations"] = [{**e, "title": "layer_types = " + "x, " * 60} for e in report["explanations"] or []]
    assert all(width_of(x) <= 80 for x in shown(report).splitlines())


@pytest.mark.parametrize(
    ("config", "lang", "line"),
    [
        ({"model_type": "recurrent_gemma", "intermediate_size": 7680, "hidden_size": 2560}, "en",
         "3,840 = 1.5 × hidden size intermediate_size = 7,680 counts gate and up"),
        ({"model_type": "recurrent_gemma", "intermediate_size": 7680, "hidden_size": 2560}, "zh-Hant",
         "3,840 = 1.5 × 隱藏維度 intermediate_size = 7,680，是 gate 與 up 合計"),
        ({"model_type": "qwen"}, "en",
         "11,008 = 2.688 × hidden size intermediate_size, not set: its default, 22,016, counts gate and up"),
        (LLAMA_2_7B, "en", "11,008 = 2.688 × hidden size intermediate_size "),
    ],
)  # fmt: skip
def test_the_width_is_that_of_a_matrix_whatever_the_key_counts(config: dict[str, object], lang: str, line: str) -> None:
    text = " ".join(shown(report_of(config), style=Style(width=100, lang=lang, unicode=True)).split())
    assert line in text


def test_a_list_of_layers_goes_on_in_the_next_line_and_a_name_stays_whole() -> None:
    name = "backbone.layers.{" + ",".join(map(str, range(0, 60, 2))) + "}.mixer.conv1d.bias"
    assert max(map(len, wrap(f"has {name}.", 60))) <= 60
    assert "".join(wrap(name, 60)) == name
    assert wrap("x" * 80, 60) == ["x" * 80]
