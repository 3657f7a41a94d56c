"""Single keys of a config: every spelling that a table has, what is said on a model, and what is not."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from cfgexplain.explain import key_mixtures, key_rope, key_sizes, key_storage
from cfgexplain.explain.key_page import families, known_names, page
from cfgexplain.explain.key_table import TOPICS
from cfgexplain.explain.key_topics import spellings, topic_of, topics
from cfgexplain.explain.key_variants import VARIANTS
from cfgexplain.explain.keys import numbers
from cfgexplain.inspect import Wanted, inspect
from cfgexplain.lang import LANGUAGES, catalogue
from cfgexplain.lang.en_keys import TEXTS
from cli import run
from corpus import cases, checkpoint
from models import GEMMA_2_2B, GPT2, LLAMA_2_7B, MIXTRAL

if TYPE_CHECKING:
    from cfgexplain.report import ExplanationR

#: A canonical name that this many families use has a text for each of its commoner spellings.
MANY = 20


def told(config: dict[str, object], *keys: str) -> list[ExplanationR]:
    r = inspect(checkpoint(config, None), Wanted(keys=keys))
    return r["explanations"] or []


def one(config: dict[str, object], key: str) -> ExplanationR:
    (found,) = told(config, key)
    return found


# --- the table of keys ---


def test_each_spelling_means_one_thing() -> None:
    count = Counter(s for t in TOPICS for s in (t.name, *t.also, *t.beside))
    assert [s for s, n in count.items() if n > 1] == []


def test_related_keys_references_and_advice_exist() -> None:
    t = catalogue("en")
    for topic in (*TOPICS, *(v.topic for v in VARIANTS)):
        assert set(topic.related) <= set(topics()), topic.name
        assert topic.name not in topic.related
        assert t.text(f"explain.key.after.{topic.after}")
        assert all(t.text(f"ref.{r}") for r in topic.refs)
        assert not topic.formula or numbers(topic) is not None, topic.name


def test_texts_and_topics_are_the_same_set() -> None:
    said = {k.removeprefix("key.").removesuffix(".does") for k in TEXTS if k.startswith("key.") and k.endswith(".does")}
    assert said == set(topics()) | {v.topic.name for v in VARIANTS}


def test_every_formula_belongs_to_a_topic() -> None:
    used = {t.formula for t in (*TOPICS, *(v.topic for v in VARIANTS)) if t.formula}
    have = {
        name
        for m in (key_sizes, key_rope, key_mixtures, key_storage)
        for name, f in vars(m).items()
        if callable(f) and getattr(f, "__module__", "") == m.__name__ and not name.startswith("_")
    }
    assert used == have - {"turned", "scaling", "sharpened", "embedded"}


def test_every_common_canonical_key_has_a_text() -> None:
    users: Counter[str] = Counter()
    names: dict[str, Counter[str]] = {}
    for f in families():
        for own, key in f.keys.items():
            users[own] += 1
            names.setdefault(own, Counter()).update(key.names)
    common = [own for own, n in users.items() if n >= MANY and own != "out"]
    assert len(common) > 30
    for own in common:
        for spelling, n in names[own].items():
            assert n < MANY / 4 or topic_of(spelling) is not None, (own, spelling)


@pytest.mark.parametrize("name", sorted(known_names()))
def test_every_spelling_of_the_tables_has_a_page(name: str) -> None:
    text = "\n".join(page(name, "en"))
    assert text.startswith(name)
    assert f"--key {name}`" in text


# --- the command without a model ---


def test_key_page_names_defaults_and_who_ignores_it() -> None:
    out = run("key", "rms_norm_eps")
    assert out.code == 0
    text = " ".join(out.out.split())
    assert "Also written: layer_norm_eps" in text
    assert "default 1e-06:" in text
    assert "not read by: dory" in text
    assert "arXiv:1910.07467" in text


def test_aliases_share_one_text() -> None:
    assert page("n_embd", "en")[2] == page("hidden_size", "en")[2]


def test_an_unknown_key_points_to_the_nearest() -> None:
    out = run("key", "rope_tetha")
    assert (out.code, out.out) == (2, "")
    assert "Did you mean rope_theta?" in out.err


def test_a_hostile_name_is_shown_escaped() -> None:
    out = run("key", "\x1b[31m")
    assert out.code == 2
    assert "\x1b" not in out.err


def test_without_a_name_every_topic_is_listed() -> None:
    lines = run("key").out.splitlines()
    assert [x.split()[0] for x in lines] == list(topics())


@pytest.mark.parametrize("lang", LANGUAGES)
def test_no_line_of_the_list_ends_inside_brackets(lang: str) -> None:
    from cfgexplain.explain.key_page import listed

    for name, line in listed(lang):
        assert all(line.count(a) == line.count(b) for a, b in ("()", "（）", "[]", "{}")), name
    assert "(output_embedding_size: of what the head reads)" in dict(listed("en"))["word_embed_proj_dim"]


# --- on a model ---


def test_the_value_its_origin_and_the_formula_with_numbers() -> None:
    e = one(LLAMA_2_7B, "rope_theta")
    assert (e["key"], e["value"], e["source"]) == ("rope_theta", 10000.0, "default")
    assert "the slowest (j = 63) in 2π · 10,000^(126 / 128) = 54,410." in e["text"]
    assert "context of 4,096 tokens: 46 of 64;" in e["text"]
    assert "If it is wrong: Nothing fails" in e["text"]
    assert "After training:" in e["text"]
    assert "Read with it: head_dim = 128" in e["text"]
    assert any("2104.09864" in r for r in e["references"])


def test_a_usual_explanation_is_part_of_its_key() -> None:
    e = one(LLAMA_2_7B, "intermediate_size")
    assert "ceil(10922 / 256) × 256 = 43 × 256 = 11008" in (e["formula"] or "")
    assert e["text"].count("The config sets intermediate_size") == 1


def test_another_familys_spelling_is_found() -> None:
    e = one(LLAMA_2_7B, "n_embd")
    assert (e["key"], e["value"]) == ("hidden_size", 4096)
    assert e["text"].startswith("In llama it is called hidden_size.")


def test_derived_values_say_the_rule() -> None:
    e = one(LLAMA_2_7B, "head_dim")
    assert (e["value"], e["source"]) == (128, "derived")
    assert "derives 128 from hidden_size / num_attention_heads." in e["text"]


@pytest.mark.parametrize("lang", ["en", "zh-Hant"])
def test_no_rule_of_a_table_is_shown_as_code(lang: str) -> None:
    for name in ("num_labels", "is_gated_act", "layer_types", "head_dim", "num_key_value_heads", "embedding_size"):
        text = "\n".join(page(name, lang))
        shown = [line for line in text.splitlines() if line.startswith("    ")]
        assert shown
        assert not any(x in line for x in ("//", "==", " if ", "()", "len(", " or ") for line in shown), name


def test_other_settings_are_no_spellings() -> None:
    for name, other in (("top_p", "temperature"), ("no_bias", "use_bias"), ("topk_group", "n_group")):
        text = "\n".join(page(name, "en"))
        assert "Also written" not in text
        assert f"Explained together with: {other}" in text
    assert "The config has no topk_group" in one(LLAMA_2_7B, "topk_group")["text"]
    e = one({**LLAMA_2_7B, "top_p": 0.9}, "temperature")
    assert (e["key"], e["value"]) == ("temperature", None)


def test_a_familys_defaults_are_those_of_its_own_table() -> None:
    assert "default 32000: " in "\n".join(page("vocab_size", "en"))
    assert next(f for f in families() if f.id == "llama").keys["vocab"].default == 32000


def test_several_keys_come_in_the_order_asked() -> None:
    found = told(LLAMA_2_7B, "vocab_size", "hidden_size", "vocab_size")
    assert [e["key"] for e in found] == ["vocab_size", "hidden_size"]


def test_tensors_that_depend_on_a_key_are_named() -> None:
    assert "layers.{i}.mlp.gate_proj.weight" in one(LLAMA_2_7B, "intermediate_size")["text"]
    assert "layers.{i}.self_attn.q_proj.bias" in one(LLAMA_2_7B, "attention_bias")["text"]


def test_a_key_that_the_family_does_not_read() -> None:
    e = one({"model_type": "qwen2", "attention_bias": True}, "attention_bias")
    assert "does not read this key: it changes nothing" in e["text"]


def test_no_base_of_positions_where_they_are_not_rotary() -> None:
    e = one({"model_type": "jamba"}, "rope_theta")
    assert (e["value"], e["formula"]) == (None, None)
    assert "no rotary positions" in e["text"]
    r = inspect(checkpoint({"model_type": "jamba"}, None), Wanted(all_keys=True))
    assert "rope_theta" not in str([x["key"] for x in r["explanations"] or []])


def test_a_shadowed_alias_is_said() -> None:
    config = {**LLAMA_2_7B, "rope_theta": 5.0, "rope_parameters": {"rope_theta": 500000.0}}
    assert "The config also has rope_parameters.rope_theta" in one(config, "rope_theta")["text"]


def test_a_key_that_is_nowhere_is_a_usage_error() -> None:
    out = run("example:llama-2-7b", "--key", "rms_norm_epps")
    assert out.code == 2
    assert "Did you mean rms_norm_eps?" in out.err


def test_a_known_key_that_this_model_lacks() -> None:
    e = one(LLAMA_2_7B, "kv_lora_rank")
    assert e["value"] is None
    assert e["title"] == "kv_lora_rank: not set"
    assert "The config has no kv_lora_rank, and the table of llama does not use one." in e["text"]


def test_soft_cap_and_query_scale_of_gemma_2() -> None:
    cap, scale = told(
        {**GEMMA_2_2B, "attn_logit_softcapping": 50.0, "query_pre_attn_scalar": 256},
        "attn_logit_softcapping", "query_pre_attn_scalar",
    )  # fmt: skip
    assert "x = 50: y = 38.08" in (cap["formula"] or "")
    assert "1 / sqrt(256) = 0.0625" in (scale["formula"] or "")


def test_experts_of_mixtral() -> None:
    e = one(MIXTRAL, "num_experts_per_tok")
    assert "2 / 8 = 0.25" in (e["formula"] or "")
    assert "Ways to pick 2 of them: 28." in e["text"]


def test_a_wrapped_models_key_by_path_and_by_name() -> None:
    config = {"model_type": "gemma3", "text_config": {"model_type": "gemma3_text", "hidden_size": 2560}}
    for name in ("hidden_size", "text_config.hidden_size"):
        assert one(config, name)["key"] == "text_config.hidden_size"


# --- rotary scaling, against numbers of the reference implementation (dim 128, base 500000 or 10000) ---

ROPE = {**LLAMA_2_7B, "max_position_embeddings": 131072, "rope_theta": 500000.0}


def test_llama3_scaling_counts_pairs() -> None:
    scaling = {
        "rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
        "original_max_position_embeddings": 8192,
    }  # fmt: skip
    e = one({**ROPE, "rope_scaling": scaling}, "rope_scaling")
    assert "left alone: 29; that turn 8 times slower: 29; that lie between: 6." in e["text"]
    assert "8,192 × 8 = 65,536" in (e["formula"] or "")


def test_yarn_borders_and_sharpness() -> None:
    scaling = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 32768}
    e = one({**LLAMA_2_7B, "rope_theta": 10000.0, "rope_scaling": scaling}, "rope_scaling.factor")
    assert "0.1 · ln(4) + 1 = 1.1386" in (e["formula"] or "")
    assert "those up to 35 are left alone, those from 60 on turn 4 times slower" in e["text"]


def test_linear_dynamic_and_none() -> None:
    linear = one({**LLAMA_2_7B, "rope_scaling": {"type": "linear", "factor": 2.0}}, "rope_type")
    assert "position / 2" in (linear["formula"] or "")
    dynamic = one({**LLAMA_2_7B, "rope_scaling": {"type": "dynamic", "factor": 2.0}}, "rope_scaling")
    assert "^(128 / 126)" in (dynamic["formula"] or "")
    assert "not stretched here" in one({**LLAMA_2_7B, "rope_scaling": {"type": "default"}}, "rope_scaling")["text"]


@pytest.mark.parametrize("scaling", [[], {}, {"rope_type": 3}, {"rope_type": "yarn", "factor": "x"}, {"factor": -1}, 7])
def test_nonsense_in_the_scaling_is_no_error(scaling: object) -> None:
    assert one({**ROPE, "rope_scaling": scaling}, "rope_scaling")["key"] == "rope_scaling"


# --- all of them ---


@pytest.mark.parametrize("name", sorted(cases()))
def test_all_keys_of_every_architecture(name: str) -> None:
    row = cases()[name]
    r = inspect(checkpoint(row["config"], row["header"], name), Wanted(all_keys=True))
    found = [e["key"] for e in r["explanations"] or []]
    assert len(found) == len(set(found))
    assert json.loads(json.dumps(r["explanations"])) == r["explanations"]
    for e in r["explanations"] or []:
        assert e["text"]
        assert "  " not in e["text"], e
    left = next((e["value"] for e in r["explanations"] or [] if e["key"] == "config"), [])
    for key, value in row["config"].items():
        if not isinstance(value, dict):
            assert key in found or key in left, key  # type: ignore[operator]


def test_keys_without_an_explanation_are_listed() -> None:
    r = inspect(checkpoint({**LLAMA_2_7B, "frobnicate": 1}, None), Wanted(all_keys=True))
    last = (r["explanations"] or [])[-1]
    assert (last["key"], last["value"]) == ("config", ["frobnicate"])
    assert last["title"] == "Keys without an explanation: 1"


def test_all_keys_keeps_the_usual_explanations() -> None:
    r = inspect(checkpoint(GPT2, None), Wanted(all_keys=True))
    assert {"norm.placement", "norm.type"} <= {e["key"] for e in r["explanations"] or []}


def test_keys_alone_are_shown_in_text_and_in_json() -> None:
    text = run("example:llama-2-7b", "--key", "vocab_size").out
    assert "vocab_size = 32000" in text
    assert "residual stream" not in text
    report = json.loads(run("example:llama-2-7b", "--key", "vocab_size", "--json").out)["reports"][0]
    assert [e["key"] for e in report["explanations"]] == ["vocab_size"]
    assert report["ffn"]["intermediate_size"]["value"] == 11008


def test_check_explains_nothing() -> None:
    assert run("check", "example:llama-2-7b", "--key", "vocab_size").code == 2


def test_huge_and_hostile_values_are_shown_short() -> None:
    config = {**LLAMA_2_7B, "torch_dtype": "\x1b[2J", "bos_token_id": 10**400, "eos_token_id": list(range(5000))}
    r = inspect(checkpoint(config, None), Wanted(all_keys=True))
    text = json.dumps(r["explanations"])
    assert "\\u001b" not in text
    assert len(text) < 120_000


def test_spellings_are_all_lower_case_names() -> None:
    assert all(s.replace(".", "").replace("_", "").isalnum() for s in spellings())


@pytest.mark.parametrize("family", ["albert", "zamba2"])
def test_parameters_that_layers_share_are_not_divided_by_layers(family: str) -> None:
    text = " ".join(map(str, one({"model_type": family, "num_hidden_layers": 12}, "num_hidden_layers").values()))
    assert "counted once" in text
    assert " / 12" not in text


def test_a_cache_is_as_long_as_the_context_alone() -> None:
    """Whisper's encoder has 1,500 positions and keeps none of them in the decoder's cache."""
    whisper: dict[str, object] = {"model_type": "whisper", "max_source_positions": 1500, "max_target_positions": 448}
    assert "bytes of cache" not in one(whisper, "max_source_positions")["text"]
    assert "bytes of cache" in one(whisper, "max_target_positions")["text"]


def test_windows_of_a_model_that_looks_both_ways_reach_half_as_far() -> None:
    gemma: dict[str, object] = {
        "model_type": "gemma3_text", "num_hidden_layers": 24, "sliding_window": 512,
        "use_bidirectional_attention": True,
    }
    assert one(gemma, "sliding_window")["formula"] == "20 × 256 = 5,120"
    back = {**gemma, "use_bidirectional_attention": False}
    assert one(back, "sliding_window")["formula"] == "20 × (512 − 1) = 10,220"


@pytest.mark.parametrize(("window", "said"), [(4096, True), (262144, False)])
def test_a_window_that_is_no_shorter_than_the_context_never_fills(window: int, said: bool) -> None:
    phi: dict[str, object] = {"model_type": "phi3", "sliding_window": window, "max_position_embeddings": 131072}
    r = inspect(checkpoint(phi, None), Wanted())
    assert any("Once a window is full" in e["text"] for e in r["explanations"] or []) is said
