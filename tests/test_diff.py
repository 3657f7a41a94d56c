"""``diff``: what counts as a difference, in which words, and what does not."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest

import cli as command
from cfgexplain.compare import Side, compare
from cfgexplain.compare.schema import DIFF_SCHEMA
from cfgexplain.compare.structure import ASPECT_OF, ASPECTS
from cfgexplain.compare.values import same
from cfgexplain.compare.words import in_words
from cfgexplain.inspect import Wanted, examine
from cfgexplain.lang import catalogue
from cfgexplain.render import Style, diff_markdown, diff_text
from corpus import cases
from corpus import checkpoint as corpus_checkpoint
from models import GEMMA_2_2B, GPT2, LLAMA_2_7B, MIXTRAL, checkpoint, sound
from weights import safetensors

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from cfgexplain.compare.report import DiffR
    from models import Shapes

LLAMA_TENSORS = sound(LLAMA_2_7B)


def side(config: Mapping[str, object], tensors: Shapes | None = None, dtype: str = "BF16") -> Side:
    return Side(*examine(checkpoint(config, tensors, dtype), Wanted(explanations=False)))


def differences(a: Side, b: Side) -> DiffR:
    return in_words(compare(a, b), a, b, "en")


def llama(tensors: Shapes | None = None, stored: str = "BF16", **changes: object) -> Side:
    config = {k: v for k, v in {**LLAMA_2_7B, **changes}.items() if v is not ...}
    return side(config, LLAMA_TENSORS if tensors is None else tensors, stored)


BASE = llama()


def changed(d: DiffR) -> dict[str, tuple[object, object]]:
    return {c["aspect"]: (c["a"], c["b"]) for c in d["structure"]}


# --- models of different kinds ---


def test_other_architectures_are_compared_by_structure_and_size() -> None:
    d = differences(side(GPT2, sound(GPT2)), BASE)
    assert d["related"] is False
    assert d["tensors"] is None
    assert changed(d)["positions.kind"] == ("learned", "rope")
    assert not any(x["text"] for x in (*d["structure"], *d["config"]))
    text = "".join(diff_text.render(d, Style(width=80)))
    assert "Different architectures" in text
    assert "nothing crashes" not in text
    assert "only in A" not in text
    for page in (text, "".join(diff_markdown.render(d, Style()))):
        assert "12,288" not in page
        assert "model.norm.weight" not in page


def test_what_only_one_of_two_families_has_is_not_called_lost() -> None:
    tensors = {k: v for k, v in LLAMA_TENSORS.items() if k != "model.norm.weight"}
    mistral = {**LLAMA_2_7B, "model_type": "mistral", "architectures": ["MistralForCausalLM"], "sliding_window": None}
    d = differences(BASE, side(mistral, tensors))
    assert d["related"] is True
    assert d["tensors"] is not None
    assert [g["text"] for g in d["tensors"]["removed"]] == ["Only A has it under this name."]


def test_a_norm_inside_attention_is_not_one_of_the_residual_stream() -> None:
    qwen3 = {**LLAMA_2_7B, "model_type": "qwen3", "architectures": ["Qwen3ForCausalLM"], "head_dim": 128}
    whole = sound(qwen3)
    cut = {k: v for k, v in whole.items() if "q_norm" not in k}
    d = differences(side(qwen3, whole), side(qwen3, cut))
    assert d["tensors"] is not None
    assert ["norm inside attention" in g["text"] for g in d["tensors"]["removed"]] == [True]


def test_latent_attention_has_no_kv_heads_to_compare() -> None:
    assert "attention.kv_heads" not in changed(differences(side({"model_type": "deepseek_v3"}), BASE))


def test_windows_that_no_layer_has_are_bookkeeping() -> None:
    one = {"model_type": "qwen2", "sliding_window": 131072, "use_sliding_window": False, "max_window_layers": 28}
    d = differences(side(one), side({**one, "sliding_window": 4096, "max_window_layers": 3}))
    assert {k["key"]: k["gravity"] for k in d["config"]} == {
        "sliding_window": "bookkeeping", "max_window_layers": "bookkeeping",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("key", "word"),
    [
        ("pad_token_id", "fills"), ("eos_token_id", "stops"), ("bos_token_id", "begins"),
        ("image_token_id", "tokenizer"), ("min_length", "generating"), ("ep_size", "program"),
        ("moe_layer_freq", "`cfgexplain key`"), ("frobnicate", "No table here names"),
    ],
)  # fmt: skip
def test_keys_outside_the_tables_say_what_they_are(key: str, word: str) -> None:
    (k,) = (k for k in differences(BASE, llama(**{key: 7}))["config"] if k["key"] == key)
    assert word in k["text"]


def test_a_derived_value_is_no_default() -> None:
    d = differences(BASE, llama(head_dim=64))
    (k,) = (k for k in d["config"] if k["key"] == "head_dim")
    assert k["a_source"] == "derived"
    assert "128 (derived) → 64" in "".join(diff_text.render(d, Style(width=80)))


# --- the same model ---


@pytest.mark.parametrize("config", [LLAMA_2_7B, GEMMA_2_2B, MIXTRAL, GPT2], ids=lambda c: str(c["model_type"]))
def test_a_model_is_itself(config: dict[str, object]) -> None:
    one = side(config, sound(config))
    d = differences(one, one)
    assert d["same"]
    assert not d["config"]
    assert d["tensors"] is not None
    assert d["tensors"]["compared"] == len(sound(config))


@pytest.mark.parametrize(
    "changes",
    [
        {"rms_norm_eps": 9.999999747378752e-06},
        {"hidden_act": "swish"},
        {"num_key_value_heads": ...},
        {"head_dim": 128},
        {"rope_theta": 10000},
        {"rope_parameters": {"rope_type": "default", "rope_theta": 10000.0}},
        {"rope_scaling": None},
        {"torch_dtype": ..., "dtype": "float16"},
        {"attention_bias": False, "mlp_bias": False},
        {"use_cache": True, "transformers_version": "9.0", "_name_or_path": "elsewhere", "attention_dropout": 0.1},
    ],
    ids=lambda c: next(iter(c)),
)
def test_another_way_to_write_it_is_the_same_model(changes: dict[str, object]) -> None:
    d = differences(BASE, llama(**changes))
    assert d["same"]
    assert not d["structure"]
    assert all(k["gravity"] == "bookkeeping" for k in d["config"])


def test_a_default_that_fills_in_is_a_value() -> None:
    assert differences(llama(rms_norm_eps=1e-06), llama(rms_norm_eps=...))["same"]
    d = differences(BASE, llama(rms_norm_eps=...))
    (key,) = d["config"]
    assert (key["key"], key["a"], key["b"], key["b_source"]) == ("rms_norm_eps", 1e-05, 1e-06, "default")


@pytest.mark.parametrize(
    "rename",
    [
        lambda n: f"_orig_mod.{n}",
        lambda n: f"base_model.model.{n}",
        lambda n: n,
    ],
    ids=["compiled", "peft", "plain"],
)
def test_a_wrapper_s_prefix_is_no_difference(rename: Any) -> None:
    d = differences(BASE, llama({rename(n): s for n, s in LLAMA_TENSORS.items()}))
    assert d["same"]
    assert d["tensors"] is not None
    assert d["tensors"]["renamed"] == (0 if rename("x") == "x" else len(LLAMA_TENSORS))


def test_a_base_model_s_names_are_compared_with_those_under_a_head() -> None:
    bare = {n.removeprefix("model."): s for n, s in LLAMA_TENSORS.items() if n != "lm_head.weight"}
    d = differences(BASE, llama(bare, architectures=["LlamaModel"]))
    assert d["tensors"] is not None
    assert d["tensors"]["compared"] == len(bare)
    assert [g["tensors"] for g in d["tensors"]["removed"]] == [["lm_head.weight"]]
    assert not d["tensors"]["added"]


def test_a_language_model_is_compared_with_the_one_inside_a_wrapper() -> None:
    text, wrapper = cases()["gemma3_text"], cases()["image_text--gemma3"]
    a, b = (Side(*examine(corpus_checkpoint(c["config"], c["header"]))) for c in (text, wrapper))
    d = differences(a, b)
    assert d["tensors"] is not None
    assert d["tensors"]["compared"] == len(text["header"])
    assert not d["tensors"]["removed"]
    assert {g["role"] for g in d["tensors"]["added"]} == {"vision", "projector"}


def test_experts_stacked_or_apart_are_the_same_parameters() -> None:
    split = sound(MIXTRAL)
    stacked = {n: s for n, s in split.items() if "block_sparse_moe" not in n}
    for i in range(32):
        stacked[f"model.layers.{i}.mlp.gate.weight"] = (8, 4096)
        stacked[f"model.layers.{i}.mlp.experts.gate_up_proj"] = (8, 28672, 4096)
        stacked[f"model.layers.{i}.mlp.experts.down_proj"] = (8, 4096, 14336)
    d = differences(side(MIXTRAL, split), side(MIXTRAL, stacked))
    assert d["tensors"] is not None
    assert not d["tensors"]["added"]
    assert not d["tensors"]["removed"]
    assert [(r["a_form"], r["b_form"]) for r in d["tensors"]["regrouped"]] == [("split", "stacked")]
    assert not d["params"]["by_role"]


# --- differences ---


@pytest.mark.parametrize(
    ("changes", "aspect", "b"),
    [
        ({"rms_norm_eps": 1e-06}, "norm.eps", 1e-06),
        ({"hidden_act": "gelu"}, "ffn.activation", "gelu"),
        ({"rope_theta": 500000.0}, "rope.theta", 500000.0),
        ({"rope_scaling": {"type": "linear", "factor": 2.0}}, "rope.scaling", {"type": "linear", "factor": 2.0}),
        (
            {"rope_parameters": {"rope_theta": 1e4, "partial_rotary_factor": 0.5}, "partial_rotary_factor": 0.25},
            "rope.fraction",
            0.5,
        ),
        ({"num_key_value_heads": 8}, "attention.kv_heads", 8),
        ({"num_attention_heads": 64, "num_key_value_heads": 64}, "attention.heads", 64),
        ({"num_hidden_layers": 31}, "size.layers", 31),
        ({"vocab_size": 32001}, "size.vocab", 32001),
        ({"max_position_embeddings": 8192}, "size.context", 8192),
        ({"tie_word_embeddings": True}, "head.tied", True),
        (
            {"quantization_config": {"quant_method": "gptq", "bits": 4, "group_size": 128}},
            "quantization",
            {"method": "gptq", "bits": 4.0, "group_size": 128},
        ),
    ],
    ids=lambda x: x if isinstance(x, str) else "",
)
def test_structure(changes: dict[str, object], aspect: str, b: object) -> None:
    base = llama(partial_rotary_factor=1.0) if aspect == "rope.fraction" else BASE
    found = {c["aspect"]: c for c in differences(base, llama(**changes))["structure"]}
    assert same(found[aspect]["b"], b)
    assert found[aspect]["text"]


def test_epsilon_says_what_it_does() -> None:
    d = differences(BASE, llama(rms_norm_eps=1e-06))
    assert changed(d) == {"norm.eps": (1e-05, 1e-06)}
    assert "quieter loss of quality" in d["structure"][0]["text"]
    assert d["config"][0]["aspect"] == "norm.eps"


def test_another_family_with_the_same_layout() -> None:
    mistral = {**LLAMA_2_7B, "model_type": "mistral", "architectures": ["MistralForCausalLM"], "sliding_window": None}
    d = differences(BASE, side(mistral, LLAMA_TENSORS))
    assert changed(d) == {"model.family": ("llama", "mistral")}
    assert d["tensors"] is not None
    assert d["tensors"]["compared"] == len(LLAMA_TENSORS)
    assert not d["tensors"]["added"]
    assert not d["tensors"]["removed"]


def test_gravest_first() -> None:
    d = differences(BASE, llama(max_position_embeddings=8192, rms_norm_eps=1e-06, vocab_size=32001))
    assert [c["gravity"] for c in d["structure"]] == ["loading", "function", "usage"]
    order = ["loading", "function", "usage", "bookkeeping"]
    places = [order.index(k["gravity"]) for k in d["config"]]
    assert places == sorted(places)


def test_tensors_are_folded() -> None:
    tensors = dict(LLAMA_TENSORS)
    del tensors["model.norm.weight"]
    tensors |= {f"model.layers.{i}.self_attn.q_proj.bias": (4096,) for i in range(32)}
    tensors |= {f"model.layers.{i}.mlp.down_proj.weight": (4096, 11009) for i in range(32)}
    found = differences(BASE, llama(tensors, "F16"))["tensors"]
    assert found is not None
    assert [g["tensors"] for g in found["removed"]] == [["model.norm.weight"]]
    assert [(g["tensors"], g["count"], g["b"]) for g in found["added"]] == [
        (["model.layers.{0-31}.self_attn.q_proj.bias"], 32, {"shape": [4096], "dtype": "F16"})
    ]
    (shape,) = found["reshaped"]
    assert (shape["tensors"], shape["a"], shape["b"]) == (
        ["model.layers.{0-31}.mlp.down_proj.weight"],
        {"shape": [4096, 11008], "dtype": "BF16"},
        {"shape": [4096, 11009], "dtype": "F16"},
    )
    (dtype,) = found["retyped"]
    assert dtype["count"] == 290
    assert "65,504" in dtype["text"]


def test_more_layers_are_one_difference() -> None:
    more = sound({**LLAMA_2_7B, "num_hidden_layers": 40})
    d = differences(BASE, llama(more, num_hidden_layers=40))
    assert d["tensors"] is not None
    (group,) = d["tensors"]["added"]
    assert (group["count"], group["gravity"]) == (8 * 9, "loading")
    assert group["tensors"][0].startswith("model.layers.{32-39}.")
    assert d["params"]["total"]["change"] == 8 * (4 * 4096**2 + 3 * 4096 * 11008 + 2 * 4096)


def test_what_an_unread_shard_may_hold_is_not_gone() -> None:
    some = {n: s for n, s in LLAMA_TENSORS.items() if ".31." not in n}
    half = checkpoint(LLAMA_2_7B, some)._replace(complete=False)
    d = differences(BASE, Side(*examine(half)))
    assert d["tensors"] is not None
    assert not d["tensors"]["removed"]


def test_without_weights_tensors_are_not_compared() -> None:
    d = differences(side(LLAMA_2_7B), llama(rms_norm_eps=1e-06))
    assert d["tensors"] is None
    assert "norm.eps" in changed(d)


def test_codes_of_a_quantization_are_not_another_shape() -> None:
    tensors: dict[str, Any] = {}
    for n, s in LLAMA_TENSORS.items():
        if len(s) == 2 and ".layers." in n:
            stem = n.removesuffix("weight")
            rows, cols = s
            tensors[stem + "qweight"] = ("I32", [cols // 8, rows])
            tensors[stem + "qzeros"] = ("I32", [cols // 128, rows // 8])
            tensors[stem + "scales"] = ("F16", [cols // 128, rows])
            tensors[stem + "g_idx"] = ("I32", [cols])
        else:
            tensors[n] = ("F16", list(s))
    gptq = {"bits": 4, "group_size": 128, "quant_method": "gptq", "sym": True, "desc_act": False}
    header = {n: {"dtype": t, "shape": s} for n, (t, s) in tensors.items()}
    b = Side(*examine(corpus_checkpoint({**LLAMA_2_7B, "quantization_config": gptq}, header)))
    d = differences(BASE, b)
    assert d["tensors"] is not None
    assert not d["tensors"]["reshaped"]
    assert not d["tensors"]["added"]
    assert not d["tensors"]["removed"]
    assert set(changed(d)) == {"quantization"}


# --- values ---


@pytest.mark.parametrize(
    ("a", "b", "equal"),
    [
        (1, 1.0, True),
        (True, 1, False),
        (1e-05, 9.999999747378752e-06, True),
        (1e-05, 1.1e-05, False),
        (10**400, 1.0, False),
        (float("nan"), float("nan"), True),
        ([1, 2], [1, 2.0], True),
        ({"a": 1}, {"a": 1.0}, True),
        ({"a": 1}, {"b": 1}, False),
        (None, 0, False),
        ("1", 1, False),
    ],
)
def test_same(a: object, b: object, equal: bool) -> None:
    assert same(a, b) is equal


def test_every_aspect_has_its_words() -> None:
    t = catalogue("en")
    assert all(t.text(f"diff.title.{a}") and t.text(f"diff.{a}") for a in ASPECTS)
    assert set(ASPECT_OF.values()) <= set(ASPECTS)


# --- the command ---


def model(folder: Path, tensors: dict[str, tuple[str, list[int]]] | None = None, **changes: object) -> str:
    """A small Llama in a folder of its own."""
    case = cases()["llama"]
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps({**case["config"], **changes}))
    own = {n: (t["dtype"], t["shape"]) for n, t in case["header"].items()} if tensors is None else tensors
    (folder / "model.safetensors").write_bytes(safetensors(own))
    return str(folder)


def test_exit_codes(tmp_path: Path) -> None:
    a, b, c = model(tmp_path / "a"), model(tmp_path / "b"), model(tmp_path / "c", rms_norm_eps=0.5)
    assert command.run("diff", a, b, "--exit-code").code == 0
    assert command.run("diff", a, c).code == 0
    assert command.run("diff", a, c, "--exit-code").code == 1
    assert command.run("diff", a, str(tmp_path / "gone")).code == 3
    assert command.run("diff", a).code == 2


def test_both_targets_are_tried(tmp_path: Path) -> None:
    out = command.run("diff", str(tmp_path / "x"), str(tmp_path / "y"), "--json")
    assert out.err.count("error:") == 2
    assert not out.out


def test_json_is_what_the_printed_schema_says(tmp_path: Path) -> None:
    a, b = model(tmp_path / "a"), model(tmp_path / "b", rms_norm_eps=0.5, vocab_size=7)
    document = json.loads(command.run("diff", a, b, "--json").out)
    printed = json.loads(command.run("schema", "--diff").out)
    assert printed == DIFF_SCHEMA
    jsonschema.Draft202012Validator.check_schema(printed)
    jsonschema.Draft202012Validator(printed).validate(document)
    assert document["diff"]["same"] is False
    assert document["diff"]["a"]["input"] == a


@pytest.mark.parametrize("other", ["llama-3-8b", "gpt2", "mixtral-8x7b", "gemma-3-4b", "bert-base", "t5-small"])
def test_any_two_examples_make_a_valid_document(other: str) -> None:
    document = json.loads(command.run("diff", "example:llama-2-7b", f"example:{other}", "--json").out)
    jsonschema.Draft202012Validator(DIFF_SCHEMA).validate(document)
    assert document["diff"]["same"] is False


def test_text_fits_eighty_columns() -> None:
    d = differences(BASE, llama(rms_norm_eps=1e-06, rope_theta=5e5, num_key_value_heads=8))
    text = "".join(diff_text.render(d, Style(width=80)))
    assert max(map(len, text.splitlines())) <= 80
    assert "ε of the norms" in text
    assert "1e-05 → 1e-06" in text
    assert "\x1b" not in text


def test_text_in_ascii_and_in_colour() -> None:
    d = differences(BASE, llama(rms_norm_eps=1e-06))
    plain = "".join(diff_text.render(d, Style(width=80, unicode=False)))
    assert plain.isascii()
    assert "eps of the norms" in plain
    assert "\x1b[" in "".join(diff_text.render(d, Style(width=80, color=True)))


def test_a_stranger_s_words_are_harmless(tmp_path: Path) -> None:
    evil = "\x1b[31m|</code>\u202e"
    a = model(tmp_path / "a")
    case = {n: (t["dtype"], t["shape"]) for n, t in cases()["llama"]["header"].items()}
    b = model(tmp_path / "b", {**case, evil: ("F32", [1])}, **{evil: evil, "rope_scaling": {"type": evil, evil: evil}})
    for form in ("text", "markdown", "json"):
        out = command.run("diff", a, b, "--format", form).out
        assert not {"\x1b", "\u202e"} & set(out)
        if form == "markdown":
            assert "|</code>" not in out


def test_markdown_has_a_table_for_each_part() -> None:
    d = differences(
        BASE, llama(dict(LLAMA_TENSORS, **{"model.layers.0.mlp.up_proj.bias": (11008,)}), rms_norm_eps=1e-06)
    )
    text = "".join(diff_markdown.render(d, Style()))
    for heading in ("### Structure", "### Config", "### Tensors", "### Parameters"):
        assert heading in text
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert all(line.count("|") in (5,) for line in rows)
    assert "| ε of the norms | 1e-05 | 1e-06 | With the same weights not a crash, a quieter loss of quality" in text


def test_output_is_a_whole_file(tmp_path: Path) -> None:
    a, b = model(tmp_path / "a"), model(tmp_path / "b", rms_norm_eps=0.5)
    target = tmp_path / "diff.md"
    out = command.run("diff", a, b, "--format", "markdown", "-o", str(target))
    assert (out.code, out.out) == (0, "")
    assert target.read_text(encoding="utf-8").startswith("## ")


@pytest.mark.parametrize(
    ("change", "codes"),
    [
        ({}, (0, 0, 0, 0)),
        ({"transformers_version": "9.9"}, (0, 0, 0, 0)),
        ({"max_position_embeddings": 4096}, (0, 0, 1, 0)),
        ({"rms_norm_eps": 0.5}, (0, 1, 1, 0)),
        ({"hidden_size": 256}, (1, 1, 1, 0)),
    ],
)
def test_fail_on_asks_how_grave_a_difference_is(
    tmp_path: Path, change: dict[str, object], codes: tuple[int, ...]
) -> None:
    config = {"model_type": "llama", "hidden_size": 128, "num_attention_heads": 4, "transformers_version": "4.0"}
    paths = []
    for name, value in (("a", config), ("b", {**config, **change})):
        (tmp_path / name).mkdir()
        (tmp_path / name / "config.json").write_text(json.dumps(value))
        paths.append(str(tmp_path / name))
    got = tuple(command.run("diff", *paths, "--fail-on", word).code for word in ("error", "warning", "note", "never"))
    assert got == codes
    assert command.run("diff", *paths, "--exit-code").code == codes[2]


def test_values_are_in_the_words_of_the_language() -> None:
    d = differences(side(GEMMA_2_2B, sound(GEMMA_2_2B)), BASE)
    for lang, words in (
        ("en", ("before each sub-layer (pre)", "full attention: ", "sliding window: ", "norms in the layers")),
        ("zh-Hant", ("在每個子層之前（pre）", "完整注意力：", "滑動視窗：", "各層的 norm")),
    ):
        pages = (diff_text.render(d, Style(width=100, lang=lang)), diff_markdown.render(d, Style(lang=lang)))
        for text in ("".join(p) for p in pages):
            for word in words:
                assert word in text.replace("&#40;", "(").replace("&#41;", ")"), word
    assert {c["aspect"]: c["a"] for c in d["structure"]}["norm.placement"] == "sandwich"


def test_scaling_apart_for_each_kind_of_layer_is_told_apart() -> None:
    from cfgexplain.render.diff import of_aspect

    t = catalogue("en")
    two = {"full_attention": {"type": "linear", "factor": 8.0}, "sliding_attention": {"type": "default"}}
    assert of_aspect("rope.scaling", two, t) == "full attention: linear, factor 8; sliding window: none (default)"
    assert of_aspect("rope.theta", {"full_attention": 1e6}, t) == "full attention: 1,000,000"
    assert of_aspect("rope.scaling", {"type": "yarn", "factor": 4.0}, t) == "yarn, factor 4"
    assert of_aspect("norm.placement", "somewhere", t) == "somewhere"
    assert of_aspect("quantization", {}, t) == "none"


def test_every_word_of_an_aspect_is_in_the_catalogue() -> None:
    from cfgexplain.lang import LANGUAGES
    from cfgexplain.render.diff import WORDS

    assert set(WORDS) <= set(ASPECTS)
    for lang in LANGUAGES:
        assert all(catalogue(lang).text(key) for words in WORDS.values() for key in words.values())


# --- what is computed beside the matrices ---


def remarked(d: DiffR) -> tuple[object, object] | None:
    return changed(d).get("remarks")


def test_what_only_one_architecture_computes_is_a_difference() -> None:
    d = differences(side(GEMMA_2_2B), llama())
    assert remarked(d) == (
        {"embedding-times": 48.0, "attention-cap": 50.0, "logits-cap": 30.0}, {},
    )  # fmt: skip
    found = next(c for c in d["structure"] if c["aspect"] == "remarks")
    assert found["gravity"] == "function"
    for lang in ("en", "zh-Hant"):
        t = catalogue(lang)
        a, b = side(GEMMA_2_2B), llama()
        d = in_words(compare(a, b), a, b, lang)
        words = t.text("text.draw.remark.logits-cap").format(value=30)
        text = "".join(diff_text.render(d, Style(width=100, lang=lang)))
        assert f"      A  {words}" in text
        page = "".join(diff_markdown.render(d, Style(lang=lang)))
        assert words.replace("(", "&#40;").replace(")", "&#41;") in page
        assert t.text("diff.title.remarks") in page


def test_another_number_is_one_difference_and_its_key_decides_it() -> None:
    other = side({**GEMMA_2_2B, "final_logit_softcapping": 50.0})
    d = differences(side(GEMMA_2_2B), other)
    assert remarked(d) == ({"logits-cap": 30.0}, {"logits-cap": 50.0})
    assert [k["aspect"] for k in d["config"]] == ["remarks"]
    assert "1 difference\n" in "".join(diff_text.render(d, Style(width=100)))
    assert "another number" in next(c["text"] for c in d["structure"])
    assert not d["same"]


def test_equal_remarks_are_no_difference() -> None:
    base, same_cap = ({**GEMMA_2_2B, "final_logit_softcapping": x} for x in (30.0, 30))
    assert differences(side(base), side(same_cap))["same"]
    assert remarked(differences(side(GEMMA_2_2B), side(same_cap))) is None
    assert remarked(differences(BASE, llama(rms_norm_eps=1e-6))) is None


def test_a_number_that_follows_from_a_size_is_not_told_again() -> None:
    wide = side({**GEMMA_2_2B, "hidden_size": 3584})
    found = changed(differences(side(GEMMA_2_2B), wide))
    assert found["size.hidden"] == (2304, 3584)
    assert "remarks" not in found


def test_of_an_unknown_type_nothing_is_said_to_be_absent() -> None:
    unknown = {**LLAMA_2_7B, "model_type": "nobody-knows"}
    assert remarked(differences(side(GEMMA_2_2B), side(unknown))) is None


def test_remarks_stand_on_the_page_of_two_models() -> None:
    from cfgexplain.render.diff_html import render_pair

    a, b = side(GEMMA_2_2B), side({**GEMMA_2_2B, "attn_logit_softcapping": None})
    page = "".join(render_pair(a.report, b.report, differences(a, b), Style()))
    assert "<td>what else is computed" in page
    assert "attention scores are softly capped: 50" in page


# --- what tables know across families ---


def test_the_width_and_the_experts_are_those_in_use() -> None:
    d = changed(differences(BASE, side({"model_type": "qwen3_next"})))
    assert d["ffn.width"] == (11008, "none")
    assert d["ffn.expert_width"] == ("none", 512)
    assert d["ffn.experts"] == (0, 512)
    assert d["ffn.experts_per_token"] == (0, 10)
    assert d["rope.fraction"] == (1.0, 0.25)


@pytest.mark.parametrize(
    ("family", "told"),
    [("qwen2", "q, k, v"), ("bert", "q, k, v, o"), ("gpt2", "q, k, v, o"), ("qwen3", None), ("gpt_neox", "q, k, v, o")],
)
def test_biases_of_attention_are_compared(family: str, told: str | None) -> None:
    found = changed(differences(BASE, side({"model_type": family}))).get("attention.bias")
    assert found == (told and ("none", told))


def test_an_encoder_before_a_decoder_is_a_difference() -> None:
    assert changed(differences(side({"model_type": "bert"}), side({"model_type": "t5"})))["layers.encoder"] == (0, 1)


def test_a_head_that_is_not_known_is_not_called_untied() -> None:
    tied = side({"model_type": "t5"})
    assert "head.tied" not in changed(differences(tied, side({"model_type": "t5", "tie_word_embeddings": False})))
    bare = side({"model_type": "bert", "architectures": ["BertModel"]})
    assert changed(differences(tied, bare))["head.tied"] == (True, "none")
