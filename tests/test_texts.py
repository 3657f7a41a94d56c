"""Every text that explains has its condition and what bears it out; and none says more than its condition allows."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from cfgexplain.explain.base import Writer
from cfgexplain.inspect import inspect
from cfgexplain.lang import en, en_later, en_remarks
from cfgexplain.sources.examples import list_examples, load_example
from corpus import cases, checkpoint
from models import LLAMA_2_7B, report_of

if TYPE_CHECKING:
    from types import ModuleType

    from cfgexplain.report import ExplanationR, Report

ROOT = Path(__file__).resolve().parent.parent


def tool(name: str) -> ModuleType:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "path", [str(ROOT / "tools"), *sys.path])
        return import_module(name)


CONDITIONS: dict[str, dict[str, str]] = tool("_conditions").CONDITIONS
SOURCES: dict[str, str] = tool("_conditions").SOURCES


def test_every_sentence_has_one_condition_and_every_condition_a_sentence() -> None:
    told = {f"explain.{topic}.{name}" for topic, sentences in CONDITIONS.items() for name in sentences}
    told |= {f"explain.key.after.{name}" for name in tool("_texts").after()}
    texts = {k for k in (*en.TEXTS, *en_later.TEXTS) if k.startswith("explain.")}
    assert texts - told == set(), "say in tools/_conditions.py when these are said"
    assert told - texts == set(), "no text has these keys"
    assert set(tool("_conditions").TOPICS) == set(CONDITIONS)
    assert all(condition for sentences in CONDITIONS.values() for condition in sentences.values())


def test_every_remark_has_its_conditions() -> None:
    prefix = "text.draw.remark."
    assert set(tool("_texts").remarks()) == {k.removeprefix(prefix) for k in en_remarks.TEXTS if k.startswith(prefix)}


def test_every_topic_of_the_keys_has_its_texts() -> None:
    topics = {k.split(".", 1)[1].rpartition(".")[0] for k in en_later.TEXTS if k.startswith("key.")}
    assert topics == {name for names in tool("_texts").after().values() for name in names}


def test_what_bears_a_sentence_out_exists() -> None:
    known = {k.removeprefix("ref.") for k in (*en.TEXTS, *en_later.TEXTS) if k.startswith("ref.")}
    for name, refs in SOURCES.items():
        topic, _, sentence = name.partition(".")
        assert sentence in CONDITIONS[topic]
        assert set(refs.split()) <= known


@pytest.fixture(scope="module")
def told() -> list[tuple[str, set[str], set[str]]]:
    """Topic, sentences and references of every explanation of all examples and of the whole corpus."""
    found: list[tuple[str, set[str], set[str]]] = []
    words, refer, done = Writer.words, Writer.refer, Writer.done
    said: dict[int, tuple[Writer, set[str], set[str]]] = {}

    def of(w: Writer) -> tuple[Writer, set[str], set[str]]:
        return said.setdefault(id(w), (w, set(), set()))

    def words_seen(self: Writer, name: str, /, **values: object) -> str:
        of(self)[1].add(name)
        return words(self, name, **values)

    def refer_seen(self: Writer, *keys: str) -> None:
        of(self)[2].update(keys)
        refer(self, *keys)

    def done_seen(self: Writer, *args: Any, **values: Any) -> ExplanationR:
        out = done(self, *args, **values)
        found.append((self._topic, *of(self)[1:]))
        return out

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Writer, "words", words_seen)
        patch.setattr(Writer, "refer", refer_seen)
        patch.setattr(Writer, "done", done_seen)
        for name in list_examples():
            inspect(load_example(name, name))
        for name, row in cases().items():
            inspect(checkpoint(row["config"], row["header"], name))
    return found


def test_explanations_carry_what_bears_their_sentences_out(told: list[tuple[str, set[str], set[str]]]) -> None:
    assert len(told) > 3000
    lacking = {
        (topic, name, ref)
        for topic, sentences, refs in told
        for name in sentences
        for ref in SOURCES.get(f"{topic}.{name}", "").split()
        if ref not in refs
    }
    assert lacking == set()


def test_no_reference_stands_without_a_sentence(told: list[tuple[str, set[str], set[str]]]) -> None:
    idle = {
        (topic, ref)
        for topic, sentences, refs in told
        for ref in refs
        if not any(ref in SOURCES.get(f"{topic}.{name}", "").split() for name in sentences)
    }
    assert idle == set()


# --- sentences that were found to say more than their condition allowed ---


def text(report: Report, title: str) -> str:
    return next((e["text"] for e in report["explanations"] or () if e["title"].startswith(title)), "")


def case(name: str) -> Report:
    row = cases()[name]
    return inspect(checkpoint(row["config"], row["header"], name))


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("qwen3_next", "layer_types"), ("lfm2", "layer_types"), ("deepseek_v4", "hc_mult"), ("apertus", "hidden_act"),
        ("masked_lm--mobilebert", "num_feedforward_networks"),
    ],
)  # fmt: skip
def test_a_key_that_tensors_depend_on_is_not_called_unseen(name: str, key: str) -> None:
    assert key not in text(case(name), "What no header shows").partition("They must")[0]


def test_a_key_that_no_tensor_depends_on_is() -> None:
    assert "layer_types = " in text(inspect(load_example("gpt-oss-20b", "x")), "What no header shows")


@pytest.mark.parametrize(
    ("name", "rows"), [("gemma4_text", 0), ("seq2seq--t5gemma", 0), ("masked_lm--electra", 1)]
)
def test_a_tied_head_saves_the_table_that_it_shares(name: str, rows: int) -> None:
    config = cases()[name]["config"]
    inner = config.get("decoder", config)
    width = inner["embedding_size"] if rows else inner["hidden_size"]
    assert f"That saves {inner['vocab_size'] * width:,} parameters." in text(case(name), "tie_word_embeddings")


def test_recurrences_reach_further_than_windows_and_windows_stop_growing() -> None:
    report = case("recurrent_gemma")
    assert "tokens at most" not in text(report, "Windows")
    assert "go on growing" not in text(report, "A state in place")
    assert "go on growing" in text(case("jamba"), "A state in place")


def test_windows_that_look_ahead_say_so() -> None:
    row = cases()["gemma3_text"]
    both = {**row["config"], "use_bidirectional_attention": True}
    assert "no further back" in text(case("gemma3_text"), "Windows")
    assert "4 back and 4 ahead" in text(inspect(checkpoint(both, row["header"])), "Windows")


def test_norms_are_not_counted_by_layer_over_two_stacks() -> None:
    assert "in each of" not in text(case("seq2seq--t5"), "layer_norm_epsilon")
    assert "in each of" in text(case("llama"), "rms_norm_eps")


def test_a_norm_on_queries_alone_is_not_one_on_both() -> None:
    assert "on queries and keys" not in text(case("deepseek_v4"), "Norms:")
    assert "on queries and keys" in text(case("qwen3-basemodel"), "Norms:")


def test_a_key_about_something_biased_is_no_switch_of_biases() -> None:
    assert "position_biased_input" not in text(report_of({"model_type": "deberta"}), "Biases")


@pytest.mark.parametrize("eps", [1e-06, 0.001])
def test_another_epsilon_than_published_is_not_taken_for_that_of_llama_1(eps: float) -> None:
    found = text(report_of({**LLAMA_2_7B, "rms_norm_eps": eps}), "rms_norm_eps")
    assert f"1e-05 and not {eps} (1e-06 is what the small Llama 1 models have)" in found
